// SPDX-License-Identifier: Apache-2.0
//
// Contexts and their identifiers: every CID of both spaces, re-use when all are taken, what a re-used context inherits,
// flows told apart, channels kept apart (RFC 3095 5.1.3, RFC 4815 7, RFC 5795 5.1.1).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::Link;
using test::Packet;
using test::PacketSpec;
using test::Random;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using wire::Mode;
using wire::PacketType;

struct Channel {
  bool large;
  std::uint32_t max_cid;
};

CompressorConfig compressor_of(Channel c, std::uint32_t channels = 1) {
  CompressorConfig config = test::without_refreshes();
  config.channel.channels = channels;
  config.channel.large_cids = c.large;
  config.channel.max_cid = c.max_cid;
  return config;
}
DecompressorConfig decompressor_of(Channel c, std::uint32_t channels = 1) {
  DecompressorConfig config;
  config.channel = compressor_of(c, channels).channel;
  return config;
}
Link link_of(Channel c, std::uint32_t channels = 1) {
  return Link(compressor_of(c, channels), decompressor_of(c, channels));
}

SteadyFlow flow_number(unsigned n) {
  PacketSpec s = udp_packet(4);
  s.ip.source = static_cast<std::uint16_t>(n);
  s.udp->checksum = false;
  return SteadyFlow(s);
}

TEST(Cids, EachFlowHasItsOwnAndAllAreUsed) {
  for (const Channel c : {Channel{false, 0}, Channel{false, 1}, Channel{false, 15}, Channel{true, 0},
                          Channel{true, 127}, Channel{true, 128}, Channel{true, 1000}}) {
    Link link = link_of(c);
    std::vector<SteadyFlow> flows;
    std::set<std::uint32_t> cids;
    for (unsigned n = 0; n <= c.max_cid; ++n) flows.push_back(flow_number(n));
    for (int round = 0; round < 6; ++round) {
      for (SteadyFlow& flow : flows) {
        ASSERT_TRUE(link.pass(flow.next())) << link.describe();
        cids.insert(link.sent.detail.cid);
        EXPECT_EQ(link.sent.detail.cid, link.received.detail.cid);
      }
    }
    EXPECT_EQ(cids.size(), c.max_cid + 1);
    EXPECT_EQ(*cids.rbegin(), c.max_cid);
    EXPECT_EQ(link.compressor.contexts_in_use(), c.max_cid + 1);
    EXPECT_EQ(link.decompressor.contexts_in_use(), c.max_cid + 1);
    EXPECT_EQ(link.compressor.counters().replaced_flows, 0U);
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  }
}

TEST(Cids, CostOfEach) {
  for (const bool large : {false, true}) {
    Link link = link_of({large, large ? 300U : 15U});
    std::vector<SteadyFlow> flows;
    for (unsigned n = 0; n <= (large ? 300U : 15U); ++n) flows.push_back(flow_number(n));
    for (int round = 0; round < 6; ++round) {
      for (SteadyFlow& flow : flows) ASSERT_TRUE(link.pass(flow.next()));
    }
    for (SteadyFlow& flow : flows) {
      ASSERT_TRUE(link.pass(flow.next()));
      const std::uint32_t cid = link.sent.detail.cid;
      const unsigned octets = large ? (cid < 128 ? 1 : 2) : cid == 0 ? 0 : 1;
      EXPECT_EQ(link.sent.header(), 1 + octets) << cid;
    }
  }
}

TEST(Cids, AllOfTheLargestSpaceAndOneFlowMore) {
  Link link = link_of({true, wire::kMaxLargeCid});
  constexpr unsigned kFlows = wire::kMaxLargeCid + 1;
  for (unsigned round = 0; round < 2; ++round) {
    for (unsigned n = 0; n < kFlows; ++n) {
      SteadyFlow flow = flow_number(n);
      flow.skip(round);
      ASSERT_TRUE(link.pass(flow.next())) << n;
    }
  }
  EXPECT_EQ(link.compressor.contexts_in_use(), kFlows);
  EXPECT_EQ(link.compressor.counters().new_flows, kFlows);
  SteadyFlow one_more = flow_number(kFlows);
  ASSERT_TRUE(link.pass(one_more.next()));
  EXPECT_EQ(link.compressor.counters().replaced_flows, 1U);
  EXPECT_EQ(link.compressor.contexts_in_use(), kFlows);
}

