// SPDX-License-Identifier: Apache-2.0
//
// The queue in front of a node's compressor, on a clock of the test's own.
#include <gtest/gtest.h>

#include "node/shaper.h"
#include "node_frames.h"
#include "schemes/scheme.h"

namespace headroom::node {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

// At 8,000 bit/s an octet takes a millisecond.
Json shaped(const std::string& adapter, std::uint32_t queue_packets, Json settings = Json::object()) {
  return job_of(adapter, std::move(settings), {{"shaper", {{"rate_bps", 8000}, {"queue_packets", queue_packets}}}});
}

std::vector<Octets> packets(std::size_t count, std::uint16_t first = 1) {
  std::vector<Octets> frames;
  for (std::size_t i = 0; i < count; ++i)
    frames.push_back(ipv4_frame(udp_packet(100, static_cast<std::uint16_t>(first + i))));
  return frames;
}

std::size_t out_after(End& end, std::uint64_t ns) {
  end.now_ns += ns;
  end.act();
  return end.link.frames().size();
}

TEST(Shaper, SendsAPacketWhenTheLinkIsFree) {
  End end(shaped("", 10));
  const std::vector<Octets> frames = packets(3);
  EXPECT_EQ(end.to_link(frames), std::vector<Octets>{frames[0]});
  EXPECT_EQ(out_after(end, 100 * kMs - 1), 0u) << "100 octets take 100 ms";
  EXPECT_EQ(out_after(end, 1), 1u);
  EXPECT_EQ(out_after(end, 100 * kMs), 1u);
  EXPECT_EQ(out_after(end, 1000 * kMs), 0u);
  EXPECT_EQ(end.statistics.shaper.octets.value(), 300u);
  EXPECT_EQ(end.store.out(), 0u);
}

TEST(Shaper, DropsWhatFindsTheQueueFull) {
  End end(shaped("", 3));
  EXPECT_EQ(end.to_link(packets(5)).size(), 1u);
  EXPECT_EQ(end.statistics.shaper.queue_full.value(), 2u) << "two wait, one is on its way";
  EXPECT_EQ(end.store.out(), 2u) << "those that were dropped have been given back";
  end.now_ns += 100 * kMs;
  EXPECT_EQ(end.to_link(packets(1)).size(), 1u) << "one has left, so that another one has room";
  EXPECT_EQ(end.statistics.shaper.queue_full.value(), 2u);
}

TEST(Shaper, KeepsItsRateThoughTheWorkerIsLate) {
  End end(shaped("", 10));
  (void)end.to_link(packets(5));
  EXPECT_EQ(out_after(end, 350 * kMs), 3u) << "as many as the link has had time for";
  EXPECT_EQ(out_after(end, 49 * kMs), 0u);
  EXPECT_EQ(out_after(end, 1 * kMs), 1u);
}

TEST(Shaper, DoesNotSaveUpTimeInWhichNothingWaited) {
  End end(shaped("", 10));
  end.now_ns += 5000 * kMs;
  EXPECT_EQ(end.to_link(packets(3)).size(), 1u);
  EXPECT_EQ(out_after(end, 99 * kMs), 0u);
}

TEST(Shaper, CountsWhatLeavesTheCompressor) {
  End end(shaped("reference", 10, {{"scheme", "vj"}}));
  std::vector<Octets> frames;
  for (std::uint16_t number = 1; number < 5; ++number) frames.push_back(ipv4_frame(tcp_packet(number)));
  std::vector<Octets> link = end.to_link(frames);
  ASSERT_EQ(link.size(), 1u);
  EXPECT_EQ(out_after(end, 49 * kMs), 0u) << "UNCOMPRESSED_TCP is as long as the packet, 50 octets";
  end.now_ns += 1 * kMs;
  end.act();
  link = end.link.frames();
  ASSERT_EQ(link.size(), 1u);
  const std::uint64_t compressed = load16(&link[0][18]) - 2u;  // LENGTH of PPPoE, without the protocol number
  EXPECT_LT(compressed, 20u);
  EXPECT_EQ(out_after(end, compressed * kMs - 1), 0u);
  EXPECT_EQ(out_after(end, 1), 1u);
}

TEST(Shaper, ChargesFeedbackToTheLink) {
  End end(shaped("reference", 10, {{"mode", "O"}}));
  const std::vector<Octets> link = End(job_of("reference", {{"mode", "O"}})).to_link({ipv4_frame(udp_packet(60))});
  EXPECT_EQ(end.to_plain(link).size(), 1u);
  EXPECT_EQ(end.link.frames().size(), 1u) << "the acknowledgement";
  EXPECT_EQ(end.to_link(packets(1)).size(), 0u) << "it is on its way";
  const std::uint64_t octets = end.statistics.shaper.octets.value();
  EXPECT_LT(octets, 20u) << "without the padding of its frame";
  EXPECT_EQ(out_after(end, octets * kMs), 1u);
}

TEST(OctetsOnLink, AreThoseOfThePacketAlone) {
  const LinkFraming& rohc = framing_of("rohc", Json::object());
  const LinkFraming& vj = framing_of("vj", Json::object());
  Octets padded = udp_packet(28);
  padded.resize(46);
  EXPECT_EQ(octets_on_link(ipv4_frame(padded), rohc), 28u) << "Ethernet's padding stands behind an IP packet";
  EXPECT_EQ(octets_on_link(frame_of(kEtherTypeRohc, {0xE0, 0xE0, 1, 2, 3}), rohc), 3u);
  EXPECT_EQ(octets_on_link(frame_of(0x8864, {0x11, 0, 0, 1, 0, 4, 0, 0x2D, 1, 2, 0, 0, 0}), vj), 2u);
  EXPECT_EQ(octets_on_link(frame_of(0x8864, {0x11, 0, 0, 1, 0, 9, 0, 0x2D, 1, 2}), vj), 10u) << "no session's frame";
  EXPECT_EQ(octets_on_link(frame_of(0x0806, Octets(28, 1)), vj), 28u);
  EXPECT_EQ(octets_on_link(Octets(5, 1), vj), 0u);
}

// Of each scheme whose packets travel over PPPoE, with frames as a network card hands them on: 60 octets at least.
TEST(PaddedFrames, AreReadByTheirLength) {
  for (const char* scheme : {"vj", "iphc", "taroc"}) {
    End end(job_of("reference", {{"scheme", scheme}}));
    std::vector<Octets> frames;
    for (std::uint16_t number = 1; number < 9; ++number) frames.push_back(ipv4_frame(tcp_packet(number)));
    std::vector<Octets> link = end.to_link(frames);
    std::size_t padded = 0;
    for (Octets& frame : link) {
      padded += frame.size() < 60;
      frame.resize(std::max<std::size_t>(frame.size(), 60), 0xA5);
    }
    EXPECT_GE(padded, 5u) << scheme;
    EXPECT_EQ(end.to_plain(link), frames) << scheme;
  }
}

}  // namespace
}  // namespace headroom::node
