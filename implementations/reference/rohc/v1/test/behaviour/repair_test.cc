// SPDX-License-Identifier: Apache-2.0
//
// The two repairs that a decompressor tries when a CRC disagrees: wraparound of the SN's LSBs (RFC 3095 5.3.2.2.4) and
// a reference that an earlier packet updated wrongly (5.3.2.2.5).
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::build;
using test::crafted;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::Restored;
using test::rtp_packet;
using test::SteadyFlow;
using test::without_refreshes;
using wire::PacketType;

constexpr unsigned kFirstSns = 64;

// A voice flow in Full Context whose last SN is `sn`; one packet each 20 ms.
struct Established {
  explicit Established(std::uint16_t sn, const DecompressorConfig& config = {})
      : link(without_refreshes(), config), flow(rtp_packet(6)) {
    flow.spec.udp->checksum = false;
    flow.spec.rtp->sn = static_cast<std::uint16_t>(sn - 40);
    flow.spec.rtp->ts = 160U * sn;
    EXPECT_TRUE(settle(link, flow, 40));
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  }

  Restored pass() {
    (void)link.pass(flow.next());
    return link.received;
  }
  void lose(unsigned packets) {
    for (unsigned i = 0; i < packets; ++i) link.lose(flow.next());
  }
  // Restored headers that did not fit a CRC.
  [[nodiscard]] std::uint64_t mismatches() const {
    const auto& all = link.decompressor.counters().crc_mismatches;
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }
  [[nodiscard]] bool intact() const { return link.received.octets == build(flow.spec); }

  Link link;
  SteadyFlow flow;
};

// After so many lost packets four bits of SN mean another packet. A CRC-3 cannot tell one time in eight, so many flows
// are tried; `event` must come for most of them, and where it does not, the CRC has been deceived: then the packet must
// have been taken for right.
struct Tally {
  unsigned repaired = 0;
  unsigned deceived = 0;
  unsigned refused = 0;
};

Tally lose_and_repair(unsigned lost, const DecompressorConfig& config, Event event) {
  Tally tally;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn), config);
    e.lose(lost);
    const Restored first = e.pass();
    if (first.status == HEADROOM_OK) {
      ++tally.deceived;
      continue;
    }
    if (first.event() != event) {
      EXPECT_EQ(first.status, HEADROOM_ERR_CRC);
      ++tally.refused;
      continue;
    }
    ++tally.repaired;
    EXPECT_EQ(first.status, HEADROOM_ERR_REPAIR) << "\"updates the context but SHOULD NOT deliver the packet\"";
    EXPECT_TRUE(first.octets.empty());
    const Restored second = e.pass();
    EXPECT_EQ(second.status, HEADROOM_ERR_REPAIR)
        << "\"also decompressed and updates the context …, but SHOULD be discarded\"";
    EXPECT_EQ(second.event(), Event::kNone);
    const Restored third = e.pass();
    EXPECT_EQ(third.status, HEADROOM_OK);
    EXPECT_EQ(third.event(), Event::kRepairProven);
    EXPECT_TRUE(e.intact());
    (void)e.pass();
    EXPECT_TRUE(e.intact());
  }
  return tally;
}

TEST(RepairOfWraparound, AfterSixteenOrMoreLostPackets) {
  for (const unsigned lost : {16U, 20U, 25U, 28U}) {
    const Tally tally = lose_and_repair(lost, DecompressorConfig{}, Event::kRepairedWraparound);
    EXPECT_GT(tally.repaired, kFirstSns * 3 / 4) << lost;
    EXPECT_EQ(tally.refused, 0U) << lost;
  }
}

// The interpretation interval of 4 bits is v - 1 .. v + 14 for a reference v (4.5.1, p = 1), so the first packet behind
// `lost` ones, v + lost + 1, is (lost + 2) / 16 wraparounds off, rounded down. The clock says which: one attempt is
// enough.
TEST(RepairOfWraparound, AsOftenAsTheClockSays) {
  struct {
    unsigned lost;
    unsigned wraparounds;
  } constexpr kLosses[] = {{29, 1}, {30, 2}, {45, 2},  {46, 3},  {61, 3},
                           {62, 4}, {80, 5}, {125, 7}, {126, 8}, {300, 18}};
  for (const auto& [lost, wraparounds] : kLosses) {
    ASSERT_EQ((lost + 2) / 16, wraparounds);
    const Tally tally = lose_and_repair(lost, DecompressorConfig{}, Event::kRepairedWraparound);
    EXPECT_GT(tally.repaired, kFirstSns / 2) << lost;
    EXPECT_EQ(tally.refused, 0U) << lost;
  }
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn));
    e.lose(61);
    const std::uint64_t before = e.mismatches();
    if (e.pass().event() != Event::kRepairedWraparound) continue;
    EXPECT_EQ(e.mismatches() - before, 1U) << "of the SN that the bits alone give, and of no other";
  }
}

