// SPDX-License-Identifier: Apache-2.0
//
// R-mode between compressor and decompressor (RFC 3095 5.5): which packets are sent, what is acknowledged, and the
// secure reference: "the synchronization between the compression context and decompression context will never be lost
// due to packet losses" (5.5.1.1.1). So with losses alone, of packets and of feedback, nothing may fail and nothing may
// be wrong, although most packets have no CRC.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "rohc/framework/test/support/effort.h"
#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/eventful_flow.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::EventfulFlow;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::Random;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using wire::AckType;
using wire::Mode;
using wire::PacketType;

CompressorConfig reliable_compressor(bool large_cids = false) {
  CompressorConfig c = test::without_refreshes();
  c.highest_mode = Mode::kReliable;
  c.channel.large_cids = large_cids;
  c.channel.max_cid = large_cids ? 300 : 15;
  return c;
}

DecompressorConfig reliable_decompressor(bool large_cids = false) {
  DecompressorConfig d;
  d.mode = Mode::kReliable;
  d.channel = reliable_compressor(large_cids).channel;
  return d;
}

std::vector<PacketSpec> kinds() {
  return {rtp_packet(4), rtp_packet(6), udp_packet(4), udp_packet(6), test::ip_packet(4), test::ip_packet(6)};
}

std::size_t count(const Link& link, PacketType type) {
  return link.compressor.counters().packets[static_cast<std::size_t>(type)];
}

// Passes packets with feedback after each until R-0 packets flow.
void establish(Link& link, SteadyFlow& flow) {
  for (unsigned i = 0; i < 30; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << i << ": " << link.describe();
    (void)link.carry_feedback();
  }
  ASSERT_EQ(link.sent.mode(), Mode::kReliable);
  ASSERT_EQ(link.received.mode(), Mode::kReliable);
}

// --- A steady flow ---------------------------------------------------------------------------------------------------

TEST(ReliableFlow, SteadyFlowsAreR0AndNowAndThenR0Crc) {
  for (const bool large : {false, true}) {
    for (const PacketSpec& kind : kinds()) {
      Link link(reliable_compressor(large), reliable_decompressor(large));
      SteadyFlow flow(kind);
      establish(link, flow);
      const std::size_t r0 = count(link, PacketType::kR0);
      const std::size_t crc = count(link, PacketType::kR0Crc);
      for (unsigned i = 0; i < 3200; ++i) {
        ASSERT_TRUE(link.pass(flow.next())) << link.describe();
        (void)link.carry_feedback();
        EXPECT_EQ(link.sent.state(), CompressorState::kSo);
      }
      EXPECT_EQ(count(link, PacketType::kR0) - r0 + count(link, PacketType::kR0Crc) - crc, 3200U);
      // An update is due 32 packets after the last acknowledged one; its ACK comes at once.
      EXPECT_NEAR(static_cast<double>(count(link, PacketType::kR0Crc) - crc), 100.0, 2.0);
    }
  }
}

// "In the SO state, when (64 - pRTT) headers have been sent since the last acked reference, the compressor will send
// m1 consecutive R-0-CRC headers, then send (pRTT - m1) R-0 headers … if the compressor has not received an ACK … it
// sends R-0-CRC headers" (5.5.1.2): here the cycle goes on with the same numbers until R-0 does not reach any more.
TEST(ReliableFlow, WithoutAcksBurstsOfR0CrcUntilNothingElseReaches) {
  for (const PacketSpec& kind : {rtp_packet(6), udp_packet(6)}) {
    Link link(reliable_compressor(), reliable_decompressor());
    SteadyFlow flow(kind);
    establish(link, flow);
    while (link.sent.type() != PacketType::kR0Crc) {
      ASSERT_TRUE(link.pass(flow.next()));
      (void)link.carry_feedback();
    }
    std::string types;
    for (unsigned i = 1; i <= 140; ++i) {
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      (void)test::take_all(link.decompressor.own_feedback());  // lost
      const PacketType t = link.sent.type();
      types += t == PacketType::kR0 ? '0' : t == PacketType::kR0Crc ? 'c' : t == PacketType::kR1 ? '1' : '2';
    }
    // 31 R-0 after the acknowledged packet, then 2 updates and 8 packets without, again and again; SNs of R-0 reach 62
    // or, generated, 64 packets far, those of R-0-CRC 124 or 128.
    const std::size_t reach_r0 = kind.rtp ? 62 : 64;
    const std::size_t reach_crc = kind.rtp ? 124 : 128;
    std::string expected(31, '0');
    while (expected.size() < reach_r0) expected += "cc00000000";
    expected.resize(reach_r0);
    expected.resize(reach_crc, 'c');
    EXPECT_EQ(types.substr(0, reach_crc), expected);
    EXPECT_EQ(types.substr(reach_crc).find_first_not_of("12"), std::string::npos) << "extensions carry more of the SN";
    // One ACK, of whichever update, and all is well again.
    ASSERT_TRUE(link.pass(flow.next()));
    for (unsigned i = 0; i < 12; ++i) {
      ASSERT_TRUE(link.pass(flow.next()));
      (void)link.carry_feedback();
    }
    EXPECT_EQ(link.sent.type(), PacketType::kR0);
  }
}

