// SPDX-License-Identifier: Apache-2.0
//
// Context identifiers, RFC 3095 5.1.3 and 5.2, RFC 5795 5.2.1: where they stand, and that every one survives.
#include "rohc/framework/wire/cid.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/octets.h"

namespace headroom::rohc::wire {
namespace {

using test::hex;
using test::Packet;

Packet around(bool large, std::uint32_t cid, std::uint8_t first) {
  std::uint8_t room[8] = {};
  Writer out(room);
  write_first_octet(out, make_cid_octets(large, cid), first);
  EXPECT_TRUE(out.ok());
  return test::copy_of(out.written());
}

TEST(Cid, SmallCidStandsBeforeTheTypeOctet) {
  EXPECT_EQ(around(false, 0, 0x55), hex("55")) << "CID 0 takes no octet";
  EXPECT_EQ(around(false, 1, 0x55), hex("e1 55"));
  EXPECT_EQ(around(false, 15, 0x55), hex("ef 55"));
}

TEST(Cid, LargeCidStandsAfterTheTypeOctet) {
  EXPECT_EQ(around(true, 0, 0x55), hex("55 00"));
  EXPECT_EQ(around(true, 127, 0x55), hex("55 7f"));
  EXPECT_EQ(around(true, 128, 0x55), hex("55 80 80"));
  EXPECT_EQ(around(true, 16383, 0x55), hex("55 bf ff"));
}

TEST(Cid, SizeCountsItsOctets) {
  EXPECT_EQ(make_cid_octets(false, 0).size(), 0U);
  EXPECT_EQ(make_cid_octets(false, 9).size(), 1U);
  EXPECT_EQ(make_cid_octets(true, 0).size(), 1U);
  EXPECT_EQ(make_cid_octets(true, 300).size(), 2U);
}

TEST(Cid, EverySmallCidIsAnAddCidOctetAndZeroIsPadding) {
  for (unsigned octet = 0; octet < 256; ++octet) {
    EXPECT_EQ(is_add_cid(static_cast<std::uint8_t>(octet)), octet >= 0xe1 && octet <= 0xef) << octet;
  }
  EXPECT_EQ(kPadding, 0xe0);
}

TEST(Cid, EveryLargeCidSurvives) {
  for (std::uint32_t cid = 0; cid <= kMaxLargeCid; ++cid) {
    const Packet octets = around(true, cid, 0x55);
    Reader in(Octets(octets).subspan(1));
    ASSERT_EQ(read_large_cid(in), cid);
    ASSERT_EQ(in.remaining(), 0U);
  }
}

// "If the field starts with 110 or 111, this would generate a parsing error" (RFC 5795 5.2.3).
TEST(Cid, NoMoreThanTwoOctets) {
  for (const char* octets : {"c0 00 01", "df ff ff", "e0 00 00 01", "ff ff ff ff"}) {
    const Packet packet = hex(octets);
    Reader in(packet);
    EXPECT_FALSE(read_large_cid(in).has_value()) << octets;
  }
}

TEST(Cid, TruncatedLargeCid) {
  Reader nothing(Octets{});
  EXPECT_FALSE(read_large_cid(nothing).has_value());
  const Packet half = hex("80");
  Reader in(half);
  EXPECT_FALSE(read_large_cid(in).has_value());
}

TEST(Cid, DoesNotFit) {
  for (const auto& [large, cid, room] :
       {std::tuple{false, 3U, 1U}, {true, 3U, 1U}, {true, 300U, 2U}, {false, 0U, 0U}}) {
    std::uint8_t octets[4];
    Writer out({octets, room});
    write_first_octet(out, make_cid_octets(large, cid), 0x55);
    EXPECT_FALSE(out.ok()) << cid << " in " << room;
  }
}

}  // namespace
}  // namespace headroom::rohc::wire
