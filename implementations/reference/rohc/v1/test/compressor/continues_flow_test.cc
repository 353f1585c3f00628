// SPDX-License-Identifier: Apache-2.0
//
// What the general path takes for one more packet of a flow without taking it apart, against the parser: whatever
// continues_flow() accepts, the parser gives the same shape and profile, and the flow is the same.
#include <gtest/gtest.h>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/compressor/classify.h"
#include "rohc/v1/compressor/fast_path.h"
#include "rohc/v1/compressor/profile.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc {
namespace {

using test::Packet;
using test::PacketSpec;
using test::Random;
using test::rtp_packet;
using test::to_hex;
using wire::Profile;

// The context of the flow of `packet`, as far as its headers tell it.
CompressorContext context_of(const Packet& packet, Shape shape) {
  CompressorContext c{};
  c.state = CompressorState::kSo;
  c.profile = Profile::kRtp;
  c.shape = shape;
  const Layout& l = layout_of(shape);
  masked_copy(packet.data(), l.pattern_mask, l.header, c.pattern);
  c.pattern[l.rtp + 1U] &= 0x7f;
  c.ipv4_sum = l.is_ipv4() ? ipv4_sum(c.pattern.data()) : std::uint16_t{0};
  return c;
}

bool continues(const CompressorContext& c, const Packet& p) {
  headroom_packet packet{};
  packet.in = p.data();
  packet.in_length = static_cast<std::uint32_t>(p.size());
  return continues_flow(c, packet);
}

class ContinuesFlow : public testing::TestWithParam<unsigned> {
 protected:
  PacketSpec spec = rtp_packet(GetParam());
  Shape shape = GetParam() == 4 ? Shape::kRtpIpv4 : Shape::kRtpIpv6;
};

TEST_P(ContinuesFlow, WhateverTheFieldsThatChangeWithEachPacket) {
  const CompressorContext c = context_of(build(spec), shape);
  Random random(1);
  for (int round = 0; round < 1'000; ++round) {
    spec.ip.id = random.word();
    spec.rtp->sn = random.word();
    spec.rtp->ts = random.word32();
    spec.rtp->marker = random.below(2) == 0;
    spec.udp->checksum = random.below(2) == 0;
    spec.payload.resize(random.below(200));
    EXPECT_TRUE(continues(c, build(spec))) << to_hex(build(spec));
  }
}

// Each bit of the headers, with the IPv4 checksum as it then is and set right.
TEST_P(ContinuesFlow, NeverWhereTheParserSaysOtherwise) {
  spec.rtp->payload_type = 72;  // with the marker, that of RTCP
  const Packet first = build(spec);
  const CompressorContext c = context_of(first, shape);
  const CompressorConfig config;
  const QuickLook look(config);
  const Layout& l = layout_of(shape);
  unsigned accepted = 0;
  for (std::size_t bit = 0; bit < 8U * l.header; ++bit) {
    for (const bool mended : {false, true}) {
      Packet p = first;
      p[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      if (mended && l.is_ipv4()) test::mend_ipv4_checksum(p);
      if (!continues(c, p)) continue;
      ++accepted;
      HeaderChain chain;
      ListedHeaders listed;
      EXPECT_EQ(profile_for(config.channel.profiles, look.rtp_ports(), p, chain, listed), Profile::kRtp) << bit;
      EXPECT_EQ(chain.shape, shape) << bit;
      EXPECT_EQ(chain.outer_octets, 0) << bit;
      EXPECT_FALSE(chain.listed) << bit;
      EXPECT_TRUE(masked_equal(p.data(), l.definition_mask, c.pattern, l.header)) << bit;
    }
  }
  EXPECT_GE(accepted, 2U * (16 + 32));  // SN and TS at least
}

TEST_P(ContinuesFlow, NotWithOtherLengths) {
  const Packet whole = build(spec);
  const CompressorContext c = context_of(whole, shape);
  ASSERT_TRUE(continues(c, whole));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(continues(c, Packet(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)))) << length;
  Packet longer = whole;
  longer.push_back(0);
  EXPECT_FALSE(continues(c, longer));
}

TEST_P(ContinuesFlow, NotInContextsWithMoreThanThoseHeaders) {
  const Packet packet = build(spec);
  CompressorContext tunnel = context_of(packet, shape);
  tunnel.tunnel = true;
  EXPECT_FALSE(continues(tunnel, packet));
  CompressorContext lists = context_of(packet, shape);
  lists.lists = ListUse::kIdle;
  EXPECT_FALSE(continues(lists, packet));
  CompressorContext unused = context_of(packet, shape);
  unused.state = CompressorState::kUnused;
  EXPECT_FALSE(continues(unused, packet));
}

INSTANTIATE_TEST_SUITE_P(IpVersions, ContinuesFlow, testing::Values(4U, 6U));

}  // namespace
}  // namespace headroom::rohc
