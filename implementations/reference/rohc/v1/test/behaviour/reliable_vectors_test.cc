// SPDX-License-Identifier: Apache-2.0
//
// R-mode octet by octet. The packets and feedback here were derived by hand from the figures of RFC 3095 5.2.2, 5.7.1,
// 5.7.2, 5.7.5, 5.7.6.1, 5.7.7 and 5.11.3, their CRCs with the polynomials of 5.9 bit by bit, without this
// implementation.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rohc/framework/test/support/octets.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"

namespace headroom::rohc {
namespace {

using test::hex;
using test::Packet;
using test::to_hex;
using wire::Mode;
using wire::PacketType;

std::string plain(const char* digits) { return to_hex(hex(digits)); }

class Vectors : public testing::Test {
 protected:
  Vectors() : decompressor_(config()) {}

  static DecompressorConfig config() {
    DecompressorConfig d;
    d.mode = Mode::kReliable;
    return d;
  }

  // `feedback`: the one element that the packet calls for, or "".
  void expect(PacketType type, const char* link, const char* packet, const char* feedback = "") {
    SCOPED_TRACE(link);
    now_ns_ += test::kFrame;
    const test::Restored r = test::decompress(decompressor_, hex(link), now_ns_);
    EXPECT_EQ(r.status, HEADROOM_OK);
    EXPECT_EQ(r.type(), type);
    EXPECT_EQ(to_hex(r.octets), plain(packet));
    const auto elements = test::take_all(decompressor_.own_feedback());
    EXPECT_EQ(elements.size(), *feedback == 0 ? 0U : 1U);
    for (const auto& e : elements) EXPECT_EQ(to_hex(e.octets), plain(feedback));
  }

