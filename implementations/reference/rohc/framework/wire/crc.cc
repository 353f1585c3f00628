// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/wire/crc.h"

#include "mutants.h"

namespace headroom::rohc::wire {
namespace {

// One octet through the register, bit by bit: the algorithm of RFC 4815 Appendix A.
template <typename Register>
constexpr Register feed(Register state, std::uint8_t octet, Register polynomial) {
  state = static_cast<Register>(state ^ octet);
  for (int bit = 0; bit < 8; ++bit) {
    state = static_cast<Register>((state & 1) != 0 ? (state >> 1) ^ polynomial : state >> 1);
  }
  return state;
}

// table[k][v]: the register after octet v and then k zero octets, so that eight octets can be looked up at once
// ("slicing").
template <typename Register>
using Slices = std::array<std::array<Register, 256>, 8>;

template <typename Register>
constexpr Slices<Register> make_slices(Register polynomial) {
  Slices<Register> slices{};
  for (unsigned v = 0; v < 256; ++v) {
    Register state = feed<Register>(0, static_cast<std::uint8_t>(v), polynomial);
    for (auto& slice : slices) {
      slice[v] = state;
      state = feed<Register>(state, 0, polynomial);
    }
  }
  return slices;
}

template <typename Register>
Register run(const Slices<Register>& slices, Octets octets, Register state) noexcept {
  const std::uint8_t* p = octets.data();
  std::size_t left = octets.size();
  for (; left >= 8; left -= 8, p += 8) {
    std::uint8_t first[4] = {p[0], p[1], p[2], p[3]};
    for (std::size_t i = 0; i < sizeof(Register); ++i) first[i] ^= static_cast<std::uint8_t>(state >> (8 * i));
    state = slices[7][first[0]] ^ slices[6][first[1]] ^ slices[5][first[2]] ^ slices[4][first[3]] ^ slices[3][p[4]] ^
            slices[2][p[5]] ^ slices[1][p[6]] ^ slices[0][p[7]];
  }
  for (; left > 0; --left, ++p) {
    const auto rest = static_cast<Register>(sizeof(Register) > 1 ? state >> (8 % (8 * sizeof(Register))) : 0);
    state = slices[0][static_cast<std::uint8_t>(state ^ *p)] ^ rest;
  }
  return state;
}

constexpr auto kSlices3 = make_slices<std::uint8_t>(kCrc3Polynomial);
constexpr auto kSlices7 = make_slices<std::uint8_t>(kCrc7Polynomial);
constexpr auto kSlices8 = make_slices<std::uint8_t>(kCrc8Polynomial);
// Other polynomials, for mutants: the reciprocals.
[[maybe_unused]] constexpr auto kWrong3 = make_slices<std::uint8_t>(0x05);
[[maybe_unused]] constexpr auto kWrong7 = make_slices<std::uint8_t>(0x67);
[[maybe_unused]] constexpr auto kWrong8 = make_slices<std::uint8_t>(0x07);
[[maybe_unused]] constexpr auto kWrong32 = make_slices<std::uint32_t>(0x82608edb);
constexpr auto kSlices32 = make_slices<std::uint32_t>(kCrc32Polynomial);

// The CRC-3 contribution of each residue: that of a single 1 at that index of a message of 56 bits (a multiple of 7).
constexpr std::array<std::uint8_t, 128> make_fold_table() {
  std::array<std::uint8_t, 7> of_residue{};
  for (unsigned residue = 0; residue < 7; ++residue) {
    std::uint8_t state = 0;
    for (unsigned octet = 0; octet < 7; ++octet) {
      state = feed<std::uint8_t>(state, octet == 0 ? static_cast<std::uint8_t>(1U << residue) : std::uint8_t{0},
                                 kCrc3Polynomial);
    }
    of_residue[residue] = state;
  }
  std::array<std::uint8_t, 128> table{};
  for (unsigned v = 0; v < 128; ++v) {
    for (unsigned residue = 0; residue < 7; ++residue) {
      if ((v >> residue & 1) != 0) table[v] = static_cast<std::uint8_t>(table[v] ^ of_residue[residue]);
    }
  }
  return table;
}

}  // namespace

const std::array<std::uint8_t, 128> Crc3Fold::kTable = make_fold_table();

std::uint8_t crc3(Octets octets, std::uint8_t state) noexcept {
  if (mutant("crc3-polynomial") || mutant("crc3-polynomial-received")) return run(kWrong3, octets, state);
  return run(kSlices3, octets, state);
}
std::uint8_t crc7(Octets octets, std::uint8_t state) noexcept {
  if (mutant("crc7-polynomial") || mutant("crc7-polynomial-received")) return run(kWrong7, octets, state);
  return run(kSlices7, octets, state);
}
std::uint8_t crc8(Octets octets, std::uint8_t state) noexcept {
  if (mutant("crc8-polynomial") || mutant("crc8-polynomial-received")) return run(kWrong8, octets, state);
  return run(kSlices8, octets, state);
}
std::uint32_t crc32(Octets octets, std::uint32_t state) noexcept {
  if (mutant("crc32-polynomial")) return run(kWrong32, octets, state);
  return run(kSlices32, octets, state);
}

}  // namespace headroom::rohc::wire
