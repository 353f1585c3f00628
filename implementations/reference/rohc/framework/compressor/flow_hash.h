// SPDX-License-Identifier: Apache-2.0
//
// The hash of a flow's addresses, ports and SSRC, with secret keys.
//
// The hash is the multilinear hash of 32-bit words of D. Lemire and O. Kaser, "Strongly universal string hashing is
// fast" (2014), words taken in pairs (their MULTILINEAR-HM): h = k0 + sum of (k[2i-1] + w[2i-1]) (k[2i] + w[2i]) modulo
// 2^64 with random 64-bit keys. Its upper 32 bits are strongly universal: for any two flows, however they were chosen,
// all pairs of values are equally likely. So an attacker who does not know the seed cannot make flows that share a
// bucket more often than random flows do. A salt that is only combined by exclusive-or before a fixed function would
// not suffice: flows that collide without a salt collide with every salt.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc {

// Mixes 64 bits so that each input bit affects all output bits and different inputs have different outputs:
// multiplications by an odd constant and shifts, similar to MurmurHash3's finaliser.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t v) noexcept {
  v ^= v >> 32;
  v *= 0xd6e8feb86659fd93U;
  v ^= v >> 29;
  v *= 0xd6e8feb86659fd93U;
  return v ^ v >> 32;
}

// The fields of an IP header and the ports after it that distinguish flows, for both IP versions.
struct FlowWords {
  std::array<std::uint64_t, 4> addresses{};  // IPv4 uses the first word only
  std::uint32_t ports = 0;                   // or the SPI of ESP; 0 if there are no ports
  std::uint32_t label_and_next = 0;  // next header in the lowest octet; above it the IPv6 flow label, 0 for IPv4
};

// Returns the words of an IP header and `ports`. REQUIRES: the header is complete.
[[nodiscard]] inline FlowWords flow_words(const std::uint8_t* ip, unsigned version, std::uint32_t ports) noexcept {
  if (version == 4) return {{wire::load_little64(ip + 12)}, ports, ip[9]};
  return {{wire::load_little64(ip + 8), wire::load_little64(ip + 16), wire::load_little64(ip + 24),
           wire::load_little64(ip + 32)},
          ports,
          (wire::load_little32(ip) & 0xffff0f00U) | ip[6]};
}

class FlowHash {
 public:
  // Makes the keys with a generator (SplitMix64) that starts with `seed`. The keys are as secret as the seed.
  constexpr explicit FlowHash(std::uint64_t seed) noexcept {
    constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15U;
    const auto next = [&] { return mix(seed += kGoldenRatio); };
    for (auto& pair : address_) pair = {next(), next()};
    ports_ = {next(), next()};
    base_ = next();
    channel_ = next();
    outer_ = next();
    ssrc_ = next();
  }

  // Returns the initial value of the hash of a flow's outermost IP header.
  [[nodiscard]] constexpr std::uint64_t begin(std::uint32_t channel) const noexcept {
    return base_ + channel_ * channel;
  }

  // Returns the initial value of the hash of the next IP header, after an outer IP header with the hash `outer`.
  [[nodiscard]] constexpr std::uint64_t go_on(std::uint32_t channel, std::uint64_t outer) const noexcept {
    return begin(channel) + outer_ * (outer >> 32);
  }

  [[nodiscard]] constexpr std::uint64_t of(const FlowWords& w, std::uint64_t begun) const noexcept {
    std::uint64_t h = begun;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < w.addresses.size(); ++i)
      h += (address_[i].first + static_cast<std::uint32_t>(w.addresses[i])) *
           (address_[i].second + (w.addresses[i] >> 32));
    return h + (ports_.first + w.ports) * (ports_.second + w.label_and_next);
  }

  // Returns the summand by which the SSRC of an RTP flow changes the hash of its addresses and ports. Subtracting the
  // summand restores that hash.
  [[nodiscard]] constexpr std::uint64_t of_ssrc(std::uint32_t ssrc) const noexcept { return ssrc_ * ssrc; }

 private:
  struct Pair {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
  };

  std::array<Pair, 4> address_{};
  Pair ports_;
  std::uint64_t base_ = 0;
  std::uint64_t channel_ = 0;
  std::uint64_t outer_ = 0;
  std::uint64_t ssrc_ = 0;
};

}  // namespace headroom::rohc