// --- Re-use ----------------------------------------------------------------------------------------------------------

TEST(Reuse, ReplacedFlowsBeginAnew) {
  Link link = link_of({false, 3});
  std::vector<SteadyFlow> flows;
  for (unsigned n = 0; n < 4; ++n) flows.push_back(flow_number(n));
  for (int round = 0; round < 10; ++round) {
    for (SteadyFlow& flow : flows) ASSERT_TRUE(link.pass(flow.next()));
  }
  SteadyFlow newcomer = flow_number(99);
  ASSERT_TRUE(link.pass(newcomer.next()));
  EXPECT_EQ(link.sent.type(), PacketType::kIr);
  const std::uint32_t taken = link.sent.detail.cid;
  unsigned began_anew = 0;
  for (SteadyFlow& flow : flows) {
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    began_anew += link.sent.type() == PacketType::kIr ? 1U : 0U;
  }
  EXPECT_GE(began_anew, 1U);
  EXPECT_LT(taken, 4U);
}

TEST(Reuse, TheFlowSilentLongestGoes) {
  Link link = link_of({false, 7});  // as many as are looked at: the choice is exact
  link.step_ns = test::kMillisecond;
  std::vector<SteadyFlow> flows;
  for (unsigned n = 0; n < 8; ++n) flows.push_back(flow_number(n));
  std::map<unsigned, std::uint32_t> cid_of;
  for (unsigned n = 0; n < 8; ++n) {
    ASSERT_TRUE(link.pass(flows[n].next()));
    cid_of[n] = link.sent.detail.cid;
  }
  for (const unsigned n : {5U, 0U, 1U, 2U, 4U, 6U, 7U}) ASSERT_TRUE(link.pass(flows[n].next()));  // all but 3
  SteadyFlow newcomer = flow_number(99);
  ASSERT_TRUE(link.pass(newcomer.next()));
  EXPECT_EQ(link.sent.detail.cid, cid_of[3]);
  SteadyFlow another = flow_number(100);
  ASSERT_TRUE(link.pass(another.next()));
  EXPECT_EQ(link.sent.detail.cid, cid_of[5]) << "the next in the order of silence";
}

TEST(Reuse, ManyFlowsForFewContexts) {
  Random random(1);
  for (const Channel c : {Channel{false, 0}, Channel{false, 1}, Channel{false, 4}, Channel{true, 40}}) {
    Link link = link_of(c);
    std::vector<SteadyFlow> flows;
    for (unsigned n = 0; n < 4 * (c.max_cid + 1) + 3; ++n) {
      flows.push_back(flow_number(n));
      if (n % 3 == 0) flows.back().spec.rtp = test::RtpFields{};
      if (n % 5 == 0) flows.back().spec.udp.reset(), flows.back().spec.rtp.reset();
    }
    for (int i = 0; i < 5000; ++i) {
      ASSERT_TRUE(link.pass(flows[random.below(static_cast<std::uint32_t>(flows.size()))].next())) << link.describe();
      ASSERT_LE(link.sent.detail.cid, c.max_cid);
    }
  }
}

// The Uncompressed profile has one CID and keeps it, where there is more than one.
TEST(Reuse, UncompressedKeepsItsContext) {
  Link link = link_of({false, 1});
  Packet fragment = build(udp_packet(4));
  fragment[6] = 0x20;
  test::mend_ipv4_checksum(fragment);
  ASSERT_TRUE(link.pass(fragment));
  const std::uint32_t cid = link.sent.detail.cid;
  for (unsigned n = 0; n < 20; ++n) {
    SteadyFlow flow = flow_number(n);
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_NE(link.sent.detail.cid, cid);
  }
  ASSERT_TRUE(link.pass(fragment));
  EXPECT_EQ(link.sent.detail.cid, cid);
}

