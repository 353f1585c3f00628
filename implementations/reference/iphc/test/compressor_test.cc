// SPDX-License-Identifier: Apache-2.0
//
// Decisions of the compressor for TCP: RFC 2507, 5.3, 6, 7.12 and 10.2, and RFC 1144, 3.2.3, sentence by sentence.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "packets.h"

namespace headroom::iphc {
namespace {

using namespace testing;

struct Flow {
  Ipv4 ip{};
  Tcp tcp{};
  [[nodiscard]] Packet packet() const { return ip / tcp; }
  // The next segment behind this one.
  [[nodiscard]] Flow next() const {
    Flow f = *this;
    f.tcp.sequence += static_cast<std::uint32_t>(tcp.data.size());
    ++f.ip.id;
    return f;
  }
};
const Flow kData{{}, [] {
                   Tcp tcp;
                   tcp.data = Packet(100, 'x');
                   return tcp;
                 }()};

// The link packet of the second of two packets of a stream.
Outcome second(const Packet& first, const Packet& then, const Config& config = {}) {
  Ends ends(config);
  EXPECT_EQ(ends.compress(first).type, kTypeFull);
  return ends.compress(then);
}

// The header in front of `data` octets, without the TCP checksum in octets 2 and 3.
Packet header(const Outcome& link, std::size_t data) {
  Packet h(link.octets.begin(), link.octets.end() - static_cast<std::ptrdiff_t>(data));
  if (link.type == kTypeTcp) h.erase(h.begin() + 2, h.begin() + 4);
  return h;
}

// "A packet with an uncompressed header, including a CID" (3.1): "LSB of pkt nr | CID" in the length field (5.3.1).
TEST(IphcCompressor, TheFirstPacketOfAStreamHasAFullHeader) {
  Ends ends;
  for (std::uint8_t cid = 0; cid < 3; ++cid) {
    Flow f = kData;
    f.tcp.source = static_cast<std::uint16_t>(1025 + cid);
    Packet expected = f.packet();
    const Outcome link = ends.compress(expected);
    EXPECT_EQ(link.type, kTypeFull);
    expected[2] = 0;
    expected[3] = cid;
    EXPECT_EQ(link.octets, expected);
  }
  Packet v6 = Ipv6{} / kData.tcp;
  const Outcome link = ends.compress(v6);
  v6[4] = 0;
  v6[5] = 3;
  EXPECT_EQ(link.type, kTypeFull);
  EXPECT_EQ(link.octets, v6);
}

// "Second length field: MSB of pkt nr | 0" (5.3.1).
TEST(IphcCompressor, ATunnelHasTwoLengthFields) {
  Ends ends;
  Ipv6 outer;
  outer.next = wire::kIpv4;
  Packet packet = outer / kData.packet();
  const Outcome link = ends.compress(packet);
  packet[4] = packet[5] = packet[42] = packet[43] = 0;
  EXPECT_EQ(link.octets, packet);
}

TEST(IphcCompressor, DataAcknowledgementsAndEchoes) {
  EXPECT_EQ(header(second(kData.packet(), kData.next().packet()), 100), (Packet{0, 0x0F}));
  Flow ack;
  Flow acks = ack.next();
  acks.tcp.acknowledgement += 200;
  EXPECT_EQ(header(second(ack.packet(), acks.packet()), 0), (Packet{0, 0x04, 200}));
  Flow echo;
  echo.tcp.data = {'a'};
  Flow then = echo.next();
  ++then.tcp.acknowledgement;
  then.tcp.flags |= wire::kPsh;
  EXPECT_EQ(header(second(echo.packet(), then.packet()), 1), (Packet{0, 0x1B}));
}

TEST(IphcCompressor, TheChecksumIsThatOfThePacket) {
  const Packet packet = kData.next().packet();
  const Outcome link = second(kData.packet(), packet);
  EXPECT_EQ(link.octets[2], packet[36]);
  EXPECT_EQ(link.octets[3], packet[37]);
}

TEST(IphcCompressor, ChangesStandOneByOne) {
  const std::pair<std::function<void(Flow&)>, Packet> cases[] = {
      {[](Flow& f) { f.tcp.window += 1; }, {0, 0x0A, 1, 100}},
      {[](Flow& f) { f.tcp.window -= 1; }, {0, 0x0A, 0, 0xFF, 0xFF, 100}},
      {[](Flow& f) { f.tcp.acknowledgement += 5; }, {0, 0x0C, 5, 100}},
      {[](Flow& f) { f.tcp.sequence += 1; }, {0, 0x08, 101}},
      {[](Flow& f) { f.ip.id += 2; }, {0, 0x2F, 3}},
      {[](Flow& f) { f.ip.id -= 1; }, {0, 0x2F, 0, 0, 0}},
      {[](Flow& f) {
         f.tcp.flags |= wire::kUrg;
         f.tcp.urgent = 7;
       },
       {0, 0x09, 7, 100}},
      {[](Flow& f) {
         f.tcp.flags |= wire::kUrg;
         f.tcp.urgent = 7;
         f.tcp.acknowledgement += 5;
       },
       {0, 0x0D, 7, 5, 100}},
      // 6 a): "bits 0-5 of the passed octet is the actual value of the Reserved field, and bits 6 and 7 are the actual
      // values of bits 6 and 7 in the TOS".
      {[](Flow& f) { f.tcp.reserved = 0x21; }, {0, 0x8F, 0x84}},
      {[](Flow& f) { f.ip.tos = 3; }, {0, 0x8F, 0x03}},
  };
  for (const auto& [change, expected] : cases) {
    Flow then = kData.next();
    change(then);
    EXPECT_EQ(header(second(kData.packet(), then.packet()), 100), expected) << ::testing::PrintToString(expected);
  }
}

// "The octet passed with the R flag MUST NOT update the context" (6 a).
TEST(IphcCompressor, TheROctetComesWithEachPacketThatDiffersFromTheFullHeader) {
  Ends ends;
  Flow f = kData;
  EXPECT_EQ(ends.compress(f.packet()).type, kTypeFull);
  for (int i = 0; i < 3; ++i) {
    f = f.next();
    f.ip.tos = 2;
    EXPECT_EQ(header(ends.compress(f.packet()), 100), (Packet{0, 0x8F, 0x02}));
  }
  f = f.next();
  f.ip.tos = 0;
  EXPECT_EQ(header(ends.compress(f.packet()), 100), (Packet{0, 0x0F}));
}

// "If the O flag is set, the Options of the TCP header were not the same as in the previous header" (6 a).
TEST(IphcCompressor, OptionsThatChangeComeLast) {
  Flow f = kData;
  f.tcp.options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2};
  Flow then = f.next();
  EXPECT_EQ(header(second(f.packet(), then.packet()), 100), (Packet{0, 0x0F}));
  then.tcp.options[7] = 2;
  then.ip.id += 6;
  EXPECT_EQ(header(second(f.packet(), then.packet()), 100), (Packet{0, 0x6F, 7, 1, 1, 8, 10, 0, 0, 0, 2, 0, 0, 0, 2}));
}

// "Identification fields in IPv4 headers that are not immediately followed by a TCP header are RANDOM", "placed before
// the DELTA fields of the TCP header in the same order as they occur in the original uncompressed header" (6 a).
TEST(IphcCompressor, RandomFieldsStandInFrontOfTheChanges) {
  Ipv4 outer;
  outer.protocol = wire::kIpv4;
  outer.id = 0x1111;
  const Packet first = outer / kData.packet();
  outer.id = 0xABCD;
  Flow then = kData.next();
  then.tcp.window += 5;
  EXPECT_EQ(header(second(first, outer / then.packet()), 100), (Packet{0, 0x0A, 0xAB, 0xCD, 5, 100}));
}

TEST(IphcCompressor, AHeaderWithOptionsOfIpv4GoesAsItIs) {
  Flow f = kData;
  f.ip.options = {1, 1, 1, 0};
  Flow then = f.next();
  then.ip.options = {7, 7, 8, 0, 0, 0, 0, 0};  // of another length (7.13 b)
  then.ip.ttl = 3;
  then.ip.tos = 0xFF;
  const Packet packet = then.packet();
  EXPECT_EQ(header(second(f.packet(), packet), 100), joined({0, 0x0F}, Packet(packet.begin(), packet.begin() + 28)));
}

TEST(IphcCompressor, Ipv6HasNoIdentification) {
  Ipv6 ip;
  const Packet first = ip / kData.tcp;
  EXPECT_EQ(header(second(first, ip / kData.next().tcp), 100), (Packet{0, 0x0F}));
  ip.traffic_class = 3;
  EXPECT_EQ(header(second(first, ip / kData.next().tcp), 100), (Packet{0, 0x8F, 0x03}));
  ip.traffic_class = 4;
  EXPECT_EQ(second(first, ip / kData.next().tcp).type, kTypeFull);
}

// "NOCHANGE: … any change means that a full header MUST be sent" (section 7).
TEST(IphcCompressor, AFieldThatMayNotChangeNeedsAFullHeader) {
  const std::pair<const char*, std::function<void(Flow&)>> cases[] = {
      {"type of service", [](Flow& f) { f.ip.tos = 8; }},
      {"don't fragment", [](Flow& f) { f.ip.fragment = 0; }},
      {"reserved flag", [](Flow& f) { f.ip.fragment |= 0x8000; }},
      {"time to live", [](Flow& f) { --f.ip.ttl; }},
      // TCP seems to repair a loss (3.2).
      {"sequence number back", [](Flow& f) { f.tcp.sequence -= 500; }},
      {"the same once more", [](Flow& f) { f.tcp.sequence -= 100; }},
      {"nothing new",
       [](Flow& f) {
         f.tcp.sequence -= 100;
         f.tcp.data.clear();
       }},
  };
  for (const auto& [name, change] : cases) {
    Flow then = kData.next();
    change(then);
    Packet packet = then.packet();
    const Outcome link = second(kData.packet(), packet);
    EXPECT_EQ(link.type, kTypeFull) << name;
    packet[2] = packet[3] = 0;
    EXPECT_EQ(link.octets, packet) << name;
  }
}

// "Can be sent instead of a full header when there are changes that cannot be represented by a compressed header"
// (7.12.2): "CID, RANDOM fields, whole TCP header except for Port Numbers" (6 b), "the Identification field in a
// preceding IPv4 header is RANDOM".
TEST(IphcCompressor, ChangesThatCannotBeRepresentedGoWithoutDelta) {
  const std::pair<const char*, std::function<void(Flow&)>> cases[] = {
      {"acknowledgement back", [](Flow& f) { --f.tcp.acknowledgement; }},
      {"acknowledgement by 2^16", [](Flow& f) { f.tcp.acknowledgement += 0x10000; }},
      {"sequence number by 2^16", [](Flow& f) { f.tcp.sequence += 0x10000; }},
      {"urgent pointer without URG", [](Flow& f) { f.tcp.urgent = 9; }},
      {"the mask of echoed traffic",
       [](Flow& f) {
         f.tcp.flags |= wire::kUrg;
         ++f.tcp.window;
       }},
      {"more options",
       [](Flow& f) {
         f.tcp.options = {1, 1, 1, 0};
       }},
  };
  for (const auto& [name, change] : cases) {
    Flow then = kData.next();
    change(then);
    const Packet packet = then.packet();
    const Outcome link = second(kData.packet(), packet);
    EXPECT_EQ(link.type, kTypeTcpNoDelta) << name;
    EXPECT_EQ(link.octets, joined({0, packet[4], packet[5]}, Packet(packet.begin() + 24, packet.end()))) << name;
    Config config;
    config.no_delta = false;
    EXPECT_EQ(second(kData.packet(), packet, config).type, kTypeFull) << name;
    // It has no R-octet.
    then.ip.tos = 1;
    EXPECT_EQ(second(kData.packet(), then.packet()).type, kTypeFull) << name;
  }
}

TEST(IphcCompressor, WhatRfc1144DoesNotCompressIsRegularAndChangesNothing) {
  for (const unsigned flags : {0x12u, 0x11u, 0x14u, 0x08u}) {
    Ends ends;
    EXPECT_EQ(ends.compress(kData.packet()).type, kTypeFull);
    Flow special = kData.next();
    special.tcp.flags = static_cast<std::uint8_t>(flags);
    const Packet packet = special.packet();
    const Outcome link = ends.compress(packet);
    EXPECT_EQ(link.type, kTypeIpv4);
    EXPECT_EQ(link.octets, packet);
    EXPECT_EQ(header(ends.compress(kData.next().packet()), 100), (Packet{0, 0x0F}));
  }
}

TEST(IphcCompressor, WhatIsNoPacketIsRegular) {
  Ends ends;
  EXPECT_EQ(ends.compress(Packet{0x60}).type, kTypeIpv6);
  EXPECT_EQ(ends.compress(Packet{0x45}).type, kTypeIpv4);
  EXPECT_EQ(ends.compress(Packet{0xFF, 1, 2}).type, kTypeIpv4);
  Packet wrong = kData.packet();
  wrong[10] ^= 1;  // a checksum that a decompressor would put right
  EXPECT_EQ(ends.compress(wrong).octets, wrong);
}

// "TCP_SPACE: maximum CID value for TCP" (section 14); the context that was used longest ago is replaced.
TEST(IphcCompressor, CidsAreReused) {
  Config config;
  config.tcp_space = 3;
  Ends ends(config);
  const auto of = [](unsigned stream) {
    Flow f = kData;
    f.tcp.source = static_cast<std::uint16_t>(2000 + stream);
    return f;
  };
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(ends.compress(of(i).packet()).octets[3], i);
  EXPECT_EQ(ends.compress(of(0).next().packet()).octets[0], 0);
  EXPECT_EQ(ends.compress(of(4).packet()).octets[3], 1) << "stream 1 is the one that was used longest ago";
  EXPECT_EQ(ends.compress(of(1).packet()).octets[3], 2);
  EXPECT_EQ(ends.compressor.counters().replaced_streams, 2u);
}

TEST(IphcCompressor, ManyStreamsAreFoundAgain) {
  Config config;
  config.tcp_space = 255;
  Ends ends(config);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned i = 0; i < 256; ++i) {
      Flow f = kData;
      f.tcp.source = static_cast<std::uint16_t>(i);
      for (unsigned k = 0; k < round; ++k) f = f.next();
      const Outcome link = ends.compress(f.packet());
      ASSERT_EQ(link.type, round == 0 ? kTypeFull : kTypeTcp);
      ASSERT_EQ(link.octets[round == 0 ? 3 : 0], i);
    }
  }
}

