// SPDX-License-Identifier: Apache-2.0
//
// Lists from end to end: CSRC lists, extension headers, and IP headers in any depth (RFC 3095 5.8, RFC 4815 5,
// RFC 3843 3.1 and 3.2).
#include <gtest/gtest.h>

#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/listed_flow.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc {
namespace {

using test::ExtensionSpec;
using test::IpFields;
using test::Link;
using test::ListedFlow;
using test::Packet;
using test::PacketSpec;
using test::Random;
using wire::PacketType;

void settle(Link& link, ListedFlow& flow, unsigned packets = 12) {
  for (unsigned i = 0; i < packets; ++i) ASSERT_TRUE(link.pass(flow.next())) << link.describe();
}

IpFields deeper_ip(unsigned version, std::uint16_t source) {
  IpFields ip;
  ip.version = version;
  ip.source = source;
  ip.id = static_cast<std::uint16_t>(77 * source);
  return ip;
}

// --- Any depth of IP headers ----------------------------------------------------------------------------------------

TEST(Depth, UpToSixteenIpHeadersAreCompressedByTheIpProfile) {
  for (unsigned depth = 3; depth <= 16; ++depth) {
    for (const unsigned version : {4U, 6U}) {
      SCOPED_TRACE(std::to_string(depth) + " headers, IPv" + std::to_string(version));
      PacketSpec spec = test::ip_packet(version);
      spec.outer = IpFields{};
      spec.outer->version = 10 - version;
      std::size_t expected = 1;
      for (unsigned i = 2; i < depth; ++i) {
        spec.deeper.push_back(deeper_ip(i % 2 == 0 ? 4 : 6, static_cast<std::uint16_t>(i)));
        // TOS, TTL, IP-ID, flags and an empty list, or class, hop limit and an empty list (5.7.7.3, 5.7.7.4).
        expected += i % 2 == 0 ? 6 : 3;
      }
      Link link(test::without_refreshes());
      ListedFlow flow(spec);
      settle(link, flow);
      EXPECT_EQ(link.sent.detail.profile, 4);
      EXPECT_EQ(link.sent.type(), PacketType::kUo0);
      EXPECT_EQ(link.sent.header(), expected);
    }
  }
}

TEST(Depth, WhatLiesDeeperIsPayload) {
  PacketSpec spec = test::ip_packet(4);
  spec.outer = IpFields{};
  for (unsigned i = 2; i < 18; ++i) spec.deeper.push_back(deeper_ip(4, static_cast<std::uint16_t>(i)));
  Link link(test::without_refreshes());
  ListedFlow flow(spec);
  settle(link, flow);
  EXPECT_EQ(link.sent.detail.plain_header, 16 * 20);
}

TEST(Depth, FieldsOfADeepHeaderMayChangeAnyTime) {
  PacketSpec spec = test::ip_packet(6);
  spec.outer = IpFields{};
  spec.deeper = {deeper_ip(4, 3), deeper_ip(6, 4)};
  Link link(test::without_refreshes());
  ListedFlow flow(spec);
  settle(link, flow);
  Random random(7);
  for (unsigned i = 0; i < 100; ++i) {
    flow.spec.deeper[0].ttl = static_cast<std::uint8_t>(random.word());
    flow.spec.deeper[0].tos = static_cast<std::uint8_t>(random.word());
    flow.spec.deeper[0].dont_fragment = random.chance(0.5);
    flow.spec.deeper[1].ttl = static_cast<std::uint8_t>(random.word());
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_EQ(link.sent.header(), 1 + 6 + 3U);
  }
}

TEST(Depth, AnotherAddressDeepDownIsAnotherFlow) {
  PacketSpec spec = test::ip_packet(4);
  spec.outer = IpFields{};
  spec.deeper = {deeper_ip(4, 3)};
  Link link(test::without_refreshes());
  ListedFlow flow(spec);
  settle(link, flow);
  const auto cid = link.sent.detail.cid;
  spec.deeper[0].source = 9;
  ListedFlow other(spec);
  settle(link, other);
  EXPECT_NE(link.sent.detail.cid, cid);
  settle(link, flow);
  EXPECT_EQ(link.sent.detail.cid, cid);
}

// --- CSRC lists ------------------------------------------------------------------------------------------------------

PacketSpec mixed(std::vector<std::uint32_t> csrcs, unsigned version = 4) {
  PacketSpec spec = test::rtp_packet(version);
  spec.udp->checksum = false;
  spec.csrcs = std::move(csrcs);
  return spec;
}

TEST(CsrcList, CostsNothingWhileItStays) {
  for (unsigned count = 1; count <= 15; ++count) {
    std::vector<std::uint32_t> csrcs;
    for (unsigned i = 0; i < count; ++i) csrcs.push_back(0xc0ffee00 + i);
    Link link(test::without_refreshes());
    ListedFlow flow(mixed(csrcs, count % 2 == 0 ? 6 : 4));
    settle(link, flow);
    EXPECT_EQ(link.sent.detail.profile, 1);
    EXPECT_EQ(link.sent.type(), PacketType::kUo0);
    EXPECT_EQ(link.sent.header(), 1U);
  }
}

// Takes a flow from one list to another, and back to silence; gives the header octets of the first packet.
std::size_t cost_of_change(Link& link, ListedFlow& flow, std::vector<std::uint32_t> to) {
  flow.spec.csrcs = std::move(to);
  EXPECT_TRUE(link.pass(flow.next())) << link.describe();
  const std::size_t cost = link.sent.header();
  EXPECT_EQ(link.sent.type() == PacketType::kUor2Ts || link.sent.type() == PacketType::kUor2Id ||
                link.sent.type() == PacketType::kUor2,
            true);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_TRUE(link.pass(flow.next())) << link.describe();
    EXPECT_EQ(link.sent.header(), cost);
  }
  EXPECT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(link.sent.header(), 1U);
  return cost;
}

