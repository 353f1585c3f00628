// SPDX-License-Identifier: Apache-2.0
//
// The encodings of operands: RFC 3320 8.5, figures 8 to 10, as a table over the first octet.
#pragma once

#include <array>

#include "sigcomp/octets.h"

namespace headroom::sigcomp::udvm {

// The encoding that the first octet of an operand selects. The integer is base + ((the next two octets >> shift) &
// mask).
struct Encoding {
  std::uint16_t base = 0;
  std::uint16_t mask = 0;
  std::uint8_t shift = 0;
  std::uint8_t length = 0;  // octets of the operand, 1 to 3; 0: no operand begins with this octet
  bool in_memory = false;   // the integer is the address of the value: memory[X]
  [[nodiscard]] constexpr bool valid() const noexcept { return length != 0; }
};

using Encodings = std::array<Encoding, 256>;

namespace detail {

constexpr Encoding one(unsigned value, bool in_memory = false) {
  return {static_cast<std::uint16_t>(value), 0, 0, 1, in_memory};
}
// Returns the encoding nnnnn nnnnnnnn, whose first bits are in the first octet; `scale` is 1 or 2.
constexpr Encoding two(unsigned first, unsigned offset, unsigned scale, bool in_memory) {
  return {static_cast<std::uint16_t>(offset + scale * (first << 8)), static_cast<std::uint16_t>(scale * 0xff),
          static_cast<std::uint8_t>(scale == 2 ? 7 : 8), 2, in_memory};
}
constexpr Encoding three(bool in_memory) { return {0, 0xffff, 0, 3, in_memory}; }

// Returns the table of figure 8 (literal) or 9 (reference), which have the same bits; the shorter encodings of a
// reference count in words.
constexpr Encodings literal_or_reference(bool reference) {
  Encodings table{};
  const unsigned scale = reference ? 2 : 1;
  for (unsigned first = 0; first < 256; ++first) {
    Encoding& e = table[first];
    if (first < 0x80) {
      e = one(first * scale, reference);  // 0nnnnnnn
    } else if (first < 0xc0) {
      e = two(first & 0x3f, 0, scale, reference);  // 10nnnnnn nnnnnnnn
    } else if (first == 0xc0) {
      e = three(reference);  // 11000000 nnnnnnnn nnnnnnnn
    }
  }
  return table;
}

// Returns the table of figure 10.
constexpr Encodings multitype() {
  Encodings table{};
  for (unsigned first = 0; first < 256; ++first) {
    Encoding& e = table[first];
    if (first < 0x40) {
      e = one(first);  // 00nnnnnn
    } else if (first < 0x80) {
      e = one(2 * (first & 0x3f), true);  // 01nnnnnn: memory[2 * N]
    } else if (first == 0x80 || first == 0x81) {
      e = three(first == 0x81);  // 1000000x nnnnnnnn nnnnnnnn
    } else if (first == 0x86 || first == 0x87) {
      e = one(1U << ((first & 1) + 6));  // 1000011n: 2 ^ (N + 6)
    } else if (first >= 0x88 && first < 0x90) {
      e = one(1U << ((first & 7) + 8));  // 10001nnn: 2 ^ (N + 8)
    } else if (first >= 0x90 && first < 0xa0) {
      e = two(first & 0x0f, 61440, 1, false);  // 1001nnnn nnnnnnnn
    } else if (first >= 0xa0 && first < 0xc0) {
      e = two(first & 0x1f, 0, 1, false);  // 101nnnnn nnnnnnnn
    } else if (first >= 0xc0 && first < 0xe0) {
      e = two(first & 0x1f, 0, 1, true);  // 110nnnnn nnnnnnnn: memory[N]
    } else if (first >= 0xe0) {
      e = one((first & 0x1f) + 65504);  // 111nnnnn
    }
    // 10000010 to 10000101: no operand
  }
  return table;
}

}  // namespace detail

inline constexpr Encodings kLiteralEncodings = detail::literal_or_reference(false);
inline constexpr Encodings kReferenceEncodings = detail::literal_or_reference(true);
inline constexpr Encodings kMultitypeEncodings = detail::multitype();

// Returns the integer that an operand encodes; the memory is not read. REQUIRES: three readable octets at `p`.
[[nodiscard]] constexpr std::uint16_t integer_of(const Encoding& e, const std::uint8_t* p) noexcept {
  return static_cast<std::uint16_t>(e.base + ((load16(p + 1) >> e.shift) & e.mask));
}

}  // namespace headroom::sigcomp::udvm
