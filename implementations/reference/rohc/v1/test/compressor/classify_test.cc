// SPDX-License-Identifier: Apache-2.0
//
// The quick hash, a clue taken before a packet is parsed, against the hash of the parsed packet, under which its flow
// is known.
#include "rohc/v1/compressor/classify.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "rohc/v1/test/support/eventful_flow.h"

namespace headroom::rohc {
namespace {

using test::Packet;
using test::PacketSpec;
using test::Random;
using test::to_hex;

std::uint64_t parsed_hash(const Packet& p, ChainLimits limits, const FlowHash& hash, std::uint32_t channel = 0) {
  HeaderChain chain;
  EXPECT_TRUE(parse_chain(p, limits, chain));
  return flow_hash(hash, p, chain, hash.begin(channel));
}

CompressorConfig config_with(ProfileSet profiles, std::uint64_t seed = 0) {
  CompressorConfig config;
  config.channel.profiles = profiles;
  config.seed = seed;
  return config;
}

TEST(QuickLook, HashIsThatOfTheParsedPacket) {
  Random random(1);
  const QuickLook all(config_with({}, 7));
  const QuickLook without_rtp(config_with({false, true, true, true, false, true}, 7));
  const QuickLook ip_only(config_with({false, false, true, false, false, false}, 7));
  for (int round = 0; round < 20'000; ++round) {
    PacketSpec spec = test::drawn_character(random, random.word()).first;
    spec.outer.reset();
    spec.payload.resize(random.below(60));
    const Packet p = build(spec);
    const std::uint32_t channel = random.below(5);
    ASSERT_EQ(all.hash(p.data(), p.size(), channel), parsed_hash(p, {}, all.flow_hash(), channel)) << to_hex(p);
    ASSERT_EQ(without_rtp.hash(p.data(), p.size(), channel),
              parsed_hash(p, {true, false, true, true, false}, all.flow_hash(), channel))
        << to_hex(p);
    ASSERT_EQ(ip_only.hash(p.data(), p.size(), channel),
              parsed_hash(p, {false, false, false, false, false}, all.flow_hash(), channel))
        << to_hex(p);
  }
}

TEST(QuickLook, ReadsNothingBeyondThePacket) {
  Random random(2);
  const QuickLook look((CompressorConfig()));
  for (std::size_t length = 0; length < 80; ++length) {
    for (const std::uint8_t first : {std::uint8_t{0x45}, std::uint8_t{0x46}, std::uint8_t{0x60}, std::uint8_t{0x00}}) {
      Packet p(length);  // AddressSanitizer watches its end
      for (auto& octet : p) octet = random.octet();
      if (!p.empty()) p[0] = first;
      (void)look.hash(p.data(), p.size(), 0);
    }
  }
  EXPECT_EQ(look.hash(nullptr, 0, 0), kNoHash);
}

// A packet that is not taken for RTP because of its ports has no SSRC to tell it from others.
TEST(QuickLook, SsrcCountsWhereTheFlowIsRtp) {
  CompressorConfig config;
  config.rtp_detection = RtpDetection::kPorts;
  config.rtp_ports = {{5000, 5010}};
  const QuickLook look(config);
  const auto hash = [&](std::uint16_t port, std::uint32_t ssrc) {
    PacketSpec s = test::rtp_packet(4);
    s.udp->destination_port = port;
    s.rtp->ssrc = ssrc;
    const Packet p = build(s);
    return look.hash(p.data(), p.size(), 0);
  };
  EXPECT_NE(hash(5000, 1), hash(5000, 2));
  EXPECT_EQ(hash(5011, 1), hash(5011, 2));
}

TEST(FlowHash, EveryDefinitionFieldMatters) {
  const PacketSpec base = test::udp_packet(6);
  std::set<std::uint64_t> hashes;
  const auto add = [&](auto change) {
    PacketSpec s = base;
    change(s);
    EXPECT_TRUE(hashes.insert(parsed_hash(build(s), {}, FlowHash(1), 0)).second);
  };
  add([](PacketSpec&) {});
  add([](PacketSpec& s) { ++s.ip.source; });
  add([](PacketSpec& s) { ++s.ip.destination; });
  add([](PacketSpec& s) { ++s.udp->source_port; });
  add([](PacketSpec& s) { ++s.udp->destination_port; });
  add([](PacketSpec& s) { ++s.ip.flow_label; });
  add([](PacketSpec& s) { s.ip.version = 4; });
  EXPECT_TRUE(hashes.insert(parsed_hash(build(base), {}, FlowHash(2), 0)).second) << "the seed";
  EXPECT_TRUE(hashes.insert(parsed_hash(build(base), {}, FlowHash(1), 1)).second) << "the channel";
  PacketSpec same = base;
  same.ip.ttl = 1;
  same.ip.tos = 7;
  same.payload = {1};
  EXPECT_FALSE(hashes.insert(parsed_hash(build(same), {}, FlowHash(1), 0)).second)
      << "what may change within a flow does not";
}

TEST(TransportMasks, ProtocolsOfEnabledProfiles) {
  const auto all = transport_masks({});
  const auto none = transport_masks({false, false, true, false, false, false});
  for (unsigned protocol = 0; protocol < 256; ++protocol) {
    EXPECT_EQ(none[protocol].ports, 0U);
    EXPECT_FALSE(none[protocol].ssrc);
    EXPECT_EQ(all[protocol].ports != 0, protocol == 17 || protocol == 50 || protocol == 136) << protocol;
    EXPECT_EQ(all[protocol].ssrc, protocol == 17 || protocol == 136) << protocol;
  }
  EXPECT_NE(transport_masks({true, false, false, false, false, false})[17].ports, 0U);
  EXPECT_NE(transport_masks({false, true, false, false, false, false})[17].ports, 0U);
  EXPECT_FALSE(transport_masks({false, true, false, false, false, false})[17].ssrc);
  EXPECT_NE(transport_masks({false, false, false, true, false, false})[50].ports, 0U);
  EXPECT_NE(transport_masks({false, false, false, false, true, false})[136].ports, 0U);
  EXPECT_NE(transport_masks({false, false, false, false, false, true})[136].ports, 0U);
}

// Flows that differ little must not share buckets more than chance has it.
TEST(FlowHash, SpreadsNeighbours) {
  std::set<std::uint32_t> homes;
  std::set<std::uint16_t> tags;
  for (std::uint16_t i = 0; i < 1000; ++i) {
    PacketSpec s = test::udp_packet(4);
    s.udp->source_port = static_cast<std::uint16_t>(10'000 + 2 * i);
    const std::uint64_t hash = parsed_hash(build(s), {}, FlowHash(0), 0);
    homes.insert(static_cast<std::uint32_t>(hash >> 32) & 1023);
    tags.insert(static_cast<std::uint16_t>(hash >> 16));
  }
  EXPECT_GT(homes.size(), 550U) << "1,000 balls in 1,024 bins leave about 647 occupied, give or take 12";
  EXPECT_GT(tags.size(), 970U);
}

// Two flows whose words are sums or differences of each other collide as seldom as any two do, whatever was chosen:
// over 4,096 seeds and 256 buckets, 16 times, give or take 4.
TEST(FlowHash, ChosenFlowsCollideByChanceOnly) {
  const FlowWords base{{1, 2, 3, 4}, 5, 6};
  const auto swapped = [&](std::size_t a, std::size_t b) {
    FlowWords w = base;
    std::swap(w.addresses[a], w.addresses[b]);
    return w;
  };
  const auto halves = [&] {
    FlowWords w = base;
    w.addresses[0] = w.addresses[0] << 32;
    return w;
  };
  const std::vector<FlowWords> others{swapped(0, 1), swapped(2, 3),        swapped(0, 3),
                                      halves(),      {{2, 1, 4, 3}, 5, 6}, {{1, 2, 3, 4}, 6, 5}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    unsigned collisions = 0;
    for (std::uint64_t seed = 0; seed < 4096; ++seed) {
      const FlowHash hash(seed);
      collisions += (hash.of(base, 0) ^ hash.of(others[i], 0)) >> 56 == 0 ? 1U : 0U;
    }
    EXPECT_GT(collisions, 1U) << i;
    EXPECT_LT(collisions, 40U) << i;
  }
}

TEST(FlowHash, SsrcCanBeTakenAway) {
  const FlowHash hash(3);
  PacketSpec s = test::rtp_packet(6);
  const std::uint64_t rtp = parsed_hash(build(s), {}, hash);
  const std::uint64_t udp = parsed_hash(build(s), {true, false}, hash);
  EXPECT_NE(rtp, udp);
  const Packet p = build(s);
  EXPECT_EQ(rtp - hash.of_ssrc(ssrc_of(p.data(), layout_of(Shape::kRtpIpv6))), udp);
}

}  // namespace
}  // namespace headroom::rohc
