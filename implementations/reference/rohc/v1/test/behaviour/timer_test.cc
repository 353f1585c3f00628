// SPDX-License-Identifier: Apache-2.0
//
// Timer-based compression of the RTP timestamp: RFC 3095 4.5.4, RFC 4815 4.3 and 4.7.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/encoding/lsb.h"
#include "rohc/v1/test/support/hand_made.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::base;
using test::kMillisecond;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::plain_rtp;
using test::Restored;
using test::SteadyFlow;
using test::to_hex;
using wire::AckType;
using wire::Mode;
using wire::PacketType;

// "p = 2^(k-1) - 1": k bits tell a timestamp that lies up to 2^(k-1) - 1 before and 2^(k-1) after the approximation.
TEST(TimedTimestamp, InterpretationInterval) {
  EXPECT_EQ(p_of_timed_timestamp(1), 0);
  EXPECT_EQ(p_of_timed_timestamp(3), 3);
  EXPECT_EQ(p_of_timed_timestamp(5), 15);
  for (std::uint32_t value = 1000 - 15; value <= 1000 + 16; ++value)
    EXPECT_EQ(lsb_decode(value & 31, 5, 1000, p_of_timed_timestamp(5)), value);
  EXPECT_NE(lsb_decode((1000 - 16) & 31, 5, 1000, p_of_timed_timestamp(5)), 1000U - 16);
  EXPECT_NE(lsb_decode((1000 + 17) & 31, 5, 1000, p_of_timed_timestamp(5)), 1000U + 17);
}

// --- Decompressor, by hand ---------------------------------------------------------------------------------------

constexpr std::uint64_t kStart = 5'000 * kMillisecond;

DecompressorConfig with_clock() {
  DecompressorConfig c;
  c.clock_ms = 1;
  return c;
}

class Timed : public testing::Test {
 protected:
  // IR with TS_STRIDE 160 and TIME_STRIDE 20: TS 16000, that is 100 strides, at kStart.
  void establish() {
    test::ChainOptions o = test::with_stride();
    o.extras.time_stride = 20;
    const Packet ir = test::crafted_initialisation(test::kIr, 1, whole_chain(first_, 1, o), first_.payload);
    ASSERT_EQ(give(ir, kStart).status, HEADROOM_OK);
  }
  Restored give(const Packet& packet, std::uint64_t now_ns) { return test::decompress(decompressor_, packet, now_ns); }
  // The packet after the first, `strides` strides later, with `bits` bits of its scaled TS.
  [[nodiscard]] PacketSpec after(std::uint32_t strides) const {
    PacketSpec s = test::later(first_);
    s.rtp->ts = first_.rtp->ts + 160 * strides;
    s.rtp->marker = true;
    return s;
  }
  [[nodiscard]] static Packet uo_1_ts(const PacketSpec& s) {
    wire::BaseHeader h = base(PacketType::kUo1Ts, s);
    h.ts.value = s.rtp->ts / 160;
    return test::crafted(s, h);
  }

  PacketSpec first_ = plain_rtp();
  Decompressor decompressor_{with_clock()};
};

