// SPDX-License-Identifier: Apache-2.0
//
// Self-describing variable-length values, RFC 3095 4.5.6 (RFC 5795 5.3.2).
#pragma once

#include <cstdint>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc::wire {

// The bits of a value in an encoding of 1, 2, 3 and 4 octets.
inline constexpr unsigned kSdvlBits[] = {7, 14, 21, 29};

struct Sdvl {
  std::uint32_t value = 0;
  std::uint8_t width = 0;  // bits transferred: 7, 14, 21 or 29; 0 when reading failed
};

// Returns the smallest width in bits that holds `value`, or 0 if the value needs more than 29 bits.
[[nodiscard]] constexpr unsigned sdvl_width(std::uint32_t value) noexcept {
  for (const unsigned bits : kSdvlBits) {
    if (value >> bits == 0) return bits;
  }
  return 0;
}

[[nodiscard]] constexpr unsigned sdvl_octets(unsigned width) noexcept { return width == 29 ? 4 : (width + 6) / 7; }

// REQUIRES: width is one of kSdvlBits and value < 2^width.
inline void write_sdvl(Writer& out, std::uint32_t value, unsigned width) noexcept {
  switch (width) {
    case 7:
      out.octet(static_cast<std::uint8_t>(value));
      break;
    case 14:
      out.two(static_cast<std::uint16_t>(0x8000U | value));
      break;
    case 21:
      out.octet(static_cast<std::uint8_t>(0xc0U | value >> 16));
      out.two(static_cast<std::uint16_t>(value));
      break;
    default:
      out.four(0xe0000000U | value);
      break;
  }
}

[[nodiscard]] inline Sdvl read_sdvl(Reader& in) noexcept {
  const std::uint8_t first = in.peek();
  Sdvl result;
  if (first < 0x80) {
    result = {in.octet(), 7};
  } else if (first < 0xc0) {
    result = {static_cast<std::uint32_t>(in.two() & 0x3fffU), 14};
  } else if (first < 0xe0) {
    const std::uint32_t high = in.octet() & 0x1fU;
    result = {high << 16 | in.two(), 21};
  } else {
    result = {in.four() & 0x1fffffffU, 29};
  }
  return in.ok() ? result : Sdvl{};
}

}  // namespace headroom::rohc::wire
