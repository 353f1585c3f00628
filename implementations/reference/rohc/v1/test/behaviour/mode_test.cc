// SPDX-License-Identifier: Apache-2.0
//
// Mode transitions between compressor and decompressor: U to O and back, feedback that gets lost, requests that come in
// the middle of a transition, and compressors that decline (RFC 3095 5.6, RFC 3843 3.4, RFC 4815 3).
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/modes.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::asking_for;
using test::kinds;
using test::Link;
using test::PacketSpec;
using test::rtp_packet;
using test::SteadyFlow;
using test::until_mode;
using test::without_refreshes;
using wire::AckType;
using wire::Mode;
using wire::PacketType;

// "The decompressor can then directly start working in Optimistic mode" (5.6.2).
TEST(Mode, OptimisticAtOnce) {
  for (const PacketSpec& kind : kinds()) {
    Link link(without_refreshes(), asking_for(Mode::kOptimistic));
    SteadyFlow flow(kind);
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(link.received.mode(), Mode::kOptimistic);
    EXPECT_EQ(link.received.event(), Event::kModeOptimistic);
    const auto feedback = link.carry_feedback();
    ASSERT_EQ(feedback.size(), 1U);
    EXPECT_EQ(feedback[0].ack, AckType::kAck);
    EXPECT_EQ(feedback[0].mode, Mode::kOptimistic);
    EXPECT_TRUE(feedback[0].crc)
        << "\"all feedback sent … during a mode transition MUST be protected by a CRC\" (5.6.1)";
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(link.sent.mode(), Mode::kOptimistic);
  }
}

// "If the feedback packet is lost, the compressor will continue to work in Unidirectional mode, but as soon as any
// feedback packet reaches the compressor it will transit" (5.6.2).
TEST(Mode, LostFeedbackIsMadeUpForByTheNext) {
  CompressorConfig config;
  config.ir_refresh_start = 20;
  Link link(config, asking_for(Mode::kOptimistic));
  SteadyFlow flow(rtp_packet(6));
  for (unsigned i = 0; i < 10; ++i) {
    ASSERT_TRUE(link.pass(flow.next()));
    (void)test::take_all(link.decompressor.own_feedback());
    EXPECT_EQ(link.sent.mode(), Mode::kUnidirectional);
  }
  bool optimistic = false;
  for (unsigned i = 0; i < 30; ++i) {
    ASSERT_TRUE(link.pass(flow.next()));
    (void)link.carry_feedback();
    optimistic |= link.sent.mode() == Mode::kOptimistic;
  }
  EXPECT_TRUE(optimistic) << "the ACK(O) for a refreshing IR";
}

TEST(Mode, WithoutFeedbackItStaysUnidirectional) {
  DecompressorConfig config = asking_for(Mode::kOptimistic);
  config.feedback = false;
  Link link(without_refreshes(), config);
  SteadyFlow flow(rtp_packet(6));
  ASSERT_TRUE(settle(link, flow));
  EXPECT_EQ(link.received.mode(), Mode::kUnidirectional);
  EXPECT_TRUE(link.carry_feedback().empty());
}

