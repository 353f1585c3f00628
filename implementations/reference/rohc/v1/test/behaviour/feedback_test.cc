// SPDX-License-Identifier: Apache-2.0
//
// What feedback does to a compressor: RFC 3095 5.3.1.3, 5.4.1.1, 5.6.1 and 5.7.6, RFC 3843 3.7, RFC 4815 3.2 and 8.11.
#include "rohc/v1/compressor/feedback.h"

#include <gtest/gtest.h>

#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::feedback_2;
using test::feedback_element;
using test::hex;
using test::Packet;
using test::PacketSpec;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using test::without_refreshes;
using wire::AckType;
using wire::Feedback;
using wire::Mode;
using wire::PacketType;

constexpr unsigned kRepeats = CompressorConfig{}.repeats;

// An RTP flow over IPv6 without checksum: its SN is known, and nothing costs octets but what a test does.
class FeedbackTest : public testing::Test {
 protected:
  FeedbackTest() : flow_(rtp_packet(6)) { flow_.spec.udp->checksum = false; }

  PacketType send() {
    now_ns_ += test::kFrame;
    sent_ = test::compress(compressor_, build(flow_.next()), now_ns_);
    EXPECT_EQ(sent_.status, HEADROOM_OK);
    return sent_.type();
  }
  void settle(unsigned packets = 40) {
    for (unsigned i = 0; i < packets; ++i) send();
    ASSERT_EQ(sent_.type(), PacketType::kUo0);
  }
  void give(const Feedback& f) { compressor_.give_feedback(0, feedback_element(f), now_ns_); }
  void give(AckType ack, Mode mode) { give(feedback_2(ack, mode, sn())); }
  void become_optimistic() {
    give(AckType::kAck, Mode::kOptimistic);
    send();
    ASSERT_EQ(sent_.mode(), Mode::kOptimistic);
  }
  [[nodiscard]] std::uint16_t sn() const { return flow_.spec.rtp->sn; }
  // Packets of this type in a row from now on.
  unsigned run_of(PacketType type) {
    unsigned n = 0;
    while (send() == type) ++n;
    return n;
  }

  Compressor compressor_{without_refreshes()};
  SteadyFlow flow_;
  test::Compressed sent_;
  std::uint64_t now_ns_ = 0;
};

// --- Modes (5.6.1, 5.6.2) --------------------------------------------------------------------------------------------

TEST_F(FeedbackTest, AnyFeedbackWithCrcAndModeOStartsOptimisticMode) {
  for (const AckType ack : {AckType::kAck, AckType::kNack, AckType::kStaticNack}) {
    Compressor compressor{without_refreshes()};
    SteadyFlow flow(rtp_packet(6));
    (void)test::compress(compressor, build(flow.next()));
    compressor.give_feedback(0, feedback_element(feedback_2(ack, Mode::kOptimistic, flow.spec.rtp->sn)), 0);
    EXPECT_EQ(test::compress(compressor, build(flow.next())).mode(), Mode::kOptimistic);
  }
}

// "The compressor MUST ignore feedback information related to mode transition if the feedback is not protected by the
// CRC option" (RFC 4815 3.2).
TEST_F(FeedbackTest, WithoutCrcTheModeNeverChanges) {
  settle();
  Feedback f = feedback_2(AckType::kAck, Mode::kOptimistic, sn());
  f.crc = false;
  give(f);
  send();
  EXPECT_EQ(sent_.mode(), Mode::kUnidirectional);
  Feedback one;
  one.one = true;
  one.sn = sn() & 0xff;
  give(one);
  send();
  EXPECT_EQ(sent_.mode(), Mode::kUnidirectional) << "FEEDBACK-1 has no mode";
  become_optimistic();
  f.mode = Mode::kUnidirectional;
  give(f);
  send();
  EXPECT_EQ(sent_.mode(), Mode::kOptimistic);
}

TEST_F(FeedbackTest, ModesThatAreNotThere) {
  settle();
  give(AckType::kAck, Mode::kReliable);
  send();
  EXPECT_EQ(sent_.mode(), Mode::kUnidirectional);
  give(AckType::kAck, Mode::kCancel);
  send();
  EXPECT_EQ(sent_.mode(), Mode::kUnidirectional) << "mode 0 is reserved";
}

