// SPDX-License-Identifier: Apache-2.0
//
// Profile 0x0006 on a channel beside those of RFC 3095: who gets a packet, CIDs that change hands, feedback, loss, the
// framework around it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/tcp/test/traffic.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc::tcp {
namespace {

using rohc::CompressorConfig;
using rohc::DecompressorConfig;
using test::Packet;
using testing::Ip;
using testing::tcp4;
using testing::tcp6;
using testing::Traffic;

constexpr std::uint16_t kTcpProfile = 0x0006;
constexpr std::uint8_t kIrDynDetail = kIrDynName, kIrDetail = kIrName, kIrCrDetail = kFirstOwnName + kFormats;

CompressorConfig compressor_of(std::uint32_t max_cid = 15, bool large = false) {
  CompressorConfig c = test::without_refreshes();
  c.channel.profiles.tcp = true;
  c.channel.max_cid = max_cid;
  c.channel.large_cids = large;
  c.seed = 7;
  return c;
}
DecompressorConfig decompressor_of(const CompressorConfig& c) {
  DecompressorConfig d;
  d.channel = c.channel;
  d.mode = wire::Mode::kOptimistic;
  d.nack_every = 1;
  return d;
}

struct Channel : test::Link {
  explicit Channel(const CompressorConfig& c = compressor_of()) : Link(c, decompressor_of(c)) {}
  Channel(const CompressorConfig& c, const DecompressorConfig& d) : Link(c, d) {}

  unsigned carry() {
    const auto all = test::take_all(decompressor.own_feedback());
    for (const test::FeedbackElement& one : all) compressor.give_feedback(one.channel, one.octets, now_ns);
    return static_cast<unsigned>(all.size());
  }
  // Feedback of a decompressor for small CIDs.
  void feed(std::uint32_t cid, const Feedback& f, std::uint16_t msn) {
    std::array<std::uint8_t, 32> data, element;
    const wire::CidOctets octets = wire::make_cid_octets(false, cid);
    Writer in(data), out(element);
    write_feedback(in, {&octets.before, octets.before_count}, f, msn);
    wire::write_feedback_element(out, in.written());
    compressor.give_feedback(0, out.written(), now_ns);
  }
};

// A transfer of one flow.
struct Flow {
  explicit Flow(std::uint16_t port = 1025, std::uint8_t host = 1) {
    t.source = port;
    t.payload.assign(100, 'd');
    ip.host = host;
  }
  Packet next() {
    t.seq += 100;
    ip.id = static_cast<std::uint16_t>(ip.id + 1);
    return tcp4(t, ip);
  }
  testing::Tcp t;
  Ip ip;
};

test::SteadyFlow udp_flow(unsigned n) {
  test::PacketSpec s = test::udp_packet(4);
  s.ip.source = static_cast<std::uint16_t>(n);
  return test::SteadyFlow(s);
}

TEST(TcpChannel, OnlyWhereItIsAskedFor) {
  Flow flow;
  Channel with;
  ASSERT_TRUE(with.pass(flow.next())) << with.describe();
  EXPECT_EQ(with.sent.detail.profile, kTcpProfile);
  EXPECT_EQ(with.received.detail.profile, kTcpProfile);
  CompressorConfig c = compressor_of();
  c.channel.profiles.tcp = false;
  Channel without(c);
  ASSERT_TRUE(without.pass(flow.next()));
  EXPECT_EQ(without.sent.detail.profile, 0x0004);
  EXPECT_EQ(without.compressor.tcp(), nullptr);
}

TEST(TcpChannel, TwoFamiliesSideBySide) {
  for (const bool large : {false, true}) {
    const std::uint32_t most = large ? 199 : 15;
    Channel link(compressor_of(most, large));
    std::vector<Flow> flows;
    std::vector<test::SteadyFlow> others;
    for (unsigned n = 0; n <= most / 2; ++n) {
      flows.emplace_back(static_cast<std::uint16_t>(2000 + n));
      others.push_back(udp_flow(n));
    }
    std::set<std::uint32_t> cids;
    for (unsigned round = 0; round < 12; ++round) {
      for (unsigned n = 0; n < flows.size(); ++n) {
        ASSERT_TRUE(link.pass(flows[n].next())) << link.describe();
        EXPECT_EQ(link.sent.detail.profile, kTcpProfile);
        EXPECT_EQ(link.sent.detail.cid, link.received.detail.cid);
        cids.insert(link.sent.detail.cid);
        ASSERT_TRUE(link.pass(others[n].next())) << link.describe();
        EXPECT_NE(link.sent.detail.profile, kTcpProfile);
        cids.insert(link.sent.detail.cid);
      }
      link.carry();
    }
    EXPECT_EQ(cids.size(), most + 1);
    EXPECT_EQ(link.compressor.contexts_in_use(), most + 1);
    EXPECT_EQ(link.decompressor.contexts_in_use(), most + 1);
    EXPECT_EQ(link.compressor.counters().replaced_flows, 0U);
    EXPECT_EQ(link.compressor.counters().ignored_feedback, 0U);
    EXPECT_GT(link.compressor.tcp()->fast(), 0U);
  }
}

TEST(TcpChannel, PacketsTheProfileCannotCarryAreTheOthers) {
  Channel link;
  Flow flow;
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(link.pass(flow.next()));
  Packet wrong = flow.next();
  wrong[10] ^= 1;  // the checksum of the IPv4 header, which is inferred
  EXPECT_TRUE(link.pass(wrong)) << link.describe();
  EXPECT_NE(link.sent.detail.profile, kTcpProfile);
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.detail.profile, kTcpProfile);
  EXPECT_GE(link.sent.detail.packet_type, kFirstOwnName);
}

