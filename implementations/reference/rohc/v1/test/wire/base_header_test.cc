// SPDX-License-Identifier: Apache-2.0
//
// Base headers of types 0, 1 and 2 in U/O-mode, bit by bit as RFC 3095 5.7.1, 5.7.3, 5.7.4 and 5.11.3 draw them, and
// every value of every field there and back.
#include "rohc/v1/wire/base_header.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rohc/framework/test/support/octets.h"
#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/link.h"

namespace headroom::rohc::wire {
namespace {

using test::bits;
using test::Packet;
using test::Random;

BaseHeader header(PacketType type, unsigned sn, unsigned ts, unsigned id, bool marker, bool extension, unsigned crc) {
  BaseHeader h;
  h.type = type;
  h.sn.value = sn;
  h.ts.value = ts;
  h.id.value = id;
  h.marker = marker;
  h.extension = extension;
  h.crc = static_cast<std::uint8_t>(crc);
  return h;
}

Packet written(Format format, const BaseHeader& h, const CidOctets& cid = {}) {
  std::uint8_t room[8] = {};
  Writer out(room);
  write_base_header(out, cid, format, h);
  EXPECT_TRUE(out.ok());
  return test::copy_of(out.written());
}

struct Figure {
  const char* name;
  Format format;
  bool t_bit;
  BaseHeader header;
  const char* octets;
};

// Values chosen so that no two fields look alike.
const Figure kFigures[] = {
    {"UO-0", Format::kRtp, true, header(PacketType::kUo0, 0b1011, 0, 0, false, false, 0b010), "0 1011 010"},
    {"UO-0 of UDP", Format::kUdp, false, header(PacketType::kUo0, 0b1011, 0, 0, false, false, 0b010), "0 1011 010"},
    {"UO-1", Format::kRtp, false, header(PacketType::kUo1, 0b1101, 0b100110, 0, true, false, 0b001),
     "10 100110 | 1 1101 001"},
    {"UO-1-ID", Format::kRtp, true, header(PacketType::kUo1Id, 0b0110, 0, 0b10011, false, true, 0b101),
     "10 0 10011 | 1 0110 101"},
    {"UO-1-TS", Format::kRtp, true, header(PacketType::kUo1Ts, 0b0110, 0b10011, 0, false, false, 0b101),
     "10 1 10011 | 0 0110 101"},
    {"UOR-2", Format::kRtp, false, header(PacketType::kUor2, 0b101100, 0b100111, 0, false, true, 0b0110101),
     "110 10011 | 1 0 101100 | 1 0110101"},
    {"UOR-2-ID", Format::kRtp, true, header(PacketType::kUor2Id, 0b101100, 0, 0b10110, true, false, 0b0110101),
     "110 10110 | 0 1 101100 | 0 0110101"},
    {"UOR-2-TS", Format::kRtp, true, header(PacketType::kUor2Ts, 0b101100, 0b10110, 0, true, true, 0b0110101),
     "110 10110 | 1 1 101100 | 1 0110101"},
    {"UO-1 of UDP", Format::kUdp, false, header(PacketType::kUo1, 0b10110, 0, 0b110100, false, false, 0b011),
     "10 110100 | 10110 011"},
    {"UOR-2 of UDP", Format::kUdp, false, header(PacketType::kUor2, 0b10110, 0, 0, false, true, 0b1100101),
     "110 10110 | 1 1100101"},
};

TEST(BaseHeader, BitsAreWhereTheFiguresHaveThem) {
  for (const Figure& f : kFigures) EXPECT_EQ(written(f.format, f.header), bits(f.octets)) << f.name;
}

TEST(BaseHeader, FiguresAreReadBack) {
  for (const Figure& f : kFigures) {
    const Packet octets = bits(f.octets);
    Reader in(Octets(octets).subspan(1));
    const auto h = read_base_header(octets[0], in, f.format, f.t_bit);
    ASSERT_TRUE(h.has_value()) << f.name;
    EXPECT_EQ(h->type, f.header.type) << f.name;
    EXPECT_EQ(h->sn.value, f.header.sn.value) << f.name;
    EXPECT_EQ(h->ts.value, f.header.ts.value) << f.name;
    EXPECT_EQ(h->id.value, f.header.id.value) << f.name;
    EXPECT_EQ(h->marker, f.header.marker) << f.name;
    EXPECT_EQ(h->extension, f.header.extension) << f.name;
    EXPECT_EQ(h->crc, f.header.crc) << f.name;
    EXPECT_EQ(octets.size(), base_header_octets(f.format, f.header.type)) << f.name;
    EXPECT_EQ(in.remaining(), 0U) << f.name;
  }
}

TEST(BaseHeader, WidthsThatAFieldHasAreReported) {
  const Packet uor2 = bits("110 10011 | 1 0 101100 | 1 0110101");
  Reader rtp(Octets(uor2).subspan(1));
  const auto with_rtp = read_base_header(uor2[0], rtp, Format::kRtp, false);
  ASSERT_TRUE(with_rtp);
  EXPECT_EQ(with_rtp->sn.width, 6);
  EXPECT_EQ(with_rtp->ts.width, 6);
  EXPECT_EQ(with_rtp->id.width, 0);
  EXPECT_EQ(with_rtp->crc_width, 7);
  Reader udp(Octets(uor2).subspan(1));
  const auto without = read_base_header(uor2[0], udp, Format::kUdp, true);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->type, PacketType::kUor2) << "the T bit exists with RTP only (RFC 4815 8.8)";
  EXPECT_EQ(without->sn.width, 5);
  EXPECT_EQ(without->ts.width, 0);
}

// "The TS field straddles the CID field" (5.7.4).
TEST(BaseHeader, LargeCidStandsAfterTheFirstOctet) {
  const BaseHeader h = header(PacketType::kUor2, 0b101100, 0b100111, 0, false, true, 0b0110101);
  EXPECT_EQ(written(Format::kRtp, h, make_cid_octets(true, 300)),
            bits("110 10011 | 10 000001 00101100 | 1 0 101100 | 1 0110101"));
  EXPECT_EQ(written(Format::kRtp, h, make_cid_octets(false, 7)),
            bits("1110 0111 | 110 10011 | 1 0 101100 | 1 0110101"));
}

TEST(BaseHeader, WriterCutsValuesToTheFieldsWidth) {
  const BaseHeader wide =
      header(PacketType::kUor2, 0xffffff00U | 0b101100, 0xffffff00U | 0b100111, 0, false, true, 0x80 | 0b0110101);
  EXPECT_EQ(written(Format::kRtp, wide), bits("110 10011 | 1 0 101100 | 1 0110101"));
  const BaseHeader uo0 = header(PacketType::kUo0, 0xffff, 0, 0, false, false, 0xff);
  EXPECT_EQ(written(Format::kRtp, uo0), bits("0 1111 111")) << "the first bit must stay 0";
}

TEST(BaseHeader, OctetsOfOtherPacketsAreNoBaseHeaders) {
  for (unsigned first = 0xe0; first < 0x100; ++first) {
    const Packet rest = {0, 0, 0};
    Reader in(rest);
    EXPECT_FALSE(read_base_header(static_cast<std::uint8_t>(first), in, Format::kRtp, false)) << first;
  }
}

TEST(BaseHeader, EveryTruncationFails) {
  for (const Figure& f : kFigures) {
    const Packet octets = bits(f.octets);
    for (std::size_t length = 1; length < octets.size(); ++length) {
      Reader in(Octets(octets).first(length).subspan(1));
      EXPECT_FALSE(read_base_header(octets[0], in, f.format, f.t_bit)) << f.name << " cut to " << length;
    }
  }
}

struct Widths {
  PacketType type;
  Format format;
  bool t_bit;
  unsigned sn, ts, id;
  bool marker, extension;
  unsigned crc;
};
constexpr Widths kWidths[] = {
    {PacketType::kUo0, Format::kRtp, true, 4, 0, 0, false, false, 3},
    {PacketType::kUo1, Format::kRtp, false, 4, 6, 0, true, false, 3},
    {PacketType::kUo1Id, Format::kRtp, true, 4, 0, 5, false, true, 3},
    {PacketType::kUo1Ts, Format::kRtp, true, 4, 5, 0, true, false, 3},
    {PacketType::kUor2, Format::kRtp, false, 6, 6, 0, true, true, 7},
    {PacketType::kUor2Id, Format::kRtp, true, 6, 0, 5, true, true, 7},
    {PacketType::kUor2Ts, Format::kRtp, true, 6, 5, 0, true, true, 7},
    {PacketType::kUo0, Format::kUdp, false, 4, 0, 0, false, false, 3},
    {PacketType::kUo1, Format::kUdp, false, 5, 0, 6, false, false, 3},
    {PacketType::kUor2, Format::kUdp, false, 5, 0, 0, false, true, 7},
};

// Every value of each field, the other fields drawn anew each time.
TEST(BaseHeader, RoundTripOverAllFieldValues) {
  Random random(1);
  for (const Widths& w : kWidths) {
    const unsigned bits_in_all = w.sn + w.ts + w.id + w.crc;
    for (unsigned value = 0; value < 1U << std::min(bits_in_all, 15U); ++value) {
      const std::uint64_t filler = random.next();
      std::uint64_t source = value | filler << 15;
      const auto field = [&](unsigned width) {
        const auto v = static_cast<unsigned>(source & ((1U << width) - 1));
        source >>= width;
        return v;
      };
      BaseHeader h = header(w.type, field(w.sn), field(w.ts), field(w.id), false, false, field(w.crc));
      h.marker = w.marker && field(1) != 0;
      h.extension = w.extension && field(1) != 0;
      const Packet octets = written(w.format, h);
      Reader in(Octets(octets).subspan(1));
      const auto back = read_base_header(octets[0], in, w.format, w.t_bit);
      ASSERT_TRUE(back.has_value()) << test::name_of(w.type);
      ASSERT_EQ(back->type, h.type);
      ASSERT_EQ(back->sn.value, h.sn.value);
      ASSERT_EQ(back->ts.value, h.ts.value);
      ASSERT_EQ(back->id.value, h.id.value);
      ASSERT_EQ(back->marker, h.marker);
      ASSERT_EQ(back->extension, h.extension);
      ASSERT_EQ(back->crc, h.crc);
      ASSERT_EQ(back->crc_width, w.crc);
    }
  }
}

// RFC 3095 4.5.7: base header bits are the more significant ones.
TEST(Bits, FollowedByLessSignificantOnes) {
  EXPECT_EQ((Bits{0b101, 3}.followed_by({0b0011, 4}).value), 0b1010011U);
  EXPECT_EQ((Bits{0b101, 3}.followed_by({0b0011, 4}).width), 7);
  EXPECT_EQ((Bits{0b101, 3}.followed_by({}).value), 0b101U);
  EXPECT_EQ((Bits{}.followed_by({0b0011, 4}).width), 4);
  const Bits wide = Bits{0b111110, 6}.followed_by({0x1fffffff, 29});  // what lies beyond 32 bits can only be padding
  EXPECT_EQ(wide.width, 35);
  EXPECT_EQ(wide.value, 0xdfffffffU);
}

}  // namespace
}  // namespace headroom::rohc::wire
