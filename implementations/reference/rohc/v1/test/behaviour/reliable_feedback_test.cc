// SPDX-License-Identifier: Apache-2.0
//
// Feedback in R-mode: sparse ACKs, NACKs, what is never answered (RFC 3095 5.5.2.2), and what ACKs a compressor takes
// for valid (5.5.1.2).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::Link;
using test::PacketSpec;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using wire::AckType;
using wire::Mode;
using wire::PacketType;

CompressorConfig compressor() {
  CompressorConfig c = test::without_refreshes();
  c.highest_mode = Mode::kReliable;
  return c;
}
DecompressorConfig decompressor() {
  DecompressorConfig d;
  d.mode = Mode::kReliable;
  return d;
}

class ReliableFeedback : public testing::Test {
 protected:
  void establish(Link& link, SteadyFlow& flow) {
    for (unsigned i = 0; i < 20; ++i) {
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      (void)link.carry_feedback();
    }
    ASSERT_EQ(link.sent.type(), PacketType::kR0);
  }

  // Feedback for the next packets, one character each: A for an ACK(R), N, S for the negative ones, . for none.
  std::string answers(Link& link, SteadyFlow& flow, unsigned packets) {
    std::string s;
    for (unsigned i = 0; i < packets; ++i) {
      EXPECT_TRUE(link.pass(flow.next())) << link.describe();
      s += answer(link);
    }
    return s;
  }
  static char answer(Link& link) {
    const auto elements = test::take_all(link.decompressor.own_feedback());
    if (elements.empty()) return '.';
    EXPECT_EQ(elements.size(), 1U);
    const wire::Feedback f = test::read(elements[0], false);
    EXPECT_EQ(f.mode, Mode::kReliable);
    return f.ack == AckType::kAck ? 'A' : f.ack == AckType::kNack ? 'N' : 'S';
  }
};

// "For a sequence of R-0-CRC packets, the first one MUST be ACKed … Feedback is never sent for packets not updating the
// context".
TEST_F(ReliableFeedback, FirstOfASequenceOfR0Crc) {
  CompressorConfig config = compressor();
  config.update_burst = 7;
  config.update_pause = 3;
  DecompressorConfig d = decompressor();
  d.ack_sparse = 4;
  Link link(config, d);
  SteadyFlow flow(rtp_packet(6));
  establish(link, flow);
  std::string types, answered;
  while (link.compressor.counters().packets[static_cast<std::size_t>(PacketType::kR0Crc)] < 18) {
    answered += answers(link, flow, 1);
    types += link.sent.type() == PacketType::kR0Crc ? 'c' : link.sent.type() == PacketType::kR0 ? '0' : '?';
  }
  const std::size_t from = types.find('c');
  EXPECT_EQ(types.substr(from), "ccccccc000ccccccc000cccc");
  EXPECT_EQ(answered.substr(from), "A...A.....A...A.....A...") << "1st, then one of 4";
  EXPECT_EQ(answered.substr(0, from).find_first_not_of('.'), std::string::npos);
}

// "For a sequence of UOR-2, IR, or IR-DYN packets, the first N of them MUST be ACKed … each new pattern MUST be treated
// as a new sequence".
TEST_F(ReliableFeedback, FirstTwoOfASequenceOfOtherUpdates) {
  CompressorConfig config = compressor();
  config.update_burst = 20;
  DecompressorConfig d = decompressor();
  d.ack_sparse = 3;
  Link link(config, d);
  SteadyFlow flow(rtp_packet(6));
  establish(link, flow);
  flow.spec.ip.ttl = 9;
  EXPECT_EQ(answers(link, flow, 9), "AA..A..A.") << "the first: new pattern; then the same: one of 3";
  flow.spec.ip.ttl = 10;
  EXPECT_EQ(answers(link, flow, 6), "AA..A.") << "another pattern";
}

