// SPDX-License-Identifier: Apache-2.0
//
// The compressor of RFC 6846, 5.2, and context replication, RFC 4164.
#include <gtest/gtest.h>

#include "rohc/tcp/test/ends.h"

namespace headroom::rohc::tcp {
namespace {

using namespace testing;
using test::hex;

// A transfer with a sequential IP-ID, or acknowledgements of it.
struct Transfer {
  Tcp t;
  Ip ip;
  bool v6 = false;
  Packet data(std::size_t octets = 100) {
    t.seq += static_cast<std::uint32_t>(t.payload.size());
    t.payload.assign(octets, 'x');
    return packet();
  }
  Packet ack(std::uint32_t octets = 1460) {
    t.ack += octets;
    t.payload.clear();
    return packet();
  }
  Packet packet() {
    ++ip.id;
    return v6 ? tcp6(t, ip) : tcp4(t, ip);
  }
};

PacketType sent(Ends& ends, const Packet& packet, const CompressorContext* base = nullptr) {
  const Packet link = ends.compress(packet, base);
  EXPECT_EQ(ends.last.unfit, Unfit::kNone);
  EXPECT_EQ(ends.decompress(link), packet);
  return ends.last.type;
}

void settle(Ends& ends, Transfer& f, unsigned packets = 12) {
  for (unsigned i = 0; i < packets; ++i) (void)sent(ends, f.data());
}

// "the compressor MUST use a packet type that contains an encoding for field X until it has gained confidence"
// (5.2.1.1).
TEST(TcpCompressor, AChangeIsRepeatedUntilItIsRelyedOn) {
  for (unsigned repeats = 1; repeats <= 8; ++repeats) {
    CompressorConfig config;
    config.repeats = repeats;
    Ends ends(config);
    Transfer f;
    f.ip.id = 7;
    for (unsigned i = 0; i < repeats; ++i) EXPECT_EQ(sent(ends, f.data()), PacketType::kIr);
    settle(ends, f);
    EXPECT_EQ(sent(ends, f.data()), type_of(Format::kSeq2));
    f.ip.tos = 0x20;
    for (unsigned i = 0; i < repeats; ++i) EXPECT_EQ(sent(ends, f.data()), type_of(Format::kCommon)) << i;
    EXPECT_EQ(sent(ends, f.data()), type_of(Format::kSeq2));
  }
}

// "SHOULD choose a compressed format with the smallest header": a flow for each format.
TEST(TcpCompressor, TheSmallestFormatIsChosen) {
  struct Case {
    Format random, sequential;
    std::function<void(Transfer&)> change;
  };
  const Case cases[] = {
      {Format::kRnd2, Format::kSeq2, [](Transfer& f) { (void)f.data(); }},
      {Format::kRnd1, Format::kSeq1, [](Transfer& f) { (void)f.data(99), (void)f.data(50); }},
      {Format::kRnd3, Format::kSeq3, [](Transfer& f) { (void)f.ack(77), f.t.seq += 100; }},
      {Format::kRnd6, Format::kSeq6, [](Transfer& f) { (void)f.data(), f.t.ack += 9; }},
      {Format::kRnd5, Format::kSeq5, [](Transfer& f) { (void)f.data(99), f.t.ack += 9; }},
      {Format::kRnd7, Format::kSeq7, [](Transfer& f) { (void)f.ack(77), f.t.window += 1000; }},
      {Format::kCommon, Format::kCommon, [](Transfer& f) { (void)f.data(), f.t.urgent = 9; }},
  };
  for (const bool v6 : {false, true}) {
    for (const Case& c : cases) {
      Ends ends;
      Transfer f;
      f.ip.id = 7;
      f.v6 = v6;
      const bool keeps_seq = c.random == Format::kRnd3 || c.random == Format::kRnd7;
      for (int i = 0; i < 12; ++i) (void)sent(ends, keeps_seq ? f.packet() : f.data());
      if (keeps_seq) {
        f.t.ack += c.random == Format::kRnd7 ? 100 : 50;
        f.t.window = static_cast<std::uint16_t>(f.t.window + (c.random == Format::kRnd7 ? 100 : 0));
      } else {
        c.change(f);
        --f.ip.id;
        if (c.random == Format::kRnd1) --f.ip.id;
      }
      EXPECT_EQ(sent(ends, f.packet()), type_of(v6 ? c.random : c.sequential)) << static_cast<unsigned>(c.random);
    }
  }
}

// 6.4.8.2: a stride is established by co_common, and then used.
TEST(TcpCompressor, AcknowledgementsAreScaledOnceAStrideIsKnown) {
  Ends ends;
  Transfer f;
  f.ip.id = 7;
  unsigned common = 0, scaled = 0;
  for (int i = 0; i < 40; ++i) {
    const PacketType type = sent(ends, f.ack());
    common += type == type_of(Format::kCommon);
    scaled += type == type_of(Format::kSeq4);
  }
  EXPECT_EQ(common, 4U);
  EXPECT_GE(scaled, 20U);
}

// 5.2.2.1: "Upon reception of an ACK … the compressor obtains confidence".
TEST(TcpCompressor, AnAckEndsRepetition) {
  Ends ends;
  Transfer f;
  EXPECT_EQ(sent(ends, f.data()), PacketType::kIr);
  ends.answer(ends.result.due_feedback);
  EXPECT_NE(sent(ends, f.data()), PacketType::kIr);
  f.ip.df = false;
  EXPECT_EQ(sent(ends, f.data()), type_of(Format::kCommon));
  ends.answer(DueFeedback::kAck);
  EXPECT_NE(sent(ends, f.data()), type_of(Format::kCommon));
}

// 5.2.2.2: IR-DYN behind a NACK, IR behind a STATIC-NACK, and behind a NACK with MSN-NOT-VALID, too (8.3.2.2).
TEST(TcpCompressor, NacksBringDynamicOrAllInformation) {
  Ends ends;
  Transfer f;
  settle(ends, f);
  Feedback nack;
  nack.ack = AckType::kNack;
  nack.msn = ends.out.msn() & 0x3fff;
  ends.in.feedback(nack);
  EXPECT_EQ(sent(ends, f.data()), PacketType::kIrDyn);
  ends.answer(DueFeedback::kAck);
  EXPECT_NE(sent(ends, f.data()), PacketType::kIrDyn);
  nack.ack = AckType::kStaticNack;
  ends.in.feedback(nack);
  EXPECT_EQ(sent(ends, f.data()), PacketType::kIr);
  ends.answer(DueFeedback::kAck);
  EXPECT_NE(sent(ends, f.data()), PacketType::kIr);
  nack.ack = AckType::kNack;
  nack.msn_valid = false;
  ends.in.feedback(nack);
  EXPECT_EQ(sent(ends, f.data()), PacketType::kIr);
}

// 5.2.1.2: refreshes until there is a feedback channel.
TEST(TcpCompressor, RefreshesComeUntilThereIsFeedback) {
  CompressorConfig config;
  config.ir_refresh = 100;
  config.ir_dyn_refresh = 25;
  for (const bool with_feedback : {false, true}) {
    Ends ends(config);
    Transfer f;
    unsigned ir = 0, dyn = 0;
    for (int i = 0; i < 400; ++i) {
      const PacketType type = sent(ends, f.data());
      if (with_feedback && i == 0) ends.answer(DueFeedback::kAck);
      ir += type == PacketType::kIr;
      dyn += type == PacketType::kIrDyn;
    }
    EXPECT_EQ(ir, with_feedback ? 1U : 4U + 3U);
    EXPECT_EQ(dyn, with_feedback ? 0U : 12U);
  }
}

// RFC 2507, 3.3.1: the period of refreshes grows exponentially in a new flow.
TEST(TcpCompressor, IrPacketsOfANewFlowComeBackSoon) {
  CompressorConfig config;
  config.ir_refresh = 100;
  config.ir_refresh_start = 16;
  config.ir_dyn_refresh = 0;
  Ends ends(config);
  Transfer f;
  std::vector<int> ir;
  for (int i = 0; i < 400; ++i)
    if (sent(ends, f.data()) == PacketType::kIr && i >= static_cast<int>(config.repeats)) ir.push_back(i);
  EXPECT_EQ(ir, (std::vector<int>{19, 51, 115, 215, 315}));
}

// "The MSN … continues to increment monotonically" when a CID gets another flow (6.1.1).
TEST(TcpCompressor, AnotherFlowGetsIrPacketsAndTheNextMsn) {
  Ends ends;
  Transfer f, other;
  other.t.source = 9;
  settle(ends, f);
  const std::uint16_t msn = ends.out.msn();
  EXPECT_EQ(sent(ends, other.data()), PacketType::kIr);
  EXPECT_EQ(ends.out.msn(), static_cast<std::uint16_t>(msn + 1));
  settle(ends, other);
}

// 6.3.6 and 6.3.4: time stamps and SACK in the irregular chain; other options only if they change.
TEST(TcpCompressor, OptionsTakeOctetsOnlyForWhatChanges) {
  Ends ends;
  Transfer f;
  f.v6 = true;
  std::uint32_t stamp = 100;
  const auto next = [&] {
    stamp += 1;
    f.t.options = timestamps(stamp, stamp + 1000);
    return f.data();
  };
  for (int i = 0; i < 12; ++i) (void)sent(ends, next());
  EXPECT_EQ(sent(ends, next()), type_of(Format::kRnd2));
  EXPECT_EQ(ends.last.compressed_header, 2 + 2 + 2) << "base header, checksum, two time stamps";
  // SACK comes: a list with its item, and behind that blocks alone.
  f.t.options = timestamps(stamp, stamp + 1000) + hex("0101 050a 00001400 00001500");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sent(ends, f.packet()), type_of(Format::kCommon));
  EXPECT_NE(sent(ends, f.packet()), type_of(Format::kCommon));
  EXPECT_EQ(ends.last.compressed_header, 2 + 2 + 3 + 3 + 1)
      << "rnd_2; unchanged stamps need ts_lsb of 21 bits; sack_unchanged";
}

// A decompressor may begin a new item table with an IR packet (6.3.2 leaves it open).
TEST(TcpCompressor, ItemsThatAnIrPacketDoesNotListAreSentAgain) {
  CompressorConfig config;
  config.ir_refresh = 40;
  Ends ends(config);
  Transfer f;
  f.t.options = hex("0101 0402");
  settle(ends, f);
  f.t.options = hex("0204 05b4");
  Packet link;
  do link = ends.compress(f.data());
  while (ends.last.type != PacketType::kIr);
  ends.out = DecompressorContext(DecompressorConfig{});
  (void)ends.decompress(link);
  settle(ends, f);
  f.t.options = hex("0101 0402");
  settle(ends, f);
}

// ECN: "its value can be updated using specific compressed headers carrying a 7-bit CRC" (6.1.3).
TEST(TcpCompressor, EcnIsOneMoreOctetOnceItIsUsed) {
  Ends ends;
  Transfer f;
  f.v6 = true;
  settle(ends, f);
  (void)sent(ends, f.data());
  const unsigned before = ends.last.compressed_header;
  f.ip.tos = 2;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sent(ends, f.data()), type_of(Format::kCommon));
  for (int i = 0; i < 5; ++i) {
    f.ip.tos = static_cast<std::uint8_t>(i % 4);
    f.t.flags ^= 0x40;
    EXPECT_EQ(sent(ends, f.data()), type_of(Format::kRnd2));
    EXPECT_EQ(ends.last.compressed_header, before + 1);
  }
}

