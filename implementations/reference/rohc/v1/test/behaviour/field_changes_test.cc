// SPDX-License-Identifier: Apache-2.0
//
// Fields that seldom change: each change arrives at once, is told in L packets, and is then a part of the pattern (RFC
// 3095 5.7.5, RFC 4815 6.4 and 6.5).
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::ip_packet;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::Random;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using test::without_refreshes;
using wire::PacketType;

constexpr unsigned kRepeats = CompressorConfig{}.repeats;

PacketSpec with_outer(PacketSpec spec, unsigned version) {
  spec.outer = test::IpFields{};
  spec.outer->version = version;
  return spec;
}

struct Change {
  const char* name;
  std::function<void(PacketSpec&)> apply;
};

// The change is told in packets of type 2, L of them at least (more when the CRC-3 cannot see it), and is forgotten by
// nobody.
void expect_told(const PacketSpec& kind, const Change& change) {
  Link link(without_refreshes());
  SteadyFlow flow(kind);
  ASSERT_TRUE(settle(link, flow)) << link.describe();
  const std::size_t settled = link.sent.header();
  change.apply(flow.spec);
  unsigned told = 0;
  for (unsigned i = 0; i < 5 * kRepeats; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << change.name << ": " << link.describe();
    if (!is_type_2(link.sent.type())) continue;
    EXPECT_EQ(told, i) << change.name << ": told without a gap";
    ++told;
  }
  EXPECT_TRUE(told == kRepeats || told == 2 * kRepeats) << change.name << ": told " << told << " times";
  EXPECT_EQ(link.sent.type(), PacketType::kUo0) << change.name;
  EXPECT_EQ(link.sent.header(), settled) << change.name;
}

const Change kIpChanges[] = {
    {"TOS", [](PacketSpec& s) { s.ip.tos = 0xb8; }},
    {"TTL", [](PacketSpec& s) { s.ip.ttl = 17; }},
    {"TOS and TTL", [](PacketSpec& s) { s.ip.tos = 0xff, s.ip.ttl = 1; }},
};
const Change kOuterChanges[] = {
    {"outer TOS", [](PacketSpec& s) { s.outer->tos = 0xb8; }},
    {"outer TTL", [](PacketSpec& s) { s.outer->ttl = 17; }},
    {"TOS of both", [](PacketSpec& s) { s.ip.tos = 0x10, s.outer->tos = 0x20; }},
};
const Change kDf = {"DF", [](PacketSpec& s) { s.ip.dont_fragment = false; }};
const Change kOuterDf = {"outer DF", [](PacketSpec& s) { s.outer->dont_fragment = false; }};

TEST(FieldChanges, OfIp) {
  for (const unsigned version : {4U, 6U}) {
    for (const PacketSpec& kind : {ip_packet(version), udp_packet(version), rtp_packet(version)}) {
      for (const Change& c : kIpChanges) expect_told(kind, c);
      if (version == 4) expect_told(kind, kDf);
    }
  }
}

TEST(FieldChanges, OfBothHeadersOfATunnel) {
  for (const unsigned outer : {4U, 6U}) {
    for (const unsigned version : {4U, 6U}) {
      for (const PacketSpec& kind : {ip_packet(version), udp_packet(version), rtp_packet(version)}) {
        for (const Change& c : kIpChanges) expect_told(with_outer(kind, outer), c);
        for (const Change& c : kOuterChanges) expect_told(with_outer(kind, outer), c);
        if (version == 4) expect_told(with_outer(kind, outer), kDf);
        if (outer == 4) expect_told(with_outer(kind, outer), kOuterDf);
      }
    }
  }
}

TEST(FieldChanges, OfRtp) {
  const Change changes[] = {
      {"payload type", [](PacketSpec& s) { s.rtp->payload_type = 18; }},
      {"padding", [](PacketSpec& s) { s.rtp->padding = true; }},
      {"extension", [](PacketSpec& s) { s.rtp->extension = true; }},
      {"all three", [](PacketSpec& s) { s.rtp->payload_type = 99, s.rtp->padding = s.rtp->extension = true; }},
  };
  for (const unsigned version : {4U, 6U}) {
    for (const Change& c : changes) expect_told(rtp_packet(version), c);
  }
}