// "MUST mark the CIDs invalid to ensure that the next packet emitted in those packet streams are FULL_HEADER or
// COMPRESSED_TCP_NODELTA packets" (10.2).
TEST(IphcCompressor, AHeaderRequestIsAnswered) {
  Ends ends;
  Flow f = kData;
  EXPECT_EQ(ends.compress(f.packet()).type, kTypeFull);
  const Packet request = {3, 2, 0, 9};
  const auto next = [&] {
    f = f.next();
    return ends.compress(f.packet()).type;
  };
  EXPECT_EQ(next(), kTypeTcp);
  EXPECT_EQ(ends.compressor.take_context_state(0, request), HEADROOM_OK);
  EXPECT_EQ(next(), kTypeFull) << "the full header may be what was lost";
  for (int i = 0; i < 40; ++i) EXPECT_EQ(next(), kTypeTcp);
  EXPECT_EQ(ends.compressor.take_context_state(0, request), HEADROOM_OK);
  EXPECT_EQ(next(), kTypeTcpNoDelta);
  EXPECT_EQ(next(), kTypeTcp);
  EXPECT_EQ(ends.compressor.take_context_state(0, request), HEADROOM_OK);
  EXPECT_EQ(next(), kTypeFull) << "the answer before has not helped";
  EXPECT_EQ(next(), kTypeTcp);
}

