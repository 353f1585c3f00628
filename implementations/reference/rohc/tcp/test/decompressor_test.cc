// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of RFC 6846, 5.3: packets made by hand, states, feedback, and input that no compressor sends.
#include <gtest/gtest.h>

#include "rohc/framework/wire/crc.h"
#include "rohc/tcp/test/ends.h"

namespace headroom::rohc::tcp {
namespace {

using namespace testing;
using test::bits;
using test::hex;
using test::to_hex;

Packet slice(const Packet& p, std::size_t from, std::size_t to) {
  return {p.begin() + static_cast<std::ptrdiff_t>(from), p.begin() + static_cast<std::ptrdiff_t>(to)};
}

// An IR packet for CID 0 of IPv4 and TCP without options: 7.1, ipv4_static, tcp_static, ipv4_innermost_dynamic,
// tcp_dynamic. `behaviour`: IP_ID_BEHAVIOR_*.
Packet ir_of(const Packet& packet, std::uint16_t msn, unsigned behaviour, std::uint16_t stride = 0) {
  Packet p = hex("fd 06 00 | 00 06") + slice(packet, 12, 20) + slice(packet, 20, 24);
  p.push_back(static_cast<std::uint8_t>((packet[6] >> 6 & 1U) << 2 | behaviour));
  p.push_back(packet[1]);
  p.push_back(packet[8]);
  if (behaviour != 3) p = p + slice(packet, 4, 6);
  p.push_back(static_cast<std::uint8_t>(stride != 0 ? 0x50 : 0x10));
  p.push_back(packet[33]);
  put16(p, msn);
  p = p + slice(packet, 24, 32) + slice(packet, 34, 38);
  if (stride != 0) put16(p, stride);
  p.push_back(0);
  p[2] = wire::crc8(p);
  return p + slice(packet, 40, packet.size());
}

struct Flow {
  Tcp t;
  Ip ip;
  Packet packet() const { return tcp4(t, ip); }
  Packet headers() const { return slice(packet(), 0, 40); }
  Packet checksum() const { return slice(packet(), 36, 38); }
};

// A CO packet of base header bits, in which "ccc" or "ccccccc" stands for the CRC of the original headers.
Packet co_of(const Flow& f, std::string base, const Packet& irregular = {}) {
  for (const auto& [place, width] : {std::pair{std::string("ccccccc"), 7U}, std::pair{std::string("ccc"), 3U}}) {
    const std::size_t at = base.find(place);
    if (at == std::string::npos) continue;
    const unsigned crc = width == 7 ? wire::crc7(f.headers()) : wire::crc3(f.headers());
    for (unsigned i = 0; i < width; ++i) base[at + i] = (crc >> (width - 1 - i) & 1) != 0 ? '1' : '0';
  }
  return bits(base) + irregular + f.checksum() + f.t.payload;
}

std::string binary(std::uint32_t v, unsigned width) {
  std::string s;
  for (unsigned i = width; i-- > 0;) s += (v >> i & 1) != 0 ? '1' : '0';
  return s;
}

// 7.1, and rnd_3, rnd_1, rnd_2 and rnd_4 behind it: an IP-ID that is always 0.
TEST(TcpDecompressor, RandomFormatsByHand) {
  Ends ends;
  Flow f;
  f.t.payload = Packet(100, 'x');
  EXPECT_EQ(to_hex(ends.decompress(ir_of(f.packet(), 0x1236, 3, 1000))), to_hex(f.packet()));
  EXPECT_EQ(ends.result.due_feedback, DueFeedback::kAck);
  EXPECT_EQ(ends.out.state(), State::kFullContext);
  EXPECT_EQ(ends.out.msn(), 0x1236);

  f.t.ack += 1500;
  f.t.flags = 0x18;
  f.t.payload.clear();
  EXPECT_EQ(ends.decompress(co_of(f, "0 " + binary(f.t.ack, 15) + " 0111 1 ccc")), f.packet());
  EXPECT_EQ(ends.result.type, type_of(Format::kRnd3));
  EXPECT_EQ(ends.out.msn(), 0x1237);

  f.t.seq += 100;
  f.t.flags = 0x10;
  f.t.payload = Packet(100, 'y');
  EXPECT_EQ(ends.decompress(co_of(f, "101110 " + binary(f.t.seq, 18) + " 1000 0 ccc")), f.packet());
  f.t.seq += 100;  // scaled: 1200 / 100
  EXPECT_EQ(ends.decompress(co_of(f, "1100 " + binary(f.t.seq / 100, 4) + " 1001 0 ccc")), f.packet());
  f.t.payload.clear();
  f.t.ack += 2000;  // 5000 + 1500 + 2000, residue 500 by a stride of 1000
  EXPECT_EQ(ends.decompress(co_of(f, "1101 " + binary(f.t.ack / 1000, 4) + " 1010 0 ccc")), f.packet());
}

// seq_2, seq_4, and co_common in between: the offset of the IP-ID to the MSN is what is compressed.
TEST(TcpDecompressor, SequentialFormatsByHand) {
  for (const bool swapped : {false, true}) {
    Ends ends;
    Flow f;
    const auto set_id = [&](std::uint16_t id) { f.ip.id = swapped ? wire::swap16(id) : id; };
    f.t.payload = Packet(50, 'x');
    set_id(0x0110);
    EXPECT_EQ(ends.decompress(ir_of(f.packet(), 0x0100, swapped ? 1 : 0)), f.packet());
    set_id(0x0113);  // offset 0x11 to MSN 0x0102
    f.t.seq += 50;
    EXPECT_EQ(ends.decompress(co_of(f, "11010 0010001 " + binary(f.t.seq / 50, 4) + " 0010 0 ccc")), f.packet());
    // co_common: seq lsb_8, stride, window, IP-ID as it is, the same behaviour.
    set_id(0x2000);
    f.t.seq += 50;
    f.t.window = 7;
    const Packet co =
        co_of(f, "11111010 | 1 0 00 0011 | 01 00 1 1 1 0 | 0 0 0 0 0 0" + std::string(swapped ? "1" : "0") +
                     " 0 | 1 ccccccc | " + binary(f.t.seq, 8) + binary(500, 16) + binary(7, 16) + binary(f.ip.id, 16));
    EXPECT_EQ(to_hex(ends.decompress(co)), to_hex(f.packet()));
    set_id(0x2001);
    f.t.ack += 500;  // residue 0
    f.t.payload.clear();
    EXPECT_EQ(ends.decompress(co_of(f, "0 " + binary(f.t.ack / 500, 4) + binary(0x2001 - 0x0104, 3) + " 0100 0 ccc")),
              f.packet());
  }
}

// "The decompressor MUST validate the outcome … using CRC verification"; "the decompressor context MUST NOT be
// updated".
TEST(TcpDecompressor, AWrongCrcChangesNothing) {
  Ends ends;
  Flow f;
  const Packet ir = ir_of(f.packet(), 9, 3);
  for (std::size_t bit = 8; bit < ir.size() * 8; ++bit) {
    Packet damaged = ir;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_TRUE(ends.decompress(damaged).empty()) << bit;
    EXPECT_EQ(ends.out.state(), State::kNoContext);
    EXPECT_EQ(ends.result.due_feedback,
              ends.result.status == Status::kTooLong ? DueFeedback::kContextMemory : DueFeedback::kStaticNack);
  }
  EXPECT_EQ(ends.decompress(ir), f.packet());
  Flow other = f;
  other.t.ack += 1;
  Packet wrong = co_of(other, "0 " + binary(f.t.ack + 2, 15) + " 1010 0 ccc");
  ASSERT_NE(wire::crc3(other.headers()), wire::crc3(f.headers())) << "the CRC has to show it";
  EXPECT_TRUE(ends.decompress(wrong).empty());
  EXPECT_EQ(ends.result.status, Status::kCrc);
  EXPECT_EQ(ends.out.msn(), 9);
  EXPECT_EQ(ends.decompress(co_of(other, "0 " + binary(other.t.ack, 15) + " 1010 0 ccc")), other.packet());
}

// 5.3.1.2 to 5.3.1.5: FC to SC behind k of n failures, with a NACK; SC to NC behind k of n, with a STATIC-NACK.
TEST(TcpDecompressor, RepeatedFailuresLeadDownwards) {
  DecompressorConfig config;
  Ends ends({}, config);
  Flow f;
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 9, 3)), f.packet());
  Flow other = f;
  other.t.window = 1;
  const Packet bad3 = co_of(other, "0 " + binary(f.t.ack, 15) + " 1010 0 ccc");
  ASSERT_NE(wire::crc3(other.headers()), wire::crc3(f.headers()));
  for (unsigned i = 0; i < config.dynamic_k; ++i) {
    EXPECT_EQ(ends.out.state(), State::kFullContext);
    EXPECT_TRUE(ends.decompress(bad3).empty());
    EXPECT_EQ(ends.result.due_feedback, i + 1U == config.dynamic_k ? DueFeedback::kNack : DueFeedback::kNone);
  }
  EXPECT_EQ(ends.out.state(), State::kStaticContext);
  // "will not attempt decompression of a CO header that carries a 3-bit CRC"
  EXPECT_TRUE(ends.decompress(co_of(f, "0 " + binary(f.t.ack, 15) + " 1010 0 ccc")).empty());
  EXPECT_EQ(ends.result.status, Status::kNoContext);
  EXPECT_EQ(ends.result.due_feedback, DueFeedback::kNack);
  const std::string common = "11111010 | 1 0 00 1010 | 00 00 0 0 0 0 | 0 0 0 0 0 11 0 | 1 ccccccc";
  for (unsigned i = 0; i < config.static_k; ++i) {
    EXPECT_EQ(ends.out.state(), State::kStaticContext);
    EXPECT_TRUE(ends.decompress(co_of(other, common)).empty());
  }
  EXPECT_EQ(ends.result.due_feedback, DueFeedback::kStaticNack);
  EXPECT_EQ(ends.out.state(), State::kNoContext);
  EXPECT_TRUE(ends.decompress(co_of(f, common)).empty());
  EXPECT_EQ(ends.result.status, Status::kNoContext);
  EXPECT_EQ(ends.result.due_feedback, DueFeedback::kStaticNack);
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 9, 3)), f.packet());
  EXPECT_EQ(ends.out.state(), State::kFullContext) << "Once a packet has been … decompressed correctly";
}

