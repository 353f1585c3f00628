// SPDX-License-Identifier: Apache-2.0
//
// The header chain of a received packet: locates the headers, determines their shape and checks that they meet the
// requirements of RFC 3095 for compressible headers (5.7.7.3 to 5.7.7.6: no options, no fragments, consistent lengths
// …).
#pragma once

#include <cstdint>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/header/layout.h"

namespace headroom::rohc {

inline constexpr std::uint32_t kMaxPacket = 65575;  // an IPv6 header and the largest Payload Length

struct HeaderChain {
  std::uint8_t outer_version = 0;  // 4 or 6; 0 if there is only one IP header
  std::uint8_t outer_octets = 0;   // 0, 20 or 40
  Shape shape = Shape::kIpv4;      // shape of the innermost headers
  std::uint8_t octets = 0;         // all headers together
  bool listed = false;             // the headers are the core of a packet with lists (header/listed.h)

  [[nodiscard]] const Layout& layout() const noexcept { return layout_of(shape); }
};

// The headers that may be compressed in addition to two IP headers.
struct ChainLimits {
  bool udp = true;
  bool rtp = true;
  bool esp = true;
  bool udp_lite = true;
  bool rtp_udp_lite = true;
  bool extra_ips = true;  // third and further IP headers (header/listed.h)
};

// Parses the chain of `packet` as far as `limits` allow, with at most two IP headers. Returns false if not even the
// first IP header can be compressed; the packet then needs the Uncompressed profile.
//
// Checks versions, header lengths, absence of options and fragments, the reserved flag of IPv4, IPv4 header checksums,
// agreement of all length fields with the packet's length, and for RTP version 2 and CC = 0. One packet cannot prove
// that UDP payload is RTP: `limits.rtp` allows treating payload that looks like RTP as RTP.
[[nodiscard]] bool parse_chain(Octets packet, ChainLimits limits, HeaderChain& chain) noexcept;

// Returns the transport header at the start of an IP header's `payload`; RTP may have CSRCs. A UDP-Lite Checksum
// Coverage may have any value: unlike the UDP Length, it is sent if it cannot be inferred from the packet's length (RFC
// 4019 3.2).
[[nodiscard]] Transport transport_of(std::uint8_t next, Octets payload, const ChainLimits& limits) noexcept;

// Parses only the first IP header.
[[nodiscard]] bool parse_one_ip(Octets packet, HeaderChain& chain) noexcept;

// Returns the one's complement sum of the 16-bit words of an IPv4 header, folded to 16 bits. Words are read with the
// first octet least significant (RFC 1071: the sum is independent of byte order). The sum of a correct header is
// 0xffff.
[[nodiscard]] std::uint16_t ipv4_sum(const std::uint8_t* header) noexcept;

// Folds a sum of 16-bit words into 16 bits. REQUIRES: sum < 2^32 - 2^16.
[[nodiscard]] constexpr std::uint16_t fold_sum(std::uint32_t sum) noexcept {
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>((sum & 0xffff) + (sum >> 16));
}

// True if the payload of a UDP datagram can begin with the header of an RTP packet: V = 2, at least 12 octets and CC
// CSRC identifiers, and not an RTCP packet type (RFC 5761 4: 192 to 223).
[[nodiscard]] inline bool may_be_rtp(const std::uint8_t* payload, std::size_t octets) noexcept {
  return octets >= kRtpHeader && (payload[0] & 0xc0) == 0x80 && (payload[1] < 192 || payload[1] > 223) &&
         octets >= kRtpHeader + 4U * (payload[0] & 0x0fU);
}

}  // namespace headroom::rohc
