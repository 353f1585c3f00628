// SPDX-License-Identifier: Apache-2.0
//
// Timer-based compression of the RTP timestamp where TIME_STRIDE begins, ends, or is left from another flow: RFC 3095
// 4.5.4, RFC 4815 6.3, 7.2.1 and 8.11.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/hand_made.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::base;
using test::kMillisecond;
using test::Packet;
using test::PacketSpec;
using test::plain_rtp;
using test::Restored;
using test::SteadyFlow;
using test::to_hex;
using wire::Mode;
using wire::PacketType;

constexpr std::uint64_t kStart = 5'000 * kMillisecond;

DecompressorConfig with_clock(Mode mode = Mode::kUnidirectional) {
  DecompressorConfig d;
  d.clock_ms = 1;
  d.mode = mode;
  d.ack_ir_in_u_mode = 1;  // in U-mode, nothing else would tell the clock
  return d;
}

Packet ir_with(const PacketSpec& s, std::optional<std::uint32_t> time_stride, bool ts_stride = true) {
  test::ChainOptions o = ts_stride ? test::with_stride() : test::ChainOptions{};
  if (time_stride) {
    o.extras.has_time_stride = true;
    o.extras.time_stride = *time_stride;
  }
  return test::crafted_initialisation(test::kIr, 1, whole_chain(s, 1, o), s.payload);
}

Packet uo_1_ts(const PacketSpec& s) {
  wire::BaseHeader h = base(PacketType::kUo1Ts, s);
  h.ts.value = s.rtp->ts / 160;
  return test::crafted(s, h);
}

class Clocked : public testing::Test {
 protected:
  Restored give(const Packet& packet, std::uint64_t now_ns) { return test::decompress(decompressor_, packet, now_ns); }
  void expect(const Packet& link, const PacketSpec& original, std::uint64_t now_ns) {
    const Restored r = give(link, now_ns);
    EXPECT_EQ(r.status, HEADROOM_OK);
    EXPECT_EQ(to_hex(r.octets), to_hex(build(original)));
  }

  PacketSpec first_ = plain_rtp();
  Decompressor decompressor_{with_clock()};
};