TEST(TcpChannel, FastPathMakesTheSameOctets) {
  for (unsigned wildness : {0U, 16U}) {
    Channel fast(compressor_of(99, true)), slow(compressor_of(99, true));
    slow.compressor.disable_fast_path();
    slow.decompressor.disable_fast_path();
    std::vector<Traffic> flows;
    for (unsigned n = 0; n < 60; ++n) flows.emplace_back(n, n % Traffic::kShapes, wildness);
    for (unsigned i = 0; i < 3000; ++i) {
      const Packet packet = flows[i * 7 % flows.size()].next();
      ASSERT_TRUE(fast.pass(packet)) << fast.describe();
      ASSERT_TRUE(slow.pass(packet)) << slow.describe();
      ASSERT_EQ(fast.sent.octets, slow.sent.octets) << i;
      ASSERT_EQ(fast.sent.detail.packet_type, slow.sent.detail.packet_type);
      if (i % 10 == 0) {
        fast.carry();
        slow.carry();
      }
    }
    EXPECT_GT(fast.compressor.tcp()->fast(), 0U);
    EXPECT_EQ(slow.compressor.tcp()->fast(), 0U);
  }
}

TEST(TcpChannel, ChannelsAreKeptApart) {
  CompressorConfig c = compressor_of();
  c.channel.channels = 3;
  Channel link(c);
  std::vector<Flow> flows(3);
  for (unsigned round = 0; round < 8; ++round) {
    for (std::uint32_t channel = 0; channel < 3; ++channel) {
      ASSERT_TRUE(link.pass(flows[channel].next(), channel)) << link.describe();
      EXPECT_EQ(link.sent.detail.cid, 0U);
      EXPECT_NE(link.sent.detail.packet_type, kIrCrDetail) << "no base context of another channel";
    }
    link.carry();
  }
  EXPECT_EQ(link.compressor.counters().new_flows, 3U);
  EXPECT_EQ(link.compressor.counters().ignored_feedback, 0U);
}

// --- CIDs that change hands ------------------------------------------------------------------------------------------

TEST(TcpCids, GoToAndFro) {
  Channel link(compressor_of(0));
  std::map<unsigned, unsigned> owners;  // of each profile: packets
  for (unsigned round = 0; round < 60; ++round) {
    Flow flow(static_cast<std::uint16_t>(3000 + round));
    test::SteadyFlow other = udp_flow(round);
    for (int i = 0; i < 8; ++i) {
      if (round % 3 != 1) {
        ASSERT_TRUE(link.pass(flow.next())) << round << ": " << link.describe();
        ++owners[link.sent.detail.profile];
      }
      if (round % 3 != 0) {
        ASSERT_TRUE(link.pass(other.next())) << round << ": " << link.describe();
        ++owners[link.sent.detail.profile];
      }
      if (round % 2 != 0) link.carry();
      ASSERT_EQ(link.decompressor.contexts_in_use(), 1U);
    }
  }
  EXPECT_GT(owners[kTcpProfile], 20U);
  EXPECT_GT(owners[0x0002], 20U);
  EXPECT_GT(link.compressor.counters().replaced_flows, 50U);
}