TEST_F(FeedbackTest, HighestModeOfTheConfiguration) {
  CompressorConfig config = without_refreshes();
  config.highest_mode = Mode::kUnidirectional;
  Compressor compressor(config);
  SteadyFlow flow(rtp_packet(6));
  (void)test::compress(compressor, build(flow.next()));
  compressor.give_feedback(0, feedback_element(feedback_2(AckType::kAck, Mode::kOptimistic, flow.spec.rtp->sn)), 0);
  EXPECT_EQ(test::compress(compressor, build(flow.next())).mode(), Mode::kUnidirectional);
}

TEST_F(FeedbackTest, OptimisticModeHasNoRefreshes) {
  CompressorConfig config;
  config.ir_refresh = {50, 1000};
  config.fo_refresh = {20, 500};
  Compressor compressor(config);
  SteadyFlow flow(rtp_packet(6));
  for (int i = 0; i < 30; ++i) (void)test::compress(compressor, build(flow.next()));
  compressor.give_feedback(0, feedback_element(feedback_2(AckType::kAck, Mode::kOptimistic, flow.spec.rtp->sn)), 0);
  const auto before = compressor.counters().packets;
  for (std::uint64_t i = 1; i <= 3000; ++i) (void)test::compress(compressor, build(flow.next()), i * test::kFrame);
  EXPECT_EQ(compressor.counters().packets[static_cast<std::size_t>(PacketType::kIr)],
            before[static_cast<std::size_t>(PacketType::kIr)]);
  EXPECT_EQ(compressor.counters().packets[static_cast<std::size_t>(PacketType::kIrDyn)],
            before[static_cast<std::size_t>(PacketType::kIrDyn)]);
}

// --- Negative acknowledgements (5.4.1.1.1) ---------------------------------------------------------------------------

TEST_F(FeedbackTest, NackBringsIrDyn) {
  settle();
  become_optimistic();
  give(AckType::kNack, Mode::kOptimistic);
  EXPECT_EQ(run_of(PacketType::kIrDyn), kRepeats);
  EXPECT_EQ(sent_.type(), PacketType::kUo0);
  EXPECT_EQ(compressor_.counters().nacks, 1U);
}

TEST_F(FeedbackTest, StaticNackBringsIr) {
  settle();
  become_optimistic();
  give(AckType::kStaticNack, Mode::kOptimistic);
  EXPECT_EQ(run_of(PacketType::kIr), kRepeats);
  EXPECT_EQ(sent_.type(), PacketType::kUo0);
}

// "It SHOULD include fields that update the value of … the TS_STRIDE" (RFC 4815 8.11).
TEST_F(FeedbackTest, RepairsCarryTheStride) {
  settle();
  become_optimistic();
  for (const AckType ack : {AckType::kNack, AckType::kStaticNack}) {
    give(ack, Mode::kOptimistic);
    send();
    const Packet& p = sent_.octets;
    const std::size_t extras = sent_.header() - 3;  // RX octet and a stride of two octets end the dynamic chain
    EXPECT_EQ(p[extras] & 1, 1) << "TSS";
    EXPECT_EQ(test::to_hex(Octets(p).subspan(extras + 1, 2)), "80 a0");
    while (send() != PacketType::kUo0) continue;
  }
}

// The CRC of an IR-DYN "checks only the integrity of the header itself" (5.7.7.2): it verifies over a static part that
// is another flow's, say because all IR packets of a re-used CID were lost. When the next packets fail again, only an
// IR helps.
TEST_F(FeedbackTest, NackAfterARepairThatArrivedBringsIr) {
  settle();
  become_optimistic();
  give(AckType::kNack, Mode::kOptimistic);
  const std::uint16_t before = sn();
  ASSERT_EQ(run_of(PacketType::kIrDyn), kRepeats);
  give(feedback_2(AckType::kNack, Mode::kOptimistic, before));
  EXPECT_EQ(run_of(PacketType::kIrDyn), kRepeats) << "the IR-DYN packets were lost";
  give(feedback_2(AckType::kNack, Mode::kOptimistic, static_cast<std::uint16_t>(sn() - 1)));
  EXPECT_EQ(run_of(PacketType::kIr), kRepeats) << "they arrived and were of no use";
  settle(100);
  give(AckType::kNack, Mode::kOptimistic);
  EXPECT_EQ(run_of(PacketType::kIrDyn), kRepeats) << "long after the repair it is another damage";
}

