// SPDX-License-Identifier: Apache-2.0
//
// The options of FEEDBACK-2 that a decompressor sends when it is configured to, and what they do at the compressor: RFC
// 3095 5.7.6.4 to 5.7.6.9, 6.4, RFC 3843 3.7. CLOCK is in timer_test.cc, REJECT at the compressor in feedback_test.cc.
#include <gtest/gtest.h>

#include <optional>

#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/hand_made.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::FeedbackElement;
using test::hex;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::SteadyFlow;
using test::to_hex;
using wire::AckType;
using wire::Mode;
using wire::PacketType;

DecompressorConfig optimistic() {
  DecompressorConfig c;
  c.mode = Mode::kOptimistic;
  return c;
}

// --- LOSS (5.7.6.9) ----------------------------------------------------------------------------------------------

TEST(Loss, IsReportedWhenItGrows) {
  DecompressorConfig d = optimistic();
  d.report_loss = true;
  Link link(test::without_refreshes(), d);
  SteadyFlow flow(test::plain_rtp());
  ASSERT_TRUE(link.pass(flow.next()));
  (void)link.carry_feedback();
  ASSERT_TRUE(settle(link, flow));
  EXPECT_TRUE(link.carry_feedback().empty());
  const auto reported = [&]() -> std::optional<std::uint8_t> {
    const auto said = link.carry_feedback();
    if (said.empty()) return std::nullopt;
    EXPECT_EQ(said.size(), 1U);
    EXPECT_EQ(said[0].ack, AckType::kAck);
    EXPECT_EQ(said[0].mode, Mode::kOptimistic);
    EXPECT_TRUE(said[0].crc) << "a FEEDBACK packet carrying a LOSS option SHOULD also carry a CRC option";
    EXPECT_EQ(said[0].sn, flow.spec.rtp->sn & 0xfffU);
    return said[0].longest_loss;
  };
  const auto lose = [&](unsigned packets) {
    for (unsigned i = 0; i < packets; ++i) link.lose(flow.next());
    EXPECT_TRUE(link.pass(flow.next())) << link.describe();
  };
  lose(2);
  EXPECT_EQ(reported(), 2);
  lose(1);
  EXPECT_EQ(reported(), std::nullopt);
  lose(5);
  EXPECT_EQ(reported(), 5);
  lose(5);
  EXPECT_EQ(reported(), std::nullopt);
}

TEST(Loss, IsNotReportedUnlessAskedFor) {
  Link link(test::without_refreshes(), optimistic());
  SteadyFlow flow(test::plain_rtp());
  ASSERT_TRUE(link.pass(flow.next()));
  (void)link.carry_feedback();
  ASSERT_TRUE(settle(link, flow));
  for (int i = 0; i < 4; ++i) link.lose(flow.next());
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_TRUE(link.carry_feedback().empty());
}

// The octets: FEEDBACK-2 ACK(O) with SN 102, LOSS 1, CRC.
TEST(Loss, Octets) {
  DecompressorConfig d = optimistic();
  d.report_loss = true;
  Link link(test::without_refreshes(), d);
  SteadyFlow flow(test::plain_rtp());
  flow.spec.rtp->sn = 98;
  ASSERT_TRUE(link.pass(flow.next()));  // 99
  (void)test::take_all(link.decompressor.own_feedback());
  link.lose(flow.next());
  link.lose(flow.next());
  ASSERT_TRUE(link.pass(flow.next()));  // 102, an IR, acknowledged anyway: the option goes with that
  const std::vector<FeedbackElement> said = test::take_all(link.decompressor.own_feedback());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(to_hex(Octets(said[0].octets).first(6)), to_hex(hex("f6 20 66 71 02 11")));
}

// "MAY be used by the compressor to adjust the size of the reference window": a change is then repeated so often that
// the loss cannot swallow it.
TEST(Loss, WidensTheWindow) {
  const auto repeats = [](std::optional<std::uint8_t> loss, bool crc) {
    CompressorConfig c = test::without_refreshes();
    c.repeats = 2;
    Link link(c, optimistic());
    SteadyFlow flow(test::plain_rtp());
    EXPECT_TRUE(settle(link, flow));
    wire::Feedback f = test::feedback_2(AckType::kAck, Mode::kUnidirectional, flow.spec.rtp->sn);
    f.longest_loss = loss;
    f.crc = crc;
    link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(link.pass(flow.next()));
    flow.spec.ip.ttl = 9;
    unsigned told = 0;
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(link.pass(flow.next()));
      told += link.sent.type() != PacketType::kUo0 ? 1U : 0U;
    }
    return told;
  };
  EXPECT_EQ(repeats(std::nullopt, true), 2U);
  EXPECT_EQ(repeats(std::uint8_t{1}, true), 2U);
  EXPECT_EQ(repeats(std::uint8_t{4}, true), 5U);
  EXPECT_EQ(repeats(std::uint8_t{200}, true), kMaxReferences);
  EXPECT_EQ(repeats(std::uint8_t{4}, false), 2U) << "without the CRC that it SHOULD have";
}

