// SPDX-License-Identifier: Apache-2.0
//
// Base headers of types 0 and 1 in R-mode, bit by bit as RFC 3095 5.7.1, 5.7.2 and 5.11.3 draw them, and every value of
// every field there and back.
#include <gtest/gtest.h>

#include "rohc/framework/test/support/octets.h"
#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/wire/base_header.h"
#include "rohc/v1/wire/extension.h"

namespace headroom::rohc::wire {
namespace {

using test::bits;
using test::Packet;
using test::Random;

BaseHeader header(PacketType type, unsigned sn, unsigned ts, unsigned id, bool marker, bool extension,
                  unsigned crc = 0) {
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
  unsigned sn_width, ts_width, id_width, crc_width;
  const char* octets;
};

// Values chosen so that no two fields look alike.
const Figure kFigures[] = {
    {"R-0", Format::kRtp, true, header(PacketType::kR0, 0b101101, 0, 0, false, false), 6, 0, 0, 0, "00 101101"},
    {"R-0 of UDP", Format::kUdp, false, header(PacketType::kR0, 0b101101, 0, 0, false, false), 6, 0, 0, 0, "00 101101"},
    {"R-0-CRC", Format::kRtp, true, header(PacketType::kR0Crc, 0b1011010, 0, 0, false, false, 0b1100101), 7, 0, 0, 7,
     "01 101101 | 0 1100101"},
    {"R-0-CRC of UDP", Format::kUdp, false, header(PacketType::kR0Crc, 0b0011011, 0, 0, false, false, 0b0100110), 7, 0,
     0, 7, "01 001101 | 1 0100110"},
    {"R-1", Format::kRtp, false, header(PacketType::kR1, 0b110100, 0b100110, 0, true, false), 6, 6, 0, 0,
     "10 110100 | 1 0 100110"},
    {"R-1 with extension", Format::kRtp, false, header(PacketType::kR1, 0b110100, 0b011001, 0, false, true), 6, 6, 0, 0,
     "10 110100 | 0 1 011001"},
    {"R-1-ID", Format::kRtp, true, header(PacketType::kR1Id, 0b011010, 0, 0b10011, true, false), 6, 0, 5, 0,
     "10 011010 | 1 0 0 10011"},
    {"R-1-TS", Format::kRtp, true, header(PacketType::kR1Ts, 0b011010, 0b10011, 0, false, true), 6, 5, 0, 0,
     "10 011010 | 0 1 1 10011"},
    {"R-1 of UDP", Format::kUdp, true, header(PacketType::kR1, 0b110101, 0, 0b1011001, false, true), 6, 0, 7, 0,
     "10 110101 | 1 1011001"},
};

TEST(ReliableBaseHeader, BitsAreWhereTheFiguresHaveThem) {
  for (const Figure& f : kFigures) EXPECT_EQ(written(f.format, f.header), bits(f.octets)) << f.name;
}

TEST(ReliableBaseHeader, FiguresAreReadBack) {
  for (const Figure& f : kFigures) {
    const Packet octets = bits(f.octets);
    Reader in(Octets(octets).subspan(1));
    const auto h = read_base_header(octets[0], in, f.format, f.t_bit, true);
    ASSERT_TRUE(h.has_value()) << f.name;
    EXPECT_EQ(h->type, f.header.type) << f.name;
    EXPECT_EQ(h->sn.value, f.header.sn.value) << f.name;
    EXPECT_EQ(h->sn.width, f.sn_width) << f.name;
    EXPECT_EQ(h->ts.value, f.header.ts.value) << f.name;
    EXPECT_EQ(h->ts.width, f.ts_width) << f.name;
    EXPECT_EQ(h->id.value, f.header.id.value) << f.name;
    EXPECT_EQ(h->id.width, f.id_width) << f.name;
    EXPECT_EQ(h->marker, f.header.marker) << f.name;
    EXPECT_EQ(h->extension, f.header.extension) << f.name;
    EXPECT_EQ(h->crc, f.header.crc) << f.name;
    EXPECT_EQ(h->crc_width, f.crc_width) << f.name;
    EXPECT_EQ(octets.size(), base_header_octets(f.format, f.header.type)) << f.name;
    EXPECT_EQ(in.remaining(), 0U) << f.name;
  }
}

// The type octets depend on the mode: "Packet type 0 is indicated by the first bit being 0", and R-mode alone has two
// of them (5.7.1).
TEST(ReliableBaseHeader, SameOctetsOtherModeOtherHeader) {
  const Packet octets = bits("01 101101 | 0 1100101");
  Reader uo(Octets(octets).subspan(1));
  EXPECT_EQ(read_base_header(octets[0], uo, Format::kRtp, true, false)->type, PacketType::kUo0);
  Reader r(Octets(octets).subspan(1));
  EXPECT_EQ(read_base_header(octets[0], r, Format::kRtp, true, true)->type, PacketType::kR0Crc);
  const Packet one = bits("10 011010 | 1 0 0 10011");
  Reader uo1(Octets(one).subspan(1));
  EXPECT_EQ(read_base_header(one[0], uo1, Format::kRtp, true, false)->type, PacketType::kUo1Id);
}

// Type 2 is "UOR-2": common to all modes.
TEST(ReliableBaseHeader, TypeTwoIsThatOfAllModes) {
  const Packet octets = bits("110 10011 | 1 0 101100 | 1 0110101");
  for (const bool reliable : {false, true}) {
    Reader in(Octets(octets).subspan(1));
    const auto h = read_base_header(octets[0], in, Format::kRtp, false, reliable);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->type, PacketType::kUor2);
    EXPECT_EQ(h->ts.value, 0b100111U);
    EXPECT_EQ(h->crc, 0b0110101);
  }
}

// "Note: The SN field straddles the CID field" (5.7.1).
TEST(ReliableBaseHeader, LargeCidStandsAfterTheFirstOctet) {
  const BaseHeader h = header(PacketType::kR0Crc, 0b1011010, 0, 0, false, false, 0b1100101);
  EXPECT_EQ(written(Format::kRtp, h, make_cid_octets(true, 300)), bits("01 101101 | 10 000001 00101100 | 0 1100101"));
  EXPECT_EQ(written(Format::kRtp, h, make_cid_octets(false, 7)), bits("1110 0111 | 01 101101 | 0 1100101"));
}

TEST(ReliableBaseHeader, WriterCutsValuesToTheFieldsWidth) {
  EXPECT_EQ(written(Format::kRtp, header(PacketType::kR0, 0xffff, 0, 0, false, false)), bits("00 111111"));
  EXPECT_EQ(written(Format::kRtp, header(PacketType::kR0Crc, 0xff80, 0, 0, false, false, 0xff)),
            bits("01 000000 | 0 1111111"));
  EXPECT_EQ(written(Format::kRtp, header(PacketType::kR1Id, 0xffc0, 0, 0xffe1, false, false)),
            bits("10 000000 | 0 0 0 00001"));
}

TEST(ReliableBaseHeader, EveryTruncationFails) {
  for (const Figure& f : kFigures) {
    const Packet octets = bits(f.octets);
    for (std::size_t length = 1; length < octets.size(); ++length) {
      Reader in(Octets(octets).first(length).subspan(1));
      EXPECT_FALSE(read_base_header(octets[0], in, f.format, f.t_bit, true)) << f.name << " cut to " << length;
    }
  }
}

TEST(ReliableBaseHeader, OctetsOfOtherPacketsAreNoBaseHeaders) {
  for (unsigned first = 0xe0; first < 0x100; ++first) {
    const Packet rest = {0, 0, 0};
    Reader in(rest);
    EXPECT_FALSE(read_base_header(static_cast<std::uint8_t>(first), in, Format::kRtp, false, true)) << first;
  }
}

// Any two octets are some header of R-mode, and writing it again gives the same octets.
TEST(ReliableBaseHeader, EveryPairOfOctetsIsWrittenAgainAsItWasRead) {
  for (unsigned value = 0; value < 0xc000; ++value) {
    const Packet octets = {static_cast<std::uint8_t>(value >> 8), static_cast<std::uint8_t>(value)};
    for (const bool t_bit : {false, true}) {
      for (const Format format : {Format::kRtp, Format::kUdp}) {
        Reader in(Octets(octets).subspan(1));
        const auto h = read_base_header(octets[0], in, format, t_bit, true);
        ASSERT_TRUE(h) << value;
        const Packet again = written(format, *h);
        ASSERT_TRUE(std::equal(again.begin(), again.end(), octets.begin())) << value;
        ASSERT_EQ(again.size(), base_header_octets(format, h->type)) << value;
      }
    }
  }
}

// Extensions 0 to 2 follow the T bit (5.7.5).
TEST(ReliableBaseHeader, WhichFieldAnExtensionGoesOnWith) {
  EXPECT_EQ(t_field_of(PacketType::kR1Id), TField::kPlusId);
  EXPECT_EQ(t_field_of(PacketType::kR1Ts), TField::kPlusTs);
  EXPECT_EQ(t_field_of(PacketType::kR1), TField::kBothTs);
}

TEST(ReliableBaseHeader, TypesThatUpdateAreThoseWithALongCrc) {
  for (const PacketType t : {PacketType::kIr, PacketType::kIrDyn, PacketType::kR0Crc, PacketType::kUor2,
                             PacketType::kUor2Id, PacketType::kUor2Ts}) {
    EXPECT_TRUE(updates_in_r_mode(t)) << test::name_of(t);
    EXPECT_FALSE(is_without_crc(t)) << test::name_of(t);
  }
  for (const PacketType t : {PacketType::kR0, PacketType::kR1, PacketType::kR1Id, PacketType::kR1Ts}) {
    EXPECT_FALSE(updates_in_r_mode(t)) << test::name_of(t);
    EXPECT_TRUE(is_without_crc(t)) << test::name_of(t);
  }
}

}  // namespace
}  // namespace headroom::rohc::wire
