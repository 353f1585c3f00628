// SPDX-License-Identifier: Apache-2.0
//
// Packets for tests of ROHC-TCP, put together header by header from RFC 791, 2460, 793, 4302, 2784, 2890 and 2004.
#pragma once

#include <cstdint>

#include "rohc/framework/test/support/octets.h"
#include "rohc/tcp/wire/options.h"

namespace headroom::rohc::tcp::testing {

using test::Packet;

inline void put16(Packet& p, std::uint32_t v) {
  p.push_back(static_cast<std::uint8_t>(v >> 8));
  p.push_back(static_cast<std::uint8_t>(v));
}
inline void put32(Packet& p, std::uint32_t v) {
  put16(p, v >> 16);
  put16(p, v & 0xffff);
}
inline Packet operator+(Packet a, const Packet& b) { return test::joined(std::move(a), b); }

// What `write` puts into a Writer.
template <typename Write>
Packet written(Write write) {
  Packet room(1024);
  Writer out(room);
  write(out);
  return out.ok() ? test::copy_of(out.written()) : Packet{};
}

inline const ItemTable kNoItems{};

// RFC 1071, word by word.
inline std::uint16_t checksum(const Packet& p, std::uint32_t sum = 0) {
  for (std::size_t i = 0; i < p.size(); ++i) sum += i % 2 == 0 ? p[i] * 256U : p[i];
  while (sum > 0xffff) sum = (sum >> 16) + (sum & 0xffff);
  return static_cast<std::uint16_t>(~sum);
}
inline void set16(Packet& p, std::size_t at, std::uint32_t v) {
  p[at] = static_cast<std::uint8_t>(v >> 8);
  p[at + 1] = static_cast<std::uint8_t>(v);
}

struct Ip {
  std::uint8_t tos = 0, ttl = 64;
  std::uint16_t id = 0;
  bool df = true;
  std::uint32_t label = 0x12345;
  std::uint8_t host = 1;
};

inline Packet ip4(std::uint8_t protocol, const Packet& payload, const Ip& ip = {}) {
  Packet p = {0x45, ip.tos};
  put16(p, static_cast<std::uint32_t>(20 + payload.size()));
  put16(p, ip.id);
  put16(p, ip.df ? 0x4000 : 0);
  p.push_back(ip.ttl);
  p.push_back(protocol);
  put16(p, 0);
  put32(p, 0xc0000200U | ip.host);  // 192.0.2.0/24
  put32(p, 0xc6336401);             // 198.51.100.1
  set16(p, 10, checksum(p));
  return p + payload;
}

inline Packet ip6(std::uint8_t next, const Packet& payload, const Ip& ip = {}) {
  Packet p;
  put32(p, 0x60000000U | std::uint32_t{ip.tos} << 20 | ip.label);
  put16(p, static_cast<std::uint32_t>(payload.size()));
  p.push_back(next);
  p.push_back(ip.ttl);
  for (std::uint8_t i = 0; i < 32; ++i) p.push_back(static_cast<std::uint8_t>(i + ip.host));
  return p + payload;
}

struct Tcp {
  std::uint16_t source = 1025, destination = 80;
  std::uint32_t seq = 1000, ack = 5000;
  std::uint8_t reserved = 0, flags = 0x10;
  std::uint16_t window = 4096, urgent = 0, checksum = 0;
  Packet options{}, payload{};
};

// The checksum is put right if the packet goes through with_checksum().
inline Packet tcp(const Tcp& t) {
  Packet p;
  put16(p, t.source);
  put16(p, t.destination);
  put32(p, t.seq);
  put32(p, t.ack);
  p.push_back(static_cast<std::uint8_t>((5 + t.options.size() / 4) << 4 | t.reserved));
  p.push_back(t.flags);
  put16(p, t.window);
  put16(p, t.checksum);
  put16(p, t.urgent);
  return p + t.options + t.payload;
}

// Puts TCP's checksum right in a packet whose innermost IP header begins at `ip`, with TCP `length` octets before the
// end.
inline Packet with_checksum(Packet p, std::size_t ip, std::size_t length) {
  const std::size_t at = p.size() - length;
  const bool v4 = p[ip] >> 4 == 4;
  const auto from = [&](std::size_t a, std::size_t n) {
    return Packet(p.begin() + static_cast<std::ptrdiff_t>(a), p.begin() + static_cast<std::ptrdiff_t>(a + n));
  };
  set16(p, at + 16, 0);
  Packet covered = v4 ? from(ip + 12, 8) : from(ip + 8, 32);
  put16(covered, 6);
  put16(covered, static_cast<std::uint32_t>(length));
  set16(p, at + 16, checksum(covered + from(at, length)));
  return p;
}

inline Packet tcp4(const Tcp& t, const Ip& ip = {}) {
  const Packet segment = tcp(t);
  return with_checksum(ip4(6, segment, ip), 0, segment.size());
}
inline Packet tcp6(const Tcp& t, const Ip& ip = {}) {
  const Packet segment = tcp(t);
  return with_checksum(ip6(6, segment, ip), 0, segment.size());
}

// Hop-by-hop options, routing or destination options: RFC 2460, 4.3, 4.4, 4.6.
inline Packet extension(std::uint8_t next, const Packet& payload, std::uint8_t value = 0, std::uint8_t units = 0) {
  Packet p = {next, units};
  for (unsigned i = 0; i < units * 8U + 6; ++i) p.push_back(static_cast<std::uint8_t>(value + i));
  return p + payload;
}

// RFC 4302, 2; the ICV has 12 octets.
inline Packet ah(std::uint8_t next, std::uint32_t number, const Packet& payload, std::uint8_t icv = 0x70) {
  Packet p = {next, 4, 0, 0};
  put32(p, 0x01020304);
  put32(p, number);
  for (std::uint8_t i = 0; i < 12; ++i) p.push_back(static_cast<std::uint8_t>(icv + i));
  return p + payload;
}

// RFC 2784 and 2890; `flags`: C 0x80, K 0x20, S 0x10.
inline Packet gre(std::uint8_t flags, std::uint32_t number, const Packet& payload) {
  Packet p = {flags, 0};
  put16(p, payload[0] >> 4 == 4 ? 0x0800 : 0x86dd);
  if ((flags & 0x80) != 0) put32(p, 0xabcd0000);
  if ((flags & 0x20) != 0) put32(p, 0x0a0b0c0d);
  if ((flags & 0x10) != 0) put32(p, number);
  return p + payload;
}

// RFC 2004, 3.1; with the original source address if S is set.
inline Packet minimal_encapsulation(std::uint8_t next, bool s, const Packet& payload) {
  Packet p = {next, static_cast<std::uint8_t>(s ? 0x80 : 0), 0, 0};
  put32(p, 0xc6336407);
  if (s) put32(p, 0xc0000207);
  set16(p, 2, checksum(p));
  return p + payload;
}

inline Packet timestamps(std::uint32_t value, std::uint32_t echo) {
  Packet p = {1, 1, 8, 10};
  put32(p, value);
  put32(p, echo);
  return p;
}

}  // namespace headroom::rohc::tcp::testing
