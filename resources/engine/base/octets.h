// SPDX-License-Identifier: Apache-2.0
//
// Octets in network byte order, and the Internet checksum over them.
#ifndef HEADROOM_BASE_OCTETS_H
#define HEADROOM_BASE_OCTETS_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace headroom {

using Octets = std::vector<std::uint8_t>;
using OctetView = std::span<const std::uint8_t>;

[[nodiscard]] constexpr std::uint16_t load16(const std::uint8_t* at) noexcept {
  return static_cast<std::uint16_t>((at[0] << 8) | at[1]);
}

[[nodiscard]] constexpr std::uint32_t load32(const std::uint8_t* at) noexcept {
  return (std::uint32_t{at[0]} << 24) | (std::uint32_t{at[1]} << 16) | (std::uint32_t{at[2]} << 8) | at[3];
}

// Returns a number in network byte order; written so that the compiler makes one load and one swap of it.
[[nodiscard]] inline std::uint64_t load64(const std::uint8_t* at) noexcept {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof value);
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

constexpr void store16(std::uint8_t* at, std::uint32_t value) noexcept {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

constexpr void store32(std::uint8_t* at, std::uint32_t value) noexcept {
  store16(at, value >> 16);
  store16(at + 2, value & 0xFFFF);
}

inline void store64(std::uint8_t* at, std::uint64_t value) noexcept {
  if (std::endian::native == std::endian::little) value = __builtin_bswap64(value);
  std::memcpy(at, &value, sizeof value);
}

// Returns `sum` plus the 16-bit words of `octets`; an odd last octet is padded with zero (RFC 1071). REQUIRES: fewer
// than 2^16 words in all.
[[nodiscard]] constexpr std::uint32_t checksum_add(std::uint32_t sum, OctetView octets) noexcept {
  std::size_t i = 0;
  for (; i + 1 < octets.size(); i += 2) sum += load16(&octets[i]);
  if (i < octets.size()) sum += std::uint32_t{octets[i]} << 8;
  return sum;
}

// Folds twice, which is enough, as the first fold leaves at most 0x1FFFE. A loop would be mispredicted.
[[nodiscard]] constexpr std::uint16_t checksum_fold(std::uint32_t sum) noexcept {
  sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(sum + (sum >> 16));
}

// Returns the checksum field that makes `sum` right.
[[nodiscard]] constexpr std::uint16_t checksum_finish(std::uint32_t sum) noexcept {
  return static_cast<std::uint16_t>(~checksum_fold(sum));
}

// Returns a checksum after the sum of the covered words has grown by `sum_of_new - sum_of_old`: HC' = ~(~HC + ~m + m')
// of RFC 1624, equation 3. For several words, `delta` is the sum of each new word plus the complement of each old word.
[[nodiscard]] constexpr std::uint16_t checksum_update(std::uint16_t checksum, std::uint32_t delta) noexcept {
  return checksum_finish((~std::uint32_t{checksum} & 0xFFFF) + delta);
}

// Returns the contribution of a changed word to `delta` of checksum_update.
[[nodiscard]] constexpr std::uint32_t word_delta(std::uint16_t from, std::uint16_t to) noexcept {
  return (~std::uint32_t{from} & 0xFFFF) + to;
}

}  // namespace headroom

#endif  // HEADROOM_BASE_OCTETS_H
