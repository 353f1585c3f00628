// SPDX-License-Identifier: Apache-2.0
//
// From a packet to the hash of its flow: a quick look that suffices to fetch the right cache lines. What it says is only a clue; the fast path
// and the general path both compare everything.
#pragma once

#include <cstdint>

#include "rohc/compressor/config.h"
#include "rohc/header/chain.h"

namespace headroom::rohc {

// Mixes 64 bits so that each affects all. Multiplications by odd constants and shifts (in the manner of MurmurHash3's finaliser).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t v) noexcept {
  v ^= v >> 32;
  v *= 0xd6e8feb86659fd93U;
  v ^= v >> 29;
  v *= 0xd6e8feb86659fd93U;
  return v ^ v >> 32;
}

// Hash of addresses, next header, ports and channel. `ports` is 0 where there are none.
[[nodiscard]] inline std::uint64_t hash_ip(const std::uint8_t* ip, unsigned version, std::uint32_t ports, std::uint64_t salt) noexcept {
  constexpr std::uint64_t kOdd[] = {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U, 0x94d049bb133111ebU, 0xff51afd7ed558ccdU};
  std::uint64_t h = salt ^ std::uint64_t{ports} * kOdd[3];
  if (version == 4) {
    h ^= wire::load_little64(ip + 12) * kOdd[0];
    h += ip[9];
  } else {
    h ^= wire::load_little64(ip + 8) * kOdd[0] ^ wire::load_little64(ip + 16) * kOdd[1];
    h ^= (wire::load_little64(ip + 24) ^ wire::load_little64(ip + 32) * kOdd[2]) * kOdd[1];
    h += ip[6] | std::uint64_t{wire::load_little32(ip) & 0xffff0f00U} << 8;  // flow label
  }
  return mix(h);
}

// The seed keeps an outsider from choosing flows that collide.
[[nodiscard]] constexpr std::uint64_t salt_of(std::uint64_t seed, std::uint32_t channel) noexcept { return mix(seed ^ channel); }

// The hash under which the flow of a parsed packet is known. UDP and RTP shapes of the same addresses and ports share it.
[[nodiscard]] inline std::uint64_t flow_hash(Octets packet, const HeaderChain& chain, std::uint64_t salt) noexcept {
  const Layout& l = chain.layout();
  const std::uint8_t* inner = packet.data() + chain.outer_octets;
  if (chain.outer_octets != 0) salt = hash_ip(packet.data(), chain.outer_version, 0, salt);
  return hash_ip(inner, l.ip_version, l.has_udp() ? wire::load_little32(inner + l.udp) : 0, salt);
}

// The clue: the same hash for packets with one IP header, without any check but those that keep reads in bounds. Returns 0 when there is
// none.
[[nodiscard]] inline std::uint64_t quick_hash(const std::uint8_t* packet, std::size_t length, bool ports, std::uint64_t salt) noexcept {
  if (length < kIpv4Header + kUdpHeader) return 0;
  if (packet[0] == 0x45) {
    const bool udp = ports && packet[9] == kProtocolUdp;
    return hash_ip(packet, 4, udp ? wire::load_little32(packet + kIpv4Header) : 0, salt);
  }
  if (packet[0] >> 4 == 6 && length >= kIpv6Header + kUdpHeader) {
    const bool udp = ports && packet[6] == kProtocolUdp;
    return hash_ip(packet, 6, udp ? wire::load_little32(packet + kIpv6Header) : 0, salt);
  }
  return 0;
}

}  // namespace headroom::rohc
