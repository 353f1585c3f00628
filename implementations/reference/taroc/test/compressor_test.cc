// SPDX-License-Identifier: Apache-2.0
//
// Decisions of the compressor: 7.1 and 7.3, sentence by sentence. Where octets are expected, they were worked out by
// hand from 7.3.2.1.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "packets.h"

namespace headroom::taroc {
namespace {

using namespace testing;

Fields next_of(Fields f) {
  f.sequence += static_cast<std::uint32_t>(f.data.size());
  f.id += 1;
  return f;
}

Fields data_packet(std::size_t octets = 100) {
  Fields f;
  f.data = Packet(octets, 'x');
  return f;
}

// A compressed header that begins with this CID and these flags.
Packet header_of(const Packet& packet, std::uint8_t cid, std::uint8_t flags, const Packet& rest) {
  Packet header = {cid, flags, static_cast<std::uint8_t>(checksum_of(packet) >> 8),
                   static_cast<std::uint8_t>(checksum_of(packet))};
  header.insert(header.end(), rest.begin(), rest.end());
  return header;
}

Packet header_on(const Outcome& link, const Fields& f) {
  return {link.octets.begin(), link.octets.end() - static_cast<std::ptrdiff_t>(f.data.size())};
}

// The header of a second packet, whose first was of `first`. Empty where it is not compressed.
Packet second(const Fields& first, const Fields& then) {
  Ends ends;
  EXPECT_EQ(ends.compress(packet_of(first)).type, kTypeUncompressed);
  const Outcome link = ends.compress(packet_of(then));
  return link.type == kTypeCompressed ? header_on(link, then) : Packet{};
}

// A line that is soon in CO state: W is at least 800 octets.
Config small_window() {
  Config config;
  config.mss = 100;
  config.issthresh = 400;
  config.k = 1;
  return config;
}

// Sends packets of 100 octets, of which it returns the types: U and C.
std::string types_of(Ends& ends, Fields& f, int count) {
  std::string types;
  for (int i = 0; i < count; ++i, f = next_of(f)) {
    const std::uint16_t type = ends.compress(packet_of(f)).type;
    types += type == kTypeUncompressed ? 'U' : type == kTypeCompressed ? 'C' : '?';
  }
  return types;
}

TEST(TarocCompressor, PacketsThatAreNotCompressibleGoAsTheyAre) {
  const std::pair<const char*, std::function<void(Fields&)>> cases[] = {
      {"UDP", [](Fields& f) { f.protocol = 17; }},
      {"first fragment", [](Fields& f) { f.fragment = 0x2000; }},
      {"last fragment", [](Fields& f) { f.fragment = 0x0001; }},
      {"SYN", [](Fields& f) { f.flags |= wire::tcp::kSyn; }},
      {"FIN", [](Fields& f) { f.flags |= wire::tcp::kFin; }},
      {"RST", [](Fields& f) { f.flags |= wire::tcp::kRst; }},
      {"no ACK", [](Fields& f) { f.flags = wire::tcp::kPsh; }},
      {"IP options",
       [](Fields& f) {
         f.ip_options = {1, 1, 1, 0};
       }},
  };
  for (const auto& [name, change] : cases) {
    Ends ends;
    const Fields f = data_packet();
    EXPECT_EQ(ends.compress(packet_of(f)).type, kTypeUncompressed);
    Fields special = next_of(f);
    change(special);
    const Packet packet = packet_of(special);
    const Outcome link = ends.compress(packet);
    EXPECT_EQ(link.type, kTypeIp) << name;
    EXPECT_EQ(link.octets, packet) << name;
    EXPECT_EQ(header_on(ends.compress(packet_of(next_of(f))), f).size(), 6u) << name;
  }
}

TEST(TarocCompressor, WhatIsNoWholeTcpPacketGoesAsItIs) {
  const Packet whole = packet_of(data_packet(1));
  std::vector<Packet> packets = {{0x45}, {0x50, 0, 0, 0}, Packet(whole.begin(), whole.begin() + 39)};
  const auto changed = [&](std::size_t at, std::uint8_t octet) {
    packets.push_back(whole);
    packets.back()[at] = octet;
    if ((packets.back()[0] & 0x0F) == 5) set_ip_checksum(packets.back());
  };
  changed(0, 0x55);   // IP version 5
  changed(0, 0x44);   // header length of 16 octets
  changed(3, 42);     // a total length beyond the packet
  changed(3, 40);     // and one that leaves an octet behind it
  changed(32, 0x40);  // data offset of 16 octets
  changed(32, 0xF0);  // and beyond the packet
  packets.push_back(whole);
  packets.back()[10] ^= 1;  // a wrong header checksum
  for (const Packet& packet : packets) {
    Ends ends;
    const Outcome link = ends.compress(packet);
    EXPECT_EQ(link.type, kTypeIp) << ::testing::PrintToString(packet);
    EXPECT_EQ(link.octets, packet);
  }
  Ends ends;
  Fields six;
  six.ipv6 = true;
  Packet packet = packet_of(six);
  packet[6] = 17;
  EXPECT_EQ(ends.compress(packet).type, kTypeIpv6);
  packet = packet_of(six);
  packet[5] += 1;  // a payload length beyond the packet
  EXPECT_EQ(ends.compress(packet).type, kTypeIpv6);
}

// 7.3.1: "the LSB of the length field is replaced by the CID number".
TEST(TarocCompressor, TheFirstPacketOfAConnectionHasItsCidInTheLengthField) {
  Ends ends;
  for (std::uint8_t cid = 0; cid < 3; ++cid) {
    Fields f = data_packet(300);
    f.ipv6 = cid == 2;
    f.port = static_cast<std::uint16_t>(1025 + cid);
    Packet expected = packet_of(f);
    const Outcome link = ends.compress(expected);
    EXPECT_EQ(link.type, kTypeUncompressed);
    const std::size_t at = f.ipv6 ? 4 : 2;
    expected[at] = 0;
    expected[at + 1] = cid;
    EXPECT_EQ(link.octets, expected);
    EXPECT_EQ(link.detail.cid, cid);
    EXPECT_EQ(link.detail.packet_type, static_cast<std::uint8_t>(PacketType::uncompressed));
    EXPECT_EQ(link.detail.state, static_cast<std::uint8_t>(State::ir));
  }
}

// Sequence number 1000 and then 1100: r = 100, k = 8. Packet ID 1 and then 2: r = 1, k = 2. PT 00:
// 00 10001001100 (1100 of 11 bits) 010.
TEST(TarocCompressor, Data) {
  const Fields f = data_packet(), then = next_of(f);
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x28, {0x22, 0x62}));
}