// "If R-PT = 0, context(R-P) is updated to zero" (RFC 4815 6.4): when another field takes extension 3 with RTP flags,
// padding must not get lost.
TEST(FieldChanges, PaddingOutlivesOtherChanges) {
  PacketSpec spec = rtp_packet(4);
  spec.rtp->padding = true;
  expect_told(spec, {"extension beside padding", [](PacketSpec& s) { s.rtp->extension = true; }});
  expect_told(spec, {"padding ends", [](PacketSpec& s) { s.rtp->padding = false; }});
  Link link(without_refreshes());
  SteadyFlow flow(spec);
  ASSERT_TRUE(settle(link, flow));
  flow.ts_stride = 320;  // TS_STRIDE stands among the RTP flags and fields, too
  ASSERT_TRUE(settle(link, flow)) << link.describe();
}

// "Context(M) is initially zero and is never updated" (5.7).
TEST(FieldChanges, MarkerIsOfOnePacketOnly) {
  for (const unsigned version : {4U, 6U}) {
    for (const unsigned every : {1U, 2U, 3U, 50U}) {
      Link link(without_refreshes());
      SteadyFlow flow(rtp_packet(version));
      for (unsigned i = 0; i < 200; ++i) {
        flow.next().rtp->marker = i % every == 0;
        ASSERT_TRUE(link.pass(flow.spec)) << link.describe();
        if (i > 50) {
          EXPECT_EQ(link.sent.type() == PacketType::kUo0, !flow.spec.rtp->marker);
        }
      }
    }
  }
}

TEST(FieldChanges, MarkerTogetherWithExtension3) {
  for (const unsigned version : {4U, 6U}) {
    for (const bool with_rtp_flags : {false, true}) {
      Link link(without_refreshes());
      SteadyFlow flow(rtp_packet(version));
      ASSERT_TRUE(settle(link, flow));
      flow.spec.ip.ttl ^= 1;
      if (with_rtp_flags) flow.spec.rtp->payload_type ^= 1;
      for (unsigned i = 0; i < 10; ++i) {
        flow.next().rtp->marker = i % 2 == 0;
        ASSERT_TRUE(link.pass(flow.spec)) << link.describe();
      }
    }
  }
}

TEST(FieldChanges, SeveralOneAfterTheOther) {
  Link link(without_refreshes());
  SteadyFlow flow(rtp_packet(4));
  ASSERT_TRUE(settle(link, flow));
  flow.spec.ip.ttl = 9;
  ASSERT_TRUE(link.pass(flow.next()));
  ASSERT_TRUE(link.pass(flow.next()));
  flow.spec.rtp->payload_type = 3;  // while the first is still being told
  for (unsigned i = 0; i + 1 < kRepeats; ++i) {
    (void)link.lose(flow.next());
    ASSERT_TRUE(is_type_2(link.sent.type()));
  }
  for (unsigned i = 0; i < 20; ++i)
    ASSERT_TRUE(link.pass(flow.next())) << "one packet is left that tells of it: " << link.describe();
}

TEST(FieldChanges, AndBackAgain) {
  Link link(without_refreshes());
  SteadyFlow flow(udp_packet(4));
  ASSERT_TRUE(settle(link, flow));
  for (unsigned i = 0; i < 60; ++i) {
    flow.spec.ip.tos = i / 3 % 2 == 0 ? 0xb8 : 0;
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  }
}

// --- UDP checksum ("updated only by IR or IR-DYN headers", 5.7) ------------------------------------------------------

