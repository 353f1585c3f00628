// SPDX-License-Identifier: Apache-2.0
//
// Pseudo-random numbers for tests: the same on every machine and with every standard library, so that a seed in a
// failure message repeats the failure. SplitMix64 (Steele, Lea, Flood 2014).
#pragma once

#include <cstdint>

namespace headroom::rohc::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }

  // 0 .. n - 1. REQUIRES: n > 0.
  [[nodiscard]] std::uint32_t below(std::uint32_t n) noexcept {
    return static_cast<std::uint32_t>((next() >> 32) * n >> 32);
  }
  // low .. high, both included.
  [[nodiscard]] std::uint32_t between(std::uint32_t low, std::uint32_t high) noexcept {
    return low + below(high - low + 1);
  }
  [[nodiscard]] bool chance(double p) noexcept { return static_cast<double>(next() >> 11) * 0x1p-53 < p; }
  [[nodiscard]] bool flip() noexcept { return (next() & 1) != 0; }
  [[nodiscard]] std::uint8_t octet() noexcept { return static_cast<std::uint8_t>(next() >> 32); }
  [[nodiscard]] std::uint16_t word() noexcept { return static_cast<std::uint16_t>(next() >> 32); }
  [[nodiscard]] std::uint32_t word32() noexcept { return static_cast<std::uint32_t>(next() >> 32); }

 private:
  std::uint64_t state_;
};

}  // namespace headroom::rohc::test
