// SPDX-License-Identifier: Apache-2.0
//
// The quick hash, a clue taken before a packet is parsed, against the hash of the parsed packet, under which its flow
// is known.
#include "rohc/compressor/classify.h"

#include <gtest/gtest.h>

#include <set>

#include "test/support/eventful_flow.h"

namespace headroom::rohc {
namespace {

using test::Packet;
using test::PacketSpec;
using test::Random;
using test::to_hex;

constexpr PortMasks kAll = port_masks({});
constexpr PortMasks kNone = port_masks({false, false, true, false, false, false});

std::uint64_t parsed_hash(const Packet& p, ChainLimits limits, std::uint64_t salt) {
  HeaderChain chain;
  EXPECT_TRUE(parse_chain(p, limits, chain));
  return flow_hash(p, chain, salt);
}

TEST(QuickHash, IsThatOfTheParsedPacket) {
  Random random(1);
  for (int round = 0; round < 20'000; ++round) {
    PacketSpec spec = test::drawn_character(random, random.word()).first;
    spec.outer.reset();
    spec.payload.resize(random.below(60));
    const Packet p = build(spec);
    if (p.size() < kIpv4Header + kUdpHeader || (spec.ip.version == 6 && p.size() < kIpv6Header + kUdpHeader)) continue;
    const std::uint64_t salt = random.next();
    ASSERT_EQ(quick_hash(p.data(), p.size(), kAll, salt), parsed_hash(p, {}, salt)) << to_hex(p);
    ASSERT_EQ(quick_hash(p.data(), p.size(), kAll, salt), parsed_hash(p, {true, false, true, true, false}, salt))
        << "UDP and RTP share it";
    ASSERT_EQ(quick_hash(p.data(), p.size(), kNone, salt), parsed_hash(p, {false, false, false, false, false}, salt))
        << to_hex(p);
  }
}

TEST(QuickHash, ReadsNothingBeyondThePacket) {
  Random random(2);
  for (std::size_t length = 0; length < 80; ++length) {
    for (const std::uint8_t first : {std::uint8_t{0x45}, std::uint8_t{0x46}, std::uint8_t{0x60}, std::uint8_t{0x00}}) {
      Packet p(length);  // AddressSanitizer watches its end
      for (auto& octet : p) octet = random.octet();
      if (!p.empty()) p[0] = first;
      (void)quick_hash(p.data(), p.size(), kAll, 0);
    }
  }
}

TEST(FlowHash, EveryDefinitionFieldMatters) {
  const PacketSpec base = test::udp_packet(6);
  std::set<std::uint64_t> hashes;
  const auto add = [&](auto change) {
    PacketSpec s = base;
    change(s);
    EXPECT_TRUE(hashes.insert(parsed_hash(build(s), {}, salt_of(1, 0))).second);
  };
  add([](PacketSpec&) {});
  add([](PacketSpec& s) { ++s.ip.source; });
  add([](PacketSpec& s) { ++s.ip.destination; });
  add([](PacketSpec& s) { ++s.udp->source_port; });
  add([](PacketSpec& s) { ++s.udp->destination_port; });
  add([](PacketSpec& s) { ++s.ip.flow_label; });
  add([](PacketSpec& s) { s.ip.version = 4; });
  EXPECT_TRUE(hashes.insert(parsed_hash(build(base), {}, salt_of(2, 0))).second) << "the seed";
  EXPECT_TRUE(hashes.insert(parsed_hash(build(base), {}, salt_of(1, 1))).second) << "the channel";
  PacketSpec same = base;
  same.ip.ttl = 1;
  same.ip.tos = 7;
  same.payload = {1};
  EXPECT_FALSE(hashes.insert(parsed_hash(build(same), {}, salt_of(1, 0))).second)
      << "what may change within a flow does not";
}

TEST(PortMasks, ProtocolsOfEnabledProfiles) {
  for (unsigned protocol = 0; protocol < 256; ++protocol) {
    EXPECT_EQ(kNone[protocol], 0U);
    EXPECT_EQ(kAll[protocol] != 0, protocol == 17 || protocol == 50 || protocol == 136) << protocol;
  }
  EXPECT_NE(port_masks({true, false, false, false, false, false})[17], 0U);
  EXPECT_NE(port_masks({false, true, false, false, false, false})[17], 0U);
  EXPECT_NE(port_masks({false, false, false, true, false, false})[50], 0U);
  EXPECT_NE(port_masks({false, false, false, false, true, false})[136], 0U);
  EXPECT_NE(port_masks({false, false, false, false, false, true})[136], 0U);
}

// Flows that differ little must not share buckets more than chance has it.
TEST(FlowHash, SpreadsNeighbours) {
  std::set<std::uint32_t> homes;
  std::set<std::uint16_t> tags;
  for (std::uint16_t i = 0; i < 1000; ++i) {
    PacketSpec s = test::udp_packet(4);
    s.udp->source_port = static_cast<std::uint16_t>(10'000 + 2 * i);
    const std::uint64_t hash = parsed_hash(build(s), {}, salt_of(0, 0));
    homes.insert(static_cast<std::uint32_t>(hash) & 1023);
    tags.insert(static_cast<std::uint16_t>(hash >> 48));
  }
  EXPECT_GT(homes.size(), 550U) << "1,000 balls in 1,024 bins leave about 647 occupied, give or take 12";
  EXPECT_GT(tags.size(), 970U);
}

}  // namespace
}  // namespace headroom::rohc