// 41 packets in the time of 29: the bits mean 9, so that 20 are missing, 1.25 wraparounds. One is nearest, two are
// next.
TEST(RepairOfWraparound, TheNextNearestWhereTheClockIsOff) {
  unsigned repaired = 0;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn));
    e.link.step_ns = test::kFrame * 29 / 41;
    e.lose(40);
    if (e.pass().event() != Event::kRepairedWraparound) continue;
    (void)e.pass();
    (void)e.pass();
    repaired += e.intact() ? 1U : 0U;
  }
  EXPECT_GT(repaired, kFirstSns / 2) << "but where one wraparound or none deceives the CRC";
}

// Mismatches that a packet with a wrong CRC causes after 100 packets' time; the most of many flows, for a CRC may be
// right by chance.
template <typename Function>
std::uint64_t most_attempts(Function before_it) {
  std::uint64_t most = 0;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn));
    before_it(e);
    e.link.lose(e.flow.spec);
    Packet wrong = e.link.sent.octets;
    wrong[0] ^= 1;
    if (e.link.sent.type() != PacketType::kUo0) wrong[2] ^= 1;
    const std::uint64_t before = e.mismatches();
    (void)test::decompress(e.link.decompressor, wrong, e.link.now_ns);
    most = std::max(most, e.mismatches() - before);
  }
  return most;
}

TEST(RepairOfWraparound, TwoAttemptsAtMost) {
  EXPECT_EQ(most_attempts([](Established& e) {
              e.lose(100);
              e.flow.next();
            }),
            3U)
      << "and the one before any repair";
}

// "The decompressor judges if INTERVAL can correspond to 2^k inter-packet times" (c): 100 packets' time of silence, as
// the marker and the TS show, are not so many packets.
TEST(RepairOfWraparound, OnceAfterSilence) {
  for (const bool marker : {false, true}) {
    EXPECT_EQ(most_attempts([marker](Established& e) {
                e.link.now_ns += 100 * test::kFrame;
                e.flow.next().rtp->marker = marker;
                e.flow.spec.rtp->ts += 100 * 160;
              }),
              2U)
        << marker;
  }
}

// A comfort noise frame each 160 ms between talk spurts.
TEST(RepairOfWraparound, SilenceIsNoTimeBetweenPackets) {
  unsigned repaired = 0;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn));
    for (int frame = 0; frame < 10; ++frame) {
      e.link.now_ns += 7 * test::kFrame;
      e.flow.next().rtp->ts += 7 * 160;
      ASSERT_TRUE(e.link.pass(e.flow.spec)) << e.link.describe();
    }
    for (int talk = 0; talk < 6; ++talk) (void)e.pass();
    ASSERT_TRUE(e.intact());
    ASSERT_EQ(e.link.sent.type(), PacketType::kUo0);
    e.lose(60);
    if (e.pass().event() != Event::kRepairedWraparound) continue;
    (void)e.pass();
    (void)e.pass();
    repaired += e.intact() ? 1U : 0U;
  }
  EXPECT_GT(repaired, kFirstSns * 3 / 4);
}

TEST(RepairOfWraparound, NotIfSwitchedOff) {
  DecompressorConfig config;
  config.repair_wraparound = config.repair_reference = false;
  const Tally tally = lose_and_repair(20, config, Event::kRepairedWraparound);
  EXPECT_EQ(tally.repaired, 0U);
  EXPECT_GT(tally.refused, kFirstSns * 3 / 4);
}

