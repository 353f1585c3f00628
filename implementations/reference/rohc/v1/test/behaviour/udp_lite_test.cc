// SPDX-License-Identifier: Apache-2.0
//
// The compressor of profiles 0x0007 and 0x0008, RTP/UDP-Lite and UDP-Lite, and both sides together: RFC 4019 5.1 to
// 5.5 and 5.8, RFC 4815 11. Octets were worked out by hand from the figures.
#include <gtest/gtest.h>

#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/framework/wire/crc.h"
#include "rohc/v1/test/support/hand_made.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::decompress;
using test::hex;
using test::joined;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::SteadyFlow;
using test::to_hex;
using test::without_refreshes;
using wire::PacketType;

constexpr unsigned kRtpUdpLite = 7;
constexpr unsigned kUdpLite = 8;
constexpr std::uint8_t kOnce = 0xf9;  // CCE(), CCE(ON), CCE(OFF): 111110FK
constexpr std::uint8_t kOn = 0xfa;
constexpr std::uint8_t kOff = 0xfb;

Packet octets(unsigned count) {
  Packet p;
  for (unsigned i = 1; i <= count; ++i) p.push_back(static_cast<std::uint8_t>(i));
  return p;
}

SteadyFlow voice(unsigned version = 4) {
  SteadyFlow flow(test::rtp_udp_lite_packet(version));
  flow.spec.rtp->sn = 99;
  flow.spec.rtp->ts = 16'000 - 160;
  flow.spec.ip.id = 499;
  return flow;
}

SteadyFlow datagrams(unsigned version = 6) {
  SteadyFlow flow(test::udp_lite_packet(version));
  flow.spec.ip.id = 499;
  return flow;
}

bool pass(Link& link, SteadyFlow& flow, int coverage, unsigned payload = 10) {
  PacketSpec& s = flow.next();
  s.payload = octets(payload);
  s.udp->coverage = coverage < 0 ? std::nullopt : std::optional(static_cast<std::uint16_t>(coverage));
  return link.pass(s);
}

// The first octet of a packet with CID 0.
unsigned first(const Link& link) { return link.sent.octets[0]; }

TEST(UdpLite, OctetsOfRtp) {
  Link link(without_refreshes());
  SteadyFlow flow = voice();
  ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(to_hex(link.sent.octets), to_hex(joined(hex("fd 07 7b | 40 88 0a000001 0a010002 | 7530 9c40 | 11223344 |"
                                                        "00 40 01f4 a0 00 | 001e bd5d | 80 00 0064 00003e80 00"),
                                                    flow.spec.payload)));
  while (flow.spec.rtp->sn < 109) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(to_hex(link.sent.octets), to_hex(joined(hex("76 | b713"), flow.spec.payload)));
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(to_hex(link.sent.octets), to_hex(joined(hex("7c | b672"), flow.spec.payload)));
}

// 3.2.2, pattern 1: "whenever UDP-Lite is used in a manner that is semantically identical to UDP, the compression
// efficiency should be similar" (4.1).
TEST(UdpLite, WholeCoverageIsInferred) {
  for (SteadyFlow flow : {voice(4), voice(6), datagrams(4), datagrams(6)}) {
    Link link(without_refreshes());
    for (unsigned i = 0; i < 40; ++i) {
      ASSERT_TRUE(pass(link, flow, -1, 10 + i % 7)) << link.describe();
      if (i > 12) {
        EXPECT_EQ(link.sent.header(), 3U);
      }
    }
    EXPECT_EQ(link.compressor.counters().cce, (std::array<std::uint64_t, 4>{})) << "nothing has to be said";
  }
}

// Pattern 2: CCE(OFF) after the IR packets, then never again.
TEST(UdpLite, FixedCoverageIsToldOnce) {
  for (const int coverage : {0, 8, 12}) {
    for (SteadyFlow flow : {voice(4), voice(6), datagrams(4), datagrams(6)}) {
      Link link(without_refreshes());
      for (unsigned i = 0; i < 40; ++i) {
        ASSERT_TRUE(pass(link, flow, coverage, 10 + i % 7)) << i << ": " << link.describe();
        if (i > 20) {
          EXPECT_EQ(link.sent.header(), 3U);
        }
      }
      EXPECT_EQ(link.compressor.counters().cce, (std::array<std::uint64_t, 4>{0, 0, 0, 4}));
      EXPECT_GT(link.compressor.counters().fast, 20U);
      EXPECT_GT(link.decompressor.counters().fast, 20U);
    }
  }
}

