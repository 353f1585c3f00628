// SPDX-License-Identifier: Apache-2.0
//
// The IP-ID in its four ways: a counter, a counter with its octets swapped, random, constant (RFC 3095 4.5.5, RFC
// 3843 3.3), what each costs, and changes between them in one or two headers (5.7.5.1).
#include <gtest/gtest.h>

#include <vector>

#include "rohc/v1/test/support/eventful_flow.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"
#include "rohc/v1/wire/base_header.h"
#include "rohc/v1/wire/extension.h"

namespace headroom::rohc {
namespace {

using test::IdPattern;
using test::ip_packet;
using test::Link;
using test::PacketSpec;
using test::Random;
using test::rtp_packet;
using test::udp_packet;
using test::without_refreshes;
using wire::PacketType;

constexpr unsigned kRepeats = CompressorConfig{}.repeats;
constexpr IdPattern kAllPatterns[] = {IdPattern::kSequential, IdPattern::kSwapped, IdPattern::kRandom,
                                      IdPattern::kConstant};

// A flow whose IP-IDs a test directs; all else is steady.
class IdFlow {
 public:
  explicit IdFlow(PacketSpec first, std::uint64_t seed = 1)
      : spec(std::move(first)), random_(seed), counter_(random_.word()), outer_counter_(random_.word()) {
    spec.ip.id = random_.word();
    if (spec.udp) spec.udp->checksum = false;
  }

  PacketSpec& next() {
    step(spec.ip, pattern, counter_);
    if (spec.outer) step(*spec.outer, outer_pattern, outer_counter_);
    if (spec.rtp) {
      ++spec.rtp->sn;
      spec.rtp->ts += 160;
    }
    return spec;
  }

  PacketSpec spec;
  IdPattern pattern = IdPattern::kSequential;
  IdPattern outer_pattern = IdPattern::kSequential;
  std::uint16_t increment = 1;

 private:
  void step(test::IpFields& ip, IdPattern p, std::uint16_t& counter) {
    counter = static_cast<std::uint16_t>(counter + increment);
    if (p == IdPattern::kSequential) ip.id = counter;
    if (p == IdPattern::kSwapped) ip.id = wire::swap16(counter);
    if (p == IdPattern::kRandom) ip.id = random_.word();
  }

  Random random_;
  std::uint16_t counter_;
  std::uint16_t outer_counter_;
};

bool settle(Link& link, IdFlow& flow, unsigned packets = 40) {
  for (unsigned i = 0; i < packets; ++i) {
    if (!link.pass(flow.next())) return false;
  }
  return link.sent.state() == CompressorState::kSo;
}

// Octets of header in a flow that has settled. Only the IP profile knows of constant IP-IDs; elsewhere they are sent as
// they are, like random ones.
TEST(IpId, CostOfEachWay) {
  struct Case {
    PacketSpec spec;
    unsigned constant;
  };
  for (const Case& c : {Case{rtp_packet(4), 3}, {udp_packet(4), 3}, {ip_packet(4), 1}}) {
    for (const IdPattern pattern : kAllPatterns) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Link link(without_refreshes());
        IdFlow flow(c.spec, seed);
        flow.pattern = pattern;
        ASSERT_TRUE(settle(link, flow)) << link.describe();
        EXPECT_EQ(link.sent.type(), PacketType::kUo0);
        const unsigned expected = pattern == IdPattern::kRandom ? 3 : pattern == IdPattern::kConstant ? c.constant : 1;
        EXPECT_EQ(link.sent.header(), expected) << "pattern " << static_cast<int>(pattern) << ", seed " << seed;
      }
    }
  }
}

TEST(IpId, CostOfEachPairInATunnel) {
  for (const PacketSpec& kind : {rtp_packet(4), udp_packet(4), ip_packet(4)}) {
    for (const IdPattern inner : kAllPatterns) {
      for (const IdPattern outer : kAllPatterns) {
        Link link(without_refreshes());
        PacketSpec spec = kind;
        spec.outer = test::IpFields{};
        IdFlow flow(spec);
        flow.pattern = inner;
        flow.outer_pattern = outer;
        ASSERT_TRUE(settle(link, flow)) << link.describe();
        const bool sid = !kind.udp;
        const auto cost = [&](IdPattern p) {
          return p == IdPattern::kRandom || (p == IdPattern::kConstant && !sid) ? 2U : 0U;
        };
        EXPECT_EQ(link.sent.header(), 1 + cost(inner) + cost(outer))
            << static_cast<int>(inner) << " in " << static_cast<int>(outer);
      }
    }
  }
}

