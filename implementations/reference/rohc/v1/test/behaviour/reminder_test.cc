// SPDX-License-Identifier: Apache-2.0
//
// What a decompressor cannot find out by itself when every packet with a change is lost, and how the compressor tells
// it all the same: reminders in O-mode (compressor/refresh.h), and IR packets instead of IR-DYN on a CID that had
// another flow (RFC 3095 5.7.7.2, note).
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "rohc/v1/test/support/hand_made.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::Link;
using test::PacketSpec;
using test::SteadyFlow;
using wire::Mode;
using wire::PacketType;

DecompressorConfig optimistic() {
  DecompressorConfig d;
  d.mode = Mode::kOptimistic;
  return d;
}

void pass(Link& link, SteadyFlow& flow, unsigned packets) {
  for (unsigned i = 0; i < packets; ++i) {
    ASSERT_TRUE(link.pass(flow.next())) << i << ": " << link.describe();
    (void)link.carry_feedback();
  }
}

// Of a flow in O-mode all packets with a change are lost, and those behind it that would be recognised by their CRC-7.
// Whether the others are right does not count for 40 packets, but from then on. Returns how many of the 40 were wrong
// and delivered.
unsigned wrong_after_losing(const PacketSpec& first, const std::function<void(PacketSpec&)>& change) {
  Link link(test::without_refreshes(), optimistic());
  SteadyFlow flow(first);
  pass(link, flow, 30);
  change(flow.spec);
  for (unsigned i = 0; i < 10; ++i) link.lose(flow.next());
  unsigned wrong = 0;
  for (unsigned i = 0; i < 40; ++i) {
    const bool right = link.pass(flow.next());
    wrong += !right && link.received.status == HEADROOM_OK ? 1U : 0U;
    (void)link.carry_feedback();
  }
  pass(link, flow, 20);
  return wrong;
}

// One value in eight leaves the CRC-3 as it was: nothing but being told again helps then.
TEST(Reminder, OfATrafficClassThatTheCrcCannotSee) {
  unsigned unseen = 0;
  for (unsigned tos = 1; tos < 256; ++tos) {
    SCOPED_TRACE("class " + std::to_string(tos));
    const unsigned wrong =
        wrong_after_losing(test::plain_rtp(6), [&](PacketSpec& s) { s.ip.tos = static_cast<std::uint8_t>(tos); });
    unseen += wrong > 2 ? 1U : 0U;
    EXPECT_LE(wrong, 16U);
  }
  EXPECT_GT(unseen, 20U);
}

TEST(Reminder, OfAPayloadType) {
  for (unsigned type = 1; type < 64; ++type) {
    SCOPED_TRACE("payload type " + std::to_string(type));
    const unsigned wrong = wrong_after_losing(
        test::plain_rtp(4), [&](PacketSpec& s) { s.rtp->payload_type = static_cast<std::uint8_t>(type); });
    EXPECT_LE(wrong, 16U);
  }
}

// CSRC lists are static octets, too.
TEST(Reminder, OfAList) {
  for (std::uint32_t csrc = 1; csrc < 64; ++csrc) {
    SCOPED_TRACE("CSRC " + std::to_string(csrc));
    PacketSpec first = test::plain_rtp(4);
    first.csrcs = {1000};
    (void)wrong_after_losing(first, [&](PacketSpec& s) { s.csrcs = {1000 + csrc}; });
    first.csrcs = {csrc};
    (void)wrong_after_losing(first, [](PacketSpec& s) { s.csrcs = {}; });
  }
}