// Pattern 3: with every header, at first as CCE packets in between.
TEST(UdpLite, IrregularCoverageIsSent) {
  Link link(without_refreshes());
  SteadyFlow flow = datagrams();
  for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(pass(link, flow, -1));
  EXPECT_EQ(link.sent.header(), 3U);
  ASSERT_TRUE(pass(link, flow, 8));
  EXPECT_EQ(first(link), kOnce);
  ASSERT_TRUE(pass(link, flow, 9));
  EXPECT_EQ(first(link), kOnce);
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_TRUE(pass(link, flow, static_cast<int>(10 + i)));
    EXPECT_EQ(first(link), kOn);
    EXPECT_EQ(link.sent.header(), 6U) << "CCE, UO-0, coverage, checksum";
  }
  for (unsigned i = 0; i < 20; ++i) {
    ASSERT_TRUE(pass(link, flow, static_cast<int>(8 + i * 7 % 10)));
    EXPECT_EQ(link.sent.header(), 5U);
  }
  for (unsigned i = 0; i < 2; ++i) ASSERT_TRUE(pass(link, flow, -1, 10 + i)) << "back to the length";
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_TRUE(pass(link, flow, -1, 10 + i));
    EXPECT_EQ(first(link), kOff);
  }
  ASSERT_TRUE(pass(link, flow, -1, 30));
  EXPECT_EQ(link.sent.header(), 3U);
}

// 5.3.2.1: "useful if the occurrence of such deviations is rare".
TEST(UdpLite, ASingleDeviationChangesNothing) {
  for (const int usual : {-1, 8}) {
    Link link(without_refreshes());
    SteadyFlow flow = voice();
    for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(pass(link, flow, usual));
    ASSERT_TRUE(pass(link, flow, 13));
    EXPECT_EQ(first(link), kOnce);
    for (unsigned i = 0; i < 3; ++i) {
      ASSERT_TRUE(pass(link, flow, usual, 10 + i));
      EXPECT_EQ(link.sent.header(), 3U);
    }
    EXPECT_EQ(link.compressor.counters().cce[1], 1U);
  }
}

// Every change is told in as many packets as the compressor repeats anything; any of them may be lost.
TEST(UdpLite, LossOfAllButOneOfTheCcePackets) {
  const int patterns[][3] = {{-1, -1, -1}, {8, 8, 8}, {9, 10, 11}};
  for (const auto& from : patterns) {
    for (const auto& to : patterns) {
      for (unsigned survivor = 0; survivor < 4; ++survivor) {
        Link link(without_refreshes());
        SteadyFlow flow = datagrams();
        unsigned i = 0;
        for (; i < 30; ++i) ASSERT_TRUE(pass(link, flow, from[i % 3], 10 + i % 5));
        for (unsigned told = 0; i < 60; ++i) {
          PacketSpec& s = flow.next();
          s.payload = octets(10 + i % 5);
          s.udp->coverage = to[i % 3] < 0 ? std::nullopt : std::optional(static_cast<std::uint16_t>(to[i % 3]));
          const test::Compressed sent = link.lose(s);
          const bool tells = sent.octets[0] == kOn || sent.octets[0] == kOff;
          if (tells && told++ != survivor) continue;
          const auto r = decompress(link.decompressor, sent.octets, link.now_ns);
          ASSERT_EQ(to_hex(r.octets), to_hex(build(s))) << survivor << ", packet " << i << ": " << link.describe();
        }
      }
    }
  }
}

// 5.2.2 lets an IR packet assign the flags; a compressor that had other ones must say them anew.
TEST(UdpLite, RefreshesAreFollowedByTheWayOfTheFlow) {
  CompressorConfig config = without_refreshes();
  config.ir_refresh_start = 0;
  config.ir_refresh.packets = 30;
  Link link(config);
  SteadyFlow flow = datagrams();
  for (unsigned i = 0; i < 200; ++i) {
    const bool refresh_arrives = i % 60 < 30;
    PacketSpec& s = flow.next();
    s.udp->coverage = 8;
    const test::Compressed sent = link.lose(s);
    if (i > 10 && sent.type() == PacketType::kIr && !refresh_arrives) continue;
    const auto r = decompress(link.decompressor, sent.octets, link.now_ns);
    ASSERT_EQ(to_hex(r.octets), to_hex(build(s))) << i << ": " << link.describe();
  }
  EXPECT_GE(link.compressor.counters().cce[3], 20U);
}

