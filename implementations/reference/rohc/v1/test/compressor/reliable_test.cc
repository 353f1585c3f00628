// SPDX-License-Identifier: Apache-2.0
//
// The window of R-mode (RFC 3095 5.5.1.2): nothing leaves it but by an ACK, an ACK is for an update that was sent, and
// what does not fit is still known by its SNs.
#include "rohc/v1/compressor/reliable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/compressor/choose.h"
#include "rohc/v1/test/support/link.h"

namespace headroom::rohc {
namespace {

using wire::PacketType;

constexpr std::uint32_t kStride = 160;

class Window : public testing::Test {
 protected:
  Window() {
    c.mode = wire::Mode::kReliable;
    c.profile = wire::Profile::kRtp;
    c.ts_stride = kStride;
    h.id_behaviour = IpIdBehaviour::kNone;
    h.ir_left = 1;  // so that prepare_reliably() leaves far references alone
  }

  [[nodiscard]] Flow flow() { return {c, h, nullptr, config, &w}; }

  void send(unsigned sn, bool update = true, std::uint32_t off_line = 0) {
    PacketFields f;
    f.sn = static_cast<std::uint16_t>(sn);
    f.ts = f.sn * kStride + off_line;
    prepare_reliably(flow(), f);
    count_reliably(flow(), f, update ? PacketType::kUor2 : PacketType::kR0);
    c.sn = f.sn;
    c.ts = f.ts;
  }
  bool ack(unsigned sn) { return acknowledge_update(w, static_cast<std::uint16_t>(sn)); }

  // R-0 packets that are as predicted, by the general path: true for each. What the context says is left to catch_up().
  void send_predicted(unsigned packets, bool fast) {
    for (unsigned i = 0; i < packets; ++i) {
      if (fast) {
        ++c.sn;
        c.ts += kStride;
        ++c.fast_run;
        continue;
      }
      PacketFields f;
      f.sn = static_cast<std::uint16_t>(c.sn + 1);
      f.ts = c.ts + kStride;
      Needs needs;
      prepare_reliably(flow(), f);
      plan_update(flow(), f, needs);
      EXPECT_FALSE(needs.update);
      count_reliably(flow(), f, PacketType::kR0);
      c.sn = f.sn;
      c.ts = f.ts;
    }
    catch_up_reliably(flow());
    c.fast_run = 0;
  }

  // SNs at the ends of the runs, oldest first; those of which no more is known are negative.
  [[nodiscard]] std::vector<int> ends() {
    std::vector<int> all;
    each_reference(flow(), [&](const Reference& r, std::uint16_t, Known known) {
      all.push_back(known == Known::kAll ? r.sn : -r.sn);
    });
    return all;
  }

