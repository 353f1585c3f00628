// SPDX-License-Identifier: Apache-2.0
//
// Flows chosen by an attacker to collide in the compressor's flow table, and what becomes of the others.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/compressor/classify.h"
#include "rohc/v1/test/support/link.h"

namespace headroom::rohc {
namespace {

using test::Link;
using test::Packet;
using test::PacketSpec;

CompressorConfig compressor_of(std::uint32_t channels, std::uint32_t max_cid) {
  CompressorConfig c = test::without_refreshes();
  c.channel.channels = channels;
  c.channel.large_cids = true;
  c.channel.max_cid = max_cid;
  return c;
}

DecompressorConfig decompressor_of(const CompressorConfig& c) {
  DecompressorConfig d;
  d.channel = c.channel;
  return d;
}

// The UDP checksum need not be right for compression, so addresses can be put in afterwards.
Packet with_interface_identifiers(std::uint64_t source, std::uint64_t destination) {
  Packet p = build(test::udp_packet(6));
  std::memcpy(p.data() + 16, &source, 8);
  std::memcpy(p.data() + 32, &destination, 8);
  return p;
}

// Flows between two IPv6 prefixes of 64 bits that have one value of
//
//     source * kOdd[1] ^ (prefix ^ destination * kOdd[2]) * kOdd[1]
//
// A hash into which the seed enters only by exclusive-or, beside such a sum, has them all collide whatever the seed is.
TEST(Floods, FlowsThatCollideWithoutAKeyAreSpread) {
  constexpr std::uint64_t kOdd1 = 0xbf58476d1ce4e5b9U, kOdd2 = 0x94d049bb133111ebU;
  std::uint64_t inverse = kOdd1;  // Newton's iteration, modulo 2^64
  for (int i = 0; i < 6; ++i) inverse *= 2 - kOdd1 * inverse;
  std::uint64_t prefix;
  std::memcpy(&prefix, build(test::udp_packet(6)).data() + 24, 8);
  const CompressorConfig config = compressor_of(1, 16383);
  Link link(config, decompressor_of(config));
  constexpr unsigned kFlows = 1000;
  for (int round = 0; round < 8; ++round) {
    for (std::uint64_t destination = 1; destination <= kFlows; ++destination) {
      const std::uint64_t source = inverse * (0x0123456789abcdefU ^ (prefix ^ destination * kOdd2) * kOdd1);
      ASSERT_TRUE(link.pass(with_interface_identifiers(source, destination))) << link.describe();
    }
  }
  EXPECT_EQ(link.compressor.counters().new_flows, kFlows);
  EXPECT_EQ(link.compressor.contexts_in_use(), kFlows);
  EXPECT_GT(link.compressor.counters().fast, 2 * kFlows);
}

// With the seed known, flows can be found that share a bucket: then one has to go, and its CID serves the next flow.
TEST(Floods, TheCidOfADisplacedFlowIsReturned) {
  CompressorConfig config = compressor_of(2, 999);
  config.seed = 5;
  Link link(config, decompressor_of(config));
  const QuickLook look(config);
  constexpr unsigned kReach = 64;  // eight buckets of eight
  constexpr std::uint64_t kBuckets = 512;
  unsigned found = 0;
  for (std::uint64_t n = 1; found < 5 * kReach; ++n) {
    const Packet p = with_interface_identifiers(n, ~n);
    if ((look.hash(p.data(), p.size(), 1) >> 32) % kBuckets != 3) continue;
    ++found;
    ASSERT_TRUE(link.pass(p, 1)) << link.describe();
    EXPECT_LE(link.sent.detail.cid, kReach) << "one CID more than there are places";
  }
  EXPECT_EQ(link.compressor.contexts_in_use(), kReach);
  // Of the 1,000 CIDs those are the only ones that are taken. A few of the flows that come now meet the full buckets.
  test::Random random(1);
  for (unsigned n = 0; n < 1000 - kReach; ++n)
    ASSERT_TRUE(link.pass(with_interface_identifiers(random.next(), random.next()), 1));
  EXPECT_EQ(link.compressor.counters().replaced_flows, 0U);
  EXPECT_GT(link.compressor.contexts_in_use(), 950U);
}

// A mixer, or many calls behind one address: RTP streams that differ by their SSRC alone.
TEST(Floods, ManyStreamsBetweenTwoPorts) {
  CompressorConfig config = compressor_of(1, 499);
  config.ssrcs_per_flow = 1000;
  Link link(config, decompressor_of(config));
  constexpr std::uint32_t kStreams = 400;
  PacketSpec s = test::rtp_packet(4);
  for (int round = 0; round < 8; ++round) {
    ++s.rtp->sn;
    s.rtp->ts += 160;
    ++s.ip.id;
    for (std::uint32_t ssrc = 1; ssrc <= kStreams; ++ssrc) {
      s.rtp->ssrc = ssrc;
      ASSERT_TRUE(link.pass(s)) << link.describe();
    }
  }
  EXPECT_EQ(link.compressor.counters().new_flows, kStreams);
}

// Streams that have ended make room for others under CompressorConfig::ssrcs_per_flow.
TEST(Floods, StreamsThatAreReplacedNoLongerCount) {
  CompressorConfig config = compressor_of(1, 3);
  config.ssrcs_per_flow = 2;
  Link link(config, decompressor_of(config));
  PacketSpec s = test::rtp_packet(4);
  const auto profile_of = [&](std::uint32_t ssrc) {
    s.rtp->ssrc = ssrc;
    EXPECT_TRUE(link.pass(s)) << link.describe();
    return link.sent.detail.profile;
  };
  EXPECT_EQ(profile_of(1), 1);
  EXPECT_EQ(profile_of(2), 1);
  EXPECT_EQ(profile_of(3), 2);
  for (std::uint16_t port = 1; port <= 4; ++port) {  // four others take all contexts
    PacketSpec other = test::udp_packet(4);
    other.udp->source_port = port;
    ASSERT_TRUE(link.pass(other));
  }
  EXPECT_EQ(profile_of(4), 1);
  EXPECT_EQ(profile_of(5), 1);
  EXPECT_EQ(profile_of(6), 2);
}

TEST(Floods, EmptyPacketsAndStrangeChannelsInABurst) {
  const CompressorConfig config = compressor_of(2, 15);
  Compressor compressor(config);
  const Packet p = build(test::udp_packet(4));
  std::vector<Packet> rooms(40, Packet(200));
  std::vector<headroom_packet> burst(40);
  for (std::size_t i = 0; i < burst.size(); ++i) {
    const std::uint32_t channel = i % 3 == 1 ? 0xffffffffU / 16 + static_cast<std::uint32_t>(i) : 1;
    const bool empty = i % 3 == 2;
    headroom_packet& packet = burst[i];
    packet = {};
    packet.in = empty ? nullptr : p.data();
    packet.in_length = empty ? 0U : static_cast<std::uint32_t>(p.size());
    packet.out = rooms[i].data();
    packet.out_capacity = 200;
    packet.channel = channel;
  }
  compressor.compress(burst.data(), burst.size(), 0, nullptr);
  for (std::size_t i = 0; i < burst.size(); ++i)
    EXPECT_EQ(burst[i].status, i % 3 == 0 ? HEADROOM_OK : i % 3 == 1 ? HEADROOM_ERR_CHANNEL : HEADROOM_ERR_MALFORMED);
}

}  // namespace
}  // namespace headroom::rohc