// Acknowledgement 5000 and then 6000: r = 1000, k = 11. PT 00: 00 11101110000 (6000 mod 2048 = 1904) 010.
TEST(TarocCompressor, Acknowledgements) {
  const Fields f;
  Fields then = next_of(f);
  then.acknowledgement += 1000;
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x24, {0x3B, 0x82}));
  then.acknowledgement += 24;  // r = 1024, k = 12: PT 01, 15 bits and 7. 01 001011110001000 0000010
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x24, {0x4B, 0xC4, 0x02}));
}

// All that can change, in IPv6: no packet ID.
TEST(TarocCompressor, Ipv6HasNoPacketId) {
  Fields f = data_packet();
  f.ipv6 = true;
  const Fields then = next_of(f);
  // 00 10001001100, padded
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x08, {0x22, 0x60}));
}

// "Clear if the corresponding compressed fields are zero and don't need to be transmitted": equal to every value of the
// window. Nothing but the packet ID changes: 00 010, padded.
TEST(TarocCompressor, AFlagIsClearWhereNothingChanges) {
  const Fields f;
  const Fields then = next_of(f);
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x20, {0x10}));
  EXPECT_EQ(second(f, f), header_of(packet_of(f), 0, 0x00, {}));
  Ends ends(small_window());
  (void)ends.compress(packet_of(f));
  Fields other = f;
  other.window += 1;
  EXPECT_EQ(ends.compress(packet_of(other)).octets[1], 0x02);
  (void)ends.compress(packet_of(f));                       // the turn of UNCOMPRESSED_TCP
  EXPECT_EQ(ends.compress(packet_of(f)).octets[1], 0x02);  // as before, but not as all before
}