// "Regardless of which mode this transition starts from, a three-way handshake MUST be carried out" (5.6.6).
TEST(Mode, BackToUnidirectionalByThreeWayHandshake) {
  for (const PacketSpec& kind : kinds()) {
    Link link(without_refreshes(), asking_for(Mode::kOptimistic));
    SteadyFlow flow(kind);
    ASSERT_TRUE(until_mode(link, flow, Mode::kOptimistic));
    ASSERT_TRUE(settle(link, flow));
    link.decompressor.set_mode(Mode::kUnidirectional);
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(link.received.mode(), Mode::kOptimistic) << "D_MODE changes at the end only";
    auto feedback = link.carry_feedback();
    ASSERT_EQ(feedback.size(), 1U);
    EXPECT_EQ(feedback[0].mode, Mode::kUnidirectional);
    EXPECT_TRUE(feedback[0].crc);

    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_EQ(link.sent.mode(), Mode::kUnidirectional) << "C_MODE = U, C_TRANS = P";
    EXPECT_FALSE(test::is_uo_0_or_1(link.sent.type()))
        << "\"the compressor only use packet formats common to all modes\"";
    EXPECT_EQ(link.sent.state(), CompressorState::kFo) << "\"that the compressor not transit to the SO state\"";
    feedback = link.carry_feedback();
    ASSERT_EQ(feedback.size(), 1U) << "ACK(SN, U)";
    EXPECT_EQ(feedback[0].mode, Mode::kUnidirectional);

    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_TRUE(test::is_uo_0_or_1(link.sent.type())) << "C_TRANS = D";
    EXPECT_EQ(link.received.mode(), Mode::kUnidirectional) << "D_TRANS = D, D_MODE = U";
    EXPECT_EQ(link.received.event(), Event::kModeUnidirectional);
    EXPECT_TRUE(link.carry_feedback().empty());
    ASSERT_TRUE(settle(link, flow));
  }
}

// "While D_TRANS is I, the decompressor sends a NACK or ACK carrying a CRC option for each received packet" (5.6.1),
// and after that "MUST continue to send feedback … until it receives packet types 0 or 1" (5.6.6).
TEST(Mode, FeedbackGoesOnUntilTheHandshakeIsOver) {
  Link link(without_refreshes(), asking_for(Mode::kOptimistic));
  SteadyFlow flow(rtp_packet(6));
  ASSERT_TRUE(until_mode(link, flow, Mode::kOptimistic));
  link.decompressor.set_mode(Mode::kUnidirectional);
  for (int i = 0; i < 5; ++i) {  // requests that get lost
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(test::take_all(link.decompressor.own_feedback()).size(), 1U);
  }
  ASSERT_TRUE(link.pass(flow.next()));
  (void)link.carry_feedback();
  for (int i = 0; i < 5; ++i) {  // acknowledgements that get lost
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_FALSE(test::is_uo_0_or_1(link.sent.type()));
    EXPECT_EQ(test::take_all(link.decompressor.own_feedback()).size(), 1U);
  }
  EXPECT_TRUE(until_mode(link, flow, Mode::kUnidirectional));
}

// "New mode transition requests be ignored" (5.6.1): requests for U repeated while the transition is pending are no
// acknowledgement of the new mode.
TEST(Mode, RepeatedRequestsDoNotEndTheHandshake) {
  Link link(without_refreshes(), asking_for(Mode::kOptimistic));
  SteadyFlow flow(rtp_packet(6));
  ASSERT_TRUE(until_mode(link, flow, Mode::kOptimistic));
  const auto request = test::feedback_2(AckType::kAck, Mode::kUnidirectional, flow.spec.rtp->sn);
  for (int i = 0; i < 4; ++i) {
    link.compressor.give_feedback(0, test::feedback_element(request), link.now_ns);
    link.lose(flow.next());
    EXPECT_EQ(link.sent.type(), PacketType::kUor2) << i;
  }
}