  CompressorContext c{};
  FlowHistory h{};
  CompressorConfig config;
  ReliableWindow w{};
};

TEST_F(Window, UpdatesOnOneLineAreOneRun) {
  for (unsigned sn = 10; sn < 500; ++sn) send(sn, sn % 3 == 0);
  EXPECT_EQ(ends(), (std::vector{12, 498}));
  EXPECT_TRUE(ack(300));
  EXPECT_EQ(ends(), (std::vector{300, 498})) << "older ones leave, later ones stay";
}

TEST_F(Window, ALineOfItsOwnForEachNewPattern) {
  send(10);
  send(11);
  send(12, true, 50);
  send(13, true, 50);
  send(14);
  EXPECT_EQ(ends(), (std::vector{10, 11, 12, 13, 14, 14}));
  EXPECT_TRUE(ack(13));
  EXPECT_EQ(ends(), (std::vector{13, 13, 14, 14}));
}

TEST_F(Window, AcksForWhatWasNoUpdateAreInvalid) {
  EXPECT_FALSE(ack(5)) << "nothing has been sent";
  for (unsigned sn = 10; sn <= 40; ++sn) send(sn, sn % 10 == 0);
  for (unsigned sn = 0; sn < 0x10000; ++sn) {
    const bool update = sn == 10 || sn == 20 || sn == 30 || sn == 40;
    EXPECT_FALSE(!update && ack(sn)) << sn;
  }
  EXPECT_TRUE(ack(30));
  EXPECT_FALSE(ack(20)) << "a later one has been acknowledged";
  EXPECT_TRUE(ack(30)) << "again";
  EXPECT_EQ(ends(), (std::vector{30, 40}));
}

TEST_F(Window, TooManyLinesBecomeOneThatKnowsItsSnsOnly) {
  for (unsigned i = 0; i < kMaxRuns + 3; ++i) send(100 + i, true, i * 7);
  const auto all = ends();
  ASSERT_EQ(all.size(), 2U * kMaxRuns);
  EXPECT_EQ(all[0], -100) << "the first is still there";
  EXPECT_EQ(all[1], -103);
  EXPECT_EQ(all[2], 104);
  EXPECT_TRUE(ack(101)) << "an update, even though its line is forgotten";
  EXPECT_EQ(ends(), all) << "which of them are older nobody knows any more";
  EXPECT_TRUE(ack(105));
  EXPECT_EQ(ends()[0], 105);
}

// Where only the IP-ID left its line, SN and TS are still known; that of ESP is its whole number.
TEST_F(Window, LinesThatDifferInTheIpIdOnlyKeepTheirTimestamps) {
  h.id_behaviour = IpIdBehaviour::kSequential;
  const auto send_with_id = [&](std::uint16_t sn, std::uint32_t ts, std::uint16_t offset) {
    PacketFields f;
    f.sn = sn;
    f.ts = ts;
    f.inner_id = static_cast<std::uint16_t>(sn + offset);
    prepare_reliably(flow(), f);
    count_reliably(flow(), f, PacketType::kUor2);
    c.sn = sn;
    c.ts = ts;
  };
  const auto known = [&] {
    std::vector<Known> all;
    each_reference(flow(), [&](const Reference&, std::uint16_t, Known k) { all.push_back(k); });
    return all;
  };
  for (std::uint16_t i = 0; i < kMaxRuns + 2; ++i)
    send_with_id(static_cast<std::uint16_t>(100 + i), (100U + i) * kStride, static_cast<std::uint16_t>(i * 50));
  ASSERT_EQ(w.run_count, kMaxRuns);
  EXPECT_EQ(known()[0], Known::kSnAndTs);
  EXPECT_EQ(known()[2], Known::kAll);
  EXPECT_EQ(w.runs[0].first_sn, 100);
  EXPECT_EQ(w.runs[0].first_ts, 100U * kStride);
  EXPECT_EQ(w.runs[0].last_sn, 102);
  EXPECT_EQ(w.runs[0].last_ts, 102U * kStride);
  // The line is left by 2^16 strides, which the SN does not tell.
  for (std::uint16_t i = 0; i < kMaxRuns; ++i)
    send_with_id(static_cast<std::uint16_t>(110 + i), (0x10000U + 110 + i) * kStride,
                 static_cast<std::uint16_t>(i * 50));
  EXPECT_EQ(known()[0], Known::kSn);
  EXPECT_EQ(w.runs[0].first_sn, 100);
}

// What catch_up_reliably() makes of packets of the fast path is what the general path makes of them.
TEST_F(Window, CatchesUpWithTheFastPath) {
  test::Random random(11);
  unsigned packets = 0;
  unsigned cleared = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    w = {};
    h = {};
    h.id_behaviour = IpIdBehaviour::kNone;
    config.update_after = random.between(1, 48);
    config.update_burst = random.between(1, 4);
    config.update_pause = random.below(20);
    std::uint16_t sn = static_cast<std::uint16_t>(random.below(50));
    for (unsigned part = random.between(1, 5); part > 0; --part) {
      // The source counts elsewhere, perhaps where it was before.
      if (random.chance(0.5)) sn = static_cast<std::uint16_t>((random.flip() ? 0 : 5000) + random.below(60));
      for (unsigned i = random.between(1, 20); i > 0; --i) send(++sn, random.chance(0.3));
      send(++sn);
      if (random.chance(0.8)) (void)ack(sn);
      if (random.chance(0.3)) w.sent += kAckHorizon - random.below(40);
      w.burst_left = static_cast<std::uint8_t>(random.below(3));
      w.pausing = random.flip();
      w.pause_until = static_cast<std::uint16_t>(sn + random.below(20));
    }
    h.ir_dyn_left = 0;
    const std::uint16_t most = predictable_packets(flow());
    if (most == 0) continue;
    const unsigned run = random.between(1, most);
    const ReliableWindow start = w;
    const FlowHistory history = h;
    const CompressorContext context = c;
    send_predicted(run, false);
    const ReliableWindow general = w;
    w = start;
    h = history;
    c = context;
    send_predicted(run, true);
    ASSERT_EQ(w.sent, general.sent) << trial;
    ASSERT_EQ(w.newest, general.newest) << trial;
    ASSERT_EQ(w.updates, general.updates) << trial;
    ASSERT_EQ(w.pausing, general.pausing) << trial;
    ASSERT_EQ(w.burst_left, general.burst_left) << trial;
    packets += run;
    cleared += start.pausing && !w.pausing ? 1 : 0;
  }
  EXPECT_GT(packets, 10'000U);
  EXPECT_GT(cleared, 100U);
}

// SNs that go back: those packets cannot be told by an ACK from what was sent before, and an ACK for one of the latter
// does not remove them.
TEST_F(Window, LatePacketsCannotBeAcknowledged) {
  for (unsigned sn = 10; sn <= 20; ++sn) send(sn);
  send(15, true, 3);
  send(21);
  EXPECT_TRUE(ack(16));
  EXPECT_EQ(ends(), (std::vector{16, 20, 15, 15, 21, 21}));
  EXPECT_TRUE(ack(20));
  EXPECT_EQ(ends(), (std::vector{20, 20, 15, 15, 21, 21}));
  EXPECT_TRUE(ack(21));
  EXPECT_EQ(ends(), (std::vector{21, 21}));
}

TEST_F(Window, WhatIsNotedWithALatePacketWaitsForALaterAck) {
  for (unsigned sn = 10; sn <= 20; ++sn) send(sn);
  h.changed_since_sn = 15;  // as observe() does for a change seen in packet 15
  send(15);
  EXPECT_EQ(h.changed_since_sn, 21);
}

TEST_F(Window, ASourceThatCountsAnewAndThenComesBack) {
  for (unsigned sn = 1000; sn <= 1010; ++sn) send(sn);
  for (unsigned sn = 40'000; sn <= 40'005; ++sn) send(sn);
  EXPECT_FALSE(ack(1005)) << "it would be hard to say what comes after it";
  for (unsigned sn = 1003; sn <= 1020; ++sn) send(sn);
  for (unsigned sn = 1003; sn <= 1010; ++sn) EXPECT_FALSE(ack(sn)) << sn << " may be that of the first time";
  EXPECT_TRUE(ack(1011));
  EXPECT_EQ(ends(), (std::vector{1011, 1020}));
  // After a round trip there are no such ACKs any more.
  for (unsigned sn = 1021; sn <= 1021 + kAckHorizon; ++sn) send(sn);
  for (unsigned sn = 50'000; sn <= 50'005; ++sn) send(sn);
  for (unsigned sn = 40'000; sn <= 40'005; ++sn) send(sn);
  EXPECT_TRUE(ack(40'003));
}

TEST_F(Window, AcksOlderThanTheHorizonAreInvalid) {
  for (unsigned sn = 0; sn <= 3 * kAckHorizon; ++sn) send(sn);
  EXPECT_FALSE(ack(2 * kAckHorizon));
  EXPECT_TRUE(ack(2 * kAckHorizon + 1));
}

TEST_F(Window, FarReferencesMakeRoomForIrDyn) {
  h.ir_left = 0;
  send(100);
  send(100 + 0x4001);
  EXPECT_NE(h.ir_dyn_left, 0);
  EXPECT_EQ(ends(), (std::vector{100 + 0x4001, 100 + 0x4001}));
}

// Against a model that keeps every update as it was sent: whatever may be the decompressor's reference by the ACKs so
// far lies between the ends of the runs, and is on their line where they know one.
TEST_F(Window, HoldsEverythingThatMayBeTheReference) {
  test::Random random(7);
  struct Update {
    std::uint16_t sn;
    std::uint32_t ts;
    bool ackable;
  };
  for (int trial = 0; trial < 300; ++trial) {
    w = {};
    std::vector<Update> model;
    std::uint16_t sn = random.word();
    std::uint16_t newest = sn;
    c.sn = sn;
    std::uint32_t off_line = 0;
    bool first = true;
    for (int i = 0; i < 200; ++i) {
      const bool late = !first && random.chance(0.05);
      const auto now = static_cast<std::uint16_t>(late ? newest - random.below(30) : newest + random.between(1, 3));
      if (random.chance(0.1)) off_line = random.below(1000);
      const bool update = random.chance(0.4);
      send(now, update, off_line);
      if (!late) newest = now;
      first = false;
      if (update) model.push_back({now, now * kStride + off_line, !late});
      if (!model.empty() && random.chance(0.1)) {
        const std::size_t at = random.below(static_cast<std::uint32_t>(model.size()));
        if (model[at].ackable) {
          ASSERT_TRUE(ack(model[at].sn));
          model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(at));
        }
      }
      for (const Update& u : model) {
        const bool held = std::any_of(w.runs.begin(), w.runs.begin() + w.run_count, [&](const ReferenceRun& r) {
          const auto after = static_cast<std::int16_t>(u.sn - r.first_sn);
          const bool inside = after >= 0 && static_cast<std::int16_t>(r.last_sn - u.sn) >= 0;
          return inside && (r.ts_stride == 0 || u.ts == r.first_ts + kStride * static_cast<std::uint32_t>(after));
        });
        ASSERT_TRUE(held) << "trial " << trial << ", packet " << i << ", SN " << u.sn;
      }
    }
  }
}

// --- Formats ---------------------------------------------------------------------------------------------------------

Needs needs(std::int64_t distance) {
  Needs n;
  n.reliable = true;
  n.sn.add(distance, true);
  return n;
}

TEST(ReliableFormats, SnAloneByItsDistance) {
  struct Row {
    std::int64_t distance;
    PacketType type;
    int extension;
  };
  for (const Row& r : {Row{1, PacketType::kR0, -1}, Row{62, PacketType::kR0, -1}, Row{63, PacketType::kR0Crc, -1},
                       Row{124, PacketType::kR0Crc, -1}, Row{125, PacketType::kR1, 0}, Row{496, PacketType::kR1, 0},
                       Row{497, PacketType::kR1, 3}, Row{0, PacketType::kR0, -1}, Row{-1, PacketType::kR0, -1},
                       Row{-3, PacketType::kR0Crc, -1}, Row{-4, PacketType::kR1, 0}}) {
    const auto found = choose(needs(r.distance));
    ASSERT_TRUE(found) << r.distance;
    EXPECT_EQ(found->type, r.type) << r.distance;
    EXPECT_EQ(found->extension, r.extension) << r.distance;
  }
  EXPECT_FALSE(choose(needs(16'000))) << "an IR-DYN packet then has to tell";
}

TEST(ReliableFormats, UpdatesAreR0CrcOrUor2) {
  Needs n = needs(5);
  n.update = true;
  EXPECT_EQ(choose(n)->type, PacketType::kR0Crc);
  n.marker = true;
  EXPECT_EQ(choose(n)->type, PacketType::kUor2);
  n.marker = false;
  n.extension_3 = true;
  EXPECT_EQ(choose(n)->type, PacketType::kUor2);
  EXPECT_EQ(choose(n)->extension, 3);
  n.update = false;
  EXPECT_EQ(choose(n)->type, PacketType::kR1);
  n.long_crc = true;  // a transition: no types 0 and 1
  EXPECT_EQ(choose(n)->type, PacketType::kUor2);
}

TEST(ReliableFormats, TypesWithTBit) {
  Needs n = needs(5);
  n.t_bit = true;
  n.id_bits = true;
  n.id_distance = 31;
  EXPECT_EQ(choose(n)->type, PacketType::kR1Id);
  n.id_distance = 32;
  EXPECT_EQ(choose(n)->type, PacketType::kR1Id);
  EXPECT_EQ(choose(n)->extension, 0);
  n.id_bits = false;
  n.id_distance = 0;
  n.ts_bits = true;
  n.ts.add(10, true);
  EXPECT_EQ(choose(n)->type, PacketType::kR1Ts);
  n.update = true;
  EXPECT_EQ(choose(n)->type, PacketType::kUor2Ts);
}

TEST(ReliableFormats, WithoutRtpR1CarriesTheIpId) {
  Needs n = needs(5);
  n.format = wire::Format::kUdp;
  n.generated_sn = true;
  n.t_bit = true;
  n.id_bits = true;
  n.id_distance = 127;
  EXPECT_EQ(choose(n)->type, PacketType::kR1);
  EXPECT_EQ(choose(n)->extension, -1);
  n.id_distance = 128;
  EXPECT_EQ(choose(n)->extension, 0);
  n.id_bits = false;
  n.id_distance = 0;
  n.sn = {};
  n.sn.add(64, true);
  EXPECT_EQ(choose(n)->type, PacketType::kR0) << "p = -1: up to 64 packets";
  n.sn = {};
  n.sn.add(65, true);
  EXPECT_EQ(choose(n)->type, PacketType::kR0Crc);
}

}  // namespace
}  // namespace headroom::rohc
