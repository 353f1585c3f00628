// SPDX-License-Identifier: Apache-2.0
//
// One channel of a node, frame by frame, without ports.
#include <gtest/gtest.h>

#include "node/channel.h"
#include "node_frames.h"

namespace headroom::node {
namespace {

const Json kOMode = {{"mode", "O"}};

std::uint16_t type_of(const Octets& frame) { return load16(&frame.at(12)); }

std::vector<Octets> flow(std::size_t count, std::size_t length = 60, std::uint16_t first = 1) {
  std::vector<Octets> frames;
  for (std::size_t i = 0; i < count; ++i)
    frames.push_back(ipv4_frame(udp_packet(length, static_cast<std::uint16_t>(first + i))));
  return frames;
}

TEST(Bridge, PassesEverythingUntouched) {
  End end(job_of(""));
  const std::vector<Octets> frames = {ipv4_frame(udp_packet(40)), frame_of(0x0806, Octets(28, 1)),
                                      frame_of(kEtherTypeRohc, {1, 2, 3}), Octets(5, 1),
                                      ipv4_frame(udp_packet(1500), {vlan(4)})};
  EXPECT_EQ(end.to_link(frames), frames);
  EXPECT_EQ(end.to_plain(frames), frames);
  EXPECT_EQ(end.statistics.passed.value(), 10u);
  EXPECT_EQ(end.to_link({ipv4_frame(udp_packet(1501))}), std::vector<Octets>());
  EXPECT_EQ(end.statistics.too_long.value(), 1u);
  EXPECT_EQ(end.store.out(), 0u) << "every buffer has been given back";
}

TEST(Channel, ChangesTheTypeAndKeepsAddressesAndTags) {
  End end(job_of("null"));
  const Octets packet = udp_packet(60);
  const std::vector<Octets> frames = {ipv4_frame(packet), ipv4_frame(packet, {0x88A8'0005, vlan(7)})};
  const std::vector<Octets> link = end.to_link(frames);
  EXPECT_EQ(link, (std::vector<Octets>{frame_of(kEtherTypeRohc, packet),
                                       frame_of(kEtherTypeRohc, packet, {0x88A8'0005, vlan(7)})}));
  EXPECT_EQ(end.to_plain(link), frames);
  EXPECT_EQ(end.statistics.compressed.value(), 2u);
  EXPECT_EQ(end.statistics.decompressed.value(), 2u);
}

TEST(Channel, GivesEachVersionOfIpItsType) {
  End end(job_of("null"));
  const std::vector<Octets> frames = {frame_of(kEtherTypeIpv6, ipv6_packet(58, Octets(24, 1))),
                                      ipv4_frame(udp_packet(60))};
  EXPECT_EQ(end.to_plain(end.to_link(frames)), frames);
}

// RFC 2516, 4 and 6: VER 1, TYPE 1, CODE 0, SESSION_ID, LENGTH, and a PPP frame.
TEST(Channel, TypedLinkPacketsTravelOverPppoe) {
  End end(job_of("reference", {{"scheme", "vj"}}));
  const Octets packet = udp_packet(60);  // no TCP: TYPE_IP, unchanged (RFC 1144, 3.2.3)
  Octets payload = {0x11, 0x00, 0x00, 0x01, 0x00, 62, 0x00, 0x21};
  payload.insert(payload.end(), packet.begin(), packet.end());
  const std::vector<Octets> frames = {ipv4_frame(packet), ipv4_frame(packet, {vlan(7)})};
  const std::vector<Octets> link = end.to_link(frames);
  EXPECT_EQ(link, (std::vector<Octets>{frame_of(0x8864, payload), frame_of(0x8864, payload, {vlan(7)})}));
  EXPECT_EQ(end.to_plain(link), frames);
  // Ethernet pads behind a short frame; LENGTH says where the packet ends.
  Octets padded = payload;
  padded.resize(payload.size() + 9);
  EXPECT_EQ(end.to_plain({frame_of(0x8864, padded)}), std::vector<Octets>{ipv4_frame(packet)});
}

TEST(Channel, SegmentsOverPppoeAreCompressed) {
  End end(job_of("reference", {{"scheme", "vj"}}));
  std::vector<Octets> frames;
  for (std::uint16_t number = 1; number < 5; ++number) frames.push_back(ipv4_frame(tcp_packet(number)));
  const std::vector<Octets> link = end.to_link(frames);
  ASSERT_EQ(link.size(), frames.size());
  EXPECT_EQ(load16(&link[0][20]), 0x002F) << "UNCOMPRESSED_TCP, RFC 1332, 3.2";
  for (std::size_t i = 1; i < link.size(); ++i) {
    EXPECT_EQ(load16(&link[i][20]), 0x002D) << "COMPRESSED_TCP";
    EXPECT_LT(link[i].size(), frames[i].size() - 30 + 8);
  }
  EXPECT_EQ(end.to_plain(link), frames);
}

TEST(Channel, WhatIsNoSessionOfPppoeIsMalformed) {
  End end(job_of("reference", {{"scheme", "vj"}}));
  const Octets good = {0x11, 0, 0, 1, 0, 3, 0x00, 0x21, 0x45};
  std::vector<Octets> frames = {frame_of(0x8864, {}), frame_of(0x8864, {good.begin(), good.end() - 2})};
  for (const auto& [at, value] : std::vector<std::pair<std::size_t, std::uint8_t>>{
           {0, 0x21}, {1, 0xA7}, {3, 2}, {4, 1}, {5, 1}, {5, 2}, {5, 4}}) {
    frames.push_back(frame_of(0x8864, good));
    frames.back()[14 + at] = value;
  }
  EXPECT_EQ(end.to_plain(frames), std::vector<Octets>());
  EXPECT_EQ(end.statistics.malformed.value(), frames.size());
  EXPECT_EQ(end.store.out(), 0u);
}

TEST(Channel, LeavesWhatIsNotIpAlone) {
  End end(job_of("reference"));
  const std::vector<Octets> frames = {frame_of(0x0806, Octets(28, 1)), frame_of(0x0806, Octets(28, 1), {vlan(7)}),
                                      frame_of(64, Octets(64, 0x42)), frame_of(kEtherTypeIpv4, {0x45, 0, 0})};
  EXPECT_EQ(end.to_link(frames), frames);
  EXPECT_EQ(end.to_plain(frames), frames);
  EXPECT_EQ(end.statistics.passed.value(), 8u);
}

TEST(Channel, LetsIpOfTheLinkPass) {
  End end(job_of("reference"));
  EXPECT_EQ(end.to_plain(flow(3)), flow(3));
}

// A network card pads short frames behind the packet, where a compressed packet does not end.
TEST(Channel, PadsInFrontOfShortPackets) {
  End end(job_of("null"));
  Octets with_tail = ipv4_frame(udp_packet(28));
  with_tail.resize(60);
  const std::vector<Octets> link = end.to_link({with_tail});
  ASSERT_EQ(link.size(), 1u);
  EXPECT_EQ(link[0].size(), 60u);
  EXPECT_EQ(Octets(link[0].begin() + 14, link[0].begin() + 32), Octets(18, 0xE0));
  EXPECT_EQ(end.to_plain(link), std::vector<Octets>{ipv4_frame(udp_packet(28))});

  End bare(job_of("null", {}, {{"pad", false}}));
  EXPECT_EQ(bare.to_link({with_tail}), std::vector<Octets>{frame_of(kEtherTypeRohc, udp_packet(28))});
}

TEST(Channel, LosesWhatIsNoPacketOfTheLink) {
  End end(job_of("null"));
  EXPECT_EQ(end.to_plain({frame_of(kEtherTypeRohc, {}), frame_of(kEtherTypeRohc, Octets(46, 0xE0)),
                          frame_of(kEtherTypeRohc, {0x12, 0x34})}),
            std::vector<Octets>());
  EXPECT_EQ(end.statistics.malformed.value(), 3u) << "nothing, nothing but padding, nothing that is IP";
  EXPECT_EQ(end.to_link({frame_of(kEtherTypeRohc, {1, 2, 3})}), std::vector<Octets>());
  EXPECT_EQ(end.statistics.malformed.value(), 4u) << "from the plain side it would be taken for the channel's";
  EXPECT_EQ(end.store.out(), 0u);
}

TEST(Channel, CountsWhatTheDecompressorRefuses) {
  End end(job_of("reference"));
  EXPECT_EQ(end.to_plain({frame_of(kEtherTypeRohc, {0x00, 1, 2, 3})}), std::vector<Octets>());
  EXPECT_EQ(end.statistics.json()["errors"]["decompressor"], Json({{"ERR_NO_CONTEXT", 1}}));
  EXPECT_EQ(end.store.out(), 0u);
}

TEST(Channel, LetsPassWhatTheCompressorRefuses) {
  End end(job_of("faulty/faulty_compresses_nothing"));
  EXPECT_EQ(end.to_link(flow(2)), flow(2));
  EXPECT_EQ(end.statistics.json()["errors"]["compressor"], Json({{"ERR_UNSUPPORTED", 2}}));
  EXPECT_EQ(end.statistics.passed.value(), 2u);
}

TEST(Channel, KeepsTheOrderOfABurst) {
  End a(job_of("reference")), b(job_of("reference"));
  std::vector<Octets> frames = flow(70);
  frames.insert(frames.begin() + 5, frame_of(0x0806, Octets(28, 1)));
  frames.insert(frames.begin() + 40, ipv4_frame(udp_packet(1500)));
  EXPECT_EQ(b.to_plain(a.to_link(frames)), frames);
}

TEST(Mtu, OfTheLinkLetsAPacketPassThatBecameTooLong) {
  End end(job_of("reference", {{"profiles", {"0x0000"}}}));
  const std::vector<Octets> longest = flow(1, 1500);  // an IR packet is longer
  EXPECT_EQ(end.to_link(longest), longest);
  EXPECT_EQ(end.statistics.passed_too_long.value(), 1u);
  EXPECT_EQ(end.statistics.compressed.value(), 0u);
}

TEST(Mtu, LosesWhatFitsNeitherWay) {
  End narrow(job_of("null", {}, {{"mtu", {{"link", 600}}}}));
  EXPECT_EQ(narrow.to_link(flow(1, 601)), std::vector<Octets>());
  EXPECT_EQ(narrow.to_link(flow(1, 600)).size(), 1u);
  End plain(job_of("null", {}, {{"mtu", {{"plain", 600}}}}));
  EXPECT_EQ(plain.to_plain({frame_of(kEtherTypeRohc, udp_packet(601)), ipv4_frame(udp_packet(601))}),
            std::vector<Octets>());
  EXPECT_EQ(plain.to_link(flow(1, 601)), std::vector<Octets>());
  EXPECT_EQ(narrow.statistics.too_long.value(), 1u);
  EXPECT_EQ(plain.statistics.too_long.value(), 3u);
  EXPECT_EQ(plain.store.out(), 0u);
}

TEST(Segments, EachHaveAFrame) {
  const Json settings = {{"mrru", 2000}, {"largest_packet", 200}};
  End a(job_of("reference", settings)), b(job_of("reference", {{"mrru", 2000}}));
  const std::vector<Octets> frames = {ipv4_frame(udp_packet(900), {vlan(7)}), ipv4_frame(udp_packet(60))};
  const std::vector<Octets> link = a.to_link(frames);
  ASSERT_EQ(link.size(), 6u);
  for (const Octets& frame : link) {
    EXPECT_LE(frame.size(), 18 + 200u);
    EXPECT_GE(frame.size(), 60u);
  }
  EXPECT_EQ(type_of({link[0].begin() + 4, link[0].end()}), kEtherTypeRohc) << "behind the tag, which each has";
  EXPECT_EQ(b.to_plain(link), frames);
  EXPECT_EQ(b.statistics.consumed.value(), 4u);
  EXPECT_EQ(a.store.out() + b.store.out(), 0u);
}

TEST(Segments, ThatCannotAllBeMadeAreCounted) {
  End end(job_of("reference", {{"mrru", 2000}, {"largest_packet", 200}}));
  end.store.empty = true;
  EXPECT_EQ(end.to_link({ipv4_frame(udp_packet(900))}), std::vector<Octets>());
  EXPECT_EQ(end.statistics.no_memory.value(), 1u);
  EXPECT_EQ(end.store.out(), 0u);
}

TEST(Tags, DistinguishChannels) {
  const Json job = job_of("null", {}, {{"workers", {0, 1}}, {"channel_vlan", 300}});
  End first(job, 0), second(job, 1);
  const std::vector<Octets> frames = {ipv4_frame(udp_packet(60), {vlan(301)})};
  const std::vector<Octets> link = second.to_link(frames);
  EXPECT_EQ(link, std::vector<Octets>{frame_of(kEtherTypeRohc, udp_packet(60), {vlan(301), vlan(301)})});
  EXPECT_EQ(first.to_plain(link), std::vector<Octets>()) << "not its channel";
  EXPECT_EQ(first.to_plain({frame_of(kEtherTypeRohc, udp_packet(60))}), std::vector<Octets>()) << "nobody's";
  EXPECT_EQ(first.statistics.malformed.value(), 2u);
  EXPECT_EQ(second.to_plain(link), frames);
  EXPECT_EQ(second.to_plain(frames), frames) << "IP with a tag of its users'";
}

TEST(OwnFeedback, TravelsBackInItsOwnFrame) {
  End a(job_of("reference", kOMode)), b(job_of("reference", kOMode));
  const std::vector<Octets> link = a.to_link(flow(1));
  EXPECT_EQ(b.to_plain(link), flow(1));
  const std::vector<Octets> feedback = b.link.frames();
  ASSERT_EQ(feedback.size(), 1u);
  EXPECT_EQ(feedback[0].size(), 60u) << "padded as any other";
  EXPECT_EQ(Octets(feedback[0].begin(), feedback[0].begin() + 12), [] {
    Octets addresses(kHost.begin(), kHost.end());  // where the link's last frame came from
    addresses.insert(addresses.end(), kLinkMac.begin(), kLinkMac.end());
    return addresses;
  }());
  EXPECT_EQ(type_of(feedback[0]), kEtherTypeRohc);
  EXPECT_EQ(a.to_plain(feedback), std::vector<Octets>()) << "it holds no packet";
  EXPECT_EQ(b.statistics.feedback.sent.value(), 1u);
  EXPECT_EQ(a.statistics.feedback.received.value(), 1u);
  EXPECT_EQ(a.statistics.consumed.value(), 1u);
  EXPECT_EQ(a.store.out() + b.store.out(), 0u);
}

TEST(OwnFeedback, CarriesTheTagOfItsChannel) {
  const Json job = job_of("reference", kOMode, {{"workers", {0, 1}}});
  End a(job, 1), b(job, 1);
  (void)b.to_plain(a.to_link(flow(1)));
  const std::vector<Octets> feedback = b.link.frames();
  ASSERT_EQ(feedback.size(), 1u);
  EXPECT_EQ(channel_of(feedback[0], {100, 2}), 1);
  (void)a.to_plain(feedback);
  EXPECT_EQ(a.statistics.feedback.received.value(), 1u);
}

TEST(OwnFeedback, IsLostWithoutABuffer) {
  End a(job_of("reference", kOMode)), b(job_of("reference", kOMode));
  const std::vector<Octets> link = a.to_link(flow(1));
  b.store.empty = true;
  EXPECT_EQ(b.to_plain(link), flow(1));
  EXPECT_EQ(b.statistics.no_memory.value(), 1u);
  EXPECT_EQ(b.statistics.feedback.discarded.value(), 1u);
}

class Piggybacked : public testing::Test {
 protected:
  const Json job = job_of("reference", kOMode, {{"feedback", "piggybacked"}});
  End a{job}, b{job};

  // A packet from A to B, which wants to answer.
  void SetUp() override {
    EXPECT_EQ(b.to_plain(a.to_link(flow(1))), flow(1));
    EXPECT_EQ(b.link.frames().size(), 0u) << "it waits for a packet";
  }
};

TEST_F(Piggybacked, GoesWithTheNextPacket) {
  const std::vector<Octets> back = flow(1, 80);
  EXPECT_EQ(a.to_plain(b.to_link(back)), back);
  EXPECT_EQ(b.statistics.feedback.piggybacked.value(), 1u);
  EXPECT_EQ(b.statistics.feedback.sent.value(), 0u);
  EXPECT_EQ(a.statistics.feedback.received.value(), 1u);
}

TEST_F(Piggybacked, GoesAloneWhenNoPacketComes) {
  b.now_ns += 9'000'000;
  b.act();
  EXPECT_EQ(b.link.frames().size(), 0u);
  b.now_ns += 1'000'000;
  b.act();
  const std::vector<Octets> feedback = b.link.frames();
  ASSERT_EQ(feedback.size(), 1u);
  (void)a.to_plain(feedback);
  EXPECT_EQ(a.statistics.feedback.received.value(), 1u);
  EXPECT_EQ(b.statistics.feedback.sent.value(), 1u);
}

// In front of a packet that then had to pass uncompressed it would be lost.
TEST_F(Piggybacked, DoesNotGoWithAPacketThatMightBecomeTooLong) {
  (void)b.to_link(flow(1, 1500));
  EXPECT_EQ(b.statistics.feedback.piggybacked.value(), 0u);
  (void)b.to_link(flow(1, 80));
  EXPECT_EQ(b.statistics.feedback.piggybacked.value(), 1u);
}

TEST(NoFeedback, IsCounted) {
  End a(job_of("reference", kOMode)), b(job_of("reference", kOMode, {{"feedback", "none"}}));
  EXPECT_EQ(b.to_plain(a.to_link(flow(1))), flow(1));
  EXPECT_EQ(b.link.frames().size(), 0u);
  EXPECT_EQ(b.statistics.feedback.discarded.value(), 1u);
}

TEST(WaitingFeedback, KeepsMessagesWholeAndInOrder) {
  WaitingFeedback waiting;
  waiting.put(Octets{1, 2}, 7);
  waiting.put(Octets{3}, 8);
  waiting.put(Octets{4, 5, 6}, 9);
  EXPECT_EQ(waiting.since_ns(), 7u);
  std::vector<Octets> taken;
  const auto take_two = [&](OctetView message) {
    if (taken.size() == 2) return false;
    taken.emplace_back(message.begin(), message.end());
    return true;
  };
  EXPECT_EQ(waiting.offer(take_two), 2u);
  EXPECT_EQ(taken, (std::vector<Octets>{{1, 2}, {3}}));
  EXPECT_EQ(Octets(waiting.all().begin(), waiting.all().end()), (Octets{4, 5, 6}));
  while (waiting.fits(Octets(100, 1))) waiting.put(Octets(100, 1), 10);
  EXPECT_LE(waiting.octets(), kMostWaitingFeedback);
  waiting.clear();
  for (int i = 0; i < 64; ++i) waiting.put(Octets{1}, 11);
  EXPECT_FALSE(waiting.fits(Octets{1})) << "places are bounded, too";
}

}  // namespace
}  // namespace headroom::node