TEST(Mode, ThereAndBackManyTimesOverALossyLink) {
  test::Random random(1);
  for (const PacketSpec& kind : kinds()) {
    CompressorConfig config;
    Link link(config, asking_for(Mode::kOptimistic));
    SteadyFlow flow(kind);
    for (int round = 0; round < 60; ++round) {
      for (int i = 0; i < 10; ++i) {
        link.lose(flow.next());
        if (random.chance(0.2)) continue;
        const test::Restored r = test::decompress(link.decompressor, link.sent.octets, link.now_ns);
        if (r.status != HEADROOM_OK) continue;
        if (random.chance(0.5)) {
          (void)test::take_all(link.decompressor.own_feedback());
        } else {
          (void)link.carry_feedback();
        }
      }
      link.decompressor.set_mode(random.flip() ? Mode::kOptimistic : Mode::kUnidirectional);
    }
    // Whatever state that has left them in, a clean link ends it, and an IR, which O-mode acknowledges, when a lost
    // ACK(O) has left the compressor in U-mode.
    for (const Mode mode : {Mode::kOptimistic, Mode::kUnidirectional, Mode::kOptimistic}) {
      link.decompressor.set_mode(mode);
      link.compressor.reinitialize();
      for (int i = 0; i < 10; ++i) {
        link.lose(flow.next());
        (void)test::decompress(link.decompressor, link.sent.octets, link.now_ns);
        (void)link.carry_feedback();
      }
      EXPECT_TRUE(until_mode(link, flow, mode, 600)) << static_cast<int>(mode) << ": " << link.describe();
    }
  }
}

// "A mode transition can be initiated only when D_TRANS is D" (5.6.1): a new wish has to wait.
TEST(Mode, WishesThatChangeInTheMiddleOfATransition) {
  for (const PacketSpec& kind : kinds()) {
    for (int packets = 0; packets < 4; ++packets) {
      Link link(without_refreshes(), asking_for(Mode::kOptimistic));
      SteadyFlow flow(kind);
      ASSERT_TRUE(until_mode(link, flow, Mode::kOptimistic));
      link.decompressor.set_mode(Mode::kUnidirectional);
      for (int i = 0; i < packets; ++i) {
        ASSERT_TRUE(link.pass(flow.next()));
        (void)link.carry_feedback();
      }
      link.decompressor.set_mode(Mode::kOptimistic);
      EXPECT_TRUE(until_mode(link, flow, Mode::kOptimistic))
          << packets << " packets into the transition: " << link.describe();
    }
  }
}

// The ACK(O) was lost, so the compressor never left U-mode; then the decompressor wants U again. Feedback for each
// packet must come to an end.
TEST(Mode, BackToAModeThatTheCompressorNeverLeft) {
  for (const PacketSpec& kind : kinds()) {
    Link link(without_refreshes(), asking_for(Mode::kOptimistic));
    SteadyFlow flow(kind);
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(link.pass(flow.next()));
      (void)test::take_all(link.decompressor.own_feedback());
    }
    ASSERT_EQ(link.sent.mode(), Mode::kUnidirectional);
    ASSERT_EQ(link.received.mode(), Mode::kOptimistic);
    link.decompressor.set_mode(Mode::kUnidirectional);
    EXPECT_TRUE(until_mode(link, flow, Mode::kUnidirectional)) << link.describe();
  }
}

// --- A compressor that declines (RFC 3843 3.4: Mode 0) ---------------------------------------------------------------

TEST(Mode, DeclinedTransitionIsNotAskedForAgain) {
  Link link(without_refreshes(), asking_for(Mode::kOptimistic));
  SteadyFlow flow(test::ip_packet(6));
  ASSERT_TRUE(until_mode(link, flow, Mode::kOptimistic));
  ASSERT_TRUE(settle(link, flow));
  link.decompressor.set_mode(Mode::kUnidirectional);
  link.lose(flow.next());
  const unsigned sn = static_cast<unsigned>(link.sent.octets[0] >> 3);  // UO-0
  (void)test::decompress(link.decompressor, link.sent.octets, link.now_ns);
  ASSERT_EQ(test::take_all(link.decompressor.own_feedback()).size(), 1U);

  wire::BaseHeader h;
  h.type = PacketType::kUor2;
  h.sn.value = sn + 1;  // enough bits of it: the fifth is right or the CRC says no
  wire::Extension e;
  e.kind = 3;
  e.mode = Mode::kCancel;
  test::Restored r;
  for (const unsigned top : {0U, 16U}) {
    h.sn.value = ((sn + 1) & 15U) | top;
    r = test::decompress(link.decompressor, test::crafted(flow.next(), h, e), link.now_ns);
    if (r.status == HEADROOM_OK) break;
  }
  ASSERT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(r.mode(), Mode::kOptimistic) << "\"D_MODE MUST remain unchanged\"";
  const auto ack = test::take_all(link.decompressor.own_feedback());
  ASSERT_EQ(ack.size(), 1U);
  EXPECT_EQ(test::read(ack[0], false).mode, Mode::kOptimistic) << "ACK(SN, X) with X the mode in use";
  // The compressor's SN is one behind the packet made by hand; a type 0 packet ends the transition.
  link.lose(flow.spec);
  for (int i = 0; i < 20; ++i) {
    link.lose(flow.next());
    r = test::decompress(link.decompressor, link.sent.octets, link.now_ns);
    ASSERT_EQ(r.status, HEADROOM_OK) << i;
    EXPECT_EQ(r.mode(), Mode::kOptimistic);
    EXPECT_TRUE(test::take_all(link.decompressor.own_feedback()).empty()) << "it must not ask again";
  }
}

