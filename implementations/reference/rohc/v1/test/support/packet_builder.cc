// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/test/support/packet_builder.h"

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
  std::size_t octets = (spec.outer ? ip_octets(*spec.outer) : 0) + ip_octets(spec.ip) + (spec.udp || spec.esp ? 8 : 0) +
                       (spec.rtp ? 12 : 0) + 4 * spec.csrcs.size();
  for (const auto& e : spec.outer_extensions) octets += e.octets.size();
  for (const auto& e : spec.extensions) octets += e.octets.size();
  for (const auto& ip : spec.deeper) octets += ip_octets(ip);
  return octets;
}

namespace {

std::uint8_t protocol_of(const IpFields& ip) { return ip.version == 4 ? 4 : 41; }

std::uint8_t first_of(const std::vector<ExtensionSpec>& list, std::uint8_t next) {
  return list.empty() ? next : list.front().type;
}

// Returns where the next header goes.
std::size_t put_extensions(Packet& p, std::size_t at, const std::vector<ExtensionSpec>& list, std::uint8_t last_next) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::uint8_t next = i + 1 < list.size() ? list[i + 1].type : last_next;
    for (std::size_t k = 0; k < list[i].octets.size(); ++k) p[at + k] = list[i].octets[k];
    if (list[i].type == 47) {
      put(p, at + 2, next == 4 ? 0x0800 : next == 41 ? 0x86dd : 0x6558, 2);  // else: bridged Ethernet
    } else {
      p[at] = next;
    }
    at += list[i].octets.size();
  }
  return at;
}

}  // namespace

Packet build(const PacketSpec& spec) {
  const std::size_t headers = header_octets(spec);
  Packet p(headers);
  p.insert(p.end(), spec.payload.begin(), spec.payload.end());
  std::size_t ip_at = 0;
  if (spec.outer) {
    put_ip(p, 0, *spec.outer, first_of(spec.outer_extensions, protocol_of(spec.ip)));
    ip_at = put_extensions(p, ip_octets(*spec.outer), spec.outer_extensions, protocol_of(spec.ip));
  }
  const std::uint8_t last = spec.udp ? (spec.udp->lite ? 136 : 17) : spec.esp ? 50 : spec.protocol;
  const std::uint8_t after = spec.deeper.empty() ? last : protocol_of(spec.deeper.front());
  put_ip(p, ip_at, spec.ip, first_of(spec.extensions, after));
  std::size_t at = put_extensions(p, ip_at + ip_octets(spec.ip), spec.extensions, after);
  for (std::size_t i = 0; i < spec.deeper.size(); ++i) {
    put_ip(p, at, spec.deeper[i], i + 1 < spec.deeper.size() ? protocol_of(spec.deeper[i + 1]) : last);
    at += ip_octets(spec.deeper[i]);
  }
  const std::size_t udp_at = at;
  if (spec.esp) {
    put(p, udp_at, spec.esp->spi, 4);
    put(p, udp_at + 4, spec.esp->sn, 4);
  }
  if (spec.rtp) {
    const RtpFields& r = *spec.rtp;
    at = udp_at + 8;
    p[at] = static_cast<std::uint8_t>(0x80 | (r.padding ? 0x20 : 0) | (r.extension ? 0x10 : 0) | spec.csrcs.size());
    p[at + 1] = static_cast<std::uint8_t>((r.marker ? 0x80 : 0) | r.payload_type);
    put(p, at + 2, r.sn, 2);
    put(p, at + 4, r.ts, 4);
    put(p, at + 8, r.ssrc, 4);
    for (std::size_t i = 0; i < spec.csrcs.size(); ++i) put(p, at + 12 + 4 * i, spec.csrcs[i], 4);
  }
  if (spec.udp) put_udp(p, udp_at, ip_at, spec.ip, *spec.udp);
  return p;
}

ExtensionSpec options_header(std::uint8_t type, Packet contents) {
  Packet p = {0, 0};
  p.insert(p.end(), contents.begin(), contents.end());
  while (p.size() % 8 != 0) p.push_back(0);
  p[1] = static_cast<std::uint8_t>(p.size() / 8 - 1);
  return {type, p};
}

ExtensionSpec authentication_header(std::uint32_t spi, std::uint32_t sequence, Packet icv) {
  Packet p(12);
  put(p, 4, spi, 4);
  put(p, 8, sequence, 4);
  p.insert(p.end(), icv.begin(), icv.end());
  p[1] = static_cast<std::uint8_t>(p.size() / 4 - 2);
  return {51, p};
}

ExtensionSpec gre_header(const GreFields& f) {
  Packet p(4);
  p[0] = static_cast<std::uint8_t>((f.checksum ? 0x80 : 0) | (f.key ? 0x20 : 0) | (f.sequence ? 0x10 : 0));
  const auto add = [&](std::uint32_t value, unsigned octets) {
    p.resize(p.size() + octets);
    put(p, p.size() - octets, value, octets);
  };
  if (f.checksum) add(std::uint32_t{*f.checksum} << 16, 4);
  if (f.key) add(*f.key, 4);
  if (f.sequence) add(*f.sequence, 4);
  return {47, p};
}

ExtensionSpec minimal_encapsulation(bool source, std::uint32_t destination) {
  Packet p(source ? 12 : 8);
  p[1] = source ? 0x80 : 0;
  put(p, 2, 0xbeef, 2);  // whatever the checksum is: nobody checks it
  put(p, 4, destination, 4);
  if (source) put(p, 8, 0x0a020304, 4);
  return {55, p};
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
