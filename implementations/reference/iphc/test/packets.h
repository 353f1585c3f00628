// SPDX-License-Identifier: Apache-2.0
//
// Packets for tests, written field by field from RFC 791, 793 and 2460: a header is put in front of what it carries.
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "iphc/compressor.h"
#include "iphc/decompressor.h"
#include "iphc/wire/tcp.h"

namespace headroom::iphc::testing {

using Packet = std::vector<std::uint8_t>;

inline void put16(Packet& p, std::size_t at, std::size_t value) {
  wire::store16(&p[at], static_cast<std::uint32_t>(value));
}

inline std::uint16_t checksum_of(const Packet& p, std::size_t first, std::size_t last) {
  std::uint32_t sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += static_cast<std::uint32_t>((i - first) % 2 == 0 ? p[i] << 8 : p[i]);
  while (sum > 0xFFFF) sum = (sum >> 16) + (sum & 0xFFFF);
  return static_cast<std::uint16_t>(~sum);
}

inline Packet joined(Packet header, const Packet& rest) {
  header.insert(header.end(), rest.begin(), rest.end());
  return header;
}

inline const Packet kSource4 = {192, 0, 2, 1}, kDestination4 = {198, 51, 100, 1};
inline const Packet kSource6 = {0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
inline const Packet kDestination6 = {0x20, 0x01, 0x0D, 0xB8, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};

struct Ipv4 {
  std::uint8_t tos = 0, ttl = 64, protocol = wire::kTcp;
  std::uint16_t id = 1, fragment = 0x4000;  // don't fragment
  Packet options{}, source = kSource4, destination = kDestination4;
};

inline void set_ip_checksum(Packet& p) {
  const std::size_t length = std::size_t{p[0] & 0x0Fu} * 4;
  put16(p, 10, 0);
  put16(p, 10, checksum_of(p, 0, length));
}

inline Packet operator/(const Ipv4& f, const Packet& carried) {
  Packet p(20);
  p[0] = static_cast<std::uint8_t>(0x45 + f.options.size() / 4);
  p[1] = f.tos;
  put16(p, 2, 20 + f.options.size() + carried.size());
  put16(p, 4, f.id);
  put16(p, 6, f.fragment);
  p[8] = f.ttl;
  p[9] = f.protocol;
  std::copy(f.source.begin(), f.source.end(), p.begin() + 12);
  std::copy(f.destination.begin(), f.destination.end(), p.begin() + 16);
  p = joined(p, f.options);
  set_ip_checksum(p);
  return joined(p, carried);
}

struct Ipv6 {
  std::uint8_t traffic_class = 0, next = wire::kTcp, hop_limit = 64;
  std::uint32_t flow_label = 0x12345;
  Packet source = kSource6, destination = kDestination6;
};

inline Packet operator/(const Ipv6& f, const Packet& carried) {
  Packet p(8);
  wire::store32(&p[0], 0x60000000u | std::uint32_t{f.traffic_class} << 20 | f.flow_label);
  put16(p, 4, carried.size());
  p[6] = f.next;
  p[7] = f.hop_limit;
  return joined(joined(joined(p, f.source), f.destination), carried);
}

struct Tcp {
  std::uint16_t source = 1025, destination = 23;
  std::uint32_t sequence = 1000, acknowledgement = 5000;
  std::uint16_t window = 4096, urgent = 0;
  std::uint8_t flags = wire::kAck, reserved = 0;  // of RFC 793: six bits
  Packet options{}, data{};
};

// A segment with the right checksum for these ends.
inline Packet segment_of(const Tcp& f, const Packet& source, const Packet& destination) {
  Packet t(20);
  put16(t, 0, f.source);
  put16(t, 2, f.destination);
  wire::store32(&t[4], f.sequence);
  wire::store32(&t[8], f.acknowledgement);
  t[12] = static_cast<std::uint8_t>((20 + f.options.size()) / 4 << 4 | f.reserved >> 2);
  t[13] = static_cast<std::uint8_t>((f.reserved & 3) << 6 | f.flags);
  put16(t, 14, f.window);
  put16(t, 18, f.urgent);
  t = joined(joined(t, f.options), f.data);
  Packet pseudo = joined(source, destination);
  pseudo =
      joined(pseudo, {0, 0, static_cast<std::uint8_t>(t.size() >> 8), static_cast<std::uint8_t>(t.size()), 0, 0, 0, 6});
  put16(t, 16, checksum_of(joined(pseudo, t), 0, pseudo.size() + t.size()));
  return t;
}
inline Packet operator/(const Ipv4& ip, const Tcp& tcp) { return ip / segment_of(tcp, ip.source, ip.destination); }
inline Packet operator/(const Ipv6& ip, const Tcp& tcp) { return ip / segment_of(tcp, ip.source, ip.destination); }

struct Outcome {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  std::uint16_t type = 0;
  Packet octets{};
};

// One packet through a codec, with room for `room` octets.
template <typename Codec>
Outcome pass(Codec& codec, const Packet& in, std::uint16_t type, std::size_t room, std::uint64_t now_ns = 0,
             headroom_detail* detail = nullptr) {
  Packet out(room);
  headroom_packet p{};
  p.in = in.data();
  p.in_length = static_cast<std::uint32_t>(in.size());
  p.in_type = type;
  p.out = out.data();
  p.out_capacity = static_cast<std::uint32_t>(room);
  Outcome outcome;
  if constexpr (std::is_same_v<Codec, Compressor>) {
    outcome.status = codec.compress(p, now_ns, detail);
  } else {
    outcome.status = codec.decompress(p, now_ns, detail);
  }
  out.resize(p.out_length);
  outcome.type = p.out_type;
  outcome.octets = out;
  return outcome;
}

// Both ends of a link.
struct Ends {
  explicit Ends(const Config& config = {}) : compressor(config), decompressor(config) {}

  Outcome compress(const Packet& packet, std::uint64_t now_ns = 0) {
    return pass(compressor, packet, 0, packet.size() + HEADROOM_EXPANSION, now_ns);
  }
  Outcome decompress(const Packet& link, std::uint16_t type, std::uint64_t now_ns = 0) {
    return pass(decompressor, link, type, link.size() + HEADROOM_EXPANSION, now_ns);
  }
  Outcome decompress(const Outcome& link, std::uint64_t now_ns = 0) {
    return decompress(link.octets, link.type, now_ns);
  }
  // All that the decompressor lets go on at a time.
  std::vector<Packet> drain(std::uint64_t now_ns) {
    std::vector<Packet> found;
    while (true) {
      Packet room(0x10000 + kLongestMaxHeader);
      headroom_packet p{};
      p.out = room.data();
      p.out_capacity = static_cast<std::uint32_t>(room.size());
      if (decompressor.drain(&p, 1, now_ns, nullptr) == 0) return found;
      room.resize(p.out_length);
      if (p.status == HEADROOM_OK) found.push_back(room);
    }
  }
  // The next CONTEXT_STATE packet of the decompressor; empty: there is none.
  Packet request() {
    Packet room(HEADROOM_REVERSE_MAX);
    headroom_packet p{};
    p.out = room.data();
    p.out_capacity = HEADROOM_REVERSE_MAX;
    if (decompressor.take_reverse(&p, 1) == 0) return {};
    room.resize(p.out_length);
    return room;
  }

  Compressor compressor;
  Decompressor decompressor;
};

}  // namespace headroom::iphc::testing