// --- JITTER (5.7.6.8) --------------------------------------------------------------------------------------------

// TIME_STRIDE 20: packets that arrive 0, 20, 100 and 60 + 60 ms after the first have jitters of 0, 0, 3 and 2 strides
// in a window that holds them all: |3 - 120 / 20| = 3 at the end, too.
TEST(JitterReport, IsTheFormula) {
  DecompressorConfig d = optimistic();
  d.report_jitter = true;
  d.clock_ms = 1;
  Decompressor decompressor(d);
  test::ChainOptions o = test::with_stride();
  o.extras.time_stride = 20;
  test::PacketSpec s = test::plain_rtp();
  const auto give = [&](const Packet& p, std::uint64_t ms) {
    EXPECT_EQ(test::decompress(decompressor, p, (1000 + ms) * test::kMillisecond).status, HEADROOM_OK);
    std::optional<std::uint8_t> jitter;
    for (const FeedbackElement& e : test::take_all(decompressor.own_feedback())) {
      const wire::Feedback f = test::read(e, false);
      EXPECT_TRUE(f.crc);
      jitter = f.max_jitter;
    }
    return jitter;
  };
  EXPECT_EQ(give(test::crafted_initialisation(test::kIr, 1, whole_chain(s, 1, o), s.payload), 0), std::nullopt);
  const auto next = [&] {
    s = test::later(s);
    return test::crafted(s, base(PacketType::kUo0, s));
  };
  EXPECT_EQ(give(next(), 20), std::nullopt);
  EXPECT_EQ(give(next(), 100), 3);             // |2 - 5|
  EXPECT_EQ(give(next(), 120), std::nullopt);  // |3 - 6| again
  EXPECT_EQ(give(next(), 220), 7);             // |4 - 11|
  EXPECT_EQ(give(next(), 220), std::nullopt);
}

// --- REJECT (5.7.6.4, 6.4) ---------------------------------------------------------------------------------------

TEST(Reject, WhereThereIsNoMemoryForAnotherContext) {
  DecompressorConfig d = optimistic();
  d.most_contexts = 2;
  Link link(test::without_refreshes(), d);
  std::vector<SteadyFlow> flows;
  for (std::uint32_t i = 0; i < 3; ++i) {
    flows.emplace_back(test::plain_rtp());
    flows.back().spec.rtp->ssrc = i;
  }
  ASSERT_TRUE(link.pass(flows[0].next()));
  ASSERT_TRUE(link.pass(flows[1].next()));
  (void)link.carry_feedback();
  EXPECT_FALSE(link.pass(flows[2].next()));
  EXPECT_EQ(link.received.status, HEADROOM_ERR_NO_CONTEXT);
  const auto said = link.carry_feedback();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].reject);
  EXPECT_TRUE(said[0].crc) << "MUST also carry a CRC option";
  EXPECT_FALSE(said[0].sn_valid);
  EXPECT_EQ(said[0].cid, 2U);
  EXPECT_EQ(link.decompressor.contexts_in_use(), 2U);
  // The compressor stops: the flow goes on uncompressed, which needs a context that must not be rejected.
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(link.pass(flows[2].next())) << link.describe();
    EXPECT_EQ(link.sent.detail.profile, 0U);
    ASSERT_TRUE(link.pass(flows[0].next()));
    ASSERT_TRUE(link.pass(flows[1].next()));
    (void)link.carry_feedback();
  }
  EXPECT_EQ(link.compressor.counters().rejects, 1U);
  EXPECT_EQ(link.decompressor.counters().rejects, 1U);
}