  Decompressor decompressor_;
  std::uint64_t now_ns_ = 0;
};

// RTP over IPv4, IP-ID counting, no UDP checksum, TS_STRIDE 160.
constexpr const char* kIr =
    "fd013f4011c0000201c6336402138c138e1122334400402000a0000000900003e800027150000580a0a0b0c000";
constexpr const char* kPacket1000 =
    "4500002c2000400040112e8ac0000201c6336402138c138e00180000800003e80002715011223344a0b0c000";
constexpr const char* kPacket1001 =
    "4500002c2001400040112e89c0000201c6336402138c138e00180000800003e9000271f011223344a0b0c000";
constexpr const char* kPacket1002 =
    "4500002c2002400040112e88c0000201c6336402138c138e00180000800003ea0002729011223344a0b0c000";
constexpr const char* kPacket1010 =
    "4500002c200a400040112e80c0000201c6336402138c138e00180000800003f20002779011223344a0b0c000";

// FEEDBACK-2: 11110 and 6 octets | Acktype 00, Mode 11, SN high bits 0000 | SN middle 03 | option SN (4), length 1, low
// 8 bits | option CRC (1), length 1, CRC-8. The SN of an IR packet has 16 bits, more than the 12 of FEEDBACK-2 alone.
constexpr const char* kAckOf1000 = "f6300341e81135";
constexpr const char* kAckOf1001 = "f6300341e911e5";
// 11110 and 4 octets | 00 11 0011 | f2 | CRC option: SN 1010 = 0x3f2; that of R-0-CRC has but 7 bits.
constexpr const char* kAckOf1010 = "f433f21132";

TEST_F(Vectors, Rtp) {
  expect(PacketType::kIr, kIr, kPacket1000, kAckOf1000);
  // IR-DYN: f8, profile 1, CRC ce; IPv4: TOS 00, TTL 40, ID 2001, DF and NBO a0, list 00; UDP checksum 0000; RTP: V=2
  // RX=1 90, M PT 00, SN 03e9, TS, list 00, Mode=11 TSS=1: 0d, TS_STRIDE 80a0.
  expect(PacketType::kIrDyn, "f801ce00402001a0000000900003e9000271f0000d80a0a0b0c000", kPacket1001, kAckOf1001);
  // 00, SN 101010 of 1111101010.
  expect(PacketType::kR0, "2aa0b0c000", kPacket1002);
  expect(PacketType::kR0, "2ba0b0c000",
         "4500002c2003400040112e87c0000201c6336402138c138e00180000800003eb0002733011223344a0b0c000");
  // R-0-CRC: 01, SN 111001 | 0, CRC 1110110: SN 1010 = 11111 1110010.
  expect(PacketType::kR0Crc, "7976a0b0c000", kPacket1010, kAckOf1010);
  // R-0 60 packets after the reference.
  expect(PacketType::kR0, "2ea0b0c000",
         "4500002c2046400040112e44c0000201c6336402138c138e001800008000042e00029d1011223344a0b0c000");
  // R-1-TS: 10, SN 110100 | M=1 X=0 T=1, TS 11100: scaled TS 1020 for a reference of 1010.
  expect(PacketType::kR1Ts, "b4bca0b0c000",
         "4500002c200c400040112e7ec0000201c6336402138c138e00180000808003f400027dd011223344a0b0c000");
  // "R-1* headers do not update any part of the context" (5.7.2): the next one is on the old line of TS.
  expect(PacketType::kR0, "35a0b0c000",
         "4500002c200d400040112e7dc0000201c6336402138c138e00180000800003f50002797011223344a0b0c000");
  // R-1-ID: 10, SN 110110 | M=0 X=0 T=0, IP-ID 11011: offset 7195 for a reference of 7192.
  expect(PacketType::kR1Id, "b61ba0b0c000",
         "4500002c2011400040112e79c0000201c6336402138c138e00180000800003f600027a1011223344a0b0c000");
  // R-1-ID with extension 3: 10 110111 | 0 1 0 11000 | 11, S R-TS 00, Tsc 1, I 0, ip 1, rtp 0 | TOS 0, TTL 1, DF 1,
  // PR IPX 00, NBO 1, RND ip2 00 | TTL 63. It is for this packet alone.
  expect(PacketType::kR1Id, "b758ca643fa0b0c000",
         "4500002c200f40003f112f7bc0000201c6336402138c138e00180000800003f700027ab011223344a0b0c000");
  expect(PacketType::kR0, "38a0b0c000",
         "4500002c2010400040112e7ac0000201c6336402138c138e00180000800003f800027b5011223344a0b0c000");
}

TEST_F(Vectors, Udp) {
  expect(PacketType::kIr, "fd02094011c0000201c63364021388138900402000a000000001f4a0b0c000",
         "450000202000400040112e96c0000201c633640213881389000c0000a0b0c000", "f6300141f4112b");
  // UOR-2 with extension 3: 110, SN 10101 | X=1, CRC 0111111 | 11, S 0, Mode 11, I ip ip2 000.
  expect(PacketType::kUor2, "d5bfd8a0b0c000", "450000202001400040112e95c0000201c633640213881389000c0000a0b0c000",
         "f431f51198");
  expect(PacketType::kR0, "36a0b0c000", "450000202002400040112e94c0000201c633640213881389000c0000a0b0c000");
  // 10, SN 110111 | X=0, IP-ID 0010100: offset 7700 for a reference of 7692.
  expect(PacketType::kR1, "b714a0b0c000", "45000020200b400040112e8bc0000201c633640213881389000c0000a0b0c000");
  // R-0-CRC: 01, SN 000100 | 0, CRC 1110110: SN 520 = 100 0001000.
  expect(PacketType::kR0Crc, "4476a0b0c000", "450000202014400040112e82c0000201c633640213881389000c0000a0b0c000",
         "f432081178");
  // With p = -1 (5.11) R-0 reaches 64 packets far.
  expect(PacketType::kR0, "08a0b0c000", "450000202054400040112e42c0000201c633640213881389000c0000a0b0c000");
}

// R-0-CRC with a wrong CRC changes nothing and, alone, calls for nothing.
TEST_F(Vectors, WrongCrcOfR0Crc) {
  expect(PacketType::kIr, kIr, kPacket1000, kAckOf1000);
  expect(PacketType::kIrDyn, "f801ce00402001a0000000900003e9000271f0000d80a0a0b0c000", kPacket1001, kAckOf1001);
  expect(PacketType::kR0, "2aa0b0c000", kPacket1002);
  const test::Restored r = test::decompress(decompressor_, hex("7977a0b0c000"), now_ns_);
  EXPECT_EQ(r.status, HEADROOM_ERR_CRC);
  EXPECT_TRUE(test::take_all(decompressor_.own_feedback()).empty());
  expect(PacketType::kR0Crc, "7976a0b0c000", kPacket1010, kAckOf1010);
}

// The same octets from the compressor, with the hand-made ACKs as its feedback.
TEST(CompressorVectors, Rtp) {
  CompressorConfig config = test::without_refreshes();
  config.highest_mode = Mode::kReliable;
  config.update_after = 9;
  config.repeats = 1;
  Compressor compressor(config);
  const auto send = [&](const char* packet) { return to_hex(test::compress(compressor, hex(packet)).octets); };
  EXPECT_EQ(test::compress(compressor, hex(kPacket1000)).type(), PacketType::kIr);
  compressor.give_feedback(0, hex(kAckOf1000), 0);
  const test::Compressed told = test::compress(compressor, hex(kPacket1001));
  EXPECT_EQ(told.mode(), Mode::kReliable);
  EXPECT_EQ(told.octets[0] & 0xe0, 0xc0) << "UOR-2";
  compressor.give_feedback(0, hex(kAckOf1001), 0);
  EXPECT_EQ(send(kPacket1002), plain("2aa0b0c000"));
  for (unsigned sn = 1003; sn < 1010; ++sn) {
    Packet p = hex(kPacket1000);
    const unsigned ts = 160 * sn + 80;
    p[5] = static_cast<std::uint8_t>(sn - 1000);
    p[31] = static_cast<std::uint8_t>(sn);
    for (unsigned i = 0; i < 4; ++i) p[32 + i] = static_cast<std::uint8_t>(ts >> (24 - 8 * i));
    test::mend_ipv4_checksum(p);
    const Packet link = test::compress(compressor, p).octets;
    ASSERT_EQ(link.size(), 5U) << sn;
    EXPECT_EQ(link[0], sn & 63U) << "R-0";
  }
  EXPECT_EQ(send(kPacket1010), plain("7976a0b0c000"));
}

}  // namespace
}  // namespace headroom::rohc
