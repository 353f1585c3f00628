// SPDX-License-Identifier: Apache-2.0
//
// Profile 0x0000 Uncompressed (RFC 3095 5.10, RFC 5795 5.4): whatever cannot be compressed goes through it and arrives
// as it was.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/framework/wire/crc.h"
#include "rohc/v1/test/support/crafted.h"
#include "rohc/v1/test/support/link.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::hex;
using test::joined;
using test::Link;
using test::Packet;
using test::PacketSpec;
using test::Random;
using test::Restored;
using test::rtp_packet;
using test::SteadyFlow;
using test::udp_packet;
using wire::Mode;
using wire::PacketType;

constexpr unsigned kRepeats = CompressorConfig{}.repeats;

Packet altered(unsigned version, const std::function<void(Packet&)>& change, bool mend = true) {
  Packet p = build(rtp_packet(version));
  change(p);
  if (mend && version == 4 && p.size() >= 20) test::mend_ipv4_checksum(p);
  return p;
}

struct Case {
  const char* name;
  Packet packet;
};

std::vector<Case> incompressible() {
  std::vector<Case> cases = {
      {"first fragment", altered(4, [](Packet& p) { p[6] = 0x20; })},
      {"last fragment", altered(4, [](Packet& p) { p[6] = 0, p[7] = 0x17; })},
      {"reserved flag", altered(4, [](Packet& p) { p[6] = 0x80; })},
      {"options", altered(4, [](Packet& p) { p[0] = 0x46; })},
      {"wrong checksum", altered(
                             4, [](Packet& p) { p[10] ^= 0x55; }, false)},
      {"length too small", altered(4, [](Packet& p) { p[3] = 21; })},
      {"length too large", altered(4, [](Packet& p) { p[2] = 0xff; })},
      {"octets after the packet", altered(
                                      4, [](Packet& p) { p.push_back(7); }, false)},
      {"IPv6, length too small", altered(6, [](Packet& p) { p[5] = 3; })},
      {"IPv6, length too large", altered(6, [](Packet& p) { p[4] = 0xff; })},
      {"IPv6, cut", altered(6, [](Packet& p) { p.resize(39); })},
      {"IPv4, cut", altered(
                        4, [](Packet& p) { p.resize(19); }, false)},
      {"one octet of IPv4", {0x45}},
      {"one octet of IPv6", {0x60}},
  };
  return cases;
}

TEST(Uncompressed, ArrivesAsItWas) {
  for (const Case& c : incompressible()) {
    for (const bool large : {false, true}) {
      CompressorConfig config = test::without_refreshes();
      DecompressorConfig d;
      config.channel.large_cids = d.channel.large_cids = large;
      Link link(config, d);
      for (unsigned i = 0; i < 10; ++i) {
        ASSERT_TRUE(link.pass(c.packet)) << c.name << ": " << link.describe();
        EXPECT_EQ(link.sent.detail.profile, 0) << c.name;
        EXPECT_EQ(link.received.detail.profile, 0) << c.name;
        EXPECT_EQ(link.sent.type(), i < kRepeats ? PacketType::kIr : PacketType::kNormal) << c.name;
        EXPECT_EQ(link.received.type(), link.sent.type());
      }
    }
  }
}

// "The only overhead … is the size of the CID" (5.10).
TEST(Uncompressed, NormalPacketsCostTheCid) {
  const Packet fragment = incompressible()[0].packet;
  for (const bool large : {false, true}) {
    CompressorConfig config = test::without_refreshes();
    config.channel.large_cids = large;
    Compressor compressor(config);
    for (unsigned i = 0; i < kRepeats; ++i)
      EXPECT_EQ(test::compress(compressor, fragment).octets.size(), fragment.size() + (large ? 4 : 3));
    const test::Compressed c = test::compress(compressor, fragment);
    EXPECT_EQ(c.octets.size(), fragment.size() + (large ? 1 : 0));
    EXPECT_EQ(c.header(), large ? 1U : 0U);
  }
}

