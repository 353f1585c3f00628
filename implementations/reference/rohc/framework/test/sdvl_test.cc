// SPDX-License-Identifier: Apache-2.0
//
// Self-describing variable-length values, RFC 3095 4.5.6: the octets named there, every boundary, everything truncated.
#include "rohc/framework/wire/sdvl.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/octets.h"
#include "rohc/framework/test/support/random.h"

namespace headroom::rohc::wire {
namespace {

using test::hex;
using test::Packet;
using test::Random;

Packet written(std::uint32_t value, unsigned width) {
  std::uint8_t room[8] = {};
  Writer out(room);
  write_sdvl(out, value, width);
  EXPECT_TRUE(out.ok());
  return test::copy_of(out.written());
}

struct Case {
  const char* octets;
  std::uint32_t value;
  unsigned width;
};

// "Encoded octets in hexadecimal: 00 to 7F", "80 00 to BF FF", "C0 00 00 to DF FF FF", "E0 00 00 00 to FF FF FF FF",
// and TS_STRIDE 160.
constexpr Case kCases[] = {
    {"00", 0, 7},
    {"7f", 127, 7},
    {"80 00", 0, 14},
    {"80 80", 128, 14},
    {"80 a0", 160, 14},
    {"bf ff", 16383, 14},
    {"c0 00 00", 0, 21},
    {"c0 40 00", 16384, 21},
    {"df ff ff", 2097151, 21},
    {"e0 00 00 00", 0, 29},
    {"e0 20 00 00", 2097152, 29},
    {"ff ff ff ff", 536870911, 29},
};

TEST(Sdvl, OctetsOfTheText) {
  for (const Case& c : kCases) {
    EXPECT_EQ(written(c.value, c.width), hex(c.octets)) << c.value << " in " << c.width;
    const Packet octets = hex(c.octets);
    Reader in(octets);
    const Sdvl v = read_sdvl(in);
    EXPECT_EQ(v.value, c.value) << c.octets;
    EXPECT_EQ(v.width, c.width) << c.octets;
    EXPECT_EQ(in.remaining(), 0U);
    EXPECT_EQ(sdvl_octets(c.width), octets.size());
  }
}

TEST(Sdvl, SmallestWidth) {
  EXPECT_EQ(sdvl_width(0), 7U);
  EXPECT_EQ(sdvl_width(127), 7U);
  EXPECT_EQ(sdvl_width(128), 14U);
  EXPECT_EQ(sdvl_width(16383), 14U);
  EXPECT_EQ(sdvl_width(16384), 21U);
  EXPECT_EQ(sdvl_width(2097151), 21U);
  EXPECT_EQ(sdvl_width(2097152), 29U);
  EXPECT_EQ(sdvl_width(536870911), 29U);
  EXPECT_EQ(sdvl_width(536870912), 0U);  // needs a thirtieth bit
  EXPECT_EQ(sdvl_width(0xffffffffU), 0U);
}

TEST(Sdvl, EveryTruncationFails) {
  for (const Case& c : kCases) {
    const Packet octets = hex(c.octets);
    for (std::size_t length = 0; length < octets.size(); ++length) {
      Reader in(Octets(octets).first(length));
      EXPECT_EQ(read_sdvl(in).width, 0) << c.octets << " cut to " << length;
      EXPECT_FALSE(in.ok());
    }
  }
}

TEST(Sdvl, RoundTripInEveryWidthThatHolds) {
  Random random(1);
  const auto round_trip = [](std::uint32_t value) {
    for (const unsigned width : kSdvlBits) {
      if (value >> width != 0) continue;
      const Packet octets = test::joined(written(value, width), hex("5a"));
      Reader in(octets);
      const Sdvl v = read_sdvl(in);
      ASSERT_EQ(v.value, value);
      ASSERT_EQ(v.width, width);
      ASSERT_EQ(in.remaining(), 1U) << "takes its own octets and no more";
    }
  };
  for (std::uint32_t value = 0; value < 20'000; ++value) round_trip(value);
  for (int i = 0; i < 20'000; ++i) round_trip(random.word32() >> (3 + random.below(29)));
}

}  // namespace
}  // namespace headroom::rohc::wire
