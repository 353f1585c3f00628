// SPDX-License-Identifier: Apache-2.0
//
// Profile 0x0003, ESP: RFC 3095 5.7.7.7 (initialisation, CRC coverage), 5.12 (the SN is that of the header, interpreted
// as in RTP), RFC 4303 2.2 (a Sequence Number of 32 bits). The octets were worked out by hand from the figures, the
// CRCs with a program of a few lines that shares nothing with this one.
#include <gtest/gtest.h>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/hand_made.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::crafted;
using test::crafted_initialisation;
using test::decompress;
using test::esp_packet;
using test::hex;
using test::joined;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::SteadyFlow;
using test::to_hex;
using test::without_refreshes;
using wire::PacketType;

constexpr unsigned kEsp = 3;

SteadyFlow flow_from(unsigned version, std::uint32_t sn) {
  SteadyFlow flow(esp_packet(version));
  flow.spec.esp->sn = sn;
  flow.spec.ip.id = 6;
  return flow;
}

CompressorConfig at_once() {
  CompressorConfig config = without_refreshes();
  config.repeats = 1;
  return config;
}

// 5.7.7.1, 5.7.7.4, 5.7.7.7, then 5.11.3; SN 0x0001fffe to 0x00020001, of which UO-0 carries four bits.
TEST(Esp, OctetsOverIpv4) {
  Link link(at_once());
  SteadyFlow flow = flow_from(4, 0x0001fffd);
  const Packet ir =
      hex("fd 03 1f | 40 32 0a000001 0a010002 | 1a2b3c4d |"  // static chain: IPv4, SPI
          "00 40 0007 a0 00 | 0001fffe");                    // dynamic chain: TOS, TTL, IP-ID, DF and NBO, list; SN
  const char* const headers[] = {"78", "04", "08"};
  EXPECT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(to_hex(link.sent.octets), to_hex(joined(ir, flow.spec.payload)));
  for (const char* header : headers) {
    EXPECT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_EQ(to_hex(link.sent.octets), to_hex(joined(hex(header), flow.spec.payload)));
  }
  EXPECT_EQ(flow.spec.esp->sn, 0x00020001U);
  EXPECT_EQ(link.sent.detail.profile, kEsp);
}

TEST(Esp, OctetsOverIpv6) {
  Link link(at_once());
  SteadyFlow flow = flow_from(6, 0x0001fffd);
  const Packet ir =
      hex("fd 03 fc | 60 0000 32 20010db8 00000000 00000000 00000001 20010db8 00000000 00000000 00000002 | 1a2b3c4d |"
          "00 40 00 | 0001fffe");
  EXPECT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(to_hex(link.sent.octets), to_hex(joined(ir, flow.spec.payload)));
  for (const char* header : {"79", "00", "0e"}) {
    EXPECT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_EQ(to_hex(link.sent.octets), to_hex(joined(hex(header), flow.spec.payload)));
  }
}

// 5.12.1: "no extra sequence number is added to the dynamic part of the ESP header".
TEST(Esp, IrDynHasTheWholeSequenceNumberAndNoOther) {
  Link link(at_once());
  SteadyFlow flow = flow_from(4, 0x0001fffd);
  EXPECT_TRUE(link.pass(flow.next()));
  const Packet nack = test::feedback_element(test::feedback_2(wire::AckType::kNack, wire::Mode::kOptimistic, 0xffe));
  link.compressor.give_feedback(0, nack, 0);
  EXPECT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(to_hex(link.sent.octets), to_hex(joined(hex("f8 03 18 | 00 40 0008 a0 00 | 0001ffff"), flow.spec.payload)));
}

struct Gap {
  std::uint32_t packets;  // that the compressor never sees
  PacketType type;
  unsigned header;
};

// UO-0 has 4 bits of SN with p = 1 (4.5.1, 5.12), UOR-2 5, its extensions 0 and 3 8 and 13; more takes an IR-DYN.
TEST(Esp, GapsTakeTheBitsThatTheyNeed) {
  const Gap gaps[] = {
      {13, PacketType::kUo0, 1},           {14, PacketType::kUo1, 2},         {30, PacketType::kUo1, 2},
      {31, PacketType::kUor2, 3},          {247, PacketType::kUor2, 3},       {248, PacketType::kUor2, 4},
      {7'935, PacketType::kUor2, 4},       {7'936, PacketType::kIrDyn, 10},   {0xfffe, PacketType::kIrDyn, 10},
      {0xffff, PacketType::kIrDyn, 10},    {0x10000, PacketType::kIrDyn, 10}, {0x7fffffff, PacketType::kIrDyn, 10},
      {0xfffe0000, PacketType::kIrDyn, 10}};
  for (const Gap& gap : gaps) {
    Link link(at_once());
    SteadyFlow flow = flow_from(6, 0x0001ff00);
    ASSERT_TRUE(settle(link, flow));
    flow.spec.esp->sn += gap.packets;
    ASSERT_TRUE(link.pass(flow.next())) << gap.packets << ": " << link.describe();
    EXPECT_EQ(link.sent.type(), gap.type) << gap.packets;
    EXPECT_EQ(link.sent.header(), gap.header) << gap.packets;
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(link.pass(flow.next())) << gap.packets << ": " << link.describe();
    EXPECT_EQ(link.sent.type(), PacketType::kUo0) << gap.packets;
  }
}