// RST, SYN and FIN together have no index: only the dynamic chain carries them.
TEST(TcpCompressor, FlagsWithoutAnIndexGoAsIrDyn) {
  Ends ends;
  Transfer f;
  settle(ends, f);
  f.t.flags = 0x13;
  EXPECT_EQ(sent(ends, f.data()), PacketType::kIrDyn);
  f.t.flags = 0x11;
  EXPECT_NE(sent(ends, f.data()), PacketType::kIrDyn);
}

// 40 NOPs are more items than m can count: another profile's.
TEST(TcpCompressor, OptionsThatMakeNoListAreRefused) {
  Ends ends;
  Transfer f;
  settle(ends, f);
  const std::uint16_t msn = ends.in.last_msn();
  for (const Packet& options : {Packet(40, 1), hex("fd01 0101"), hex("fd00 0101"), hex("fd05 0101"), hex("00000001")}) {
    f.t.options = options;
    EXPECT_TRUE(ends.compress(f.packet()).empty());
    EXPECT_EQ(ends.last.unfit, Unfit::kTooLong);
  }
  EXPECT_EQ(ends.in.last_msn(), msn);
  f.t.options = Packet(12, 1);
  (void)sent(ends, f.data());
}

TEST(TcpCompressor, WithoutRoomNothingIsSent) {
  Ends ends;
  Transfer f;
  const Packet packet = f.data();
  Packet room(30);
  EXPECT_TRUE(ends.in.compress(packet, room).no_space);
  EXPECT_EQ(sent(ends, packet), PacketType::kIr);
}