// A flow that comes back to a CID that was another family's begins anew: its context at the decompressor is gone.
TEST(TcpCids, AFlowThatComesBackBeginsAnew) {
  Channel link(compressor_of(0));
  Flow flow;
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(link.pass(flow.next()));
  test::SteadyFlow other = udp_flow(1);
  ASSERT_TRUE(link.pass(other.next()));
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.detail.packet_type, kIrDetail);
  ASSERT_TRUE(link.pass(other.next()));
  EXPECT_EQ(link.sent.detail.packet_type, static_cast<unsigned>(wire::PacketType::kIr));
}

TEST(TcpCids, ADamagedIrTakesNoContext) {
  Channel link(compressor_of(0));
  test::SteadyFlow other = udp_flow(1);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(link.pass(other.next()));
  Channel elsewhere(compressor_of(0));
  Flow flow;
  Packet ir = elsewhere.lose(flow.next()).octets;
  ASSERT_EQ(elsewhere.sent.detail.packet_type, kIrDetail);
  for (std::size_t at = 2; at < elsewhere.sent.header(); ++at) {
    Packet damaged = ir;
    damaged[at] ^= 0x10;
    const test::Restored r = test::decompress(link.decompressor, damaged, link.now_ns);
    EXPECT_NE(r.status, HEADROOM_OK) << at;
    ASSERT_TRUE(link.pass(other.next())) << at << ": " << link.describe();
  }
  EXPECT_TRUE(test::take_all(link.decompressor.own_feedback()).size() < 8) << "no words for what is another's";
  // Whole, it takes the context, and the packets of the flow before have none.
  EXPECT_EQ(test::decompress(link.decompressor, ir, link.now_ns).status, HEADROOM_OK);
  EXPECT_FALSE(link.pass(other.next()));
}

TEST(TcpCids, NoRoomIsAnsweredWithReject) {
  const CompressorConfig c = compressor_of();
  DecompressorConfig d = decompressor_of(c);
  d.most_contexts = 1;
  Channel link(c, d);
  Flow first(1), second(2);
  ASSERT_TRUE(link.pass(first.next()));
  EXPECT_FALSE(link.pass(second.next()));
  EXPECT_EQ(link.received.status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(link.decompressor.counters().rejects, 1U);
  link.carry();
  EXPECT_EQ(link.compressor.counters().rejects, 1U);
  ASSERT_TRUE(link.pass(first.next())) << "the flow that has its context goes on";
  EXPECT_TRUE(link.pass(second.next())) << "uncompressed";
  EXPECT_EQ(link.sent.detail.profile, 0x0000);
  Flow third(3);
  EXPECT_TRUE(link.pass(third.next())) << "no new flows";
  EXPECT_EQ(link.sent.detail.profile, 0x0000);
}

// --- Feedback --------------------------------------------------------------------------------------------------------

struct Established : Channel {
  Established() : Channel() {
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(pass(flow.next()));
    (void)test::take_all(decompressor.own_feedback());
  }
  Flow flow;
};

TEST(TcpFeedback, AcknowledgementsEndRepetition) {
  Channel link;
  Flow flow;
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.detail.packet_type, kIrDetail);
  EXPECT_EQ(link.carry(), 1U);
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_GE(link.sent.detail.packet_type, kFirstOwnName);
  EXPECT_EQ(link.compressor.counters().acks, 1U);
}

TEST(TcpFeedback, NacksBringIrDynAndStaticNacksIr) {
  Established link;
  Feedback f;
  f.ack = AckType::kNack;
  link.feed(0, f, 0x1234);
  ASSERT_TRUE(link.pass(link.flow.next()));
  EXPECT_TRUE(link.sent.detail.packet_type == kIrDynDetail || link.sent.detail.packet_type == kIrDetail);
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(link.pass(link.flow.next()));
  EXPECT_GE(link.sent.detail.packet_type, kFirstOwnName);
  f.ack = AckType::kStaticNack;
  f.msn_valid = false;
  link.feed(0, f, 0);
  ASSERT_TRUE(link.pass(link.flow.next()));
  EXPECT_EQ(link.sent.detail.packet_type, kIrDetail);
  EXPECT_EQ(link.compressor.counters().nacks, 1U);
  EXPECT_EQ(link.compressor.counters().static_nacks, 1U);
}