// With one context only, the two take it from each other.
TEST(Reuse, OneContextForEverything) {
  Link link = link_of({false, 0});
  Packet fragment = build(udp_packet(4));
  fragment[6] = 0x20;
  test::mend_ipv4_checksum(fragment);
  SteadyFlow flow = flow_number(1);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(i % 3 == 0 ? link.pass(fragment) : link.pass(flow.next())) << link.describe();
    EXPECT_EQ(link.sent.detail.cid, 0U);
  }
}

// "When a CID/context is reused for a new context based on the same profile as the old context, the current mode of
// operation SHOULD be inherited" (RFC 4815 7.2.1); "based on a different profile …, both … MUST start operation with
// that context in the initial mode" (7.2.2).
TEST(Reuse, ModeIsInheritedWithinAProfile) {
  DecompressorConfig d = decompressor_of({false, 0});
  d.mode = Mode::kOptimistic;
  Link link(compressor_of({false, 0}), d);
  SteadyFlow first = flow_number(1);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(link.pass(first.next()));
    (void)link.carry_feedback();
  }
  ASSERT_EQ(link.sent.mode(), Mode::kOptimistic);

  SteadyFlow same_profile = flow_number(2);
  ASSERT_TRUE(link.pass(same_profile.next()));
  EXPECT_EQ(link.sent.type(), PacketType::kIr);
  EXPECT_EQ(link.sent.mode(), Mode::kOptimistic);
  EXPECT_EQ(link.received.mode(), Mode::kOptimistic);
  EXPECT_EQ(link.received.event(), Event::kNone) << "it was in that mode all along";
  (void)test::take_all(link.decompressor.own_feedback());

  SteadyFlow other_profile(rtp_packet(4));
  ASSERT_TRUE(link.pass(other_profile.next()));
  EXPECT_EQ(link.sent.mode(), Mode::kUnidirectional);
  EXPECT_EQ(link.received.event(), Event::kModeOptimistic)
      << "from U-mode, where it started, the decompressor goes on at once";
}

// --- Flows are told apart --------------------------------------------------------------------------------------------

TEST(Flows, EveryDefinitionFieldMakesAnother) {
  PacketSpec base = rtp_packet(6);
  base.outer = test::IpFields{};
  std::vector<PacketSpec> all = {base};
  const auto add = [&](auto change) {
    all.push_back(base);
    change(all.back());
  };
  add([](PacketSpec& s) { ++s.ip.source; });
  add([](PacketSpec& s) { ++s.ip.destination; });
  add([](PacketSpec& s) { ++s.ip.flow_label; });
  add([](PacketSpec& s) { ++s.udp->source_port; });
  add([](PacketSpec& s) { ++s.udp->destination_port; });
  add([](PacketSpec& s) { ++s.rtp->ssrc; });
  add([](PacketSpec& s) { ++s.outer->source; });
  add([](PacketSpec& s) { s.outer->version = 6; });
  add([](PacketSpec& s) { s.outer.reset(); });
  add([](PacketSpec& s) { s.ip.version = 4; });
  Link link = link_of({false, 15});
  std::vector<SteadyFlow> flows(all.begin(), all.end());
  for (int round = 0; round < 8; ++round) {
    for (SteadyFlow& flow : flows) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  }
  EXPECT_EQ(link.compressor.counters().new_flows, all.size());
}

// UDP payload that looks like RTP but has another "SSRC" each time is not RTP.
TEST(Flows, TooManySsrcsAreUdp) {
  Random random(1);
  Link link = link_of({false, 15});
  PacketSpec s = rtp_packet(4);
  for (int i = 0; i < 50; ++i) {
    s.rtp->ssrc = random.word32();
    s.rtp->ts = random.word32();
    s.rtp->sn = random.word();
    ++s.ip.id;
    ASSERT_TRUE(link.pass(s)) << link.describe();
    EXPECT_EQ(link.sent.detail.profile, i < static_cast<int>(CompressorConfig{}.ssrcs_per_flow) ? 1 : 2) << i;
  }
}

