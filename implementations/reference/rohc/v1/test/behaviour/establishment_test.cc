// SPDX-License-Identifier: Apache-2.0
//
// How a context comes to be and climbs to the SO state, by the optimistic approach (RFC 3095 4.3.1, 5.3.1.1.1, 5.7.7),
// and how periodic refreshes take it back (5.3.1.1.2).
#include <gtest/gtest.h>

#include <vector>

#include "rohc/v1/header/crc_coverage.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::header_octets;
using test::ip_packet;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using wire::PacketType;

std::vector<PacketSpec> all_kinds() {
  std::vector<PacketSpec> kinds;
  for (const unsigned outer : {0U, 4U, 6U}) {
    for (const unsigned version : {4U, 6U}) {
      for (PacketSpec spec : {ip_packet(version), udp_packet(version), rtp_packet(version)}) {
        if (outer != 0) {
          spec.outer = test::IpFields{};
          spec.outer->version = outer;
        }
        kinds.push_back(spec);
      }
    }
  }
  return kinds;
}

// "When the compressor is in the IR state, it will stay there until it assumes that the decompressor has correctly
// received the static context information" (5.3.1.1.1): L packets, whatever L is.
TEST(Establishment, IrFirstAndAsOftenAsRepeatsSay) {
  for (unsigned repeats = 1; repeats <= kMaxReferences; ++repeats) {
    for (const PacketSpec& kind : all_kinds()) {
      CompressorConfig config;
      config.repeats = repeats;
      Link link(config);
      SteadyFlow flow(kind);
      for (unsigned i = 0; i < repeats; ++i) {
        ASSERT_TRUE(link.pass(flow.next())) << link.describe();
        ASSERT_EQ(link.sent.type(), PacketType::kIr);
        ASSERT_EQ(link.sent.state(), CompressorState::kIr);
        ASSERT_EQ(link.received.state(), DecompressorState::kFc)
            << "successful decompression always moves to Full Context (5.3.2.1)";
        ASSERT_EQ(link.received.event(), i == 0 ? Event::kEstablished : Event::kNone);
      }
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      ASSERT_NE(link.sent.type(), PacketType::kIr);
      ASSERT_TRUE(settle(link, flow, 20)) << link.describe();
    }
  }
}

// Nothing is left to tell of a steady flow but SN and CRC: one octet, and what cannot be compressed (5.7.1, 5.11.3).
TEST(Establishment, SmallestHeaders) {
  for (const PacketSpec& kind : all_kinds()) {
    for (const bool checksum : {false, true}) {
      PacketSpec spec = kind;
      if (!spec.udp && checksum) continue;
      if (spec.udp) spec.udp->checksum = checksum;
      Link link;
      SteadyFlow flow(spec);
      ASSERT_TRUE(settle(link, flow)) << link.describe();
      EXPECT_EQ(link.sent.type(), PacketType::kUo0);
      EXPECT_EQ(link.sent.header(), checksum ? 3U : 1U);
      EXPECT_EQ(link.sent.octets.size(), link.sent.header() + flow.spec.payload.size());
      EXPECT_EQ(link.sent.detail.plain_header, header_octets(spec));
    }
  }
}

TEST(Establishment, ProfileOfEachKind) {
  for (const PacketSpec& kind : all_kinds()) {
    Link link;
    SteadyFlow flow(kind);
    ASSERT_TRUE(link.pass(flow.next()));
    const auto expected = kind.rtp ? wire::Profile::kRtp : kind.udp ? wire::Profile::kUdp : wire::Profile::kIp;
    EXPECT_EQ(link.sent.detail.profile, static_cast<std::uint16_t>(expected));
    EXPECT_EQ(link.received.detail.profile, static_cast<std::uint16_t>(expected));
    EXPECT_EQ(link.sent.octets[1], static_cast<std::uint8_t>(expected)) << "the octet after the type, with CID 0";
  }
}

TEST(Establishment, StatesOnTheWayUp) {
  Link link;
  SteadyFlow flow(rtp_packet(4));
  std::vector<CompressorState> states;
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(link.pass(flow.next()));
    if (states.empty() || states.back() != link.sent.state()) states.push_back(link.sent.state());
  }
  EXPECT_EQ(states, (std::vector{CompressorState::kIr, CompressorState::kFo, CompressorState::kSo}));
}