// "If wraparound has occurred, INTERVAL will correspond to at least 2^k inter-packet times": without that time having
// passed it is not tried.
TEST(RepairOfWraparound, NotUnlessEnoughTimeHasPassed) {
  unsigned tried = 0;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    DecompressorConfig config;
    config.repair_reference = false;
    Established e(static_cast<std::uint16_t>(sn), config);
    e.link.step_ns = test::kFrame / 4;
    e.lose(20);
    const Restored r = e.pass();
    tried += r.event() == Event::kRepairedWraparound ? 1U : 0U;
  }
  EXPECT_EQ(tried, 0U);
}

TEST(RepairOfWraparound, IntervalFollowsTheFlow) {
  unsigned repaired = 0;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn));
    e.link.step_ns = test::kFrame / 4;  // the flow becomes four times as fast, and stays so
    for (int i = 0; i < 60; ++i) (void)e.pass();
    e.lose(24);
    repaired += e.pass().event() == Event::kRepairedWraparound ? 1U : 0U;
  }
  EXPECT_GT(repaired, kFirstSns * 3 / 4);
}

// "If any of the three decompression attempts … fails, the decompressor discards the packets and acts according to
// rules a) through c)".
TEST(RepairOfWraparound, AFailureBeforeTheProofCountsAllPackets) {
  for (const unsigned proven_before : {0U, 1U}) {
    unsigned seen = 0;
    for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
      DecompressorConfig config;
      config.dynamic_damage = {static_cast<std::uint8_t>(2 + proven_before), 8};
      Established e(static_cast<std::uint16_t>(sn), config);
      e.lose(20);
      if (e.pass().event() != Event::kRepairedWraparound) continue;
      if (proven_before == 1 && e.pass().status != HEADROOM_ERR_REPAIR) continue;
      e.link.lose(e.flow.next());
      Packet wrong = e.link.sent.octets;
      wrong[0] ^= 1;
      const Restored r = test::decompress(e.link.decompressor, wrong, e.link.now_ns);
      EXPECT_EQ(r.status, HEADROOM_ERR_CRC);
      EXPECT_EQ(r.state(), DecompressorState::kSc) << "the packets held back count as failures, too";
      EXPECT_EQ(e.link.decompressor.counters().events[static_cast<std::size_t>(Event::kDynamicDamage)], 1U);
      ++seen;
    }
    EXPECT_GT(seen, kFirstSns / 2);
  }
}

TEST(RepairOfWraparound, AnInitialisationProvesItAtOnce) {
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established candidate(static_cast<std::uint16_t>(sn));
    candidate.lose(20);
    if (candidate.pass().event() != Event::kRepairedWraparound) continue;
    candidate.link.compressor.reinitialize();
    EXPECT_EQ(candidate.pass().status, HEADROOM_OK);
    EXPECT_EQ(candidate.link.sent.type(), PacketType::kIr);
    EXPECT_TRUE(candidate.intact());
    (void)candidate.pass();
    EXPECT_TRUE(candidate.intact());
    return;
  }
  FAIL() << "no wraparound was repaired";
}

// --- Reference -------------------------------------------------------------------------------------------------------

// A UO-0 whose residual errors the CRC did not catch: the header of a packet that was never sent, with its right CRC.
Packet forged(const SteadyFlow& flow, unsigned packets_ahead, PacketSpec& original) {
  original = flow.spec;
  original.rtp->sn = static_cast<std::uint16_t>(original.rtp->sn + packets_ahead);
  original.rtp->ts += 160 * packets_ahead;
  wire::BaseHeader h;
  h.type = PacketType::kUo0;
  h.sn.value = original.rtp->sn;
  return crafted(original, h);
}

// The wrong packet takes the reference ahead; then the flow goes on where it was.
constexpr unsigned kAhead = 9;

void mislead(Established& e) {
  PacketSpec original;
  const Packet wrong = forged(e.flow, kAhead, original);
  e.link.now_ns += test::kFrame;
  const Restored r = test::decompress(e.link.decompressor, wrong, e.link.now_ns);
  EXPECT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(r.octets, build(original)) << "nothing can tell that it is wrong";
}