// A co_common packet is enough in the SC state.
TEST(TcpDecompressor, ACrcOfSevenBitsLeadsUpwards) {
  Ends ends;
  Flow f;
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 9, 3)), f.packet());
  Flow other = f;
  other.t.window = 1;
  for (int i = 0; i < 4; ++i) (void)ends.decompress(co_of(other, "0 " + binary(f.t.ack, 15) + " 1010 0 ccc"));
  ASSERT_EQ(ends.out.state(), State::kStaticContext);
  f.t.window = 0x1234;
  EXPECT_EQ(ends.decompress(co_of(f,
                                  "11111010 | 1 0 00 1010 | 00 00 0 1 0 0 | 0 0 0 0 0 11 0 | 1 ccccccc | "
                                  "0001001000110100")),
            f.packet());
  EXPECT_EQ(ends.out.state(), State::kFullContext);
}

// "If the received packet is older than the current reference packet … MAY refrain from updating" (5.3.1.1).
TEST(TcpDecompressor, AnOlderPacketIsDeliveredAndNoReference) {
  Ends ends;
  Flow f;
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 8, 3)), f.packet());
  Flow late = f, next = f;
  late.t.ack += 100;
  next.t.ack += 200;
  EXPECT_EQ(ends.decompress(co_of(next, "0 " + binary(next.t.ack, 15) + " 1010 0 ccc")), next.packet());
  EXPECT_EQ(ends.decompress(co_of(late, "0 " + binary(late.t.ack, 15) + " 1001 0 ccc")), late.packet());
  EXPECT_EQ(ends.out.msn(), 10);
}