// "These fields are not used for decompression of the RTP TS field for this packet type" (RFC 4815 8.11): that of the
// packet which brings TIME_STRIDE lies near the reference, though a minute has passed.
TEST_F(Clocked, TimeStrideIsForThePacketsBehind) {
  ASSERT_EQ(give(ir_with(first_, std::nullopt), kStart).status, HEADROOM_OK);
  PacketSpec s = test::later(first_);
  wire::Extension e;
  e.kind = 3;
  e.rtp.present = e.rtp.has_time_stride = true;
  e.rtp.mode = Mode::kUnidirectional;
  e.rtp.time_stride = 20;
  wire::BaseHeader h = base(PacketType::kUor2Ts, s);
  h.ts.value = s.rtp->ts / 160;
  expect(test::crafted(s, h, e), s, kStart + 60'000 * kMillisecond);
  s = test::later(s);
  s.rtp->ts += 160 * 3000;
  expect(uo_1_ts(s), s, kStart + 120'020 * kMillisecond);
  // And the one that takes it back goes by it still.
  s = test::later(s);
  s.rtp->ts += 160 * 3000;
  e.rtp.time_stride = 0;
  h = base(PacketType::kUor2Ts, s);
  h.ts.value = s.rtp->ts / 160;
  expect(test::crafted(s, h, e), s, kStart + 180'040 * kMillisecond);
}

// A compressor that does not say what the strides of its new flow are can only take them for the initial values.
TEST_F(Clocked, AnotherFlowBeginsWithInitialStrides) {
  ASSERT_EQ(give(ir_with(first_, 20), kStart).status, HEADROOM_OK);
  PacketSpec other = first_;
  other.rtp->ssrc ^= 1;
  ASSERT_EQ(give(ir_with(other, std::nullopt, false), kStart).status, HEADROOM_OK);
  PacketSpec s = test::later(other);
  s.rtp->ts = other.rtp->ts + 1;  // TS_STRIDE 1
  expect(test::crafted(s, base(PacketType::kUo0, s)), s, kStart + 20 * kMillisecond);
  PacketSpec far = test::later(s);
  far.rtp->ts = s.rtp->ts + 5;
  wire::BaseHeader h = base(PacketType::kUo1Ts, far);
  h.ts.value = far.rtp->ts;
  expect(test::crafted(far, h), far, kStart + 60'000 * kMillisecond);
}

// The same flow again: what its IR packet does not carry stays (RFC 4815 6.3).
TEST_F(Clocked, TheSameFlowKeepsItsStrides) {
  ASSERT_EQ(give(ir_with(first_, 20), kStart).status, HEADROOM_OK);
  PacketSpec s = test::later(first_);
  s.ip.ttl = 9;
  ASSERT_EQ(give(ir_with(s, std::nullopt, false), kStart).status, HEADROOM_OK);
  s = test::later(s);
  s.rtp->ts += 160 * 1000;
  expect(uo_1_ts(s), s, kStart + 1001 * 20 * kMillisecond);
}

CompressorConfig one_context(TimerTs when) {
  CompressorConfig c = test::without_refreshes();
  c.timer_ts = when;
  c.timer_stride_ms = 20;
  c.channel.max_cid = 0;
  return c;
}

// Octets of TIME_STRIDE in the dynamic chain of a compressed IR of plain_rtp(), or nothing: flags octet "RX = 1" at the
// beginning of the RTP part tells whether there are any.
std::optional<std::uint8_t> time_stride_in(const test::Compressed& sent) {
  EXPECT_EQ(sent.type(), PacketType::kIr);
  // V P RX CC | M PT | SN | TS | CSRC list | X Mode TIS TSS | …: the chain ends with them.
  constexpr std::size_t kRtp = 3 + 10 + 4 + 4 + 6 + 2;  // IR, IPv4, UDP, SSRC; IPv4, UDP
  const std::uint8_t* rtp = sent.octets.data() + kRtp;
  if ((rtp[0] & 0x10) == 0) return std::nullopt;
  const std::uint8_t flags = rtp[9];
  if ((flags & 0x02) == 0) return std::nullopt;
  return sent.octets[sent.header() - 1];
}

// Once a CID has been told a TIME_STRIDE, every IR packet on it has the field.
TEST(ReusedCid, TimeStrideIsTakenBackFromTheNextFlow) {
  CompressorConfig c = one_context(TimerTs::kAlways);
  Compressor compressor(c);
  SteadyFlow former(plain_rtp());
  std::uint64_t now = kStart;
  for (int i = 0; i < 20; ++i) {
    now += 20 * kMillisecond;
    (void)test::compress(compressor, build(former.next()), now);
  }
  PacketSpec spec = plain_rtp();
  spec.rtp->ssrc = 7;
  SteadyFlow flow(spec);
  const test::Compressed ir = test::compress(compressor, build(flow.next()), now);
  EXPECT_EQ(time_stride_in(ir), std::uint8_t{0});
}

// A flow whose TIME_STRIDE was taken back says so in IR packets, as long as it lasts (RFC 4815 8.11).
TEST(ReusedCid, IrPacketsGoOnSayingZero) {
  Compressor compressor(one_context(TimerTs::kAlways));
  SteadyFlow flow(plain_rtp());
  std::uint64_t now = kStart;
  const auto send = [&] {
    now += 20 * kMillisecond;
    return test::compress(compressor, build(flow.next()), now);
  };
  EXPECT_EQ(time_stride_in(send()), std::nullopt);
  for (int i = 0; i < 20; ++i) (void)send();
  wire::Feedback f = test::feedback_2(wire::AckType::kAck, Mode::kUnidirectional, flow.spec.rtp->sn);
  f.clock_ms = 0;
  compressor.give_feedback(0, test::feedback_element(f), now);
  for (int i = 0; i < 20; ++i) (void)send();
  compressor.reinitialize();
  EXPECT_EQ(time_stride_in(send()), std::uint8_t{0});
}

struct Reuse {
  const char* name;
  Mode mode;
  TimerTs when;
};

class Reused : public testing::TestWithParam<Reuse> {};

// Many flows over few CIDs and a perfect link: all packets arrive as they were.
TEST_P(Reused, EveryPacketArrives) {
  const Reuse& p = GetParam();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    test::Random random(seed);
    CompressorConfig c;
    c.timer_ts = p.when;
    c.channel.max_cid = 3;
    DecompressorConfig d = with_clock(p.mode);
    d.channel = c.channel;
    Compressor compressor(c);
    Decompressor decompressor(d);
    std::vector<SteadyFlow> flows;
    for (std::uint32_t i = 0; i < 12; ++i) {
      PacketSpec s = plain_rtp(i % 2 == 0 ? 4 : 6);
      s.rtp->ssrc = i;
      s.rtp->ts = random.word32();
      flows.emplace_back(s);
    }
    std::uint64_t now = kStart;
    for (int i = 0; i < 6000; ++i) {
      SteadyFlow& flow = flows[static_cast<std::size_t>(i / 40) * 5 % 12];  // each for a while
      PacketSpec& s = flow.next();
      now += 20 * kMillisecond;
      // Time without timestamps, timestamps without time, or both: where a wrong clock shows.
      if (random.below(6) == 0) now += random.below(2000) * kMillisecond;
      if (random.below(6) == 0) {
        s.rtp->ts += 160 * random.below(20);
        s.rtp->marker = true;
      }
      const Packet packet = build(s);
      const test::Compressed sent = test::compress(compressor, packet, now);
      ASSERT_EQ(sent.status, HEADROOM_OK);
      const Restored r = test::decompress(decompressor, sent.octets, now);
      ASSERT_EQ(r.status, HEADROOM_OK) << "packet " << i << " of seed " << seed << ", " << test::name_of(sent.type());
      ASSERT_EQ(to_hex(r.octets), to_hex(packet)) << "packet " << i << " of seed " << seed;
      for (const auto& f : test::take_all(decompressor.own_feedback())) compressor.give_feedback(0, f.octets, now);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, Reused,
                         testing::Values(Reuse{"UNegotiated", Mode::kUnidirectional, TimerTs::kNegotiated},
                                         Reuse{"ONegotiated", Mode::kOptimistic, TimerTs::kNegotiated},
                                         Reuse{"UAlways", Mode::kUnidirectional, TimerTs::kAlways},
                                         Reuse{"OAlways", Mode::kOptimistic, TimerTs::kAlways}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Ten packets at one instant and silence right behind: the packet that carries TIME_STRIDE comes long after its
// reference.
TEST(FirstTimeStride, AfterABurstAndAPause) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    test::Random random(seed);
    CompressorConfig c;
    c.timer_ts = TimerTs::kAlways;
    Compressor compressor(c);
    Decompressor decompressor(with_clock(Mode::kOptimistic));
    SteadyFlow flow(plain_rtp());
    std::uint64_t now = kStart;
    for (int i = 0; i < 60; ++i) {
      now += (random.below(20) == 0 ? random.below(400) : i / 10 % 3 == 0 ? 0 : 20) * kMillisecond;
      PacketSpec& s = flow.next();
      if (random.below(10) == 0) {
        s.rtp->ts += 160 * random.below(20);
        s.rtp->marker = true;
      }
      const Packet packet = build(s);
      const Restored r = test::decompress(decompressor, test::compress(compressor, packet, now).octets, now);
      ASSERT_EQ(r.status, HEADROOM_OK) << "packet " << i << " of seed " << seed;
      ASSERT_EQ(to_hex(r.octets), to_hex(packet)) << "packet " << i << " of seed " << seed;
      for (const auto& f : test::take_all(decompressor.own_feedback())) compressor.give_feedback(0, f.octets, now);
    }
  }
}

}  // namespace
}  // namespace headroom::rohc