// 20 s of silence are 1000 strides. 5 bits of the timestamp, 1100 = 34 * 32 + 12, do: 10 T=1 01100 | M=1 SN(4) CRC(3).
TEST_F(Timed, SilenceCostsNoBits) {
  establish();
  const PacketSpec s = after(1000);
  const Packet link = uo_1_ts(s);
  EXPECT_EQ(link[0], 0b1010'1100);
  EXPECT_EQ(link[1] >> 3, 0b1'0101);  // M, and SN 101
  const Restored r = give(link, kStart + 20'000 * kMillisecond);
  EXPECT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(to_hex(r.octets), to_hex(build(s)));
}

// Too late by 15 strides, or too early by 16, is still understood: p = 2^4 - 1.
TEST_F(Timed, JitterOfTheArrival) {
  for (int strides = -20; strides <= 20; ++strides) {
    Decompressor fresh(with_clock());
    test::ChainOptions o = test::with_stride();
    o.extras.time_stride = 20;
    const Packet ir = test::crafted_initialisation(test::kIr, 1, whole_chain(first_, 1, o), first_.payload);
    ASSERT_EQ(test::decompress(fresh, ir, kStart).status, HEADROOM_OK);
    const PacketSpec s = after(1000);
    const auto late = static_cast<std::uint64_t>((1000 + strides) * 20);
    const Restored r = test::decompress(fresh, uo_1_ts(s), kStart + late * kMillisecond);
    if (strides >= -16 && strides <= 15) {
      EXPECT_EQ(r.status, HEADROOM_OK) << strides;
      EXPECT_EQ(to_hex(r.octets), to_hex(build(s))) << strides;
    } else {
      EXPECT_NE(to_hex(r.octets), to_hex(build(s))) << strides;  // though a CRC-3 may fit
    }
  }
}

// "Integer arithmetic is used": an arrival within a stride counts as that of the stride that has begun.
TEST_F(Timed, FractionsOfAStride) {
  for (const std::uint64_t ms : {0ULL, 1ULL, 19ULL}) {
    Decompressor fresh(with_clock());
    test::ChainOptions o = test::with_stride();
    o.extras.time_stride = 20;
    const Packet ir = test::crafted_initialisation(test::kIr, 1, whole_chain(first_, 1, o), first_.payload);
    ASSERT_EQ(test::decompress(fresh, ir, kStart).status, HEADROOM_OK);
    const PacketSpec s = after(1000);
    // 15 strides late and a bit: the last that is understood.
    EXPECT_EQ(test::decompress(fresh, uo_1_ts(s), kStart + (1015 * 20 + ms) * kMillisecond).status, HEADROOM_OK) << ms;
  }
}

// "When no timestamp bits are present, the timestamp is linearly inferred from the SN" (RFC 4815 4.7), whatever the
// time.
TEST_F(Timed, WithoutBitsTheSnDecides) {
  establish();
  const PacketSpec s = test::later(first_);
  const Restored r = give(test::crafted(s, base(PacketType::kUo0, s)), kStart + 60'000 * kMillisecond);
  EXPECT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(to_hex(r.octets), to_hex(build(s)));
}

// The reference is the last header, whose arrival counts, be it of the fast path or not.
TEST_F(Timed, TheReferenceMovesOn) {
  establish();
  PacketSpec s = first_;
  std::uint64_t now = kStart;
  for (int i = 0; i < 100; ++i) {
    s = test::later(s);
    now += 20 * kMillisecond;
    ASSERT_EQ(give(test::crafted(s, base(PacketType::kUo0, s)), now).status, HEADROOM_OK);
  }
  s = test::later(s);
  s.rtp->ts += 160 * 5000;
  s.rtp->marker = true;
  const Restored r = give(uo_1_ts(s), now + 5001 * 20 * kMillisecond);
  EXPECT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(to_hex(r.octets), to_hex(build(s)));
}

wire::Extension with_time_stride(std::uint32_t time_stride) {
  wire::Extension e;
  e.kind = 3;
  e.rtp.present = e.rtp.has_time_stride = true;
  e.rtp.mode = Mode::kUnidirectional;
  e.rtp.time_stride = time_stride;
  return e;
}

wire::BaseHeader uor_2_id(const PacketSpec& s) {
  wire::BaseHeader h = base(PacketType::kUor2Id, s);
  h.id.value = static_cast<std::uint32_t>(s.ip.id - s.rtp->sn);  // 4.5.5
  return h;
}

// TIS in extension 3 (5.7.5) sets it and, with 0, takes it back.
TEST_F(Timed, Extension3SetsItAndTakesItBack) {
  const Packet ir =
      test::crafted_initialisation(test::kIr, 1, whole_chain(first_, 1, test::with_stride()), first_.payload);
  ASSERT_EQ(give(ir, kStart).status, HEADROOM_OK);
  PacketSpec s = test::later(first_);
  const Packet set = test::crafted(s, uor_2_id(s), with_time_stride(20));
  // 110 ID=16, the offset being 400 | T=0 M=0 SN=37 | X CRC | 11 S=0 R-TS=0 Tsc=1 I=0 ip=0 rtp=1 | Mode=01 … TIS=1 | 20
  EXPECT_EQ(set[3], 0b1100'1001);
  EXPECT_EQ(set[4], 0b0100'0001);
  EXPECT_EQ(set[5], 20);
  ASSERT_EQ(give(set, kStart + 20 * kMillisecond).status, HEADROOM_OK);
  s = test::later(s);
  s.rtp->ts += 160 * 3000;
  s.rtp->marker = true;
  ASSERT_EQ(to_hex(give(uo_1_ts(s), kStart + 3002 * 20 * kMillisecond).octets), to_hex(build(s)));
  s = test::later(s);
  s.rtp->marker = false;
  const std::uint64_t later = kStart + 3003 * 20 * kMillisecond;
  ASSERT_EQ(give(test::crafted(s, uor_2_id(s), with_time_stride(0)), later).status, HEADROOM_OK);
  // No clock any more: 5 bits reach 24 strides after the reference at most (p = 2^3 - 1).
  s = test::later(s);
  s.rtp->ts += 160 * 20;
  s.rtp->marker = true;
  const Restored r = give(uo_1_ts(s), later + 9'999'000 * kMillisecond);
  EXPECT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(to_hex(r.octets), to_hex(build(s)));
}

TEST_F(Timed, MoreThanAMinuteIsRefused) {
  test::ChainOptions o = test::with_stride();
  o.extras.time_stride = 65'536;
  const Packet ir = test::crafted_initialisation(test::kIr, 1, whole_chain(first_, 1, o), first_.payload);
  EXPECT_EQ(give(ir, kStart).status, HEADROOM_ERR_UNSUPPORTED);
  establish();
  const PacketSpec s = test::later(first_);
  EXPECT_EQ(give(test::crafted(s, base(PacketType::kUor2Id, s), with_time_stride(65'536)), kStart).status,
            HEADROOM_ERR_MALFORMED);
}

// Without a clock the decompressor says so: NACK with CLOCK 0 (5.7.6.7), protected by a CRC.
TEST(NoClock, IsToldToWhoeverAsksForIt) {
  DecompressorConfig config;
  config.mode = Mode::kOptimistic;
  Decompressor decompressor(config);
  const PacketSpec first = plain_rtp();
  const auto give = [&](const Packet& p) { return test::decompress(decompressor, p, kStart).status; };
  ASSERT_EQ(give(test::crafted_initialisation(test::kIr, 1, whole_chain(first, 1, test::with_stride()), first.payload)),
            HEADROOM_OK);
  (void)test::take_all(decompressor.own_feedback());
  const PacketSpec s = test::later(first);
  EXPECT_EQ(give(test::crafted(s, base(PacketType::kUor2Id, s), with_time_stride(20))), HEADROOM_ERR_MALFORMED);
  const auto said = test::take_all(decompressor.own_feedback());
  ASSERT_EQ(said.size(), 1U);
  const wire::Feedback f = test::read(said[0], false);
  EXPECT_EQ(f.ack, AckType::kNack);
  EXPECT_EQ(f.clock_ms, 0);
  EXPECT_TRUE(f.crc);
  EXPECT_EQ(f.sn, 100U);
}

// --- Compressor --------------------------------------------------------------------------------------------------

CompressorConfig timed_compressor(TimerTs when = TimerTs::kAlways) {
  CompressorConfig c = test::without_refreshes();
  c.timer_ts = when;
  c.timer_stride_ms = 20;
  return c;
}

class TimedLink : public testing::Test {
 protected:
  // `strides` strides of silence, and the first packet of the talkspurt after it.
  [[nodiscard]] bool talk_again(Link& link, SteadyFlow& flow, std::uint32_t strides, std::int64_t off_ms = 0) {
    link.now_ns += static_cast<std::uint64_t>(strides * 20 + off_ms) * kMillisecond;
    PacketSpec& s = flow.next();
    s.rtp->ts += 160 * strides;
    s.rtp->marker = true;
    return link.pass(s);
  }

  SteadyFlow flow_{plain_rtp()};
};

// J = 0 + 20 ms / 20 ms + 2 = 3, k = ceil(log2(7)) = 3: the five bits of UO-1-TS suffice after any silence.
TEST_F(TimedLink, AnySilenceTakesTwoOctets) {
  Link link(timed_compressor(), with_clock());
  ASSERT_TRUE(settle(link, flow_));
  for (const std::uint32_t strides : {1U, 31U, 1000U, 100'000U, 1'000'000U}) {
    ASSERT_TRUE(talk_again(link, flow_, strides)) << link.describe();
    EXPECT_EQ(link.sent.type(), PacketType::kUo1Ts) << strides;
    EXPECT_EQ(link.sent.header(), 2U) << strides;
    EXPECT_EQ(link.sent.octets[0] & 0x1f, flow_.spec.rtp->ts / 160 & 0x1f);
    ASSERT_TRUE(settle(link, flow_, 10));
  }
  // The same without a clock.
  Link plain(test::without_refreshes(), DecompressorConfig{});
  SteadyFlow other(plain_rtp());
  ASSERT_TRUE(settle(plain, other));
  ASSERT_TRUE(talk_again(plain, other, 1000));
  EXPECT_GT(plain.sent.header(), 3U);
}

// TIME_STRIDE goes with IR and IR-DYN, and with `repeats` packets after it has been decided on.
TEST_F(TimedLink, ItIsTold) {
  CompressorConfig c = timed_compressor();
  c.timer_stride_ms = 0;
  Link link(c, with_clock());
  unsigned told = 0;
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(link.pass(flow_.next())) << link.describe();
    // UOR-2-ID with extension 3, flags "rtp" and TIS, and as its last octet TIME_STRIDE.
    if (link.sent.type() == PacketType::kUor2Id && (link.sent.octets[2] & 0x80) != 0 &&
        (link.sent.octets[4] & 1) != 0) {
      ++told;
      EXPECT_EQ(link.sent.octets[link.sent.header() - 1], 20);
    }
  }
  EXPECT_EQ(told, 4U);
  ASSERT_EQ(link.sent.state(), CompressorState::kSo);
  link.compressor.reinitialize();
  ASSERT_TRUE(link.pass(flow_.next()));
  ASSERT_EQ(link.sent.type(), PacketType::kIr);
  EXPECT_EQ(link.sent.octets[link.sent.header() - 1], 20);  // the last field of the dynamic chain
}

// Jitter in front of the compressor takes more bits: off by 20 strides makes J = 23, k = 6.
TEST_F(TimedLink, JitterTakesBits) {
  Link link(timed_compressor(), with_clock());
  ASSERT_TRUE(settle(link, flow_));
  ASSERT_TRUE(talk_again(link, flow_, 500, 20 * 20));
  EXPECT_EQ(link.sent.type(), PacketType::kUor2Ts);  // with extension 0: 5 + 3 bits
  EXPECT_EQ(link.sent.header(), 4U);
  ASSERT_TRUE(settle(link, flow_, 10));
  // A flow that has nothing to do with the clock loses it, and gets it back when it keeps to it.
  link.now_ns += 3'000'000 * kMillisecond;
  ASSERT_TRUE(link.pass(flow_.next())) << link.describe();
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(link.pass(flow_.next())) << link.describe();
  ASSERT_TRUE(talk_again(link, flow_, 5000)) << link.describe();
  EXPECT_EQ(link.sent.header(), 2U);
}

// "Before timer-based compression can be used, the decompressor has to inform the compressor (on a per-channel basis)
// about its clock resolution by sending a CLOCK feedback option for any CID on the channel" (RFC 4815 4.7).
TEST_F(TimedLink, NegotiatedByClock) {
  DecompressorConfig d = with_clock();
  d.mode = Mode::kOptimistic;
  d.clock_ms = 10;
  Link link(timed_compressor(TimerTs::kNegotiated), d);
  ASSERT_TRUE(link.pass(flow_.next()));
  const auto said = link.carry_feedback();
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said[0].clock_ms, 10);
  EXPECT_TRUE(said[0].crc);
  ASSERT_TRUE(settle(link, flow_));
  ASSERT_TRUE(talk_again(link, flow_, 3000));
  EXPECT_EQ(link.sent.header(), 2U);
  // Another CID of the channel need not ask again.
  SteadyFlow other(plain_rtp());
  other.spec.rtp->ssrc = 99;
  ASSERT_TRUE(settle(link, other));
  ASSERT_TRUE(talk_again(link, other, 3000));
  EXPECT_EQ(link.sent.header(), 3U);  // Add-CID
}

TEST_F(TimedLink, NotBeforeAClockIsKnown) {
  Link link(timed_compressor(TimerTs::kNegotiated), with_clock());
  ASSERT_TRUE(settle(link, flow_));
  ASSERT_TRUE(talk_again(link, flow_, 3000));
  EXPECT_GT(link.sent.header(), 3U);
}

// CLOCK 0: "the decompressor cannot do timer-based compression". TIME_STRIDE 0 then goes out with extension 3.
TEST_F(TimedLink, ClockZeroEndsIt) {
  Link link(timed_compressor(), with_clock());
  ASSERT_TRUE(settle(link, flow_));
  wire::Feedback f = test::feedback_2(AckType::kAck, Mode::kUnidirectional, flow_.spec.rtp->sn);
  f.clock_ms = 0;
  f.crc = false;
  link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(link.pass(flow_.next())) << link.describe();
    ASSERT_EQ(link.sent.type(), PacketType::kUor2Id);
    EXPECT_EQ(link.sent.octets[4] & 1, 1);                   // TIS
    EXPECT_EQ(link.sent.octets[link.sent.header() - 1], 0);  // TIME_STRIDE
  }
  ASSERT_TRUE(settle(link, flow_));
  ASSERT_TRUE(talk_again(link, flow_, 3000)) << link.describe();
  EXPECT_GT(link.sent.header(), 3U);
}

// A CLOCK option without the CRC that it SHOULD have is not believed.
TEST_F(TimedLink, ClockWithoutCrc) {
  Link link(timed_compressor(TimerTs::kNegotiated), with_clock());
  ASSERT_TRUE(settle(link, flow_));
  wire::Feedback f = test::feedback_2(AckType::kAck, Mode::kUnidirectional, flow_.spec.rtp->sn);
  f.clock_ms = 1;
  for (const bool crc : {false, true}) {
    f.crc = crc;
    link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
    ASSERT_TRUE(talk_again(link, flow_, 40));
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(link.pass(flow_.next()));
    ASSERT_TRUE(talk_again(link, flow_, 3000)) << link.describe();
    EXPECT_EQ(link.sent.header() == 2U, crc);
    ASSERT_TRUE(settle(link, flow_, 20));
  }
}

// JITTER raises J (5.7.6.8): with a Max_Jitter of 40, J = 42 and k = 7.
TEST_F(TimedLink, JitterOption) {
  Link link(timed_compressor(), with_clock());
  ASSERT_TRUE(settle(link, flow_));
  wire::Feedback f = test::feedback_2(AckType::kAck, Mode::kUnidirectional, flow_.spec.rtp->sn);
  f.max_jitter = 40;
  f.crc = true;
  link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
  ASSERT_TRUE(settle(link, flow_, 10));  // the feedback made it tell the mode
  ASSERT_TRUE(talk_again(link, flow_, 3000));
  EXPECT_EQ(link.sent.header(), 4U);
  ASSERT_TRUE(settle(link, flow_, 10));
  f.max_jitter = 3;  // "MAY ignore decreasing Max_Jitter values"
  link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
  ASSERT_TRUE(talk_again(link, flow_, 3000));
  EXPECT_EQ(link.sent.header(), 4U);
}

// A clock of 100 ms where TIME_STRIDE is 20: (100 - 20) / 20 = 4 strides of additional jitter, J = 7, k = 4; one of 255
// ms: 12, J = 15, k = 5; J = 16 would take 6.
TEST_F(TimedLink, CoarseClock) {
  Link link(timed_compressor(TimerTs::kNegotiated), with_clock());
  wire::Feedback f = test::feedback_2(AckType::kAck, Mode::kUnidirectional, 0);
  f.crc = true;
  f.clock_ms = 255;
  ASSERT_TRUE(link.pass(flow_.next()));
  link.compressor.give_feedback(0, test::feedback_element(f), link.now_ns);
  ASSERT_TRUE(settle(link, flow_));
  ASSERT_TRUE(talk_again(link, flow_, 3000));
  EXPECT_EQ(link.sent.header(), 2U);
  ASSERT_TRUE(settle(link, flow_, 10));
  ASSERT_TRUE(talk_again(link, flow_, 3000, -20));  // one stride early: J = 16
  EXPECT_GT(link.sent.header(), 2U);
}

// A new TS_STRIDE makes another TIME_STRIDE: nothing may go wrong in between.
TEST_F(TimedLink, AnotherStride) {
  CompressorConfig c = timed_compressor();
  c.timer_stride_ms = 0;
  Link link(c, with_clock());
  ASSERT_TRUE(settle(link, flow_, 60));
  flow_.ts_stride = 240;
  link.step_ns = 30 * kMillisecond;
  for (int i = 0; i < 80; ++i) ASSERT_TRUE(link.pass(flow_.next())) << i << link.describe();
  link.now_ns += 3000 * 30 * kMillisecond;
  PacketSpec& s = flow_.next();
  s.rtp->ts += 240 * 3000;
  s.rtp->marker = true;
  ASSERT_TRUE(link.pass(s)) << link.describe();
  EXPECT_EQ(link.sent.header(), 2U);
}

// Talkspurts and silence, jitter on both sides of the compressor, losses in O-mode with feedback: whatever is delivered
// is right, and nothing that arrives is refused while losses stay within the window.
class TimedSoak : public testing::TestWithParam<unsigned> {};

TEST_P(TimedSoak, NothingGoesWrong) {
  test::Random random(GetParam());
  DecompressorConfig d = with_clock();
  d.mode = GetParam() % 2 == 0 ? Mode::kOptimistic : Mode::kUnidirectional;
  d.ack_ir_in_u_mode = 1;
  d.report_jitter = d.report_loss = GetParam() % 3 == 0;
  CompressorConfig c;
  c.timer_ts = TimerTs::kNegotiated;
  c.timer_jitter_ms = 60;
  Link link(c, d);
  SteadyFlow flow(test::rtp_packet(GetParam() % 4 < 2 ? 4 : 6), 160);
  std::uint64_t source_ns = 1'000 * kMillisecond;
  std::uint64_t sent_at = 0, arrived_at = 0;
  unsigned refused = 0, in_a_row = 0;
  for (int i = 0; i < 6000; ++i) {
    const bool silence = random.below(50) == 0;
    const std::uint32_t strides = silence ? random.below(3000) : 0;
    source_ns += (strides + 1) * 20 * kMillisecond;
    PacketSpec& s = flow.next();
    s.rtp->ts += 160 * strides;
    s.rtp->marker = silence;
    sent_at = std::max(sent_at, source_ns + random.below(100) * kMillisecond);
    arrived_at = std::max(arrived_at, sent_at + random.below(60) * kMillisecond);
    const Packet packet = build(s);
    const test::Compressed sent = test::compress(link.compressor, packet, sent_at);
    ASSERT_EQ(sent.status, HEADROOM_OK);
    if (random.below(20) == 0 && in_a_row < 2) {
      ++in_a_row;
      continue;
    }
    in_a_row = 0;
    const Restored r = test::decompress(link.decompressor, sent.octets, arrived_at);
    link.now_ns = sent_at;
    (void)link.carry_feedback();
    if (r.status == HEADROOM_OK) {
      ASSERT_EQ(to_hex(r.octets), to_hex(packet)) << i;
    } else {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimedSoak, testing::Range(1U, 13U));

}  // namespace
}  // namespace headroom::rohc
