// SPDX-License-Identifier: Apache-2.0
//
// Numbers that look random and are the same in every run (SplitMix64).
#pragma once

#include <cstdint>

namespace headroom::sigcomp::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  // 0 to bound - 1.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(next() % bound); }
  std::uint8_t octet() { return static_cast<std::uint8_t>(next()); }
  std::uint16_t word() { return static_cast<std::uint16_t>(next()); }

 private:
  std::uint64_t state_;
};

}  // namespace headroom::sigcomp::test