TEST(TcpFeedback, RejectAndContextMemoryLeaveTheFlowToOthers) {
  for (const bool reject : {false, true}) {
    Established link;
    Feedback f;
    f.ack = AckType::kStaticNack;
    f.msn_valid = false;
    (reject ? f.reject : f.context_memory) = true;
    link.feed(0, f, 0);
    EXPECT_TRUE(link.pass(link.flow.next())) << link.describe();
    EXPECT_EQ(link.sent.detail.profile, reject ? 0x0000 : 0x0004);
    link.now_ns += 11'000 * test::kMillisecond;
    ASSERT_TRUE(link.pass(link.flow.next())) << link.describe();
    EXPECT_EQ(link.sent.detail.profile, kTcpProfile);
    EXPECT_EQ(link.sent.detail.packet_type, kIrDetail);
    EXPECT_EQ(link.compressor.counters().rejects, 1U);
  }
}

TEST(TcpFeedback, FeedbackForACidWithoutFlowIsIgnored) {
  Established link;
  link.feed(9, Feedback{}, 1);
  EXPECT_EQ(link.compressor.counters().ignored_feedback, 1U);
  const Packet wrong_crc = {0xf3, 0x40, 0x00, 0x55};
  link.compressor.give_feedback(0, wrong_crc, link.now_ns);
  EXPECT_EQ(link.compressor.counters().ignored_feedback, 2U);
}

TEST(TcpFeedback, NoneInUMode) {
  const CompressorConfig c = compressor_of();
  DecompressorConfig d = decompressor_of(c);
  d.mode = wire::Mode::kUnidirectional;
  Channel link(c, d);
  Flow flow;
  for (int i = 0; i < 40; ++i) {
    if (i % 9 < 4) {
      ASSERT_TRUE(link.pass(flow.next()));
    } else {
      link.lose(flow.next());
    }
  }
  EXPECT_EQ(link.carry(), 0U);
}

TEST(TcpFeedback, ReinitialisationBringsIr) {
  Established link;
  link.compressor.reinitialize();
  ASSERT_TRUE(link.pass(link.flow.next()));
  EXPECT_EQ(link.sent.detail.packet_type, kIrDetail);
}

TEST(TcpRefresh, ByTimeUntilThereIsFeedback) {
  CompressorConfig c = compressor_of();
  c.ir_refresh = {0, 5'000};
  c.fo_refresh = {0, 1'000};
  Channel link(c);
  link.step_ns = 100 * test::kMillisecond;
  Flow flow;
  unsigned ir = 0, ir_dyn = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(link.pass(flow.next()));
    ir += link.sent.detail.packet_type == kIrDetail ? 1U : 0U;
    ir_dyn += link.sent.detail.packet_type == kIrDynDetail ? 1U : 0U;
  }
  EXPECT_NEAR(ir, 4 + 3, 1);  // 20 s
  EXPECT_NEAR(ir_dyn, 15, 3);
  link.carry();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_GE(link.sent.detail.packet_type, kFirstOwnName);
  }
}

TEST(TcpReplication, FromAFlowOfTheSameHosts) {
  Channel link;
  Flow first;
  ASSERT_TRUE(link.pass(first.next()));
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(link.pass(first.next()));
    link.carry();
  }
  Flow second(1026);
  ASSERT_TRUE(link.pass(second.next())) << link.describe();
  EXPECT_EQ(link.sent.detail.packet_type, kIrCrDetail);
  EXPECT_EQ(link.received.detail.packet_type, kIrCrDetail);
  Flow elsewhere(1027, 9);
  ASSERT_TRUE(link.pass(elsewhere.next()));
  EXPECT_EQ(link.sent.detail.packet_type, kIrDetail);
}

// "refrain from sending IR-CR packets using the same base context, at least until an acknowledgement" (RFC 4164,
// 3.3.3.4).
TEST(TcpReplication, NotFromABaseWhoseReplicaWasRefused) {
  Channel link;
  Flow first, second(1026), third(1027), fourth(1028);
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(link.pass(first.next()));
    link.carry();
  }
  const std::uint32_t base = link.sent.detail.cid;
  ASSERT_TRUE(link.pass(second.next()));
  ASSERT_EQ(link.sent.detail.packet_type, kIrCrDetail);
  Feedback refusal;
  refusal.ack = AckType::kStaticNack;
  refusal.msn_valid = false;
  link.feed(link.sent.detail.cid, refusal, 0);
  ASSERT_TRUE(link.pass(third.next()));
  EXPECT_EQ(link.sent.detail.packet_type, kIrDetail);
  ASSERT_TRUE(link.pass(first.next()));
  ASSERT_EQ(link.sent.detail.cid, base);
  for (unsigned msn = 0; msn < 0x4000; ++msn) link.feed(base, {}, static_cast<std::uint16_t>(msn));  // one of them
  ASSERT_TRUE(link.pass(fourth.next()));
  EXPECT_EQ(link.sent.detail.packet_type, kIrCrDetail);
}

