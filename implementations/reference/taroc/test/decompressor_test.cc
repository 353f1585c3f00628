// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of 7.2; and both ends over lines that lose, repeat and damage packets.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "packets.h"

namespace headroom::taroc {
namespace {

using namespace testing;

Fields next_of(Fields f, std::size_t data) {
  f.sequence += static_cast<std::uint32_t>(f.data.size());
  f.id += 1;
  f.data = Packet(data, 'x');
  return f;
}

// An UNCOMPRESSED_TCP packet (7.3.1).
Packet uncompressed_of(const Fields& f, std::uint8_t cid, std::uint8_t packet_number = 0) {
  Packet packet = packet_of(f);
  const std::size_t at = f.ipv6 ? 4 : 2;
  packet[at] = packet_number;
  packet[at + 1] = cid;
  return packet;
}

// A COMPRESSED_TCP packet (7.3.2) of which everything behind the checksum is given.
Packet compressed_of(const Fields& f, std::uint8_t cid, std::uint8_t flags, const Packet& rest) {
  const std::uint16_t checksum = checksum_of(packet_of(f));
  Packet link = {cid, flags, static_cast<std::uint8_t>(checksum >> 8), static_cast<std::uint8_t>(checksum)};
  link.insert(link.end(), rest.begin(), rest.end());
  link.insert(link.end(), f.data.begin(), f.data.end());
  return link;
}

Outcome take(Ends& ends, const Packet& link, std::uint16_t type = kTypeCompressed) {
  return ends.decompress(link, type);
}

// "The decompressor will convert the UNCOMPRESSED_TCP packet into the original packet" (7.2 b).
TEST(TarocDecompressor, AnUncompressedPacketGetsItsLength) {
  for (const bool ipv6 : {false, true}) {
    Ends ends;
    Fields f;
    f.ipv6 = ipv6;
    f.data = Packet(300, 'x');
    // "The second length field of pkt nr … is not used": nor are these bits of the first one.
    for (const std::uint8_t number : {std::uint8_t{0}, std::uint8_t{255}}) {
      const Outcome out = take(ends, uncompressed_of(f, 5, number), kTypeUncompressed);
      EXPECT_EQ(out.octets, packet_of(f));
      EXPECT_EQ(out.detail.cid, 5u);
    }
    EXPECT_EQ(ends.decompressor.contexts_in_use(), 1u);
  }
}

// The vector of the compressor's test, the other way.
TEST(TarocDecompressor, ACompressedPacketIsFilledIn) {
  Ends ends;
  Fields f;
  f.data = Packet(100, 'x');
  (void)take(ends, uncompressed_of(f, 3), kTypeUncompressed);
  f = next_of(f, 50);
  const Outcome out = take(ends, compressed_of(f, 3, 0x28, {0x22, 0x62}));
  EXPECT_EQ(out.status, HEADROOM_OK);
  EXPECT_EQ(out.octets, packet_of(f));
  EXPECT_EQ(out.detail.compressed_header, 6);
  EXPECT_EQ(out.detail.plain_header, 40);
}

// The example at the end of Appendix A, in the field of the packet ID, at PT 01 with seven bits: 291 and then 303.
TEST(TarocDecompressor, TheClosestValueIsTaken) {
  Ends ends;
  Fields f;
  f.id = 291;
  (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
  f.id = 303;
  // 01 0101111, padded
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0x20, {0x57, 0x80})).octets, packet_of(f));
  f.id = 290;  // 00 010, padded: the closest to 303 is 306, whose packet has the same TCP checksum
  const Outcome out = take(ends, compressed_of(f, 0, 0x20, {0x10}));
  f.id = 306;
  EXPECT_EQ(out.octets, packet_of(f));
}