// --- Acknowledgements by mode (5.3.2.3, 5.4.2.2) ---------------------------------------------------------------------

TEST(Acknowledgements, InOptimisticModeForEachIrAndNothingElse) {
  Link link(without_refreshes(), asking_for(Mode::kOptimistic));
  SteadyFlow flow(rtp_packet(4));
  ASSERT_TRUE(until_mode(link, flow, Mode::kOptimistic));
  for (int round = 0; round < 3; ++round) {
    link.compressor.reinitialize();
    flow.spec.ip.ttl ^= 1;
    for (int i = 0; i < 30; ++i) {
      ASSERT_TRUE(link.pass(flow.next()));
      const auto elements = test::take_all(link.decompressor.own_feedback());
      EXPECT_EQ(elements.size(), link.sent.type() == PacketType::kIr ? 1U : 0U) << test::name_of(link.sent.type());
    }
  }
}

TEST(Acknowledgements, ForUpdatesIfConfigured) {
  DecompressorConfig config = asking_for(Mode::kOptimistic);
  config.ack_updates = true;
  Link link(without_refreshes(), config);
  SteadyFlow flow(rtp_packet(4));
  ASSERT_TRUE(until_mode(link, flow, Mode::kOptimistic));
  for (int i = 0; i < 60; ++i) {
    if (i % 10 == 0) flow.spec.ip.ttl ^= 1;
    if (i == 35) flow.spec.udp->checksum = false;
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(test::take_all(link.decompressor.own_feedback()).size(), test::is_uo_0_or_1(link.sent.type()) ? 0U : 1U)
        << test::name_of(link.sent.type());
  }
}

// "It SHOULD NOT repeat the ACK(U) continuously" (5.3.2.3).
TEST(Acknowledgements, InUnidirectionalModeForSomeIrs) {
  for (const unsigned every : {0U, 1U, 3U}) {
    CompressorConfig config;
    config.repeats = 1;
    config.ir_refresh = {10, 0};
    config.ir_refresh_start = 0;
    DecompressorConfig d;
    d.ack_ir_in_u_mode = every;
    Link link(config, d);
    SteadyFlow flow(rtp_packet(6));
    std::size_t acks = 0;
    for (int i = 0; i < 120; ++i) {  // 12 IR packets
      ASSERT_TRUE(link.pass(flow.next()));
      for (const auto& element : test::take_all(link.decompressor.own_feedback())) {
        const wire::Feedback f = test::read(element, false);
        EXPECT_EQ(f.mode, Mode::kUnidirectional);
        EXPECT_EQ(f.ack, AckType::kAck);
        EXPECT_EQ(f.sn, flow.spec.rtp->sn & 0xfffU);
        ++acks;
      }
    }
    EXPECT_EQ(acks, every == 0 ? 0U : 12U / every);
  }
}

}  // namespace
}  // namespace headroom::rohc
