// SPDX-License-Identifier: Apache-2.0
//
// TCP packets for tests, written field by field from RFC 791, 3.1, RFC 2460, 3, and RFC 793, 3.1.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "headroom.h"
#include "taroc/compressor.h"
#include "taroc/decompressor.h"
#include "taroc/wire/header.h"

namespace headroom::taroc::testing {

using Packet = std::vector<std::uint8_t>;

struct Fields {
  bool ipv6 = false;
  std::uint16_t port = 1025;
  std::uint32_t sequence = 1000, acknowledgement = 5000;
  std::uint16_t window = 4096, urgent = 0, id = 1, fragment = 0x4000;  // don't fragment
  std::uint8_t flags = wire::tcp::kAck, tos = 0, ttl = 64, protocol = wire::kProtocolTcp, reserved = 0;
  Packet ip_options{}, tcp_options{}, data{};
};

// RFC 1071, word by word.
inline std::uint32_t added(std::uint32_t sum, const Packet& octets, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) sum += i % 2 == from % 2 ? octets[i] * 256u : octets[i];
  return sum;
}
inline std::uint16_t complement(std::uint32_t sum) {
  while (sum > 0xFFFF) sum = (sum >> 16) + (sum & 0xFFFF);
  return static_cast<std::uint16_t>(~sum);
}

inline void set_ip_checksum(Packet& packet) {
  const std::size_t ip = std::size_t{packet[0] & 0x0Fu} * 4;
  wire::store16(&packet[10], 0);
  wire::store16(&packet[10], complement(added(0, packet, 0, ip)));
}

inline std::size_t ip_length(const Packet& packet) {
  return packet[0] >> 4 == 6 ? 40 : std::size_t{packet[0] & 0x0Fu} * 4;
}

inline void set_tcp_checksum(Packet& packet) {
  const std::size_t ip = ip_length(packet);
  const std::size_t addresses = packet[0] >> 4 == 6 ? 8 : 12, end = packet[0] >> 4 == 6 ? 40 : 20;
  wire::store16(&packet[ip + 16], 0);
  std::uint32_t sum = added(0, packet, addresses, end) + 6 + static_cast<std::uint32_t>(packet.size() - ip);
  sum = added(sum, packet, ip, packet.size());
  wire::store16(&packet[ip + 16], complement(sum));
}

inline Packet packet_of(const Fields& f) {
  const std::size_t ip = f.ipv6 ? 40 : 20 + f.ip_options.size(), tcp = 20 + f.tcp_options.size();
  Packet p(ip + tcp);
  if (f.ipv6) {
    wire::store32(&p[0], 0x60000000u | std::uint32_t{f.tos} << 20 | 0x12345);
    wire::store16(&p[4], static_cast<std::uint32_t>(tcp + f.data.size()));
    p[6] = f.protocol;
    p[7] = f.ttl;
    for (std::size_t i = 8; i < 40; ++i) p[i] = static_cast<std::uint8_t>(i);
  } else {
    p[0] = static_cast<std::uint8_t>(0x40 | ip / 4);
    p[1] = f.tos;
    wire::store16(&p[2], static_cast<std::uint32_t>(ip + tcp + f.data.size()));
    wire::store16(&p[4], f.id);
    wire::store16(&p[6], f.fragment);
    p[8] = f.ttl;
    p[9] = f.protocol;
    wire::store32(&p[12], 0xC0000201);  // 192.0.2.1
    wire::store32(&p[16], 0xC6336401);  // 198.51.100.1
    std::copy(f.ip_options.begin(), f.ip_options.end(), p.begin() + 20);
  }
  std::uint8_t* const t = &p[ip];
  wire::store16(t, f.port);
  wire::store16(t + 2, 23);
  wire::store32(t + 4, f.sequence);
  wire::store32(t + 8, f.acknowledgement);
  t[12] = static_cast<std::uint8_t>(tcp / 4 << 4 | f.reserved);
  t[13] = f.flags;
  wire::store16(t + 14, f.window);
  wire::store16(t + 18, f.urgent);
  std::copy(f.tcp_options.begin(), f.tcp_options.end(), p.begin() + static_cast<std::ptrdiff_t>(ip) + 20);
  p.insert(p.end(), f.data.begin(), f.data.end());
  set_tcp_checksum(p);
  if (!f.ipv6) set_ip_checksum(p);
  return p;
}

// TCP's checksum as it stands in a packet.
inline std::uint16_t checksum_of(const Packet& packet) { return wire::load16(&packet[ip_length(packet) + 16]); }

inline void put32(Packet& octets, std::uint32_t value) {
  octets.resize(octets.size() + 4);
  wire::store32(&octets[octets.size() - 4], value);
}

// NOP, NOP and time stamps (RFC 7323, A).
inline Packet timestamps(std::uint32_t value, std::uint32_t echo) {
  Packet options = {1, 1, 8, 10};
  put32(options, value);
  put32(options, echo);
  return options;
}

// NOP, NOP and SACK blocks (RFC 2018, 3).
inline Packet sack(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& blocks) {
  Packet options = {1, 1, 5, static_cast<std::uint8_t>(2 + 8 * blocks.size())};
  for (const auto& [left, right] : blocks) {
    put32(options, left);
    put32(options, right);
  }
  return options;
}

struct Outcome {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  std::uint16_t type = 0;
  Packet octets{};
  headroom_detail detail{};
};

// One packet through a codec, with room for `room` octets.
template <typename Codec>
Outcome pass(Codec& codec, const Packet& in, std::uint16_t type, std::uint32_t room, std::uint32_t channel = 0) {
  Packet out(room);
  headroom_packet p{};
  p.in = in.data();
  p.in_length = static_cast<std::uint32_t>(in.size());
  p.in_type = type;
  p.out = out.data();
  p.out_capacity = room;
  p.channel = channel;
  Outcome outcome;
  if constexpr (std::is_same_v<Codec, Compressor>) {
    outcome.status = codec.compress(p, &outcome.detail);
  } else {
    outcome.status = codec.decompress(p, &outcome.detail);
  }
  out.resize(p.out_length);
  outcome.type = p.out_type;
  outcome.octets = out;
  return outcome;
}

// Both ends of a line.
struct Ends {
  explicit Ends(const Config& config = {}) : compressor(config), decompressor(config) {}

  Outcome compress(const Packet& packet, std::uint32_t channel = 0) {
    return pass(compressor, packet, 0, static_cast<std::uint32_t>(packet.size()) + HEADROOM_EXPANSION, channel);
  }
  Outcome decompress(const Packet& link, std::uint16_t type, std::uint32_t channel = 0) {
    return pass(decompressor, link, type, static_cast<std::uint32_t>(link.size()) + HEADROOM_EXPANSION, channel);
  }
  // Sends a packet and returns what comes out.
  Outcome across(const Packet& packet, std::uint32_t channel = 0) {
    const Outcome link = compress(packet, channel);
    return decompress(link.octets, link.type, channel);
  }

  Compressor compressor;
  Decompressor decompressor;
};

}  // namespace headroom::taroc::testing
