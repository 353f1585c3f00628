// SPDX-License-Identifier: Apache-2.0
//
// The shape of the innermost headers: one IP header, then perhaps UDP, UDP-Lite or ESP, then perhaps RTP. A layout
// gives the offsets and behaviour of the fields (RFC 3095 Appendix A, RFC 4019 Appendix A), so that the same code
// handles all shapes; ip_layout() describes an outer IP header.
//
// A field is of one of three kinds:
//   definition  the packet belongs to another flow when it differs (addresses, ports, flow label, SSRC …)
//   pattern     seldom changes within a flow (TOS, TTL, DF, payload type …); every definition field is one of these too
//   dynamic     changes with each packet, or follows from other fields (lengths, checksums, IP-ID, SN, TS)
// The marker bit belongs to the pattern with the value 0: a packet with the marker bit set differs from the pattern.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc {

// A UDP-Lite header is a UDP header with a Checksum Coverage in place of the Length. The treatment of that field in
// compressed headers is part of the shape: see Coverage.
enum class Shape : std::uint8_t {
  kIpv4,
  kIpv6,
  kUdpIpv4,
  kUdpIpv6,
  kRtpIpv4,
  kRtpIpv6,
  kEspIpv4,
  kEspIpv6,
  kUdpLiteIpv4,  // Coverage::kInferred; kFixed and kSent follow, here and below
  kUdpLiteIpv6,
  kRtpUdpLiteIpv4 = kUdpLiteIpv4 + 6,
  kRtpUdpLiteIpv6,
};
inline constexpr std::size_t kShapeCount = 20;

// The headers after the innermost IP header.
enum class Transport : std::uint8_t { kNone, kUdp, kRtp, kEsp, kUdpLite, kRtpUdpLite };

// The combination of context(CFP) and context(CFI) of RFC 4019 5.1.
enum class Coverage : std::uint8_t {
  kInferred,  // CFP = 0, CFI = 1: the length of the datagram
  kFixed,     // CFP = 0, CFI = 0: context(UDP-Lite Checksum Coverage), which is part of the pattern
  kSent,      // CFP = 1: in every compressed header
};

inline constexpr std::size_t kIpv4Header = 20;  // RFC 791 without options; headers with options are not compressed
inline constexpr std::size_t kIpv6Header = 40;  // RFC 8200
inline constexpr std::size_t kUdpHeader = 8;    // RFC 768
inline constexpr std::size_t kRtpHeader = 12;   // RFC 3550 5.1 with CC = 0
inline constexpr std::size_t kEspHeader = 8;    // RFC 4303 2: SPI and Sequence Number; the rest is encrypted

// An image of the innermost headers: the longest is IPv6/UDP/RTP with 60 octets. 64 is one cache line.
inline constexpr std::size_t kImageSize = 64;
using Image = std::array<std::uint8_t, kImageSize>;

inline constexpr std::uint8_t kProtocolIpv4 = 4;  // IANA protocol numbers
inline constexpr std::uint8_t kProtocolUdp = 17;
inline constexpr std::uint8_t kProtocolIpv6 = 41;
inline constexpr std::uint8_t kProtocolTcp = 6;
inline constexpr std::uint8_t kProtocolEsp = 50;
inline constexpr std::uint8_t kProtocolUdpLite = 136;

// True if this protocol or next-header number announces an IP header.
[[nodiscard]] constexpr bool is_ip(std::uint8_t protocol) noexcept {
  return protocol == kProtocolIpv4 || protocol == kProtocolIpv6;
}

// The offset of a field that the shape lacks; the field's mask is then 0. kNowhere lies inside an image but after
// every header, so that branch-free code may read and write there.
inline constexpr std::uint8_t kNowhere = 60;

// Offsets are octets from the start of the innermost IP header.
struct Layout {
  Image pattern_mask{};
  Image definition_mask{};

  std::uint8_t ip_version = 0;
  Transport transport = Transport::kNone;
  Coverage coverage = Coverage::kInferred;
  std::uint8_t header = 0;       // octets of IP, UDP and RTP, or IP and ESP, together
  std::uint8_t udp = 0;          // offset of the UDP or UDP-Lite header, 0 without
  std::uint8_t rtp = 0;          // offset of the RTP header, 0 without
  std::uint8_t esp = 0;          // offset of the ESP header, 0 without
  std::uint8_t length_at = 0;    // IPv4 Total Length or IPv6 Payload Length
  std::uint8_t length_adds = 0;  // octets of the packet's length that this field does not count
  std::uint8_t id_at = kNowhere;
  std::uint8_t ip_checksum_at = kNowhere;
  std::uint8_t udp_length_at = kNowhere;  // UDP-Lite: Checksum Coverage
  std::uint8_t udp_checksum_at = kNowhere;
  // ESP counts in 32 bits, of which compressed headers carry the least significant: its "TS" is the whole Sequence
  // Number, its "SN" the lower 16 bits, and its TS_STRIDE always 1.
  std::uint8_t sn_at = kNowhere;
  std::uint8_t ts_at = kNowhere;
  std::uint32_t ipv4_mask = 0;  // all ones if the innermost IP header is IPv4
  std::uint32_t udp_mask = 0;   // all ones with a UDP or UDP-Lite header
  std::uint32_t sn_mask = 0;    // all ones if the packet contains the SN: RTP, ESP