// Tens of thousands of packets without any feedback: every reference becomes ambiguous in the end, so IR-DYN packets
// must take over, and nothing may fail on the way.
TEST(ReliableFlow, FeedbackLostForEver) {
  for (const PacketSpec& kind : {rtp_packet(4), udp_packet(6), test::ip_packet(4)}) {
    Link link(reliable_compressor(), reliable_decompressor());
    SteadyFlow flow(kind);
    establish(link, flow);
    for (unsigned i = 0; i < 140'000; ++i) {
      if (i % 7 == 3) {
        link.lose(flow.next());
        continue;
      }
      ASSERT_TRUE(link.pass(flow.next())) << i << ": " << link.describe();
      (void)test::take_all(link.decompressor.own_feedback());
    }
    EXPECT_EQ(link.sent.type(), PacketType::kIrDyn);
    for (unsigned i = 0; i < 20; ++i) {
      ASSERT_TRUE(link.pass(flow.next()));
      (void)link.carry_feedback();
    }
    EXPECT_EQ(link.sent.type(), PacketType::kR0);
  }
}

// --- The secure reference --------------------------------------------------------------------------------------------

// A window that has run out of room for lines knows some updates by their SN only. Of an ESP Sequence Number that is
// but the low half: updates before and after a step of 2^16 look like neighbours, and are not.
TEST(ReliableFlow, EspNumbersThatDifferInTheHighHalf) {
  for (unsigned before = 0; before < 60; before += 3) {
    for (unsigned after = 0; after < 60; after += 3) {
      Link link(reliable_compressor(), reliable_decompressor());
      SteadyFlow flow(test::esp_packet(4));
      establish(link, flow);
      const auto lose = [&](unsigned packets) {
        for (unsigned i = 0; i < packets; ++i) {
          flow.spec.ip.id = static_cast<std::uint16_t>(flow.spec.ip.id + 30);  // a line of its own for each update
          link.lose(flow.next());
        }
      };
      lose(before);
      flow.spec.esp->sn += 0x10000;
      lose(after);
      ASSERT_TRUE(link.pass(flow.next())) << before << ", " << after << ": " << link.describe();
    }
  }
}

struct Trouble {
  const char* name;
  double loss;
  double feedback_loss;
  unsigned round_trip;  // packets
};
void PrintTo(const Trouble& t, std::ostream* out) { *out << t.name; }

class SecureReference : public testing::TestWithParam<Trouble> {};

TEST_P(SecureReference, LossesAloneNeverMakeAnythingFail) {
  const Trouble& trouble = GetParam();
  std::uint64_t updates = 0;
  std::uint64_t without_crc = 0;
  for (std::uint64_t seed = 1; seed <= test::seeds(150); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    test::FlowCharacter character = test::drawn_character(random, 1);
    character.may_be_strange = false;  // packets of other flows are not what this is about
    CompressorConfig config = reliable_compressor(random.flip());
    config.repeats = random.between(1, 4);
    config.update_after = random.between(1, 48);
    config.update_burst = random.between(1, 4);
    config.update_pause = random.below(20);
    DecompressorConfig d = reliable_decompressor(config.channel.large_cids);
    d.ack_sparse = random.between(1, 10);
    Link link(config, d);
    EventfulFlow flow(character, random.next());
    std::deque<std::pair<unsigned, test::FeedbackElement>> under_way;
    bool reliable = false;
    unsigned burst = 0;
    for (unsigned i = 0; i < 700; ++i) {
      const Packet packet = flow.next();
      link.lose(packet);
      ASSERT_EQ(link.sent.status, HEADROOM_OK);
      const bool compressed = link.sent.detail.profile != 0;
      // The way into R-mode is no matter of references: until then the link is a good one.
      reliable |= compressed && wire::is_r_mode_only(link.sent.type());
      if (reliable && trouble.loss != 0 && burst == 0 && random.chance(0.01)) burst = random.below(100);
      if (burst != 0) --burst;
      const bool lost = reliable && compressed && (burst != 0 || random.chance(trouble.loss));
      if (!lost) {
        link.received = test::decompress(link.decompressor, link.sent.octets, link.now_ns);
        ASSERT_EQ(link.received.status, HEADROOM_OK) << i << ": " << link.describe();
        ASSERT_EQ(test::to_hex(link.received.octets), test::to_hex(packet)) << i << ": " << link.describe();
        updates += wire::updates_in_r_mode(link.sent.type()) ? 1U : 0U;
        without_crc += wire::is_without_crc(link.sent.type()) ? 1U : 0U;
      }
      for (auto& element : test::take_all(link.decompressor.own_feedback())) {
        if (reliable && random.chance(trouble.feedback_loss)) continue;
        under_way.emplace_back(i + trouble.round_trip, std::move(element));
      }
      while (!under_way.empty() && under_way.front().first <= i) {
        link.compressor.give_feedback(0, under_way.front().second.octets, link.now_ns);
        under_way.pop_front();
      }
    }
    EXPECT_EQ(link.decompressor.counters().nacks + link.decompressor.counters().static_nacks, 0U);
  }
  EXPECT_GT(updates, 1000U);
  EXPECT_GT(without_crc, 5'000U) << "it was R-mode that was tried";
}

INSTANTIATE_TEST_SUITE_P(All, SecureReference,
                         testing::Values(Trouble{"Clean", 0, 0, 0}, Trouble{"RoundTripOf10", 0, 0, 10},
                                         Trouble{"RoundTripOf100", 0, 0, 100}, Trouble{"Loss", 0.1, 0, 3},
                                         Trouble{"FeedbackLoss", 0.05, 0.5, 5},
                                         Trouble{"HardlyAnyFeedback", 0.3, 0.9, 20},
                                         Trouble{"MostIsLost", 0.7, 0.5, 40}),
                         [](const testing::TestParamInfo<Trouble>& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace headroom::rohc
