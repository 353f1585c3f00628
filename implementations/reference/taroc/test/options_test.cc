// SPDX-License-Identifier: Apache-2.0
#include "taroc/options.h"

#include <gtest/gtest.h>

#include <random>

#include "packets.h"

namespace headroom::taroc {
namespace {

using testing::Packet;
using testing::sack;
using testing::timestamps;

PacketOptions read(const Packet& octets) { return read_options(octets.data(), octets.size()); }

Packet operator+(Packet a, const Packet& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The options with their own values, in the form of a context.
Packet filled(const OptionForm& form, const PacketOptions& packet) {
  const auto length = length_of(form, packet.values.sack_blocks);
  if (!length) return {0xFF};
  Packet octets(wire::kMostOptions);
  write_options(form, packet.values, octets.data());
  octets.resize(*length);
  return octets;
}

const Packet kSignature = {19, 18, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};  // RFC 2385

TEST(Options, AreReadAndFilledIn) {
  const Packet cases[] = {
      {},
      timestamps(1, 2),
      timestamps(1, 2) + sack({{10, 20}}),
      timestamps(1, 2) + sack({{10, 20}, {30, 40}, {50, 60}}),
      sack({{10, 20}, {30, 40}}),
      sack({{10, 20}}) + timestamps(1, 2),
      {1, 1, 1, 0},
      {0, 7, 7, 7},
      kSignature + Packet{1, 1},
      Packet{8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1},
      Packet{253, 4, 9, 9} + timestamps(1, 2) + Packet{254, 2, 1, 0},
      Packet{5, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1},
      Packet{1, 1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1, 1},
  };
  for (const Packet& octets : cases) {
    const PacketOptions options = read(octets);
    EXPECT_TRUE(options.form.is_readable);
    EXPECT_TRUE(fits(options.form, options));
    EXPECT_EQ(filled(options.form, options), octets);
  }
}

TEST(Options, WhatCannotBeTakenApart) {
  for (const Packet& octets : {Packet{1, 1, 1, 8}, Packet{8, 0, 1, 1}, Packet{8, 1, 1, 1}, Packet{8, 10, 1, 1},
                               Packet{3, 5, 1, 1}, Packet{5, 2, 1, 1}, Packet{5, 9, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1},
                               timestamps(1, 2) + timestamps(1, 2), sack({{1, 2}}) + sack({{1, 2}})}) {
    const PacketOptions options = read(octets);
    EXPECT_FALSE(options.form.is_readable) << ::testing::PrintToString(octets);
    EXPECT_FALSE(fits(options.form, options));
  }
}

TEST(Options, TheSackOptionComesAndGoes) {
  const PacketOptions plain = read(timestamps(1, 2)), one = read(timestamps(3, 4) + sack({{10, 20}})),
                      front = read(sack({{10, 20}}) + timestamps(3, 4)), none = read({}), alone = read(sack({{1, 2}}));
  EXPECT_TRUE(fits(plain.form, one));
  EXPECT_TRUE(fits(one.form, plain));
  EXPECT_TRUE(fits(front.form, plain));
  EXPECT_TRUE(fits(none.form, alone));
  EXPECT_FALSE(fits(plain.form, front)) << "another order";
  EXPECT_FALSE(fits(front.form, one));
  EXPECT_FALSE(fits(none.form, plain));
  EXPECT_EQ(filled(plain.form, one), timestamps(3, 4) + sack({{10, 20}}));
  EXPECT_EQ(filled(one.form, plain), timestamps(1, 2));
  EXPECT_EQ(filled(front.form, plain), timestamps(1, 2));
  // Behind three NOPs, or with four blocks.
  EXPECT_FALSE(fits(none.form, read({1, 1, 1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1, 1})));
  EXPECT_FALSE(fits(none.form, read(sack({{1, 2}, {3, 4}, {5, 6}, {7, 8}}))));
}

TEST(Options, AnotherFormDoesNotFit) {
  const PacketOptions context = read(timestamps(1, 2) + Packet{253, 4, 9, 9});
  EXPECT_TRUE(fits(context.form, read(timestamps(1, 2) + Packet{253, 4, 8, 8}))) << "other octets of the option";
  for (const Packet& octets :
       {timestamps(1, 2), timestamps(1, 2) + Packet{252, 4, 9, 9}, Packet{253, 4, 9, 9} + timestamps(1, 2),
        timestamps(1, 2) + Packet{253, 3, 9, 1}, timestamps(1, 2) + Packet{253, 4, 9, 9} + Packet{1, 1, 1, 1}})
    EXPECT_FALSE(fits(context.form, read(octets))) << ::testing::PrintToString(octets);
}

TEST(Options, ThereIsRoomForFortyOctets) {
  EXPECT_EQ(length_of(read(timestamps(1, 2)).form, 3), 40u);
  EXPECT_EQ(length_of(read(timestamps(1, 2) + Packet{253, 4, 9, 9}).form, 3), std::nullopt);
  EXPECT_EQ(length_of(read(kSignature + Packet{1, 1}).form, 2), 40u);
  EXPECT_EQ(length_of(read(kSignature + Packet{1, 1}).form, 3), std::nullopt);
  // Of the form of an option that stood behind one NOP and was cut out.
  EXPECT_EQ(length_of(read({1, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2, 0}).form, 0), std::nullopt);
}

TEST(Options, AnyOctetsAreTakenOrNot) {
  std::mt19937 random(9);
  constexpr std::uint8_t kKinds[] = {0, 1, 5, 8, 10, 2, 18, 26, 3, 4};
  for (int i = 0; i < 200'000; ++i) {
    Packet octets(random() % 11 * 4);
    for (std::uint8_t& octet : octets)
      octet = random() % 4 == 0 ? static_cast<std::uint8_t>(random()) : kKinds[random() % sizeof kKinds];
    const PacketOptions options = read(octets);
    if (fits(options.form, options)) {
      ASSERT_EQ(filled(options.form, options), octets);
    }
  }
}

}  // namespace
}  // namespace headroom::taroc
