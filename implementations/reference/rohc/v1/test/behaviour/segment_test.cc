// SPDX-License-Identifier: Apache-2.0
//
// Segmentation (RFC 3095 5.2.5, RFC 5795 5.2.5): what a compressor cuts up, what a decompressor puts together, and all
// that aborts it. The CRC-32 values are those of an independent implementation (FCS-32, least significant octet first).
#include "rohc/framework/compressor/segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rohc/framework/wire/segment.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::Compressed;
using test::hex;
using test::joined;
using test::Packet;
using test::Restored;
using test::SteadyFlow;
using test::to_hex;
using wire::PacketType;

// "123456789", the check value of FCS-32: CBF43926.
TEST(SegmentCrc, CheckValue) {
  const Packet nine = hex("31 32 33 34 35 36 37 38 39");
  Packet crc(4);
  wire::write_segment_crc(nine, crc.data());
  EXPECT_EQ(to_hex(crc), to_hex(hex("26 39 f4 cb")));
  EXPECT_TRUE(wire::segment_crc_is_right(joined(nine, crc)));
  for (unsigned bit = 0; bit < 13 * 8; ++bit) {
    Packet damaged = joined(nine, crc);
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_FALSE(wire::segment_crc_is_right(damaged)) << bit;
  }
}

// --- Cutting -----------------------------------------------------------------------------------------------------

// `feedback` and `packet` cut up in link packets, each behind its length in two octets, in `room` octets each; what
// came before there was no room.
std::string cut(const char* feedback, const char* packet, std::size_t largest,
                const std::vector<std::uint16_t>& allowed = {}, std::size_t room = 200) {
  const Packet front = hex(feedback);
  Segmenter segments(100);
  segments.begin(hex(packet), 7);
  EXPECT_EQ(segments.channel(), 7U);
  Packet all;
  for (std::size_t in_front = front.size(); !segments.empty(); in_front = 0) {
    Packet one = front;
    one.resize(room, 0xaa);
    const Packet before = one;
    const std::size_t length = segments.next(one, in_front, {largest, allowed});
    if (length == 0) {
      EXPECT_EQ(one, before) << "changed";
      break;
    }
    EXPECT_TRUE(std::equal(one.begin() + static_cast<std::ptrdiff_t>(length), one.end(),
                           before.begin() + static_cast<std::ptrdiff_t>(length)))
        << "written behind the segment";
    all.insert(all.end(), {static_cast<std::uint8_t>(length >> 8), static_cast<std::uint8_t>(length)});
    all.insert(all.end(), one.begin(), one.begin() + static_cast<std::ptrdiff_t>(length));
  }
  return to_hex(all);
}

TEST(Cutting, EqualPiecesAndARest) {
  // Unit: nine octets and the CRC 26 39 f4 cb: 13 octets in link packets of at most 6, five octets of the unit in each.
  EXPECT_EQ(cut("", "31 32 33 34 35 36 37 38 39", 6), to_hex(hex("0006 fe 31 32 33 34 35"
                                                                 "0006 fe 36 37 38 39 26"
                                                                 "0004 ff 39 f4 cb")));
}

TEST(Cutting, TheLastPieceCanBeFull) {
  EXPECT_EQ(cut("", "31 32 33 34 35 36 37 38 39", 14), to_hex(hex("000e ff 31 32 33 34 35 36 37 38 39 26 39 f4 cb")));
  // One octet less: the last octet of the CRC goes alone.
  EXPECT_EQ(cut("", "31 32 33 34 35 36 37 38 39", 13), to_hex(hex("000d fe 31 32 33 34 35 36 37 38 39 26 39 f4"
                                                                  "0002 ff cb")));
}

TEST(Cutting, FeedbackGoesInFrontOfTheFirst) {
  EXPECT_EQ(cut("f1 07", "31 32 33 34 35 36 37 38 39", 8), to_hex(hex("0008 f1 07 fe 31 32 33 34 35"
                                                                      "0008 fe 36 37 38 39 26 39 f4"
                                                                      "0002 ff cb")));
}

