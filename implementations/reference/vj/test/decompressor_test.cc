// SPDX-License-Identifier: Apache-2.0
//
// The decompressor: RFC 1144, 3.2.4; the toss flag and the conversation of section 4.1.
#include <gtest/gtest.h>

#include <random>

#include "packets.h"

namespace headroom::vj {
namespace {

using namespace testing;

Fields next_of(Fields f, std::size_t data) {
  f.sequence += static_cast<std::uint32_t>(f.data.size());
  f.id += 1;
  f.checksum += 77;
  f.data = Packet(data, 'x');
  return f;
}

// Sends a packet and returns what comes out.
Outcome across(Ends& ends, const Packet& packet, std::uint32_t channel = 0) {
  const Outcome link = ends.compress(packet, channel);
  EXPECT_EQ(link.status, HEADROOM_OK);
  return ends.decompress(link.octets, link.type, channel);
}

TEST(VjDecompressor, ConversationsComeOutAsTheyWentIn) {
  std::mt19937 random(7);
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  Config config;
  config.slots = 5;
  config.channels = 2;
  Ends ends(config);
  Fields flows[8];
  for (std::uint16_t i = 0; i < 8; ++i) {
    flows[i].port = static_cast<std::uint16_t>(1000 + i);
    flows[i].sequence = static_cast<std::uint32_t>(random());
    if (i % 3 == 1) flows[i].tcp_options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2};
    if (i % 4 == 2) flows[i].ip_options = {7, 3, 4, 0};
  }
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t which = random() % 8;
    Fields& f = flows[which];
    f = next_of(f, one_in(3) ? 0 : random() % 300);
    f.flags = static_cast<std::uint8_t>(wire::kAck | (one_in(2) ? wire::kPsh : 0) | (one_in(20) ? wire::kUrg : 0));
    f.urgent = (f.flags & wire::kUrg) != 0 || one_in(30) ? static_cast<std::uint16_t>(random() % 400) : f.urgent;
    if (one_in(3)) f.acknowledgement += static_cast<std::uint32_t>(random() % 70'000);
    if (one_in(4)) f.window += static_cast<std::uint16_t>(random());
    if (one_in(5)) f.id += static_cast<std::uint16_t>(random());
    if (one_in(50)) f.sequence -= static_cast<std::uint32_t>(random() % 2000);
    if (one_in(60)) f.ttl = static_cast<std::uint8_t>(32 + random() % 2);
    if (one_in(80)) f.flags |= wire::kFin;
    const Packet packet = packet_of(f);
    const Outcome out = across(ends, packet, static_cast<std::uint32_t>(which % 2));
    ASSERT_EQ(out.status, HEADROOM_OK) << i;
    ASSERT_EQ(out.octets, packet) << i;
  }
  EXPECT_GT(ends.compressor.counters().compressed, 8'000u);
  EXPECT_EQ(ends.decompressor.counters().compressed, ends.compressor.counters().compressed);
}

TEST(VjDecompressor, SlotsOfAnySizeComeBack) {
  for (const std::uint32_t slots : {1u, 2u, 255u, 256u}) {
    Config config;
    config.slots = slots;
    Ends ends(config);
    for (int round = 0; round < 3; ++round) {
      for (std::uint16_t port = 1; port <= 300; ++port) {
        Fields f;
        f.port = port;
        f.sequence = static_cast<std::uint32_t>(100 * round);
        f.id = static_cast<std::uint16_t>(round);
        f.data = Packet(100, 'd');
        const Packet packet = packet_of(f);
        ASSERT_EQ(across(ends, packet).octets, packet) << slots;
      }
    }
    EXPECT_EQ(ends.decompressor.contexts_in_use(), slots);
  }
}

// The table of 4.1: "the third packet picks up an error and is discarded", and the fourth comes out with sequence
// number 4 for 6. Its TCP checksum is passed on unchanged, so that the receiver's TCP finds out.
TEST(VjDecompressor, ALossShiftsSequenceNumbersUntilAnUncompressedPacketComes) {
  Ends ends;
  Fields f;
  f.sequence = 1;
  f.data = Packet(1, 'A');
  EXPECT_EQ(across(ends, packet_of(f)).octets, packet_of(f));
  f = next_of(f, 2);
  EXPECT_EQ(across(ends, packet_of(f)).octets, packet_of(f));
  f = next_of(f, 2);
  (void)ends.compress(packet_of(f));  // lost
  f = next_of(f, 1);
  Fields wrong = f;
  wrong.sequence -= 2;
  wrong.id -= 1;
  EXPECT_EQ(across(ends, packet_of(f)).octets, packet_of(wrong));
  f.id += 1;
  EXPECT_EQ(across(ends, packet_of(f)).octets, packet_of(f));  // the retransmission
}

// "After a CRC error indication from the framer the receiver discards packets until it receives either a COMPRESSED_TCP
// packet with the C bit set or an UNCOMPRESSED_TCP packet" (4.1).
TEST(VjDecompressor, ADamagedFrameTossesUntilAConnectionNumberComes) {
  Ends ends;
  Fields one, two;
  one.data = two.data = {'a'};
  two.port = 2000;
  (void)across(ends, packet_of(one));
  (void)across(ends, packet_of(two));
  EXPECT_EQ(ends.decompress({}, HEADROOM_TYPE_LOST).status, HEADROOM_NOTHING);
  two = next_of(two, 1);
  EXPECT_EQ(across(ends, packet_of(two)).status, HEADROOM_ERR_STATE);
  Fields other = one;
  other.protocol = 17;
  EXPECT_EQ(across(ends, packet_of(other)).octets, packet_of(other));  // TYPE_IP passes, and changes nothing
  two = next_of(two, 1);
  EXPECT_EQ(across(ends, packet_of(two)).status, HEADROOM_ERR_STATE);
  one = next_of(one, 1);
  EXPECT_EQ(across(ends, packet_of(one)).octets, packet_of(one));                // C
  EXPECT_EQ(ends.decompress({1, 2, 3}, 0x1234).status, HEADROOM_ERR_MALFORMED);  // "or an unrecognized type"
  one = next_of(one, 1);
  EXPECT_EQ(across(ends, packet_of(one)).status, HEADROOM_ERR_STATE);
  one.id += 1;
  EXPECT_EQ(across(ends, packet_of(one)).octets, packet_of(one));  // UNCOMPRESSED_TCP
  EXPECT_EQ(ends.decompressor.counters().tossed, 3u);
}

TEST(VjDecompressor, AnIllegalConnectionNumberTosses) {
  Ends ends;
  Fields f;
  f.data = {'a'};
  for (const bool compressed : {true, false}) {
    (void)across(ends, packet_of(f));
    Packet bad = packet_of(f);
    bad[9] = 16;
    const Outcome out =
        compressed ? ends.decompress({0x4F, 16, 0, 0}, kTypeCompressed) : ends.decompress(bad, kTypeUncompressed);
    EXPECT_EQ(out.status, HEADROOM_ERR_MALFORMED);
    EXPECT_EQ(ends.decompress({0x0F, 0, 0}, kTypeCompressed).status, HEADROOM_ERR_STATE);
  }
  EXPECT_EQ(ends.decompressor.counters().bad_slot, 2u);
}

TEST(VjDecompressor, AConnectionOfWhichNothingHasComeIsRefused) {
  Ends ends;
  EXPECT_EQ(ends.decompress({0x0F, 0, 0}, kTypeCompressed).status, HEADROOM_ERR_STATE);
  EXPECT_EQ(ends.decompress({0x4F, 3, 0, 0}, kTypeCompressed).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(ends.decompress({0x0F, 0, 0}, kTypeCompressed).status, HEADROOM_ERR_STATE);
}

TEST(VjDecompressor, WhatEndsTooEarlyChangesNoSavedHeader) {
  Ends ends;
  Fields f;
  f.data = {'a'};
  (void)across(ends, packet_of(f));
  for (const Packet& cut : {Packet{}, Packet{0x0F}, Packet{0x0F, 1}, Packet{0x40}, Packet{0x40, 0}, Packet{0x08, 1, 2},
                            Packet{0x08, 1, 2, 0, 1}, Packet{0x2F, 1, 2}, Packet{0x88, 1, 2}}) {
    EXPECT_EQ(ends.decompress(cut, kTypeCompressed).status, HEADROOM_ERR_MALFORMED) << ::testing::PrintToString(cut);
  }
  f = next_of(f, 1);
  // The next one states the connection: all is as it was.
  EXPECT_EQ(
      ends.decompress({0x4F, 0, static_cast<std::uint8_t>(f.checksum >> 8), static_cast<std::uint8_t>(f.checksum), 'x'},
                      kTypeCompressed)
          .octets,
      packet_of(f));
}

TEST(VjDecompressor, AnUncompressedPacketIsRead) {
  Fields f;
  f.data = {'a', 'b'};
  Packet good = packet_of(f);
  good[9] = 4;  // the checksum stays that of protocol 6
  const std::tuple<std::size_t, std::uint8_t, std::int32_t> cases[] = {
      {0, 0x46, HEADROOM_ERR_MALFORMED},   // a TCP header that is not all there
      {0, 0x65, HEADROOM_ERR_MALFORMED},   // IP version 6
      {3, 41, HEADROOM_ERR_MALFORMED},     // another total length
      {32, 0xF0, HEADROOM_ERR_MALFORMED},  // a data offset beyond the packet
      {8, 1, HEADROOM_ERR_CRC},
  };
  for (const auto& [at, octet, status] : cases) {
    Ends ends;
    Packet bad = good;
    bad[at] = octet;
    EXPECT_EQ(ends.decompress(bad, kTypeUncompressed).status, status) << at;
    EXPECT_EQ(ends.decompressor.contexts_in_use(), 0u);
  }
  Ends ends;
  EXPECT_EQ(ends.decompress(good, kTypeUncompressed).octets, packet_of(f));
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_LT(
        ends.decompress(Packet(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)), kTypeUncompressed)
            .status,
        0);
  }
}

TEST(VjDecompressor, APacketThatWouldBeTooLongIsRefused) {
  Ends ends;
  Fields f;
  (void)across(ends, packet_of(f));
  EXPECT_EQ(ends.decompress(Packet(65'600, 0), kTypeCompressed).status, HEADROOM_ERR_MALFORMED);
}

TEST(VjDecompressor, APacketWithoutRoomCountsAndTheNextComesOut) {
  Ends ends;
  Fields f;
  f.data = {'a'};
  (void)across(ends, packet_of(f));
  f = next_of(f, 1);
  const Outcome link = ends.compress(packet_of(f));
  EXPECT_EQ(pass(ends.decompressor, link.octets, link.type, 40).status, HEADROOM_ERR_NO_SPACE);
  f = next_of(f, 1);
  EXPECT_EQ(across(ends, packet_of(f)).octets, packet_of(f));
}

TEST(VjDecompressor, ASpecialMaskClearsUrg) {
  Ends ends;
  Fields f;
  f.flags |= wire::kUrg;
  f.data = {'a'};
  (void)across(ends, packet_of(f));
  const Outcome out = ends.decompress({0x0F, 0, 0, 'b'}, kTypeCompressed);
  ASSERT_EQ(out.status, HEADROOM_OK);
  EXPECT_EQ(out.octets[20 + wire::kFlags], wire::kAck);
}

}  // namespace
}  // namespace headroom::vj
