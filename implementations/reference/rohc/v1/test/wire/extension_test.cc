// SPDX-License-Identifier: Apache-2.0
//
// Extensions 0 to 3, bit by bit as RFC 3095 5.7.5 (RTP) and 5.11.4 (UDP) draw them, there and back, and truncated
// everywhere.
#include "rohc/v1/wire/extension.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/octets.h"
#include "rohc/framework/test/support/random.h"

namespace headroom::rohc::wire {
namespace {

using test::bits;
using test::hex;
using test::joined;
using test::Packet;
using test::Random;
using test::to_hex;

constexpr TField kAllTFields[] = {TField::kBothTs, TField::kPlusTs, TField::kPlusId};

Extension short_extension(unsigned kind, unsigned sn, unsigned ts, unsigned id, unsigned outer_id = 0) {
  Extension e;
  e.kind = static_cast<std::uint8_t>(kind);
  e.sn.value = sn;
  e.ts.value = ts;
  e.id.value = id;
  e.outer_id.value = outer_id;
  return e;
}

Packet written(Format format, TField t, const Extension& e) {
  std::uint8_t room[kMaxExtensionOctets] = {};
  Writer out(room);
  write_extension(out, format, t, e);
  EXPECT_TRUE(out.ok());
  return test::copy_of(out.written());
}

std::optional<Extension> read(Format format, TField t, Octets octets) {
  Reader in(octets);
  auto e = read_extension(in, format, t);
  if (e) {
    EXPECT_EQ(in.remaining(), 0U) << "takes its own octets and no more";
  }
  return e;
}

struct Figure {
  const char* name;
  Format format;
  TField t;
  Extension extension;
  const char* octets;
};

const Figure kFigures[] = {
    {"extension 0, T = 1", Format::kRtp, TField::kPlusTs, short_extension(0, 0b101, 0b110, 0), "00 101 110"},
    {"extension 0, T = 0", Format::kRtp, TField::kPlusId, short_extension(0, 0b101, 0, 0b011), "00 101 011"},
    {"extension 0, no T", Format::kRtp, TField::kBothTs, short_extension(0, 0b101, 0b110, 0), "00 101 110"},
    {"extension 1, T = 1", Format::kRtp, TField::kPlusTs, short_extension(1, 0b101, 0b110, 0b10010111),
     "01 101 110 | 10010111"},
    {"extension 1, T = 0", Format::kRtp, TField::kPlusId, short_extension(1, 0b101, 0b10010111, 0b110),
     "01 101 110 | 10010111"},
    {"extension 1, no T", Format::kRtp, TField::kBothTs, short_extension(1, 0b101, 0b110'10010111, 0),
     "01 101 110 | 10010111"},
    {"extension 2, T = 1", Format::kRtp, TField::kPlusTs, short_extension(2, 0b101, 0b110'01100001, 0b10010111),
     "10 101 110 | 01100001 | 10010111"},
    {"extension 2, T = 0", Format::kRtp, TField::kPlusId, short_extension(2, 0b101, 0b10010111, 0b110'01100001),
     "10 101 110 | 01100001 | 10010111"},
    {"extension 2, no T", Format::kRtp, TField::kBothTs, short_extension(2, 0b101, 0b110'01100001'10010111, 0),
     "10 101 110 | 01100001 | 10010111"},
    {"extension 0 of UDP", Format::kUdp, TField::kBothTs, short_extension(0, 0b101, 0, 0b110), "00 101 110"},
    {"extension 1 of UDP", Format::kUdp, TField::kBothTs, short_extension(1, 0b101, 0, 0b110'10010111),
     "01 101 110 | 10010111"},
    {"extension 2 of UDP", Format::kUdp, TField::kBothTs, short_extension(2, 0b101, 0, 0b10010111, 0b110'01100001),
     "10 101 110 | 01100001 | 10010111"},
};

TEST(Extension, ShortOnesAsDrawn) {
  for (const Figure& f : kFigures) {
    EXPECT_EQ(written(f.format, f.t, f.extension), bits(f.octets)) << f.name;
    const auto back = read(f.format, f.t, bits(f.octets));
    ASSERT_TRUE(back.has_value()) << f.name;
    EXPECT_EQ(back->kind, f.extension.kind) << f.name;
    EXPECT_EQ(back->sn.value, f.extension.sn.value) << f.name;
    EXPECT_EQ(back->ts.value, f.extension.ts.value) << f.name;
    EXPECT_EQ(back->id.value, f.extension.id.value) << f.name;
    EXPECT_EQ(back->outer_id.value, f.extension.outer_id.value) << f.name;
  }
}

TEST(Extension, ShortOnesHaveTheWidthsTheyClaim) {
  for (const Format format : {Format::kRtp, Format::kUdp}) {
    for (const TField t : kAllTFields) {
      for (unsigned kind = 0; kind <= 2; ++kind) {
        const ExtensionWidths w = extension_widths(format, t, kind);
        EXPECT_EQ(2U + w.sn + w.ts + w.id + w.outer_id, 8 * (kind + 1)) << "no bit is left over";
        Packet octets(kind + 1, 0xff);
        octets[0] = static_cast<std::uint8_t>(kind << 6 | 0x3f);
        const auto e = read(format, t, octets);
        ASSERT_TRUE(e);
        EXPECT_EQ(e->sn.width, w.sn);
        EXPECT_EQ(e->ts.width, w.ts);
        EXPECT_EQ(e->id.width, w.id);
        EXPECT_EQ(e->outer_id.width, w.outer_id);
      }
    }
  }
}

TEST(Extension, ShortOnesRoundTripOverEveryBit) {
  for (const Format format : {Format::kRtp, Format::kUdp}) {
    for (const TField t : kAllTFields) {
      for (unsigned kind = 0; kind <= 2; ++kind) {
        const unsigned free_bits = 6 + 8 * kind;
        for (std::uint32_t value = 0; value < std::uint32_t{1} << free_bits; value += kind == 2 ? 37 : 1) {
          Packet octets;
          for (unsigned i = 0; i <= kind; ++i) octets.push_back(static_cast<std::uint8_t>(value >> 8 * (kind - i)));
          octets[0] = static_cast<std::uint8_t>(octets[0] | kind << 6);
          const auto e = read(format, t, octets);
          ASSERT_TRUE(e);
          ASSERT_EQ(written(format, t, *e), octets) << to_hex(octets);
        }
      }
    }
  }
}

// --- Extension 3 -----------------------------------------------------------------------------------------------------

// All that the RTP format can carry, lists and TIME_STRIDE excepted.
Extension full_rtp() {
  Extension e;
  e.kind = 3;
  e.sn = {0b10100110, 8};
  e.ts = {0b010001'11000101, 14};
  e.id = {0xbeef, 16};
  e.tsc = false;
  e.inner.present = e.inner.has_tos = e.inner.has_ttl = e.inner.df = e.inner.rnd = true;
  e.inner.tos = 0x2e;
  e.inner.ttl = 0x3f;
  e.outer.present = e.outer.has_tos = e.outer.nbo = e.outer.has_id = true;
  e.outer.tos = 0x11;
  e.outer.id = 0xcafe;
  e.rtp.present = e.rtp.has_payload_type = e.rtp.marker = e.rtp.has_ts_stride = e.rtp.padding = true;
  e.rtp.mode = Mode::kOptimistic;
  e.rtp.payload_type = 0b1100011;
  e.rtp.ts_stride = 160;
  return e;
}

constexpr const char* kFullRtp =
    "11 1 1 0 1 1 1"       // S, R-TS, Tsc = 0, I, ip, rtp
    "1 1 1 0 0 0 1 1"      // TOS TTL DF PR IPX NBO RND ip2
    "1 0 0 0 0 1 0 1"      // TOS2 TTL2 DF2 PR2 IPX2 NBO2 RND2 I2
    "10100110"             // SN
    "10 010001 11000101"   // TS, two octets
    "00101110 00111111"    // TOS, TTL
    "10111110 11101111"    // IP-ID
    "00010001"             // TOS2
    "11001010 11111110"    // IP-ID2
    "10 1 1 0 0 1 0"       // Mode, R-PT, M, R-X, CSRC, TSS, TIS
    "1 1100011"            // R-P, PT
    "10 000000 10100000";  // TS_STRIDE

TEST(Extension3, RtpAsDrawn) {
  EXPECT_EQ(to_hex(written(Format::kRtp, TField::kPlusId, full_rtp())), to_hex(bits(kFullRtp)));
  const auto e = read(Format::kRtp, TField::kPlusId, bits(kFullRtp));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->sn.value, 0b10100110U);
  EXPECT_EQ(e->sn.width, 8);
  EXPECT_EQ(e->ts.value, 0b010001'11000101U);
  EXPECT_EQ(e->ts.width, 14);
  EXPECT_EQ(e->id.value, 0xbeefU);
  EXPECT_EQ(e->id.width, 16);
  EXPECT_FALSE(e->tsc);
  EXPECT_TRUE(e->inner.present && e->inner.has_tos && e->inner.has_ttl && e->inner.df && e->inner.rnd);
  EXPECT_FALSE(e->inner.has_protocol || e->inner.nbo || e->inner.has_id);
  EXPECT_EQ(e->inner.tos, 0x2e);
  EXPECT_EQ(e->inner.ttl, 0x3f);
  EXPECT_TRUE(e->outer.present && e->outer.has_tos && e->outer.nbo && e->outer.has_id);
  EXPECT_FALSE(e->outer.has_ttl || e->outer.df || e->outer.rnd);
  EXPECT_EQ(e->outer.tos, 0x11);
  EXPECT_EQ(e->outer.id, 0xcafe);
  EXPECT_TRUE(e->rtp.present && e->rtp.has_payload_type && e->rtp.marker && e->rtp.padding && e->rtp.has_ts_stride);
  EXPECT_FALSE(e->rtp.rtp_extension || e->rtp.has_time_stride);
  EXPECT_EQ(e->rtp.mode, Mode::kOptimistic);
  EXPECT_EQ(e->rtp.payload_type, 0b1100011);
  EXPECT_EQ(e->rtp.ts_stride, 160U);
}

TEST(Extension3, NothingButFlags) {
  Extension e;
  e.kind = 3;
  EXPECT_EQ(written(Format::kRtp, TField::kBothTs, e), bits("11 0 0 1 0 0 0")) << "Tsc is 1 unless said otherwise";
  e.mode = Mode::kUnidirectional;
  EXPECT_EQ(written(Format::kUdp, TField::kBothTs, e), bits("11 0 01 0 0 0"));
}

TEST(Extension3, ProtocolAndBothStridesInTheirOrder) {
  Extension e;
  e.kind = 3;
  e.inner.present = e.inner.has_tos = e.inner.has_ttl = e.inner.has_protocol = true;
  e.inner.tos = 1;
  e.inner.ttl = 2;
  e.inner.protocol = 3;
  e.rtp.present = e.rtp.has_ts_stride = e.rtp.has_time_stride = e.rtp.rtp_extension = true;
  e.rtp.mode = Mode::kUnidirectional;
  e.rtp.ts_stride = 4;
  e.rtp.time_stride = 20;
  const Packet octets =
      bits("11 0 0 1 0 1 1 | 1 1 0 1 0 0 0 0 | 00000001 00000010 00000011 | 01 0 0 1 0 1 1 | 00000100 00010100");
  EXPECT_EQ(to_hex(written(Format::kRtp, TField::kBothTs, e)), to_hex(octets));
  const auto back = read(Format::kRtp, TField::kBothTs, octets);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->inner.protocol, 3);
  EXPECT_EQ(back->rtp.ts_stride, 4U);
  EXPECT_EQ(back->rtp.time_stride, 20U);
}

constexpr const char* kFullUdp =
    "11 1 10 1 1 1"       // S, Mode, I, ip, ip2
    "1 1 0 0 0 1 0 0"     // the eighth bit is reserved
    "0 1 1 0 0 0 1 1"     // TTL2, DF2, RND2, I2
    "01011010"            // SN
    "00000110 01000000"   // TOS, TTL
    "10100101 11000011"   // IP-ID
    "00010000"            // TTL2
    "00010010 00110100";  // IP-ID2

TEST(Extension3, UdpAsDrawn) {
  Extension e;
  e.kind = 3;
  e.mode = Mode::kOptimistic;
  e.sn = {0b01011010, 8};
  e.id = {0xa5c3, 16};
  e.inner.present = e.inner.has_tos = e.inner.has_ttl = e.inner.nbo = true;
  e.inner.tos = 6;
  e.inner.ttl = 64;
  e.outer.present = e.outer.has_ttl = e.outer.df = e.outer.rnd = e.outer.has_id = true;
  e.outer.ttl = 16;
  e.outer.id = 0x1234;
  EXPECT_EQ(to_hex(written(Format::kUdp, TField::kBothTs, e)), to_hex(bits(kFullUdp)));
  const auto back = read(Format::kUdp, TField::kBothTs, bits(kFullUdp));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->mode, Mode::kOptimistic);
  EXPECT_EQ(back->sn.value, 0b01011010U);
  EXPECT_EQ(back->id.value, 0xa5c3U);
  EXPECT_EQ(back->inner.ttl, 64);
  EXPECT_TRUE(back->outer.present && back->outer.rnd && back->outer.df && back->outer.has_id);
  EXPECT_EQ(back->outer.ttl, 16);
  EXPECT_EQ(back->outer.id, 0x1234);
}

// "The bit which was the ip2 flag in the Inner IP header flags in 5.7.5 is reserved. It is … ignored when receiving"
// (5.11.4).
TEST(Extension3, ReservedBitOfUdpIsIgnored) {
  const auto e = read(Format::kUdp, TField::kBothTs, bits("11 0 01 0 1 0 | 0 0 1 0 0 1 0 1"));
  ASSERT_TRUE(e);
  EXPECT_TRUE(e->inner.present);
  EXPECT_FALSE(e->outer.present);
}

TEST(Extension3, ListsStandBehindTheFieldsOfTheirHeaders) {
  // TOS, TTL and IPX of the inner header; TTL2, IPX2 and I2 of the outer one; payload type, CSRC and TS_STRIDE.
  const Packet octets =
      joined(bits("11 0 0 1 0 1 1 | 1 1 0 0 1 0 0 1 | 0 1 0 0 1 0 0 1"),
             hex("10 20 | 80 01 80 3c 00 01 04 00 00 00 00 | 21 | 40 05 | 12 34 | 66 | 7f | 22 07 01 | 5a"));
  Packet with_csrc = octets;
  const auto e = read(Format::kRtp, TField::kBothTs, with_csrc);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->inner.ttl, 0x20);
  EXPECT_EQ(to_hex(e->inner.extension_headers), to_hex(hex("80 01 80 3c 00 01 04 00 00 00 00")));
  EXPECT_EQ(to_hex(e->outer.extension_headers), to_hex(hex("40 05"))) << "a sequence number of AH and nothing else";
  EXPECT_EQ(e->outer.id, 0x1234);
  EXPECT_EQ(to_hex(e->rtp.csrc), to_hex(hex("22 07 01")));
  EXPECT_EQ(e->rtp.ts_stride, 0x5aU);
  std::array<std::uint8_t, 64> room{};
  Writer out(room);
  write_extension(out, Format::kRtp, TField::kBothTs, *e);
  EXPECT_EQ(to_hex(out.written()), to_hex(octets));
}

TEST(Extension3, MalformedListsAreRefused) {
  EXPECT_FALSE(
      read(Format::kRtp, TField::kBothTs, joined(bits("11 0 0 1 0 1 0 | 0 0 0 0 1 0 0 0"), hex("80 01 80 11 00"))))
      << "an item that is no extension header";
  EXPECT_FALSE(read(Format::kRtp, TField::kBothTs,
                    joined(bits("11 0 0 1 0 1 0 | 0 0 0 0 0 0 0 1 | 0 0 0 0 1 0 0 0"), hex("40"))))
      << "a sequence number is cut off";
  EXPECT_FALSE(read(Format::kRtp, TField::kBothTs, joined(bits("11 0 0 1 0 0 1 | 01 0 0 0 1 0 0"), hex("01 80 00 00"))))
      << "a CSRC is cut off";
}

TEST(Extension3, EveryTruncationFails) {
  for (const auto& [format, octets] : {std::pair{Format::kRtp, bits(kFullRtp)}, {Format::kUdp, bits(kFullUdp)}}) {
    for (std::size_t length = 0; length < octets.size(); ++length) {
      Reader in(Octets(octets).first(length));
      EXPECT_FALSE(read_extension(in, format, TField::kPlusTs)) << length;
    }
  }
}

TEST(Extension, TruncatedShortOnesFail) {
  for (const char* octets : {"", "40", "80", "80 00"}) {
    const Packet packet = hex(octets);
    Reader in(packet);
    EXPECT_FALSE(read_extension(in, Format::kRtp, TField::kPlusTs)) << '[' << octets << ']';
  }
}

void draw(Random& random, IpHeaderUpdate& u, bool outer) {
  u.present = true;
  u.has_tos = random.flip();
  u.has_ttl = random.flip();
  u.has_protocol = random.flip();
  u.df = random.flip();
  u.nbo = random.flip();
  u.rnd = random.flip();
  u.has_id = outer && random.flip();
  u.tos = u.has_tos ? random.octet() : std::uint8_t{0};
  u.ttl = u.has_ttl ? random.octet() : std::uint8_t{0};
  u.protocol = u.has_protocol ? random.octet() : std::uint8_t{0};
  u.id = u.has_id ? random.word() : std::uint16_t{0};
}

Extension drawn(Random& random, Format format) {
  Extension e;
  e.kind = 3;
  const bool rtp = format == Format::kRtp;
  if (random.flip()) e.sn = {random.octet(), 8};
  if (random.flip()) e.id = {random.word(), 16};
  if (random.flip()) draw(random, e.inner, false);
  if ((e.inner.present || !rtp) && random.flip()) draw(random, e.outer, true);
  if (!rtp) {
    e.mode = static_cast<Mode>(random.below(4));
    return e;
  }
  e.tsc = random.flip();
  if (random.flip()) {
    const unsigned width = kSdvlBits[random.below(4)];
    e.ts = {random.word32() & ((1U << width) - 1), static_cast<std::uint8_t>(width)};
  }
  if (!random.flip()) return e;
  e.rtp.present = true;
  e.rtp.mode = static_cast<Mode>(random.below(4));
  e.rtp.marker = random.flip();
  e.rtp.rtp_extension = random.flip();
  e.rtp.has_payload_type = random.flip();
  if (e.rtp.has_payload_type) {
    e.rtp.padding = random.flip();
    e.rtp.payload_type = random.octet() & 0x7f;
  }
  e.rtp.has_ts_stride = random.flip();
  if (e.rtp.has_ts_stride) e.rtp.ts_stride = random.word32() >> 3;
  e.rtp.has_time_stride = random.flip();
  if (e.rtp.has_time_stride) e.rtp.time_stride = random.word32() >> 3;
  return e;
}

bool same(const IpHeaderUpdate& a, const IpHeaderUpdate& b) {
  return a.present == b.present && a.has_tos == b.has_tos && a.has_ttl == b.has_ttl &&
         a.has_protocol == b.has_protocol && a.df == b.df && a.nbo == b.nbo && a.rnd == b.rnd && a.has_id == b.has_id &&
         a.tos == b.tos && a.ttl == b.ttl && a.protocol == b.protocol && a.id == b.id;
}

TEST(Extension3, RoundTripOfWhateverItCanCarry) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    const Format format = random.flip() ? Format::kRtp : Format::kUdp;
    const Extension e = drawn(random, format);
    const Packet octets = written(format, TField::kPlusTs, e);
    const auto back = read(format, TField::kPlusTs, octets);
    ASSERT_TRUE(back) << to_hex(octets);
    ASSERT_EQ(back->sn.width, e.sn.width);
    ASSERT_EQ(back->sn.value, e.sn.value);
    ASSERT_EQ(back->ts.width, e.ts.width);
    ASSERT_EQ(back->ts.value, e.ts.value);
    ASSERT_EQ(back->id.width, e.id.width);
    ASSERT_EQ(back->id.value, e.id.value);
    ASSERT_TRUE(same(back->inner, e.inner) && same(back->outer, e.outer)) << to_hex(octets);
    if (format == Format::kUdp) {
      ASSERT_EQ(back->mode, e.mode);
      continue;
    }
    ASSERT_EQ(back->tsc, e.tsc);
    ASSERT_EQ(back->rtp.present, e.rtp.present);
    ASSERT_EQ(back->rtp.mode, e.rtp.mode);
    ASSERT_EQ(back->rtp.marker, e.rtp.marker);
    ASSERT_EQ(back->rtp.rtp_extension, e.rtp.rtp_extension);
    ASSERT_EQ(back->rtp.has_payload_type, e.rtp.has_payload_type);
    ASSERT_EQ(back->rtp.padding, e.rtp.padding);
    ASSERT_EQ(back->rtp.payload_type, e.rtp.payload_type);
    ASSERT_EQ(back->rtp.has_ts_stride, e.rtp.has_ts_stride);
    ASSERT_EQ(back->rtp.ts_stride, e.rtp.ts_stride);
    ASSERT_EQ(back->rtp.has_time_stride, e.rtp.has_time_stride);
    ASSERT_EQ(back->rtp.time_stride, e.rtp.time_stride);
  }
}

}  // namespace
}  // namespace headroom::rohc::wire
