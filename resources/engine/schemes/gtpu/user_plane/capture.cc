// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/user_plane/capture.h"

#include <algorithm>

namespace headroom::gtpu {
namespace {

constexpr std::uint32_t kN4Interface = 3;  // after those of the sides
constexpr std::uint8_t kUdp = 17, kHopLimit = 64;
constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40, kUdpHeader = 8;
constexpr std::size_t kLongestPayload = 65'535 - kIpv4Header - kUdpHeader;  // octets

constexpr const char* direction(bool sent) { return sent ? "sent" : "received"; }

}  // namespace

UserPlaneCapture::UserPlaneCapture(const std::string& path, const Address& n4) : writer_(path), n4_(n4) {
  for (const std::int32_t side : {HEADROOM_N3, HEADROOM_N6, HEADROOM_N9})
    writer_.add_interface(LinkType::raw_ip, name_of_side(side));
  writer_.add_interface(LinkType::raw_ip, "N4");
}

void UserPlaneCapture::write(std::int32_t side, bool sent, OctetView octets, std::uint64_t time_ns) {
  if (octets.empty()) return;
  writer_.write(static_cast<std::uint32_t>(side - HEADROOM_N3), time_ns, octets, direction(sent));
}

void UserPlaneCapture::write(const N4Datagram& message, bool sent, std::uint64_t time_ns) {
  const Address& peer = message.peer;
  const OctetView payload = OctetView(message.octets).first(std::min(message.octets.size(), kLongestPayload));
  const Octets packet = sent ? udp_datagram(n4_, kPfcpPort, peer, message.port, payload)
                             : udp_datagram(peer, message.port, n4_, kPfcpPort, payload);
  writer_.write(kN4Interface, time_ns, packet, direction(sent));
}

Octets udp_datagram(const Address& source, std::uint16_t source_port, const Address& destination,
                    std::uint16_t destination_port, OctetView payload) {
  const bool ipv4 = is_ipv4(source) && is_ipv4(destination);
  const std::size_t ip = ipv4 ? kIpv4Header : kIpv6Header;
  const auto udp_length = static_cast<std::uint32_t>(kUdpHeader + payload.size());
  Octets packet(ip + udp_length);
  const std::size_t address_octets = ipv4 ? 4 : 16;
  const OctetView from = OctetView(source).last(address_octets), to = OctetView(destination).last(address_octets);
  if (ipv4) {
    packet[0] = 0x45;
    store16(&packet[2], static_cast<std::uint32_t>(packet.size()));
    packet[8] = kHopLimit;
    packet[9] = kUdp;
  } else {
    packet[0] = 0x60;
    store16(&packet[4], udp_length);
    packet[6] = kUdp;
    packet[7] = kHopLimit;
  }
  std::copy(to.begin(), to.end(), std::copy(from.begin(), from.end(), &packet[ip - 2 * address_octets]));
  if (ipv4) store16(&packet[10], checksum_finish(checksum_add(0, OctetView(packet).first(ip))));
  std::uint8_t* const udp = &packet[ip];
  store16(udp, source_port);
  store16(udp + 2, destination_port);
  store16(udp + 4, udp_length);
  std::copy(payload.begin(), payload.end(), udp + kUdpHeader);
  std::uint32_t sum = checksum_add(checksum_add(udp_length + kUdp, from), to);  // the pseudo-header
  sum = checksum_add(sum, OctetView(packet).subspan(ip));
  const std::uint16_t checksum = checksum_finish(sum);
  store16(udp + 6, checksum == 0 ? 0xFFFF : checksum);  // RFC 768
  return packet;
}

}  // namespace headroom::gtpu
