// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/header/chain.h"

#include "mutants.h"

namespace headroom::rohc {
namespace {

// What follows an IP header that can be compressed.
struct IpHeader {
  unsigned version = 0;
  std::size_t octets = 0;
  std::uint8_t next = 0;  // Protocol or Next Header
};

bool parse_ipv4(Octets packet, IpHeader& ip) noexcept {
  if (packet.size() < kIpv4Header) return false;
  const std::uint8_t* p = packet.data();
  const bool options = p[0] != 0x45;
  // All of flags and offset but DF.
  const bool fragment_or_reserved = ((p[6] & 0xbf) != 0 || p[7] != 0) && !mutant("fragments-compressed");
  // One's complement has two zeros. A decompressor makes the checksum anew and would write 0x0000 where 0xffff stood.
  const bool checksum =
      (ipv4_sum(p) == 0xffff || mutant("wrong-ip-checksum-compressed")) && wire::load16(p + 10) != 0xffff;
  if (options || fragment_or_reserved || wire::load16(p + 2) != packet.size() || !checksum) return false;
  ip = {4, kIpv4Header, p[9]};
  return true;
}

bool parse_ipv6(Octets packet, IpHeader& ip) noexcept {
  if (packet.size() < kIpv6Header) return false;
  const std::uint8_t* p = packet.data();
  if (p[0] >> 4 != 6 || wire::load16(p + 4) + kIpv6Header != packet.size()) return false;
  ip = {6, kIpv6Header, p[6]};
  return true;
}

bool parse_ip(Octets packet, IpHeader& ip) noexcept {
  if (packet.empty()) return false;
  return packet[0] >> 4 == 4 ? parse_ipv4(packet, ip) : parse_ipv6(packet, ip);
}

bool carries_ip(const IpHeader& ip) noexcept { return is_ip(ip.next); }

}  // namespace

Transport transport_of(std::uint8_t next, Octets payload, const ChainLimits& limits) noexcept {
  static_assert(kUdpHeader == kEspHeader);
  if (payload.size() < kUdpHeader) return Transport::kNone;
  if (limits.esp && next == kProtocolEsp) return Transport::kEsp;
  const bool udp = limits.udp && next == kProtocolUdp && wire::load16(payload.data() + 4) == payload.size();
  const bool lite = limits.udp_lite && next == kProtocolUdpLite;
  if (!udp && !lite) return Transport::kNone;
  const bool rtp =
      (udp ? limits.rtp : limits.rtp_udp_lite) && may_be_rtp(payload.data() + kUdpHeader, payload.size() - kUdpHeader);
  if (udp) return rtp ? Transport::kRtp : Transport::kUdp;
  return rtp ? Transport::kRtpUdpLite : Transport::kUdpLite;
}

std::uint16_t ipv4_sum(const std::uint8_t* header) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kIpv4Header; i += 4) sum += wire::load_little32(header + i);
  sum = (sum & 0xffffffff) + (sum >> 32);
  return fold_sum(static_cast<std::uint32_t>((sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32)));
}

bool parse_one_ip(Octets packet, HeaderChain& chain) noexcept {
  IpHeader ip;
  if (!parse_ip(packet, ip)) return false;
  chain = HeaderChain{};
  chain.shape = shape_for(ip.version, Transport::kNone);
  chain.octets = static_cast<std::uint8_t>(ip.octets);
  return true;
}

bool parse_chain(Octets packet, ChainLimits limits, HeaderChain& chain) noexcept {
  if (packet.size() > kMaxPacket) return false;
  IpHeader inner;
  if (!parse_ip(packet, inner)) return false;
  chain = HeaderChain{};
  if (carries_ip(inner)) {
    IpHeader second;
    const bool version_agrees =
        packet.size() > inner.octets && (inner.next == kProtocolIpv4 ? 4 : 6) == packet[inner.octets] >> 4;
    if (version_agrees && parse_ip(packet.subspan(inner.octets), second)) {
      chain.outer_version = static_cast<std::uint8_t>(inner.version);
      chain.outer_octets = static_cast<std::uint8_t>(inner.octets);
      inner = second;
    }
  }
  const Octets transport = packet.subspan(chain.outer_octets + inner.octets);
  const Transport found = transport_of(inner.next, transport, limits);
  // A CSRC list is for parse_listed().
  const bool csrcs = found != without_rtp(found) && (transport[kUdpHeader] & 0x0f) != 0;
  chain.shape = shape_for(inner.version, csrcs ? without_rtp(found) : found);
  chain.octets = static_cast<std::uint8_t>(chain.outer_octets + chain.layout().header);
  return true;
}

}  // namespace headroom::rohc