// "The compressor must also immediately transit back to the FO state when the header … does not conform to the
// established pattern" (5.3.1.1.3).
TEST(Establishment, AChangeTakesItToFoAndRepeatsTakeItBack) {
  Link link;
  SteadyFlow flow(udp_packet(4));
  ASSERT_TRUE(settle(link, flow));
  flow.spec.ip.tos = 0x04;
  for (unsigned i = 0; i < CompressorConfig{}.repeats; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_EQ(link.sent.state(), CompressorState::kFo);
    EXPECT_EQ(link.sent.type(), PacketType::kUor2);
  }
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.state(), CompressorState::kSo);
}

std::uint8_t crc3_of_static(const PacketSpec& spec) {
  return static_crc(nullptr, 0, build(spec).data(), layout_of(Shape::kUdpIpv4)).crc3;
}

// "If the states are identical, the CRC cannot catch the error consisting in the decompressor not having updated the
// static context. In U/O-mode the compressor SHOULD then for a while use packet types with another CRC length" (5.9.2).
TEST(Establishment, AChangeThatTheShortCrcCannotSeeIsGuardedByTheLongOne) {
  Link link;
  SteadyFlow flow(udp_packet(4));
  ASSERT_TRUE(settle(link, flow));
  const std::uint8_t before = crc3_of_static(flow.spec);
  do {
    ++flow.spec.ip.tos;
  } while (crc3_of_static(flow.spec) != before);
  for (unsigned i = 0; i < 2 * CompressorConfig{}.repeats; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    ASSERT_EQ(link.sent.type(), PacketType::kUor2) << i;
  }
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.sent.type(), PacketType::kUo0);
}

TEST(Establishment, HeadersAreThoseOfTheFigures) {
  Link link;
  PacketSpec spec = rtp_packet(4);
  spec.ip = {4, 0x2e, 63, true, 0xbeac, 0, 1, 2};
  spec.udp->checksum = false;
  spec.rtp = test::RtpFields{false, false, true, 8, 0x1233, 0x01020304 - 160, 0xa1a2a3a4};
  SteadyFlow flow(spec);
  flow.next().rtp->marker = true;
  ASSERT_TRUE(link.pass(flow.spec));
  const Packet expected = test::hex(
      "fd 01 00"                       // IR with D = 1, profile RTP, CRC
      "40 11 0a 00 00 01 0a 01 00 02"  // IPv4 static
      "75 30 9c 40"                    // UDP static
      "a1 a2 a3 a4"                    // RTP static
      "2e 3f be ad a0 00"              // IPv4 dynamic: DF and NBO
      "00 00"                          // UDP dynamic
      "80 88 12 34 01 02 03 04 00"     // RTP dynamic
      "01 02 03 04 05 06 07 08 09 0a");
  Packet sent = link.sent.octets;
  sent[2] = 0;  // the CRC has tests of its own
  EXPECT_EQ(test::to_hex(sent), test::to_hex(expected));
}

// --- Refreshes -------------------------------------------------------------------------------------------------------

// Indices, from 0, of the packets among `count` that were sent as `type`. `stop_fast` never takes the fast path.
std::vector<unsigned> packets_of_type(Compressor& compressor, PacketType type, unsigned count,
                                      std::uint64_t step_ns = 0) {
  SteadyFlow flow(udp_packet(6));
  std::vector<unsigned> found;
  std::uint64_t now_ns = 0;
  for (unsigned i = 0; i < count; ++i) {
    const test::Compressed c = test::compress(compressor, build(flow.next()), now_ns);
    if (c.type() == type) found.push_back(i);
    now_ns += step_ns;
  }
  return found;
}

CompressorConfig refreshes(RefreshPeriod ir, RefreshPeriod fo, std::uint32_t start) {
  CompressorConfig config;
  config.repeats = 2;
  config.ir_refresh = ir;
  config.fo_refresh = fo;
  config.ir_refresh_start = start;
  return config;
}

TEST(Refresh, IrByPacketsInFullPeriods) {
  for (const bool fast : {true, false}) {
    Compressor compressor(refreshes({100, 0}, {0, 0}, 0));
    if (!fast) compressor.disable_fast_path();
    EXPECT_EQ(packets_of_type(compressor, PacketType::kIr, 450), (std::vector<unsigned>{0, 1, 100, 200, 300, 400}));
  }
}

TEST(Refresh, SeveralIrs) {
  for (const bool fast : {true, false}) {
    CompressorConfig config = refreshes({100, 0}, {0, 0}, 0);
    config.ir_repeats = 3;
    Compressor compressor(config);
    if (!fast) compressor.disable_fast_path();
    EXPECT_EQ(packets_of_type(compressor, PacketType::kIr, 250),
              (std::vector<unsigned>{0, 1, 100, 101, 102, 200, 201, 202}));
  }
}