TEST(CsrcList, ChangesTakeTheSmallestEncoding) {
  Link link(test::without_refreshes());
  ListedFlow flow(mixed({10, 20, 30}));
  settle(link, flow);
  // UOR-2 3, extension 3 flags 1, RTP flags 1; then the list.
  constexpr std::size_t kFixed = 5;
  // Type 1 inserts {X=1, item}: first octet with XI, gen_id, ref_id, mask, CSRC.
  EXPECT_EQ(cost_of_change(link, flow, {10, 20, 25, 30}), kFixed + 4 + 4);
  // Type 2: first octet, gen_id, ref_id, mask; type 0 with three known indexes would take 1 + 1 + 2 as well and wins.
  EXPECT_EQ(cost_of_change(link, flow, {10, 20, 30}), kFixed + 4);
  // A known item comes back: type 0 with four XIs, or type 1 without item.
  EXPECT_EQ(cost_of_change(link, flow, {10, 20, 25, 30}), kFixed + 4);
  // None left: one octet, and a gen_id, for without one the list would be that of the packet only (5.8.2.1 d).
  EXPECT_EQ(cost_of_change(link, flow, {}), kFixed + 2);
  // And back again: indexes only, and the old reference has not been forgotten.
  EXPECT_EQ(cost_of_change(link, flow, {30, 25, 20, 10}), kFixed + 2 + 2);
  // Order alone.
  EXPECT_EQ(cost_of_change(link, flow, {10, 20, 25, 30}), kFixed + 2 + 2);
  // One replaced by a new one in a long list: remove, then insert.
  EXPECT_EQ(cost_of_change(link, flow, {10, 20, 25, 30, 40, 50, 60, 70}), kFixed + 4 + 2 + 16);
  EXPECT_EQ(cost_of_change(link, flow, {10, 20, 25, 30, 40, 50, 61, 70}), kFixed + 5 + 1 + 4);
}

TEST(CsrcList, BeginsAndEndsInAFlowThatHadNone) {
  Link link(test::without_refreshes());
  ListedFlow flow(mixed({}));
  settle(link, flow);
  const auto cid = link.sent.detail.cid;
  cost_of_change(link, flow, {1, 2});
  cost_of_change(link, flow, {});
  EXPECT_EQ(link.sent.detail.cid, cid);
  settle(link, flow, 300);
}

TEST(CsrcList, TwiceTheSame) {
  Link link(test::without_refreshes());
  ListedFlow flow(mixed({7, 7, 8, 7}));
  settle(link, flow);
  cost_of_change(link, flow, {7, 8, 7, 7});
  cost_of_change(link, flow, {8});
}

// --- Extension headers -----------------------------------------------------------------------------------------------

