// SPDX-License-Identifier: Apache-2.0
//
// HEADROOM_ERR_NO_SPACE (headroom.h): to a compressor it is as if the packet had never been given; a decompressor has
// lost that packet and no other.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/compressor/classify.h"
#include "rohc/v1/test/support/eventful_flow.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/restless_flow.h"

namespace headroom::rohc {
namespace {

using test::Packet;
using test::to_hex;

struct Setting {
  const char* name;
  wire::Mode mode;
  bool large_cids = false;
  bool timer = false;
  bool segments = false;
};
void PrintTo(const Setting& s, std::ostream* out) { *out << s.name; }

constexpr Setting kSettings[] = {
    {.name = "U", .mode = wire::Mode::kUnidirectional},
    {.name = "O", .mode = wire::Mode::kOptimistic, .large_cids = true},
    {.name = "R", .mode = wire::Mode::kReliable},
    {.name = "UTimer", .mode = wire::Mode::kUnidirectional, .timer = true},
    {.name = "OTimer", .mode = wire::Mode::kOptimistic, .timer = true},
    {.name = "OSegments", .mode = wire::Mode::kOptimistic, .segments = true},
    {.name = "RSegments", .mode = wire::Mode::kReliable, .large_cids = true, .segments = true},
};

constexpr unsigned kFlows = 12;
constexpr unsigned kPackets = 6000;

// Fewer CIDs than flows: new flows replace others.
CompressorConfig compressor_config(const Setting& s) {
  CompressorConfig c;
  c.highest_mode = s.mode;
  c.channel.large_cids = s.large_cids;
  c.channel.max_cid = 7;
  c.ir_refresh = {64, 5000};
  c.fo_refresh = {20, 1000};
  if (s.timer) c.timer_ts = TimerTs::kAlways;
  if (s.segments) {
    c.channel.mrru = 1000;
    c.packet_sizes = {16, 20, 40, 60};
    c.largest_packet = 60;
  }
  return c;
}

DecompressorConfig decompressor_config(const Setting& s) {
  DecompressorConfig d;
  d.mode = s.mode;
  d.channel = compressor_config(s).channel;
  d.clock_ms = s.timer ? 1 : 0;
  return d;
}

// Flows of every kind, one in three with lists.
class Sources {
 public:
  explicit Sources(std::uint64_t seed) : random_(seed) {
    for (unsigned i = 0; i < kFlows; ++i) {
      if (i % 3 == 0) {
        auto flow = std::make_shared<test::RestlessFlow>(test::listed_packet(i), seed + i, 0.1);
        flows_.emplace_back([flow] { return flow->next(); });
      } else {
        const auto character = test::drawn_character(random_, static_cast<std::uint16_t>(i));
        auto flow = std::make_shared<test::EventfulFlow>(character, seed + i);
        flows_.emplace_back([flow] { return flow->next(); });
      }
    }
  }
  // Mostly of the first few, so that flows last for a while.
  [[nodiscard]] Packet next() {
    const std::uint32_t among = random_.below(10) == 0 ? kFlows : 5;
    return flows_[random_.below(among)]();
  }