  // The fields of the UDP header that follow a compressed header, up to four octets of the header from udp_tail_at on:
  // the checksum, with Coverage::kSent the Checksum Coverage before it. `udp_tail_shift`: the left shift in bits to
  // their position in a word of length and checksum, first octet least significant.
  std::uint8_t udp_tail_at = kNowhere;
  std::uint8_t udp_tail_shift = 16;
  std::uint32_t udp_length_mask = 0;  // all ones if the length field is inferred from the packet's length

  // CRC-3 by folding (wire/crc.h): left shifts of the pieces of the CRC-DYNAMIC octets, in the order of the header: IP
  // length (with the IP-ID after it for IPv4), IPv4 checksum, UDP length and checksum; the RTP piece ends the message.
  // That piece is the seven octets after the one at fold_sn_at; the mask keeps only the octets that exist.
  std::uint8_t fold_ip = 0;
  std::uint32_t fold_ip_mask = 0xffff;
  std::uint8_t fold_ip_checksum = 0;
  std::uint8_t fold_udp = 0;
  std::uint8_t fold_sn_at = 0;
  std::uint64_t fold_sn_mask = 0;

  [[nodiscard]] constexpr bool has_udp() const noexcept { return udp_mask != 0; }
  [[nodiscard]] constexpr bool has_rtp() const noexcept { return rtp != 0; }
  [[nodiscard]] constexpr bool has_esp() const noexcept { return esp != 0; }
  [[nodiscard]] constexpr bool has_coverage() const noexcept {
    return transport == Transport::kUdpLite || transport == Transport::kRtpUdpLite;
  }
  // Returns the offset of the ports or SPI, the four octets that distinguish flows between the same addresses; 0 if
  // there are none.
  [[nodiscard]] constexpr std::uint8_t ports_at() const noexcept { return static_cast<std::uint8_t>(udp | esp); }
  [[nodiscard]] constexpr bool is_ipv4() const noexcept { return ipv4_mask != 0; }
};

extern const std::array<Layout, kShapeCount> kLayouts;

[[nodiscard]] inline const Layout& layout_of(Shape shape) noexcept { return kLayouts[static_cast<std::size_t>(shape)]; }

// Returns the layout of an IP header alone, for outer headers. REQUIRES: version is 4 or 6.
[[nodiscard]] inline const Layout& ip_layout(unsigned version) noexcept {
  return layout_of(version == 4 ? Shape::kIpv4 : Shape::kIpv6);
}

// Returns the shape of these headers. `coverage` is ignored unless the transport is UDP-Lite.
[[nodiscard]] constexpr Shape shape_for(unsigned ip_version, Transport transport,
                                        Coverage coverage = Coverage::kInferred) noexcept {
  const bool lite = transport == Transport::kUdpLite || transport == Transport::kRtpUdpLite;
  const unsigned first = transport == Transport::kRtpUdpLite ? 7U : static_cast<unsigned>(transport);
  return static_cast<Shape>((ip_version == 4 ? 0U : 1U) + 2 * (first + (lite ? static_cast<unsigned>(coverage) : 0U)));
}

[[nodiscard]] inline Shape with_coverage(Shape shape, Coverage coverage) noexcept {
  const Layout& l = layout_of(shape);
  return shape_for(l.ip_version, l.transport, coverage);
}

// True if packets of both shapes have the same headers; the treatment of a Checksum Coverage may differ.
[[nodiscard]] inline bool same_headers(Shape a, Shape b) noexcept {
  return with_coverage(a, Coverage::kInferred) == with_coverage(b, Coverage::kInferred);
}

// Returns the transport without RTP.
[[nodiscard]] constexpr Transport without_rtp(Transport t) noexcept {
  return t == Transport::kRtp ? Transport::kUdp : t == Transport::kRtpUdpLite ? Transport::kUdpLite : t;
}

// True if a chain that ends with `prefix` is the beginning of a chain that ends with `whole`.
[[nodiscard]] constexpr bool is_prefix(Transport prefix, Transport whole) noexcept {
  return prefix == Transport::kNone || prefix == whole || prefix == without_rtp(whole);
}

// Sets `image` to header AND mask for the first `size` octets and to 0 for the rest.
void masked_copy(const std::uint8_t* header, const Image& mask, std::size_t size, Image& image) noexcept;

// True if header AND mask equals image AND mask in the first `size` octets.
[[nodiscard]] bool masked_equal(const std::uint8_t* header, const Image& mask, const Image& image,
                                std::size_t size) noexcept;

}  // namespace headroom::rohc