// "For any one IR or IR-DYN packet" (5.2.2) can be read in two ways when they differ: so none is relied upon.
TEST(UdpLite, MixedInitialisationIsMadeClear) {
  Link link(without_refreshes());
  SteadyFlow flow = datagrams();
  ASSERT_TRUE(pass(link, flow, 8));
  for (unsigned i = 0; i < 3; ++i) {
    ASSERT_TRUE(pass(link, flow, -1, 10 + i));
    EXPECT_EQ(link.sent.type(), PacketType::kIr);
  }
  for (unsigned i = 0; i < 4; ++i) {
    ASSERT_TRUE(pass(link, flow, -1, 10 + i));
    EXPECT_EQ(first(link), kOff);
  }
  ASSERT_TRUE(pass(link, flow, -1, 20));
  EXPECT_EQ(link.sent.header(), 3U);
}

// A fixed value cannot be told by packets of that very length, CCE(OFF) would mean "inferred".
TEST(UdpLite, AFixedValueThatBecomesTheLength) {
  Link link(without_refreshes());
  SteadyFlow flow = datagrams();
  for (unsigned i = 0; i < 5; ++i) ASSERT_TRUE(pass(link, flow, 18, 20)) << link.describe();
  for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(pass(link, flow, 18, 10)) << i << ": " << link.describe();
  EXPECT_EQ(link.sent.header(), 3U);
  for (unsigned i = 0; i < 20; ++i) ASSERT_TRUE(pass(link, flow, 18, 10 + i)) << i << ": " << link.describe();
  EXPECT_EQ(link.sent.header(), 3U);
}

// A change of another field while the coverage deviates must not take the value into the context.
TEST(UdpLite, ADeviationTogetherWithAnotherChange) {
  Link link(without_refreshes());
  SteadyFlow flow = voice();
  for (unsigned i = 0; i < 30; ++i) ASSERT_TRUE(pass(link, flow, 8));
  flow.spec.ip.ttl = 9;
  ASSERT_TRUE(pass(link, flow, 11)) << link.describe();
  EXPECT_EQ(first(link), kOnce);
  for (unsigned i = 0; i < 10; ++i) ASSERT_TRUE(pass(link, flow, 8)) << link.describe();
  EXPECT_EQ(link.sent.header(), 3U);
}

// A checksum of zero must not be sent (RFC 3828 3.1), but who does finds it again: the field always goes as it is.
TEST(UdpLite, AnyChecksumGoesAsItIs) {
  Link link(without_refreshes());
  SteadyFlow flow = voice(6);
  for (unsigned i = 0; i < 30; ++i) {
    Packet p = build(flow.next());
    if (i % 5 == 4) p[46] = p[47] = 0;
    ASSERT_TRUE(link.pass(p)) << link.describe();
  }
  EXPECT_EQ(link.sent.header(), 3U);
}

// 5.8, RFC 4815 11: SID, for the inner and the outer header. In the dynamic chain it is the bit after NBO.
TEST(UdpLite, ConstantIpIdCostsNothing) {
  for (SteadyFlow flow : {voice(4), datagrams(4)}) {
    flow.spec.outer = test::IpFields{};
    CompressorConfig config = without_refreshes();
    Link link(config);
    for (unsigned i = 0; i < 60; ++i) {
      PacketSpec s = flow.next();
      s.ip.id = 4711;
      s.outer->id = 42;
      ASSERT_TRUE(link.pass(s)) << link.describe();
    }
    EXPECT_EQ(link.sent.header(), 3U);
  }
}

TEST(UdpLite, ModesTunnelsAndCids) {
  for (const unsigned outer : {0U, 4U, 6U}) {
    for (const bool large : {false, true}) {
      for (SteadyFlow flow : {voice(4), voice(6), datagrams(4), datagrams(6)}) {
        CompressorConfig c;
        DecompressorConfig d;
        c.channel.large_cids = d.channel.large_cids = large;
        d.mode = wire::Mode::kOptimistic;
        Link link(c, d);
        if (outer != 0) {
          flow.spec.outer = test::IpFields{};
          flow.spec.outer->version = outer;
        }
        const bool rtp = flow.spec.rtp.has_value();
        for (unsigned i = 0; i < 120; ++i) {
          ASSERT_TRUE(pass(link, flow, i < 40 ? -1 : i < 80 ? 10 : static_cast<int>(i), 10 + i % 3)) << link.describe();
          link.carry_feedback();
        }
        EXPECT_EQ(link.sent.mode(), wire::Mode::kOptimistic);
        EXPECT_EQ(link.sent.detail.profile, rtp ? kRtpUdpLite : kUdpLite);
      }
    }
  }
}

