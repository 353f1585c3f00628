// SPDX-License-Identifier: Apache-2.0
//
// TCP packets for tests, written field by field from RFC 791, 3.1, and RFC 793, 3.1.
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "vj/compressor.h"
#include "vj/decompressor.h"
#include "vj/wire/header.h"

namespace headroom::vj::testing {

using Packet = std::vector<std::uint8_t>;

struct Fields {
  std::uint16_t port = 1025;
  std::uint32_t sequence = 1000, acknowledgement = 5000;
  std::uint16_t window = 4096, checksum = 0xBEEF, urgent = 0, id = 1, fragment = 0x4000;  // don't fragment
  std::uint8_t flags = wire::kAck, tos = 0, ttl = 64, protocol = wire::kProtocolTcp, reserved = 0;
  Packet ip_options{}, tcp_options{}, data{};
};

inline void set_ip_checksum(Packet& packet) {
  const std::size_t ip = std::size_t{packet[0] & 0x0Fu} * 4;
  wire::store16(&packet[wire::kIpChecksum], 0);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < ip; i += 2) sum += wire::load16(&packet[i]);
  while (sum > 0xFFFF) sum = (sum >> 16) + (sum & 0xFFFF);
  wire::store16(&packet[wire::kIpChecksum], ~sum);
}

inline Packet packet_of(const Fields& f) {
  const std::size_t ip = 20 + f.ip_options.size(), tcp = 20 + f.tcp_options.size();
  Packet p(ip + tcp);
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
  std::uint8_t* const t = &p[ip];
  wire::store16(t, f.port);
  wire::store16(t + 2, 23);
  wire::store32(t + 4, f.sequence);
  wire::store32(t + 8, f.acknowledgement);
  t[12] = static_cast<std::uint8_t>(tcp / 4 << 4 | f.reserved);
  t[13] = f.flags;
  wire::store16(t + 14, f.window);
  wire::store16(t + 16, f.checksum);
  wire::store16(t + 18, f.urgent);
  std::copy(f.tcp_options.begin(), f.tcp_options.end(), p.begin() + static_cast<std::ptrdiff_t>(ip) + 20);
  p.insert(p.end(), f.data.begin(), f.data.end());
  set_ip_checksum(p);
  return p;
}

struct Outcome {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  std::uint16_t type = 0;
  Packet octets{};
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
    outcome.status = codec.compress(p, nullptr);
  } else {
    outcome.status = codec.decompress(p, nullptr);
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

  Compressor compressor;
  Decompressor decompressor;
};

}  // namespace headroom::vj::testing