// Behind a loss of more packets than LSBs of the MSN reach, the IP-ID is 16 too small.
TEST(TcpDecompressor, AWrappedMsnIsRepaired) {
  for (const bool repair : {true, false}) {
    DecompressorConfig config;
    config.repair_msn = repair;
    Ends ends({}, config);
    Flow f;
    f.ip.id = 0x100;
    EXPECT_EQ(ends.decompress(ir_of(f.packet(), 0x10, 0)), f.packet());
    f.ip.id = 0x110;
    f.t.ack += 10;
    const Packet link = co_of(f, "1001 0000 " + binary(f.t.ack, 16) + " 0000 0 ccc");  // MSN 0x20
    Flow near = f;
    near.ip.id = 0x100;
    ASSERT_NE(wire::crc3(near.headers()), wire::crc3(f.headers()));
    EXPECT_EQ(ends.decompress(link), repair ? f.packet() : Packet{});
    EXPECT_EQ(ends.out.msn(), repair ? 0x20 : 0x10);
  }
}

// Conditions that formats ENFORCE: a payload for scaled sequence numbers, a stride for scaled acknowledgements.
TEST(TcpDecompressor, ScalingNeedsAFactor) {
  Ends ends;
  Flow f;
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 8, 3)), f.packet());
  EXPECT_TRUE(ends.decompress(co_of(f, "1100 0000 1001 0 ccc")).empty());
  EXPECT_EQ(ends.result.status, Status::kMalformed);
  EXPECT_TRUE(ends.decompress(co_of(f, "1101 0000 1001 0 ccc")).empty());
  EXPECT_EQ(ends.result.status, Status::kMalformed);
}