TEST(Cutting, PaddingWhereASizeIsNotAllowed) {
  EXPECT_EQ(cut("", "31 32 33 34 35 36 37 38 39", 8, {5, 8}), to_hex(hex("0008 fe 31 32 33 34 35 36 37"
                                                                         "0008 e0 ff 38 39 26 39 f4 cb")));
  EXPECT_EQ(cut("", "31 32 33 34 35 36 37 38 39", 12, {5, 12}),
            to_hex(hex("000c fe 31 32 33 34 35 36 37 38 39 26 39 0005 e0 e0 ff f4 cb")));
}

TEST(Cutting, NoRoom) {
  // Link packets of 6, 6 and 4 octets.
  EXPECT_EQ(cut("", "31 32 33 34 35 36 37 38 39", 6, {}, 6), cut("", "31 32 33 34 35 36 37 38 39", 6));
  for (std::size_t room = 1; room < 6; ++room) EXPECT_EQ(cut("", "31 32 33 34 35 36 37 38 39", 6, {}, room), "");
}

TEST(Cutting, WhatIsLeftOfAUnitIsDroppedForTheNext) {
  Segmenter segments(100);
  EXPECT_TRUE(segments.empty());
  segments.begin(hex("31 32 33 34 35 36 37 38 39"), 0);
  Packet room(6);
  EXPECT_EQ(segments.next(room, 0, {6, {}}), 6U);
  segments.begin(hex("41 42"), 1);
  EXPECT_EQ(segments.next(room, 0, {6, {}}), 6U);
  EXPECT_EQ(to_hex(Octets(room).first(3)), to_hex(hex("fe 41 42")));
  segments.drop();
  EXPECT_TRUE(segments.empty());
}

// --- Putting together --------------------------------------------------------------------------------------------

// An IR packet of the Uncompressed profile: type, profile, CRC-8, an IPv4 packet; then the CRC-32 over it all.
constexpr const char* kUnit = "fc 00 b7 45000015 00010000 400166d5 0a000001 0a000002 08 76 49 e3 eb";
constexpr const char* kPacket = "45000015 00010000 400166d5 0a000001 0a000002 08";
// A Normal packet of the same context (RFC 3095 5.10.2), in a unit and on its own.
constexpr const char* kNext = "45000015 00020000 400166d4 0a000001 0a000002 09";
constexpr const char* kNextUnit = "45000015 00020000 400166d4 0a000001 0a000002 09 f3 22 a4 e2";

class Segments : public testing::Test {
 protected:
  static DecompressorConfig config(std::uint32_t mrru = 100) {
    DecompressorConfig c;
    c.channel.mrru = mrru;
    c.channel.channels = 2;
    return c;
  }
  Restored give(const Packet& packet, std::uint32_t channel = 0) {
    return test::decompress(decompressor_, packet, 0, channel, packet.size() + HEADROOM_EXPANSION + 100);
  }
  std::int32_t status(const char* text, std::uint32_t channel = 0) { return give(hex(text), channel).status; }
  // `unit` in pieces of `size` octets, each behind `front`; the result of the last.
  Restored give_cut(const Packet& unit, std::size_t size, const char* front = "", std::uint32_t channel = 0) {
    Restored r;
    for (std::size_t at = 0; at < unit.size(); at += size) {
      const bool final = at + size >= unit.size();
      Packet packet = hex(front);
      packet.push_back(final ? 0xff : 0xfe);
      r = give(joined(packet, Octets(unit).subspan(at, std::min(size, unit.size() - at))), channel);
      if (!final) {
        EXPECT_EQ(r.status, HEADROOM_NOTHING);
        EXPECT_EQ(r.type(), PacketType::kSegment);
      }
    }
    return r;
  }
  void establish(std::uint32_t channel = 0) {
    const Restored r = give_cut(hex(kUnit), 10, "", channel);
    ASSERT_EQ(r.status, HEADROOM_OK);
    ASSERT_EQ(to_hex(r.octets), to_hex(hex(kPacket)));
    ASSERT_EQ(r.type(), PacketType::kIr);
  }

  Decompressor decompressor_{config()};
};

