// SPDX-License-Identifier: Apache-2.0
//
// The formats of 7.3.2, 7.3.2.1 and 7.3.2.2, bit by bit.
#include "taroc/wire/compressed.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom::taroc::wire {
namespace {

using Written = std::vector<std::uint8_t>;

template <typename Part>
Written written(const Part& part) {
  std::uint8_t room[kLongestHeader];
  return {room, write(part, room)};
}

Header header_of(std::uint8_t flags, std::uint8_t pt = 0) {
  Header h;
  h.cid = 7;
  h.flags = flags;
  h.checksum = 0xABCD;
  h.pt = pt;
  return h;
}

TEST(Compressed, WithoutAnyChangeThereAreFourOctets) {
  EXPECT_EQ(written(header_of(0)), (Written{7, 0, 0xAB, 0xCD}));
  EXPECT_EQ(written(header_of(kP)), (Written{7, 0x10, 0xAB, 0xCD}));
}

// "R O I P S A W U"; R-octet, urgent pointer and WASI stand in this order.
TEST(Compressed, FieldsStandInTheOrderOfTheFigure) {
  Header h = header_of(kR | kU | kS | kI);
  h.r_octet = 0x5A;
  h.urgent = 300;  // as RFC 1144 has it: zero, and two octets
  h.sequence = 0b10101010101;
  h.packet_id = 0b110;
  // PT 00, C_SEQ of 11 bits, C_IP_ID of 3: 00 10101010101 110
  EXPECT_EQ(written(h), (Written{7, 0xA9, 0xAB, 0xCD, 0x5A, 0x00, 0x01, 0x2C, 0x2A, 0xAE}));
  h.urgent = 44;
  EXPECT_EQ(written(h), (Written{7, 0xA9, 0xAB, 0xCD, 0x5A, 0x2C, 0x2A, 0xAE}));
}

// The table of 7.3.2.1, with ones in C_ACK and C_IP_ID, and zeros in C_WIN and C_SEQ.
TEST(Compressed, WasiOfEachPacketType) {
  const Written wasi[] = {
      // 00 0000000000 11111111111 00000000000 111, and 3 bits of padding
      {0x00, 0x0F, 0xFE, 0x00, 0x38},
      // 01 00000000000000 111111111111111 000000000000000 1111111, and 3
      {0x40, 0x00, 0xFF, 0xFE, 0x00, 0x03, 0xF8},
      // 10 (16) (19) (19) 11111111111, and 5
      {0x80, 0x00, 0x3F, 0xFF, 0xF8, 0x00, 0x00, 0xFF, 0xE0},
      // 11 (16) (23) (23) 111111111111111, and 1
      {0xC0, 0x00, 0x3F, 0xFF, 0xFF, 0x80, 0x00, 0x00, 0xFF, 0xFE},
  };
  for (std::uint8_t pt = 0; pt < 4; ++pt) {
    Header h = header_of(kW | kA | kS | kI, pt);
    h.acknowledgement = (1u << kWasiLengths[pt].acknowledgement) - 1;
    h.packet_id = (1u << kWasiLengths[pt].packet_id) - 1;
    Written expected = {7, 0x2E, 0xAB, 0xCD};
    expected.insert(expected.end(), wasi[pt].begin(), wasi[pt].end());
    EXPECT_EQ(written(h), expected) << int{pt};
  }
}

TEST(Compressed, EveryHeaderComesBack) {
  for (unsigned flags = 0; flags < 256; ++flags) {
    for (std::uint8_t pt = 0; pt < 4; ++pt) {
      Header h = header_of(static_cast<std::uint8_t>(flags), (flags & kWasi) != 0 ? pt : std::uint8_t{0});
      if ((flags & kR) != 0) h.r_octet = 0xFD;
      if ((flags & kU) != 0) h.urgent = static_cast<std::uint16_t>(pt * 200);
      if ((flags & kW) != 0) h.window = 0x2AAAA & ((1u << kWasiLengths[pt].window) - 1);
      if ((flags & kA) != 0) h.acknowledgement = 0x555555 & ((1u << kWasiLengths[pt].acknowledgement) - 1);
      if ((flags & kS) != 0) h.sequence = 0x7FFFFF & ((1u << kWasiLengths[pt].sequence) - 1);
      if ((flags & kI) != 0) h.packet_id = 0x6DB6 & ((1u << kWasiLengths[pt].packet_id) - 1);
      const Written octets = written(h);
      EXPECT_LE(octets.size(), kLongestFront);
      const auto parsed = parse_header(octets);
      ASSERT_TRUE(parsed) << flags;
      EXPECT_EQ(parsed->length, octets.size());
      const Header& p = parsed->part;
      EXPECT_EQ(std::tie(p.cid, p.flags, p.checksum, p.r_octet, p.urgent, p.pt),
                std::tie(h.cid, h.flags, h.checksum, h.r_octet, h.urgent, h.pt));
      EXPECT_EQ(std::tie(p.window, p.acknowledgement, p.sequence, p.packet_id),
                std::tie(h.window, h.acknowledgement, h.sequence, h.packet_id));
      for (std::size_t length = 0; length < octets.size(); ++length)
        EXPECT_FALSE(parse_header(Octets(octets).first(length))) << flags << ", " << length;
    }
  }
}

// "PADDING: tailing zero".
TEST(Compressed, PaddingIsZero) {
  EXPECT_TRUE(parse_header(Written{7, kI, 0, 0, 0b00'101'000}));
  for (const unsigned bit : {1u, 2u, 4u})
    EXPECT_FALSE(parse_header(Written{7, kI, 0, 0, static_cast<std::uint8_t>(0b00'101'000 | bit)}));
}

TEST(Compressed, OptionsStandInTheOrderOfTheFigure) {
  Options o;
  EXPECT_EQ(written(o), (Written{0x00}));
  o.has_value = true;
  o.value = {0x1234, 15};
  EXPECT_EQ(written(o), (Written{0x08, 0x12, 0x34}));
  o.has_echo = true;
  o.echo = {0x2ABCDE, 22};
  EXPECT_EQ(written(o), (Written{0x0C, 0x12, 0x34, 0xAA, 0xBC, 0xDE}));
  o.blocks = 2;
  o.block[0] = {1460, 255};
  o.block[1] = {256, 1};
  EXPECT_EQ(written(o), (Written{0x0E, 0x12, 0x34, 0xAA, 0xBC, 0xDE, 0x00, 0x05, 0xB4, 0xFF, 0x00, 0x01, 0x00, 0x01}));
}

// The four forms of V: 0 and 15 bits, 10 and 22, 110 and 29, 1110 and four octets behind four bits without a meaning.
TEST(Compressed, TimestampsOfEachLength) {
  const std::pair<Lsb, Written> forms[] = {{{0x7FFF, 15}, {0x08, 0x7F, 0xFF}},
                                           {{0x3FFFFF, 22}, {0x08, 0xBF, 0xFF, 0xFF}},
                                           {{0x1FFFFFFF, 29}, {0x08, 0xDF, 0xFF, 0xFF, 0xFF}},
                                           {{0xFFFFFFFF, 32}, {0x08, 0xE0, 0xFF, 0xFF, 0xFF, 0xFF}}};
  for (const auto& [stamp, octets] : forms) {
    Options o;
    o.has_value = true;
    o.value = stamp;
    EXPECT_EQ(written(o), octets);
    const auto parsed = parse_options(octets);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->part.value.value, stamp.value);
    EXPECT_EQ(parsed->part.value.bits, stamp.bits);
    for (std::size_t length = 0; length < octets.size(); ++length)
      EXPECT_FALSE(parse_options(Octets(octets).first(length))) << length;
  }
  EXPECT_EQ(timestamp_bits(1), 15);
  EXPECT_EQ(timestamp_bits(15), 15);
  EXPECT_EQ(timestamp_bits(16), 22);
  EXPECT_EQ(timestamp_bits(23), 29);
  EXPECT_EQ(timestamp_bits(30), 32);
}

