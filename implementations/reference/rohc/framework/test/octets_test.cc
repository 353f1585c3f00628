// SPDX-License-Identifier: Apache-2.0
//
// The bounded reader and writer under every parser: byte order, and that nothing passes an end.
#include "rohc/framework/wire/octets.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/octets.h"

namespace headroom::rohc::wire {
namespace {

using test::hex;
using test::Packet;
using test::to_hex;

TEST(Octets, NetworkByteOrder) {
  const Packet p = hex("01 02 03 04 05 06 07 08");
  EXPECT_EQ(load16(p.data()), 0x0102);
  EXPECT_EQ(load32(p.data()), 0x01020304U);
  EXPECT_EQ(load_little16(p.data()), 0x0201);
  EXPECT_EQ(load_little32(p.data()), 0x04030201U);
  EXPECT_EQ(load_little64(p.data()), 0x0807060504030201U);
  std::uint8_t room[4];
  store32(room, 0xa1b2c3d4);
  EXPECT_EQ(to_hex(room), "a1 b2 c3 d4");
  store16(room, 0x0102);
  EXPECT_EQ(to_hex(room), "01 02 c3 d4");
  EXPECT_EQ(swap16(0x1234), 0x3412);
}

TEST(Reader, TakesInOrder) {
  const Packet p = hex("01 02 03 04 05 06 07 08");
  Reader in(p);
  EXPECT_EQ(in.peek(), 1);
  EXPECT_EQ(in.octet(), 1);
  EXPECT_EQ(in.two(), 0x0203);
  EXPECT_EQ(in.four(), 0x04050607U);
  EXPECT_EQ(in.remaining(), 1U);
  EXPECT_EQ(to_hex(in.rest()), "08");
  EXPECT_TRUE(in.ok());
}

TEST(Reader, FailsForGoodPastTheEnd) {
  const Packet p = hex("01 02 03");
  Reader in(p);
  EXPECT_EQ(in.four(), 0U);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.remaining(), 0U) << "what was there is not handed out piecemeal";
  EXPECT_EQ(in.octet(), 0);
  EXPECT_EQ(in.peek(), 0);
  EXPECT_FALSE(in.ok());
}

TEST(Reader, NothingToRead) {
  Reader in(Octets{});
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.peek(), 0);
  (void)in.take(0);
  EXPECT_TRUE(in.ok()) << "nothing was asked for";
  EXPECT_EQ(in.octet(), 0);
  EXPECT_FALSE(in.ok());
}

TEST(Writer, WritesInOrder) {
  std::uint8_t room[9] = {};
  Writer out(room);
  out.octet(1);
  out.two(0x0203);
  out.four(0x04050607);
  out.octets(hex("08 09"));
  out.octets({});
  EXPECT_TRUE(out.ok());
  EXPECT_EQ(to_hex(out.written()), "01 02 03 04 05 06 07 08 09");
}

TEST(Writer, LeavesOutWhatDoesNotFit) {
  std::uint8_t room[4] = {0xee, 0xee, 0xee, 0xee};
  Writer out(std::span<std::uint8_t>(room).first(3));
  out.two(0x0102);
  out.two(0x0304);
  EXPECT_FALSE(out.ok());
  EXPECT_EQ(to_hex(out.written()), "01 02");
  out.octet(5);
  EXPECT_FALSE(out.ok()) << "once failed, failed for good";
  EXPECT_EQ(room[3], 0xee);
}

}  // namespace
}  // namespace headroom::rohc::wire