TEST_F(Segments, AnyNumberOfThem) {
  for (std::size_t size = 1; size <= hex(kUnit).size(); ++size) {
    const Restored r = give_cut(hex(kUnit), size);
    EXPECT_EQ(r.status, HEADROOM_OK) << size;
    EXPECT_EQ(to_hex(r.octets), to_hex(hex(kPacket))) << size;
  }
  EXPECT_EQ(decompressor_.counters().reassembled, hex(kUnit).size());
}

// "The segment header may be preceded by padding octets and/or feedback" (5.2.5.2).
TEST_F(Segments, PaddingAndFeedbackInFront) {
  EXPECT_EQ(give_cut(hex(kUnit), 9, "e0").status, HEADROOM_OK);
  EXPECT_EQ(give_cut(hex(kUnit), 9, "e0 e0 f1 20").status, HEADROOM_OK);
  EXPECT_EQ(test::take_all(decompressor_.received_feedback()).size(), 4U);  // in front of each of the four
}

// "It never carries a CID."
TEST_F(Segments, AddCidInFront) {
  EXPECT_EQ(status("e1 fe 01"), HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(give(joined(hex("e1 ff"), hex(kUnit))).status, HEADROOM_ERR_MALFORMED);
}

// "Any non-segment-header packet following a nonfinal segment header aborts the reassembly"; the final segment that
// then comes makes a unit of its own, which the CRC refuses.
TEST_F(Segments, AnyOtherPacketAborts) {
  establish();
  const Packet unit = hex(kNextUnit);
  const Packet first = joined(hex("fe"), Octets(unit).first(10));
  const Packet last = joined(hex("ff"), Octets(unit).subspan(10));
  EXPECT_EQ(give(first).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(last).status, HEADROOM_OK);
  for (const char* between : {kNext, "f1 20", "e0", "fc 00 00 45", "e1 e1", "f8"}) {
    const std::uint64_t before = decompressor_.counters().abandoned;
    EXPECT_EQ(give(first).status, HEADROOM_NOTHING);
    (void)give(hex(between));
    EXPECT_EQ(give(last).status, HEADROOM_ERR_CRC) << between;
    EXPECT_EQ(decompressor_.counters().abandoned, before + 1) << between;
  }
  EXPECT_EQ(give(first).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(last).status, HEADROOM_OK);
}

// A packet that would take the fast path aborts, too, in the same burst and in another one.
TEST_F(Segments, APacketOfTheFastPathAborts) {
  for (const bool same_burst : {false, true}) {
    CompressorConfig c = test::without_refreshes();
    test::Link link(c, config());
    SteadyFlow flow(test::udp_packet(6));
    flow.spec.udp->checksum = false;
    ASSERT_TRUE(settle(link, flow));
    const std::uint64_t fast = link.decompressor.counters().fast;
    const Packet first = hex("fe fc 00 b7");
    const Packet type_0 = link.lose(flow.next()).octets;
    const Packet last = joined(hex("ff"), Octets(hex(kUnit)).subspan(3));
    const std::vector<const Packet*> order = {&first, &type_0, &last, &type_0};
    std::vector<headroom_packet> burst(order.size());
    std::vector<Packet> room(order.size(), Packet(1000));
    for (std::size_t i = 0; i < order.size(); ++i) {
      burst[i].in = order[i]->data();
      burst[i].in_length = static_cast<std::uint32_t>(order[i]->size());
      burst[i].out = room[i].data();
      burst[i].out_capacity = 1000;
    }
    if (same_burst) {
      link.decompressor.decompress(burst.data(), 3, link.now_ns, nullptr);
    } else {
      for (std::size_t i = 0; i < 3; ++i) link.decompressor.decompress(&burst[i], 1, link.now_ns, nullptr);
    }
    EXPECT_EQ(burst[0].status, HEADROOM_NOTHING);
    EXPECT_EQ(burst[1].status, HEADROOM_OK);
    EXPECT_EQ(burst[2].status, HEADROOM_ERR_CRC);
    EXPECT_EQ(link.decompressor.counters().abandoned, 1U);
    EXPECT_EQ(link.decompressor.counters().fast, fast);
    ASSERT_TRUE(link.pass(flow.next()));
    EXPECT_EQ(link.decompressor.counters().fast, fast + 1) << "the fast path is open again";
  }
}

TEST_F(Segments, ChannelsAreApart) {
  const Packet unit = hex(kUnit);
  const Packet first = joined(hex("fe"), Octets(unit).first(10));
  const Packet last = joined(hex("ff"), Octets(unit).subspan(10));
  EXPECT_EQ(give(first, 0).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(first, 1).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(last, 0).status, HEADROOM_OK);
  EXPECT_EQ(status(kNext, 0), HEADROOM_OK);  // no matter to channel 1
  EXPECT_EQ(give(last, 1).status, HEADROOM_OK);
  EXPECT_EQ(status("fe 01", 2), HEADROOM_ERR_CHANNEL);
}

// "If the reconstructed unit is 4 octets or less".
TEST_F(Segments, TooShort) {
  for (const char* text : {"ff", "ff 01", "ff 00 00 00 00"}) EXPECT_EQ(status(text), HEADROOM_ERR_MALFORMED) << text;
  EXPECT_EQ(status("ff 00 00 00 00 00"), HEADROOM_ERR_CRC);
  establish();
}

TEST_F(Segments, WrongCrc) {
  const Packet unit = hex(kUnit);
  for (unsigned bit = 0; bit < unit.size() * 8; ++bit) {
    Packet damaged = unit;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    EXPECT_EQ(give_cut(damaged, 12).status, HEADROOM_ERR_CRC) << bit;
  }
  // A segment lost, doubled or out of order.
  const auto piece = [&](unsigned char type, std::size_t at, std::size_t size) {
    return joined(Packet{type}, Octets(unit).subspan(at, size));
  };
  EXPECT_EQ(give(piece(0xfe, 0, 8)).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(piece(0xff, 16, 12)).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(give(piece(0xfe, 8, 8)).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(piece(0xfe, 0, 8)).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(piece(0xff, 16, 12)).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(give(piece(0xfe, 0, 8)).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(piece(0xfe, 0, 8)).status, HEADROOM_NOTHING);
  EXPECT_EQ(give(piece(0xff, 8, 20)).status, HEADROOM_ERR_CRC);
  establish();
}

// "Larger than the channel parameter MRRU", which "includes the segmentation CRC": 28 octets are, 27 are not enough.
TEST_F(Segments, LargerThanMrru) {
  for (const bool fits : {true, false}) {
    Decompressor d(config(fits ? 28 : 27));
    const Packet unit = hex(kUnit);
    const auto offer = [&](const Packet& p) { return test::decompress(d, p, 0, 0, 600).status; };
    EXPECT_EQ(offer(joined(hex("fe"), Octets(unit).first(20))), HEADROOM_NOTHING);
    EXPECT_EQ(offer(joined(hex("fe"), Octets(unit).subspan(20, 8))), fits ? HEADROOM_NOTHING : HEADROOM_ERR_MALFORMED);
    EXPECT_EQ(offer(hex("ff")), fits ? HEADROOM_OK : HEADROOM_ERR_MALFORMED);
    // Whatever follows starts anew.
    EXPECT_EQ(offer(joined(hex("ff"), unit)), fits ? HEADROOM_OK : HEADROOM_ERR_MALFORMED);
    EXPECT_EQ(offer(joined(hex("ff"), Octets(hex(kNextUnit)))), fits ? HEADROOM_OK : HEADROOM_ERR_NO_CONTEXT);
  }
}

// "The reconstructed unit MUST NOT contain padding, segments, or feedback" (RFC 5795 5.2.5.2), behind whatever.
TEST_F(Segments, WhatAUnitMustNotContain) {
  establish();
  for (const char* unit : {"e0 45000015 00020000 400166d4 0a000001 0a000002 09", "f1 00 45000015 00020000 400166d4",
                           "fe 45000015 00020000", "ff 45000015 00020000", "e1 f1 00 45000015", "e1 ff 45000015"}) {
    Packet whole = hex(unit);
    Packet crc(4);
    wire::write_segment_crc(whole, crc.data());
    whole = joined(whole, crc);
    EXPECT_EQ(give(joined(hex("ff"), whole)).status, HEADROOM_ERR_MALFORMED) << unit;
  }
  EXPECT_TRUE(test::take_all(decompressor_.received_feedback()).empty());
  EXPECT_FALSE(give(joined(hex("ff"), hex(kNextUnit))).octets.empty());
}

// --- Both sides --------------------------------------------------------------------------------------------------

struct Sizes {
  std::uint32_t mrru;
  std::uint32_t largest;
  std::vector<std::uint16_t> allowed;
};

// Compresses and puts all link packets through; the outcome of the last.
Restored pass(test::Link& link, Octets packet, std::vector<std::size_t>& lengths) {
  link.sent = test::compress(link.compressor, packet, link.now_ns, 0, 2 * packet.size() + HEADROOM_EXPANSION);
  Restored r;
  lengths.clear();
  for (const Packet& p : link_packets_of(link.sent)) {
    lengths.push_back(p.size());
    r = test::decompress(link.decompressor, p, link.now_ns, 0, p.size() + HEADROOM_EXPANSION + 65535);
  }
  return r;
}

class BothSides : public testing::TestWithParam<Sizes> {};

TEST_P(BothSides, EveryPacketArrives) {
  CompressorConfig c;
  c.channel.mrru = GetParam().mrru;
  c.largest_packet = GetParam().largest;
  c.packet_sizes = GetParam().allowed;
  c.ir_refresh = {20, 0};
  DecompressorConfig d;
  d.channel = c.channel;
  test::Link link(c, d);
  SteadyFlow flow(test::rtp_packet(6));
  std::uint64_t segmented = 0;
  for (unsigned i = 0; i < 300; ++i) {
    flow.spec.payload.assign(i % 7 == 0 ? i * 5 + 1 : 20, static_cast<std::uint8_t>(i));
    const Packet packet = build(flow.next());
    if (i % 5 == 0) {
      ASSERT_TRUE(link.compressor.piggyback(0, hex("f1 20")));
    }
    std::vector<std::size_t> lengths;
    const Restored r = pass(link, packet, lengths);
    ASSERT_EQ(r.status, HEADROOM_OK) << i;
    ASSERT_EQ(to_hex(r.octets), to_hex(packet)) << i;
    EXPECT_EQ(test::take_all(link.decompressor.received_feedback()).size(), i % 5 == 0 ? 1U : 0U);
    if (link.sent.more.empty()) continue;
    ++segmented;
    for (const std::size_t length : lengths) {
      EXPECT_TRUE(c.largest_packet == 0 || length <= c.largest_packet) << length;
      if (!c.packet_sizes.empty()) {
        EXPECT_TRUE(std::ranges::find(c.packet_sizes, length) != c.packet_sizes.end()) << length;
      }
    }
  }
  EXPECT_GT(segmented, 20U);
  EXPECT_EQ(link.compressor.counters().segmented, segmented);
  EXPECT_EQ(link.decompressor.counters().reassembled, segmented);
  EXPECT_EQ(link.compressor.counters().oversize, 0U);
}

INSTANTIATE_TEST_SUITE_P(Links, BothSides,
                         testing::Values(Sizes{2000, 16, {}}, Sizes{2000, 40, {}}, Sizes{65535, 100, {}},
                                         Sizes{2000, 0, {24, 64}}, Sizes{2000, 64, {30, 48, 64, 500}},
                                         Sizes{2000, 50, {30, 40, 64}}));

// What may not be cut up goes whole, and is counted: MRRU 0 forbids segments, and a unit must not exceed MRRU.
TEST(NotCut, WhereMrruForbids) {
  SteadyFlow flow(test::rtp_packet(4));
  flow.spec.payload.assign(100, 7);
  const Packet packet = build(flow.spec);
  CompressorConfig c;
  c.largest_packet = 50;
  Compressor without(c);
  Compressed sent = test::compress(without, packet, 0, 0, 2000);
  ASSERT_EQ(sent.status, HEADROOM_OK);
  EXPECT_EQ(without.counters().oversize, 1U);
  const auto unit = static_cast<std::uint32_t>(sent.octets.size() + 4);
  for (const std::uint32_t mrru : {unit - 1, unit}) {
    c.channel.mrru = mrru;
    Compressor limited(c);
    sent = test::compress(limited, packet, 0, 0, 2000);
    EXPECT_EQ(sent.status, HEADROOM_OK);
    EXPECT_EQ(sent.more.empty(), mrru != unit);
    EXPECT_EQ(limited.counters().oversize, mrru == unit ? 0U : 1U);
  }
}

// Segments want no more room than the packet: where it fits, they do.
TEST(Cut, WhereThereIsRoomForThePacket) {
  SteadyFlow flow(test::rtp_packet(4));
  flow.spec.payload.assign(100, 7);
  const Packet packet = build(flow.spec);
  CompressorConfig c;
  c.largest_packet = 20;
  c.channel.mrru = 1000;
  for (std::size_t room = 0; room < 300; ++room) {
    Compressor compressor(c);
    const Compressed sent = test::compress(compressor, packet, 0, 0, room);
    if (sent.status == HEADROOM_OK) {
      EXPECT_GT(link_packets_of(sent).size(), 7U);
    } else {
      EXPECT_EQ(sent.status, HEADROOM_ERR_NO_SPACE);
      EXPECT_TRUE(sent.more.empty());
    }
  }
}

// A packet that becomes segments ends a burst, and those that are not drained are gone with the next packet.
TEST(Cut, APacketOfSegmentsEndsTheBurst) {
  SteadyFlow flow(test::rtp_packet(4));
  CompressorConfig c;
  c.largest_packet = 80;
  c.channel.mrru = 1000;
  Compressor compressor(c);
  std::vector<Packet> in(3), out(3, Packet(600));
  std::vector<headroom_packet> packets(3);
  for (std::size_t i = 0; i < 3; ++i) {
    flow.spec.payload.assign(i == 1 ? 100 : 10, 7);
    in[i] = build(flow.next());
    packets[i].in = in[i].data();
    packets[i].in_length = static_cast<std::uint32_t>(in[i].size());
    packets[i].out = out[i].data();
    packets[i].out_capacity = 600;
    packets[i].status = 77;
  }
  EXPECT_EQ(compressor.compress(packets.data(), 3, 0, nullptr), 2U);
  EXPECT_EQ(packets[0].more, 0U);
  EXPECT_NE(packets[1].more, 0U);
  EXPECT_EQ(packets[1].out_length, 80U);
  EXPECT_EQ(packets[2].status, 77) << "not touched";
  Packet room(600);
  headroom_packet more[2] = {};
  more[0].out = room.data();
  more[0].out_capacity = 10;
  EXPECT_EQ(compressor.drain(more, 2), 1U) << "the rest of the unit is lost with it";
  EXPECT_EQ(more[0].status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(compressor.compress(&packets[2], 1, 0, nullptr), 1U);
  EXPECT_EQ(packets[2].status, HEADROOM_OK);
  EXPECT_EQ(compressor.drain(more, 2), 0U);
}

// Feedback that leaves no room for a segment behind it is refused; what does is taken and arrives.
TEST(NotCut, LongFeedback) {
  CompressorConfig c;
  c.largest_packet = 16;
  c.channel.mrru = 1000;
  Compressor compressor(c);
  EXPECT_FALSE(compressor.piggyback(0, joined(hex("f0 0d"), Packet(13, 0x20))));
  EXPECT_TRUE(compressor.piggyback(0, joined(hex("f0 0c"), Packet(12, 0x20))));
  const Compressed sent = test::compress(compressor, build(test::rtp_packet(4)), 0, 0, 2000);
  ASSERT_FALSE(sent.more.empty());
  const std::vector<Packet> packets = link_packets_of(sent);
  EXPECT_EQ(packets[0].size(), 16U);
  EXPECT_EQ(packets[0][14], 0xfe);
}

}  // namespace
}  // namespace headroom::rohc