// A gap of 2^16 and a few looks like those few in the low half of the number. With a window of several references, of
// which some are on this side of it and some on that.
TEST(Esp, TheHighHalfIsNeverForgotten) {
  for (const std::uint32_t beyond : {1U, 2U, 5U, 0x7ffeU, 0xffffU}) {
    for (unsigned repeats = 1; repeats <= 8; ++repeats) {
      CompressorConfig config = without_refreshes();
      config.repeats = repeats;
      Link link(config);
      SteadyFlow flow = flow_from(4, 77);
      ASSERT_TRUE(settle(link, flow));
      flow.spec.esp->sn += 0x10000 * beyond;
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      EXPECT_EQ(link.sent.type(), PacketType::kIrDyn);
      for (int i = 0; i < 20; ++i) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      EXPECT_EQ(link.sent.type(), PacketType::kUo0);
    }
  }
}

TEST(Esp, WrapsAroundAtBothHalves) {
  for (const std::uint32_t start : {0x0000ffe0U, 0x7fffffe0U, 0xffffffe0U}) {
    for (const unsigned version : {4U, 6U}) {
      Link link(without_refreshes());
      SteadyFlow flow = flow_from(version, start - 60);
      ASSERT_TRUE(settle(link, flow, 60));
      for (unsigned i = 0; i < 100; ++i) {
        ASSERT_TRUE(link.pass(flow.next())) << link.describe();
        ASSERT_EQ(link.sent.header(), 1U) << flow.spec.esp->sn;
      }
    }
  }
}

// All of W-LSB, with loss on the link and before it, reordering and duplicates before the compressor.
TEST(Esp, LossAndDisorder) {
  test::Random random(3);
  for (int round = 0; round < 60; ++round) {
    Link link;
    SteadyFlow flow = flow_from(round % 2 == 0 ? 4 : 6, random.word32());
    ASSERT_TRUE(settle(link, flow, 8));
    for (int i = 0; i < 300; ++i) {
      PacketSpec now = flow.next();
      if (random.chance(0.05)) flow.spec.esp->sn += random.below(20);
      if (random.chance(0.05)) now.esp->sn -= 1;
      if (random.chance(0.02)) now.esp->sn -= random.below(300);
      if (random.chance(0.1)) {  // fewer in a row than the compressor repeats what is new
        link.lose(now);
        ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      } else {
        ASSERT_TRUE(link.pass(now)) << link.describe();
      }
    }
  }
}

TEST(Esp, TunnelsCidsAndModes) {
  for (const unsigned outer : {0U, 4U, 6U}) {
    for (const unsigned inner : {4U, 6U}) {
      for (const bool large : {false, true}) {
        CompressorConfig c;
        DecompressorConfig d;
        c.channel.large_cids = d.channel.large_cids = large;
        c.channel.max_cid = d.channel.max_cid = large ? 300 : 15;
        d.mode = wire::Mode::kOptimistic;
        Link link(c, d);
        SteadyFlow flow = flow_from(inner, 0xfffffff0);
        if (outer != 0) {
          flow.spec.outer = test::IpFields{};
          flow.spec.outer->version = outer;
        }
        for (int i = 0; i < 60; ++i) {
          ASSERT_TRUE(link.pass(flow.next())) << link.describe();
          link.carry_feedback();
          if (i == 40) flow.spec.ip.ttl = 9;
          if (i == 45) flow.spec.ip.tos = 3;
        }
        EXPECT_EQ(link.sent.mode(), wire::Mode::kOptimistic);
        EXPECT_EQ(link.sent.type(), PacketType::kUo0);
        EXPECT_EQ(link.sent.detail.profile, kEsp);
      }
    }
  }
}

