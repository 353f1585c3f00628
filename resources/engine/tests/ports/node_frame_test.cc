// SPDX-License-Identifier: Apache-2.0
//
// What a node sees in a frame, and what it does to tags.
#include <gtest/gtest.h>

#include <set>

#include "node/frame.h"
#include "node_frames.h"

namespace headroom::node {
namespace {

const Octets kArp(28, 1);
constexpr std::uint16_t kEtherTypeArp = 0x0806;

TEST(FrameParts, TellsIpFromRohcFromTheRest) {
  EXPECT_EQ(find_parts(ipv4_frame(udp_packet(40))).carries, Carries::ip);
  EXPECT_EQ(find_parts(frame_of(kEtherTypeIpv6, ipv6_packet(17, Octets(8, 0)))).carries, Carries::ip);
  EXPECT_EQ(find_parts(frame_of(kEtherTypeRohc, {0xFD, 1}), kEtherTypeRohc).carries, Carries::link);
  EXPECT_EQ(find_parts(frame_of(kEtherTypeRohc, {0xFD, 1})).carries, Carries::other) << "of another scheme";
  EXPECT_EQ(find_parts(frame_of(kEtherTypeArp, kArp)).carries, Carries::other);
  EXPECT_EQ(find_parts(frame_of(1500, udp_packet(1500))).carries, Carries::other) << "a length, IEEE 802.3";
}

TEST(FrameParts, SkipsTagsAndSaysWhereThePayloadIs) {
  const Octets frame = ipv4_frame(udp_packet(40), {0x88A8'0005, vlan(7)});
  const FrameParts parts = find_parts(frame);
  EXPECT_EQ(parts.carries, Carries::ip);
  EXPECT_EQ(parts.type_at, 20);
  EXPECT_EQ(parts.payload_at, 22u);
  EXPECT_EQ(parts.packet, 40u);
  const std::vector<std::uint32_t> five(5, vlan(7));
  EXPECT_EQ(find_parts(ipv4_frame(udp_packet(40), five)).carries, Carries::other);
  EXPECT_EQ(find_parts(ipv4_frame(udp_packet(40), {five.begin(), five.begin() + 4})).carries, Carries::ip);
}

TEST(FrameParts, LeavesThePaddingBehindAnIpPacketOut) {
  Octets padded = udp_packet(30);
  padded.resize(46);
  EXPECT_EQ(find_parts(ipv4_frame(padded)).packet, 30u);
}

// No octet outside the frame is read: a sanitizer would tell.
TEST(FrameParts, TakesFramesThatEndTooSoonForOther) {
  const Octets whole = ipv4_frame(udp_packet(40), {vlan(7), vlan(8)});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Octets cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(find_parts(cut).carries, Carries::other) << length;
  }
}

TEST(FrameParts, TakesIpThatContradictsItsFrameForOther) {
  Octets packet = udp_packet(40);
  EXPECT_EQ(find_parts(frame_of(kEtherTypeIpv6, packet)).carries, Carries::other) << "version 4 behind IPv6's type";
  store16(&packet[2], 41);
  EXPECT_EQ(find_parts(ipv4_frame(packet)).carries, Carries::other) << "longer than the frame";
  store16(&packet[2], 19);
  EXPECT_EQ(find_parts(ipv4_frame(packet)).carries, Carries::other) << "shorter than its header";
}

TEST(ChannelTag, GoesInFrontAndComesOffAgain) {
  HeapStore store;
  const Octets whole = ipv4_frame(udp_packet(40), {vlan(7)});
  Frame frame = store.of(whole);
  const ChannelTags tags = {100, 2};
  EXPECT_EQ(channel_of(frame.view(), tags), std::nullopt);
  ASSERT_TRUE(insert_tag(frame, tags, 1));
  EXPECT_EQ(Octets(frame.octets, frame.octets + frame.length), ipv4_frame(udp_packet(40), {vlan(101), vlan(7)}));
  EXPECT_EQ(channel_of(frame.view(), tags), 1);
  remove_tag(frame);
  EXPECT_EQ(Octets(frame.octets, frame.octets + frame.length), whole);
  EXPECT_EQ(frame.front, HeapStore::kFront);
  EXPECT_EQ(frame.room, HeapStore::kRoom);
  frame.front = 3;
  EXPECT_FALSE(insert_tag(frame, tags, 1));
  store.give_back(frame);
}

TEST(ChannelTag, IsOneOfTheChannels) {
  const auto channel = [](std::uint16_t vid, ChannelTags tags) {
    return channel_of(frame_of(kEtherTypeRohc, {0xE0, 0xFD}, {vlan(vid)}), tags);
  };
  EXPECT_EQ(channel(100, {100, 4}), 0);
  EXPECT_EQ(channel(103, {100, 4}), 3);
  EXPECT_EQ(channel(104, {100, 4}), std::nullopt);
  EXPECT_EQ(channel(99, {100, 4}), std::nullopt);
  EXPECT_EQ(channel(100, {100, 1}), std::nullopt) << "one channel has no tag";
  EXPECT_EQ(channel_of(frame_of(kEtherTypeRohc, {1, 2}, {0x88A8'0064}), {100, 4}), std::nullopt);
  EXPECT_EQ(channel(0x2000 | 101, {100, 4}), 1) << "priority bits are not part of the VID";
}

TEST(FlowHash, IsThatOfTheFlowWhateverElseChanges) {
  EXPECT_EQ(flow_hash(udp_packet(40, 1)), flow_hash(udp_packet(900, 2)));
  EXPECT_NE(flow_hash(udp_packet(40, 1, 5000)), flow_hash(udp_packet(40, 1, 5001)));
}

TEST(FlowHash, BringsAllFragmentsOfAFlowTogether) {
  const auto fragment = [](std::uint16_t flags_and_offset, std::uint16_t port) {
    Octets packet = udp_packet(60, 1, port);
    store16(&packet[6], flags_and_offset);
    return flow_hash(packet);
  };
  EXPECT_EQ(fragment(0x2000, 5000), fragment(0x0005, 9999)) << "what stands where ports were is payload";
  EXPECT_EQ(fragment(0x4000, 5000), flow_hash(udp_packet(60, 1, 5000))) << "DF is no fragment";
  const auto fragment6 = [](std::uint8_t offset, std::uint8_t payload) {
    Octets rest = {17, 0, 0, offset, 0, 0, 0, 1};
    rest.insert(rest.end(), 16, payload);
    return flow_hash(ipv6_packet(44, rest));
  };
  EXPECT_EQ(fragment6(1, 1), fragment6(0x10, 2));
}

TEST(FlowHash, FindsPortsBehindExtensionHeadersOfIpv6) {
  const auto behind_options = [](std::uint8_t port) {
    Octets rest = {17, 0, 1, 4, 0, 0, 0, 0};  // hop-by-hop options, PadN
    rest.insert(rest.end(), {0, port, 0, 9, 0, 8, 0, 0});
    return flow_hash(ipv6_packet(0, rest));
  };
  EXPECT_NE(behind_options(1), behind_options(2));
  EXPECT_EQ(behind_options(1), flow_hash(ipv6_packet(17, {0, 1, 0, 9, 0, 8, 0, 0})));
}

// No octet outside the packet is read: a sanitizer would tell.
TEST(FlowHash, TakesPacketsThatEndAnywhere) {
  Octets rest = {0, 0, 1, 4, 0, 0, 0, 0, 60, 255, 0, 0, 0, 0, 0, 0, 17, 0, 1, 4, 0, 0, 0, 0};
  for (const int next : {0, 17, 43, 44, 60}) {
    for (std::size_t length = 0; length <= rest.size(); ++length)
      (void)flow_hash(ipv6_packet(static_cast<std::uint8_t>(next),
                                  {rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length)}));
  }
  for (std::uint8_t words = 0; words < 16; ++words) {
    Octets packet = udp_packet(28);
    packet[0] = static_cast<std::uint8_t>(0x40 | words);
    (void)flow_hash(packet);
  }
}

TEST(WorkerOf, SpreadsFlowsEvenly) {
  for (const unsigned workers : {2u, 3u, 7u}) {
    std::vector<int> flows(workers);
    for (std::uint16_t port = 1000; port < 8000; ++port) ++flows.at(worker_of(udp_packet(40, 1, port), workers));
    for (const int count : flows) EXPECT_NEAR(count, 7000.0 / workers, 7000.0 / workers * 0.1) << workers;
  }
}

}  // namespace
}  // namespace headroom::node