// RFC 4164, 3.3: replication from a base context that was acknowledged with a CRC, with a Base CID other than the CID.
TEST(TcpCompressor, AnotherFlowBetweenTheSameHostsIsReplicated) {
  for (const bool large : {false, true}) {
    for (const bool v6 : {false, true}) {
      Ends base({}, {}, large, large ? 300 : 3), ends({}, {}, large, 5);
      Transfer f, other;
      f.v6 = other.v6 = v6;
      f.t.options = other.t.options = hex("020405b4 0402 0101 080a 00000001 00000002 0101");
      (void)sent(base, f.data());
      EXPECT_FALSE(base.in.is_base());
      base.answer(DueFeedback::kAck);
      EXPECT_TRUE(base.in.is_base());
      other.t.source = 1027;
      other.t.seq = 0x01020304;
      other.t.options[13] = 9;
      const Packet packet = other.data();
      const Packet link = ends.compress(packet, &base.in);
      ASSERT_EQ(ends.last.type, PacketType::kIrCr);
      EXPECT_LT(ends.last.compressed_header, v6 ? 43 : 46);
      const auto reference = DecompressorContext::base_of(ends.link_packet(link));
      ASSERT_TRUE(reference);
      EXPECT_FALSE(reference->is_own);
      EXPECT_EQ(reference->cid, large ? 300U : 3U);
      EXPECT_TRUE(ends.decompress(link).empty()) << "no base";
      EXPECT_EQ(ends.result.status, Status::kNoBase);
      EXPECT_EQ(ends.result.due_feedback, DueFeedback::kStaticNack);
      EXPECT_EQ(ends.decompress(link, &base.out), packet);
      ends.answer(ends.result.due_feedback);
      for (int i = 0; i < 10; ++i) EXPECT_LT(static_cast<unsigned>(sent(ends, other.data())), kFormats);
    }
  }
}