// The secure references of R-mode are known by the whole number, too.
TEST(Esp, ReliableMode) {
  test::Random random(6);
  for (int round = 0; round < 40; ++round) {
    CompressorConfig c = without_refreshes();
    DecompressorConfig d;
    c.highest_mode = d.mode = wire::Mode::kReliable;
    Link link(c, d);
    SteadyFlow flow = flow_from(round % 2 == 0 ? 4 : 6, random.flip() ? 0xffffff00 : 0x1ff00);
    for (int i = 0; i < 500; ++i) {
      if (i > 40 && random.chance(0.02)) flow.spec.esp->sn += random.flip() ? random.below(100) : 0x10000;
      if (i > 40 && random.chance(0.02)) flow.spec.ip.ttl = random.octet();
      PacketSpec& s = flow.next();
      const test::Compressed sent = link.lose(s);
      if (i > 40 && random.chance(0.1)) continue;  // lost
      const auto r = decompress(link.decompressor, sent.octets, link.now_ns);
      ASSERT_EQ(to_hex(r.octets), to_hex(build(s))) << round << ", " << i << ": " << to_hex(sent.octets);
      if (random.chance(0.7)) {
        link.carry_feedback();
      } else {
        (void)test::take_all(link.decompressor.own_feedback());
      }
    }
    EXPECT_EQ(link.sent.mode(), wire::Mode::kReliable);
  }
}

TEST(Esp, SpiTellsFlowsApart) {
  Link link;
  SteadyFlow a = flow_from(4, 100);
  SteadyFlow b = flow_from(4, 5'000'000);
  b.spec.esp->spi ^= 1;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(link.pass(a.next())) << link.describe();
    EXPECT_EQ(link.sent.detail.cid, 0U);
    ASSERT_TRUE(link.pass(b.next())) << link.describe();
    EXPECT_EQ(link.sent.detail.cid, 1U);
  }
  EXPECT_EQ(link.sent.type(), PacketType::kUo0);
}

TEST(Esp, TakesTheFastPath) {
  for (const unsigned version : {4U, 6U}) {
    Link link;
    SteadyFlow flow = flow_from(version, 0x1234fff0);
    for (int i = 0; i < 60; ++i) ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_GT(link.compressor.counters().fast, 50U);
    EXPECT_GT(link.decompressor.counters().fast, 50U);
  }
}

TEST(Esp, WithoutTheProfileItIsIp) {
  CompressorConfig c = without_refreshes();
  c.channel.profiles.esp = false;
  Link link(c);
  SteadyFlow flow = flow_from(4, 1);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(link.sent.detail.profile, 4);
  EXPECT_EQ(link.sent.header(), 1U);
}

// Feedback for a number of 32 bits: SN options are concatenated (RFC 4815 8.5).
TEST(Esp, AcknowledgementWithTheWholeNumber) {
  CompressorConfig c = without_refreshes();
  Link link(c);
  SteadyFlow flow = flow_from(4, 0x12345670);
  link.decompressor.set_mode(wire::Mode::kOptimistic);
  ASSERT_TRUE(link.pass(flow.next()));
  link.carry_feedback();
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.type(), PacketType::kUo0) << "the ACK(O) for the first IR made three others needless";
  flow.spec.ip.ttl = 3;
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.type(), PacketType::kUor2);
  wire::Feedback ack = test::feedback_2(wire::AckType::kAck, wire::Mode::kOptimistic, 0);
  ack.sn = flow.spec.esp->sn;
  ack.sn_width = 32;
  link.compressor.give_feedback(0, test::feedback_element(ack), link.now_ns);
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.type(), PacketType::kUo0);
}

// --- Packets made by hand --------------------------------------------------------------------------------------------

using EspByHand = test::HandMade;

PacketSpec numbered(std::uint32_t sn, unsigned version = 6) {
  PacketSpec s = esp_packet(version);
  s.esp->sn = sn;
  s.ip.id = static_cast<std::uint16_t>(sn);
  return s;
}

TEST_F(EspByHand, LiteralOctets) {
  const auto give_hex = [&](const char* header, std::uint32_t sn, std::uint16_t id) {
    PacketSpec s = esp_packet(4);
    s.esp->sn = sn;
    s.ip.id = id;
    expect_delivered(joined(hex(header), s.payload), s);
  };
  give_hex("fd 03 1f 40 32 0a000001 0a010002 1a2b3c4d 00 40 0007 a0 00 0001fffe", 0x1fffe, 7);
  give_hex("df 6f", 0x1ffff, 8);  // UOR-2
  give_hex("04", 0x20000, 9);     // UO-0
  give_hex("f8 03 be 00 40 000a a0 00 00020001", 0x20001, 10);
}

