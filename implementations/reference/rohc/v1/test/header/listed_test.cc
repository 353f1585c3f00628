// SPDX-License-Identifier: Apache-2.0
//
// Taking packets with lists apart, items of lists and back, and what CRCs cover of them (RFC 3095 5.8.4, 5.8.7).
#include "rohc/v1/header/listed.h"

#include <gtest/gtest.h>

#include <array>

#include "rohc/framework/test/support/octets.h"
#include "rohc/v1/header/crc_coverage.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc {
namespace {

using test::hex;
using test::Packet;
using test::PacketSpec;
using test::to_hex;

struct Parsed {
  bool listed = false;
  HeaderChain chain;
  ListedHeaders headers;
};

Parsed parse(const Packet& packet, ChainLimits limits = {}) {
  Parsed p;
  EXPECT_TRUE(parse_chain(packet, limits, p.chain));
  if (!may_be_listed(packet, p.chain, limits)) return p;
  HeaderChain core;
  p.listed = parse_listed(packet, limits, core, p.headers);
  if (p.listed) p.chain = core;
  return p;
}

PacketSpec everything() {
  PacketSpec s = test::rtp_packet(6);
  s.outer = test::IpFields{};
  test::GreFields gre;
  gre.checksum = 0x1122;
  gre.key = 5;
  gre.sequence = 9;
  s.outer_extensions = {test::authentication_header(1, 2, Packet(8, 7)), test::gre_header(gre)};
  s.extensions = {test::options_header(0, {1, 0}), test::options_header(60, Packet(10, 0))};
  s.csrcs = {0xa, 0xb};
  return s;
}

TEST(ParseListed, FindsEverything) {
  const PacketSpec spec = everything();
  const Packet packet = test::build(spec);
  const Parsed p = parse(packet);
  ASSERT_TRUE(p.listed);
  EXPECT_EQ(p.chain.shape, Shape::kRtpIpv6);
  EXPECT_EQ(p.chain.outer_octets, 20);
  ASSERT_EQ(p.headers.outer.count, 2);
  EXPECT_EQ(p.headers.outer.headers[0].type, kAuthentication);
  EXPECT_EQ(p.headers.outer.headers[1].type, kGre);
  EXPECT_EQ(p.headers.outer.headers[1].offset, 20 + 20);
  EXPECT_EQ(p.headers.outer.headers[1].octets, 16);
  ASSERT_EQ(p.headers.inner.count, 2);
  EXPECT_EQ(p.headers.inner_at, 20 + 20 + 16);
  EXPECT_EQ(p.headers.csrc_count, 2);
  EXPECT_EQ(p.headers.octets, test::header_octets(spec));
  // The core is the same packet without lists, but for lengths and checksums.
  PacketSpec plain = spec;
  plain.outer_extensions.clear();
  plain.extensions.clear();
  plain.csrcs.clear();
  const Packet core = test::build(plain);
  EXPECT_EQ(p.headers.core[9], kProtocolIpv6) << "the next header of the static chain (5.7.7.4, note)";
  EXPECT_EQ(p.headers.core[20 + 6], kProtocolUdp);
  EXPECT_EQ(to_hex(Octets(p.headers.core).subspan(20 + 8, 32)), to_hex(Octets(core).subspan(20 + 8, 32)));
  EXPECT_EQ(to_hex(Octets(p.headers.core).subspan(68, 12)), to_hex(Octets(core).subspan(68, 12))) << "RTP with CC = 0";
}

TEST(ParseListed, PacketsWithoutListsAreNoBusinessOfIt) {
  for (const unsigned version : {4U, 6U}) {
    EXPECT_FALSE(parse(test::build(test::ip_packet(version))).listed);
    EXPECT_FALSE(parse(test::build(test::udp_packet(version))).listed);
    EXPECT_FALSE(parse(test::build(test::rtp_packet(version))).listed);
    PacketSpec tunnel = test::rtp_packet(version);
    tunnel.outer = test::IpFields{};
    EXPECT_FALSE(parse(test::build(tunnel)).listed);
  }
}

// The chain then ends before the header, whose number the static chain gives as what follows.
void expect_end_before(const test::ExtensionSpec& bad, const char* why) {
  PacketSpec spec = test::udp_packet(6);
  spec.extensions = {test::options_header(0, {1, 0}), bad};
  const Packet packet = test::build(spec);
  const Parsed p = parse(packet);
  ASSERT_TRUE(p.listed) << why;
  EXPECT_EQ(p.chain.shape, Shape::kIpv6) << why;
  EXPECT_EQ(p.headers.inner.count, 1) << why;
  EXPECT_EQ(p.headers.core[6], bad.type) << why;
  EXPECT_EQ(p.headers.octets, 48) << why;
}

TEST(ParseListed, EndsBeforeWhatCannotBeCompressed) {
  expect_end_before(test::options_header(60, Packet(150, 0)), "longer than an item may be");
  auto truncated = test::options_header(60, {1, 4});
  truncated.octets[1] = 200;
  expect_end_before(truncated, "longer than the packet");
  auto ah = test::authentication_header(1, 2, {});
  ah.octets[1] = 0;
  expect_end_before(ah, "shorter than an AH can be");
  auto gre = test::gre_header({});
  expect_end_before(gre, "GRE before UDP");
  gre.octets[1] = 1;
  expect_end_before(gre, "another version of GRE");
  gre = test::gre_header({});
  gre.octets[0] = 0x40;
  expect_end_before(gre, "GRE with a routing field");
  expect_end_before({44, Packet(8, 0)}, "a fragment");
}

// ESP is no item of a list, but a header that ends a chain of its own profile (RFC 3095 5.12).
TEST(ParseListed, EspFollowsTheList) {
  PacketSpec spec = test::ip_packet(6);
  spec.esp = test::EspFields{};
  spec.extensions = {test::options_header(0, {1, 0})};
  const Parsed p = parse(test::build(spec));
  ASSERT_TRUE(p.listed);
  EXPECT_TRUE(p.chain.layout().has_esp());
  EXPECT_EQ(p.headers.inner.count, 1);
}

TEST(ParseListed, OneAuthenticationHeaderToAList) {
  PacketSpec spec = test::udp_packet(6);
  spec.extensions = {test::authentication_header(1, 2, {}), test::authentication_header(2, 3, {})};
  const Parsed p = parse(test::build(spec));
  ASSERT_TRUE(p.listed);
  EXPECT_EQ(p.headers.inner.count, 1);
  EXPECT_EQ(p.chain.shape, Shape::kIpv6);
}

TEST(ParseListed, SixteenHeadersOrTooManyOctetsEndTheList) {
  PacketSpec spec = test::udp_packet(6);
  spec.extensions.assign(16, test::options_header(60, {1, 4}));
  EXPECT_EQ(parse(test::build(spec)).headers.inner.count, 15);
  spec.extensions.assign(3, test::options_header(60, Packet(100, 0)));
  EXPECT_EQ(parse(test::build(spec)).headers.inner.count, 2) << "256 octets in all";
}

TEST(ParseListed, EveryTruncationIsSafe) {
  const Packet whole = test::build(everything());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Packet cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    HeaderChain chain;
    EXPECT_FALSE(parse_chain(cut, {}, chain)) << "lengths disagree";
  }
}