// "Compression slow-start" (RFC 2507 3.3.1, to which 5.3.1.1.2 points).
TEST(Refresh, IrPeriodDoublesUpToTheFullOne) {
  for (const bool fast : {true, false}) {
    Compressor compressor(refreshes({100, 0}, {0, 0}, 10));
    if (!fast) compressor.disable_fast_path();
    EXPECT_EQ(packets_of_type(compressor, PacketType::kIr, 480),
              (std::vector<unsigned>{0, 1, 10, 30, 70, 150, 250, 350, 450}));
  }
}

// "Periodic transition to the IR state SHOULD be carried out less often than transition to the FO state" (5.3.1.1.2);
// an IR does for both.
TEST(Refresh, FoByPackets) {
  for (const bool fast : {true, false}) {
    Compressor compressor(refreshes({100, 0}, {30, 0}, 0));
    if (!fast) compressor.disable_fast_path();
    EXPECT_EQ(packets_of_type(compressor, PacketType::kIrDyn, 320),
              (std::vector<unsigned>{30, 60, 90, 130, 160, 190, 230, 260, 290}));
  }
}

TEST(Refresh, ByTime) {
  for (const bool fast : {true, false}) {
    Compressor compressor(refreshes({0, 1000}, {0, 300}, 0));
    if (!fast) compressor.disable_fast_path();
    constexpr std::uint64_t kStep = 20 * test::kMillisecond;
    EXPECT_EQ(packets_of_type(compressor, PacketType::kIr, 160, kStep), (std::vector<unsigned>{0, 1, 50, 100, 150}));
    Compressor other(refreshes({0, 1000}, {0, 300}, 0));
    if (!fast) other.disable_fast_path();
    EXPECT_EQ(packets_of_type(other, PacketType::kIrDyn, 120, kStep),
              (std::vector<unsigned>{15, 30, 45, 65, 80, 95, 115}));
  }
}

TEST(Refresh, WhicheverComesFirst) {
  Compressor compressor(refreshes({50, 600}, {0, 0}, 0));
  EXPECT_EQ(packets_of_type(compressor, PacketType::kIr, 100, 20 * test::kMillisecond),
            (std::vector<unsigned>{0, 1, 30, 60, 90}));
}

TEST(Refresh, NeverWhenSwitchedOff) {
  Compressor compressor(refreshes({0, 0}, {0, 0}, 64));
  EXPECT_EQ(packets_of_type(compressor, PacketType::kIr, 200'000, 20 * test::kMillisecond),
            (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(compressor.counters().packets[static_cast<std::size_t>(PacketType::kIrDyn)], 0U);
}

TEST(Refresh, LongPeriodsAreCountedInFull) {
  Compressor compressor(refreshes({150'000, 0}, {0, 0}, 0));
  EXPECT_EQ(packets_of_type(compressor, PacketType::kIr, 310'000), (std::vector<unsigned>{0, 1, 150'000, 300'000}));
}

TEST(Refresh, OfTheUncompressedProfile) {
  Compressor compressor(refreshes({20, 0}, {0, 0}, 0));
  Packet fragment = build(udp_packet(4));
  fragment[6] = 0x20;
  test::mend_ipv4_checksum(fragment);
  std::vector<unsigned> irs;
  for (unsigned i = 0; i < 70; ++i) {
    if (test::compress(compressor, fragment).type() == PacketType::kIr) irs.push_back(i);
  }
  EXPECT_EQ(irs, (std::vector<unsigned>{0, 1, 20, 40, 60}))
      << "in Unidirectional mode IR is repeated periodically (5.10.3)";
}

// Seven weeks after the first packet a count of milliseconds in 32 bits is over.
TEST(Refresh, GoesOnAfterTheMillisecondsHaveWrapped) {
  Compressor compressor(refreshes({0, 10'000}, {0, 0}, 0));
  SteadyFlow flow(udp_packet(6));
  constexpr std::uint64_t kSecond = 1000 * test::kMillisecond;
  constexpr std::uint64_t kWrap = std::uint64_t{0x1'0000'0000} * test::kMillisecond;
  for (int i = 0; i < 10; ++i) (void)test::compress(compressor, build(flow.next()), 0);
  unsigned refreshes_seen = 0;
  for (std::uint64_t now = kWrap - 60 * kSecond; now < kWrap + 60 * kSecond; now += kSecond) {
    if (test::compress(compressor, build(flow.next()), now).type() == PacketType::kIr) ++refreshes_seen;
  }
  EXPECT_GE(refreshes_seen, 11U);
  EXPECT_LE(refreshes_seen, 14U);
}

}  // namespace
}  // namespace headroom::rohc
