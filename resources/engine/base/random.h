// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every platform, library and compiler: the same seed gives the same octets on the
// link. The distributions of <random> are not specified exactly enough, and floating-point logarithms differ between
// libraries, so neither is used: every decision is an integer comparison.
#ifndef HEADROOM_BASE_RANDOM_H
#define HEADROOM_BASE_RANDOM_H

#include <bit>
#include <cstdint>

namespace headroom {

inline constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15u;  // 2^64 divided by the golden ratio

// Returns the output function of SplitMix64: a bijection that scatters its argument over 64 bits.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Returns the key of an independent stream below `key`, such as one flow of a seed or one purpose of a flow.
[[nodiscard]] constexpr std::uint64_t derive(std::uint64_t key, std::uint64_t stream) noexcept {
  return mix64(mix64(key + kGolden) + stream * kGolden);
}

// Returns draw number `index` of the stream `key`: random access without state.
[[nodiscard]] constexpr std::uint64_t draw_at(std::uint64_t key, std::uint64_t index) noexcept {
  return mix64(key + (index + 1) * kGolden);
}

// xoshiro256** 1.0 of Blackman and Vigna, seeded through SplitMix64 as its authors advise.
class Xoshiro256 {
 public:
  explicit constexpr Xoshiro256(std::uint64_t seed) noexcept {
    for (std::uint64_t i = 0; i < 4; ++i) state_[i] = draw_at(seed, i);
  }

  [[nodiscard]] constexpr std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

 private:
  std::uint64_t state_[4] = {};
};

// Chance is an event of probability p, decided by the upper 53 bits of a draw. p = 0 never happens and p = 1 always
// does.
class Chance {
 public:
  constexpr Chance() noexcept : threshold_(0) {}
  // REQUIRES: 0 <= p <= 1. Multiplying by a power of two is exact, whatever the floating-point unit.
  explicit constexpr Chance(double p) noexcept : threshold_(static_cast<std::uint64_t>(p * 0x1p53)) {}

  [[nodiscard]] constexpr bool happens(std::uint64_t draw) const noexcept { return (draw >> 11) < threshold_; }
  [[nodiscard]] constexpr bool possible() const noexcept { return threshold_ != 0; }

 private:
  std::uint64_t threshold_;
};

// Returns a uniformly distributed number from 0 to `limit` inclusive, by masking and rejecting: `next` is called until
// a value fits.
template <typename Next>
[[nodiscard]] constexpr std::uint64_t uniform(std::uint64_t limit, Next&& next) {
  if (limit == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(limit);
  for (;;) {
    const std::uint64_t value = next() & mask;
    if (value <= limit) return value;
  }
}

// Returns such a number from a single draw, with a bias below (limit + 1) / 2^32. REQUIRES: limit < 2^32 - 1.
[[nodiscard]] constexpr std::uint32_t scale(std::uint64_t draw, std::uint32_t limit) noexcept {
  return static_cast<std::uint32_t>(((draw >> 32) * (std::uint64_t{limit} + 1)) >> 32);
}

// Returns -log2((draw + 1) / 2^64) with 24 bits of fraction, by squaring a 32-bit mantissa: each square gives one bit
// of the logarithm.
[[nodiscard]] constexpr std::uint64_t negative_log2_q24(std::uint64_t draw) noexcept {
  const std::uint64_t value = draw == ~std::uint64_t{0} ? draw : draw + 1;
  const int zeros = std::countl_zero(value);
  std::uint64_t mantissa = (value << zeros) >> 32;  // 1 <= mantissa / 2^31 < 2
  std::uint64_t log2 = 0;
  for (int bit = 23; bit >= 0; --bit) {
    mantissa = (mantissa * mantissa) >> 31;
    if (mantissa >> 32 != 0) {
      mantissa >>= 1;
      log2 |= std::uint64_t{1} << bit;
    }
  }
  return (static_cast<std::uint64_t>(zeros + 1) << 24) - log2;
}

// Returns an exponentially distributed duration with the mean `mean`, from one draw, at most 44.4 * mean. REQUIRES:
// mean < 2^32.
[[nodiscard]] constexpr std::uint64_t exponential(std::uint64_t draw, std::uint32_t mean) noexcept {
  constexpr std::uint64_t kLn2Q24 = 11629080;  // ln 2 with 24 bits of fraction
  const std::uint64_t multiple = (negative_log2_q24(draw) * kLn2Q24) >> 24;
  return (multiple * mean + (std::uint64_t{1} << 23)) >> 24;
}

}  // namespace headroom

#endif  // HEADROOM_BASE_RANDOM_H
