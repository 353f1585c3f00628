// SPDX-License-Identifier: Apache-2.0
//
// CIDs that have been of R-mode, and who comes to them anew: other flows, other profiles, another decompressor
// (RFC 4815 7.2).
#include <gtest/gtest.h>

#include <algorithm>

#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/modes.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::asking_for;
using test::kinds;
using test::kO;
using test::kR;
using test::kU;
using test::Link;
using test::PacketSpec;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using test::until_mode;
using wire::PacketType;

Link reliable_link(std::uint32_t max_cid) {
  CompressorConfig config = test::following_to(kR);
  config.channel.max_cid = max_cid;
  DecompressorConfig d = asking_for(kR);
  d.channel = config.channel;
  return Link(config, d);
}

PacketSpec of_another(PacketSpec s) {
  s.ip.source = 77;
  return s;
}

// RFC 4815 7.2.1: "the current mode of operation SHOULD be inherited" by a new flow on the CID, and 7.2.2: with another
// profile it starts in U-mode.
TEST(ReliableCid, NewFlowsOnOldCids) {
  for (const bool same_profile : {true, false}) {
    Link link = reliable_link(0);
    SteadyFlow first(rtp_packet(4));
    ASSERT_TRUE(until_mode(link, first, kR));
    SteadyFlow second(of_another(same_profile ? rtp_packet(4) : udp_packet(4)));
    for (unsigned i = 0; i < 2; ++i) link.lose(second.next());
    EXPECT_EQ(link.sent.type(), PacketType::kIr);
    EXPECT_EQ(link.sent.mode(), same_profile ? kR : kU);
    EXPECT_TRUE(until_mode(link, second, kR)) << link.describe();
  }
}

// Should all IR packets of such a flow get lost, what follows must not be taken for packets of R-mode, which have no
// CRC: "by, e.g., not using packets of types beginning with 00 or 10" (RFC 4815 7.2.2).
TEST(ReliableCid, OtherProfileOnACidOfRModeIsCautious) {
  Link link = reliable_link(0);
  SteadyFlow first(rtp_packet(4));
  ASSERT_TRUE(until_mode(link, first, kR));
  SteadyFlow second(of_another(udp_packet(4)));
  for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(link.lose(second.next()).type(), PacketType::kIr);
  for (unsigned i = 0; i < 12; ++i) {
    EXPECT_FALSE(link.pass(second.next()));
    EXPECT_EQ(link.sent.octets[0] & 0xe0, 0xc0) << "type 2";
    EXPECT_NE(link.received.status, HEADROOM_OK);
  }
}

// The NACK(R) for what failed of such a flow asks for R-mode. The decompressor, which takes U-mode from an IR-DYN
// packet of another profile on its old static part, must go on complaining, or nobody would ever send an IR packet.
TEST(ReliableCid, OtherProfileOnACidOfRModeWhoseIrPacketsAreLost) {
  Link link = reliable_link(0);
  SteadyFlow first(rtp_packet(6));
  ASSERT_TRUE(until_mode(link, first, kR));
  SteadyFlow second(of_another(test::ip_packet(6)));
  for (unsigned i = 0; i < 4; ++i) ASSERT_EQ(link.lose(second.next()).type(), PacketType::kIr);
  for (unsigned i = 0; i < 40; ++i) {
    (void)link.pass(second.next());
    (void)link.carry_feedback();
  }
  EXPECT_TRUE(until_mode(link, second, kR)) << link.describe();
}

TEST(ReliableCid, OtherCidsArePreferredForAnotherProfile) {
  Link link = reliable_link(2);
  SteadyFlow reliable(rtp_packet(4));
  ASSERT_TRUE(until_mode(link, reliable, kR));
  link.decompressor.set_mode(kO);
  for (std::uint16_t n = 0; n < 6; ++n) {  // the flow in R-mode is the one that has been silent longest
    PacketSpec spec = udp_packet(4);
    spec.ip.source = static_cast<std::uint16_t>(100 + n);
    link.lose(build(spec));
    EXPECT_NE(link.sent.detail.cid, 0U) << n;
  }
}

// A decompressor that is started anew knows nothing of R-mode: after its STATIC-NACK the mode is told again.
TEST(ReliableCid, ADecompressorThatBeginsAnew) {
  for (const PacketSpec& kind : kinds()) {
    DecompressorConfig d = asking_for(kR);
    d.nack_unknown_contexts = true;
    d.nack_every = 1;
    Link link(test::following_to(kR), d);
    SteadyFlow flow(kind);
    ASSERT_TRUE(until_mode(link, flow, kR));
    Decompressor fresh(d);
    bool quiet = false;
    test::Restored r;
    for (unsigned i = 0; i < 30; ++i) {
      link.lose(flow.next());
      r = test::decompress(fresh, link.sent.octets, link.now_ns);
      quiet = r.status == HEADROOM_OK;
      EXPECT_TRUE(!quiet || std::ranges::equal(r.octets, build(flow.spec))) << i << ": " << link.describe();
      for (const auto& e : test::take_all(fresh.own_feedback()))
        link.compressor.give_feedback(e.channel, e.octets, link.now_ns);
    }
    EXPECT_TRUE(quiet);
    EXPECT_EQ(link.sent.type(), PacketType::kR0);
    EXPECT_EQ(r.mode(), kR);
  }
}

}  // namespace
}  // namespace headroom::rohc