TEST(TarocDecompressor, FieldsThatAreNotSentAreTheReferences) {
  Ends ends;
  Fields f;
  f.tcp_options = timestamps(7, 9);
  f.data = Packet(10, 'x');
  (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0, {})).octets, packet_of(f));
  f.flags |= wire::tcp::kPsh | wire::tcp::kUrg;
  f.urgent = 300;
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0x11, {0, 0x01, 0x2C})).octets, packet_of(f));
  f.flags = wire::tcp::kAck;
  f.urgent = 0;  // the context's: what stands with U does not change it
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0, {})).octets, packet_of(f));
}

TEST(TarocDecompressor, TheROctetDoesNotUpdateTheContext) {
  for (const bool ipv6 : {false, true}) {
    Ends ends;
    Fields f;
    f.ipv6 = ipv6;
    f.tos = 0xB9;
    f.flags |= 0x40;
    (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
    Fields then = f;
    then.tos = 0xBA;
    then.flags = wire::tcp::kAck | 0x80;
    then.reserved = 5;
    EXPECT_EQ(take(ends, compressed_of(then, 0, 0x80, {0b010110'10})).octets, packet_of(then));
    EXPECT_EQ(take(ends, compressed_of(f, 0, 0, {})).octets, packet_of(f));
  }
}

TEST(TarocDecompressor, OptionsAreFilledIn) {
  Ends ends;
  Fields f;
  f.tcp_options = timestamps(100, 0xFFFFFFF0);
  (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
  f.tcp_options = timestamps(110, 5);  // the echo wraps
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0x40, {0x0C, 0x00, 110, 0x00, 5})).octets, packet_of(f));
  // The blocks that follow stand relative to the acknowledgement number of this packet: 5000.
  Fields with = f;
  const Packet blocks = sack({{5100, 5300}, {6000, 6300}});
  with.tcp_options.insert(with.tcp_options.end(), blocks.begin(), blocks.end());
  EXPECT_EQ(take(ends, compressed_of(with, 0, 0x40, {0x02, 100, 200, 0, 0x03, 0xE8, 0, 0x01, 0x2C})).octets,
            packet_of(with));
  // "SA=0: No SACK option", and so without O.
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0, {})).octets, packet_of(f));
}

TEST(TarocDecompressor, OtherOptionsStandInThePacket) {
  Ends ends;
  Fields f;
  f.tcp_options = {253, 4, 1, 2, 1, 1, 1, 1};
  (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
  f.tcp_options = {253, 4, 1, 9, 1, 1, 1, 1};
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0x40, {0x00, 253, 4, 1, 9})).octets, packet_of(f));
  f.tcp_options = {253, 4, 1, 2, 1, 1, 1, 1};
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0, {})).octets, packet_of(f));
}

