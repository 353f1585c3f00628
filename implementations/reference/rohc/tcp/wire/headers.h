// SPDX-License-Identifier: Apache-2.0
//
// The headers that ROHC-TCP compresses (RFC 6846, 6.2), their offsets in a packet, and inferred fields (6.4.1 to
// 6.4.5).
#pragma once

#include <array>
#include <cstdint>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc::tcp {

using wire::load16;
using wire::load32;
using wire::Reader;
using wire::store16;
using wire::store32;
using wire::Writer;

enum class HeaderKind : std::uint8_t { kIpv4, kIpv6, kHopByHop, kRouting, kDestination, kAh, kGre, kMine, kTcp };

// IP_ID_BEHAVIOR_* (8.2).
enum class IpIdBehaviour : std::uint8_t { kSequential = 0, kSwapped = 1, kRandom = 2, kZero = 3 };
[[nodiscard]] constexpr bool is_sequential(IpIdBehaviour b) noexcept { return b <= IpIdBehaviour::kSwapped; }

// Limits of this implementation: the octets of all headers together, and the number of headers.
inline constexpr std::size_t kMostOctets = 320, kMostHeaders = 10;

// Lengths in octets, and offsets of fields from the start of a header.
inline constexpr std::size_t kIpv4Length = 20, kIpv6Length = 40, kTcpLength = 20, kMostOptions = 40;
namespace ipv4 {
inline constexpr std::size_t kTos = 1, kTotalLength = 2, kId = 4, kFragment = 6, kTtl = 8, kProtocol = 9,
                             kChecksum = 10, kAddresses = 12;
}
namespace ipv6 {
inline constexpr std::size_t kPayloadLength = 4, kNextHeader = 6, kHopLimit = 7, kAddresses = 8;
}
namespace field {  // of the TCP header
inline constexpr std::size_t kSeq = 4, kAck = 8, kOffset = 12, kFlags = 13, kWindow = 14, kChecksum = 16, kUrgent = 18;
}
namespace flag {
inline constexpr std::uint8_t kUrg = 0x20, kAck = 0x10, kPsh = 0x08, kRsf = 0x07, kEcn = 0xc0;
}

struct Header {
  HeaderKind kind = HeaderKind::kTcp;
  IpIdBehaviour ip_id = IpIdBehaviour::kRandom;  // of an IPv4 header
  std::uint16_t at = 0, length = 0;
};

// The headers of a packet, from the outermost IP header to TCP.
struct Layout {
  std::array<Header, kMostHeaders> headers{};
  std::uint8_t count = 0;
  std::uint8_t innermost = 0;  // the innermost IP header
  std::uint16_t octets = 0;    // all headers together, TCP options included

  [[nodiscard]] const Header& tcp() const noexcept { return headers[count - 1U]; }
  [[nodiscard]] Header& inner() noexcept { return headers[innermost]; }
  [[nodiscard]] const Header& inner() const noexcept { return headers[innermost]; }
  [[nodiscard]] std::size_t options() const noexcept { return tcp().length - kTcpLength; }

  // Appends a header. Returns false if there are then too many headers or octets. TCP must have room for all options.
  [[nodiscard]] bool append(HeaderKind kind, std::size_t length) noexcept;
  // Sets the length of the TCP options to `length` octets.
  void set_options(std::size_t length) noexcept;
};

// The reason why this profile cannot compress a packet.
enum class Unfit : std::uint8_t {
  kNone,
  kNotTcp,      // another protocol, or a header that has no encoding
  kMalformed,   // truncated, or lengths that contradict each other
  kNotDefault,  // IPv4 options, fragments, wrong checksums: a field without an encoding differs from its implied value
  kTooLong,     // more headers, octets or TCP options than the limits allow
};

// Finds the headers of `packet`. On kNone, `layout` is complete except for the IP-ID behaviours.
[[nodiscard]] Unfit find_headers(Octets packet, Layout& layout) noexcept;

// Sets `kind` to the header kind of a protocol number. Returns false if ROHC-TCP does not compress such a header.
[[nodiscard]] bool kind_of(std::uint8_t protocol, HeaderKind& kind) noexcept;
// Returns the protocol number of the header after `h`; for GRE, the IP version of its protocol type. REQUIRES: h is not
// TCP.
[[nodiscard]] std::uint8_t next_of(const Header& h, const std::uint8_t* octets) noexcept;

// Writes the inferred fields into `octets`: lengths, data offset, and checksums of IPv4 and minimal encapsulation.
// `packet`: length of the packet in octets, at most 65,575.
void infer_fields(const Layout& layout, std::uint8_t* octets, std::size_t packet) noexcept;

// Returns the folded ones' complement sum of 16-bit words (RFC 1071).
[[nodiscard]] std::uint16_t sum_of(const std::uint8_t* octets, std::size_t count, std::uint32_t start = 0) noexcept;
// True if the checksum of TCP over header, payload and the pseudo header of the innermost IP header is right. With a
// routing header the pseudo header has another destination (RFC 2460, 8.1), so such packets are always accepted.
[[nodiscard]] bool tcp_checksum_is_right(const Layout& layout, const std::uint8_t* octets, Octets payload) noexcept;

[[nodiscard]] inline bool is_ip(HeaderKind kind) noexcept { return kind <= HeaderKind::kIpv6; }
[[nodiscard]] inline std::size_t ttl_place(const Header& ip) noexcept {
  return ip.at + (ip.kind == HeaderKind::kIpv4 ? ipv4::kTtl : ipv6::kHopLimit);
}
// Returns DSCP and ECN as one octet.
[[nodiscard]] inline std::uint8_t tos_of(const Header& ip, const std::uint8_t* octets) noexcept {
  const std::uint8_t* p = octets + ip.at;
  return ip.kind == HeaderKind::kIpv4 ? p[ipv4::kTos] : static_cast<std::uint8_t>(p[0] << 4 | p[1] >> 4);
}
inline void set_tos(const Header& ip, std::uint8_t* octets, std::uint8_t tos) noexcept {
  std::uint8_t* p = octets + ip.at;
  if (ip.kind == HeaderKind::kIpv4) {
    p[ipv4::kTos] = tos;
  } else {
    p[0] = static_cast<std::uint8_t>(0x60 | tos >> 4);
    p[1] = static_cast<std::uint8_t>(tos << 4 | (p[1] & 0x0f));
  }
}
// Returns the IP-ID as the source counts it: with octets swapped if the behaviour is kSwapped.
[[nodiscard]] inline std::uint16_t counting_id(IpIdBehaviour b, std::uint16_t id) noexcept {
  return b == IpIdBehaviour::kSwapped ? wire::swap16(id) : id;
}

}  // namespace headroom::rohc::tcp
