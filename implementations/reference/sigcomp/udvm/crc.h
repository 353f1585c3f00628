// SPDX-License-Identifier: Apache-2.0
//
// The CRC of RFC 3320 9.3.5: the 16-bit frame check sequence of PPP (RFC 1662 C.2), x^16 + x^12 + x^5 + 1, as an
// integer value.
#pragma once

#include <array>

#include "mutants.h"
#include "sigcomp/octets.h"

namespace headroom::sigcomp::udvm {

namespace detail {
constexpr std::array<std::uint16_t, 256> make_fcs_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned octet = 0; octet < 256; ++octet) {
    unsigned state = octet;
    for (int bit = 0; bit < 8; ++bit) state = (state & 1) != 0 ? state >> 1 ^ 0x8408 : state >> 1;
    table[octet] = static_cast<std::uint16_t>(state);
  }
  return table;
}
inline constexpr auto kFcsTable = make_fcs_table();
}  // namespace detail

[[nodiscard]] inline std::uint16_t fcs16(Octets octets) noexcept {
  unsigned state = 0xffff;
  for (const std::uint8_t octet : octets) state = state >> 8 ^ detail::kFcsTable[(state ^ octet) & 0xff];
  return static_cast<std::uint16_t>(mutant("sigcomp-crc-complemented") ? state ^ 0xffff : state);
}

}  // namespace headroom::sigcomp::udvm
