// SPDX-License-Identifier: Apache-2.0
#include "vj/wire/changes.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom::vj::wire {
namespace {

std::vector<std::uint8_t> written(std::uint16_t value) {
  std::uint8_t room[3];
  return {room, write_change(room, value)};
}

// "Decimal 15 is encoded as hex 0f, 255 as ff, 65534 as 00 ff fe, and zero as 00 00 00" (3.2.2).
TEST(Changes, TheExamplesOfTheSpecification) {
  EXPECT_EQ(written(15), (std::vector<std::uint8_t>{0x0F}));
  EXPECT_EQ(written(255), (std::vector<std::uint8_t>{0xFF}));
  EXPECT_EQ(written(65534), (std::vector<std::uint8_t>{0x00, 0xFF, 0xFE}));
  EXPECT_EQ(written(0), (std::vector<std::uint8_t>{0x00, 0x00, 0x00}));
  EXPECT_EQ(written(256), (std::vector<std::uint8_t>{0x00, 0x01, 0x00}));
}

TEST(Changes, EveryMaskComesBack) {
  for (unsigned mask = 0; mask < 0x80; ++mask) {
    for (const unsigned number : {1u, 255u, 256u, 65535u}) {
      const auto value = static_cast<std::uint16_t>(number);
      Changes c;
      c.mask = static_cast<std::uint8_t>(mask);
      if ((mask & kC) != 0) c.connection = 7;
      c.checksum = 0xABCD;
      if (!c.special()) {
        if ((mask & kU) != 0) c.urgent = value;
        if ((mask & kW) != 0) c.window = value;
        if ((mask & kA) != 0) c.acknowledgement = value;
        if ((mask & kS) != 0) c.sequence = value;
      }
      if ((mask & kI) != 0) c.packet_id = value;
      std::vector<std::uint8_t> octets(kLongestHeader);
      octets.resize(write(c, octets.data()));
      const auto parsed = parse(octets);
      ASSERT_TRUE(parsed) << mask;
      EXPECT_EQ(parsed->length, octets.size());
      EXPECT_EQ(parsed->changes.mask, c.mask);
      EXPECT_EQ(parsed->changes.connection, c.connection);
      EXPECT_EQ(parsed->changes.checksum, c.checksum);
      EXPECT_EQ(parsed->changes.urgent, c.urgent);
      EXPECT_EQ(parsed->changes.window, c.window);
      EXPECT_EQ(parsed->changes.acknowledgement, c.acknowledgement);
      EXPECT_EQ(parsed->changes.sequence, c.sequence);
      EXPECT_EQ(parsed->changes.packet_id, c.packet_id);
      // Each shorter one ends too early.
      for (std::size_t length = 0; length < octets.size(); ++length)
        EXPECT_FALSE(parse(Octets(octets).first(length))) << mask << ", " << length;
    }
  }
}

// "The most significant bit of the first byte of the compressed header is ignored" (B.1).
TEST(Changes, TheFreeBitIsIgnored) {
  const std::vector<std::uint8_t> octets = {0x8F, 0x12, 0x34};
  const auto parsed = parse(octets);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->changes.mask, 0x0F);
  EXPECT_EQ(parsed->length, octets.size());
}

// Figure 5 from top to bottom: urgent pointer, window, acknowledgement, sequence number, IP ID.
TEST(Changes, FieldsStandInTheOrderOfFigure5) {
  const std::vector<std::uint8_t> octets = {0x75, 3, 0xAA, 0xBB, 5, 6, 0, 1, 2};
  const auto parsed = parse(octets);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->changes.connection, 3);
  EXPECT_EQ(parsed->changes.checksum, 0xAABB);
  EXPECT_EQ(parsed->changes.urgent, 5);
  EXPECT_EQ(parsed->changes.acknowledgement, 6);
  EXPECT_EQ(parsed->changes.packet_id, 0x0102);
  EXPECT_EQ(parsed->length, octets.size());
}

}  // namespace
}  // namespace headroom::vj::wire