// 6.3.2: "If an index without an accompanying item is received and the decompressor does not have any context for this
// index, the header MUST be discarded and a NACK SHOULD be sent."
TEST(TcpDecompressor, AnUnknownItemIsAnsweredWithANack) {
  Ends ends;
  Flow f;
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 8, 3)), f.packet());
  const Packet link =
      co_of(f, "11111010 | 1 0 00 1001 | 00 00 0 0 0 0 | 0 0 0 0 1 11 0 | 1 ccccccc | 00000001 00100000");
  EXPECT_TRUE(ends.decompress(link).empty());
  EXPECT_EQ(ends.result.status, Status::kUnknownItem);
  EXPECT_EQ(ends.result.due_feedback, DueFeedback::kNack);
}

// "Since its value is always the same, no context information needs to be transmitted" for NOP (6.3.4).
TEST(TcpDecompressor, NopIsKnownWithoutAnItem) {
  Ends ends;
  Flow f;
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 8, 3)), f.packet());
  f.t.options = hex("01 01 01 01");
  const Packet plain = slice(f.packet(), 0, 44);
  std::string base = "11111010 | 1 0 00 1001 | 00 00 0 0 0 0 | 0 0 0 0 1 11 0 | 1 " + binary(wire::crc7(plain), 7);
  EXPECT_EQ(ends.decompress(bits(base) + hex("04 00 00") + f.checksum()), f.packet());
}

// A random IP-ID that begins to count, by co_common with 8 bits relative to the packet before.
TEST(TcpDecompressor, TheOffsetOfARandomIpIdIsKept) {
  Ends ends;
  Flow f;
  f.ip.id = 0x4535;
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 1, 2)), f.packet());
  f.ip.id = 0x4536;
  EXPECT_EQ(ends.decompress(co_of(f, "11111010 | 1 0 00 0010 | 00 00 0 0 0 0 | 0 0 0 0 0 00 0 | 1 ccccccc | 00110100")),
            f.packet());
}