TEST_F(FeedbackTest, RepeatedNacksDoNotAddUp) {
  settle();
  become_optimistic();
  for (int i = 0; i < 5; ++i) give(AckType::kNack, Mode::kOptimistic);
  EXPECT_EQ(run_of(PacketType::kIrDyn), kRepeats);
}

// --- Acknowledgements (5.4.1.1.2) ------------------------------------------------------------------------------------

TEST_F(FeedbackTest, AckEndsTheIrStateAtOnce) {
  ASSERT_EQ(send(), PacketType::kIr);
  give(AckType::kAck, Mode::kOptimistic);
  EXPECT_NE(send(), PacketType::kIr);
}

TEST_F(FeedbackTest, AckEndsTheRepeatsOfAChange) {
  settle();
  become_optimistic();
  flow_.spec.ip.ttl = 9;
  ASSERT_EQ(send(), PacketType::kUor2);
  give(AckType::kAck, Mode::kOptimistic);
  EXPECT_EQ(send(), PacketType::kUo0);
}

TEST_F(FeedbackTest, Feedback1IsAnAckToo) {
  settle();
  become_optimistic();
  flow_.spec.ip.ttl = 9;
  ASSERT_EQ(send(), PacketType::kUor2);
  Feedback f;
  f.one = true;
  f.sn = sn() & 0xff;
  give(f);
  EXPECT_EQ(send(), PacketType::kUo0);
}

TEST_F(FeedbackTest, AckForAnEarlierPacketSaysNothingOfTheChange) {
  settle();
  become_optimistic();
  const std::uint16_t before = sn();
  flow_.spec.ip.ttl = 9;
  ASSERT_EQ(send(), PacketType::kUor2);
  give(feedback_2(AckType::kAck, Mode::kOptimistic, before));
  EXPECT_EQ(run_of(PacketType::kUor2), kRepeats - 1);
}

// "A compressor MUST NOT use the SN of the feedback … when this option is present" (5.7.6.5).
TEST_F(FeedbackTest, AckWithoutValidSnConfirmsNothing) {
  settle();
  become_optimistic();
  flow_.spec.ip.ttl = 9;
  ASSERT_EQ(send(), PacketType::kUor2);
  Feedback f = feedback_2(AckType::kAck, Mode::kOptimistic, sn());
  f.sn_valid = false;
  give(f);
  EXPECT_EQ(run_of(PacketType::kUor2), kRepeats - 1);
}

TEST_F(FeedbackTest, AckInUnidirectionalModeDoesNotEndRepeats) {
  settle();
  flow_.spec.ip.ttl = 9;
  ASSERT_EQ(send(), PacketType::kUor2);
  Feedback f = feedback_2(AckType::kAck, Mode::kUnidirectional, sn());
  f.crc = false;
  give(f);
  EXPECT_EQ(run_of(PacketType::kUor2), kRepeats - 1);
}

// It may come from a decompressor that does not know in which mode the compressor is: see mode_test.cc.
TEST_F(FeedbackTest, AckUIsAnsweredWithTheModeNowAndThen) {
  flow_.spec.rtp->sn = 5000;
  settle();
  unsigned told = 0;
  for (unsigned i = 0; i < 600; ++i) {
    give(AckType::kAck, Mode::kUnidirectional);
    if (send() == PacketType::kUo0) continue;
    EXPECT_EQ(sent_.type(), PacketType::kUor2);
    ++told;
  }
  EXPECT_EQ(told, 3 * kRepeats);
}

// An acknowledged reference makes the window as short as the text allows (4.5.2, step 3): an SN that four bits could
// not tell from older references.
TEST_F(FeedbackTest, AckShortensTheWindow) {
  settle();
  become_optimistic();
  for (const bool acknowledged : {false, true}) {
    settle();
    flow_.skip(9);
    send();
    if (acknowledged) give(AckType::kAck, Mode::kOptimistic);
    flow_.skip(9);
    EXPECT_EQ(send() == PacketType::kUo0, acknowledged);
    settle();
  }
}