std::vector<ExtensionSpec> some_headers() {
  return {test::options_header(0, {5, 2, 0, 0}),
          test::options_header(43, {0, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
          test::options_header(60, {1, 4, 0, 0, 0, 0})};
}

TEST(ExtensionHeaders, CostNothingWhileTheyStay) {
  for (const test::ListedKind& kind : test::listed_kinds()) {
    SCOPED_TRACE(kind.name);
    Link plain(test::without_refreshes());
    ListedFlow without(kind.spec);
    settle(plain, without);
    Link link(test::without_refreshes());
    PacketSpec spec = kind.spec;
    spec.extensions = some_headers();
    if (spec.outer) spec.outer_extensions = {test::options_header(60, {1, 2, 3, 4})};
    ListedFlow flow(spec);
    settle(link, flow);
    EXPECT_EQ(link.sent.header(), plain.sent.header());
    EXPECT_EQ(link.sent.detail.profile, plain.sent.detail.profile);
    EXPECT_EQ(link.sent.detail.plain_header, test::header_octets(spec));
  }
}

TEST(ExtensionHeaders, AuthenticationSendsItsDataOnly) {
  for (const test::ListedKind& kind : test::listed_kinds()) {
    SCOPED_TRACE(kind.name);
    Link plain(test::without_refreshes());
    ListedFlow without(kind.spec);
    settle(plain, without);
    Link link(test::without_refreshes());
    PacketSpec spec = kind.spec;
    spec.extensions = {test::authentication_header(0x1234, 0x7ffffff0, Packet(12, 9))};
    ListedFlow flow(spec);
    settle(link, flow, 40);  // across the change of the most significant bit of the sequence number
    EXPECT_EQ(link.sent.header(), plain.sent.header() + 12);
  }
}

TEST(ExtensionHeaders, GreSendsItsChecksumOnly) {
  for (const unsigned outer : {4U, 6U}) {
    for (const unsigned inner : {4U, 6U}) {
      for (unsigned options = 0; options < 8; ++options) {
        PacketSpec spec = test::rtp_packet(inner);
        spec.udp->checksum = false;
        spec.outer = IpFields{};
        spec.outer->version = outer;
        test::GreFields gre;
        if ((options & 1) != 0) gre.checksum = 0x1234;
        if ((options & 2) != 0) gre.key = 0x01020304;
        if ((options & 4) != 0) gre.sequence = 0xfffffff8;
        spec.outer_extensions = {test::gre_header(gre)};
        Link link(test::without_refreshes());
        ListedFlow flow(spec);
        settle(link, flow, 30);
        EXPECT_EQ(link.sent.header(), 1U + ((options & 1) != 0 ? 2 : 0));
        EXPECT_EQ(link.sent.detail.profile, 1);
      }
    }
  }
}

TEST(ExtensionHeaders, MinimalEncapsulation) {
  for (const bool source : {false, true}) {
    PacketSpec spec = test::udp_packet(4);
    spec.udp->checksum = false;
    spec.extensions = {test::minimal_encapsulation(source, 0x0a0b0c0d)};
    Link link(test::without_refreshes());
    ListedFlow flow(spec);
    settle(link, flow);
    EXPECT_EQ(link.sent.header(), 1U);
    EXPECT_EQ(link.sent.detail.profile, 2);
  }
}

// The decompressor's state of lists outlives a flow (RFC 4815 6.3); what belongs to no header of the next one must not
// show.
TEST(ExtensionHeaders, OfAnotherFlowWithTheSameCid) {
  CompressorConfig c = test::without_refreshes();
  c.channel.max_cid = 0;
  DecompressorConfig d;
  d.channel.max_cid = 0;
  Link link(c, d);
  PacketSpec tunnel = test::rtp_packet(4);
  tunnel.outer = IpFields{};
  tunnel.outer_extensions = {test::gre_header({.checksum = 5, .key = {}, .sequence = 6})};
  tunnel.csrcs = {1, 2};
  ListedFlow first(tunnel);
  settle(link, first);
  PacketSpec plain = test::rtp_packet(4);
  plain.extensions = {test::options_header(0, {1, 4})};
  ListedFlow second(plain);
  settle(link, second);
  EXPECT_EQ(link.sent.detail.cid, 0U);
  settle(link, first);
}

// --- Sequence numbers off their line ---------------------------------------------------------------------------------

TEST(ExtensionHeaders, SequenceNumbersMayJump) {
  for (const std::uint8_t type : {std::uint8_t{51}, std::uint8_t{47}}) {
    for (const std::uint32_t to : {0U, 1U, 127U, 128U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
      PacketSpec spec = test::rtp_packet(4);
      spec.outer = IpFields{};
      test::GreFields gre;
      gre.sequence = 1000;
      spec.outer_extensions = {type == 51 ? test::authentication_header(1, 1000, Packet(12, 1))
                                          : test::gre_header(gre)};
      Link link(test::without_refreshes());
      ListedFlow flow(spec);
      settle(link, flow);
      const std::size_t steady = link.sent.header();
      test::set_sequence(flow.spec.outer_extensions[0], to);
      ASSERT_TRUE(link.pass(flow.next())) << type << " to " << to << link.describe();
      EXPECT_GT(link.sent.header(), steady);
      settle(link, flow);
      EXPECT_EQ(link.sent.header(), steady);
    }
  }
}

}  // namespace
}  // namespace headroom::rohc
