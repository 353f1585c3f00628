// SPDX-License-Identifier: Apache-2.0
#include "gtpu/wire/ip.h"

#include <algorithm>

namespace headroom::gtpu {
namespace {

constexpr std::uint8_t kHopByHop = 0, kRouting = 43, kFragment = 44, kNoNext = 59, kDestination = 60, kMobility = 135;
constexpr std::uint8_t kProtocolDccp = 33, kProtocolSctp = 132, kProtocolUdpLite = 136;
constexpr std::uint8_t kHopLimit = 64;
constexpr int kMostExtensionHeaders = 16;  // of IPv6; a chain that goes on is followed no further

// Chain walks the extension headers of an IPv6 packet up to a fragment header or what is none.
struct Chain {
  std::uint8_t next;        // of what `at` points to
  std::size_t next_at = 6;  // where `next` stands
  std::size_t at = kIpv6Header;
};

// False if a header goes beyond the end.
bool walk(std::span<const std::uint8_t> packet, Chain& chain) noexcept {
  for (int i = 0; i < kMostExtensionHeaders; ++i) {
    const bool known =
        chain.next == kHopByHop || chain.next == kRouting || chain.next == kDestination || chain.next == kMobility;
    if (!known) return true;
    if (chain.at + 8 > packet.size()) return false;
    const std::size_t length = (packet[chain.at + 1] + 1U) * 8U;
    if (chain.at + length > packet.size()) return false;
    chain.next = packet[chain.at];
    chain.next_at = chain.at;
    chain.at += length;
  }
  return true;
}

// The packet by the length in its IP header; empty if that cannot be.
std::span<const std::uint8_t> whole_ipv6(std::span<const std::uint8_t> packet) noexcept {
  if (packet.size() < kIpv6Header) return {};
  const std::size_t length = kIpv6Header + read16(&packet[4]);
  return length <= packet.size() ? packet.first(length) : std::span<const std::uint8_t>{};
}

std::span<const std::uint8_t> whole_ipv4(std::span<const std::uint8_t> packet) noexcept {
  if (packet.size() < kIpv4Header) return {};
  const std::size_t header = (packet[0] & 0x0FU) * 4U, length = read16(&packet[2]);
  if (header < kIpv4Header || length < header || length > packet.size()) return {};
  return packet.first(length);
}

void read_datagram(std::span<const std::uint8_t> packet, std::size_t at, Transport& t) noexcept {
  if (at + kUdpHeader > packet.size()) return;
  const std::uint8_t* const udp = &packet[at];
  const std::size_t length = read16(udp + 4);
  if (length < kUdpHeader || at + length > packet.size()) return;
  if (t.ipv6 && read16(udp + 6) != 0) {
    std::uint64_t sum = sum_words({t.source, 32}, length + kProtocolUdp);
    if (checksum(sum_words({udp, length}, sum)) != 0) return;
  }
  t.source_port = read16(udp);
  t.destination_port = read16(udp + 2);
  t.payload = udp + kUdpHeader;
  t.payload_length = static_cast<std::uint32_t>(length - kUdpHeader);
  t.kind = Transport::Kind::datagram;
}

void read_ports(std::span<const std::uint8_t> packet, std::size_t at, PacketFields& fields) noexcept {
  const std::uint8_t protocol = fields.protocol;
  if (protocol == kProtocolTcp || protocol == kProtocolUdp || protocol == kProtocolSctp ||
      protocol == kProtocolUdpLite || protocol == kProtocolDccp) {
    if (at + 4 > packet.size()) return;
    fields.source_port = read16(&packet[at]);
    fields.destination_port = read16(&packet[at + 2]);
    fields.has_ports = true;
    std::size_t header = kUdpHeader;
    if (protocol == kProtocolTcp) header = at + 13 <= packet.size() ? (packet[at + 12] >> 4) * 4U : 0;
    const bool has_payload =
        (protocol == kProtocolUdp || (protocol == kProtocolTcp && header >= 20)) && at + header < packet.size();
    if (has_payload) fields.payload_at = static_cast<std::uint16_t>(at + header);
  } else if (protocol == kProtocolEsp || protocol == kProtocolAh) {
    const std::size_t spi_at = protocol == kProtocolEsp ? at : at + 4;
    if (spi_at + 4 > packet.size()) return;
    fields.spi = read32(&packet[spi_at]);
    fields.has_spi = true;
  }
}

}  // namespace

bool is_from_host(const Transport& transport) noexcept {
  const std::uint8_t first = transport.source[0];
  if (!transport.ipv6) return first != 0 && first != 127 && first < 224;
  const Address source = transport.source_address();
  return first != 0xFF && (source.high() != 0 || source.low() > 1);
}

Transport read_transport(std::span<const std::uint8_t> packet) noexcept {
  Transport t;
  if (packet.empty()) return t;
  if (packet[0] >> 4 == 4) {
    packet = whole_ipv4(packet);
    if (packet.empty()) return t;
    const std::size_t header = (packet[0] & 0x0FU) * 4U;
    // Most headers have no options, and the length of their sum is known to the compiler.
    if (checksum(header == kIpv4Header ? sum_words(packet.first<kIpv4Header>()) : sum_words(packet.first(header))) != 0)
      return t;
    t.source = &packet[12];
    t.destination = &packet[16];
    if ((read16(&packet[6]) & 0x3FFF) != 0) {  // MF or an offset
      t.kind = Transport::Kind::fragment;
    } else if (packet[9] != kProtocolUdp) {
      t.kind = Transport::Kind::other;
    } else {
      read_datagram(packet, header, t);
    }
  } else if (packet[0] >> 4 == 6) {
    packet = whole_ipv6(packet);
    if (packet.empty()) return t;
    t.ipv6 = true;
    t.source = &packet[8];
    t.destination = &packet[24];
    Chain chain{packet[6]};
    if (!walk(packet, chain)) return t;
    if (chain.next == kFragment) {
      t.kind = Transport::Kind::fragment;
    } else if (chain.next != kProtocolUdp) {
      t.kind = Transport::Kind::other;
    } else {
      read_datagram(packet, chain.at, t);
    }
  }
  return t;
}

bool read_fragment(std::span<const std::uint8_t> packet, Fragment& f) noexcept {
  if (packet[0] >> 4 == 4) {
    packet = whole_ipv4(packet);
    if (packet.empty()) return false;
    f.header_length = (packet[0] & 0x0FU) * 4U;
    f.protocol = packet[9];
    f.id = read16(&packet[4]);
    f.offset = (read16(&packet[6]) & 0x1FFFU) * 8U;
    f.more = (packet[6] & 0x20) != 0;
    f.data = packet.subspan(f.header_length);
  } else {
    packet = whole_ipv6(packet);
    if (packet.empty()) return false;
    Chain chain{packet[6]};
    if (!walk(packet, chain) || chain.at + 8 > packet.size()) return false;
    const std::uint8_t* const header = &packet[chain.at];
    f.ipv6 = true;
    f.header_length = chain.at;
    f.next_header_at = chain.next_at;
    f.protocol = header[0];
    f.offset = read16(header + 2) & 0xFFF8U;
    f.more = (header[3] & 1) != 0;
    f.id = read32(header + 4);
    f.data = packet.subspan(chain.at + 8);
  }
  // Only the last fragment may end between multiples of eight octets (RFC 791, 3.2; RFC 8200, 4.5).
  return !f.data.empty() && (!f.more || f.data.size() % 8 == 0);
}

bool read_user_packet(std::span<const std::uint8_t> packet, PacketFields& fields) noexcept {
  if (!read_user_addresses(packet, fields)) return false;
  packet = packet.first(fields.length);
  if (fields.version == 4) {
    fields.protocol = packet[9];
    fields.traffic_class = packet[1];
    if ((read16(&packet[6]) & 0x1FFF) == 0) read_ports(packet, (packet[0] & 0x0FU) * 4U, fields);
    return true;
  }
  fields.traffic_class = static_cast<std::uint8_t>(read16(&packet[0]) >> 4);
  fields.flow_label = read32(&packet[0]) & 0xFFFFF;
  Chain chain{packet[6]};
  bool has_transport = walk(packet, chain);
  if (has_transport && chain.next == kFragment) {
    has_transport = chain.at + 8 <= packet.size() && (read16(&packet[chain.at + 2]) & 0xFFF8) == 0;
    if (chain.at + 8 <= packet.size()) {
      chain.next = packet[chain.at];
      chain.at += 8;
      has_transport = has_transport && walk(packet, chain);
    }
  }
  fields.protocol = chain.next;
  if (has_transport && chain.next != kNoNext) read_ports(packet, chain.at, fields);
  return true;
}

std::size_t write_transport(std::uint8_t* room, const Address& source, const Address& destination,
                            std::uint16_t source_port, std::uint16_t destination_port, std::size_t payload,
                            std::uint8_t traffic_class) noexcept {
  std::uint8_t* udp = room + kIpv6Header;
  if (source.is_ipv4()) {
    std::memset(room, 0, kIpv4Header);
    room[0] = 0x45;
    room[1] = traffic_class;
    write16(room + 2, static_cast<std::uint32_t>(kIpv4Header + kUdpHeader + payload));
    room[6] = 0x40;  // DF: the identification may stay 0 (RFC 6864, 4.1)
    room[8] = kHopLimit;
    room[9] = kProtocolUdp;
    std::memcpy(room + 12, source.ipv4_octets(), 4);
    std::memcpy(room + 16, destination.ipv4_octets(), 4);
    write16(room + 10, checksum(sum_words({room, kIpv4Header})));
    udp = room + kIpv4Header;
  } else {
    write32(room, 6U << 28 | static_cast<std::uint32_t>(traffic_class) << 20);
    write16(room + 4, static_cast<std::uint32_t>(kUdpHeader + payload));
    room[6] = kProtocolUdp;
    room[7] = kHopLimit;
    std::memcpy(room + 8, source.octets.data(), 16);
    std::memcpy(room + 24, destination.octets.data(), 16);
  }
  write16(udp, source_port);
  write16(udp + 2, destination_port);
  write16(udp + 4, static_cast<std::uint32_t>(kUdpHeader + payload));
  write16(udp + 6, 0);
  return static_cast<std::size_t>(udp - room) + kUdpHeader;
}

void write_udp_checksum(std::uint8_t* packet, std::size_t length) noexcept {
  std::uint8_t* const field = packet + kIpv6Header + 6;
  write16(field, 0);
  const std::size_t udp = length - kIpv6Header;
  const std::uint16_t value = checksum(sum_words({packet + 8, 32 + udp}, udp + kProtocolUdp));
  write16(field, value == 0 ? 0xFFFF : value);  // 0 would say that there is none (RFC 768)
}

}  // namespace headroom::gtpu