// "CCE(ON) and CCE(OFF) MUST NOT be used to extend R-0 and R-1* headers" (5.3.2), and what they say waits for an ACK.
TEST(UdpLite, ReliableMode) {
  test::Random random(5);
  for (unsigned round = 0; round < 40; ++round) {
    CompressorConfig c = without_refreshes();
    DecompressorConfig d;
    c.highest_mode = d.mode = wire::Mode::kReliable;
    Link link(c, d);
    SteadyFlow flow = round % 2 == 0 ? voice(round % 4 == 0 ? 4 : 6) : datagrams(round % 4 == 1 ? 4 : 6);
    for (unsigned i = 0; i < 400; ++i) {
      const unsigned phase = i / 50 % 4;
      const int coverage = phase == 0 ? -1 : phase == 1 ? 9 : phase == 2 ? static_cast<int>(random.below(30)) : 0;
      PacketSpec& s = flow.next();
      s.payload = octets(10 + random.below(4));
      s.udp->coverage = coverage < 0 ? std::nullopt : std::optional(static_cast<std::uint16_t>(coverage));
      const test::Compressed sent = link.lose(s);
      if (i > 40 && (sent.octets[0] == kOn || sent.octets[0] == kOff)) {
        const unsigned inner = sent.octets[1];
        ASSERT_TRUE((inner & 0xe0) == 0xc0 || (inner & 0xc0) == 0x40) << to_hex(sent.octets);
      }
      if (i > 40 && random.chance(0.1)) continue;  // lost
      const auto r = decompress(link.decompressor, sent.octets, link.now_ns);
      ASSERT_EQ(to_hex(r.octets), to_hex(build(s))) << round << ", " << i << ": " << to_hex(sent.octets);
      if (random.chance(0.7)) {
        link.carry_feedback();
      } else {
        (void)test::take_all(link.decompressor.own_feedback());
      }
    }
    EXPECT_EQ(link.sent.mode(), wire::Mode::kReliable);
    EXPECT_GT(link.compressor.counters().cce[3], 0U);
  }
}

TEST(UdpLite, ProfilesThatAreNotEnabled) {
  const auto profile_of = [](SteadyFlow flow, bool rtp_udp_lite, bool udp_lite) {
    CompressorConfig c = without_refreshes();
    c.channel.profiles.rtp_udp_lite = rtp_udp_lite;
    c.channel.profiles.udp_lite = udp_lite;
    Link link(c);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(link.pass(flow.next())) << link.describe();
    return link.sent.detail.profile;
  };
  EXPECT_EQ(profile_of(voice(), true, true), kRtpUdpLite);
  EXPECT_EQ(profile_of(voice(), true, false), kRtpUdpLite);
  EXPECT_EQ(profile_of(voice(), false, true), kUdpLite);
  EXPECT_EQ(profile_of(voice(), false, false), 4);
  EXPECT_EQ(profile_of(datagrams(), true, true), kUdpLite);
  EXPECT_EQ(profile_of(datagrams(), true, false), 4);
}

// Whatever the coverage does, and whatever the link loses within what the compressor repeats.
TEST(UdpLite, RandomCoverages) {
  test::Random random(11);
  for (unsigned round = 0; round < 150; ++round) {
    CompressorConfig config;
    config.ir_refresh.packets = 40;
    config.fo_refresh.packets = 25;
    Link link(config);
    SteadyFlow flow = round % 2 == 0 ? voice(round % 4 == 0 ? 4 : 6) : datagrams(round % 4 == 1 ? 4 : 6);
    int coverage = -1;
    bool irregular = false;
    for (unsigned i = 0; i < 300; ++i) {
      if (random.chance(0.1)) {
        coverage = random.flip() ? -1 : static_cast<int>(random.below(40));
        irregular = random.chance(0.2);
      }
      if (irregular) coverage = static_cast<int>(random.below(40));
      if (random.chance(0.02)) flow.spec.ip.tos = random.octet();
      ASSERT_TRUE(pass(link, flow, coverage, random.chance(0.5) ? 10 : 1 + random.below(30)))
          << round << ", " << i << ": " << link.describe();
    }
  }
}

}  // namespace
}  // namespace headroom::rohc