// RFC 4019 5.3.2.3: with CCE(OFF) lost, the decompressor goes on inferring what the compressor takes for fixed. In
// packets of the usual length that makes no difference, so that k_1 of n_1 packets never fail.
TEST(Reminder, OfAChecksumCoverage) {
  PacketSpec spec = test::udp_lite_packet(4);
  Link link(test::without_refreshes(), optimistic());
  SteadyFlow flow(spec);
  const auto send = [&](bool usual, bool lost) {
    PacketSpec& s = flow.next();
    s.payload.assign(usual ? 10 : 17, 1);
    if (!lost) return link.pass(s);
    link.lose(s);
    return true;
  };
  for (unsigned i = 0; i < 30; ++i) {
    ASSERT_TRUE(send(true, false));
    (void)link.carry_feedback();
  }
  flow.spec.udp->coverage = 18;  // of all that follow, be they longer
  for (unsigned i = 0; i < 2; ++i) ASSERT_TRUE(send(false, false)) << link.describe();
  for (unsigned i = 0; i < 10; ++i) (void)send(false, true);
  for (unsigned i = 0; i < 40; ++i) {
    (void)send(true, false);
    (void)link.carry_feedback();
  }
  for (unsigned i = 0; i < 100; ++i) ASSERT_TRUE(send(i % 10 != 9, false)) << i << ": " << link.describe();
}

std::vector<unsigned> updates_after_a_change(bool acknowledged) {
  Link link(test::without_refreshes(), optimistic());
  SteadyFlow flow(test::plain_rtp(6));
  pass(link, flow, 30);
  flow.spec.ip.ttl = 9;
  std::vector<unsigned> at;
  for (unsigned i = 0; i < 1000; ++i) {
    EXPECT_TRUE(link.pass(flow.next()));
    (void)link.carry_feedback();
    if (link.sent.type() != PacketType::kUo0) at.push_back(i);
    if (!acknowledged || i != 1) continue;
    const auto ack = test::feedback_2(wire::AckType::kAck, Mode::kOptimistic, flow.spec.rtp->sn);
    link.compressor.give_feedback(0, test::feedback_element(ack), link.now_ns);
  }
  return at;
}

TEST(Reminder, ComesThreeTimes) {
  std::vector<unsigned> later;
  for (const unsigned at : updates_after_a_change(false)) {
    if (at >= 8) later.push_back(at);
  }
  EXPECT_EQ(later, (std::vector<unsigned>{15, 79, 335}));
}

TEST(Reminder, DoesNotComeWhereAnAckHas) { EXPECT_EQ(updates_after_a_change(true), (std::vector<unsigned>{0, 1})); }

// --- A CID that had another flow -------------------------------------------------------------------------------------

// The decompressor knows the flow before, whose IR-DYN packets it would take these for.
void lose_the_beginning(const PacketSpec& before, const PacketSpec& after, bool in_o_mode) {
  CompressorConfig c = test::without_refreshes();
  c.channel.max_cid = 0;
  DecompressorConfig d = in_o_mode ? optimistic() : DecompressorConfig{};
  d.channel.max_cid = 0;
  Link link(c, d);
  SteadyFlow first(before);
  pass(link, first, 30);
  SteadyFlow second(after);
  for (unsigned i = 0; i < 8; ++i) link.lose(second.next());
  second.spec.udp->checksum = !second.spec.udp->checksum;  // something that IR-DYN packets tell
  ASSERT_TRUE(link.pass(second.next())) << link.describe();
  EXPECT_EQ(link.sent.type(), PacketType::kIr);
  (void)link.carry_feedback();
  pass(link, second, 30);
  // Once the new one is known, IR-DYN does.
  second.spec.udp->checksum = !second.spec.udp->checksum;
  ASSERT_TRUE(link.pass(second.next()));
  EXPECT_EQ(link.sent.type(), in_o_mode ? PacketType::kIrDyn : PacketType::kIr);
}

TEST(ReusedCid, NoIrDynOnAStaticPartOfAnotherFlow) {
  PacketSpec other = test::plain_rtp(4);
  other.ip.source = 77;
  PacketSpec udp = test::udp_packet(4);
  udp.ip.source = 78;
  for (const bool in_o_mode : {false, true}) {
    lose_the_beginning(test::plain_rtp(4), other, in_o_mode);
    lose_the_beginning(test::plain_rtp(4), udp, in_o_mode);
  }
}

}  // namespace
}  // namespace headroom::rohc