TEST(Compressed, ATimestampOfFourOnesIsNone) {
  EXPECT_FALSE(parse_options(Written{0x08, 0xF0, 1, 2, 3, 4}));
  EXPECT_FALSE(parse_options(Written{0x0C, 0x00, 0x01, 0xFF, 1, 2, 3, 4}));
}

TEST(Compressed, BitsWithoutAMeaningAreNotLookedAt) {
  const auto parsed = parse_options(Written{0xF8, 0xEF, 1, 2, 3, 4});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->part.value.value, 0x01020304u);
  EXPECT_EQ(parsed->part.blocks, 0);
}

TEST(Compressed, OptionsThatEndTooEarly) {
  const Written octets = {0x0F, 0x12, 0x34, 0xAA, 0xBC, 0xDE, 0x00, 0x05,
                          0xB4, 0xFF, 0x01, 0x01, 0x02, 0x00, 0x00, 0x00};
  const auto parsed = parse_options(octets);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->length, octets.size());
  EXPECT_EQ(parsed->part.block[2].offset, 2);
  EXPECT_EQ(parsed->part.block[2].size, 0);
  for (std::size_t length = 0; length < octets.size(); ++length)
    EXPECT_FALSE(parse_options(Octets(octets).first(length))) << length;
}

}  // namespace
}  // namespace headroom::taroc::wire