TEST(IpId, EveryChangeOfWay) {
  for (const PacketSpec& kind : {rtp_packet(4), udp_packet(4), ip_packet(4)}) {
    for (const IdPattern from : kAllPatterns) {
      for (const IdPattern to : kAllPatterns) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
          Link link(without_refreshes());
          IdFlow flow(kind, seed);
          flow.pattern = from;
          ASSERT_TRUE(settle(link, flow)) << link.describe();
          flow.pattern = to;
          ASSERT_TRUE(settle(link, flow, 60))
              << static_cast<int>(from) << " to " << static_cast<int>(to) << ": " << link.describe();
          const bool costs = to == IdPattern::kRandom || (to == IdPattern::kConstant && kind.udp.has_value());
          EXPECT_EQ(link.sent.header(), costs ? 3U : 1U) << static_cast<int>(from) << " to " << static_cast<int>(to);
        }
      }
    }
  }
}

TEST(IpId, EveryChangeOfWayInTheOuterHeader) {
  for (const unsigned inner_version : {4U, 6U}) {
    for (const PacketSpec& kind : {rtp_packet(inner_version), udp_packet(inner_version), ip_packet(inner_version)}) {
      for (const IdPattern from : kAllPatterns) {
        for (const IdPattern to : kAllPatterns) {
          Link link(without_refreshes());
          PacketSpec spec = kind;
          spec.outer = test::IpFields{};
          IdFlow flow(spec);
          flow.outer_pattern = from;
          ASSERT_TRUE(settle(link, flow)) << link.describe();
          flow.outer_pattern = to;
          ASSERT_TRUE(settle(link, flow, 60)) << link.describe();
          const bool costs = to == IdPattern::kRandom || (to == IdPattern::kConstant && kind.udp.has_value());
          EXPECT_EQ(link.sent.header(), costs ? 3U : 1U) << static_cast<int>(from) << " to " << static_cast<int>(to);
        }
      }
    }
  }
}

// "While in the transient state in which an RND flag is being established, the packet types R-1-ID, R-1-TS, UO-1-ID,
// and UO-1-TS MUST NOT be used" (5.7.5.1), and UO-1 not before: all packets that establish are of type 2 with
// extension 3.
TEST(IpId, RndIsEstablishedByType2Only) {
  for (const auto& [from, to] : {std::pair{IdPattern::kSequential, IdPattern::kRandom},
                                 {IdPattern::kRandom, IdPattern::kSequential},
                                 {IdPattern::kSwapped, IdPattern::kRandom},
                                 {IdPattern::kRandom, IdPattern::kSwapped}}) {
    Link link(without_refreshes());
    IdFlow flow(rtp_packet(4));
    flow.pattern = from;
    ASSERT_TRUE(settle(link, flow));
    flow.pattern = to;
    unsigned established = 0;
    unsigned first = 0;
    for (unsigned i = 1; i <= 40; ++i) {
      flow.next().rtp->marker = i % 3 == 0;  // something that types 1 would be used for
      ASSERT_TRUE(link.pass(flow.spec)) << link.describe();
      const bool type_2 = link.sent.type() == PacketType::kUor2 || link.sent.type() == PacketType::kUor2Id ||
                          link.sent.type() == PacketType::kUor2Ts;
      wire::Reader in(Octets(link.sent.octets).subspan(3));
      const bool extended = type_2 && (link.sent.octets[2] & 0x80) != 0;
      const auto e = extended ? wire::read_extension(in, wire::Format::kRtp, wire::TField::kBothTs) : std::nullopt;
      if (e && e->kind == 3 && e->inner.present) {
        if (established == 0) first = i;
        ++established;
        EXPECT_EQ(e->inner.rnd, to == IdPattern::kRandom);
        if (to != IdPattern::kRandom) {
          EXPECT_EQ(e->inner.nbo, to == IdPattern::kSequential);
          EXPECT_EQ(e->id.width, 16) << "the whole IP-ID, for the reference is of no use";
        }
        EXPECT_EQ(i, first + established - 1) << "without a gap";
      }
    }
    EXPECT_EQ(established, kRepeats);
  }
}

