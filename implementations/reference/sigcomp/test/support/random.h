// SPDX-License-Identifier: Apache-2.0
//
// Numbers that look random and are the same in every run (SplitMix64), and messages made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

// Text of few octets, of many, repetitions, much longer than the buffer, and nothing at all.
[[nodiscard]] inline std::vector<std::uint8_t> random_message(Random& random, std::size_t most) {
  std::vector<std::uint8_t> message(random.below(static_cast<std::uint32_t>(most)));
  const std::uint32_t alphabet = 1U + random.below(random.below(2) == 0 ? 4 : 256);
  for (std::size_t i = 0; i < message.size(); ++i) {
    const std::uint32_t back = 1U + random.below(3000);
    const bool repeat = back <= i && random.below(8) != 0;
    message[i] = repeat && i > 0 ? message[i - (random.below(4) == 0 ? 1 : back)]
                                 : static_cast<std::uint8_t>(random.below(alphabet));
  }
  return message;
}

}  // namespace headroom::sigcomp::test
