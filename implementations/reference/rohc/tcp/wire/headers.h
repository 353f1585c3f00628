// SPDX-License-Identifier: Apache-2.0
//
// The headers that ROHC-TCP compresses (RFC 6846, 6.2), where they stand in a packet, and fields that follow from
// others (6.4.1 to 6.4.5).
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

// Limits of this implementation: octets of all headers together, and how many there are.
inline constexpr std::size_t kMostOctets = 320, kMostHeaders = 10;

// Lengths in octets, and places of fields from the front of a header.
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

// Headers from the outermost IP header to TCP, which is last.
struct Layout {
  std::array<Header, kMostHeaders> headers{};
  std::uint8_t count = 0;
  std::uint8_t innermost = 0;  // the innermost IP header
  std::uint16_t octets = 0;    // all headers together, TCP options included

  [[nodiscard]] const Header& tcp() const noexcept { return headers[count - 1U]; }
  [[nodiscard]] Header& inner() noexcept { return headers[innermost]; }
  [[nodiscard]] const Header& inner() const noexcept { return headers[innermost]; }
  [[nodiscard]] std::size_t options() const noexcept { return tcp().length - kTcpLength; }

  // Appends a header. False if there are too many, or too many octets. TCP must have room for all options.
  [[nodiscard]] bool append(HeaderKind kind, std::size_t length) noexcept;
  // Gives TCP so many octets of options.
  void set_options(std::size_t length) noexcept;
};

// Why this profile cannot compress a packet.
enum class Unfit : std::uint8_t {
  kNone,
  kNotTcp,      // another protocol, or a header that has no encoding
  kMalformed,   // truncated, or lengths that contradict each other
  kNotDefault,  // a field without an encoding is not what the formats imply: options of IPv4, fragments, checksums
  kTooLong,     // more headers, octets or TCP options than can be held
};

// Takes the headers of `packet` apart. On kNone, `layout` is complete but for the IP-ID behaviours.
[[nodiscard]] Unfit find_headers(Octets packet, Layout& layout) noexcept;

// Kind of the header that a protocol number announces; false if ROHC-TCP does not compress such a header.
[[nodiscard]] bool kind_of(std::uint8_t protocol, HeaderKind& kind) noexcept;
// Protocol number of the header behind `h`. REQUIRES: h is not TCP. GRE: the IP version that its protocol names.
[[nodiscard]] std::uint8_t next_of(const Header& h, const std::uint8_t* octets) noexcept;

// Writes what follows from other fields into `octets`: lengths, data offset, and checksums of IPv4 and minimal
// encapsulation. `packet`: length of the packet, at most 65,575.
void infer_fields(const Layout& layout, std::uint8_t* octets, std::size_t packet) noexcept;

// Ones' complement sum of whole 16-bit words (RFC 1071), folded.
[[nodiscard]] std::uint16_t sum_of(const std::uint8_t* octets, std::size_t count, std::uint32_t start = 0) noexcept;
// True if the checksum of TCP over header, payload and the pseudo header of the innermost IP header is right. Behind a
// routing header the pseudo header has another destination (RFC 2460, 8.1), so that such packets pass.
[[nodiscard]] bool tcp_checksum_is_right(const Layout& layout, const std::uint8_t* octets, Octets payload) noexcept;

[[nodiscard]] inline bool is_ip(HeaderKind kind) noexcept { return kind <= HeaderKind::kIpv6; }
[[nodiscard]] inline std::size_t ttl_place(const Header& ip) noexcept {
  return ip.at + (ip.kind == HeaderKind::kIpv4 ? ipv4::kTtl : ipv6::kHopLimit);
}
// DSCP and ECN as one octet.
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
// The IP-ID as it counts up: swapped if that is its behaviour.
[[nodiscard]] inline std::uint16_t counting_id(IpIdBehaviour b, std::uint16_t id) noexcept {
  return b == IpIdBehaviour::kSwapped ? wire::swap16(id) : id;
}

}  // namespace headroom::rohc::tcp