// 5.5.2.1: "k_1, n_1, k_2, and n_2, are applied to the update packets only"; 5.5.2.2: NACK(R) in Full Context,
// STATIC-NACK(R) in Static Context; and no feedback for packets without CRC.
TEST_F(ReliableFeedback, DamageCountsUpdatesOnly) {
  DecompressorConfig d = decompressor();
  d.dynamic_damage = {2, 3};
  d.static_damage = {2, 2};
  d.nack_every = 1;
  CompressorConfig config = compressor();
  config.update_after = 4;
  config.update_burst = 1;
  config.update_pause = 2;
  Link link(config, d);
  SteadyFlow flow(udp_packet(6));
  establish(link, flow);
  std::string seen;
  const auto spoil = [&] {  // damages the CRC of each update; R-0 packets arrive as they are
    link.lose(flow.next());
    const bool update = link.sent.type() == PacketType::kR0Crc;
    test::Packet p = link.sent.octets;
    if (update) p[1] ^= 1;
    link.received = test::decompress(link.decompressor, p, link.now_ns);
    seen += update ? 'u' : '0';
    seen += answer(link);
  };
  while (link.received.state() == DecompressorState::kFc && seen.size() < 60) spoil();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 'u'), 2) << seen;
  EXPECT_EQ(seen.substr(seen.size() - 2), "uN") << seen << ": the second failure among updates";
  EXPECT_EQ(seen.find("0N"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("uN"), seen.size() - 2) << seen;
  // Static Context: R-0 is not tried and not answered; a failing update is.
  seen.clear();
  while (link.received.state() == DecompressorState::kSc && seen.size() < 60) spoil();
  EXPECT_EQ(seen.find("0N"), std::string::npos) << seen;
  EXPECT_EQ(seen.substr(seen.size() - 2), "uS") << seen;
  // No Context: "send a STATIC-NACK(R) when receiving a non-IR packet".
  seen.clear();
  spoil();
  spoil();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 'S'), 2) << seen;
  // "The decompressor SHOULD NOT send STATIC-NACK(R) when receiving an IR packet that fails the CRC check".
  link.compressor.reinitialize();
  link.lose(flow.next());
  ASSERT_EQ(link.sent.type(), PacketType::kIr);
  test::Packet p = link.sent.octets;
  p[2] ^= 1;
  link.received = test::decompress(link.decompressor, p, link.now_ns);
  EXPECT_EQ(link.received.status, HEADROOM_ERR_CRC);
  EXPECT_EQ(answer(link), '.');
  for (unsigned i = 0; i < 10; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    (void)link.carry_feedback();
  }
  EXPECT_EQ(link.sent.type() == PacketType::kR0 || link.sent.type() == PacketType::kR0Crc, true);
}

// In R-mode "no local repair is performed" (5.5.2.1).
TEST_F(ReliableFeedback, NoRepairs) {
  Link link(compressor(), decompressor());
  SteadyFlow flow(rtp_packet(6));
  establish(link, flow);
  while (link.sent.type() != PacketType::kR0Crc) link.lose(flow.next());
  link.now_ns += 10'000 * test::kFrame;  // long enough for 2^7 packets to have been lost
  test::Packet p = link.sent.octets;
  p[1] ^= 1;
  EXPECT_EQ(test::decompress(link.decompressor, p, link.now_ns).status, HEADROOM_ERR_CRC);
  const auto& events = link.decompressor.counters().events;
  EXPECT_EQ(events[static_cast<std::size_t>(Event::kRepairedWraparound)], 0U);
  EXPECT_EQ(events[static_cast<std::size_t>(Event::kRepairedReference)], 0U);
}

// A NACK(R) is answered with IR-DYN packets until one is acknowledged, a STATIC-NACK(R) with IR packets.
TEST_F(ReliableFeedback, NegativeFeedbackHoldsUntilAcked) {
  for (const auto& [ack, type] :
       {std::pair{AckType::kNack, PacketType::kIrDyn}, std::pair{AckType::kStaticNack, PacketType::kIr}}) {
    for (const PacketSpec& kind : {rtp_packet(4), udp_packet(4)}) {
      Link link(compressor(), decompressor());
      SteadyFlow flow(kind);
      establish(link, flow);
      const auto f = test::feedback_2(ack, Mode::kReliable, 0);
      link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
      for (unsigned i = 0; i < 30; ++i) {
        ASSERT_TRUE(link.pass(flow.next()));
        EXPECT_EQ(link.sent.type(), type) << i;
        if (i < 29) (void)test::take_all(link.decompressor.own_feedback());
      }
      for (unsigned i = 0; i < 6; ++i) {
        (void)link.carry_feedback();
        ASSERT_TRUE(link.pass(flow.next()));
      }
      EXPECT_EQ(link.sent.type(), PacketType::kR0) << link.describe();
    }
  }
}

// "It searches the sliding window for an update packet that has the same SN. If found, that packet is the one being
// ACKed. Otherwise, the ACK is invalid and MUST be discarded" (5.5.1.2).
TEST_F(ReliableFeedback, AcksForWhatWasNoUpdateAreDiscarded) {
  Link link(compressor(), decompressor());
  SteadyFlow flow(rtp_packet(6));
  establish(link, flow);
  flow.spec.ip.ttl = 9;
  link.lose(flow.next());  // an update that tells the new TTL
  const std::uint16_t told = flow.spec.rtp->sn;
  ASSERT_EQ(link.sent.type(), PacketType::kUor2);
  while (!wire::is_without_crc(link.sent.type())) link.lose(flow.next());
  const std::uint16_t no_update = flow.spec.rtp->sn;
  const auto ack = [&](std::uint16_t sn) {
    link.compressor.give_feedback(0, test::feedback_element(test::feedback_2(AckType::kAck, Mode::kReliable, sn)),
                                  link.now_ns);
  };
  for (const unsigned sn : {unsigned{no_update}, no_update + 1U, no_update + 700U, told - 1U, told - 900U})
    ack(static_cast<std::uint16_t>(sn));
  link.lose(flow.next());
  EXPECT_NE(link.sent.type(), PacketType::kR0) << "the TTL is still to be told";
  EXPECT_NE(link.sent.state(), CompressorState::kSo);
  ack(told);
  link.lose(flow.next());
  EXPECT_EQ(link.sent.type(), PacketType::kR0);
  // And ACKs of the past, once a later one has come.
  ack(static_cast<std::uint16_t>(told - 3));
  link.lose(flow.next());
  EXPECT_EQ(link.sent.type(), PacketType::kR0);
}