// A call that changes its SSRC stays in profile RTP, however often and however soon.
TEST(Flows, SsrcsOfOneCallInTurn) {
  for (const int packets : {2, 5, 100}) {
    Link link = link_of({false, 15});
    for (std::uint32_t ssrc = 1; ssrc <= 40; ++ssrc) {
      PacketSpec s = rtp_packet(4);
      s.rtp->ssrc = ssrc;
      SteadyFlow stream(s);
      for (int i = 0; i < packets; ++i) {
        ASSERT_TRUE(link.pass(stream.next())) << link.describe();
        ASSERT_EQ(link.sent.detail.profile, 1) << "SSRC " << ssrc << " of " << packets << " packets";
      }
      if (packets == 100) {
        EXPECT_EQ(link.sent.type(), PacketType::kUo0);
      }
    }
    EXPECT_EQ(link.compressor.counters().new_flows, 40U);
  }
}

// Streams of one packet each: the limit holds for as long as they may go on.
TEST(Flows, AnUnusedSsrcMakesRoomOnceItIsSilent) {
  Link link = link_of({false, 15});
  const auto send = [&](std::uint32_t ssrc, std::uint16_t sn) {
    PacketSpec s = rtp_packet(4);
    s.rtp->ssrc = ssrc;
    s.rtp->sn = sn;
    EXPECT_TRUE(link.pass(s)) << link.describe();
    return link.sent.detail.profile;
  };
  const std::uint32_t limit = CompressorConfig{}.ssrcs_per_flow;
  for (std::uint32_t ssrc = 1; ssrc <= limit; ++ssrc) EXPECT_EQ(send(ssrc, 7), 1);
  EXPECT_EQ(send(100, 7), 2);
  EXPECT_EQ(send(100, 8), 2);
  link.now_ns += 5'000 * test::kMillisecond;
  EXPECT_EQ(send(100, 9), 1);
  EXPECT_EQ(link.compressor.contexts_in_use(), limit + 1) << "one more than streams, for profile UDP";
  EXPECT_EQ(send(101, 9), 2) << "three are silent still, but one after the other";
  EXPECT_EQ(send(100, 10), 1) << "in sequence: no longer on probation";
  EXPECT_EQ(send(101, 10), 1);
  EXPECT_EQ(link.compressor.contexts_in_use(), limit + 2);
}

