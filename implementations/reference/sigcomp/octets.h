// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes 2-byte words in network byte order: "MSBs of each 2-byte word are stored preceding the LSBs" (RFC
// 3320 7.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headroom::sigcomp {

using Octets = std::span<const std::uint8_t>;

[[nodiscard]] constexpr std::uint16_t load16(const std::uint8_t* p) noexcept {
  return static_cast<std::uint16_t>(p[0] << 8 | p[1]);
}

constexpr void store16(std::uint8_t* p, std::uint16_t value) noexcept {
  p[0] = static_cast<std::uint8_t>(value >> 8);
  p[1] = static_cast<std::uint8_t>(value);
}

}  // namespace headroom::sigcomp