// FEEDBACK-1 has 8 bits of SN and no mode: an ACK all the same.
TEST_F(ReliableFeedback, FeedbackOneAcknowledgesToo) {
  Link link(compressor(), decompressor());
  SteadyFlow flow(rtp_packet(6));
  establish(link, flow);
  flow.spec.ip.ttl = 9;
  link.lose(flow.next());
  ASSERT_EQ(link.sent.type(), PacketType::kUor2);
  wire::Feedback f;
  f.one = true;
  f.sn = flow.spec.rtp->sn & 0xffU;
  link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
  link.lose(flow.next());
  EXPECT_EQ(link.sent.type(), PacketType::kR0);
}

// An update that a later one has overtaken on the link is delivered, but takes nothing back: the compressor may have
// forgotten that reference already.
TEST_F(ReliableFeedback, OvertakenUpdatesDoNotBecomeTheReference) {
  for (const PacketSpec& kind : {rtp_packet(6), rtp_packet(4)}) {
    Link link(compressor(), decompressor());
    SteadyFlow flow(kind);
    establish(link, flow);
    flow.spec.ip.ttl = 9;
    link.lose(flow.next());
    const test::Packet late = link.sent.octets;
    const test::Packet original = build(flow.spec);
    ASSERT_TRUE(link.pass(flow.next()));
    (void)link.carry_feedback();
    const test::Restored r = test::decompress(link.decompressor, late, link.now_ns);
    EXPECT_EQ(r.status, HEADROOM_OK);
    EXPECT_TRUE(std::ranges::equal(r.octets, original));
    EXPECT_TRUE(test::take_all(link.decompressor.own_feedback()).empty()) << "what is no reference is not ACKed";
    for (unsigned i = 0; i < 100; ++i) {
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      (void)link.carry_feedback();
    }
  }
}

// An IR-DYN packet of UDP-Lite that does not tell what is done with the Checksum Coverage (RFC 4019 5.2.2) tells
// everything else: its ACK ends the series, and CCE(OFF) does what is left.
TEST_F(ReliableFeedback, IrDynThatDoesNotTellTheCoverageIsEnough) {
  Link link(compressor(), decompressor());
  SteadyFlow flow(test::udp_lite_packet(6));
  flow.spec.udp->coverage = std::uint16_t{12};
  establish(link, flow);
  link.compressor.give_feedback(0, test::feedback_element(test::feedback_2(AckType::kNack, Mode::kReliable, 0xfff)),
                                link.now_ns);
  ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  ASSERT_EQ(link.sent.type(), PacketType::kIrDyn);
  (void)link.carry_feedback();
  const auto cce = link.compressor.counters().cce;
  ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(link.sent.type(), PacketType::kR0Crc);
  EXPECT_EQ(link.compressor.counters().cce[static_cast<std::size_t>(wire::Cce::kOff)],
            cce[static_cast<std::size_t>(wire::Cce::kOff)] + 1);
  (void)link.carry_feedback();
  ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(link.sent.type(), PacketType::kR0);
}

// CONTEXT_REINITIALIZATION right after packets of the fast path, then packets that were repeated on their way: the
// general path alone would have sent the same octets.
TEST_F(ReliableFeedback, ReinitialisationAfterPacketsOfTheFastPath) {
  Link link(compressor(), decompressor());
  Compressor general(compressor());
  general.disable_fast_path();
  SteadyFlow flow(rtp_packet(6));
  const auto send = [&] {
    const bool passed = link.pass(flow.spec);
    const test::Compressed other = test::compress(general, build(flow.spec), link.now_ns);
    return passed && std::ranges::equal(link.sent.octets, other.octets);
  };
  const auto answer_both = [&] {
    for (const auto& e : test::take_all(link.decompressor.own_feedback())) {
      link.compressor.give_feedback(0, e.octets, link.now_ns);
      general.give_feedback(0, e.octets, link.now_ns);
    }
  };
  for (unsigned i = 0; i < 25; ++i) {
    flow.next();
    ASSERT_TRUE(send()) << i << ": " << link.describe();
    answer_both();
  }
  ASSERT_GT(link.compressor.counters().fast, 3U);
  link.compressor.reinitialize();
  general.reinitialize();
  ASSERT_TRUE(send()) << "repeated: " << link.describe();
  flow.next();
  ASSERT_TRUE(send()) << link.describe();
  ASSERT_EQ(link.sent.type(), PacketType::kIr);
  ASSERT_TRUE(send()) << "repeated: " << link.describe();
  answer_both();
  for (unsigned i = 0; i < 10; ++i) {
    flow.next();
    EXPECT_TRUE(send()) << i << ": " << link.describe();
    answer_both();
  }
}

}  // namespace
}  // namespace headroom::rohc