TEST(Uncompressed, OctetsOfTheFigures) {
  CompressorConfig config = test::without_refreshes();
  Compressor compressor(config);
  SteadyFlow flow(udp_packet(4));
  (void)test::compress(compressor, build(flow.next()));  // CID 0
  const Packet fragment = incompressible()[0].packet;
  const test::Compressed ir = test::compress(compressor, fragment);
  Packet expected = hex("e1 fc 00");
  expected.push_back(
      wire::crc8(expected));  // "the CRC covers the first octet of the IR packet through the Profile octet"
  EXPECT_EQ(test::to_hex(ir.octets), test::to_hex(joined(expected, fragment)));
  for (unsigned i = 1; i < kRepeats; ++i) (void)test::compress(compressor, fragment);
  EXPECT_EQ(test::to_hex(test::compress(compressor, fragment).octets), test::to_hex(joined(hex("e1"), fragment)));

  config.channel.large_cids = true;
  config.channel.max_cid = 1000;
  Compressor large(config);
  (void)test::compress(large, build(flow.next()));
  EXPECT_EQ(test::to_hex(Octets(test::compress(large, fragment).octets).first(3)), "fc 01 00");
  for (unsigned i = 1; i < kRepeats; ++i) (void)test::compress(large, fragment);
  const test::Compressed normal = test::compress(large, fragment);
  EXPECT_EQ(normal.octets[0], 0x45) << "\"the CID is placed so that it starts at the second octet\"";
  EXPECT_EQ(normal.octets[1], 0x01);
  EXPECT_EQ(normal.octets[2], fragment[1]);
}

// What is not IP at all could look like a packet type of the framework: it travels inside IR packets.
TEST(Uncompressed, WhatIsNotIpTravelsInIrPackets) {
  Random random(1);
  Link link(test::without_refreshes());
  for (unsigned first = 0; first < 256; ++first) {
    Packet p(1 + random.below(60));
    for (auto& octet : p) octet = random.octet();
    p[0] = static_cast<std::uint8_t>(first);
    ASSERT_TRUE(link.pass(p)) << first << ": " << link.describe();
    const bool ip = first >> 4 == 4 || first >> 4 == 6;
    if (!ip) {
      EXPECT_EQ(link.sent.type(), PacketType::kIr) << first;
    }
  }
}

TEST(Uncompressed, EmptyPacketsAreMalformed) {
  Link link;
  EXPECT_EQ(link.lose(Packet{}).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(test::decompress(link.decompressor, {}).status, HEADROOM_ERR_MALFORMED);
}

// "In Bidirectional mode, the compressor never repeats the IR packet … Whenever feedback is received, the compressor
// switches to Bidirectional mode" (5.10.3).
TEST(Uncompressed, FeedbackEndsTheRepeats) {
  CompressorConfig config;
  config.ir_refresh = {10, 0};
  config.ir_refresh_start = 0;
  DecompressorConfig d;
  d.mode = Mode::kOptimistic;
  Link link(config, d);
  const Packet fragment = incompressible()[0].packet;
  ASSERT_TRUE(link.pass(fragment));
  const auto elements = test::take_all(link.decompressor.own_feedback());
  ASSERT_EQ(elements.size(), 1U);
  EXPECT_EQ(test::to_hex(elements[0].octets), "f1 00")
      << "\"ACKs use the FEEDBACK-1 format … The value of the profile-specific octet … is 0\" (5.10.4)";
  link.compressor.give_feedback(0, elements[0].octets, link.now_ns);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(link.pass(fragment));
    EXPECT_EQ(link.sent.type(), PacketType::kNormal);
    EXPECT_TRUE(test::take_all(link.decompressor.own_feedback()).empty());
  }
}

// --- Decompressor (5.10.3 d to g) ------------------------------------------------------------------------------------

Packet uncompressed_ir(Octets packet) {
  Packet ir = hex("fc 00");
  ir.push_back(wire::crc8(ir));
  return joined(std::move(ir), packet);
}