// --- Items
// --------------------------------------------------------------------------------------------------------------

Packet item_for(const test::ExtensionSpec& e) {
  Item item;
  item_of(e.octets.data(), e.type, e.octets.size(), item);
  EXPECT_EQ(item_octets({item.data.data(), item.octets}), item.octets);
  return {item.data.begin(), item.data.begin() + item.octets};
}

Packet header_for(const Packet& item, std::uint8_t next) {
  Packet header(header_octets_of(item));
  write_header_of(item, next, header.data());
  return header;
}

TEST(Items, IndicateTheirOwnType) {
  EXPECT_EQ(to_hex(item_for(test::options_header(0, {5, 2, 0, 0, 1, 0}))), to_hex(hex("00 00 05 02 00 00 01 00")));
  EXPECT_EQ(to_hex(item_for(test::options_header(60, {1, 4}))), to_hex(hex("3c 00 01 04 00 00 00 00")));
  EXPECT_EQ(to_hex(item_for(test::authentication_header(0x11, 0x22, {9, 9, 9, 9}))),
            to_hex(hex("33 02 00 00 00 00 00 11 00 00 00 22 09 09 09 09")));
}

// 5.8.4.4: next header, then C, K, S and version; no Protocol Type, no Reserved1.
TEST(Items, GreIsMadeToFit) {
  test::GreFields gre;
  gre.checksum = 0xabcd;
  gre.key = 0x01020304;
  gre.sequence = 0x0a0b0c0d;
  const Packet item = item_for(test::gre_header(gre));
  EXPECT_EQ(to_hex(item), to_hex(hex("2f b0 | ab cd | 01 02 03 04 | 0a 0b 0c 0d")));
  EXPECT_EQ(to_hex(header_for(item, kProtocolIpv4)),
            to_hex(hex("b0 00 08 00 | ab cd 00 00 | 01 02 03 04 | 0a 0b 0c 0d")));
  EXPECT_EQ(to_hex(header_for(hex("2f 00"), kProtocolIpv6)), to_hex(hex("00 00 86 dd")));
  EXPECT_EQ(to_hex(header_for(hex("2f 4f"), kProtocolIpv6)), to_hex(hex("00 00 86 dd"))) << "the rest is ignored";
}