// Not for each packet, and without a way back not at all.
TEST(Reject, IsRationed) {
  for (const bool feedback : {true, false}) {
    DecompressorConfig d = optimistic();
    d.most_contexts = 1;
    d.feedback = feedback;
    Link link(test::without_refreshes(), d);
    SteadyFlow first(test::plain_rtp()), second(test::plain_rtp());
    second.spec.rtp->ssrc = 5;
    ASSERT_TRUE(link.pass(first.next()));
    (void)test::take_all(link.decompressor.own_feedback());
    std::size_t said = 0;
    for (int i = 0; i < 4; ++i) {
      EXPECT_FALSE(link.pass(second.next()));
      said += test::take_all(link.decompressor.own_feedback()).size();
    }
    EXPECT_EQ(said, feedback ? 1U : 0U);
  }
}

// --- CONTEXT_MEMORY (RFC 3843 3.7) -------------------------------------------------------------------------------

// An IR packet of the flow with so many IP headers.
Packet ir_of_depth(unsigned headers) {
  PacketSpec outer = test::ip_packet(4);
  outer.protocol = 4;
  Packet chain;
  for (unsigned i = 0; i < headers; ++i) chain = test::joined(chain, test::static_chain(outer, 4));
  return test::crafted_initialisation(test::kIr, 4, chain, outer.payload);
}

TEST(ContextMemory, WhereAFlowGrowsBeyondWhatIsKept) {
  Link link(test::without_refreshes(), optimistic());
  SteadyFlow flow(test::ip_packet(4));
  ASSERT_TRUE(link.pass(flow.next()));
  (void)link.carry_feedback();
  for (unsigned i = 1; i <= 4; ++i) {
    EXPECT_EQ(test::decompress(link.decompressor, ir_of_depth(18)).status, HEADROOM_ERR_UNSUPPORTED);
    if (i == 4) break;
    EXPECT_TRUE(link.carry_feedback().empty()) << "one may be a bit error";
  }
  const auto said = link.carry_feedback();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said[0].context_memory);
  EXPECT_FALSE(said[0].reject);
  EXPECT_EQ(said[0].ack, AckType::kNack);
  EXPECT_EQ(said[0].mode, Mode::kOptimistic);
  EXPECT_TRUE(said[0].crc);
  ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(link.sent.detail.profile, 0U) << "the compressor stops compressing the packet stream";
}

TEST(ContextMemory, IsNotSaidInUModeNorOfAFlowThatIsNotThere) {
  const auto said = [](const DecompressorConfig& d, bool established) {
    Link link(test::without_refreshes(), d);
    SteadyFlow flow(test::ip_packet(4));
    if (established) {
      EXPECT_TRUE(link.pass(flow.next()));
    }
    (void)test::take_all(link.decompressor.own_feedback());
    for (unsigned i = 0; i < 20; ++i) (void)test::decompress(link.decompressor, ir_of_depth(18));
    return test::take_all(link.decompressor.own_feedback()).size();
  };
  EXPECT_EQ(said(optimistic(), true), 5U);
  EXPECT_EQ(said(optimistic(), false), 0U);
  EXPECT_EQ(said(DecompressorConfig{}, true), 0U);
}

// --- SN (5.7.6.6) ------------------------------------------------------------------------------------------------

// SN 0x2345 in 20 bits: 0000 0010 0011 in FEEDBACK-2, 45 in the option; 12 bits alone would be 0x345.
TEST(SnOption, CarriesTheWholeSn) {
  DecompressorConfig d = optimistic();
  d.sn_option = true;
  Link link(test::without_refreshes(), d);
  SteadyFlow flow(test::plain_rtp());
  flow.spec.rtp->sn = 0x2344;
  ASSERT_TRUE(link.pass(flow.next()));
  const std::vector<FeedbackElement> said = test::take_all(link.decompressor.own_feedback());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(to_hex(Octets(said[0].octets).first(6)), to_hex(hex("f6 20 23 41 45 11")));
  link.compressor.give_feedback(0, said[0].octets, link.now_ns);
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_NE(link.sent.type(), PacketType::kIr) << "the IR has been acknowledged";
}

// --- FEEDBACK_FOR (RFC 5795 5.1.2) -------------------------------------------------------------------------------

TEST(FeedbackFor, SaysWhichChannelIsMeant) {
  DecompressorConfig d;
  d.channel.channels = 3;
  d.feedback_for = {2, kNoContext, 0};
  Decompressor decompressor(d);
  for (std::uint32_t channel = 0; channel < 3; ++channel)
    EXPECT_EQ(test::decompress(decompressor, hex("f1 20"), 0, channel).status, HEADROOM_NOTHING);
  const std::vector<FeedbackElement> found = test::take_all(decompressor.received_feedback());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].channel, 2U);
  EXPECT_EQ(found[1].channel, 0U);
}

}  // namespace
}  // namespace headroom::rohc
