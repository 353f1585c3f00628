// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/ports/datagram.h"

#include <algorithm>

#include "base/random.h"

namespace headroom::sigcomp::ports {
namespace {

constexpr std::uint32_t kIpv6Header = 40;

// The sum over UDP's pseudo header and datagram: RFC 768, RFC 8200 8.1.
std::uint32_t udp_sum(const std::uint8_t* packet, const Datagram& d) noexcept {
  const std::uint32_t length = kUdpHeader + d.payload;
  const std::uint32_t addresses =
      d.version == 4 ? checksum_add(0, {packet + 12, 8}) : checksum_add(0, {packet + 8, 32});
  return checksum_add(addresses + kUdp + length, {packet + d.udp_at, length});
}

Address mapped(const std::uint8_t* ipv4) noexcept {
  Address address{};
  address[10] = address[11] = 0xFF;
  std::copy_n(ipv4, 4, address.begin() + 12);
  return address;
}

std::optional<Datagram> ipv4_datagram(OctetView packet) noexcept {
  if (packet.size() < 20 + kUdpHeader) return std::nullopt;
  Datagram d;
  d.udp_at = 4u * (packet[0] & 0x0F);
  const bool fragment = (load16(&packet[6]) & 0x3FFF) != 0;  // MF and Fragment Offset, RFC 791 3.1
  if (packet[9] != kUdp || fragment || d.udp_at < 20 || packet.size() < d.udp_at + kUdpHeader) return std::nullopt;
  if (checksum_fold(checksum_add(0, packet.first(d.udp_at))) != 0xFFFF) return std::nullopt;
  d.source = mapped(&packet[12]);
  d.destination = mapped(&packet[16]);
  return d;
}

std::optional<Datagram> ipv6_datagram(OctetView packet) noexcept {
  if (packet.size() < kIpv6Header + kUdpHeader || packet[6] != kUdp) return std::nullopt;
  Datagram d;
  d.version = 6;
  d.udp_at = kIpv6Header;
  std::copy_n(&packet[8], 16, d.source.begin());
  std::copy_n(&packet[24], 16, d.destination.begin());
  return d;
}

}  // namespace

std::optional<Datagram> sip_datagram(OctetView packet) noexcept {
  if (packet.empty()) return std::nullopt;
  const unsigned version = packet[0] >> 4;
  std::optional<Datagram> d;
  if (version == 4) d = ipv4_datagram(packet);
  if (version == 6) d = ipv6_datagram(packet);
  if (!d) return std::nullopt;
  const std::uint8_t* const udp = &packet[d->udp_at];
  if (load16(udp) != kSipPort && load16(udp + 2) != kSipPort) return std::nullopt;
  if (load16(udp + 4) != packet.size() - d->udp_at || load16(udp + 4) == kUdpHeader) return std::nullopt;
  d->payload = static_cast<std::uint32_t>(packet.size()) - d->payload_at();
  const bool has_checksum = load16(udp + 6) != 0;
  if (!has_checksum && d->version == 6) return std::nullopt;
  if (has_checksum && checksum_fold(udp_sum(packet.data(), *d)) != 0xFFFF) return std::nullopt;
  return d;
}

void set_payload(std::uint8_t* packet, Datagram& d, std::uint32_t payload) noexcept {
  d.payload = payload;
  const std::uint32_t length = kUdpHeader + payload;
  if (d.version == 4) {
    store16(packet + 2, d.udp_at + length);
    store16(packet + 10, 0);
    store16(packet + 10, checksum_finish(checksum_add(0, {packet, d.udp_at})));
  } else {
    store16(packet + 4, length);
  }
  std::uint8_t* const udp = packet + d.udp_at;
  store16(udp + 4, length);
  if (load16(udp + 6) == 0) return;  // the sender does without
  store16(udp + 6, 0);
  const std::uint16_t checksum = checksum_finish(udp_sum(packet, d));
  store16(udp + 6, checksum == 0 ? 0xFFFF : checksum);  // 0 would say that there is none, RFC 768
}

void turn_round(std::uint8_t* packet, const Datagram& d) noexcept {
  if (d.version == 4) {
    std::swap_ranges(packet + 12, packet + 16, packet + 16);
  } else {
    std::swap_ranges(packet + 8, packet + 24, packet + 24);
  }
  std::swap_ranges(packet + d.udp_at, packet + d.udp_at + 2, packet + d.udp_at + 2);
}

std::uint64_t hash_of(const Address& address, std::uint64_t salt) noexcept {
  return mix64(mix64((load64(address.data()) ^ salt) + kGolden) ^ load64(&address[8]));
}

}  // namespace headroom::sigcomp::ports