TEST(TcpReplication, FromABaseWithALargeCid) {
  Channel link(compressor_of(300, true));
  std::vector<Flow> flows;
  for (unsigned n = 0; n < 200; ++n) flows.emplace_back(1025, static_cast<std::uint8_t>(n + 1));
  for (unsigned round = 0; round < 6; ++round) {
    for (Flow& flow : flows) ASSERT_TRUE(link.pass(flow.next()));
    link.carry();
  }
  unsigned replicated = 0;
  for (unsigned n = 0; n < 100; ++n) {
    Flow another(1026, static_cast<std::uint8_t>(n + 101));
    for (unsigned i = 0; i < 6; ++i) {
      ASSERT_TRUE(link.pass(another.next())) << link.describe();
      replicated += link.sent.detail.packet_type == kIrCrDetail ? 1U : 0U;
    }
  }
  EXPECT_GT(replicated, 80 * 4U) << "hosts may share a place, but few do";
}

// --- Loss and the framework -----------------------------------------------------------------------------------------

TEST(TcpLoss, FlowsRecover) {
  for (const unsigned loss : {5U, 20U, 80U}) {  // of 256
    Channel link(compressor_of(7));
    test::Random random(loss);
    std::vector<Traffic> flows;
    std::vector<test::SteadyFlow> others;
    for (unsigned n = 0; n < 6; ++n) {
      flows.emplace_back(100 + n, n % 3, 8);
      others.push_back(udp_flow(n));
    }
    unsigned sent = 0, right = 0, wrong = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
      const unsigned n = random.below(6);
      const Packet packet = random.below(4) != 0 ? flows[n].next() : test::build(others[n].next());
      if (random.below(256) < loss) {
        link.lose(packet);
        continue;
      }
      ++sent;
      const bool ok = link.pass(packet);
      right += ok ? 1U : 0U;
      wrong += !ok && link.received.status == HEADROOM_OK ? 1U : 0U;
      link.carry();
    }
    EXPECT_GT(right * 100, sent * (loss < 80 ? 98U : 90U)) << loss;
    EXPECT_LT(wrong * 500, sent) << loss;  // a CRC-3 misses one change in eight
  }
}

TEST(TcpFraming, SegmentsPaddingAndPiggybackedFeedback) {
  CompressorConfig c = compressor_of();
  c.channel.mrru = 2000;
  c.packet_sizes = {64, 80};
  Channel link(c);
  Flow flow;
  unsigned segmented = 0;
  for (unsigned i = 0; i < 500; ++i) {
    const Packet packet = flow.next();
    link.lose(packet);
    test::Restored last;
    for (const Packet& one : test::link_packets_of(link.sent)) {
      EXPECT_TRUE(one.size() == 64 || one.size() == 80 || !link.sent.more.empty()) << one.size();
      last = test::decompress(link.decompressor, one, link.now_ns);
    }
    segmented += link.sent.more.empty() ? 0U : 1U;
    ASSERT_EQ(last.status, HEADROOM_OK) << i;
    ASSERT_EQ(last.octets, packet) << i;
    for (const test::FeedbackElement& one : test::take_all(link.decompressor.own_feedback()))
      ASSERT_TRUE(link.compressor.piggyback(0, one.octets));  // to be passed on at the other end
  }
  EXPECT_GT(segmented, 0U);
  EXPECT_FALSE(test::take_all(link.decompressor.received_feedback()).empty());
}

// With little room nothing is sent and nothing has changed.
TEST(TcpFraming, NoSpaceChangesNothing) {
  Channel link;
  Flow flow;
  for (unsigned i = 0; i < 30; ++i) {
    const Packet packet = flow.next();
    const test::Compressed cut = test::compress(link.compressor, packet, link.now_ns, 0, 20);
    EXPECT_EQ(cut.status, HEADROOM_ERR_NO_SPACE);
    ASSERT_TRUE(link.pass(packet)) << i << link.describe();
  }
  EXPECT_EQ(link.compressor.counters().new_flows, 1U);
}

}  // namespace
}  // namespace headroom::rohc::tcp
