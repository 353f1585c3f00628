// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/page_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace headroom::rohc {
namespace {

struct alignas(128) Line {
  std::uint8_t octets[128];
};

TEST(PageArray, BeginsAsZeros) {
  PageArray<Line> lines(1000);
  ASSERT_EQ(lines.size(), 1000U);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::uint8_t octet : lines[i].octets) ASSERT_EQ(octet, 0) << i;
  }
}

TEST(PageArray, ElementsLieApartAndAligned) {
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{3}, std::size_t{31}, std::size_t{33}, std::size_t{20'000}}) {
    PageArray<Line> lines(count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&lines[i]) % 128, 0U);
      lines[i].octets[0] = static_cast<std::uint8_t>(i);
      lines[i].octets[127] = static_cast<std::uint8_t>(~i);
    }
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(lines[i].octets[0], static_cast<std::uint8_t>(i));
      ASSERT_EQ(lines[i].octets[127], static_cast<std::uint8_t>(~i));
    }
  }
}

// Huge pages can only serve what begins where one begins.
TEST(PageArray, LargeArraysBeginAtAHugePage) {
  PageArray<Line> lines(100'000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&lines[0]) % (std::size_t{2} << 20), 0U);
}

TEST(PageArray, ReadsThroughConst) {
  PageArray<std::uint32_t> numbers(10);
  numbers[9] = 5;
  const auto& view = numbers;
  EXPECT_EQ(view[9], 5U);
  EXPECT_EQ(view.size(), 10U);
}

// Address space is asked for, memory is not: a thousand arrays of a gigabyte each can be had one after the other.
TEST(PageArray, CostsNothingUntilTouchedAndIsGivenBack) {
  for (int i = 0; i < 1000; ++i) {
    PageArray<Line> lines(std::size_t{1} << 23);
    lines[static_cast<std::size_t>(i) << 12].octets[0] = 1;
  }
}

TEST(PageArray, TooMuchIsAnException) { EXPECT_THROW(PageArray<Line>(std::size_t{1} << 50), std::bad_alloc); }

// Numbers whose octets, rounded up to pages and with room for alignment, no std::size_t can count: modulo 2^64 there
// would be few of them.
TEST(PageArray, MoreThanCanBeCountedIsAnException) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  for (const std::size_t count : {kMost, kMost / 2 + 2, kMost / sizeof(Line) + 2})
    EXPECT_THROW(PageArray<Line>{count}, std::bad_alloc) << count;
  for (const std::size_t octets : {kMost, kMost - 100, kMost - (std::size_t{2} << 20), kMost - (std::size_t{4} << 20)})
    EXPECT_THROW(PageArray<std::uint8_t>{octets}, std::bad_alloc) << octets;
}

}  // namespace
}  // namespace headroom::rohc