TEST(TarocCompressor, FlagsOfTcp) {
  const Fields f;
  Fields then = f;
  then.flags |= wire::tcp::kPsh;
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x10, {}));
  then.flags = wire::tcp::kAck | wire::tcp::kUrg;
  then.urgent = 9;
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x01, {9}));
  then.urgent = 0;
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x01, {0, 0, 0}));
}

// RFC 2507, 6 a): "bits 0-5 of the passed octet is the actual value of the Reserved field, and bits 6 and 7 are the
// actual values of bits 6 and 7 in the TOS".
TEST(TarocCompressor, TheROctet) {
  for (const bool ipv6 : {false, true}) {
    Fields f;
    f.ipv6 = ipv6;
    Fields then = f;
    then.tos = 3;
    EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x80, {0x03}));
    then.flags |= 0xC0;  // CWR and ECE, which were reserved
    then.reserved = 9;
    EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x80, {0b100111'11}));
  }
}

// "The octet passed with the R flag MUST NOT update the context": a third packet has it again.
TEST(TarocCompressor, TheROctetIsComparedWithTheContext) {
  Ends ends(small_window());
  Fields f = data_packet();
  EXPECT_EQ(types_of(ends, f, 3), "UCU");  // the next two are compressed
  f.tos = 3;
  EXPECT_EQ(ends.compress(packet_of(f)).octets[1] & 0x80, 0x80);
  f = next_of(f);
  EXPECT_EQ(ends.compress(packet_of(f)).octets[1] & 0x80, 0x80);
  f = next_of(f);
  EXPECT_EQ(ends.compress(packet_of(f)).type, kTypeUncompressed);
  f = next_of(f);
  // The decompressor may have either context.
  for (const std::uint8_t tos : {std::uint8_t{3}, std::uint8_t{0}}) {
    f.tos = tos;
    EXPECT_EQ(ends.compress(packet_of(f)).octets[1] & 0x80, 0x80);
    f = next_of(f);
  }
}

TEST(TarocCompressor, WhatACompressedHeaderCannotChangeNeedsAnUncompressedPacket) {
  const std::pair<const char*, std::function<void(Fields&)>> cases[] = {
      {"type of service", [](Fields& f) { f.tos = 8; }},
      {"don't fragment", [](Fields& f) { f.fragment = 0; }},
      {"reserved flag", [](Fields& f) { f.fragment |= 0x8000; }},
      {"time to live", [](Fields& f) { --f.ttl; }},
      {"an option",
       [](Fields& f) {
         f.tcp_options = {1, 1, 1, 0};
       }},
      {"urgent pointer without URG", [](Fields& f) { f.urgent = 9; }},
      {"acknowledgement by 2^22", [](Fields& f) { f.acknowledgement += 0x400000; }},
      {"acknowledgement by 2^31", [](Fields& f) { f.acknowledgement += 0x80000000; }},
      {"sequence number by 2^22", [](Fields& f) { f.sequence += 0x400000; }},
      {"packet ID by 2^14", [](Fields& f) { f.id += 0x4000; }},
      {"packet ID by -2^14", [](Fields& f) { f.id -= 0x4000; }},
  };
  for (const auto& [name, change] : cases) {
    const Fields f = data_packet();
    Fields then = f;
    change(then);
    EXPECT_TRUE(second(f, then).empty()) << name;
  }
}

