// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/ports/n4_datagram.h"

#include <algorithm>

#include "schemes/gtpu/ports/inner_address.h"

namespace headroom::gtpu::ports {
namespace {

constexpr std::uint8_t kHopLimit = 64;

// Where UDP begins in an IP packet that is no fragment; 0 if it has none.
std::size_t udp_at(OctetView packet) noexcept {
  if (packet[0] >> 4 == 6) return packet.size() >= kIpv6Header && packet[6] == kUdp ? kIpv6Header : 0;
  constexpr std::uint16_t kMoreOrOffset = 0x3FFF;
  const std::size_t header = std::size_t{packet[0] & 0xFu} * 4;
  return packet[9] == kUdp && (load16(&packet[6]) & kMoreOrOffset) == 0 && header >= kIpv4Header ? header : 0;
}

// The sum of pseudo-header and datagram (RFC 768; RFC 8200, 8.1).
std::uint32_t udp_sum(OctetView packet, std::size_t at) noexcept {
  const bool is_v6 = packet[0] >> 4 == 6;
  const OctetView datagram = packet.subspan(at);
  std::uint32_t sum = kUdp + static_cast<std::uint32_t>(datagram.size());
  sum = checksum_add(sum, is_v6 ? packet.subspan(8, 32) : packet.subspan(12, 8));
  return checksum_add(sum, datagram);
}

}  // namespace

bool is_n4(OctetView packet, const Address& own) noexcept {
  const std::size_t at = udp_at(packet);
  if (at == 0 || packet.size() < at + kUdpHeader || load16(&packet[at + 2]) != kN4Port) return false;
  if (load16(&packet[at + 4]) != packet.size() - at || destination_of(packet) != own) return false;
  const bool has_checksum = load16(&packet[at + 6]) != 0;
  return has_checksum ? checksum_finish(udp_sum(packet, at)) == 0 : packet[0] >> 4 == 4;
}

N4Message read_n4(OctetView packet) noexcept {
  const std::size_t at = udp_at(packet);
  return {packet.subspan(at + kUdpHeader), source_of(packet), load16(&packet[at])};
}

std::optional<Octets> write_n4(const Address& own, const Address& peer, std::uint16_t port, OctetView message) {
  const bool is_v6 = !is_ipv4(own);
  const std::size_t at = is_v6 ? kIpv6Header : kIpv4Header;
  const std::size_t length = at + kUdpHeader + message.size();
  if (is_v6 == is_ipv4(peer) || length > 65'535) return std::nullopt;
  Octets packet(length, 0);
  std::uint8_t* const ip = packet.data();
  if (is_v6) {
    ip[0] = 0x60;
    store16(ip + 4, static_cast<std::uint32_t>(kUdpHeader + message.size()));
    ip[6] = kUdp;
    ip[7] = kHopLimit;
    std::ranges::copy(own, ip + 8);
    std::ranges::copy(peer, ip + 24);
  } else {
    ip[0] = 0x45;
    store16(ip + 2, static_cast<std::uint32_t>(length));
    ip[6] = 0x40;  // do not fragment
    ip[8] = kHopLimit;
    ip[9] = kUdp;
    std::copy_n(own.begin() + 12, 4, ip + 12);
    std::copy_n(peer.begin() + 12, 4, ip + 16);
    store16(ip + 10, checksum_finish(checksum_add(0, {ip, kIpv4Header})));
  }
  std::uint8_t* const udp = ip + at;
  store16(udp, kN4Port);
  store16(udp + 2, port);
  store16(udp + 4, static_cast<std::uint32_t>(kUdpHeader + message.size()));
  std::ranges::copy(message, udp + kUdpHeader);
  const std::uint16_t checksum = checksum_finish(udp_sum(packet, at));
  store16(udp + 6, checksum == 0 ? 0xFFFF : checksum);
  return packet;
}

}  // namespace headroom::gtpu::ports