// With k bits the interval begins p before the reference: p = 1 for 4 bits as in RTP, not -1 as with a generated SN.
TEST_F(EspByHand, InterpretationIntervalIsThatOfRtp) {
  establish(numbered(0x00010000), kEsp);
  expect_delivered(crafted(numbered(0x0000ffff), test::with_sn(PacketType::kUo0, 0xffff)), numbered(0x0000ffff));
  expect_delivered(crafted(numbered(0x0001000d), test::with_sn(PacketType::kUo0, 0x000d)), numbered(0x0001000d));
  EXPECT_EQ(give(crafted(numbered(0x0001001c), test::with_sn(PacketType::kUo0, 0x001c))).status, HEADROOM_ERR_CRC)
      << "15 later is 1 before";
}

TEST_F(EspByHand, StaticChainMustEndWithEsp) {
  PacketSpec udp = test::udp_packet(4);
  const Packet chain = joined(test::static_chain(udp, 2), hex("00 40 0007 a0 00 0001fffe"));
  EXPECT_EQ(give(crafted_initialisation(test::kIr, kEsp, chain, udp.payload)).status, HEADROOM_ERR_MALFORMED);
}

TEST_F(EspByHand, EveryTruncationIsRefused) {
  const PacketSpec s = numbered(9, 4);
  const Packet ir = crafted_initialisation(test::kIr, kEsp, test::whole_chain(s, kEsp), {});
  for (std::size_t length = 1; length < ir.size(); ++length)
    EXPECT_LT(give({ir.begin(), ir.begin() + static_cast<std::ptrdiff_t>(length)}).status, 0) << length;
  EXPECT_EQ(decompressor_.contexts_in_use(), 0U);
}

// RFC 3843 3.5 and RFC 3095 5.12.1: the dynamic chain must be that of a prefix of the static chain.
TEST_F(EspByHand, IrDynMayEndTheChainEarlierButNotLater) {
  const PacketSpec s = numbered(500, 4);
  establish(s, kEsp);
  const Packet as_udp = crafted_initialisation(test::kIrDyn, 2, test::dynamic_chain(s, 4), s.payload);
  EXPECT_EQ(give(as_udp).status, HEADROOM_ERR_MALFORMED);
  PacketSpec as_ip = test::ip_packet(4);
  as_ip.protocol = 50;
  as_ip.payload = joined(hex("1a2b3c4d 000001f5"), s.payload);
  expect_delivered(crafted_initialisation(test::kIrDyn, 4, test::dynamic_chain(as_ip, 4), as_ip.payload), as_ip);
  EXPECT_EQ(give(crafted_initialisation(test::kIrDyn, kEsp, test::dynamic_chain(s, kEsp), s.payload)).status,
            HEADROOM_ERR_MALFORMED)
      << "the static part of the ESP header is gone";
}

// "An IR without a dynamic chain simply updates the static part of the context" (RFC 4815 6.3).
TEST_F(EspByHand, IrWithoutDynamicChainKeepsTheNumber) {
  establish(numbered(0x00070000), kEsp);
  EXPECT_EQ(give(crafted_initialisation(test::kIrStaticOnly, kEsp, test::static_chain(numbered(0), kEsp), {})).status,
            HEADROOM_NOTHING);
  expect_delivered(crafted(numbered(0x00070001), test::with_sn(PacketType::kUo0, 1)), numbered(0x00070001));
}

// 5.3.2.2.4: when 2^4 packets may have been lost, the SN has wrapped around its four bits, here into the high half.
TEST_F(EspByHand, RepairOfWraparoundMovesTheWholeNumber) {
  std::uint32_t sn = 0x0003fff0;
  establish(numbered(sn), kEsp);
  for (int i = 0; i < 5; ++i) {
    ++sn;
    expect_delivered(crafted(numbered(sn), test::with_sn(PacketType::kUo0, sn)), numbered(sn));
  }
  now_ns_ += 16 * test::kFrame;
  sn += 17;
  ASSERT_EQ(sn, 0x00040006U);
  const auto next = [&] { return give(crafted(numbered(sn), test::with_sn(PacketType::kUo0, sn))); };
  EXPECT_EQ(next().event(), Event::kRepairedWraparound);
  ++sn;
  EXPECT_EQ(next().status, HEADROOM_ERR_REPAIR);
  ++sn;
  expect_delivered(crafted(numbered(sn), test::with_sn(PacketType::kUo0, sn)), numbered(sn));
}

}  // namespace
}  // namespace headroom::rohc
