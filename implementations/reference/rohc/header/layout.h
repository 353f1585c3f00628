// SPDX-License-Identifier: Apache-2.0
//
// The shape of the innermost headers: one IP header, then perhaps UDP, then perhaps RTP. A layout says where the fields
// are and how they behave (RFC 3095 Appendix A), so that one piece of code serves all shapes; an outer IP header is
// described by ip_layout().
//
// A field is of one of three kinds:
//   definition  the packet belongs to another flow when it differs (addresses, ports, flow label, SSRC …)
//   pattern     seldom changes within a flow (TOS, TTL, DF, payload type …); every definition field is one of these too
//   dynamic     changes with each packet, or follows from other fields (lengths, checksums, IP-ID, SN, TS)
// The marker bit counts as pattern with the value 0: a packet that has it set is out of the pattern.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rohc/wire/octets.h"

namespace headroom::rohc {

enum class Shape : std::uint8_t { kIpv4, kIpv6, kUdpIpv4, kUdpIpv6, kRtpIpv4, kRtpIpv6 };
inline constexpr std::size_t kShapeCount = 6;

inline constexpr std::size_t kIpv4Header = 20;  // RFC 791 without options; with options a header is not compressed
inline constexpr std::size_t kIpv6Header = 40;  // RFC 8200
inline constexpr std::size_t kUdpHeader = 8;    // RFC 768
inline constexpr std::size_t kRtpHeader = 12;   // RFC 3550 5.1 with CC = 0

// An image of the innermost headers: the longest is IPv6/UDP/RTP with 60 octets. 64 is one cache line.
inline constexpr std::size_t kImageSize = 64;
using Image = std::array<std::uint8_t, kImageSize>;

inline constexpr std::uint8_t kProtocolIpv4 = 4;  // IANA protocol numbers
inline constexpr std::uint8_t kProtocolUdp = 17;
inline constexpr std::uint8_t kProtocolIpv6 = 41;

// Where a shape lacks a field, its mask is 0 and its offset kNowhere: inside an image but behind every header, so that
// code without branches may read it or write it there.
inline constexpr std::uint8_t kNowhere = 60;

// Offsets are octets from the start of the innermost IP header.
struct Layout {
  Image pattern_mask{};
  Image definition_mask{};

  std::uint8_t ip_version = 0;
  std::uint8_t header = 0;       // octets of IP, UDP and RTP together
  std::uint8_t udp = 0;          // offset of the UDP header, 0 without
  std::uint8_t rtp = 0;          // offset of the RTP header, 0 without
  std::uint8_t length_at = 0;    // IPv4 Total Length or IPv6 Payload Length
  std::uint8_t length_adds = 0;  // what that field leaves out of the packet's length
  std::uint8_t id_at = kNowhere;
  std::uint8_t ip_checksum_at = kNowhere;
  std::uint8_t udp_length_at = kNowhere;
  std::uint8_t udp_checksum_at = kNowhere;
  std::uint8_t sn_at = kNowhere;
  std::uint8_t ts_at = kNowhere;
  std::uint32_t ipv4_mask = 0;  // all ones when the innermost IP header is IPv4
  std::uint32_t udp_mask = 0;   // all ones with a UDP header
  std::uint64_t rtp_mask = 0;   // all ones with an RTP header

  // CRC-3 by folding (wire/crc.h): left shifts of the pieces of the CRC-DYNAMIC octets, in the order of the header:
  // IP length (with the IP-ID after it for IPv4), IPv4 checksum, UDP length and checksum; the RTP piece ends the
  // message.
  std::uint8_t fold_ip = 0;
  std::uint32_t fold_ip_mask = 0xffff;
  std::uint8_t fold_ip_checksum = 0;
  std::uint8_t fold_udp = 0;

  [[nodiscard]] constexpr bool has_udp() const noexcept { return udp_mask != 0; }
  [[nodiscard]] constexpr bool has_rtp() const noexcept { return rtp_mask != 0; }
  [[nodiscard]] constexpr bool is_ipv4() const noexcept { return ipv4_mask != 0; }
};

extern const std::array<Layout, kShapeCount> kLayouts;

[[nodiscard]] inline const Layout& layout_of(Shape shape) noexcept { return kLayouts[static_cast<std::size_t>(shape)]; }

// The layout of an IP header alone, for outer headers. REQUIRES: version is 4 or 6.
[[nodiscard]] inline const Layout& ip_layout(unsigned version) noexcept {
  return layout_of(version == 4 ? Shape::kIpv4 : Shape::kIpv6);
}

[[nodiscard]] constexpr Shape shape_for(unsigned ip_version, bool udp, bool rtp) noexcept {
  return static_cast<Shape>((ip_version == 4 ? 0 : 1) + (rtp ? 4 : udp ? 2 : 0));
}

// `image` = header AND mask, over the first `size` octets; the rest of the image is 0.
void masked_copy(const std::uint8_t* header, const Image& mask, std::size_t size, Image& image) noexcept;

// True when header AND mask equals image AND mask over the first `size` octets.
[[nodiscard]] bool masked_equal(const std::uint8_t* header, const Image& mask, const Image& image,
                                std::size_t size) noexcept;

}  // namespace headroom::rohc
