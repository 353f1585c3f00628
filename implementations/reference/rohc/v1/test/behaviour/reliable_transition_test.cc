// SPDX-License-Identifier: Apache-2.0
//
// Mode transitions from and to R-mode (RFC 3095 5.6.3 to 5.6.6, RFC 4815 3, RFC 3843 3.4): the diagrams packet by
// packet, every loss of one packet and of one feedback, wishes that change, and compressors that decline or do not
// react.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/modes.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::asking_for;
using test::is_uo_0_or_1;
using test::kinds;
using test::kO;
using test::kR;
using test::kU;
using test::Link;
using test::PacketSpec;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using test::until_mode;
using wire::AckType;
using wire::Mode;
using wire::PacketType;

CompressorConfig compressor(Mode highest = kR) { return test::following_to(highest); }

// 5.6.3: ACK(R) with CRC, D_TRANS = I; C_TRANS = P, C_MODE = R, no types 0 and 1; UOR-2(SN, R), D_TRANS = P, D_MODE =
// R; ACK(SN, R), C_TRANS = D; R-0* or R-1*, D_TRANS = D.
TEST(ReliableTransition, OptimisticToReliableByTheDiagram) {
  for (const PacketSpec& kind : kinds()) {
    Link link(compressor(), asking_for(kO));
    SteadyFlow flow(kind);
    ASSERT_TRUE(until_mode(link, flow, kO));
    link.decompressor.set_mode(kR);
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(link.received.mode(), kO) << "\"it must stay in Optimistic mode\" until a packet says R";
    auto feedback = link.carry_feedback();
    ASSERT_EQ(feedback.size(), 1U);
    EXPECT_EQ(feedback[0].ack, AckType::kAck);
    EXPECT_EQ(feedback[0].mode, kR);
    EXPECT_TRUE(feedback[0].crc);

    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_EQ(link.sent.mode(), kR) << "C_MODE = R";
    EXPECT_EQ(link.sent.state(), CompressorState::kFo);
    EXPECT_TRUE(wire::updates_in_r_mode(link.sent.type()) && link.sent.type() != PacketType::kR0Crc)
        << "UOR-2 or more: " << link.describe();
    EXPECT_EQ(link.received.mode(), kR) << "D_TRANS = P, D_MODE = R";
    EXPECT_EQ(link.received.event(), Event::kModeReliable);
    feedback = link.carry_feedback();
    ASSERT_EQ(feedback.size(), 1U);
    EXPECT_EQ(feedback[0].mode, kR);
    EXPECT_TRUE(feedback[0].crc);

    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_EQ(link.sent.type(), PacketType::kR0) << "C_TRANS = D, and one ACK is enough for a line that is known";
    EXPECT_TRUE(link.carry_feedback().empty()) << "D_TRANS = D";
  }
}

TEST(ReliableTransition, EveryPairOfModes) {
  for (const PacketSpec& kind : kinds()) {
    for (const Mode from : {kU, kO, kR}) {
      for (const Mode to : {kU, kO, kR}) {
        Link link(compressor(), asking_for(from));
        SteadyFlow flow(kind);
        ASSERT_TRUE(until_mode(link, flow, from)) << link.describe();
        ASSERT_TRUE(settle(link, flow));
        (void)link.carry_feedback();
        link.decompressor.set_mode(to);
        EXPECT_TRUE(until_mode(link, flow, to, 8))
            << static_cast<int>(from) << " to " << static_cast<int>(to) << ": " << link.describe();
        for (unsigned i = 0; i < 100; ++i) {
          ASSERT_TRUE(link.pass(flow.next())) << link.describe();
          (void)link.carry_feedback();
        }
      }
    }
  }
}