TEST(Items, HeadersGetTheirNextHeaderBack) {
  EXPECT_EQ(to_hex(header_for(hex("3c 00 01 04 00 00 00 00"), 17)), to_hex(hex("11 00 01 04 00 00 00 00")));
}

// --- CRC coverage
// -------------------------------------------------------------------------------------------------------

std::uint8_t by_hand(const Packet& packet, const std::vector<std::pair<unsigned, unsigned>>& ranges) {
  // Bit by bit with 1 + x + x^2 + x^3 + x^6 + x^7, least significant bit first.
  unsigned crc = 0x7f;
  for (const auto& [from, count] : ranges) {
    for (unsigned i = from; i < from + count; ++i) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        const unsigned feed = (crc ^ (packet[i] >> bit)) & 1U;
        crc = crc >> 1 ^ (feed != 0 ? 0x79U : 0U);
      }
    }
  }
  return static_cast<std::uint8_t>(crc);
}

TEST(ListedCrc, CoversWhatTheTextSays) {
  const Packet packet = test::build(everything());
  const Parsed p = parse(packet);
  ASSERT_TRUE(p.listed);
  // IPv4 at 0, AH 20 octets at 20, GRE 16 at 40, IPv6 at 56, hop-by-hop 8 at 96, destination 16 at 104, UDP at 120, RTP
  // at 128, two CSRCs at 140.
  const std::vector<std::pair<unsigned, unsigned>> fixed = {
      {0, 2},   {6, 4},    {12, 8},  // IPv4
      {40, 4},  {46, 6},             // GRE but for checksum and sequence number
      {56, 4},  {62, 34},            // IPv6
      {96, 8},  {104, 16},           // options
      {120, 4},                      // UDP ports
      {128, 1}, {136, 4},  {140, 8}  // RTP octets 1, 9-12 and the CSRC list
  };
  std::vector<std::pair<unsigned, unsigned>> all = fixed;
  const std::vector<std::pair<unsigned, unsigned>> dynamic = {{2, 4},  {10, 2}, {20, 20}, {44, 2},
                                                              {52, 4}, {60, 2}, {124, 4}, {129, 7}};
  all.insert(all.end(), dynamic.begin(), dynamic.end());
  const Layout& l = p.chain.layout();
  EXPECT_EQ(listed_static_crc(packet.data(), p.headers, 4, l).crc7, by_hand(packet, fixed));
  EXPECT_EQ(listed_crc7(packet.data(), p.headers, 4, l), by_hand(packet, all));
}

}  // namespace
}  // namespace headroom::rohc