// "A packet for which the CRC succeeds updates the reference values of all header fields" (5.3.1.2): also the TTL of an
// outer header, and the packet behind it leaves it out.
TEST(TcpDecompressor, AnOuterTtlStays) {
  CompressorConfig config;
  config.stride_after = 0;
  Ends ends(config);
  Ip outer, inner;
  Tcp t;
  const auto next = [&] {
    t.ack += 10;
    return ip4(4, ip4(6, tcp(t), inner), outer);
  };
  for (int i = 0; i < 5; ++i) {
    const Packet packet = next();
    EXPECT_EQ(ends.decompress(ends.compress(packet)), packet);
  }
  outer.ttl = 9;
  for (int i = 0; i < 6; ++i) {
    const Packet packet = next();
    EXPECT_EQ(ends.decompress(ends.compress(packet)), packet);
    EXPECT_EQ(ends.last.type == type_of(Format::kCommon), i < 4) << i;
  }
}

// No octets, first octets of others, every truncation, and a packet of another profile.
TEST(TcpDecompressor, WhatIsNoPacketIsRefused) {
  Ends ends;
  Flow f;
  f.t.options = timestamps(1, 2);
  const Packet packet = f.packet(), ir = ends.compress(packet);
  EXPECT_TRUE(ends.decompress({}).empty());
  for (std::size_t cut = 0; cut < ir.size(); ++cut) EXPECT_TRUE(ends.decompress(slice(ir, 0, cut)).empty()) << cut;
  EXPECT_EQ(ends.decompress(ir), packet);
  Packet other = ir;
  other[1] = 0x02;
  EXPECT_TRUE(ends.decompress(other).empty());
  for (const unsigned first : {0xe0U, 0xf0U, 0xf9U, 0xfeU, 0xffU}) {
    EXPECT_TRUE(ends.decompress({static_cast<std::uint8_t>(first), 0, 0, 0, 0, 0, 0, 0, 0, 0}).empty());
    EXPECT_EQ(ends.result.status, Status::kMalformed);
  }
  Packet room(packet.size() - 1);
  EXPECT_EQ(ends.out.decompress(ends.link_packet(ir), room).status, Status::kNoSpace);
}

// 8.3.1: "The sequence number to use is the MSN corresponding to the last header that was successfully … verified";
// before there is one, MSN-NOT-VALID.
TEST(TcpDecompressor, FeedbackCarriesTheLastMsn) {
  Ends ends;
  EXPECT_FALSE(ends.out.feedback_for(DueFeedback::kStaticNack).msn_valid);
  Flow f;
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 0xbeef, 3)), f.packet());
  EXPECT_TRUE(ends.out.feedback_for(DueFeedback::kAck).msn_valid);
  EXPECT_EQ(ends.out.msn(), 0xbeef);
  EXPECT_EQ(ends.out.feedback_for(DueFeedback::kNack).ack, AckType::kNack);
  EXPECT_TRUE(ends.out.feedback_for(DueFeedback::kContextMemory).context_memory);
}

// A decompressor that verifies checksums lets no packet pass whose TCP checksum is wrong.
TEST(TcpDecompressor, ChecksumsCanBeVerified) {
  DecompressorConfig config;
  config.verify_checksum = true;
  Ends ends({}, config);
  Flow f;
  f.t.payload = hex("01 02 03");
  EXPECT_EQ(ends.decompress(ir_of(f.packet(), 8, 3)), f.packet());
  f.t.ack += 1;
  Packet link = co_of(f, "0 " + binary(f.t.ack, 15) + " 1001 0 ccc");
  link.back() ^= 1;
  EXPECT_TRUE(ends.decompress(link).empty());
  EXPECT_EQ(ends.result.status, Status::kChecksum);
  link.back() ^= 1;
  EXPECT_EQ(ends.decompress(link), f.packet());
}

}  // namespace
}  // namespace headroom::rohc::tcp