// "the compressor MUST transit back to its initial … state", and refrain from IR-CR (RFC 4164, 3.3.3.4).
TEST(TcpCompressor, AStaticNackEndsReplication) {
  Ends base({}, {}, false, 3), ends({}, {}, false, 5);
  Transfer f, other;
  (void)sent(base, f.data());
  base.answer(DueFeedback::kAck);
  other.t.source = 9;
  const Packet link = ends.compress(other.data(), &base.in);
  ASSERT_EQ(ends.last.type, PacketType::kIrCr);
  (void)ends.decompress(link);
  ends.answer(ends.result.due_feedback);
  EXPECT_EQ(sent(ends, other.data(), &base.in), PacketType::kIr);
}

// CRC-8 covers the whole IR-CR header, CRC-7 the original one; a damaged one changes nothing (7.2).
TEST(TcpCompressor, DamagedReplicationIsRefused) {
  Ends base({}, {}, false, 3), ends({}, {}, false, 5);
  Transfer f, other;
  (void)sent(base, f.data());
  base.answer(DueFeedback::kAck);
  other.t.source = 9;
  const Packet packet = other.packet(), link = ends.compress(packet, &base.in);
  for (std::size_t bit = 16; bit < link.size() * 8; ++bit) {
    Packet damaged = link;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_TRUE(ends.decompress(damaged, &base.out).empty()) << bit;
    EXPECT_EQ(ends.out.state(), State::kNoContext);
  }
  Packet reserved = link;
  reserved[5] |= 0x10;
  EXPECT_FALSE(DecompressorContext::base_of(ends.link_packet(reserved)));
  Packet own = link;
  own[4] &= 0x7f;
  EXPECT_TRUE(DecompressorContext::base_of(ends.link_packet(own))->is_own);
  EXPECT_TRUE(ends.decompress(own, &base.out).empty());
  EXPECT_EQ(ends.decompress(link, &base.out), packet);
  EXPECT_EQ(ends.decompress(link, &ends.out), packet) << "its own context, which has become equal, but for the ports";
}

}  // namespace
}  // namespace headroom::rohc::tcp
