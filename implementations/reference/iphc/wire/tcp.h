// SPDX-License-Identifier: Apache-2.0
//
// Fields of the TCP header (RFC 793, 3.1), and the R-octet (RFC 2507, 6 a).
#pragma once

#include "iphc/wire/chain.h"

namespace headroom::iphc::wire {

// Offsets in the TCP header.
inline constexpr std::size_t kPorts = 0, kSequence = 4, kAcknowledgement = 8, kDataOffset = 12, kFlags = 13,
                             kWindow = 14, kTcpChecksum = 16, kUrgentPointer = 18;
// Flags. The two bits before URG belong to the Reserved field of RFC 793: R-octets carry CWR and ECE (RFC 3168).
inline constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kPsh = 0x08, kAck = 0x10, kUrg = 0x20;
inline constexpr std::uint8_t kReservedInOffset = 0x0F, kReservedInFlags = 0xC0;

// Returns the mask of the bits of octet 1 of the IP header before TCP that an R-octet carries: "bit 6 or 7 of the TOS
// octet (Traffic Class octet)". Returns 0 if no IP header "immediately precedes the TCP header".
[[nodiscard]] constexpr std::uint8_t r_bits_of(Kind kind) noexcept {
  return kind == Kind::ipv4_of_tcp ? 0x03 : kind == Kind::ipv6_of_tcp ? 0x30 : 0x00;
}

// "Bits 0-5 of the passed octet is the actual value of the Reserved field, and bits 6 and 7 are the actual values of
// bits 6 and 7 in the TOS or Traffic Class field. If there is no preceding IP header, bits 6 and 7 are 0."
// REQUIRES: chain.has_tcp().
[[nodiscard]] inline std::uint8_t r_octet_of(const Chain& chain, const std::uint8_t* header) noexcept {
  const std::uint8_t* const tcp = header + chain.tcp_at();
  const auto [kind, at] = chain.parts[chain.count - 2u];
  const std::uint8_t traffic_class = header[at + 1u];
  unsigned bits = 0;
  if (kind == Kind::ipv6_of_tcp) bits = traffic_class >> 4 & 3u;
  if (kind == Kind::ipv4_of_tcp || kind == Kind::ipv4_options) bits = traffic_class & 3u;
  return static_cast<std::uint8_t>((tcp[kDataOffset] & 0x0Fu) << 4 | (tcp[kFlags] & 0xC0u) >> 4 | bits);
}

// Writes the values of an R-octet into a header. An IP header that is sent uncompressed keeps its bits.
inline void put_r_octet(const Chain& chain, std::uint8_t* header, std::uint8_t value) noexcept {
  std::uint8_t* const tcp = header + chain.tcp_at();
  tcp[kDataOffset] = static_cast<std::uint8_t>((tcp[kDataOffset] & ~kReservedInOffset) | value >> 4);
  tcp[kFlags] = static_cast<std::uint8_t>((tcp[kFlags] & ~kReservedInFlags) | (value << 4 & kReservedInFlags));
  const auto [kind, at] = chain.parts[chain.count - 2u];
  const std::uint8_t mask = r_bits_of(kind);
  std::uint8_t& octet = header[at + 1u];
  octet = static_cast<std::uint8_t>((octet & ~mask) | ((value & 3) * 0x11 & mask));
}

}  // namespace headroom::iphc::wire