// "The decompressor MUST verify the decompressed packet by the TCP checksum" (7.2 a). What fails is discarded, and
// changes nothing.
TEST(TarocDecompressor, AWrongChecksumIsDiscarded) {
  Ends ends;
  Fields f;
  f.data = Packet(100, 'x');
  (void)take(ends, uncompressed_of(f, 3), kTypeUncompressed);
  f = next_of(f, 100);
  Packet wrong = compressed_of(f, 3, 0x28, {0x22, 0x62});
  wrong[3] ^= 1;
  EXPECT_EQ(take(ends, wrong).status, HEADROOM_ERR_CRC);
  wrong = compressed_of(f, 3, 0x28, {0x22, 0x62});
  wrong.back() ^= 1;
  EXPECT_EQ(take(ends, wrong).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(take(ends, compressed_of(f, 3, 0x28, {0x22, 0x62})).octets, packet_of(f));
  EXPECT_EQ(ends.decompressor.counters().wrong_checksum, 2u);
}

// "As the reference value if this packet is not older than the current reference packet" (7.2 a): sequence numbers of
// 11 bits, of which 2048 is one way round.
TEST(TarocDecompressor, AnOlderPacketIsNoReference) {
  Ends ends;
  Fields f;
  f.ipv6 = true;
  f.sequence = 2000;
  f.data = Packet(100, 'x');
  (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
  const auto arrives = [&](std::uint32_t sequence) {
    f.sequence = sequence;
    const std::uint32_t lsb = sequence & 0x7FF;  // 00, 11 bits, padded
    const Packet wasi = {static_cast<std::uint8_t>(lsb >> 5), static_cast<std::uint8_t>(lsb << 3)};
    return take(ends, compressed_of(f, 0, 0x08, wasi)).octets == packet_of(f);
  };
  EXPECT_TRUE(arrives(1200));  // a retransmission, with which the next one would be out of reach
  EXPECT_TRUE(arrives(3000));
  EXPECT_TRUE(arrives(4000));  // out of reach of the first
  EXPECT_EQ(ends.decompressor.counters().older, 1u);
  // 7.2 b): an uncompressed one is, whatever its age.
  f.sequence = 1000;
  (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
  EXPECT_TRUE(arrives(1900));
}

TEST(TarocDecompressor, AcknowledgementsAreAsOldAsTheirNumber) {
  Ends ends;
  Fields f;
  f.ipv6 = true;
  f.acknowledgement = 2000;
  (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
  const auto arrives = [&](std::uint32_t acknowledgement) {
    f.acknowledgement = acknowledgement;
    const std::uint32_t lsb = acknowledgement & 0x7FF;  // 00, 11 bits, padded
    const Packet wasi = {static_cast<std::uint8_t>(lsb >> 5), static_cast<std::uint8_t>(lsb << 3)};
    return take(ends, compressed_of(f, 0, 0x04, wasi)).octets == packet_of(f);
  };
  EXPECT_TRUE(arrives(1200));
  EXPECT_TRUE(arrives(3000));
  EXPECT_TRUE(arrives(4000));
}

// "… or uncompressed value that had passed the TCP checksum successfully" (5).
TEST(TarocDecompressor, AnUncompressedPacketWithAWrongChecksumIsNoReference) {
  Ends ends;
  Fields f;
  f.data = Packet(100, 'x');
  Packet wrong = uncompressed_of(f, 0);
  wrong.back() ^= 1;
  const Outcome out = take(ends, wrong, kTypeUncompressed);
  EXPECT_EQ(out.status, HEADROOM_OK);
  Packet expected = packet_of(f);
  expected.back() ^= 1;
  EXPECT_EQ(out.octets, expected);
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0, {})).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(ends.decompressor.counters().unverified, 1u);
}

TEST(TarocDecompressor, AnUncompressedPacketIsRead) {
  Fields f;
  f.data = {'a', 'b'};
  const Packet good = uncompressed_of(f, 4);
  const std::tuple<std::size_t, std::uint8_t, std::int32_t> cases[] = {
      {0, 0x46, HEADROOM_ERR_MALFORMED},   // IP options
      {0, 0x65, HEADROOM_ERR_MALFORMED},   // IP version 6
      {3, 16, HEADROOM_ERR_MALFORMED},     // a CID beyond 15
      {6, 0x20, HEADROOM_ERR_MALFORMED},   // a fragment
      {9, 17, HEADROOM_ERR_MALFORMED},     // UDP
      {32, 0xF0, HEADROOM_ERR_MALFORMED},  // a data offset beyond the packet
      {32, 0x40, HEADROOM_ERR_MALFORMED},  // and one of 16 octets
      {8, 1, HEADROOM_ERR_CRC},
  };
  for (const auto& [at, octet, status] : cases) {
    Ends ends;
    Packet bad = good;
    bad[at] = octet;
    EXPECT_EQ(take(ends, bad, kTypeUncompressed).status, status) << at;
    EXPECT_EQ(ends.decompressor.contexts_in_use(), 0u);
  }
  Ends ends;
  EXPECT_EQ(take(ends, good, kTypeUncompressed).octets, packet_of(f));
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_LT(
        take(ends, Packet(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)), kTypeUncompressed).status,
        0);
  }
}