// Every single loss: for each pair of modes and each position, of a packet or of what is fed back for it. With lost
// feedback nothing at all may fail; a lost packet fails nothing but itself.
TEST(ReliableTransition, EverySingleLossOfAPacketOrOfFeedback) {
  unsigned runs = 0;
  for (const PacketSpec& kind : kinds()) {
    for (const bool packets : {true, false}) {
      for (const Mode from : {kU, kO, kR}) {
        for (const Mode to : {kU, kO, kR}) {
          for (unsigned at = 0; at < 14; ++at) {
            for (const unsigned length : {1U, 2U, 5U}) {
              Link link(compressor(), asking_for(from));
              SteadyFlow flow(kind);
              ASSERT_TRUE(until_mode(link, flow, from));
              link.decompressor.set_mode(to);
              for (unsigned i = 0; i < 14; ++i) {
                const bool lost = i >= at && i < at + length;
                if (lost && packets) {
                  link.lose(flow.next());
                  continue;
                }
                ASSERT_TRUE(link.pass(flow.next()))
                    << static_cast<int>(from) << " to " << static_cast<int>(to) << ", lost " << length << " from " << at
                    << ", packet " << i << ": " << link.describe();
                if (lost) {
                  (void)test::take_all(link.decompressor.own_feedback());
                } else {
                  (void)link.carry_feedback();
                }
              }
              // An ACK(O) that is lost on the way from U-mode is not repeated but for an IR (5.6.2).
              if (from == kU && to == kO && !packets) link.compressor.reinitialize();
              ASSERT_TRUE(until_mode(link, flow, to, 300))
                  << static_cast<int>(from) << " to " << static_cast<int>(to) << ", lost " << length << " from " << at
                  << (packets ? " packets: " : " feedback: ") << link.describe();
              ++runs;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(runs, 6U * 2 * 9 * 14 * 3);
}

// The same at the beginning: from the very first IR to R-mode.
TEST(ReliableTransition, EverySingleLossFromTheFirstPacketOn) {
  for (const PacketSpec& kind : kinds()) {
    for (const bool packets : {true, false}) {
      for (unsigned at = 0; at < 12; ++at) {
        for (const unsigned length : {1U, 3U}) {
          Link link(compressor(), asking_for(kR));
          SteadyFlow flow(kind);
          for (unsigned i = 0; i < 16; ++i) {
            const bool lost = i >= at && i < at + length;
            if (lost && packets) {
              link.lose(flow.next());
              continue;
            }
            ASSERT_TRUE(link.pass(flow.next())) << at << ", " << length << ", " << i << ": " << link.describe();
            if (lost) {
              (void)test::take_all(link.decompressor.own_feedback());
            } else {
              (void)link.carry_feedback();
            }
          }
          ASSERT_TRUE(until_mode(link, flow, kR, 60)) << link.describe();
        }
      }
    }
  }
}

// A long round trip: many packets and many requests are under way at the same time.
TEST(ReliableTransition, LongRoundTrips) {
  for (const PacketSpec& kind : kinds()) {
    for (const unsigned round_trip : {1U, 5U, 20U, 60U}) {
      Link link(compressor(), asking_for(kU));
      SteadyFlow flow(kind);
      std::vector<std::pair<unsigned, test::FeedbackElement>> under_way;
      unsigned now = 0;
      for (const Mode to : {kR, kO, kR, kU, kO, kR}) {
        link.decompressor.set_mode(to);
        for (unsigned i = 0; i < 6 * round_trip + 30; ++i, ++now) {
          ASSERT_TRUE(link.pass(flow.next())) << link.describe();
          for (auto& e : test::take_all(link.decompressor.own_feedback())) under_way.emplace_back(now + round_trip, e);
          while (!under_way.empty() && under_way.front().first <= now) {
            link.compressor.give_feedback(0, under_way.front().second.octets, link.now_ns);
            under_way.erase(under_way.begin());
          }
        }
        EXPECT_EQ(link.sent.mode(), to) << round_trip;
        EXPECT_EQ(link.received.mode(), to) << round_trip;
      }
    }
  }
}

TEST(ReliableTransition, WishesThatChangeInTheMiddle) {
  for (const PacketSpec& kind : kinds()) {
    for (const Mode from : {kU, kO, kR}) {
      for (const Mode over : {kU, kO, kR}) {
        for (const Mode to : {kU, kO, kR}) {
          for (int packets = 0; packets < 5; ++packets) {
            Link link(compressor(), asking_for(from));
            SteadyFlow flow(kind);
            ASSERT_TRUE(until_mode(link, flow, from));
            link.decompressor.set_mode(over);
            for (int i = 0; i < packets; ++i) {
              ASSERT_TRUE(link.pass(flow.next())) << link.describe();
              (void)link.carry_feedback();
            }
            link.decompressor.set_mode(to);
            EXPECT_TRUE(until_mode(link, flow, to))
                << static_cast<int>(from) << " over " << static_cast<int>(over) << " to " << static_cast<int>(to)
                << " after " << packets << ": " << link.describe();
          }
        }
      }
    }
  }
}

// "A mode transition MUST NOT be initiated by feedback which is not protected by a CRC" (5.6.1); and what asks for
// R-mode is "an ACK(R) or a NACK(R)" (5.6.3).
TEST(ReliableTransition, WhatFeedbackMayAskForIt) {
  struct Case {
    AckType ack;
    bool crc;
    bool follows;
  };
  for (const Case c : {Case{AckType::kAck, true, true}, Case{AckType::kNack, true, true},
                       Case{AckType::kStaticNack, true, false}, Case{AckType::kAck, false, false}}) {
    Link link(compressor(), asking_for(kO));
    SteadyFlow flow(rtp_packet(6));
    ASSERT_TRUE(until_mode(link, flow, kO));
    wire::Feedback f = test::feedback_2(c.ack, kR, flow.spec.rtp->sn);
    f.crc = c.crc;
    link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
    link.lose(flow.next());
    EXPECT_EQ(link.sent.mode(), c.follows ? kR : kO);
  }
}

// "The compressor must not send packet types 1 or 0 while C_TRANS is P, i.e., not until it has received an ACK for a
// UOR-2, IR-DYN, or IR packet sent with the mode transition parameter set to R" (5.6.3). An IR packet of profile UDP
// carries no mode, so an ACK for it is none of these.
TEST(ReliableTransition, AnAckForAPacketThatDidNotTellTheModeEndsNothing) {
  Link link(compressor(), asking_for(kR));
  SteadyFlow flow(udp_packet(6));
  ASSERT_TRUE(link.pass(flow.next()));
  ASSERT_EQ(link.sent.type(), PacketType::kIr);
  (void)link.carry_feedback();
  link.lose(flow.next());
  EXPECT_EQ(link.sent.mode(), kR);
  EXPECT_EQ(link.sent.type(), PacketType::kUor2) << "the ACK was for an IR packet: the static part is there";
  // Its ACK is for the IR again, which told no mode.
  const std::uint64_t acked = link.decompressor.counters().acks;
  EXPECT_EQ(acked, 1U);
  link.compressor.reinitialize();
  ASSERT_TRUE(link.pass(flow.next()));
  ASSERT_EQ(link.sent.type(), PacketType::kIr);
  EXPECT_EQ(link.received.mode(), kU);
  (void)link.carry_feedback();  // ACK(R) for the IR
  link.lose(flow.next());
  EXPECT_EQ(link.sent.type(), PacketType::kUor2) << "still pending";
}

// The ACK(R) that begins R-mode may be for a packet sent before the source went back to lower SNs. It says nothing of
// what was changed since, although its SN is one of those to come; whether the compressor still knows that SN or not.
TEST(ReliableTransition, TheAckThatBeginsItIsForWhatHasBeenSent) {
  for (const unsigned since : {1U, 5U}) {
    DecompressorConfig d = asking_for(kR);
    d.sn_option = true;  // or the SN would be taken for one of 4,096 packets ago
    Link link(compressor(), d);
    SteadyFlow flow(rtp_packet(6));
    flow.spec.rtp->sn = 1000;
    for (unsigned i = 0; i < 40; ++i) {
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      if (i < 39) (void)test::take_all(link.decompressor.own_feedback());
    }
    ASSERT_EQ(link.sent.mode(), kU);
    const auto ack = test::take_all(link.decompressor.own_feedback());
    ASSERT_EQ(ack.size(), 1U);
    flow.spec.rtp->sn = static_cast<std::uint16_t>(flow.spec.rtp->sn - 100);
    for (unsigned i = 1; i < since; ++i) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    flow.next().ip.tos ^= 0x55;
    EXPECT_EQ(link.lose(flow.spec).type(), PacketType::kUor2);
    link.compressor.give_feedback(0, ack[0].octets, link.now_ns);
    EXPECT_TRUE(link.pass(flow.next())) << "the Traffic Class is told again: " << link.describe();
    EXPECT_EQ(link.sent.mode(), kR);
  }
}

// Packets that were overtaken and repeated before they came to the compressor: an ACK(R) for the first of two with one
// SN is none for the second, which told the mode.
TEST(ReliableTransition, AnAckForAnEarlierPacketOfTheSameNumberEndsNothing) {
  Link link(compressor(), asking_for(kR));
  SteadyFlow flow(rtp_packet(6));
  for (unsigned i = 0; i < 40; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    (void)test::take_all(link.decompressor.own_feedback());
  }
  const PacketSpec overtaken = flow.next();
  const PacketSpec early = flow.next();
  ASSERT_TRUE(link.pass(early));
  const auto ack = test::take_all(link.decompressor.own_feedback());
  ASSERT_EQ(ack.size(), 1U);
  ASSERT_TRUE(link.pass(overtaken)) << link.describe();
  ASSERT_EQ(link.carry_feedback().size(), 1U);
  EXPECT_EQ(link.lose(early).mode(), kR);
  link.compressor.give_feedback(0, ack[0].octets, link.now_ns);
  EXPECT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(link.sent.type(), PacketType::kUor2) << "nobody has acknowledged that mode";
}

// 5.5.2.2: "For a sequence of R-0-CRC packets, the first one MUST be ACKed", also when it is what ends the transition;
// requests sent before do not count among its packets.
TEST(ReliableTransition, AnR0CrcThatEndsItIsAcknowledged) {
  for (const unsigned requests : {0U, 2U}) {
    CompressorConfig config = compressor();
    config.update_after = 1;
    config.update_burst = 255;
    DecompressorConfig d = asking_for(kR);
    d.ack_sparse = 4;
    Link link(config, d);
    SteadyFlow flow(rtp_packet(6));
    for (unsigned i = 0; link.sent.type() != PacketType::kR0Crc; ++i) {
      ASSERT_LT(i, 20U);
      if (i != 0 && i > requests) (void)link.carry_feedback();
      (void)test::take_all(link.decompressor.own_feedback());
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    }
    std::string answered;
    for (unsigned i = 0; i < 10; ++i) {
      ASSERT_TRUE(i == 0 || link.pass(flow.next())) << link.describe();
      ASSERT_EQ(link.sent.type(), PacketType::kR0Crc);
      const auto elements = test::take_all(link.decompressor.own_feedback());
      answered += elements.empty() ? '.' : 'A';
      if (elements.empty()) continue;
      const wire::Feedback f = test::read(elements[0], false);
      EXPECT_EQ(f.ack, AckType::kAck);
      EXPECT_EQ(f.mode, kR);
      EXPECT_EQ(f.sn, flow.spec.rtp->sn & 0xfffU);
    }
    EXPECT_EQ(answered, "A...A...A.");
  }
}

// Feedback of the past that arrives late makes the compressor leave R-mode although nobody asks for it any more: the
// packets say so, and the decompressor must read what follows accordingly.
TEST(ReliableTransition, LateFeedbackOfAnotherMode) {
  for (const PacketSpec& kind : kinds()) {
    for (const Mode mode : {kO, kR}) {
      for (const Mode late : {kU, kO, kR}) {
        Link link(compressor(), asking_for(mode));
        SteadyFlow flow(kind);
        ASSERT_TRUE(until_mode(link, flow, mode));
        const auto f = test::feedback_2(AckType::kAck, late, 0xfff);
        link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
        if (mode == kO && late == kU) continue;  // same formats: mode_test.cc
        EXPECT_TRUE(until_mode(link, flow, mode, 60))
            << static_cast<int>(mode) << ", late " << static_cast<int>(late) << ": " << link.describe();
      }
    }
  }
}

// No CRC covers the mode of extension 3 (5.9): one bit error there must not make the decompressor read types 0 and 1 in
// another way than the compressor writes them, for neither side would ever find out.
TEST(ReliableTransition, ABitErrorInTheModeIsNotBelieved) {
  Link link(compressor(), asking_for(kO));
  SteadyFlow flow(test::udp_packet(4));
  ASSERT_TRUE(until_mode(link, flow, kO));
  for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(link.pass(flow.next()));
  flow.spec.ip.tos ^= 0x20;
  test::Packet octets = link.lose(flow.next()).octets;
  ASSERT_EQ(link.sent.type(), PacketType::kUor2);
  ASSERT_EQ(octets[2] & 0xd8, 0xd0) << "extension 3 with mode O";
  octets[2] ^= 0x08;
  const test::Restored restored = test::decompress(link.decompressor, octets, link.now_ns);
  EXPECT_EQ(restored.status, HEADROOM_OK);
  EXPECT_EQ(restored.mode(), kO);
  for (unsigned i = 0; i < 40; ++i) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
}

// A compressor that does not know R-mode ignores the request. The decompressor gives up after a while and makes do with
// O-mode.
TEST(ReliableTransition, ACompressorThatDoesNotReact) {
  for (const Mode highest : {kU, kO}) {
    DecompressorConfig d = asking_for(kR);
    d.mode_requests = 10;
    Link link(compressor(highest), d);
    SteadyFlow flow(rtp_packet(4));
    std::size_t feedback = 0;
    for (unsigned i = 0; i < 100; ++i) {
      ASSERT_TRUE(link.pass(flow.next()));
      feedback += link.carry_feedback().size();
    }
    EXPECT_EQ(link.received.mode(), kO);
    EXPECT_EQ(link.sent.mode(), highest);
    EXPECT_LE(feedback, 12U) << "it does not ask for ever";
    EXPECT_TRUE(is_uo_0_or_1(link.sent.type()));
  }
}

// "The decompressor … MUST use the sequence number that corresponds to the packet that last updated the context"
// (RFC 4815 3.2) while it asks to leave R-mode and gets packets that update nothing.
TEST(ReliableTransition, RequestsCarryTheSnOfTheLastUpdate) {
  Link link(compressor(), asking_for(kR));
  SteadyFlow flow(rtp_packet(6));
  ASSERT_TRUE(until_mode(link, flow, kR));
  while (link.sent.type() != PacketType::kR0Crc) {
    ASSERT_TRUE(link.pass(flow.next()));
    (void)link.carry_feedback();
  }
  const std::uint16_t updated = flow.spec.rtp->sn;
  link.decompressor.set_mode(kO);
  for (unsigned i = 0; i < 5; ++i) {
    ASSERT_TRUE(link.pass(flow.next()));
    ASSERT_EQ(link.sent.type(), PacketType::kR0);
    const auto elements = test::take_all(link.decompressor.own_feedback());
    ASSERT_EQ(elements.size(), 1U) << "\"a NACK or ACK … for each received packet\" (5.6.1)";
    const wire::Feedback f = test::read(elements[0], false);
    EXPECT_EQ(f.sn, updated & 0xfffU);
    EXPECT_EQ(f.mode, kO);
    EXPECT_TRUE(f.crc);
  }
}

// --- A compressor that declines (RFC 3843 3.4: Mode 0) ---------------------------------------------------------------

TEST(ReliableTransition, DeclinedRModeLeavesTheModeInUse) {
  Link link(compressor(kO), asking_for(kO));
  SteadyFlow flow(test::ip_packet(6));
  ASSERT_TRUE(until_mode(link, flow, kO));
  ASSERT_TRUE(settle(link, flow));
  link.decompressor.set_mode(kR);
  link.lose(flow.next());
  const unsigned sn = static_cast<unsigned>(link.sent.octets[0] >> 3);
  (void)test::decompress(link.decompressor, link.sent.octets, link.now_ns);
  ASSERT_EQ(test::take_all(link.decompressor.own_feedback()).size(), 1U);
  wire::BaseHeader h;
  h.type = PacketType::kUor2;
  wire::Extension e;
  e.kind = 3;
  e.mode = Mode::kCancel;
  test::Restored r;
  flow.next();
  for (const unsigned top : {0U, 16U}) {
    h.sn.value = ((sn + 1) & 15U) | top;
    r = test::decompress(link.decompressor, test::crafted(flow.spec, h, e), link.now_ns);
    if (r.status == HEADROOM_OK) break;
  }
  ASSERT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(r.mode(), kO) << "\"D_MODE MUST remain unchanged\"";
  const auto ack = test::take_all(link.decompressor.own_feedback());
  ASSERT_EQ(ack.size(), 1U);
  EXPECT_EQ(test::read(ack[0], false).mode, kO) << "ACK(SN, X) with X the mode in use";
}

}  // namespace
}  // namespace headroom::rohc