 private:
  test::Random random_;
  std::vector<std::function<Packet()>> flows_;
};

std::uint64_t random_step(test::Random& random) {
  const std::uint64_t kinds[] = {0, 5, 20, random.below(60), random.below(40) == 0 ? random.below(3000) : 20};
  return kinds[random.below(5)] * test::kMillisecond;
}

class NoSpace : public testing::TestWithParam<Setting> {};

// One compressor gets packets that do not fit as well, its twin does not: what both send is the same, octet by octet.
TEST_P(NoSpace, TheCompressorForgetsThePacket) {
  const Setting& s = GetParam();
  test::Random random(7);
  Sources sources(11);
  Compressor compressor(compressor_config(s)), twin(compressor_config(s));
  Decompressor decompressor(decompressor_config(s));
  std::uint64_t now = 0;
  unsigned refused = 0, fitted = 0;
  for (unsigned i = 0; i < kPackets; ++i) {
    now += random_step(random);
    const Packet packet = sources.next();
    std::size_t room = test::kEnough;
    if (i != 0 && random.chance(0.3)) {
      const std::size_t tight = random.below(static_cast<std::uint32_t>(packet.size()) + 30);
      const test::Compressed sent = test::compress(compressor, packet, now, 0, tight);
      if (sent.status == HEADROOM_ERR_NO_SPACE) {
        ++refused;
        if (random.flip()) continue;  // or it is given once more
      } else {
        ++fitted;
        const test::Compressed same = test::compress(twin, packet, now, 0, tight);
        ASSERT_EQ(to_hex(sent.octets), to_hex(same.octets)) << i;
        room = tight;
      }
    }
    if (random.below(20) == 0) {
      const Packet feedback = {0xf1, static_cast<std::uint8_t>(i)};
      ASSERT_EQ(compressor.piggyback(0, feedback), twin.piggyback(0, feedback));
    }
    if (room != test::kEnough) continue;
    const test::Compressed sent = test::compress(compressor, packet, now);
    const test::Compressed same = test::compress(twin, packet, now);
    ASSERT_EQ(sent.status, same.status) << i;
    ASSERT_EQ(link_packets_of(sent), link_packets_of(same)) << i;
    if (sent.status != HEADROOM_OK) continue;
    for (const Packet& link : link_packets_of(sent)) {
      const test::Restored r = test::decompress(decompressor, link, now);
      if (r.status == HEADROOM_OK) {
        ASSERT_EQ(to_hex(r.octets), to_hex(packet)) << i;
      }
    }
    for (const auto& f : test::take_all(decompressor.own_feedback())) {
      compressor.give_feedback(0, f.octets, now);
      twin.give_feedback(0, f.octets, now);
    }
  }
  EXPECT_EQ(compressor.counters().packets, twin.counters().packets);
  EXPECT_EQ(compressor.counters().replaced_flows, twin.counters().replaced_flows);
  EXPECT_EQ(compressor.contexts_in_use(), twin.contexts_in_use());
  EXPECT_TRUE(s.segments || compressor.counters().fast > 100U) << "the fast path has its part in it";
  EXPECT_GT(refused, kPackets / 20);
  EXPECT_GT(fitted, kPackets / 100);
}

// A decompressor that had no room for a packet delivers all others as they were.
TEST_P(NoSpace, TheDecompressorLosesThatPacketOnly) {
  const Setting& s = GetParam();
  test::Random random(17);
  Sources sources(23);
  Compressor compressor(compressor_config(s));
  Decompressor decompressor(decompressor_config(s));
  std::uint64_t now = 0;
  unsigned refused = 0;
  for (unsigned i = 0; i < kPackets; ++i) {
    now += random_step(random);
    const Packet packet = sources.next();
    const test::Compressed sent = test::compress(compressor, packet, now);
    ASSERT_TRUE(sent.status == HEADROOM_OK) << i;
    const bool tight = random.chance(0.3);
    std::int32_t status = HEADROOM_NOTHING;
    for (const Packet& link : link_packets_of(sent)) {
      const std::size_t room =
          tight ? random.below(static_cast<std::uint32_t>(packet.size())) : std::size_t{packet.size() + 1000};
      const test::Restored r = test::decompress(decompressor, link, now, 0, room);
      if (r.status == HEADROOM_OK) {
        ASSERT_EQ(to_hex(r.octets), to_hex(packet)) << i;
      }
      if (r.status != HEADROOM_NOTHING) status = r.status;
    }
    ASSERT_EQ(status, tight ? HEADROOM_ERR_NO_SPACE : HEADROOM_OK) << i;
    refused += tight ? 1 : 0;
    for (const auto& f : test::take_all(decompressor.own_feedback())) compressor.give_feedback(0, f.octets, now);
  }
  EXPECT_GT(refused, kPackets / 5);
}

INSTANTIATE_TEST_SUITE_P(Modes, NoSpace, testing::ValuesIn(kSettings),
                         [](const auto& tested) { return std::string(tested.param.name); });

// A context may come from the list of those whose flows the flow table had no place for: it goes back there, and the
// next flow gets the same one.
TEST(NoSpaceForANewFlow, AContextThatWasGivenBackIsGivenBackAgain) {
  CompressorConfig config;
  config.channel.large_cids = true;
  config.channel.max_cid = 199;
  // One flow more than the eight buckets of eight hold that a search goes through, all with one home: the seed is
  // known.
  constexpr unsigned kTooMany = 65;
  constexpr std::uint32_t kHomes = 1024;  // more than the table has
  const QuickLook look(config);
  std::vector<Packet> crowd;
  for (std::uint32_t tried = 0; crowd.size() < kTooMany; ++tried) {
    test::PacketSpec spec = test::rtp_packet();
    spec.ip.source = static_cast<std::uint16_t>(tried);
    spec.udp->source_port = static_cast<std::uint16_t>(30'000 + (tried >> 16));
    const Packet packet = build(spec);
    if ((look.hash(packet.data(), packet.size(), 0) >> 32) % kHomes == 0) crowd.push_back(packet);
  }
  Compressor compressor(config), twin(config);
  for (const Packet& packet : crowd) {
    ASSERT_EQ(test::compress(compressor, packet).status, HEADROOM_OK);
    ASSERT_EQ(test::compress(twin, packet).status, HEADROOM_OK);
  }
  ASSERT_EQ(compressor.contexts_in_use(), kTooMany - 1) << "no flow was displaced";

  const Packet next = build(test::rtp_packet(6));
  for (unsigned i = 0; i < 3; ++i) ASSERT_EQ(test::compress(compressor, next, 0, 0, 10).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(compressor.contexts_in_use(), kTooMany - 1);
  const test::Compressed sent = test::compress(compressor, next);
  const test::Compressed same = test::compress(twin, next);
  EXPECT_EQ(to_hex(sent.octets), to_hex(same.octets));
  EXPECT_LT(sent.detail.cid, kTooMany) << "the CID is that of the displaced flow";
  EXPECT_EQ(compressor.contexts_in_use(), kTooMany);
}

// A packet may end the probation of a stream (CompressorConfig::ssrcs_per_flow), or take the context of one that has
// ended: not without room.
TEST(NoSpaceForAStream, OnProbationAsBefore) {
  Compressor compressor{CompressorConfig{}}, twin{CompressorConfig{}};
  std::uint64_t now = 0;
  const auto packet = [](std::uint32_t ssrc, std::uint16_t sn) {
    test::PacketSpec s = test::rtp_packet(4);
    s.rtp->ssrc = ssrc;
    s.rtp->sn = sn;
    return build(s);
  };
  const auto refuse = [&](std::uint32_t ssrc, std::uint16_t sn) {
    EXPECT_EQ(test::compress(compressor, packet(ssrc, sn), now, 0, 10).status, HEADROOM_ERR_NO_SPACE);
  };
  const auto send = [&](std::uint32_t ssrc, std::uint16_t sn) {
    const test::Compressed sent = test::compress(compressor, packet(ssrc, sn), now);
    EXPECT_EQ(to_hex(sent.octets), to_hex(test::compress(twin, packet(ssrc, sn), now).octets)) << ssrc << ' ' << sn;
    return sent.detail.profile;
  };
  for (std::uint32_t ssrc = 1; ssrc <= CompressorConfig{}.ssrcs_per_flow; ++ssrc) {
    refuse(ssrc, 7);
    EXPECT_EQ(send(ssrc, 7), 1);
    for (int i = 0; i < 3; ++i) refuse(ssrc, 8);
  }
  EXPECT_EQ(send(100, 7), 2) << "all are on probation still";
  now += 5'000 * test::kMillisecond;
  for (int i = 0; i < 3; ++i) refuse(100, 8);
  EXPECT_EQ(send(100, 9), 1);
  EXPECT_EQ(send(3, 8), 1);
  EXPECT_EQ(send(4, 8), 1);
  EXPECT_EQ(compressor.contexts_in_use(), twin.contexts_in_use());
  EXPECT_EQ(compressor.counters().replaced_flows, twin.counters().replaced_flows);
}

}  // namespace
}  // namespace headroom::rohc