// "It SHOULD reduce the frequency of IR packets" (5.3.2.3).
TEST_F(FeedbackTest, AckUStretchesRefreshes) {
  CompressorConfig config;
  config.repeats = 1;
  config.ir_refresh = {20, 0};
  config.fo_refresh = {0, 0};
  config.ir_refresh_start = 0;
  config.acked_refresh_factor = 3;
  Compressor compressor(config);
  SteadyFlow flow(rtp_packet(6));
  std::vector<unsigned> irs;
  for (unsigned i = 0; i < 150; ++i) {
    if (test::compress(compressor, build(flow.next())).type() == PacketType::kIr) irs.push_back(i);
    if (i == 45)
      compressor.give_feedback(0, feedback_element(feedback_2(AckType::kAck, Mode::kUnidirectional, flow.spec.rtp->sn)),
                               0);
  }
  EXPECT_EQ(irs, (std::vector<unsigned>{0, 20, 40, 105}));
}

// --- REJECT and CONTEXT_MEMORY (5.7.6.4, RFC 3843 3.7) ---------------------------------------------------------------

TEST_F(FeedbackTest, RejectStopsCompressionForAWhile) {
  for (const bool memory : {false, true}) {
    settle();
    Feedback f = feedback_2(AckType::kStaticNack, Mode::kUnidirectional, sn());
    (memory ? f.context_memory : f.reject) = true;
    give(f);
    const std::uint64_t until = now_ns_ + CompressorConfig{}.reject_hold_ms * test::kMillisecond;
    while (now_ns_ + test::kFrame < until) {
      send();
      ASSERT_EQ(sent_.detail.profile, 0);
    }
    EXPECT_EQ(run_of(PacketType::kIr), kRepeats) << "then it begins anew";
    EXPECT_EQ(sent_.detail.profile, 1);
  }
}

TEST_F(FeedbackTest, RejectWithAnAckBeginsAnewAllTheSame) {
  settle();
  become_optimistic();
  Feedback f = feedback_2(AckType::kAck, Mode::kOptimistic, sn());
  f.reject = true;
  give(f);
  send();
  EXPECT_EQ(sent_.detail.profile, 0);
  now_ns_ += CompressorConfig{}.reject_hold_ms * test::kMillisecond;
  EXPECT_EQ(send(), PacketType::kIr) << "the decompressor has given the context up";
}

TEST_F(FeedbackTest, AcksOfEarlierPacketsDoNotUndoAReject) {
  settle();
  become_optimistic();
  Feedback f = feedback_2(AckType::kNack, Mode::kOptimistic, sn());
  f.reject = true;
  give(f);
  give(AckType::kAck, Mode::kOptimistic);
  now_ns_ += CompressorConfig{}.reject_hold_ms * test::kMillisecond;
  EXPECT_EQ(send(), PacketType::kIr);
}

// "The compressor … should refrain from attempting to increase the number of compressed packet streams for some time"
// (5.7.6.4). CONTEXT_MEMORY speaks of its own flow only (RFC 3843 3.7).
TEST_F(FeedbackTest, RejectKeepsNewFlowsUncompressedForAWhile) {
  SteadyFlow known(rtp_packet(4));
  std::uint16_t source = 500;
  const auto profile_of = [&](SteadyFlow& flow) {
    return test::compress(compressor_, build(flow.next()), now_ns_).detail.profile;
  };
  const auto profile_of_new_flow = [&] {
    PacketSpec spec = udp_packet(6);
    spec.ip.source = source++;
    SteadyFlow flow(spec);
    return profile_of(flow);
  };
  settle();
  ASSERT_EQ(profile_of(known), 1);
  Feedback f = feedback_2(AckType::kStaticNack, Mode::kUnidirectional, sn());
  f.context_memory = true;
  give(f);
  EXPECT_EQ(profile_of_new_flow(), 2);
  f.context_memory = false;
  f.reject = true;
  give(f);
  EXPECT_EQ(profile_of_new_flow(), 0);
  EXPECT_EQ(profile_of(known), 1) << "flows that are there go on";
  now_ns_ += CompressorConfig{}.reject_hold_ms * test::kMillisecond;
  EXPECT_EQ(profile_of_new_flow(), 2);
}

// "Any FEEDBACK packet carrying a REJECT option MUST also carry a CRC option."
TEST_F(FeedbackTest, RejectWithoutCrcIsIgnored) {
  settle();
  Feedback f = feedback_2(AckType::kAck, Mode::kUnidirectional, sn());
  f.reject = true;
  f.crc = false;
  give(f);
  EXPECT_EQ(send(), PacketType::kUo0);
}

