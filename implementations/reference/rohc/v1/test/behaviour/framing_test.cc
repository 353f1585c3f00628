// SPDX-License-Identifier: Apache-2.0
//
// What stands around headers: padding, feedback in front of packets and alone, CIDs where they do not belong, segments
// (RFC 3095 5.2, RFC 5795 5.2), and the packet sizes that a link allows (RFC 3095 6.3.1).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::FeedbackElement;
using test::hex;
using test::joined;
using test::Link;
using test::Packet;
using test::Restored;
using test::SteadyFlow;
using test::to_hex;
using test::udp_packet;
using wire::PacketType;

class Framing : public testing::Test {
 protected:
  Framing() : link_(test::without_refreshes()), flow_(udp_packet(6)) {
    flow_.spec.udp->checksum = false;
    EXPECT_TRUE(settle(link_, flow_));
  }
  Packet next() {
    link_.lose(flow_.next());
    return link_.sent.octets;
  }
  Restored give(const Packet& packet) { return test::decompress(link_.decompressor, packet, link_.now_ns); }
  void expect_delivered(const Packet& packet) {
    const Restored r = give(packet);
    EXPECT_EQ(r.status, HEADROOM_OK) << to_hex(packet);
    EXPECT_EQ(to_hex(r.octets), to_hex(build(flow_.spec)));
  }
  std::vector<Packet> received_feedback() {
    std::vector<Packet> all;
    for (FeedbackElement& e : test::take_all(link_.decompressor.received_feedback()))
      all.push_back(std::move(e.octets));
    return all;
  }

  Link link_;
  SteadyFlow flow_;
};

TEST_F(Framing, PaddingInFront) {
  for (std::size_t octets : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{100}})
    expect_delivered(joined(Packet(octets, 0xe0), next()));
}

TEST_F(Framing, PaddingIsNoPartOfTheCrcOfAnIr) {
  link_.compressor.reinitialize();
  expect_delivered(joined(hex("e0 e0"), next()));
  EXPECT_EQ(link_.sent.type(), PacketType::kIr);
}

