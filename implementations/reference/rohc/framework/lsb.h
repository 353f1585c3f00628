// SPDX-License-Identifier: Apache-2.0
//
// Least significant bits encoding, RFC 3095 4.5.1 (RFC 4997 4.11.5). The interpretation offset of a field is defined by
// its profile.
#pragma once

#include <cstdint>

namespace headroom::rohc {

// Returns the value in the interpretation interval [reference - p, reference + 2^bits - 1 - p] whose `bits` least
// significant bits are `lsb`. All arithmetic is modulo 2^32; a caller with a narrower field truncates the result.
// REQUIRES: bits <= 32.
[[nodiscard]] constexpr std::uint32_t lsb_decode(std::uint32_t lsb, unsigned bits, std::uint32_t reference,
                                                 std::int64_t p) noexcept {
  const std::uint32_t mask = bits >= 32 ? 0xffffffffU : (std::uint32_t{1} << bits) - 1;
  const std::uint32_t low = reference - static_cast<std::uint32_t>(p);
  return low + ((lsb - low) & mask);
}

// True if a value that lies `distance` after the reference is inside the interpretation interval of `bits` bits.
[[nodiscard]] constexpr bool lsb_covers(std::int64_t distance, unsigned bits, std::int64_t p) noexcept {
  return distance >= -p && distance <= (std::int64_t{1} << bits) - 1 - p;
}

}  // namespace headroom::rohc