TEST(UncompressedDecompressor, IrMayCarryNoPacket) {
  Decompressor d{DecompressorConfig{}};
  EXPECT_EQ(test::decompress(d, uncompressed_ir({})).status, HEADROOM_NOTHING);
  const Packet packet = hex("45 00 01 02 03");
  const Restored r = test::decompress(d, packet);
  EXPECT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(r.octets, packet);
}

TEST(UncompressedDecompressor, ReservedBitIsRefused) {
  Decompressor d{DecompressorConfig{}};
  Packet ir = hex("fd 00");
  ir.push_back(wire::crc8(ir));
  EXPECT_EQ(test::decompress(d, joined(ir, hex("45 00"))).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(d.contexts_in_use(), 0U);
}

TEST(UncompressedDecompressor, WrongCrcIsRefused) {
  Decompressor d{DecompressorConfig{}};
  Packet ir = uncompressed_ir(hex("45 00"));
  ir[2] ^= 4;
  EXPECT_EQ(test::decompress(d, ir).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(test::decompress(d, hex("45 00 01 02")).status, HEADROOM_ERR_NO_CONTEXT)
      << "\"discarded without further action\"";
  EXPECT_EQ(test::decompress(d, hex("fc 00")).status, HEADROOM_ERR_MALFORMED) << "cut";
  EXPECT_EQ(test::decompress(d, hex("fc")).status, HEADROOM_ERR_MALFORMED) << "cut";
}

TEST(UncompressedDecompressor, WrongCrcInFullContextChangesNothing) {
  Decompressor d{DecompressorConfig{}};
  ASSERT_EQ(test::decompress(d, uncompressed_ir({})).status, HEADROOM_NOTHING);
  Packet ir = uncompressed_ir(hex("45 00"));
  ir[2] ^= 4;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(test::decompress(d, ir).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(test::decompress(d, hex("45 00 01 02")).status, HEADROOM_OK);
}

TEST(UncompressedDecompressor, ContextChangesBetweenProfiles) {
  Decompressor d{DecompressorConfig{}};
  const PacketSpec s = udp_packet(4);
  const Packet chains = joined(test::static_chain(s, 2), test::dynamic_chain(s, 2));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(test::decompress(d, uncompressed_ir(hex("45 01"))).octets, hex("45 01"));
    EXPECT_EQ(test::decompress(d, hex("45 02 03")).octets, hex("45 02 03"));
    const Restored r = test::decompress(d, test::crafted_initialisation(0xfd, 2, chains, s.payload));
    EXPECT_EQ(r.octets, build(s));
    EXPECT_EQ(d.contexts_in_use(), 1U);
  }
}

TEST(UncompressedDecompressor, NoNegativeFeedback) {
  DecompressorConfig config;
  config.mode = Mode::kOptimistic;
  config.nack_every = 1;
  Decompressor d(config);
  ASSERT_EQ(test::decompress(d, uncompressed_ir({})).status, HEADROOM_NOTHING);
  (void)test::take_all(d.own_feedback());
  Packet ir = uncompressed_ir({});
  ir[2] ^= 1;
  for (int i = 0; i < 20; ++i) (void)test::decompress(d, ir);
  EXPECT_TRUE(test::take_all(d.own_feedback()).empty())
      << "\"The only kind of feedback in Profile 0x0000 is ACKs\" (5.10.4)";
}

// --- Random packets --------------------------------------------------------------------------------------------------

TEST(Uncompressed, AnyOctetsArriveAsTheyWere) {
  Random random(2);
  for (const bool large : {false, true}) {
    CompressorConfig config;
    DecompressorConfig d;
    config.channel.large_cids = d.channel.large_cids = large;
    Link link(config, d);
    for (int i = 0; i < 20'000; ++i) {
      Packet p(1 + random.below(100));
      for (auto& octet : p) octet = random.octet();
      if (random.flip()) p[0] = random.flip() ? 0x45 : 0x60;
      ASSERT_TRUE(link.pass(p)) << link.describe();
    }
  }
}

}  // namespace
}  // namespace headroom::rohc
