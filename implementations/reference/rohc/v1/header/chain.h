// SPDX-License-Identifier: Apache-2.0
//
// The header chain of a packet as it arrives: where the headers are, which profile could compress them, and whether
// they are what RFC 3095 demands of a compressible header (5.7.7.3 to 5.7.7.6: no options, no fragments, lengths that
// agree …).
#pragma once

#include <cstdint>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/header/layout.h"

namespace headroom::rohc {

inline constexpr std::uint32_t kMaxPacket = 65575;  // an IPv6 header and the largest Payload Length

struct HeaderChain {
  std::uint8_t outer_version = 0;  // 4 or 6; 0 when there is one IP header only
  std::uint8_t outer_octets = 0;   // 0, 20 or 40
  Shape shape = Shape::kIpv4;      // of the innermost headers
  std::uint8_t octets = 0;         // all headers together
  bool listed = false;             // the headers are the core of a packet with lists (header/listed.h)

  [[nodiscard]] const Layout& layout() const noexcept { return layout_of(shape); }
};

// Which headers may be compressed, beyond two of IP.
struct ChainLimits {
  bool udp = true;
  bool rtp = true;
  bool esp = true;
  bool udp_lite = true;
  bool rtp_udp_lite = true;
  bool extra_ips = true;  // a third IP header and further ones (header/listed.h)
};

// Takes the chain of `packet` apart, as deep as `limits` allow and at most two IP headers deep. False when not even the
// first IP header can be compressed; the packet is then for the Uncompressed profile.
//
// What is checked here: versions, header lengths, absence of options and fragments, the reserved flag of IPv4, IPv4
// header checksums, agreement of all length fields with the packet's length, and for RTP version 2 and CC = 0. Whether
// UDP payload *is* RTP cannot be seen in one packet: `rtp` says that it can be taken for RTP.
[[nodiscard]] bool parse_chain(Octets packet, ChainLimits limits, HeaderChain& chain) noexcept;

// The transport header that `payload` of an IP header begins with; RTP also with CSRCs. A UDP-Lite Checksum Coverage
// may be anything: unlike the UDP Length it is sent where it does not follow from the packet's length (RFC 4019 3.2).
[[nodiscard]] Transport transport_of(std::uint8_t next, Octets payload, const ChainLimits& limits) noexcept;

// Takes the first IP header apart, and nothing after it.
[[nodiscard]] bool parse_one_ip(Octets packet, HeaderChain& chain) noexcept;

// Sum of the 16-bit words of an IPv4 header in one's complement arithmetic, folded to 16 bits, words in this machine's
// little-endian reading (RFC 1071: the sum is independent of byte order). A correct header sums to 0xffff.
[[nodiscard]] std::uint16_t ipv4_sum(const std::uint8_t* header) noexcept;

// Folds a sum of 16-bit words into 16 bits. REQUIRES: sum < 2^32 - 2^16.
[[nodiscard]] constexpr std::uint16_t fold_sum(std::uint32_t sum) noexcept {
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>((sum & 0xffff) + (sum >> 16));
}

// True when the payload of a UDP datagram can begin with the header of an RTP packet: V = 2, at least 12 octets and as
// many CSRC identifiers as CC says, and not RTCP by its packet type (RFC 5761 4: 192 to 223).
[[nodiscard]] inline bool may_be_rtp(const std::uint8_t* payload, std::size_t octets) noexcept {
  return octets >= kRtpHeader && (payload[0] & 0xc0) == 0x80 && (payload[1] < 192 || payload[1] > 223) &&
         octets >= kRtpHeader + 4U * (payload[0] & 0x0fU);
}

}  // namespace headroom::rohc
