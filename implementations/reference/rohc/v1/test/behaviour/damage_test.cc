// SPDX-License-Identifier: Apache-2.0
//
// States of the decompressor and the rules of damage (RFC 3095 5.3.2.1, 5.3.2.2.1, 5.3.2.2.3): k out of n, what each
// state decompresses, and the negative feedback that goes with it (5.4.2.2, 5.7.6).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::FeedbackElement;
using test::Link;
using test::Packet;
using test::Random;
using test::Restored;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using test::without_refreshes;
using wire::AckType;
using wire::Mode;
using wire::PacketType;

DecompressorConfig optimistic() {
  DecompressorConfig d;
  d.mode = Mode::kOptimistic;
  d.repair_reference = d.repair_wraparound = false;
  return d;
}

// A flow whose packets are all UOR-2 (its TTL changes with each) or, if it is steady, UO-0; CID 0, IPv6, profile UDP.
class DamageTest : public testing::Test {
 protected:
  explicit DamageTest(const DecompressorConfig& config = optimistic())
      : link_(without_refreshes(), config), flow_(udp_packet(6)) {
    flow_.spec.udp->checksum = false;
    EXPECT_TRUE(settle(link_, flow_));
    (void)link_.carry_feedback();
    EXPECT_TRUE(settle(link_, flow_));
    EXPECT_EQ(link_.sent.type(), PacketType::kUo0);
    (void)link_.carry_feedback();
  }

  Packet next(bool update) {
    flow_.next();
    if (update) flow_.spec.ip.ttl ^= 0x55;
    link_.lose(flow_.spec);
    EXPECT_EQ(link_.sent.type(), update ? PacketType::kUor2 : PacketType::kUo0);
    return link_.sent.octets;
  }
  Restored give(const Packet& packet) { return last_ = test::decompress(link_.decompressor, packet, link_.now_ns); }
  Restored good(bool update) { return give(next(update)); }
  // The same with a wrong CRC.
  Restored bad(bool update) {
    Packet p = next(update);
    p[update ? 1 : 0] ^= 1;
    return give(p);
  }
  // The feedback sent since the last call.
  std::vector<AckType> feedback() {
    std::vector<AckType> kinds;
    for (const FeedbackElement& e : test::take_all(link_.decompressor.own_feedback())) {
      const wire::Feedback f = test::read(e, false);
      EXPECT_TRUE(f.crc && f.sn_valid && f.mode == Mode::kOptimistic);
      kinds.push_back(f.ack);
    }
    return kinds;
  }

  Link link_;
  SteadyFlow flow_;
  Restored last_;
};

TEST_F(DamageTest, OccasionalFailuresAreOnlyDiscarded) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(bad(false).status, HEADROOM_ERR_CRC);
    EXPECT_EQ(last_.state(), DecompressorState::kFc);
    for (int k = 0; k < 2; ++k) EXPECT_EQ(good(false).status, HEADROOM_OK);
  }
  EXPECT_TRUE(feedback().empty()) << "\"NACKs SHOULD NOT be sent at this time\" (rule a)";
}

TEST_F(DamageTest, KOfNFailuresMoveItToStaticContext) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bad(false).status, HEADROOM_ERR_CRC);
    EXPECT_EQ(last_.state(), DecompressorState::kFc);
  }
  bad(false);
  EXPECT_EQ(last_.state(), DecompressorState::kSc);
  EXPECT_EQ(last_.event(), Event::kDynamicDamage);
  EXPECT_EQ(feedback(), std::vector{AckType::kNack}) << "\"a NACK SHOULD be sent in O- and R-mode\" (rule b)";
}

TEST_F(DamageTest, StaticContextTakesUpdatesOnly) {
  for (int i = 0; i < 4; ++i) bad(false);
  ASSERT_EQ(last_.state(), DecompressorState::kSc);
  EXPECT_EQ(good(false).status, HEADROOM_ERR_STATE) << "a 3-bit CRC is not enough";
  EXPECT_EQ(good(true).status, HEADROOM_OK) << "UOR-2 has a 7-bit CRC";
  EXPECT_EQ(last_.state(), DecompressorState::kFc);
  EXPECT_EQ(good(true).status, HEADROOM_OK);
}

