// SPDX-License-Identifier: Apache-2.0
//
// Window-based LSB encoding (Appendix A). Values are numbers modulo 2^32, or numbers modulo 2^16 in the lower 16 bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace headroom::taroc::wire {

// Returns the signed distance from one number to another modulo 2^32. REQUIRES: the numbers are less than 2^31 apart.
[[nodiscard]] constexpr std::int32_t distance(std::uint32_t from, std::uint32_t to) noexcept {
  return static_cast<std::int32_t>(to - from);
}

// The range, minimum to maximum, of the values that may be the decompressor's reference. REQUIRES: max - min < 2^30.
struct Range {
  std::uint32_t min = 0, max = 0;

  [[nodiscard]] constexpr std::uint32_t span() const noexcept { return max - min; }
  constexpr void unite(const Range& other) noexcept {
    if (distance(min, other.min) < 0) min = other.min;
    if (distance(max, other.max) > 0) max = other.max;
  }
  // "The range r = max(|v - v_max|, |v - v_min|)".
  [[nodiscard]] constexpr std::uint32_t reach(std::uint32_t v) const noexcept {
    // At least one of the two differences is not negative, so the maximum is not negative.
    return static_cast<std::uint32_t>(std::max(distance(min, v), distance(v, max)));
  }
};

// "The value of k needed is k = ceiling(log2(2 * r + 1))". REQUIRES: reach < 2^31.
[[nodiscard]] constexpr unsigned bits_needed(std::uint32_t reach) noexcept {
  return static_cast<unsigned>(std::bit_width(2 * reach));
}

[[nodiscard]] constexpr std::uint32_t low_bits(std::uint32_t v, unsigned k) noexcept {
  return k >= 32 ? v : v & ((std::uint32_t{1} << k) - 1);
}

// "The decompressor chooses the one as the decompressed value, which is closest to v_ref and whose k LSBs equal the
// compressed value that has been received." REQUIRES: 1 <= k <= 32.
[[nodiscard]] constexpr std::uint32_t closest(std::uint32_t reference, std::uint32_t lsb, unsigned k) noexcept {
  const std::uint32_t up = low_bits(lsb - reference, k);  // distance to the next value above the reference
  const std::uint32_t half = std::uint32_t{1} << (k - 1);
  return up < half ? reference + up : reference + up - 2 * half;
}

}  // namespace headroom::taroc::wire
