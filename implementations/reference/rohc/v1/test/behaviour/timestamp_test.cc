// SPDX-License-Identifier: Apache-2.0
//
// Scaled RTP timestamps (RFC 3095 4.5.3, RFC 4815 4): TS_STRIDE learnt and changed, timestamps off the grid, several
// packets with one timestamp, and wraparound with strides that are a power of two and that are not.
#include <gtest/gtest.h>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"
#include "rohc/v1/wire/extension.h"

namespace headroom::rohc {
namespace {

using test::Link;
using test::rtp_packet;
using test::SteadyFlow;
using test::without_refreshes;
using wire::PacketType;

constexpr unsigned kRepeats = CompressorConfig{}.repeats;

// Extension 3 of the UOR-2 on the link: CID 0, no T bit (IPv6), so it begins behind three octets.
wire::Extension extension_3(const Link& link) {
  EXPECT_EQ(link.sent.type(), PacketType::kUor2);
  wire::Reader in(Octets(link.sent.octets).subspan(3));
  const auto e = wire::read_extension(in, wire::Format::kRtp, wire::TField::kBothTs);
  EXPECT_TRUE(e.has_value() && e->kind == 3) << link.describe();
  return e.value_or(wire::Extension{});
}

SteadyFlow flow_at(std::uint32_t ts, std::uint32_t stride) {
  SteadyFlow flow(rtp_packet(6), stride);
  flow.spec.udp->checksum = false;
  flow.spec.rtp->ts = ts;
  return flow;
}

TEST(Timestamp, StrideIsLearntAndToldWithAnUnscaledTimestamp) {
  for (const std::uint32_t stride : {1U, 90U, 160U, 240U, 3000U, 90000U, 1'000'000U}) {
    Link link(without_refreshes());
    SteadyFlow flow = flow_at(1000, stride);
    unsigned told = 0;
    for (unsigned i = 0; i < 30; ++i) {
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      if (link.sent.type() != PacketType::kUor2) continue;
      const wire::Extension e = extension_3(link);
      EXPECT_TRUE(e.rtp.has_ts_stride);
      EXPECT_EQ(e.rtp.ts_stride, stride);
      EXPECT_FALSE(e.tsc) << "an unscaled TS is needed together with TS_STRIDE (RFC 4815 4.6)";
      EXPECT_NE(e.ts.width, 0);
      ++told;
    }
    EXPECT_GE(told + kRepeats - 1, kRepeats) << "IR packets have told it, too";
    EXPECT_EQ(link.sent.type(), PacketType::kUo0) << stride;
  }
}

// With so large a stride TS wraps around every eight packets, and is told anew each time.
TEST(Timestamp, LargestStrideThatCanBeTold) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(1000, (1U << 29) - 1);
  bool told = false;
  for (unsigned i = 0; i < 60; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    if (link.sent.type() == PacketType::kUor2) told |= extension_3(link).rtp.ts_stride == flow.ts_stride;
  }
  EXPECT_TRUE(told);
}

TEST(Timestamp, StrideBeyondWhatCanBeToldGoesUnscaled) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(1000, 1U << 29);
  for (unsigned i = 0; i < 60; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_NE(link.sent.type(), PacketType::kUo0);
  }
}

TEST(Timestamp, ChangedStrideIsLearntAnew) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(1000, 160);
  ASSERT_TRUE(settle(link, flow));
  flow.ts_stride = 240;  // not a multiple of 160
  unsigned until = 0;
  for (unsigned i = 0; i < 40; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    if (link.sent.type() != PacketType::kUo0) until = i + 1;
  }
  EXPECT_LE(until, 4 * kRepeats);
  EXPECT_EQ(link.sent.type(), PacketType::kUo0);
}

// Talk spurts: TS goes on by a multiple of the stride. Two octets tell (UO-1).
TEST(Timestamp, JumpsByMultiplesStayScaled) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(1000, 160);
  ASSERT_TRUE(settle(link, flow));
  flow.next().rtp->marker = true;
  flow.spec.rtp->ts += 20 * 160;
  ASSERT_TRUE(link.pass(flow.spec));
  EXPECT_EQ(link.sent.type(), PacketType::kUo1);
  EXPECT_EQ(link.sent.header(), 2U);
  ASSERT_TRUE(settle(link, flow, 10));
  EXPECT_EQ(link.sent.type(), PacketType::kUo0) << "the stride has not been forgotten";
}

TEST(Timestamp, LongSilences) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(1000, 160);
  ASSERT_TRUE(settle(link, flow));
  for (const std::uint32_t strides : {40U, 500U, 30'000U, 2'000'000U, 13'000'000U}) {
    flow.next().rtp->ts += strides * 160;
    ASSERT_TRUE(link.pass(flow.spec)) << strides << ": " << link.describe();
    ASSERT_TRUE(settle(link, flow, 20)) << link.describe();
  }
}

