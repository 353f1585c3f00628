// SPDX-License-Identifier: Apache-2.0
//
// Base headers of CO packets, RFC 6846, 8.2: each format laid out by hand, bit by bit, in the order of its fields.
#include "rohc/tcp/wire/base_header.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/octets.h"

namespace headroom::rohc::tcp {
namespace {

using test::bits;
using test::Packet;
using F = Field;

// Values whose LSBs are told apart in every format: MSN ...0110, PSH 1, seq ...1000 0011 0101 0111 1001,
// ack ...0101 1010 0001 1100 0011, scaled ...1011 and ...1101, IP-ID offset ...0010 1101, window 0111 0000 1111 0101.
Values example() {
  Values v{};
  at(v, F::kMsn) = 0x1236;
  at(v, F::kSeq) = 0x40083579;
  at(v, F::kAck) = 0x5005a1c3;
  at(v, F::kSeqScaled) = 0x1b;
  at(v, F::kAckScaled) = 0x2d;
  at(v, F::kIpId) = 0x102d;
  at(v, F::kWindow) = 0x70f5;
  at(v, F::kTtl) = 0x3d;
  at(v, F::kPsh) = 1;
  at(v, F::kRsf) = 2;
  at(v, F::kEcnUsed) = 1;
  at(v, F::kListPresent) = 0;
  at(v, F::kCrc) = 5;
  return v;
}

struct Vector {
  Format format;
  const char* name;
  const char* bits;
};
constexpr Vector kVectors[] = {
    {Format::kRnd1, "rnd_1", "101110 000011010101111001 0110 1 101"},
    {Format::kRnd2, "rnd_2", "1100 1011 0110 1 101"},
    {Format::kRnd3, "rnd_3", "0 010000111000011 0110 1 101"},
    {Format::kRnd4, "rnd_4", "1101 1101 0110 1 101"},
    {Format::kRnd5, "rnd_5", "100 1 0110 101 11010101111001 010000111000011"},
    {Format::kRnd6, "rnd_6", "1010 101 1 1010000111000011 0110 1011"},
    {Format::kRnd7, "rnd_7", "101111 011010000111000011 0111000011110101 0110 1 101"},
    {Format::kRnd8, "rnd_8", "10110 10 0 0000101 0110 1 101 1 0011010101111001 1010000111000011"},
    {Format::kSeq1, "seq_1", "1010 1101 0011010101111001 0110 1 101"},
    {Format::kSeq2, "seq_2", "11010 0101101 1011 0110 1 101"},
    {Format::kSeq3, "seq_3", "1001 1101 1010000111000011 0110 1 101"},
    {Format::kSeq4, "seq_4", "0 1101 101 0110 1 101"},
    {Format::kSeq5, "seq_5", "1000 1101 1010000111000011 0011010101111001 0110 1 101"},
    {Format::kSeq6, "seq_6", "11011 1011 0101101 1010000111000011 0110 1 101"},
    {Format::kSeq7, "seq_7", "1100 111000011110101 01101 1010000111000011 0110 1 101"},
    {Format::kSeq8, "seq_8", "1011 1101 0 0000101 0110 1 101 1 010000111000011 10 11010101111001"},
};

TEST(TcpBaseHeader, FieldsStandInTheOrderOfTheirFormat) {
  for (const Vector& v : kVectors) {
    const Packet expected = bits(v.bits);
    ASSERT_EQ(fixed_length(v.format), expected.size()) << v.name;
    Packet out(expected.size());
    write_fixed(v.format, example(), out.data());
    EXPECT_EQ(test::to_hex(out), test::to_hex(expected)) << v.name;
    const bool sequential = v.format >= Format::kSeq1;
    EXPECT_EQ(format_of(expected[0], sequential), v.format) << v.name;

    // References within reach of every format: "reordering depth of up to 4" for the MSN, at most 8 below otherwise.
    References r{};
    const Values e = example();
    for (unsigned i = 0; i < kReferences; ++i) r[i] = e[i] - 2;
    at(r, F::kIpId) = 0x102c;
    if (v.format == Format::kRnd8) at(r, F::kSeq) += 4;  // lsb(16, 65535) does not reach above the reference
    Values read = e;
    for (unsigned i = 0; i < kReferences; ++i)
      if ((carried(v.format) >> i & 1) != 0) read[i] = 0;
    EXPECT_TRUE(read_fixed(v.format, expected.data(), r, read)) << v.name;
    EXPECT_EQ(read, e) << v.name;
    EXPECT_TRUE(reaches(v.format, e, &r, 1)) << v.name;
  }
}

// "discriminator =:= '1111101'"; flags in the order of co_common.
TEST(TcpBaseHeader, CoCommonHasItsFlagsAndFields) {
  Values v = example();
  at(v, F::kOuterTtl) = 1;
  at(v, F::kAckFlag) = 1;
  at(v, F::kSeqIndicator) = 1;
  at(v, F::kAckIndicator) = 2;
  at(v, F::kStrideIndicator) = 1;
  at(v, F::kStride) = 0x05b4;
  at(v, F::kWindowIndicator) = 1;
  at(v, F::kUrgentPresent) = 1;
  at(v, F::kUrgent) = 0x0102;
  at(v, F::kDscpPresent) = 1;
  at(v, F::kDscp) = 0x2e;
  at(v, F::kTtlPresent) = 1;
  at(v, F::kBehaviour) = 1;
  at(v, F::kDf) = 1;
  at(v, F::kCrc) = 0x55;
  const Packet expected = bits(
      "1111101 1 | 1 1 10 0110 | 01 10 1 1 0 1 | 0 1 1 1 0 01 0 | 1 1010101 |"
      "01111001 | 1010000111000011 | 0000010110110100 | 0111000011110101 | 00101101 | 0000000100000010 | 101110 00 |"
      "00111101");
  Packet out(64);
  write_fixed(Format::kCommon, v, out.data());
  Writer rest(std::span<std::uint8_t>(out).subspan(5));
  write_common_rest(rest, v);
  out.resize(5 + rest.size());
  EXPECT_EQ(test::to_hex(out), test::to_hex(expected));
  EXPECT_EQ(format_of(expected[0], false), Format::kCommon);
  EXPECT_EQ(format_of(expected[0], true), Format::kCommon);

  References r{};
  for (unsigned i = 0; i < kReferences; ++i) r[i] = v[i] - 1;
  Values read{};
  ASSERT_TRUE(read_fixed(Format::kCommon, expected.data(), r, read));
  Reader in(Octets(expected).subspan(5));
  ASSERT_TRUE(read_common_rest(in, r, read));
  EXPECT_EQ(in.remaining(), 0U);
  for (const F f : {F::kMsn, F::kSeq, F::kAck, F::kIpId, F::kWindow, F::kTtl, F::kStride, F::kUrgent, F::kDscp, F::kDf})
    EXPECT_EQ(at(read, f), at(v, f)) << static_cast<unsigned>(f);
}

// "reserved =:= compressed_value(1, 0)" and the padding of dscp_enc.
TEST(TcpBaseHeader, CoCommonWithReservedBitsIsRefused) {
  Packet p = bits("11111010 | 1 0 00 0000 | 00 00 0 0 0 0 | 1 0 0 0 0 10 0 | 0 0000000");
  Values v{};
  EXPECT_FALSE(read_fixed(Format::kCommon, p.data(), References{}, v));
  at(v, F::kDscpPresent) = 1;
  at(v, F::kBehaviour) = 2;
  const Packet dscp = {0xb9};
  Reader in{Octets(dscp)};
  EXPECT_FALSE(read_common_rest(in, References{}, v));
}

// "lsb(4, 4)": the interval of RFC 4997, 4.11.5, is [reference - 4, reference + 11].
TEST(TcpBaseHeader, ReachOfLsbsIsTheIntervalOfTheNotation) {
  Values v{};
  at(v, F::kMsn) = 3;
  for (const int distance : {-5, -4, 11, 12}) {
    References r{};
    at(r, F::kMsn) = static_cast<std::uint16_t>(3 - distance);
    EXPECT_EQ(reaches(Format::kRnd3, v, &r, 1), distance >= -4 && distance <= 11) << distance;
  }
}

// Every first octet belongs to at most one format of a set, and none to feedback, IR, IR-DYN, segments or padding.
TEST(TcpBaseHeader, FirstOctetsDoNotMeetThoseOfTheFramework) {
  for (unsigned octet = 0xe0; octet < 256; ++octet) {
    const bool common = octet == 0xfa || octet == 0xfb;
    for (const bool sequential : {false, true})
      EXPECT_EQ(format_of(static_cast<std::uint8_t>(octet), sequential), common ? Format::kCommon : Format::kNone)
          << octet;
  }
}

// rsf_index_enc: "none", "rst_only" 0x04, "syn_only" 0x02, "fin_only" 0x01.
TEST(TcpBaseHeader, OnlyOneOfRstSynFinHasAnIndex) {
  const std::uint32_t expected[8] = {0, 3, 2, kNoRsfIndex, 1, kNoRsfIndex, kNoRsfIndex, kNoRsfIndex};
  for (unsigned flags = 0; flags < 8; ++flags) EXPECT_EQ(rsf_index(flags), expected[flags]) << flags;
}

}  // namespace
}  // namespace headroom::rohc::tcp