TEST(IpId, Type1FormatsFollowTheFlag) {
  Link link(without_refreshes());
  IdFlow flow(rtp_packet(4));
  ASSERT_TRUE(settle(link, flow));
  flow.next().rtp->marker = true;
  ASSERT_TRUE(link.pass(flow.spec));
  EXPECT_EQ(link.sent.type(), PacketType::kUo1Ts);
  flow.spec.rtp->marker = false;
  flow.pattern = IdPattern::kRandom;
  ASSERT_TRUE(settle(link, flow));
  flow.next().rtp->marker = true;
  ASSERT_TRUE(link.pass(flow.spec));
  EXPECT_EQ(link.sent.type(), PacketType::kUo1);
}

// Packets of other flows from the same host: the counter jumps, and the window makes L packets say by how much.
TEST(IpId, JumpsOfTheCounter) {
  for (const unsigned by : {2U, 17U, 30U, 32U, 200U, 3000U, 60'000U}) {
    Link link(without_refreshes());
    IdFlow flow(rtp_packet(4));
    ASSERT_TRUE(settle(link, flow));
    flow.increment = static_cast<std::uint16_t>(by);
    flow.next();
    flow.increment = 1;
    for (unsigned i = 0; i < kRepeats; ++i) {
      ASSERT_TRUE(link.pass(i == 0 ? flow.spec : flow.next())) << by << ": " << link.describe();
      EXPECT_NE(link.sent.type(), PacketType::kUo0) << by;
      if (by <= 30) {
        EXPECT_EQ(link.sent.type(), PacketType::kUo1Id) << by << ": five bits of offset";
      }
    }
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(link.sent.type(), PacketType::kUo0) << by;
  }
}

TEST(IpId, CounterWrapsAround) {
  for (const bool swapped : {false, true}) {
    Link link(without_refreshes());
    test::SteadyFlow flow(udp_packet(4));
    std::uint16_t counter = 0xffd0;
    for (unsigned i = 0; i < 100; ++i) {
      ++counter;
      flow.next().ip.id = swapped ? wire::swap16(counter) : counter;
      ASSERT_TRUE(link.pass(flow.spec)) << link.describe();
    }
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  }
}

// A counter that many flows share: small steps of all sizes.
TEST(IpId, BusyHost) {
  Random random(1);
  for (const PacketSpec& kind : {rtp_packet(4), udp_packet(4), ip_packet(4)}) {
    Link link;
    IdFlow flow(kind);
    std::uint64_t octets = 0;
    for (unsigned i = 0; i < 3000; ++i) {
      flow.increment = static_cast<std::uint16_t>(random.between(1, 6));
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      octets += link.sent.header();
    }
    EXPECT_LT(octets, 3000U * 5) << "cheaper than sending it whole would be, refreshes included";
  }
}

TEST(IpId, ChangesAtRandom) {
  Random random(2);
  for (const PacketSpec& kind : {rtp_packet(4), udp_packet(4), ip_packet(4)}) {
    for (const bool tunnel : {false, true}) {
      PacketSpec spec = kind;
      if (tunnel) spec.outer = test::IpFields{};
      Link link;
      IdFlow flow(spec);
      for (unsigned i = 0; i < 20'000; ++i) {
        if (random.chance(0.1)) flow.pattern = kAllPatterns[random.below(4)];
        if (random.chance(0.1)) flow.outer_pattern = kAllPatterns[random.below(4)];
        if (random.chance(0.1)) flow.increment = static_cast<std::uint16_t>(random.flip() ? 1 : random.below(600));
        ASSERT_TRUE(link.pass(flow.next())) << i << ": " << link.describe();
      }
    }
  }
}

// An IPv6 header has no IP-ID: nothing of the sort may ever be sent.
TEST(IpId, NoneInIpv6) {
  Link link;
  test::SteadyFlow flow(rtp_packet(6));
  flow.spec.udp->checksum = false;
  ASSERT_TRUE(settle(link, flow));
  EXPECT_EQ(link.sent.header(), 1U);
  flow.next().rtp->marker = true;
  ASSERT_TRUE(link.pass(flow.spec));
  EXPECT_EQ(link.sent.type(), PacketType::kUo1);
}

}  // namespace
}  // namespace headroom::rohc