// What is not RTP takes no more CIDs the longer it lasts.
TEST(Flows, RandomSsrcsForAnHour) {
  Random random(1);
  Link link = link_of({false, 15});
  link.step_ns = 300 * test::kMillisecond;
  PacketSpec s = rtp_packet(4);
  unsigned rtp = 0;
  for (int i = 0; i < 12'000; ++i) {
    s.rtp->ssrc = random.word32();
    s.rtp->sn = random.word();
    ++s.ip.id;
    ASSERT_TRUE(link.pass(s)) << link.describe();
    rtp += link.sent.detail.profile == 1 ? 1 : 0;
  }
  EXPECT_LE(link.compressor.contexts_in_use(), CompressorConfig{}.ssrcs_per_flow + 1);
  EXPECT_LE(rtp, 3'600 / 5 + CompressorConfig{}.ssrcs_per_flow);
}

// Streams that begin together between the same ports leave probation a few at a time.
TEST(Flows, ManySsrcsAtOnceWithoutAnOption) {
  Link link = link_of({true, 500});
  std::vector<SteadyFlow> flows;
  for (std::uint32_t ssrc = 1; ssrc <= 100; ++ssrc) {
    PacketSpec s = rtp_packet(6);
    s.rtp->ssrc = ssrc;
    flows.emplace_back(s);
  }
  for (int round = 0; round < 50; ++round) {
    for (SteadyFlow& flow : flows) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  }
  for (SteadyFlow& flow : flows) {
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  }
}

// Streams that differ by their SSRC alone, as behind a mixer or a NAT, keep their contexts.
TEST(Flows, HundredsOfSsrcs) {
  for (const FlowLookup lookup : {FlowLookup::kHashed, FlowLookup::kLinear}) {
    CompressorConfig config = compressor_of({true, 500});
    config.ssrcs_per_flow = 400;
    config.flow_lookup = lookup;
    Link link(config, decompressor_of({true, 500}));
    std::vector<SteadyFlow> flows;
    for (std::uint32_t ssrc = 1; ssrc <= 314; ++ssrc) {
      PacketSpec s = rtp_packet(6);
      s.rtp->ssrc = ssrc;
      flows.emplace_back(s);
    }
    for (int round = 0; round < 8; ++round) {
      for (SteadyFlow& flow : flows) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    }
    EXPECT_EQ(link.compressor.counters().new_flows, flows.size());
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  }
}

TEST(Flows, RtpDetection) {
  const auto profile_of = [](RtpDetection detection, std::uint16_t source, std::uint16_t destination) {
    CompressorConfig config = test::without_refreshes();
    config.rtp_detection = detection;
    config.rtp_ports = {{5000, 5010}};
    Compressor compressor(config);
    PacketSpec s = rtp_packet(4);
    s.udp->source_port = source;
    s.udp->destination_port = destination;
    return test::compress(compressor, build(s)).detail.profile;
  };
  EXPECT_EQ(profile_of(RtpDetection::kHeuristic, 1024, 1024), 1);
  EXPECT_EQ(profile_of(RtpDetection::kHeuristic, 1023, 1024), 2);
  EXPECT_EQ(profile_of(RtpDetection::kHeuristic, 1024, 53), 2);
  EXPECT_EQ(profile_of(RtpDetection::kPorts, 30000, 5000), 1);
  EXPECT_EQ(profile_of(RtpDetection::kPorts, 30000, 5010), 1);
  EXPECT_EQ(profile_of(RtpDetection::kPorts, 30000, 5011), 2);
  EXPECT_EQ(profile_of(RtpDetection::kPorts, 5005, 30000), 2);
  EXPECT_EQ(profile_of(RtpDetection::kNone, 30000, 5005), 2);
}

TEST(Flows, OnlyProfilesOfTheChannel) {
  const auto profile_of = [](ProfileSet profiles, const PacketSpec& s) {
    CompressorConfig config = test::without_refreshes();
    config.channel.profiles = profiles;
    Compressor compressor(config);
    return test::compress(compressor, build(s)).detail.profile;
  };
  EXPECT_EQ(profile_of({true, true, true}, rtp_packet(4)), 1);
  EXPECT_EQ(profile_of({false, true, true}, rtp_packet(4)), 2);
  EXPECT_EQ(profile_of({false, false, true}, rtp_packet(4)), 4);
  EXPECT_EQ(profile_of({false, false, false}, rtp_packet(4)), 0);
  EXPECT_EQ(profile_of({true, false, true}, udp_packet(4)), 4);
  EXPECT_EQ(profile_of({true, true, false}, test::ip_packet(4)), 0);
}

// Non-RTP first, then RTP on the same ports: the RTP flow gets a context of its own, on the fast path as well.
TEST(Flows, RtpAfterSomethingElseOnTheSamePorts) {
  for (const bool fast : {true, false}) {
    Link link = link_of({false, 15});
    if (!fast) link.compressor.disable_fast_path();
    SteadyFlow keep_alive(udp_packet(4));
    ASSERT_TRUE(settle(link, keep_alive, 20));
    EXPECT_EQ(link.sent.detail.profile, 2);
    SteadyFlow rtp(rtp_packet(4));
    rtp.spec.ip.id = keep_alive.spec.ip.id;
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(link.pass(rtp.next())) << link.describe();
      EXPECT_EQ(link.sent.detail.profile, 1);
    }
  }
}

// --- Channels --------------------------------------------------------------------------------------------------------