// "TS can be sent unscaled if the TS value change does not match the established TS_STRIDE, but the TS_STRIDE might
// still stay unchanged … the decompressor MUST therefore always recalculate TS_OFFSET" (RFC 4815 4.5).
TEST(Timestamp, OffTheGridGoesUnscaledAndMovesTheOffset) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(1000, 160);
  ASSERT_TRUE(settle(link, flow));
  flow.next().rtp->ts += 7;
  for (unsigned i = 0; i < kRepeats; ++i) {
    ASSERT_TRUE(link.pass(i == 0 ? flow.spec : flow.next())) << link.describe();
    const wire::Extension e = extension_3(link);
    EXPECT_FALSE(e.tsc);
    EXPECT_NE(e.ts.width, 0);
    EXPECT_FALSE(e.rtp.has_ts_stride) << "the stride is as it was";
  }
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  flow.next().rtp->ts += 160;  // scaled again, with the new offset
  ASSERT_TRUE(link.pass(flow.spec)) << link.describe();
  EXPECT_EQ(link.sent.type(), PacketType::kUo1);
}

// Video: several packets carry one frame and its timestamp.
TEST(Timestamp, SeveralPacketsOfOneFrame) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(1000, 0);
  for (unsigned frame = 0; frame < 60; ++frame) {
    flow.spec.rtp->ts += 3600;
    for (unsigned i = 0; i < 7; ++i) {
      flow.next().rtp->marker = i == 6;
      ASSERT_TRUE(link.pass(flow.spec)) << "frame " << frame << ": " << link.describe();
    }
  }
  EXPECT_LE(link.sent.header(), 3U);
}

TEST(Timestamp, GoesBack) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(1'000'000, 160);
  ASSERT_TRUE(settle(link, flow));
  for (const std::uint32_t back : {160U, 320U, 16'000U, 500'000U, 77U}) {
    flow.next().rtp->ts -= back;
    ASSERT_TRUE(link.pass(flow.spec)) << back << ": " << link.describe();
    ASSERT_TRUE(settle(link, flow, 20));
  }
}

TEST(Timestamp, AnythingGoes) {
  test::Random random(1);
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(0, 160);
  for (unsigned i = 0; i < 5000; ++i) {
    if (random.flip()) flow.next();
    flow.spec.rtp->ts = random.word32();
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  }
}

// --- Wraparound (RFC 4815 4.4.2, 4.4.3) ------------------------------------------------------------------------------

// Packets around the wraparound that were not UO-0.
unsigned told_at_wraparound(Link& link, std::uint32_t stride, std::uint32_t phase) {
  SteadyFlow flow = flow_at(0U - 60 * stride - phase, stride);
  EXPECT_TRUE(settle(link, flow, 40)) << link.describe();
  unsigned told = 0;
  for (unsigned i = 0; i < 60; ++i) {
    EXPECT_TRUE(link.pass(flow.next())) << "stride " << stride << ": " << link.describe();
    if (link.sent.type() == PacketType::kUo0) continue;
    ++told;
    EXPECT_FALSE(extension_3(link).tsc) << "the compressor SHOULD reinitialize TS_OFFSET … by sending unscaled TS";
  }
  EXPECT_LT(flow.spec.rtp->ts, 0x80000000U) << "it has wrapped";
  return told;
}

TEST(TimestampWraparound, OffsetIsToldAnewUnlessTheStrideIsAPowerOfTwo) {
  for (const bool fast : {true, false}) {
    for (const auto& [stride, told] :
         {std::pair{160U, kRepeats}, {240U, kRepeats}, {3000U, kRepeats}, {256U, 0U}, {1U, 0U}, {32768U, 0U}}) {
      for (const std::uint32_t phase : {0U, 13U}) {
        Link link(without_refreshes());
        if (!fast) link.compressor.disable_fast_path();
        EXPECT_EQ(told_at_wraparound(link, stride, phase), told)
            << "stride " << stride << ", phase " << phase << ", fast " << fast;
      }
    }
  }
}

// The example of 4.5.3, point 4: stride 160, TS = fffffff0, then 00000130.
TEST(TimestampWraparound, ExampleOfTheText) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(0xfffffff0U - 40 * 160, 160);
  ASSERT_TRUE(settle(link, flow, 40));
  ASSERT_EQ(flow.spec.rtp->ts, 0xfffffff0U);
  flow.next();
  flow.spec.rtp->ts = 0x00000130;
  ASSERT_TRUE(link.pass(flow.spec)) << link.describe();
  ASSERT_TRUE(settle(link, flow, 20));
  flow.next().rtp->ts += 1600;  // scaled, with the offset of 144 that the text works out
  ASSERT_TRUE(link.pass(flow.spec));
  EXPECT_EQ(link.sent.type(), PacketType::kUo1);
}

TEST(TimestampWraparound, BackAndForthAcrossIt) {
  Link link(without_refreshes());
  SteadyFlow flow = flow_at(0U - 45 * 160, 160);
  ASSERT_TRUE(settle(link, flow, 40));
  for (const int strides : {10, -12, 20, -20, 3, -1, 1}) {
    flow.next().rtp->ts += static_cast<std::uint32_t>(strides * 160);
    ASSERT_TRUE(link.pass(flow.spec)) << strides << ": " << link.describe();
  }
  ASSERT_TRUE(settle(link, flow, 30));
}

}  // namespace
}  // namespace headroom::rohc
