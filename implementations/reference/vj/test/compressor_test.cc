// SPDX-License-Identifier: Apache-2.0
//
// Decisions of the compressor: RFC 1144, 3.2.3, sentence by sentence.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "packets.h"

namespace headroom::vj {
namespace {

using namespace testing;

// What a second packet becomes, whose first was of `first`.
Outcome second(const Fields& first, const Fields& then) {
  Ends ends;
  EXPECT_EQ(ends.compress(packet_of(first)).type, kTypeUncompressed);
  return ends.compress(packet_of(then));
}

Fields next_of(Fields f) {
  f.sequence += static_cast<std::uint32_t>(f.data.size());
  f.id += 1;
  f.checksum = 0x1234;
  return f;
}

TEST(VjCompressor, PacketsThatAreNotCompressibleGoAsTheyAre) {
  const std::pair<const char*, std::function<void(Fields&)>> cases[] = {
      {"UDP", [](Fields& f) { f.protocol = 17; }},
      {"first fragment", [](Fields& f) { f.fragment = 0x2000; }},
      {"last fragment", [](Fields& f) { f.fragment = 0x0001; }},
      {"SYN", [](Fields& f) { f.flags |= wire::kSyn; }},
      {"FIN", [](Fields& f) { f.flags |= wire::kFin; }},
      {"RST", [](Fields& f) { f.flags |= wire::kRst; }},
      {"no ACK", [](Fields& f) { f.flags = wire::kPsh; }},
  };
  for (const auto& [name, change] : cases) {
    Ends ends;
    Fields f;
    f.data = {'d'};
    EXPECT_EQ(ends.compress(packet_of(f)).type, kTypeUncompressed);
    Fields special = next_of(f);
    change(special);
    const Packet packet = packet_of(special);
    const Outcome link = ends.compress(packet);
    EXPECT_EQ(link.type, kTypeIp) << name;
    EXPECT_EQ(link.octets, packet) << name;
    // "Processing it doesn't change the compressor's state in any way."
    EXPECT_EQ(ends.compress(packet_of(next_of(f))).octets, (Packet{0x0F, 0x12, 0x34, 'd'})) << name;
  }
}

TEST(VjCompressor, WhatIsNoWholeTcpPacketGoesAsItIs) {
  Fields f;
  f.data = {'d'};
  const Packet whole = packet_of(f);
  std::vector<Packet> packets = {{0x45}, {0x60, 0, 0, 0}, Packet(whole.begin(), whole.begin() + 39)};
  const auto changed = [&](std::size_t at, std::uint8_t octet) {
    packets.push_back(whole);
    packets.back()[at] = octet;
    set_ip_checksum(packets.back());
  };
  changed(0, 0x55);   // IP version 5
  changed(0, 0x44);   // header length of 16 octets
  changed(3, 42);     // a total length beyond the packet
  changed(3, 40);     // and one that leaves an octet behind it, which a decompressor could not tell from data
  changed(32, 0x40);  // data offset of 16 octets
  changed(32, 0xF0);  // and beyond the packet
  packets.push_back(whole);
  packets.back()[10] ^= 1;  // a wrong header checksum, which a decompressor would replace by a right one
  for (const Packet& packet : packets) {
    Ends ends;
    const Outcome link = ends.compress(packet);
    EXPECT_EQ(link.type, kTypeIp) << ::testing::PrintToString(packet);
    EXPECT_EQ(link.octets, packet);
  }
}

TEST(VjCompressor, TheFirstPacketOfAConnectionHasItsNumberForAProtocol) {
  Ends ends;
  for (std::uint8_t slot = 0; slot < 3; ++slot) {
    Fields f;
    f.port = static_cast<std::uint16_t>(1025 + slot);
    Packet expected = packet_of(f);
    const Outcome link = ends.compress(expected);
    EXPECT_EQ(link.type, kTypeUncompressed);
    expected[9] = slot;
    EXPECT_EQ(link.octets, expected);
  }
}

// "Commands to vi or emacs, or packets in the data transfer direction of an FTP `put' or `get' look like 0F c c d …,
// and acks for that FTP look like 04 c c a where a is the amount of data being acked" (3.2.2).
TEST(VjCompressor, DataAndAcknowledgementsOfATransfer) {
  Fields f;
  f.data = Packet(100, 'x');
  EXPECT_EQ(second(f, next_of(f)).octets.front(), 0x0F);
  Fields ack, acks;
  acks = next_of(ack);
  acks.acknowledgement += 200;
  EXPECT_EQ(second(ack, acks).octets, (Packet{0x04, 0x12, 0x34, 200}));
}

// "Compressed terminal traffic usually looks like (in hex): 0B c c d" (3.2.2).
TEST(VjCompressor, EchoedCharacters) {
  Fields f;
  f.data = {'a'};
  Fields then = next_of(f);
  then.acknowledgement += 1;
  then.data = {'b'};
  EXPECT_EQ(second(f, then).octets, (Packet{0x0B, 0x12, 0x34, 'b'}));
  then.flags |= wire::kPsh;
  EXPECT_EQ(second(f, then).octets, (Packet{0x1B, 0x12, 0x34, 'b'}));
}

TEST(VjCompressor, AFieldThatMayNotChangeNeedsAnUncompressedPacket) {
  const std::pair<const char*, std::function<void(Fields&)>> cases[] = {
      {"type of service", [](Fields& f) { f.tos = 8; }},
      {"don't fragment", [](Fields& f) { f.fragment = 0; }},
      {"reserved flag", [](Fields& f) { f.fragment |= 0x8000; }},
      {"time to live", [](Fields& f) { --f.ttl; }},
      {"reserved bits of TCP", [](Fields& f) { f.reserved = 1; }},
      {"ECE", [](Fields& f) { f.flags |= 0x40; }},
      {"CWR", [](Fields& f) { f.flags |= 0x80; }},
      {"IP options",
       [](Fields& f) {
         f.ip_options = {1, 1, 1, 0};
       }},
      {"TCP options",
       [](Fields& f) {
         f.tcp_options = {1, 1, 1, 0};
       }},
      {"urgent pointer without URG", [](Fields& f) { f.urgent = 9; }},
      {"acknowledgement back", [](Fields& f) { --f.acknowledgement; }},
      {"acknowledgement by 2^16", [](Fields& f) { f.acknowledgement += 0x10000; }},
      {"sequence number back", [](Fields& f) { f.sequence -= 5; }},
      {"sequence number by 2^16", [](Fields& f) { f.sequence += 0x10000; }},
  };
  for (const auto& [name, change] : cases) {
    Fields f;
    f.data = {'a', 'b'};
    Fields then = next_of(f);
    change(then);
    const Outcome link = second(f, then);
    EXPECT_EQ(link.type, kTypeUncompressed) << name;
    EXPECT_EQ(link.octets.size(), packet_of(then).size()) << name;
  }
}

TEST(VjCompressor, OptionsOfTheSameLengthAreCompared) {
  Fields f;
  f.data = {'a'};
  f.ip_options = {1, 1, 1, 0};
  f.tcp_options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2};
  EXPECT_EQ(second(f, next_of(f)).octets, (Packet{0x0F, 0x12, 0x34, 'a'}));
  Fields other = next_of(f);
  other.tcp_options[7] = 2;
  EXPECT_EQ(second(f, other).type, kTypeUncompressed);
  other = next_of(f);
  other.ip_options[2] = 0;
  EXPECT_EQ(second(f, other).type, kTypeUncompressed);
}

TEST(VjCompressor, ChangesStandOneByOne) {
  Fields f;
  f.data = {'a', 'b', 'c'};
  Fields then = next_of(f);
  then.sequence += 7;
  EXPECT_EQ(second(f, then).octets, (Packet{0x08, 0x12, 0x34, 10, 'a', 'b', 'c'}));
  then.window -= 1;
  EXPECT_EQ(second(f, then).octets, (Packet{0x0A, 0x12, 0x34, 0, 0xFF, 0xFF, 10, 'a', 'b', 'c'}));
  then = next_of(f);
  then.flags |= wire::kUrg;  // "note that it may be zero"
  EXPECT_EQ(second(f, then).octets, (Packet{0x09, 0x12, 0x34, 0, 0, 0, 3, 'a', 'b', 'c'}));
  then = next_of(f);
  then.id = f.id;
  EXPECT_EQ(second(f, then).octets, (Packet{0x2F, 0x12, 0x34, 0, 0, 0, 'a', 'b', 'c'}));
  then.id = static_cast<std::uint16_t>(f.id - 1);
  EXPECT_EQ(second(f, then).octets, (Packet{0x2F, 0x12, 0x34, 0, 0xFF, 0xFF, 'a', 'b', 'c'}));
}

// "If U, S and W are set, the changes match one of the special-case encodings."
TEST(VjCompressor, ChangesThatLookLikeASpecialMaskAreNotCompressed) {
  Fields f;
  f.data = {'a'};
  for (const bool acknowledges : {false, true}) {
    Fields then = next_of(f);
    then.flags |= wire::kUrg;
    then.window += 1;
    if (acknowledges) then.acknowledgement += 1;
    EXPECT_EQ(second(f, then).type, kTypeUncompressed);
  }
}

TEST(VjCompressor, SpecialMasksNeedTheVeryAmountOfData) {
  Fields f;
  f.data = {'a', 'b'};
  Fields then = next_of(f);
  then.sequence += 1;
  then.acknowledgement += 3;
  EXPECT_EQ(second(f, then).octets, (Packet{0x0C, 0x12, 0x34, 3, 3, 'a', 'b'}));
  then = next_of(f);
  then.acknowledgement += 1;
  EXPECT_EQ(second(f, then).octets, (Packet{0x0C, 0x12, 0x34, 1, 2, 'a', 'b'}));
}

TEST(VjCompressor, NothingChangedIsARetransmissionOrNot) {
  Fields with_data, without;
  with_data.data = {'a'};
  Fields again = with_data;  // the same packet once more
  again.id += 1;
  EXPECT_EQ(second(with_data, again).type, kTypeUncompressed);
  again = without;  // a repeated acknowledgement
  again.id += 1;
  EXPECT_EQ(second(without, again).type, kTypeUncompressed);
  again.data = {'b'};  // data behind an acknowledgement
  again.checksum = 0x1234;
  EXPECT_EQ(second(without, again).octets, (Packet{0x00, 0x12, 0x34, 'b'}));
}

TEST(VjCompressor, TheSequenceNumberWraps) {
  Fields f;
  f.sequence = 0xFFFFFFFF;
  f.acknowledgement = 0xFFFFFFFE;
  f.id = 0xFFFF;
  f.data = {'a', 'b'};
  Fields then = next_of(f);
  EXPECT_EQ(second(f, then).octets, (Packet{0x0F, 0x12, 0x34, 'a', 'b'}));
  then.acknowledgement += 4;
  EXPECT_EQ(second(f, then).octets, (Packet{0x0C, 0x12, 0x34, 4, 2, 'a', 'b'}));
}

TEST(VjCompressor, TheConnectionNumberStandsWhereItChanges) {
  for (const bool compress : {true, false}) {
    Config config;
    config.compress_slot_id = compress;
    Ends ends(config);
    Fields one, two;
    one.data = two.data = {'a'};
    two.port = 2000;
    (void)ends.compress(packet_of(one));
    (void)ends.compress(packet_of(two));
    one = next_of(one);
    EXPECT_EQ(ends.compress(packet_of(one)).octets, (Packet{0x4F, 0, 0x12, 0x34, 'a'}));
    one = next_of(one);
    const Packet elided = {0x0F, 0x12, 0x34, 'a'}, stated = {0x4F, 0, 0x12, 0x34, 'a'};
    EXPECT_EQ(ends.compress(packet_of(one)).octets, compress ? elided : stated);
    two = next_of(two);
    EXPECT_EQ(ends.compress(packet_of(two)).octets, (Packet{0x4F, 1, 0x12, 0x34, 'a'}));
  }
}

TEST(VjCompressor, TheSlotUsedLongestAgoIsReclaimed) {
  Config config;
  config.slots = 3;
  Ends ends(config);
  const auto send = [&](std::uint16_t port) {
    Fields f;
    f.port = port;
    f.data = {'a'};
    f.sequence = port;
    return ends.compress(packet_of(f));
  };
  EXPECT_EQ(send(1).octets[9], 0);
  EXPECT_EQ(send(2).octets[9], 1);
  EXPECT_EQ(send(3).octets[9], 2);
  EXPECT_EQ(send(1).octets[9], 0);  // a retransmission: used again
  EXPECT_EQ(send(4).octets[9], 1);
  EXPECT_EQ(send(2).octets[9], 2);
  EXPECT_EQ(send(1).octets[9], 0);
  EXPECT_EQ(ends.compressor.counters().replaced_connections, 2u);
  EXPECT_EQ(ends.compressor.contexts_in_use(), 3u);
}

TEST(VjCompressor, APacketWithoutRoomLeavesNoTrace) {
  Ends ends;
  Fields f;
  f.data = {'a'};
  const Packet first = packet_of(f);
  EXPECT_EQ(pass(ends.compressor, first, 0, 40).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(ends.compress(first).octets[9], 0);
  EXPECT_EQ(pass(ends.compressor, packet_of(next_of(f)), 0, 3).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(ends.compress(packet_of(next_of(f))).octets, (Packet{0x0F, 0x12, 0x34, 'a'}));
  EXPECT_EQ(pass(ends.compressor, {0x60}, 0, 0).status, HEADROOM_ERR_NO_SPACE);
}

TEST(VjCompressor, BehindAnUrgentPacketTheMaskIsNoSpecialOne) {
  Fields f;
  f.data = {'a'};
  f.flags |= wire::kUrg;
  f.urgent = 1;
  Fields then = next_of(f);
  then.flags = wire::kAck;
  EXPECT_EQ(second(f, then).octets, (Packet{0x08, 0x12, 0x34, 1, 'a'}));
}

}  // namespace
}  // namespace headroom::vj