TEST(Channels, AreCidSpacesOfTheirOwn) {
  Link link = link_of({false, 2}, 5);
  std::vector<SteadyFlow> flows;
  for (unsigned channel = 0; channel < 5; ++channel) flows.push_back(flow_number(7));  // the same flow on every channel
  for (int round = 0; round < 10; ++round) {
    for (std::uint32_t channel = 0; channel < 5; ++channel) {
      ASSERT_TRUE(link.pass(flows[channel].next(), channel)) << link.describe();
      EXPECT_EQ(link.sent.detail.cid, 0U);
    }
  }
  EXPECT_EQ(link.compressor.contexts_in_use(), 5U);
  EXPECT_EQ(link.decompressor.contexts_in_use(), 5U);
  // A CRC of three bits may fit one of the four other contexts by chance.
  unsigned refused = 0;
  for (std::uint32_t channel = 0; channel < 4; ++channel)
    refused += test::decompress(link.decompressor, link.sent.octets, 0, channel).status != HEADROOM_OK ? 1U : 0U;
  EXPECT_GE(refused, 2U) << "what was meant for another channel does not fit these contexts";
}

TEST(Channels, FeedbackFindsItsChannel) {
  DecompressorConfig d = decompressor_of({true, 20}, 3);
  d.mode = Mode::kOptimistic;
  Link link(compressor_of({true, 20}, 3), d);
  std::vector<SteadyFlow> flows;
  for (unsigned channel = 0; channel < 3; ++channel) flows.push_back(flow_number(channel));
  for (std::uint32_t channel = 0; channel < 3; ++channel) ASSERT_TRUE(link.pass(flows[channel].next(), channel));
  const auto elements = test::take_all(link.decompressor.own_feedback());
  ASSERT_EQ(elements.size(), 3U);
  link.compressor.give_feedback(elements[1].channel, elements[1].octets, link.now_ns);
  EXPECT_EQ(elements[1].channel, 1U);
  for (std::uint32_t channel = 0; channel < 3; ++channel) {
    ASSERT_TRUE(link.pass(flows[channel].next(), channel));
    EXPECT_EQ(link.sent.mode(), channel == 1 ? Mode::kOptimistic : Mode::kUnidirectional);
  }
}

TEST(Channels, OnesThatAreNotThere) {
  Link link = link_of({false, 15}, 2);
  for (const std::uint32_t channel : {2U, 3U, 0x10000000U, 0xffffffffU}) {
    EXPECT_EQ(test::compress(link.compressor, build(udp_packet(4)), 0, channel).status, HEADROOM_ERR_CHANNEL);
    EXPECT_EQ(test::decompress(link.decompressor, test::hex("25 01 02 03 04"), 0, channel).status,
              HEADROOM_ERR_CHANNEL);
    EXPECT_FALSE(link.compressor.piggyback(channel, test::hex("f1 00")));
  }
}

TEST(Contexts, CidsBeyondMaxCidHaveNone) {
  Decompressor small(decompressor_of({false, 3}));
  EXPECT_EQ(test::decompress(small, test::hex("e4 fd 02 00 00")).status, HEADROOM_ERR_NO_CONTEXT);
  Decompressor large(decompressor_of({true, 200}));
  EXPECT_EQ(test::decompress(large, test::hex("fd 80 c9 02 00 00")).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(test::decompress(large, test::hex("25 80 c9 02 00 00")).status, HEADROOM_ERR_NO_CONTEXT);
}

TEST(Contexts, MemoryGrowsWithFlows) {
  Link link = link_of({true, 16383});
  const std::size_t compressor_before = link.compressor.memory_bytes();
  for (unsigned n = 0; n < 100; ++n) {
    SteadyFlow flow = flow_number(n);
    ASSERT_TRUE(link.pass(flow.next()));
  }
  EXPECT_LE(link.compressor.memory_bytes() - compressor_before + link.decompressor.memory_bytes(), 100U * 512)
      << "512 octets a flow, both sides";
  EXPECT_GT(link.decompressor.memory_bytes(), 0U);
}

}  // namespace
}  // namespace headroom::rohc