// 7.3.2.1: the PT is the smallest that holds every field.
TEST(TarocCompressor, ThePacketTypeIsTheSmallest) {
  struct Case {
    int sequence, acknowledgement, window, id;
    int pt;
  };
  for (const Case& c : {Case{1023, 0, 0, 1, 0},   Case{1024, 0, 0, 1, 1},   Case{0, 1023, 0, 1, 0},
                        Case{0, 1024, 0, 1, 1},   Case{0, 0, 511, 1, 0},    Case{0, 0, 512, 1, 1},
                        Case{0, 0, 8191, 1, 1},   Case{0, 0, 8192, 1, 2},   Case{0, 0, 60000, 1, 2},
                        Case{0, 0, 0, 3, 0},      Case{0, 0, 0, 4, 1},      Case{0, 0, 0, 63, 1},
                        Case{0, 0, 0, 64, 2},     Case{0, 0, 0, 1023, 2},   Case{0, 0, 0, 1024, 3},
                        Case{0, 0, 0, 16383, 3},  Case{16383, 0, 0, 1, 1},  Case{16384, 0, 0, 1, 2},
                        Case{262143, 0, 0, 1, 2}, Case{262144, 0, 0, 1, 3}, Case{0x3FFFFF, 0x3FFFFF, 60000, 16383, 3},
                        Case{1023, 0, 0, -3, 0}}) {
    Fields f;
    f.window = 0;
    Fields then = f;
    then.sequence += static_cast<std::uint32_t>(c.sequence);
    then.acknowledgement += static_cast<std::uint32_t>(c.acknowledgement);
    then.window = static_cast<std::uint16_t>(c.window);
    then.id = static_cast<std::uint16_t>(f.id + c.id);
    const Packet header = second(f, then);
    ASSERT_GT(header.size(), 4u) << c.sequence << ' ' << c.acknowledgement << ' ' << c.window << ' ' << c.id;
    EXPECT_EQ(header[4] >> 6, c.pt) << c.sequence << ' ' << c.acknowledgement << ' ' << c.window << ' ' << c.id;
  }
}

// 7.3.2.2: the TS value goes on by 10 (15 bits), the echo stays; then both change, the echo by 2^15 (22 bits).
TEST(TarocCompressor, Timestamps) {
  Fields f;
  f.ipv6 = true;
  f.tcp_options = timestamps(0x00010005, 0x00020000);
  EXPECT_EQ(second(f, f), header_of(packet_of(f), 0, 0x00, {}));
  Fields then = f;
  then.tcp_options = timestamps(0x0001000F, 0x00020000);
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x40, {0x08, 0x00, 0x0F}));
  then.tcp_options = timestamps(0x0001000F, 0x00028000);
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x40, {0x0C, 0x00, 0x0F, 0x82, 0x80, 0x00}));
  then.tcp_options = timestamps(0x00010005, 0x20020000);  // by 2^29, which takes 31 bits
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x40, {0x04, 0xE0, 0x20, 0x02, 0x00, 0x00}));
}

