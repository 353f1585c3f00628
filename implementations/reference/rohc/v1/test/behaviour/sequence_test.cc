// SPDX-License-Identifier: Apache-2.0
//
// Sequence numbers: wraparound, gaps, reordering and duplication before the compressor, all of which W-LSB encoding
// must carry (RFC 3095 4.5.2, 5.7).
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::Link;
using test::Packet;
using test::Random;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using test::without_refreshes;
using wire::PacketType;

SteadyFlow voice(unsigned version, std::uint16_t sn = 1000) {
  SteadyFlow flow(rtp_packet(version));
  flow.spec.udp->checksum = false;
  flow.spec.rtp->sn = sn;
  flow.spec.rtp->ts = 80'000;
  return flow;
}

TEST(SequenceNumber, WrapsAround) {
  for (const unsigned version : {4U, 6U}) {
    Link link(without_refreshes());
    SteadyFlow flow = voice(version, 0xffc0);
    ASSERT_TRUE(settle(link, flow));
    for (unsigned i = 0; i < 100; ++i) {
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      ASSERT_EQ(link.sent.type(), PacketType::kUo0);
    }
    EXPECT_LT(flow.spec.rtp->sn, 0x1000);
  }
}

TEST(SequenceNumber, GeneratedOneWrapsAroundTooAndIsNotSeen) {
  Link link(without_refreshes());
  SteadyFlow flow(udp_packet(6));
  flow.spec.udp->checksum = false;
  ASSERT_TRUE(settle(link, flow));
  for (unsigned i = 0; i < 70'000; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << i << ": " << link.describe();
    ASSERT_EQ(link.sent.header(), 1U);
  }
}

struct Gap {
  unsigned packets;
  unsigned header;  // octets for the packet after it; 0: an IR-DYN
};

// Packets that were lost before they came to the compressor: TS went on meanwhile. After a gap of n the oldest of four
// references lies n + 4 behind. UO-0 carries an SN 14 ahead (4 bits, p = 1). Headers of type 2 carry the TS, in
// strides, along with the SN, and its bits must be right, too: UOR-2 reaches 48 ahead (6 bits of TS, p = 15), extension
// 0 384 (9 bits of TS), extension 1 496 (9 bits of SN, p = 15), extension 3 with an octet of SN 15,872, for which TS
// takes one octet up to 6,144 (13 bits), then two.
TEST(SequenceNumber, GapsBeforeTheCompressor) {
  for (const Gap gap : {Gap{1, 1}, Gap{10, 1}, Gap{11, 3}, Gap{44, 3}, Gap{45, 4}, Gap{380, 4}, Gap{381, 5},
                        Gap{492, 5}, Gap{493, 6}, Gap{6140, 6}, Gap{6141, 7}, Gap{15'868, 7}, Gap{15'869, 0}}) {
    Link link(without_refreshes());
    SteadyFlow flow = voice(6);
    ASSERT_TRUE(settle(link, flow));
    flow.skip(gap.packets);
    ASSERT_TRUE(link.pass(flow.next())) << gap.packets << ": " << link.describe();
    if (gap.header == 0) {
      EXPECT_EQ(link.sent.type(), PacketType::kIrDyn) << gap.packets;
    } else {
      EXPECT_EQ(link.sent.header(), gap.header) << gap.packets << ": " << link.describe();
    }
    ASSERT_TRUE(settle(link, flow, 12)) << link.describe();
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  }
}

TEST(SequenceNumber, GapsOfEverySize) {
  for (const unsigned version : {4U, 6U}) {
    Link link(without_refreshes());
    SteadyFlow flow = voice(version);
    ASSERT_TRUE(settle(link, flow));
    for (unsigned gap = 1; gap < 40'000; gap += 1 + gap / 40) {
      flow.skip(gap);
      ASSERT_TRUE(link.pass(flow.next())) << gap << ": " << link.describe();
      ASSERT_TRUE(settle(link, flow, 10)) << gap << ": " << link.describe();
    }
  }
}

// With a window of one reference the text can be followed to the letter: p = 1 for 4 bits.
TEST(SequenceNumber, OneBehindTheReferenceFitsInto4Bits) {
  CompressorConfig config = without_refreshes();
  config.repeats = 1;
  Link link(config);
  SteadyFlow flow = voice(6);
  ASSERT_TRUE(settle(link, flow));
  const Packet early = build(flow.next());
  const Packet late = build(flow.next());
  ASSERT_TRUE(link.pass(late));
  ASSERT_TRUE(link.pass(early)) << link.describe();
  EXPECT_EQ(link.sent.type(), PacketType::kUo0);
}

TEST(SequenceNumber, ReorderingBeforeTheCompressor) {
  for (const unsigned version : {4U, 6U}) {
    for (unsigned depth = 1; depth <= 30; ++depth) {
      Link link(without_refreshes());
      SteadyFlow flow = voice(version);
      ASSERT_TRUE(settle(link, flow));
      const Packet late = build(flow.next());
      for (unsigned i = 0; i < depth; ++i) ASSERT_TRUE(link.pass(flow.next())) << depth << ": " << link.describe();
      ASSERT_TRUE(link.pass(late)) << depth << ": " << link.describe();
      ASSERT_TRUE(settle(link, flow, 20)) << depth << ": " << link.describe();
      EXPECT_EQ(link.sent.type(), PacketType::kUo0);
    }
  }
}

TEST(SequenceNumber, Duplicates) {
  for (const unsigned version : {4U, 6U}) {
    for (unsigned copies = 1; copies <= 10; ++copies) {
      Link link(without_refreshes());
      SteadyFlow flow = voice(version);
      ASSERT_TRUE(settle(link, flow));
      const Packet packet = build(flow.next());
      for (unsigned i = 0; i <= copies; ++i) ASSERT_TRUE(link.pass(packet)) << link.describe();
      ASSERT_TRUE(settle(link, flow, 20)) << link.describe();
      EXPECT_EQ(link.sent.type(), PacketType::kUo0);
    }
  }
}

TEST(SequenceNumber, AnyOrder) {
  Random random(1);
  for (const unsigned version : {4U, 6U}) {
    Link link;
    SteadyFlow flow = voice(version);
    for (unsigned round = 0; round < 400; ++round) {
      std::vector<Packet> group;
      for (unsigned i = 0; i < 1 + random.below(20); ++i) group.push_back(build(flow.next()));
      for (std::size_t i = group.size(); i > 1; --i)
        std::swap(group[i - 1], group[random.below(static_cast<std::uint32_t>(i))]);
      for (const Packet& packet : group) {
        if (random.chance(0.1)) continue;
        ASSERT_TRUE(link.pass(packet)) << link.describe();
        if (random.chance(0.05)) {
          ASSERT_TRUE(link.pass(packet)) << link.describe();
        }
      }
    }
  }
}

TEST(SequenceNumber, JumpsAnywhere) {
  Random random(2);
  for (const unsigned version : {4U, 6U}) {
    Link link;
    SteadyFlow flow = voice(version);
    for (unsigned i = 0; i < 5000; ++i) {
      if (random.chance(0.3)) flow.spec.rtp->sn = random.word();
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    }
  }
}

}  // namespace
}  // namespace headroom::rohc