TEST(TarocDecompressor, WhatCannotBeIsRefusedAndChangesNothing) {
  Ends ends;
  Fields f, six, signed_one;
  f.data = Packet(100, 'x');
  six.ipv6 = true;
  six.tcp_options = timestamps(1, 2);
  six.tcp_options.insert(six.tcp_options.end(), {253, 4, 9, 9});
  signed_one.tcp_options = {8, 1, 1, 1};  // options that cannot be told apart
  (void)take(ends, uncompressed_of(f, 0), kTypeUncompressed);
  (void)take(ends, uncompressed_of(six, 1), kTypeUncompressed);
  (void)take(ends, uncompressed_of(signed_one, 2), kTypeUncompressed);
  const Packet cases[] = {
      {},
      {0},
      {0, 0},
      {0, 0, 1},
      {16, 0, 1, 2},                                          // a CID beyond 15
      {0, 0x20, 1, 2},                                        // no WASI
      {0, 0x20, 1, 2, 0x11},                                  // padding
      {0, 0x80, 1, 2},                                        // no R-octet
      {0, 0x01, 1, 2, 0, 1},                                  // an urgent pointer that ends too early
      {0, 0x40, 1, 2},                                        // no options
      {0, 0x40, 1, 2, 0x08, 0x00, 0x01},                      // a time stamp without the option
      {0, 0x40, 1, 2, 0x04, 0x00, 0x01},                      // and its echo
      {1, 0x40, 1, 2, 0x00, 253, 4, 9},                       // another option that ends too early
      {1, 0x40, 1, 2, 0x08, 0xFF, 1, 2, 3, 4, 253, 4, 9, 9},  // a time stamp of four ones
      {1, 0x40, 1, 2, 0x03, 1, 1, 1, 1, 1, 1, 253, 4, 9, 9},  // more than 40 octets of options
      {1, 0x20, 1, 2, 0x10},                                  // a packet ID in IPv6
      {2, 0x00, 1, 2},                                        // options that cannot be told apart
  };
  for (const Packet& packet : cases) {
    EXPECT_EQ(take(ends, packet).status, HEADROOM_ERR_MALFORMED) << ::testing::PrintToString(packet);
  }
  EXPECT_EQ(take(ends, {3, 0x00, 1, 2}).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(take(ends, Packet(65'600, 0)).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(take(ends, {1, 2, 3}, 0x1234).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(take(ends, {}, HEADROOM_TYPE_LOST).status, HEADROOM_NOTHING);
  EXPECT_EQ(take(ends, {}, kTypeIp).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(take(ends, {0x60}, kTypeIpv6).octets, (Packet{0x60}));
  f = next_of(f, 50);
  EXPECT_EQ(take(ends, compressed_of(f, 0, 0x28, {0x22, 0x62})).octets, packet_of(f));
  EXPECT_EQ(take(ends, compressed_of(six, 1, 0, {})).octets, packet_of(six));
}

TEST(TarocDecompressor, APacketWithoutRoomCostsNoOther) {
  Ends ends;
  Fields f;
  f.data = Packet(100, 'x');
  (void)ends.across(packet_of(f));
  f = next_of(f, 100);
  const Outcome link = ends.compress(packet_of(f));
  EXPECT_EQ(pass(ends.decompressor, link.octets, link.type, 139).status, HEADROOM_ERR_NO_SPACE);
  f = next_of(f, 1);
  EXPECT_EQ(ends.across(packet_of(f)).octets, packet_of(f));
}

// TCP connections whose fields change at random. Sequence numbers go on, and now and then a packet is sent again.
class Conversations {
 public:
  explicit Conversations(unsigned seed) : random_(seed) {
    for (std::uint16_t i = 0; i < kFlows; ++i) {
      Fields& f = flows_[i];
      f.ipv6 = i % 3 == 0;
      f.port = static_cast<std::uint16_t>(1000 + i);
      f.sequence = static_cast<std::uint32_t>(random_());
      f.acknowledgement = static_cast<std::uint32_t>(random_());
      if (i % 2 == 1) f.tcp_options = timestamps(static_cast<std::uint32_t>(random_()), 0xFFFFFFF0);
      sent_[i].assign(kRemembered, f);
    }
  }
  std::size_t next_flow() { return random_() % kFlows; }
  Fields next(std::size_t which) {
    Fields& f = flows_[which];
    std::vector<Fields>& sent = sent_[which];
    f.id += static_cast<std::uint16_t>(1 + below(3));
    if (one_in(25)) {  // a retransmission
      Fields again = sent[below(kRemembered)];
      again.id = f.id;
      return again;
    }
    const bool acknowledges = which % 4 == 2;
    f.sequence += static_cast<std::uint32_t>(f.data.size());
    f.data = Packet(acknowledges || one_in(5) ? 0 : below(1400), static_cast<std::uint8_t>(below(256)));
    if (acknowledges || one_in(3)) f.acknowledgement += below(3000);
    f.flags = static_cast<std::uint8_t>(wire::tcp::kAck | (one_in(2) ? wire::tcp::kPsh : 0));
    f.urgent = 0;
    if (one_in(50)) {
      f.flags |= wire::tcp::kUrg;
      f.urgent = static_cast<std::uint16_t>(below(400));
    }
    if (one_in(4)) f.window = static_cast<std::uint16_t>(below(0x10000));
    if (one_in(400)) f.tos = static_cast<std::uint8_t>(below(4));
    if (one_in(400)) f.flags |= 0x40;
    if (which % 2 == 1) {
      const std::uint32_t value = wire::load32(&f.tcp_options[4]), echo = wire::load32(&f.tcp_options[8]);
      f.tcp_options = timestamps(value + below(40), echo + (one_in(2) ? below(40) : 0));
    } else {
      f.tcp_options.clear();
    }
    if (one_in(20)) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
      for (std::uint32_t i = 1 + below(3), left = f.acknowledgement; i != 0; --i) {
        left += 1 + below(20'000);
        blocks.emplace_back(left, left + 1 + below(1000));
      }
      const Packet option = sack(blocks);
      f.tcp_options.insert(f.tcp_options.end(), option.begin(), option.end());
    }
    sent[below(kRemembered)] = f;
    return f;
  }
  bool one_in(unsigned n) { return random_() % n == 0; }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  static constexpr std::size_t kFlows = 8;

 private:
  static constexpr std::size_t kRemembered = 6;
  std::mt19937 random_;
  Fields flows_[kFlows];
  std::vector<Fields> sent_[kFlows];  // some of the last packets
};

TEST(TarocLine, ConversationsComeOutAsTheyWentIn) {
  Config config;
  config.contexts = 5;
  config.channels = 2;
  Ends ends(config);
  Conversations conversations(7);
  for (int i = 0; i < 8'000; ++i) {
    const std::size_t which = conversations.next_flow();
    const Packet packet = packet_of(conversations.next(which));
    const Outcome out = ends.across(packet, static_cast<std::uint32_t>(which % 2));
    ASSERT_EQ(out.status, HEADROOM_OK) << i;
    ASSERT_EQ(out.octets, packet) << i;
  }
  EXPECT_GT(ends.compressor.counters().compressed, 6'500u);
  EXPECT_EQ(ends.decompressor.counters().compressed, ends.compressor.counters().compressed);
}

// Losses do not disturb the packets that arrive, as long as one in a window does.
TEST(TarocLine, LossesCostNoOtherPacket) {
  for (const unsigned one_in : {2u, 5u, 50u}) {
    Ends ends;
    Conversations conversations(one_in);
    for (int i = 0; i < 8'000; ++i) {
      const Packet packet = packet_of(conversations.next(conversations.next_flow()));
      const Outcome link = ends.compress(packet);
      ASSERT_EQ(link.status, HEADROOM_OK);
      // The first ones arrive: without a context nothing does. So do those that change what the checksum does not
      // cover.
      if (i > 200 && conversations.one_in(one_in) && link.type == kTypeCompressed) continue;
      const Outcome out = ends.decompress(link.octets, link.type);
      ASSERT_EQ(out.status, HEADROOM_OK) << i;
      ASSERT_EQ(out.octets, packet) << i;
    }
    EXPECT_GT(ends.compressor.counters().compressed, 6'500u);
  }
}

// Where packets of either type are lost, what arrives is restored or refused. The checksum does not cover the packet
// ID: behind the loss of an UNCOMPRESSED_TCP packet that began a window anew, it may be wrong. With 5 CIDs for 8 flows
// there are many.
TEST(TarocLine, NothingWrongComesOutBehindLosses) {
  for (const unsigned contexts : {5u, 16u}) {
    Config config;
    config.contexts = contexts;
    Ends ends(config);
    Conversations conversations(100 + contexts);
    std::uint64_t restored = 0, refused = 0;
    for (int i = 0; i < 12'000; ++i) {
      const Packet packet = packet_of(conversations.next(conversations.next_flow()));
      const Outcome link = ends.compress(packet);
      if (conversations.one_in(3)) continue;
      const Outcome out = ends.decompress(link.octets, link.type);
      ++(out.status == HEADROOM_OK ? restored : refused);
      if (out.status != HEADROOM_OK) continue;
      const auto covered = [&](const Packet& one) {
        return Packet(one.begin() + static_cast<std::ptrdiff_t>(contexts == 5 ? ip_length(packet) : 0), one.end());
      };
      ASSERT_EQ(covered(out.octets), covered(packet)) << i;
    }
    EXPECT_GT(restored, 2 * refused);
  }
}

// Reordering between compressor and decompressor: "a good performance can still be achieved" (9).
TEST(TarocLine, ReorderingCostsNoPacket) {
  Ends ends;
  Conversations conversations(11);
  std::vector<std::pair<Packet, Outcome>> waiting;
  for (int i = 0; i < 8'000; ++i) {
    const Packet packet = packet_of(conversations.next(conversations.next_flow()));
    const Outcome link = ends.compress(packet);
    if (i > 100 && link.type == kTypeCompressed && conversations.one_in(10)) {
      waiting.emplace_back(packet, link);
      if (waiting.size() < 4) continue;
    } else {
      ASSERT_EQ(ends.decompress(link.octets, link.type).octets, packet) << i;
      if (link.type == kTypeCompressed) continue;
    }
    for (const auto& [late, late_link] : waiting)
      ASSERT_EQ(ends.decompress(late_link.octets, late_link.type).octets, late) << i;
    waiting.clear();
  }
}

// Octets that change on the link and are not found there: what comes out has a right TCP checksum, or is an
// uncompressed packet whose IP header is right.
TEST(TarocLine, DamageIsFoundByTheChecksum) {
  Ends ends;
  Conversations conversations(13);
  std::mt19937 random(5);
  std::uint64_t refused = 0;
  for (int i = 0; i < 12'000; ++i) {
    const Packet packet = packet_of(conversations.next(conversations.next_flow()));
    Outcome link = ends.compress(packet);
    const bool damaged = i > 200 && link.type == kTypeCompressed && random() % 3 == 0;
    if (damaged) link.octets[random() % link.octets.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    const Outcome out = ends.decompress(link.octets, link.type);
    if (out.status != HEADROOM_OK) {
      ++refused;
      continue;
    }
    Packet checked = out.octets;
    set_tcp_checksum(checked);
    ASSERT_EQ(checked, out.octets) << i;
    if (checked[0] >> 4 == 4) set_ip_checksum(checked);
    ASSERT_EQ(checked, out.octets) << i;
  }
  EXPECT_GT(refused, 2'500u);
}

}  // namespace
}  // namespace headroom::taroc
