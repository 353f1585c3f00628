// SPDX-License-Identifier: Apache-2.0
//
// Links that reorder: packet sequence numbers of TCP streams (RFC 2507, 11.2).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "iphc/wire/packet_number.h"
#include "packets.h"

namespace headroom::iphc {
namespace {

using namespace testing;

Config reordering() {
  Config config;
  config.reordering = true;
  return config;
}

struct Connection {
  Ipv4 ip{};
  Tcp tcp = [] {
    Tcp one;
    one.data = {'d', 'a', 't', 'a'};
    return one;
  }();
  // The packet, and then the next one.
  Packet next() {
    Packet p = ip / tcp;
    tcp.sequence += static_cast<std::uint32_t>(tcp.data.size());
    ++ip.id;
    return p;
  }
};

TEST(IphcReordering, ZeroIsSkipped) {
  EXPECT_EQ(wire::next_number(0), 1);
  EXPECT_EQ(wire::next_number(0xFFFF), 1);
  EXPECT_EQ(wire::distance(0xFFFF, 1), 1);
  EXPECT_EQ(wire::distance(2, 0xFFFF), -2);
  EXPECT_EQ(wire::nearest_number(0x00FE, 0x03), 0x0103);
  EXPECT_EQ(wire::nearest_number(0x0102, 0xFD), 0x00FD);
  EXPECT_EQ(wire::nearest_number(0xFFFE, 0x02), 0x0002);
  EXPECT_EQ(wire::nearest_number(0x0001, 0x00), 0x0100);
}

// "LSB of pkt nr" stands in the first octet of the first length field (5.3.1), the number "immediately after the TCP
// Checksum" of a compressed header (11.2).
TEST(IphcReordering, NumbersOnTheLink) {
  Ends ends(reordering());
  Connection s;
  Packet packet = s.next();
  Outcome link = ends.compress(packet);
  packet[2] = 1;
  packet[3] = 0;
  EXPECT_EQ(link.octets, packet);
  packet = s.next();
  link = ends.compress(packet);
  EXPECT_EQ(link.octets, (Packet{0, 0x0F, packet[36], packet[37], 0, 2, 'd', 'a', 't', 'a'}));
  for (unsigned i = 3; i <= 0x10001; ++i) link = ends.compress(s.next());
  EXPECT_EQ(link.octets[4], 0);
  EXPECT_EQ(link.octets[5], 2) << "behind 0xFFFF comes 1";
  ++s.ip.ttl;  // a full header, in a tunnel with both octets
  EXPECT_EQ(ends.compress(s.next()).octets[2], 3);
  Ipv6 outer;
  outer.next = wire::kIpv4;
  for (unsigned i = 1; i <= 0x102; ++i) {
    if (i == 0x102) ++s.ip.ttl;
    link = ends.compress(outer / s.next());
  }
  EXPECT_EQ((Packet{link.octets[4], link.octets[5], link.octets[42], link.octets[43]}), (Packet{2, 1, 1, 0}));
}

// "This allows the decompressor to place the packets in the correct sequence and apply their deltas to the context in
// the correct order."
TEST(IphcReordering, PacketsThatComeTooEarlyWait) {
  Ends ends(reordering());
  Connection s;
  std::vector<Packet> packets;
  std::vector<Outcome> links;
  for (int i = 0; i < 5; ++i) {
    packets.push_back(s.next());
    links.push_back(ends.compress(packets.back()));
  }
  EXPECT_EQ(ends.decompress(links[0]).octets, packets[0]);
  EXPECT_EQ(ends.decompress(links[3]).status, HEADROOM_NOTHING);
  EXPECT_EQ(ends.decompress(links[2]).status, HEADROOM_NOTHING);
  EXPECT_TRUE(ends.drain(0).empty());
  EXPECT_EQ(ends.decompress(links[1]).octets, packets[1]);
  EXPECT_EQ(ends.drain(0), (std::vector{packets[2], packets[3]}));
  EXPECT_EQ(ends.decompress(links[4]).octets, packets[4]);
  EXPECT_EQ(ends.decompress(links[1]).status, HEADROOM_ERR_STATE) << "its turn is over";
  EXPECT_EQ(ends.decompress(links[0]).octets, packets[0]) << "a full header needs no turn, and changes nothing then";
  packets.push_back(s.next());
  EXPECT_EQ(ends.decompress(ends.compress(packets.back())).octets, packets.back());
  EXPECT_EQ(ends.decompressor.next_deadline(), HEADROOM_NO_DEADLINE);
}

TEST(IphcReordering, WhatIsLostIsWaitedForNoLonger) {
  Ends ends(reordering());
  Connection s;
  (void)ends.decompress(ends.compress(s.next()), 0);
  (void)ends.compress(s.next());  // lost
  const Packet third = s.next(), fourth = s.next();
  const Outcome third_link = ends.compress(third);
  EXPECT_EQ(ends.decompress(ends.compress(fourth), 1000).status, HEADROOM_NOTHING);
  EXPECT_EQ(ends.decompress(third_link, 2000).status, HEADROOM_NOTHING);
  const std::uint64_t deadline = ends.decompressor.next_deadline();
  EXPECT_EQ(deadline, 1000 + Config{}.hold_ns);
  EXPECT_TRUE(ends.drain(deadline - 1).empty());
  EXPECT_EQ(ends.drain(deadline), (std::vector{third, fourth})) << "repaired by the same change";
}

TEST(IphcReordering, AllPacketsComeOutOfALinkThatReorders) {
  Config config = reordering();
  config.repair = Repair::verify;
  Ends ends(config);
  std::mt19937 random(5);
  std::vector<Connection> streams(4);
  for (std::uint16_t i = 0; i < streams.size(); ++i) streams[i].tcp.source = i;
  std::vector<Packet> sent, received;
  std::vector<std::pair<std::size_t, Outcome>> order;  // by place of arrival
  for (std::size_t i = 0; i < 4000; ++i) {
    Connection& s = streams[random() % streams.size()];
    s.tcp.data = Packet(random() % 40 + 1, 'x');
    s.tcp.acknowledgement += static_cast<std::uint32_t>(random() % 1000);
    if (random() % 50 == 0) ++s.ip.ttl;
    sent.push_back(s.next());
    order.emplace_back(i < 10 ? i : i + random() % 8, ends.compress(sent.back()));
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [place, link] : order) {
    const Outcome out = ends.decompress(link);
    if (out.status == HEADROOM_OK) received.push_back(out.octets);
    for (Packet& packet : ends.drain(0)) received.push_back(std::move(packet));
  }
  std::sort(sent.begin(), sent.end());
  std::sort(received.begin(), received.end());
  EXPECT_EQ(received, sent);
  EXPECT_GT(ends.decompressor.counters().held, 500u);
}

TEST(IphcReordering, WhatCannotBeIsRefused) {
  Ends ends(reordering());
  Connection s;
  (void)ends.decompress(ends.compress(s.next()));
  for (const Packet& link : {Packet{}, {0}, {0, 0x0F, 1, 2, 0}})
    EXPECT_EQ(ends.decompress(link, kTypeTcp).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(ends.decompress(Packet{9, 0x0F, 1, 2, 0, 5}, kTypeTcp).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(ends.decompress(Packet(30, 0), kTypeTcpNoDelta).status, HEADROOM_ERR_MALFORMED);
}

}  // namespace
}  // namespace headroom::iphc
