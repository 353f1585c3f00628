// SPDX-License-Identifier: Apache-2.0
//
// LSB encoding, RFC 3095 4.5.1: every value of every interpretation interval, and the offsets p of 5.7, 5.11 and RFC
// 4815 4.3.
#include "rohc/v1/encoding/lsb.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom::rohc {
namespace {

// "f(v_ref, k) = [v_ref - p, v_ref + (2^k - 1) - p]".
TEST(Lsb, EveryValueOfTheIntervalIsDecoded) {
  const std::uint32_t references[] = {0, 1, 7, 100, 0x7fff, 0x8000, 0xfff0, 0xffff};
  for (unsigned k = 0; k <= 10; ++k) {
    const std::int64_t size = std::int64_t{1} << k;
    for (std::int64_t p = -1; p < size; p += k < 6 ? 1 : size / 7) {
      for (const std::uint32_t reference : references) {
        for (std::int64_t distance = -p; distance < size - p; ++distance) {
          const auto value = static_cast<std::uint16_t>(reference + static_cast<std::uint32_t>(distance));
          const std::uint32_t lsb = value & static_cast<std::uint32_t>(size - 1);
          ASSERT_EQ(static_cast<std::uint16_t>(lsb_decode(lsb, k, reference, p)), value)
              << "k " << k << ", p " << p << ", v_ref " << reference;
          ASSERT_TRUE(lsb_covers(distance, k, p));
        }
        ASSERT_FALSE(lsb_covers(-p - 1, k, p));
        ASSERT_FALSE(lsb_covers(size - p, k, p));
      }
    }
  }
}

TEST(Lsb, CoversExactlyWhatDecodes) {
  for (unsigned k = 0; k <= 6; ++k) {
    for (std::int64_t p = -1; p < std::int64_t{1} << k; ++p) {
      for (std::int64_t distance = -128; distance < 128; ++distance) {
        const auto value = static_cast<std::uint32_t>(1000 + distance);
        const std::uint32_t lsb = value & ((1U << k) - 1);
        ASSERT_EQ(lsb_decode(lsb, k, 1000, p) == value, lsb_covers(distance, k, p))
            << "k " << k << ", p " << p << ", distance " << distance;
      }
    }
  }
}

TEST(Lsb, ThirtyTwoBitsTellEverything) {
  for (const std::uint32_t value : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
    for (const std::uint32_t reference : {0U, 5U, 0x80000000U, 0xffffffffU}) {
      EXPECT_EQ(lsb_decode(value, 32, reference, p_of_timestamp(32)), value);
      EXPECT_EQ(lsb_decode(value, 32, reference, -1), value);
    }
  }
}

TEST(Lsb, WrapsAroundIn32Bits) {
  EXPECT_EQ(lsb_decode(0x5, 4, 0xffffffffU, 0), 5U);
  EXPECT_EQ(lsb_decode(0xf, 4, 0x2U, 5), 0xffffffffU);
}

// "p = 1 if bits(SN) <= 4, p = 2^(bits(SN)-5) - 1 if bits(SN) > 4" (RFC 3095 5.7).
TEST(Lsb, OffsetOfAnSnFromThePacket) {
  const std::vector<std::int32_t> expected = {1, 1, 1, 1, 1, 0, 1, 3, 7, 15, 31, 63, 127, 255, 511};
  for (unsigned k = 0; k < expected.size(); ++k) EXPECT_EQ(p_of_packet_sn(k), expected[k]) << k;
}

// "always … p = -1 … The interpretation interval thus always starts with (ref_SN + 1)" (RFC 3095 5.11).
TEST(Lsb, OffsetOfAGeneratedSn) {
  for (unsigned k = 0; k <= 16; ++k) EXPECT_EQ(p_of_generated_sn(k), -1);
  EXPECT_FALSE(lsb_covers(0, 4, p_of_generated_sn(4)));
  EXPECT_TRUE(lsb_covers(1, 4, p_of_generated_sn(4)));
  EXPECT_TRUE(lsb_covers(16, 4, p_of_generated_sn(4)));
  EXPECT_FALSE(lsb_covers(17, 4, p_of_generated_sn(4)));
}

// "p = 2^(k-2) - 1" (RFC 3095 5.7, RFC 4815 4.3): a quarter of the interval lies behind the reference.
TEST(Lsb, OffsetOfATimestamp) {
  EXPECT_EQ(p_of_timestamp(2), 0);
  EXPECT_EQ(p_of_timestamp(5), 7);
  EXPECT_EQ(p_of_timestamp(6), 15);
  EXPECT_EQ(p_of_timestamp(8), 63);
  EXPECT_EQ(p_of_timestamp(32), (std::int64_t{1} << 30) - 1);
}

}  // namespace
}  // namespace headroom::rohc
