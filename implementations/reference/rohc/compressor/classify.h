// SPDX-License-Identifier: Apache-2.0
//
// From a packet to the hash of its flow: a quick look that suffices to fetch the right cache lines. What it says is
// only a clue; the fast path and the general path both compare everything.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/compressor/config.h"
#include "rohc/header/chain.h"

namespace headroom::rohc {

// Mixes 64 bits so that each affects all. Multiplications by odd constants and shifts (in the manner of MurmurHash3's
// finaliser).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t v) noexcept {
  v ^= v >> 32;
  v *= 0xd6e8feb86659fd93U;
  v ^= v >> 29;
  v *= 0xd6e8feb86659fd93U;
  return v ^ v >> 32;
}

// By the number of the protocol after IP: all ones where the next four octets tell flows apart (ports or SPI) and a
// profile is enabled that compresses that header.
using PortMasks = std::array<std::uint32_t, 256>;

[[nodiscard]] constexpr PortMasks port_masks(const ProfileSet& enabled) noexcept {
  PortMasks masks{};
  if (enabled.rtp || enabled.udp) masks[kProtocolUdp] = 0xffffffff;
  if (enabled.rtp_udp_lite || enabled.udp_lite) masks[kProtocolUdpLite] = 0xffffffff;
  if (enabled.esp) masks[kProtocolEsp] = 0xffffffff;
  return masks;
}

// What tells flows apart, whatever the IP version: four words of addresses (IPv4 uses the first only), next header,
// flow label and ports.
struct FlowWords {
  std::uint64_t address[4];
  std::uint32_t ports;  // or the SPI of ESP; 0 where there are none
  std::uint32_t label;  // IPv6 flow label with the low four bits of the octet before it, 0 for IPv4
  std::uint8_t next;
};

[[nodiscard]] constexpr std::uint64_t hash_words(const FlowWords& w, std::uint64_t salt) noexcept {
  constexpr std::uint64_t kOdd[] = {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U, 0x94d049bb133111ebU, 0xff51afd7ed558ccdU};
  std::uint64_t h = salt ^ w.ports * kOdd[3] ^ w.address[0] * kOdd[0] ^ w.address[1] * kOdd[1];
  h ^= (w.address[2] ^ w.address[3] * kOdd[2]) * kOdd[1];
  return mix(h + (w.next | std::uint64_t{w.label} << 8));
}

// Hash of an IP header and `ports`. REQUIRES: the whole header is there.
[[nodiscard]] inline std::uint64_t hash_ip(const std::uint8_t* ip, unsigned version, std::uint32_t ports,
                                           std::uint64_t salt) noexcept {
  if (version == 4) return hash_words({{wire::load_little64(ip + 12), 0, 0, 0}, ports, 0, ip[9]}, salt);
  return hash_words({{wire::load_little64(ip + 8), wire::load_little64(ip + 16), wire::load_little64(ip + 24),
                      wire::load_little64(ip + 32)},
                     ports,
                     wire::load_little32(ip) & 0xffff0f00U,
                     ip[6]},
                    salt);
}

// The seed keeps an outsider from choosing flows that collide.
[[nodiscard]] constexpr std::uint64_t salt_of(std::uint64_t seed, std::uint32_t channel) noexcept {
  return mix(seed ^ channel);
}

// The hash under which the flow of a parsed packet is known. UDP and RTP shapes of the same addresses and ports share
// it.
[[nodiscard]] inline std::uint64_t flow_hash(Octets packet, const HeaderChain& chain, std::uint64_t salt) noexcept {
  const Layout& l = chain.layout();
  const std::uint8_t* inner = packet.data() + chain.outer_octets;
  if (chain.outer_octets != 0) salt = hash_ip(packet.data(), chain.outer_version, 0, salt);
  return hash_ip(inner, l.ip_version, l.ports_at() != 0 ? wire::load_little32(inner + l.ports_at()) : 0, salt);
}

// The clue: the same hash for packets with one IP header, without any check but those that keep reads in bounds. Both
// IP versions take the same instructions, because traffic that mixes them would make a branch a coin toss. Short
// packets have no clue (0) and go the long way.
[[nodiscard]] inline std::uint64_t quick_hash(const std::uint8_t* packet, std::size_t length,
                                              const PortMasks& port_masks, std::uint64_t salt) noexcept {
  if (length < kIpv6Header + kUdpHeader) [[unlikely]] {
    if (length < kIpv4Header + kUdpHeader || packet[0] != 0x45) return 0;
    return hash_ip(packet, 4, wire::load_little32(packet + kIpv4Header) & port_masks[packet[9]], salt);
  }
  const bool ipv6 = packet[0] >> 4 == 6;
  const std::uint64_t ipv6_mask = std::uint64_t{0} - ipv6;
  FlowWords w;
  w.address[0] = wire::load_little64(packet + 12 - 4 * ipv6);
  w.address[1] = wire::load_little64(packet + 16) & ipv6_mask;
  w.address[2] = wire::load_little64(packet + 24) & ipv6_mask;
  w.address[3] = wire::load_little64(packet + 32) & ipv6_mask;
  w.next = packet[9 - 3 * ipv6];
  w.ports = wire::load_little32(packet + kIpv4Header + kIpv4Header * ipv6) & port_masks[w.next];
  w.label = wire::load_little32(packet) & 0xffff0f00U & static_cast<std::uint32_t>(ipv6_mask);
  return hash_words(w, salt);
}

}  // namespace headroom::rohc