TEST(IphcCompressor, OtherReversePacketsChangeNothing) {
  Ends ends;
  EXPECT_EQ(ends.compress(kData.packet()).type, kTypeFull);
  for (const Packet& packet : {Packet{}, {3}, {3, 0}, {3, 2, 0}, {3, 1, 0, 0}})
    EXPECT_EQ(ends.compressor.take_context_state(0, packet), HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(ends.compressor.take_context_state(0, Packet{1, 1, 0, 0, 0}), HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(ends.compressor.take_context_state(0, Packet{3, 1, 200}), HEADROOM_OK) << "a CID of no stream";
  EXPECT_EQ(ends.compress(kData.next().packet()).type, kTypeTcp);
}

TEST(IphcCompressor, APacketWithoutRoomLeavesNoTrace) {
  Ends ends;
  const auto without_room = [&](const Packet& packet, std::size_t room) {
    EXPECT_EQ(pass(ends.compressor, packet, 0, room).status, HEADROOM_ERR_NO_SPACE);
  };
  without_room(kData.packet(), 139);
  EXPECT_EQ(ends.compress(kData.packet()).octets[3], 0);
  const Packet packet = kData.next().packet();
  without_room(packet, 103);
  EXPECT_EQ(pass(ends.compressor, packet, 0, 104).octets.size(), 104u);
}

}  // namespace
}  // namespace headroom::iphc
