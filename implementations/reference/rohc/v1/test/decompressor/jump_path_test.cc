// SPDX-License-Identifier: Apache-2.0
//
// What the path for packets after silence reads of a header, against the readers of base headers and extensions.
#include "rohc/v1/decompressor/jump_path.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/octets.h"
#include "rohc/framework/test/support/random.h"
#include "rohc/v1/wire/base_header.h"
#include "rohc/v1/wire/extension.h"

namespace headroom::rohc {
namespace {

using test::Packet;
using test::Random;
using test::to_hex;

TEST(JumpPath, ReadsWhatTheReadersRead) {
  Random random(1);
  unsigned read = 0, with_extension = 0;
  for (int round = 0; round < 300'000; ++round) {
    const auto first = static_cast<std::uint8_t>(random.between(0x80, 0xdf));
    Packet rest(random.below(8));
    for (auto& octet : rest) octet = random.octet();
    const bool t_bit = random.flip();
    const auto h = jump::read(first, rest, t_bit);
    if (!h) continue;
    ++read;
    wire::Reader in(rest);
    const auto base = wire::read_base_header(first, in, wire::Format::kRtp, t_bit);
    ASSERT_TRUE(base) << to_hex(rest);
    wire::Extension extension;
    if (base->extension) {
      const auto found = wire::read_extension(in, wire::Format::kRtp, wire::t_field_of(base->type));
      ASSERT_TRUE(found);
      extension = *found;
      ASSERT_EQ(extension.kind, 0);
      ++with_extension;
    }
    const wire::Bits sn = base->sn.followed_by(extension.sn), ts = base->ts.followed_by(extension.ts);
    ASSERT_EQ(h->type, base->type) << to_hex(rest);
    ASSERT_EQ(h->marker, base->marker);
    ASSERT_EQ(h->sn_bits, sn.width);
    ASSERT_EQ(h->sn, sn.value) << to_hex(rest);
    ASSERT_EQ(h->ts_bits, ts.width);
    ASSERT_EQ(h->ts, ts.value) << to_hex(rest);
    ASSERT_EQ(h->crc_bits, base->crc_width);
    ASSERT_EQ(h->crc, base->crc);
    ASSERT_EQ(h->rest.data(), in.rest().data());
    ASSERT_EQ(h->rest.size(), in.rest().size());
  }
  EXPECT_GT(read, 50'000U);
  EXPECT_GT(with_extension, 5'000U);
}

// RFC 3095 5.7.4 and 5.7.5: UOR-2-TS with extension 0, bit by bit.
TEST(JumpPath, AHeaderByHand) {
  // 110 10101 | 1 1 100110 | 1 0110011 | 00 101 011
  const Packet rest = {0xe6, 0xb3, 0x2b, 0x99};
  const auto h = jump::read(0xd5, rest, true);
  ASSERT_TRUE(h);
  EXPECT_EQ(h->type, wire::PacketType::kUor2Ts);
  EXPECT_TRUE(h->marker);
  EXPECT_EQ(h->sn, 0b100110101U);
  EXPECT_EQ(h->ts, 0b10101011U);
  EXPECT_EQ(h->crc, 0b0110011);
  EXPECT_EQ(h->rest.size(), 1U);
}

}  // namespace
}  // namespace headroom::rohc
