// SPDX-License-Identifier: Apache-2.0
//
// Appendix A: its examples, and every pair of a reference and a value.
#include "taroc/wire/wlsb.h"

#include <gtest/gtest.h>

#include <random>

namespace headroom::taroc::wire {
namespace {

// "Suppose packets with header fields 279, 280, 281, 282, and 283 have been sent, and 279 and 283 are fields of
// potential reference packets. The current VSW window is {279, 283}."
constexpr Range kExample = {279, 283};

TEST(Wlsb, Example1NormalOperation) {
  EXPECT_EQ(kExample.reach(284), 5u);  // "max[|284-279|,|284-283|]=5"
  EXPECT_EQ(bits_needed(5), 4u);
  EXPECT_EQ(low_bits(284, 4), 0b1100u);  // 284 is 100011100, of which the draft leaves a bit out
}

TEST(Wlsb, Example2PacketLoss) {
  EXPECT_EQ(kExample.reach(290), 11u);
  EXPECT_EQ(bits_needed(11), 5u);
  EXPECT_EQ(low_bits(290, 5), 0b00010u);
  Range window = kExample;
  window.unite({290, 290});  // "the new VSW is {279, 283, 290}"
  EXPECT_EQ(window.min, 279u);
  EXPECT_EQ(window.max, 290u);
}

TEST(Wlsb, Example3Misordering) {
  EXPECT_EQ(kExample.reach(278), 5u);
  EXPECT_EQ(bits_needed(5), 4u);
  EXPECT_EQ(low_bits(278, 4), 0b0110u);
  Range window = kExample;
  window.unite({278, 278});  // {279, 283, 278}: the draft has the one of example 2 here
  EXPECT_EQ(window.min, 278u);
  EXPECT_EQ(window.max, 283u);
}

// "The two closest values to 291, which have LSBs equal to 01111, are 271 and 303. 303 is closest."
TEST(Wlsb, TheDecompressorsExample) {
  EXPECT_EQ(low_bits(303, 5), 0b01111u);  // 303 is 100101111, of which the draft has another number
  EXPECT_EQ(low_bits(271, 5), 0b01111u);
  EXPECT_EQ(closest(291, 0b01111, 5), 303u);
}

// k = ceiling(log2(2 * r + 1)), written with the powers of two.
TEST(Wlsb, BitsAreTheFewestOfTheFormula) {
  for (std::uint32_t r = 0; r < 5000; ++r) {
    unsigned k = 0;
    while ((1u << k) < 2 * r + 1) ++k;
    EXPECT_EQ(bits_needed(r), k) << r;
  }
  EXPECT_EQ(bits_needed(0x7FFFFFFF), 32u);
}

TEST(Wlsb, EveryReferenceOfTheWindowSuffices) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto base = static_cast<std::uint32_t>(random());
    const std::uint32_t span = static_cast<std::uint32_t>(random()) >> (3 + random() % 29);
    const Range window = {base, base + span};
    const std::uint32_t value = base + (static_cast<std::uint32_t>(random()) >> (3 + random() % 29)) -
                                (static_cast<std::uint32_t>(random()) >> (3 + random() % 29));
    const unsigned k = bits_needed(window.reach(value));
    const std::uint32_t inside = base + (span == 0 ? 0 : static_cast<std::uint32_t>(random() % span));
    for (const std::uint32_t reference : {window.min, window.max, inside}) {
      if (k == 0) {
        EXPECT_EQ(reference, value);
      } else {
        for (unsigned more = k; more <= 32; ++more)
          ASSERT_EQ(closest(reference, low_bits(value, more), more), value) << reference << ' ' << more;
      }
    }
    // One bit less would not do for the farther end.
    if (k < 2) continue;
    const bool below = closest(window.min, low_bits(value, k - 1), k - 1) == value;
    const bool above = closest(window.max, low_bits(value, k - 1), k - 1) == value;
    const std::uint32_t r = window.reach(value);
    if (std::has_single_bit(r)) continue;  // where two are closest, one of them is taken
    EXPECT_FALSE(below && above) << base << ' ' << span << ' ' << value;
  }
}

TEST(Wlsb, NumbersGoRound) {
  const Range window = {0xFFFFFFF0, 0x00000010};
  EXPECT_EQ(window.span(), 0x20u);
  EXPECT_EQ(window.reach(0x20), 0x30u);
  EXPECT_EQ(window.reach(0xFFFFFFE0), 0x30u);
  EXPECT_EQ(closest(0xFFFFFFF0, 0x20 & 0x7F, 7), 0x20u);
  EXPECT_EQ(closest(0x00000010, 0xE0 & 0x7F, 7), 0xFFFFFFE0u);
}

}  // namespace
}  // namespace headroom::taroc::wire