// "The Offset field … is delta encoded … from Left Edge of this SACK Block to the Acknowledgment Number … The Size
// field in SACK is delta encoded from Right Edge to Left Edge."
TEST(TarocCompressor, SackBlocks) {
  Fields f;
  f.ipv6 = true;
  f.acknowledgement = 5000;
  Fields then = f;
  then.tcp_options = sack({{5100, 5300}, {6000, 6300}});
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x40, {0x02, 100, 200, 0, 0x03, 0xE8, 0, 0x01, 0x2C}));
  then.acknowledgement += 100;
  EXPECT_EQ(second(f, then).size(), 4u + 2 + 1 + 4 + 6);  // the first offset is 0, which takes three octets
  then = f;
  then.tcp_options = sack({{4900, 5000}});  // a duplicate (RFC 2883), to the left
  EXPECT_TRUE(second(f, then).empty());
  then.tcp_options = sack({{5000 + 65536, 5000 + 65537}});
  EXPECT_TRUE(second(f, then).empty());
  then.tcp_options = sack({{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  EXPECT_TRUE(second(f, then).empty());
  // Blocks that the context has had are not in a packet without them.
  EXPECT_EQ(second(
                [&] {
                  Fields first = f;
                  first.tcp_options = sack({{5100, 5300}});
                  return first;
                }(),
                f),
            header_of(packet_of(f), 0, 0x00, {}));
}

TEST(TarocCompressor, OtherOptionsGoAsTheyAre) {
  Fields f;
  f.ipv6 = true;
  f.tcp_options = {253, 4, 1, 2};
  EXPECT_EQ(second(f, f), header_of(packet_of(f), 0, 0x00, {}));
  Fields then = f;
  then.tcp_options = {253, 4, 1, 3};
  EXPECT_EQ(second(f, then), header_of(packet_of(then), 0, 0x40, {0x00, 253, 4, 1, 3}));
}

// 7.1.1 a) and c): "after sending F_PERIOD compressed packets", of which there are ever more, until F_PERIOD * MSS is
// larger than W: 800 octets, of which cwnd has had no part yet (4 * 100, and 100 with each of the packets).
TEST(TarocCompressor, SlowStart) {
  Ends ends(small_window());
  Fields f = data_packet();
  EXPECT_EQ(types_of(ends, f, 40), "UCUCCUCCCCUCCCCCCCCCCCCCCCCCCCCCCCCCCCCC");
  EXPECT_EQ(ends.compressor.counters().slow_start, 3u);
  const Outcome link = ends.compress(packet_of(f));
  EXPECT_EQ(link.detail.state, static_cast<std::uint8_t>(State::co));
}

TEST(TarocCompressor, SlowStartGoesOnAsLongAsTheWindowIsWider) {
  Ends ends;
  Fields f = data_packet(1000);
  std::string expected;
  for (std::size_t period = 1; period <= 64; period *= 2) expected += 'U' + std::string(period, 'C');
  EXPECT_EQ(types_of(ends, f, static_cast<int>(expected.size())), expected);
  EXPECT_EQ(types_of(ends, f, 200), std::string(200, 'C'));  // 128 * 1500 > 4 * 32768
}

// Windows that are wider than any field, or have more packets than any packet ID's, are never tracked.
TEST(TarocCompressor, LongConnectionsStayCompressed) {
  for (const std::size_t octets : {std::size_t{1}, std::size_t{1460}}) {
    Ends ends;
    Fields f;
    f.data = Packet(octets, 'x');
    for (int i = 0; i < 20'000; ++i) {
      // Steps of sixteen segments: the window grows fast.
      (void)ends.compress(packet_of(f));
      f.sequence += static_cast<std::uint32_t>(octets == 1 ? 1 : 16 * octets);
      f.id += 1;
    }
    EXPECT_EQ(ends.compressor.counters().changed, 0u) << octets;
    EXPECT_LT(ends.compressor.counters().uncompressed, 20u) << octets;
  }
}

// 7.1.1 a) 2): "a retransmission of the packet in VSW and it was sent as UNCOMPRESSED_TCP previously".
TEST(TarocCompressor, ARetransmissionOfAnUncompressedPacketIsOne) {
  Ends ends;
  Fields f = data_packet();
  const Fields first = f;
  EXPECT_EQ(types_of(ends, f, 4), "UCUC");
  const Fields compressed = next_of(first);
  Fields again = first;
  again.id = 50;
  EXPECT_EQ(ends.compress(packet_of(again)).type, kTypeUncompressed);
  again = compressed;
  again.id = 51;
  EXPECT_EQ(ends.compress(packet_of(again)).type, kTypeCompressed);
  EXPECT_EQ(ends.compressor.counters().repeated, 1u);
}

TEST(TarocCompressor, ARepeatedAcknowledgementIsNoRetransmission) {
  Ends ends;
  const Fields f;
  (void)ends.compress(packet_of(f));
  EXPECT_EQ(ends.compress(packet_of(f)).type, kTypeCompressed);
  EXPECT_EQ(ends.compressor.counters().repeated, 0u);
}

// 7.1.2 a): "If it falls behind the VSW, i.e. it is older than all packets in VSW, the compressor clears the VSW and
// transits to IR state."
TEST(TarocCompressor, APacketThatFallsBehindTheWindow) {
  Ends ends(small_window());
  Fields f = data_packet();
  const Fields first = f;
  (void)types_of(ends, f, 200);
  Fields old = first;
  old.id = f.id;
  const Outcome link = ends.compress(packet_of(old));
  EXPECT_EQ(link.type, kTypeUncompressed);
  EXPECT_EQ(link.detail.state, static_cast<std::uint8_t>(State::ir));
  EXPECT_EQ(ends.compressor.counters().fell_behind, 1u);
  Fields next = next_of(old);
  // The window is that one packet: 00 (1100) (2)
  EXPECT_EQ(header_on(ends.compress(packet_of(next)), next).size(), 6u);
  EXPECT_EQ(ends.compress(packet_of(next_of(next))).type, kTypeUncompressed);  // slow start
}

// One that is retransmitted within the window is compressed.
TEST(TarocCompressor, ARetransmissionWithinTheWindowIsCompressed) {
  Ends ends(small_window());
  Fields f = data_packet();
  (void)types_of(ends, f, 200);
  Fields old = f;
  old.sequence -= 300;
  EXPECT_EQ(ends.compress(packet_of(old)).type, kTypeCompressed);
}

// 7.1.2 c): "If the VSW contains only one packet, which means there is a long jump in the packet sequence, the
// compressor will transit to IR state."
TEST(TarocCompressor, ALongJumpLeadsToIrState) {
  Ends ends(small_window());
  Fields f = data_packet();
  (void)types_of(ends, f, 200);
  f.sequence += 500'000;
  const Outcome link = ends.compress(packet_of(f));
  EXPECT_EQ(link.type, kTypeCompressed);
  EXPECT_EQ(link.detail.state, static_cast<std::uint8_t>(State::ir));
  f = next_of(f);
  EXPECT_EQ(types_of(ends, f, 6), "UCUCCU");
}

// A pure acknowledgement is as old as its acknowledgement number.
TEST(TarocCompressor, AcknowledgementsFallBehindByTheirNumber) {
  Ends ends(small_window());
  Fields f;
  for (int i = 0; i < 200; ++i, f.acknowledgement += 200, ++f.id) (void)ends.compress(packet_of(f));
  f.acknowledgement -= 1000;
  EXPECT_EQ(ends.compress(packet_of(f)).type, kTypeCompressed);
  f.acknowledgement -= 20'000;
  EXPECT_EQ(ends.compress(packet_of(f)).type, kTypeUncompressed);
  EXPECT_EQ(ends.compressor.counters().fell_behind, 1u);
}

TEST(TarocCompressor, RescueSendsTheThirdTransmissionUncompressed) {
  for (const bool rescue : {false, true}) {
    Config config = small_window();
    config.rescue = rescue;
    Ends ends(config);
    Fields f = data_packet();
    (void)types_of(ends, f, 201);
    Fields lost = f;
    lost.sequence -= 100;
    EXPECT_EQ(ends.compress(packet_of(lost)).type, kTypeCompressed);
    EXPECT_EQ(types_of(ends, f, 2), "CC");
    EXPECT_EQ(ends.compress(packet_of(lost)).type, rescue ? kTypeUncompressed : kTypeCompressed);
    EXPECT_EQ(ends.compressor.counters().repeated, rescue ? 1u : 0u);
  }
}

TEST(TarocCompressor, TheCidUsedLongestAgoIsReassigned) {
  Config config;
  config.contexts = 3;
  Ends ends(config);
  const auto send = [&](std::uint16_t port) {
    Fields f = data_packet(1);
    f.port = port;
    return ends.compress(packet_of(f));
  };
  EXPECT_EQ(send(1).octets[3], 0);
  EXPECT_EQ(send(2).octets[3], 1);
  EXPECT_EQ(send(3).octets[3], 2);
  EXPECT_EQ(send(1).octets[3], 0);  // a retransmission: used again
  EXPECT_EQ(send(4).octets[3], 1);
  EXPECT_EQ(send(2).octets[3], 2);
  EXPECT_EQ(send(1).octets[3], 0);
  EXPECT_EQ(ends.compressor.counters().replaced_contexts, 2u);
  EXPECT_EQ(ends.compressor.contexts_in_use(), 3u);
}

TEST(TarocCompressor, APacketWithoutRoomLeavesNoTrace) {
  Ends ends;
  const Fields f = data_packet();
  const Packet first = packet_of(f), then = packet_of(next_of(f));
  EXPECT_EQ(pass(ends.compressor, first, 0, 139).status, HEADROOM_ERR_NO_SPACE);
  EXPECT_EQ(ends.compress(first).octets[3], 0);
  EXPECT_EQ(pass(ends.compressor, then, 0, 105).status, HEADROOM_ERR_NO_SPACE);
  const Outcome exact = pass(ends.compressor, then, 0, 106);
  EXPECT_EQ(exact.status, HEADROOM_OK);
  EXPECT_EQ(header_on(exact, f), header_of(then, 0, 0x28, {0x22, 0x62}));
  EXPECT_EQ(pass(ends.compressor, {0x60}, 0, 0).status, HEADROOM_ERR_NO_SPACE);
}

}  // namespace
}  // namespace headroom::taroc