// --- CONTEXT_REINITIALIZATION (6.3.1) --------------------------------------------------------------------------------

TEST_F(FeedbackTest, ReinitialiseSendsIrAgainInTheSameMode) {
  settle();
  become_optimistic();
  compressor_.reinitialize();
  EXPECT_EQ(send(), PacketType::kIr);
  EXPECT_EQ(sent_.mode(), Mode::kOptimistic) << "the mode stays (RFC 4815 7.2.1)";
  EXPECT_EQ(run_of(PacketType::kIr), kRepeats - 1);
}

TEST_F(FeedbackTest, AcksOfEarlierPacketsDoNotUndoAReinitialisation) {
  settle();
  become_optimistic();
  compressor_.reinitialize();
  give(AckType::kAck, Mode::kOptimistic);  // was on its way when the signal came
  EXPECT_EQ(run_of(PacketType::kIr), kRepeats);
}

// --- What cannot be understood ---------------------------------------------------------------------------------------

TEST_F(FeedbackTest, GarbageIsCountedAndIgnored) {
  settle();
  const auto ignored = [&] { return compressor_.counters().ignored_feedback; };
  const struct {
    const char* what;
    const char* octets;
  } cases[] = {
      {"no feedback type octet", "45 00"},
      {"truncated", "f3 01"},
      {"Size without data", "f0"},
      {"reserved Acktype", "f2 c0 00"},
      {"wrong CRC", "f4 20 00 11 ff"},
      {"a CID that nobody has", "f3 e7 20 01"},
      {"empty", "f0 00"},
  };
  std::uint64_t expected = ignored();
  for (const auto& c : cases) {
    compressor_.give_feedback(0, hex(c.octets), now_ns_);
    EXPECT_EQ(ignored(), ++expected) << c.what;
  }
  compressor_.give_feedback(5, hex("f2 20 00"), now_ns_);
  EXPECT_EQ(ignored(), ++expected) << "another channel";
  compressor_.give_feedback(0, {}, now_ns_);
  EXPECT_EQ(ignored(), expected) << "nothing is no garbage";
  EXPECT_EQ(send(), PacketType::kUo0);
  EXPECT_EQ(sent_.mode(), Mode::kUnidirectional);
}

TEST_F(FeedbackTest, SeveralElementsAtOnce) {
  settle();
  const Packet elements = test::joined(feedback_element(feedback_2(AckType::kAck, Mode::kOptimistic, sn(), 3)),
                                       feedback_element(feedback_2(AckType::kAck, Mode::kOptimistic, sn())));
  compressor_.give_feedback(0, elements, now_ns_);
  send();
  EXPECT_EQ(sent_.mode(), Mode::kOptimistic) << "the first was for nobody, the second for CID 0";
}

TEST_F(FeedbackTest, RandomFeedbackHarmsNobody) {
  test::Random random(1);
  Decompressor decompressor{DecompressorConfig{}};
  for (int round = 0; round < 20'000; ++round) {
    Packet octets(random.below(12));
    for (auto& octet : octets) octet = random.octet();
    if (!octets.empty()) octets[0] = static_cast<std::uint8_t>(0xf0 | (octets.size() - 1));
    compressor_.give_feedback(0, octets, now_ns_);
    send();
    (void)test::decompress(decompressor, sent_.octets, now_ns_);
  }
}

// --- 5.7.6.1: "matches valid SN LSBs with the most recent header sent with a SN with matching LSBs" ------------------

TEST(AcknowledgedSn, IsTheMostRecentOneThatMatches) {
  for (const unsigned width : {8U, 12U}) {
    for (unsigned behind = 0; behind < 1U << width; behind += 1 + behind / 50) {
      for (const std::uint16_t last :
           {std::uint16_t{0}, std::uint16_t{100}, std::uint16_t{0x7fff}, std::uint16_t{0xffff}}) {
        const auto sn = static_cast<std::uint16_t>(last - behind);
        EXPECT_EQ(acknowledged_sn(last, sn & ((1U << width) - 1), width), sn);
      }
    }
  }
  EXPECT_EQ(acknowledged_sn(1000, 900, 20), 900) << "more bits than the SN has";
  EXPECT_EQ(acknowledged_sn(1000, 1001, 20), 1001) << "never sent: covers_since() refuses it";
}

}  // namespace
}  // namespace headroom::rohc