TEST_F(DamageTest, StaticDamageLeavesNothingButIr) {
  for (int i = 0; i < 4; ++i) bad(false);
  EXPECT_EQ(bad(true).state(), DecompressorState::kSc);
  for (const char* type_0 : {"08 01 02", "10 01 02", "18 01 02"})
    EXPECT_EQ(give(test::hex(type_0)).status, HEADROOM_ERR_STATE);
  EXPECT_EQ(last_.state(), DecompressorState::kSc) << "type 0 does not count: it is no update (rule c)";
  (void)feedback();
  EXPECT_EQ(bad(true).state(), DecompressorState::kNc);
  EXPECT_EQ(last_.event(), Event::kStaticDamage);
  EXPECT_EQ(feedback(), std::vector{AckType::kStaticNack});
  EXPECT_EQ(give(test::hex("08 01 02")).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(good(true).status, HEADROOM_ERR_NO_CONTEXT);
  const test::PacketSpec s = flow_.next();
  const Packet dynamic = test::dynamic_chain(s, 2);
  EXPECT_EQ(give(test::crafted_initialisation(0xf8, 2, dynamic, s.payload)).status, HEADROOM_ERR_NO_CONTEXT)
      << "nor does an IR-DYN help";
  const Packet chains = test::joined(test::static_chain(s, 2), dynamic);
  EXPECT_EQ(give(test::crafted_initialisation(0xfd, 2, chains, s.payload)).status, HEADROOM_OK);
  EXPECT_EQ(last_.state(), DecompressorState::kFc);
  EXPECT_EQ(last_.event(), Event::kEstablished);
}

TEST_F(DamageTest, AnIrWithAWrongCrcCountsAndChangesNothing) {
  const Packet ir = test::crafted_initialisation(
      0xfd, 2, test::joined(test::static_chain(flow_.spec, 2), test::dynamic_chain(flow_.spec, 2)), flow_.spec.payload);
  for (int i = 0; i < 3; ++i) {
    Packet wrong = ir;
    wrong[2] ^= 0x10;
    EXPECT_EQ(give(wrong).status, HEADROOM_ERR_CRC);
  }
  EXPECT_EQ(good(false).status, HEADROOM_OK) << "the context is as it was";
}

// --- Rates (5.7.6: "sending feedback only for one out of every k packets provoking the same (kind of) feedback") -----

TEST_F(DamageTest, NegativeFeedbackIsRare) {
  for (int i = 0; i < 4; ++i) bad(false);
  (void)feedback();
  std::size_t nacks = 0;
  for (int i = 1; i <= 40; ++i) {
    good(false);  // type 0 in Static Context
    nacks += feedback().size();
    EXPECT_EQ(nacks, static_cast<std::size_t>(i) / DecompressorConfig{}.nack_every) << i;
  }
}

class UnidirectionalDamage : public testing::Test {};

TEST_F(UnidirectionalDamage, NoNegativeFeedback) {
  DecompressorConfig config;
  config.repair_reference = config.repair_wraparound = false;
  config.nack_every = 1;
  config.nack_unknown_contexts = true;
  Link link(without_refreshes(), config);
  SteadyFlow flow(udp_packet(6));
  ASSERT_TRUE(settle(link, flow));
  for (int i = 0; i < 60; ++i) {
    link.lose(flow.next());
    Packet p = link.sent.octets;
    p[0] ^= 1;
    (void)test::decompress(link.decompressor, p, link.now_ns);
  }
  EXPECT_EQ(link.decompressor.counters().nacks + link.decompressor.counters().static_nacks +
                link.decompressor.counters().acks,
            0U);
  EXPECT_TRUE(test::take_all(link.decompressor.own_feedback()).empty());
}

// The damage of a dynamic part with TS bits makes UOR-2 packets fail, too. Without feedback that must not cost the
// static part: IR-DYN, which comes sooner than IR, still helps. Yet the suites' 24 wrong updates (rule c) must be
// enough.
TEST_F(UnidirectionalDamage, StaticContextOutlastsFailedUpdates) {
  DecompressorConfig config;
  config.repair_reference = config.repair_wraparound = false;
  for (const unsigned updates : {15U, 16U, 24U}) {
    Link link(without_refreshes(), config);
    SteadyFlow flow(udp_packet(6));
    flow.spec.udp->checksum = false;
    ASSERT_TRUE(settle(link, flow));
    for (unsigned i = 0; i < 4 + updates; ++i) {
      flow.next().ip.ttl ^= 0x55;
      link.lose(flow.spec);
      ASSERT_EQ(link.sent.type(), PacketType::kUor2);
      Packet p = link.sent.octets;
      p[1] ^= 1;
      EXPECT_EQ(test::decompress(link.decompressor, p, link.now_ns).status,
                i < 4 + 16 ? HEADROOM_ERR_CRC : HEADROOM_ERR_NO_CONTEXT);
    }
    const Packet ir_dyn = test::crafted_initialisation(0xf8, 2, test::dynamic_chain(flow.spec, 2), flow.spec.payload);
    EXPECT_EQ(test::decompress(link.decompressor, ir_dyn, link.now_ns).status,
              updates < 16 ? HEADROOM_OK : HEADROOM_ERR_NO_CONTEXT);
  }
}

// 5.2.6, step 12: "the packet MUST be discarded without further action".
TEST(UnknownContext, NoFeedbackUnlessConfigured) {
  for (const bool configured : {false, true}) {
    DecompressorConfig config = optimistic();
    config.nack_unknown_contexts = configured;
    config.nack_every = 2;
    Decompressor d(config);
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(test::decompress(d, test::hex("25 01 02 03")).status, HEADROOM_ERR_NO_CONTEXT);
    const auto elements = test::take_all(d.own_feedback());
    EXPECT_EQ(elements.size(), configured ? 5U : 0U);
    for (const FeedbackElement& e : elements) {
      const wire::Feedback f = test::read(e, false);
      EXPECT_EQ(f.ack, AckType::kStaticNack);
      EXPECT_FALSE(f.sn_valid)
          << "\"If no sequence number is available, the feedback MUST carry a SN-NOT-VALID option\" (5.7.6.1)";
      EXPECT_TRUE(f.crc);
    }
  }
}

TEST(UnknownContext, DamagedIrIsNoReasonForFeedback) {
  Decompressor d(optimistic());
  const test::PacketSpec s = udp_packet(4);
  Packet ir = test::crafted_initialisation(0xfd, 2, test::joined(test::static_chain(s, 2), test::dynamic_chain(s, 2)),
                                           s.payload);
  ir[2] ^= 1;
  EXPECT_EQ(test::decompress(d, ir).status, HEADROOM_ERR_CRC);
  EXPECT_TRUE(test::take_all(d.own_feedback()).empty())
      << "\"If no profile is noted in the context, no further action is taken\" (step 10)";
}

// --- Against a model -------------------------------------------------------------------------------------------------

// The rules b to d as the text has them, for a stream of updates.
struct Model {
  KOutOfN dynamic_rule;
  KOutOfN static_rule;
  DecompressorState state = DecompressorState::kFc;
  std::vector<bool> failures;

  void packet(bool right) {
    if (state == DecompressorState::kNc) return;
    if (right && state == DecompressorState::kSc) {
      state = DecompressorState::kFc;
      failures.clear();
    }
    failures.push_back(!right);
    const KOutOfN rule = state == DecompressorState::kFc ? dynamic_rule : static_rule;
    if (failures.size() > rule.n) failures.erase(failures.begin());
    if (right || std::count(failures.begin(), failures.end(), true) < rule.k) return;
    state = state == DecompressorState::kFc ? DecompressorState::kSc : DecompressorState::kNc;
    failures.clear();
  }
};

TEST(Damage, KOutOfNAgreesWithTheModel) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    DecompressorConfig config;
    config.repair_reference = config.repair_wraparound = false;
    const auto draw = [&] {
      const auto n = static_cast<std::uint8_t>(random.between(1, 32));
      return KOutOfN{static_cast<std::uint8_t>(random.between(1, n)), n};
    };
    config.dynamic_damage = draw();
    config.static_damage = config.static_damage_in_u_mode = draw();
    Model model{config.dynamic_damage, config.static_damage, DecompressorState::kFc, {}};
    Link link(without_refreshes(), config);
    SteadyFlow flow(udp_packet(6));
    flow.spec.udp->checksum = false;
    ASSERT_TRUE(settle(link, flow));
    const double badness = 0.1 + 0.2 * random.below(5);
    for (int i = 0; i < 60 && model.state != DecompressorState::kNc; ++i) {
      flow.next().ip.ttl ^= 0x55;
      link.lose(flow.spec);
      ASSERT_EQ(link.sent.type(), PacketType::kUor2);
      const bool right = !random.chance(badness);
      Packet p = link.sent.octets;
      if (!right) p[1] ^= 1;
      const Restored r = test::decompress(link.decompressor, p, link.now_ns);
      model.packet(right);
      ASSERT_EQ(r.state(), model.state) << "round " << round << ", packet " << i << ", k1 "
                                        << int{config.dynamic_damage.k} << " n1 " << int{config.dynamic_damage.n}
                                        << " k2 " << int{config.static_damage.k} << " n2 "
                                        << int{config.static_damage.n};
      // The SN of five bits is told from a reference at most 31 behind: a run of failures must not outlive that.
      if (!right && i % 20 == 19) break;
    }
  }
}

// Counters and statuses name the same things.
TEST_F(DamageTest, CountersTell) {
  const DecompressorCounters before = link_.decompressor.counters();
  bad(false);
  good(false);
  for (int i = 0; i < 4; ++i) bad(false);
  good(false);
  const DecompressorCounters& after = link_.decompressor.counters();
  EXPECT_EQ(after.crc_failures - before.crc_failures, 4U);
  EXPECT_EQ(after.delivered - before.delivered, 1U);
  EXPECT_EQ(after.not_allowed - before.not_allowed, 2U);
  EXPECT_EQ(after.events[static_cast<std::size_t>(Event::kDynamicDamage)], 1U);
}

}  // namespace
}  // namespace headroom::rohc