TEST_F(Framing, PaddingAloneIsNoPacket) {
  EXPECT_EQ(give(hex("e0")).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(give(hex("e0 e0 e0")).status, HEADROOM_ERR_MALFORMED)
      << "\"At least one of Feedback or Header MUST be present\" (RFC 5795 5.2.1)";
}

// "The Padding octet MUST NOT be interpreted as an Add-CID octet for CID 0" (RFC 5795 5.2.1.1): behind feedback there
// is no padding.
TEST_F(Framing, NoPaddingBehindFeedback) {
  EXPECT_EQ(give(joined(hex("f1 00 e0"), next())).status, HEADROOM_ERR_MALFORMED);
}

TEST_F(Framing, FeedbackInFrontOfAPacket) {
  expect_delivered(joined(hex("f2 20 11"), next()));
  EXPECT_EQ(received_feedback(), std::vector<Packet>{hex("f2 20 11")});
  expect_delivered(joined(hex("e0 f1 05 f0 02 20 11 f3 e2 20 07"), next()));
  EXPECT_EQ(received_feedback(), (std::vector<Packet>{hex("f1 05"), hex("f0 02 20 11"), hex("f3 e2 20 07")}));
}

TEST_F(Framing, FeedbackAlone) {
  const Restored r = give(hex("f2 20 11"));
  EXPECT_EQ(r.status, HEADROOM_NOTHING);
  EXPECT_EQ(r.type(), PacketType::kFeedback);
  EXPECT_EQ(received_feedback().size(), 1U);
  EXPECT_EQ(give(hex("e0 e0 f1 00 f1 01")).status, HEADROOM_NOTHING);
  EXPECT_EQ(received_feedback().size(), 2U);
}

TEST_F(Framing, TruncatedFeedback) {
  for (const char* octets : {"f0", "f3 01 02", "f0 05 01", "f1 00 f7"})
    EXPECT_EQ(give(hex(octets)).status, HEADROOM_ERR_MALFORMED) << octets;
}

// "If the first remaining octet starts with 11110, and an Add-CID octet was found in step 2), an error has occurred"
// (5.2.6, step 3).
TEST_F(Framing, FeedbackBehindAnAddCidOctet) {
  EXPECT_EQ(give(hex("e1 f1 00 25")).status, HEADROOM_ERR_MALFORMED);
  EXPECT_TRUE(received_feedback().empty());
}

TEST_F(Framing, AddCidTwice) { EXPECT_EQ(give(joined(hex("e1 e1"), next())).status, HEADROOM_ERR_MALFORMED); }

TEST_F(Framing, AddCidAlone) { EXPECT_EQ(give(hex("e1")).status, HEADROOM_ERR_MALFORMED); }

// "If an Add-CID octet immediately preceded the packet type (step 2), the packet MUST be discarded without further
// action" (step 8).
TEST(FramingLargeCids, AddCidIsAnError) {
  DecompressorConfig config;
  config.channel.large_cids = true;
  Decompressor d(config);
  EXPECT_EQ(test::decompress(d, hex("e1 25 00 01 02")).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(test::decompress(d, hex("25 c0 00 01 02")).status, HEADROOM_ERR_MALFORMED) << "a CID of three octets";
  EXPECT_EQ(test::decompress(d, hex("25 80")).status, HEADROOM_ERR_MALFORMED) << "half a CID";
  EXPECT_EQ(test::decompress(d, hex("25")).status, HEADROOM_ERR_MALFORMED) << "no CID";
  EXPECT_EQ(test::decompress(d, hex("25 05 01 02")).status, HEADROOM_ERR_NO_CONTEXT);
}

// MRRU is 0: "no segment headers are allowed on the channel" (5.2.5.1).
TEST_F(Framing, SegmentsAreRefused) {
  for (const char* octets : {"fe 01 02 03 04 05", "ff 01 02 03 04 05", "e0 fe 01", "f1 00 ff 01 02", "fe"}) {
    const Restored r = give(hex(octets));
    EXPECT_EQ(r.status, HEADROOM_ERR_UNSUPPORTED) << octets;
    EXPECT_EQ(r.type(), PacketType::kSegment) << octets;
  }
}

TEST_F(Framing, EveryFirstOctetIsDealtWith) {
  for (unsigned first = 0; first < 256; ++first) {
    for (std::size_t length = 1; length < 8; ++length) {
      Packet p(length, 0);
      p[0] = static_cast<std::uint8_t>(first);
      (void)give(p);
    }
  }
}

// --- Piggybacked feedback (5.2.1) ------------------------------------------------------------------------------------

TEST_F(Framing, PiggybackedFeedbackGoesWithTheNextPacket) {
  EXPECT_TRUE(link_.compressor.piggyback(0, hex("f2 20 11")));
  EXPECT_TRUE(link_.compressor.piggyback(0, hex("f1 05 f1 06")));
  const Packet p = next();
  EXPECT_EQ(to_hex(Octets(p).first(7)), "f2 20 11 f1 05 f1 06") << "oldest first";
  EXPECT_EQ(link_.sent.header(), 1U) << "compressed_header is without the feedback";
  expect_delivered(p);
  EXPECT_EQ(received_feedback().size(), 3U);
  EXPECT_EQ(next()[0] & 0x80, 0) << "and with no other";
}

TEST_F(Framing, PiggybackedFeedbackWaitsForItsChannel) {
  CompressorConfig config = test::without_refreshes();
  config.channel.channels = 2;
  Compressor compressor(config);
  ASSERT_TRUE(compressor.piggyback(1, hex("f1 05")));
  EXPECT_EQ(test::compress(compressor, build(flow_.spec), 0, 0).octets[0], 0xfd);
  EXPECT_EQ(to_hex(Octets(test::compress(compressor, build(flow_.spec), 0, 1).octets).first(3)), "f1 05 fd");
}

// Anything but whole feedback elements would be taken for the packet itself.
TEST_F(Framing, OnlyWholeElementsArePiggybacked) {
  for (const char* octets : {"", "25", "f2 20", "f1 05 25", "e0 f1 05", "f0"})
    EXPECT_FALSE(link_.compressor.piggyback(0, hex(octets))) << octets;
  EXPECT_FALSE(link_.compressor.piggyback(0, Packet(258, 0xf0)));
  EXPECT_FALSE(link_.compressor.piggyback(1, hex("f1 05"))) << "another channel";
}

TEST_F(Framing, PiggybackQueueIsBounded) {
  unsigned taken = 0;
  while (link_.compressor.piggyback(0, hex("f1 05")) && taken < 10'000) ++taken;
  EXPECT_EQ(taken, 64U);
  (void)next();
  EXPECT_TRUE(link_.compressor.piggyback(0, hex("f1 05")));
}

TEST_F(Framing, PiggybackedFeedbackThatDoesNotFitWaits) {
  Packet long_element = hex("f0 ff");
  long_element.resize(257, 0x20);
  ASSERT_TRUE(link_.compressor.piggyback(0, long_element));
  const Packet plain = build(flow_.next());
  const test::Compressed tight = test::compress(link_.compressor, plain, link_.now_ns, 0, plain.size() + 300);
  EXPECT_EQ(tight.status, HEADROOM_OK);
  EXPECT_LT(tight.octets.size(), 100U);
  const test::Compressed roomy = test::compress(link_.compressor, build(flow_.next()), link_.now_ns, 0, 2000);
  EXPECT_EQ(roomy.octets[0], 0xf0);
  EXPECT_GT(roomy.octets.size(), 257U);
}

// --- PACKET_SIZES_ALLOWED (6.3.1) ------------------------------------------------------------------------------------

TEST(PacketSizes, PacketsArePaddedToTheNextSize) {
  CompressorConfig config;
  config.packet_sizes = {12, 20, 60, 100, 200};
  Link link(config);
  SteadyFlow flow(udp_packet(6));
  for (int i = 0; i < 300; ++i) {
    flow.spec.payload.resize(static_cast<std::size_t>(1 + i % 90));
    ASSERT_TRUE(link.pass(flow.next())) << link.describe();
    const auto& sizes = config.packet_sizes;
    EXPECT_NE(std::find(sizes.begin(), sizes.end(), link.sent.octets.size()), sizes.end()) << link.sent.octets.size();
  }
}

TEST(PacketSizes, SmallestSizeThatHolds) {
  CompressorConfig config = test::without_refreshes();
  config.packet_sizes = {8, 16, 32};
  Link link(config);
  SteadyFlow flow(udp_packet(6));
  flow.spec.udp->checksum = false;
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(link.pass(flow.next()));
  for (const auto& [payload, size] : {std::pair{std::size_t{7}, std::size_t{8}},
                                      {std::size_t{8}, std::size_t{16}},
                                      {std::size_t{31}, std::size_t{32}}}) {
    flow.spec.payload.resize(payload);
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(link.sent.octets.size(), size);
    EXPECT_EQ(link.sent.octets[0] == 0xe0, size != payload + 1);
  }
}

TEST(PacketSizes, LongerPacketsGoAsTheyAre) {
  CompressorConfig config = test::without_refreshes();
  config.packet_sizes = {20};
  Link link(config);
  SteadyFlow flow(udp_packet(6));
  flow.spec.payload.resize(200);
  ASSERT_TRUE(link.pass(flow.next()));
  EXPECT_EQ(link.compressor.counters().oversize, 1U);
  EXPECT_NE(link.sent.octets[0], 0xe0);
}

TEST(PacketSizes, FeedbackCountsAsWell) {
  CompressorConfig config = test::without_refreshes();
  config.packet_sizes = {200};
  Link link(config);
  SteadyFlow flow(udp_packet(6));
  ASSERT_TRUE(link.compressor.piggyback(0, hex("f1 05")));
  ASSERT_TRUE(link.pass(flow.next())) << link.describe();
  EXPECT_EQ(link.sent.octets.size(), 200U);
  EXPECT_EQ(test::take_all(link.decompressor.received_feedback()).size(), 1U);
}

}  // namespace
}  // namespace headroom::rohc
