// SPDX-License-Identifier: Apache-2.0
//
// Operands: figures 8 to 10 of RFC 3320, row by row, and the assembler's encodings read back.
#include "sigcomp/udvm/operand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "sigcomp/assembler/encode.h"
#include "sigcomp/test/support/hex.h"

namespace headroom::sigcomp::udvm {
namespace {

using test::Bytes;

// What a figure says, read off it bit by bit: the pattern of the first octet, and what follows.
struct Row {
  const char* pattern;  // of all octets; "n" is a bit of N
  bool in_memory;
  unsigned scale;
  unsigned offset;
  bool power = false;  // 2 ^ (N + offset)
};

constexpr Row kFigure8[] = {
    {"0nnnnnnn", false, 1, 0}, {"10nnnnnnnnnnnnnn", false, 1, 0}, {"11000000nnnnnnnnnnnnnnnn", false, 1, 0}};
constexpr Row kFigure9[] = {
    {"0nnnnnnn", true, 2, 0}, {"10nnnnnnnnnnnnnn", true, 2, 0}, {"11000000nnnnnnnnnnnnnnnn", true, 1, 0}};
constexpr Row kFigure10[] = {{"00nnnnnn", false, 1, 0},
                             {"01nnnnnn", true, 2, 0},
                             {"1000011n", false, 1, 6, true},
                             {"10001nnn", false, 1, 8, true},
                             {"111nnnnn", false, 1, 65504},
                             {"1001nnnnnnnnnnnn", false, 1, 61440},
                             {"101nnnnnnnnnnnnn", false, 1, 0},
                             {"110nnnnnnnnnnnnn", true, 1, 0},
                             {"10000000nnnnnnnnnnnnnnnn", false, 1, 0},
                             {"10000001nnnnnnnnnnnnnnnn", true, 1, 0}};

// Checks every operand that the rows describe, and that nothing else is one.
template <std::size_t kRows>
void check(const Encodings& table, const Row (&rows)[kRows]) {
  std::array<bool, 256> described{};
  for (const Row& row : rows) {
    const std::string_view pattern = row.pattern;
    const std::size_t octets = pattern.size() / 8;
    const auto bits = static_cast<unsigned>(std::count(pattern.begin(), pattern.end(), 'n'));
    for (std::uint32_t n = 0; n < std::uint32_t{1} << bits; ++n) {
      std::uint32_t value = 0;
      for (const char c : pattern) value = value << 1 | (c == '1' ? 1U : 0U);
      value |= n;
      std::uint8_t operand[3] = {0x5a, 0xa5, 0xff};  // what follows must not matter
      for (std::size_t i = 0; i < octets; ++i) operand[i] = static_cast<std::uint8_t>(value >> 8 * (octets - 1 - i));
      const Encoding& e = table[operand[0]];
      described[operand[0]] = true;
      const std::uint32_t expected = row.power ? 1U << (n + row.offset) : row.scale * n + row.offset;
      ASSERT_EQ(e.length, octets) << row.pattern;
      ASSERT_EQ(e.in_memory, row.in_memory) << row.pattern;
      ASSERT_EQ(integer_of(e, operand), expected) << row.pattern << " N " << n;
    }
  }
  for (std::size_t first = 0; first < 256; ++first) EXPECT_EQ(table[first].valid(), described[first]) << first;
}

TEST(Operand, LiteralsAreAsInFigure8) { check(kLiteralEncodings, kFigure8); }
TEST(Operand, ReferencesAreAsInFigure9) { check(kReferenceEncodings, kFigure9); }
TEST(Operand, MultitypesAreAsInFigure10) { check(kMultitypeEncodings, kFigure10); }

TEST(Operand, WhatTheAssemblerEncodesReadsBackAndIsShortest) {
  struct Kind {
    OperandKind kind;
    bool in_memory;
    const Encodings& table;
  };
  const Kind kinds[] = {{OperandKind::kLiteral, false, kLiteralEncodings},
                        {OperandKind::kReference, true, kReferenceEncodings},
                        {OperandKind::kMultitype, false, kMultitypeEncodings},
                        {OperandKind::kMultitype, true, kMultitypeEncodings}};
  for (const Kind& kind : kinds) {
    // All of the small ones, where most encodings meet, and one in eleven of the others.
    for (std::uint32_t integer = 0; integer < 65536; integer += integer < 600 || integer > 65400 ? 1 : 11) {
      std::size_t shortest = 0;
      for (std::size_t least = 1; least <= 3; ++least) {
        Bytes octets;
        assembler::encode_operand(kind.kind, kind.in_memory, static_cast<std::uint16_t>(integer), least, octets);
        ASSERT_GE(octets.size(), least);
        if (least == 1) shortest = octets.size();
        Bytes readable = octets;
        readable.resize(3);
        const Encoding& e = kind.table[octets[0]];
        ASSERT_EQ(e.length, octets.size());
        ASSERT_EQ(e.in_memory, kind.in_memory);
        ASSERT_EQ(integer_of(e, readable.data()), integer);
      }
      // No encoding of any length below says the same.
      for (unsigned first = 0; first < 256; ++first) {
        const Encoding& e = kind.table[first];
        if (!e.valid() || e.in_memory != kind.in_memory || e.length >= shortest) continue;
        const std::uint32_t rest = integer - e.base;
        ASSERT_TRUE(integer < e.base || (rest & ~std::uint32_t{e.mask}) != 0) << integer;
      }
    }
  }
}

}  // namespace
}  // namespace headroom::sigcomp::udvm
