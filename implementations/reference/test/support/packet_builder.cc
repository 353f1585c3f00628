// SPDX-License-Identifier: Apache-2.0
#include "test/support/packet_builder.h"

#include <cstddef>

namespace headroom::rohc::test {
namespace {

void put(Packet& p, std::size_t at, std::uint32_t value, unsigned octets) {
  for (unsigned i = 0; i < octets; ++i) p[at + i] = static_cast<std::uint8_t>(value >> (8 * (octets - 1 - i)));
}

// RFC 1071, word by word, most significant octet first.
std::uint32_t add_words(const Packet& p, std::size_t from, std::size_t to, std::uint32_t sum = 0) {
  for (std::size_t i = from; i < to; i += 2) {
    sum += static_cast<std::uint32_t>(p[i] << 8);
    if (i + 1 < to) sum += p[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return sum;
}

std::size_t ip_octets(const IpFields& ip) { return ip.version == 4 ? 20 : 40; }

void put_ip(Packet& p, std::size_t at, const IpFields& ip, std::uint8_t next) {
  if (ip.version == 4) {
    p[at] = 0x45;
    p[at + 1] = ip.tos;
    put(p, at + 2, static_cast<std::uint32_t>(p.size() - at), 2);
    put(p, at + 4, ip.id, 2);
    p[at + 6] = ip.dont_fragment ? 0x40 : 0;
    p[at + 8] = ip.ttl;
    p[at + 9] = next;
    put(p, at + 12, 0x0a000000U | ip.source, 4);
    put(p, at + 16, 0x0a010000U | ip.destination, 4);
    mend_ipv4_checksum(p, at);
    return;
  }
  put(p, at, 0x60000000U | static_cast<std::uint32_t>(ip.tos) << 20 | ip.flow_label, 4);
  put(p, at + 4, static_cast<std::uint32_t>(p.size() - at - 40), 2);
  p[at + 6] = next;
  p[at + 7] = ip.ttl;
  put(p, at + 8, 0x20010db8, 4);
  put(p, at + 20, ip.source, 4);
  put(p, at + 24, 0x20010db8, 4);
  put(p, at + 36, ip.destination, 4);
}

void put_udp(Packet& p, std::size_t at, std::size_t ip_at, const IpFields& ip, const UdpFields& udp) {
  const auto length = static_cast<std::uint32_t>(p.size() - at);
  put(p, at, udp.source_port, 2);
  put(p, at + 2, udp.destination_port, 2);
  const std::uint32_t coverage = udp.coverage.value_or(static_cast<std::uint16_t>(length));
  put(p, at + 4, udp.lite ? coverage : length, 2);
  if (!udp.lite && !udp.checksum) return;
  // RFC 3828 3.1: 0 covers all; the pseudo header has the length of the datagram, not the coverage.
  const bool partial = udp.lite && coverage != 0 && coverage < length;
  const std::size_t covered = partial ? coverage : length;
  const std::size_t addresses = ip.version == 4 ? ip_at + 12 : ip_at + 8;
  std::uint32_t sum = add_words(p, addresses, addresses + (ip.version == 4 ? 8 : 32), (udp.lite ? 136 : 17) + length);
  sum = add_words(p, at, at + covered, sum);
  const std::uint32_t checksum = ~sum & 0xffff;
  put(p, at + 6, checksum == 0 ? 0xffff : checksum, 2);  // RFC 768: zero means "none"
}

}  // namespace

void mend_ipv4_checksum(Packet& p, std::size_t at) {
  put(p, at + 10, 0, 2);
  put(p, at + 10, ~add_words(p, at, at + 20) & 0xffff, 2);
}

std::size_t header_octets(const PacketSpec& spec) {
  return (spec.outer ? ip_octets(*spec.outer) : 0) + ip_octets(spec.ip) + (spec.udp || spec.esp ? 8 : 0) +
         (spec.rtp ? 12 : 0);
}

Packet build(const PacketSpec& spec) {
  const std::size_t headers = header_octets(spec);
  Packet p(headers);
  p.insert(p.end(), spec.payload.begin(), spec.payload.end());
  const std::size_t ip_at = spec.outer ? ip_octets(*spec.outer) : 0;
  const std::size_t udp_at = ip_at + ip_octets(spec.ip);
  if (spec.outer) put_ip(p, 0, *spec.outer, spec.ip.version == 4 ? 4 : 41);
  put_ip(p, ip_at, spec.ip, spec.udp ? (spec.udp->lite ? 136 : 17) : spec.esp ? 50 : spec.protocol);
  if (spec.esp) {
    put(p, udp_at, spec.esp->spi, 4);
    put(p, udp_at + 4, spec.esp->sn, 4);
  }
  if (spec.rtp) {
    const RtpFields& r = *spec.rtp;
    const std::size_t at = udp_at + 8;
    p[at] = static_cast<std::uint8_t>(0x80 | (r.padding ? 0x20 : 0) | (r.extension ? 0x10 : 0));
    p[at + 1] = static_cast<std::uint8_t>((r.marker ? 0x80 : 0) | r.payload_type);
    put(p, at + 2, r.sn, 2);
    put(p, at + 4, r.ts, 4);
    put(p, at + 8, r.ssrc, 4);
  }
  if (spec.udp) put_udp(p, udp_at, ip_at, spec.ip, *spec.udp);
  return p;
}

PacketSpec ip_packet(unsigned ip_version) {
  PacketSpec spec;
  spec.ip.version = ip_version;
  return spec;
}

PacketSpec esp_packet(unsigned ip_version) {
  PacketSpec spec = ip_packet(ip_version);
  spec.esp = EspFields{};
  return spec;
}

PacketSpec udp_lite_packet(unsigned ip_version) {
  PacketSpec spec = udp_packet(ip_version);
  spec.udp->lite = true;
  return spec;
}

PacketSpec rtp_udp_lite_packet(unsigned ip_version) {
  PacketSpec spec = rtp_packet(ip_version);
  spec.udp->lite = true;
  return spec;
}

PacketSpec udp_packet(unsigned ip_version) {
  PacketSpec spec = ip_packet(ip_version);
  spec.udp = UdpFields{};
  return spec;
}

PacketSpec rtp_packet(unsigned ip_version) {
  PacketSpec spec = udp_packet(ip_version);
  spec.rtp = RtpFields{};
  return spec;
}

}  // namespace headroom::rohc::test