TEST(RepairOfReference, GoesBackToTheOneBefore) {
  unsigned repaired = 0;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn));
    mislead(e);
    const Restored first = e.pass();
    if (first.status == HEADROOM_OK) continue;  // sn + 1 + 16 has the same CRC: one in eight
    ASSERT_EQ(first.event(), Event::kRepairedReference) << first.status;
    EXPECT_EQ(first.status, HEADROOM_ERR_REPAIR);
    EXPECT_EQ(e.pass().status, HEADROOM_ERR_REPAIR);
    EXPECT_EQ(e.pass().event(), Event::kRepairProven)
        << "\"of the three successful headers … only the third delivered\"";
    EXPECT_TRUE(e.intact());
    (void)e.pass();
    EXPECT_TRUE(e.intact());
    ++repaired;
  }
  EXPECT_GT(repaired, kFirstSns * 3 / 4);
}

TEST(RepairOfReference, NotIfSwitchedOff) {
  DecompressorConfig config;
  config.repair_reference = false;
  unsigned refused = 0;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn), config);
    mislead(e);
    refused += e.pass().status == HEADROOM_ERR_CRC ? 1U : 0U;
  }
  EXPECT_GT(refused, kFirstSns * 3 / 4);
}

// "If … SN curr2 is the same as SN curr1, an additional decompression attempt is not useful and is not attempted" (e):
// a damaged payload of bits stays a CRC failure.
TEST(RepairOfReference, NothingToTryWhenBothReferencesAgree) {
  Established e(1000);
  for (int i = 0; i < 3; ++i) {
    e.link.lose(e.flow.next());
    Packet wrong = e.link.sent.octets;
    wrong[0] ^= 1;
    const Restored r = test::decompress(e.link.decompressor, wrong, e.link.now_ns);
    EXPECT_EQ(r.status, HEADROOM_ERR_CRC);
    EXPECT_EQ(r.event(), Event::kNone);
  }
  (void)e.pass();
  EXPECT_TRUE(e.intact()) << "failures leave no trace (5.3.2.2.2)";
}

// "ref -1 is not changed while ref 0 is set to SN curr2" (f): a second wrong update right after the repair can be
// repaired, too, once the first is proven.
TEST(RepairOfReference, KeepsTheOlderReference) {
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    Established e(static_cast<std::uint16_t>(sn));
    mislead(e);
    if (e.pass().event() != Event::kRepairedReference) continue;
    (void)e.pass();
    (void)e.pass();
    ASSERT_TRUE(e.intact());
    mislead(e);
    const Restored again = e.pass();
    if (again.status == HEADROOM_OK) continue;
    EXPECT_EQ(again.event(), Event::kRepairedReference);
    return;
  }
  FAIL() << "no reference was repaired twice";
}

TEST(RepairOfReference, AFailureBeforeTheProof) {
  unsigned seen = 0;
  for (unsigned sn = 1000; sn < 1000 + kFirstSns; ++sn) {
    DecompressorConfig config;
    config.dynamic_damage = {3, 8};
    Established e(static_cast<std::uint16_t>(sn), config);
    mislead(e);
    if (e.pass().event() != Event::kRepairedReference) continue;
    e.link.lose(e.flow.next());
    Packet wrong = e.link.sent.octets;
    wrong[0] ^= 1;
    const Restored r = test::decompress(e.link.decompressor, wrong, e.link.now_ns);
    EXPECT_EQ(r.status, HEADROOM_ERR_CRC);
    EXPECT_EQ(r.event(), Event::kRepairFailed);
    EXPECT_EQ(r.state(), DecompressorState::kFc) << "two failures so far";
    ++seen;
  }
  EXPECT_GT(seen, kFirstSns / 2);
}

// Repairs are for Full Context: elsewhere a CRC failure is a CRC failure.
TEST(Repairs, NotInStaticContext) {
  DecompressorConfig config;
  config.dynamic_damage = {1, 1};
  Established e(1000, config);
  e.link.lose(e.flow.next());
  Packet wrong = e.link.sent.octets;
  wrong[0] ^= 1;
  (void)test::decompress(e.link.decompressor, wrong, e.link.now_ns);
  e.lose(40);
  e.flow.spec.ip.ttl = 9;
  e.link.lose(e.flow.next());
  Packet update = e.link.sent.octets;
  update[2] ^= 1;
  const Restored r = test::decompress(e.link.decompressor, update, e.link.now_ns);
  EXPECT_EQ(r.status, HEADROOM_ERR_CRC);
  EXPECT_EQ(r.event(), Event::kNone);
}

}  // namespace
}  // namespace headroom::rohc