TEST(UdpChecksum, ComesAndGoes) {
  for (const unsigned version : {4U, 6U}) {
    for (const PacketSpec& kind : {udp_packet(version), rtp_packet(version)}) {
      Link link(without_refreshes());
      SteadyFlow flow(kind);
      for (const bool checksum : {true, false, true, true, false}) {
        const bool changes = flow.spec.udp->checksum != checksum;
        flow.spec.udp->checksum = checksum;
        if (changes) {
          for (unsigned i = 0; i < kRepeats; ++i) {
            ASSERT_TRUE(link.pass(flow.next())) << link.describe();
            EXPECT_EQ(link.sent.type(), PacketType::kIrDyn) << i;
          }
        }
        ASSERT_TRUE(settle(link, flow)) << link.describe();
        EXPECT_EQ(link.sent.header(), checksum ? 3U : 1U);
      }
    }
  }
}

TEST(UdpChecksum, AtRandom) {
  Random random(1);
  Link link;
  SteadyFlow flow(rtp_packet(4));
  for (unsigned i = 0; i < 2000; ++i) {
    if (random.chance(0.3)) flow.spec.udp->checksum = random.flip();
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  }
}

// --- Payloads --------------------------------------------------------------------------------------------------------

TEST(Payload, EveryLength) {
  for (const unsigned version : {4U, 6U}) {
    for (const PacketSpec& kind : {ip_packet(version), udp_packet(version), rtp_packet(version)}) {
      Link link(without_refreshes());
      SteadyFlow flow(kind);
      ASSERT_TRUE(settle(link, flow));
      for (std::size_t length = 0; length < 600; ++length) {
        flow.spec.payload.assign(length, static_cast<std::uint8_t>(length));
        ASSERT_TRUE(link.pass(flow.next())) << length << ": " << link.describe();
      }
    }
  }
}

TEST(Payload, LongestPackets) {
  for (const unsigned version : {4U, 6U}) {
    Link link(without_refreshes());
    SteadyFlow flow(rtp_packet(version));
    flow.spec.payload.resize(version == 4 ? 65535 - 40 : 65535 - 20);
    for (unsigned i = 0; i < 12; ++i) ASSERT_TRUE(link.pass(flow.next())) << i;
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  }
}

// A compressed header delivers an empty payload; an IR or IR-DYN does not ("if and only if the payload is
// non-empty", 5.7.7).
TEST(Payload, HeadersAlone) {
  for (const unsigned version : {4U, 6U}) {
    for (const PacketSpec& kind : {ip_packet(version), udp_packet(version), rtp_packet(version)}) {
      Link link(without_refreshes());
      SteadyFlow flow(kind);
      ASSERT_TRUE(settle(link, flow));
      flow.spec.payload.clear();
      for (unsigned i = 0; i < 20; ++i) {
        if (i == 5) flow.spec.ip.ttl = 9;
        ASSERT_TRUE(link.pass(flow.next())) << link.describe();
        EXPECT_NE(link.sent.type(), PacketType::kIr);
        EXPECT_NE(link.sent.type(), PacketType::kIrDyn);
      }
    }
  }
}

TEST(Payload, HeadersAloneFromTheStart) {
  for (const PacketSpec& kind : {ip_packet(4), udp_packet(4), rtp_packet(4)}) {
    Link link(without_refreshes());
    SteadyFlow flow(kind);
    flow.spec.payload.clear();
    for (unsigned i = 0; i < 10; ++i) {
      ASSERT_TRUE(link.pass(flow.next())) << link.describe();
      EXPECT_EQ(link.sent.detail.profile, 0) << "Uncompressed, for an IR could not deliver it";
    }
    flow.spec.payload = {1};
    ASSERT_TRUE(settle(link, flow)) << link.describe();
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
  }
}

TEST(Payload, HeadersAloneWhenAnIrDynIsDue) {
  Link link(without_refreshes());
  SteadyFlow flow(rtp_packet(4));
  ASSERT_TRUE(settle(link, flow));
  flow.spec.udp->checksum = false;
  const Packet payload = flow.spec.payload;
  for (unsigned i = 0; i < 30; ++i) {
    flow.spec.payload = i % 2 == 0 ? Packet{} : payload;
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  }
  EXPECT_EQ(link.sent.header(), 1U);
}

}  // namespace
}  // namespace headroom::rohc
