// SPDX-License-Identifier: Apache-2.0
//
// Which headers of a packet can be compressed, and which packets are left to the Uncompressed profile.
#include "rohc/v1/header/chain.h"

#include <gtest/gtest.h>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc {
namespace {

using test::build;
using test::header_octets;
using test::ip_packet;
using test::mend_ipv4_checksum;
using test::Packet;
using test::PacketSpec;
using test::Random;
using test::rtp_packet;
using test::to_hex;
using test::udp_packet;

std::optional<HeaderChain> parse(const Packet& packet, ChainLimits limits = {}) {
  HeaderChain chain;
  if (!parse_chain(packet, limits, chain)) return std::nullopt;
  return chain;
}

void expect_chain(const Packet& packet, Shape shape, unsigned outer_version = 0, ChainLimits limits = {}) {
  const auto chain = parse(packet, limits);
  ASSERT_TRUE(chain.has_value()) << to_hex(packet);
  EXPECT_EQ(chain->shape, shape) << to_hex(packet);
  EXPECT_EQ(chain->outer_version, outer_version);
  const unsigned outer_octets = outer_version == 0 ? 0 : outer_version == 4 ? 20 : 40;
  EXPECT_EQ(chain->outer_octets, outer_octets);
  EXPECT_EQ(chain->octets, outer_octets + layout_of(shape).header);
}

PacketSpec in_tunnel(PacketSpec spec, unsigned outer_version) {
  spec.outer = test::IpFields{};
  spec.outer->version = outer_version;
  return spec;
}

TEST(ParseChain, EveryShapeInEveryTunnel) {
  for (const unsigned outer : {0U, 4U, 6U}) {
    for (const unsigned inner : {4U, 6U}) {
      const auto packet = [&](PacketSpec spec) { return build(outer == 0 ? spec : in_tunnel(spec, outer)); };
      expect_chain(packet(ip_packet(inner)), shape_for(inner, Transport::kNone), outer);
      expect_chain(packet(udp_packet(inner)), shape_for(inner, Transport::kUdp), outer);
      expect_chain(packet(rtp_packet(inner)), shape_for(inner, Transport::kRtp), outer);
      expect_chain(packet(test::esp_packet(inner)), shape_for(inner, Transport::kEsp), outer);
      expect_chain(packet(test::udp_lite_packet(inner)), shape_for(inner, Transport::kUdpLite), outer);
      expect_chain(packet(test::rtp_udp_lite_packet(inner)), shape_for(inner, Transport::kRtpUdpLite), outer);
    }
  }
}

TEST(ParseChain, EspAndUdpLiteNeedTheirHeader) {
  PacketSpec esp = test::ip_packet(4);
  esp.protocol = 50;
  esp.payload = {0, 0, 0, 1, 0, 0, 0};
  expect_chain(build(esp), Shape::kIpv4);
  esp.payload.push_back(9);
  expect_chain(build(esp), Shape::kEspIpv4);
  expect_chain(build(esp), Shape::kIpv4, 0, {true, true, false, true, true});
  PacketSpec lite = test::ip_packet(6);
  lite.protocol = 136;
  lite.payload = {0, 1, 0, 2, 0, 8, 1};
  expect_chain(build(lite), Shape::kIpv6);
  lite.payload.push_back(9);
  expect_chain(build(lite), Shape::kUdpLiteIpv6);
  expect_chain(build(lite), Shape::kIpv6, 0, {true, true, true, false, false});
}

// Whatever the field holds: unlike the UDP Length it can be sent.
TEST(ParseChain, AnyChecksumCoverage) {
  for (const int coverage : {0, 1, 7, 8, 17, 18, 19, 0xffff}) {
    PacketSpec s = test::udp_lite_packet(4);
    s.udp->coverage = static_cast<std::uint16_t>(coverage);
    expect_chain(build(s), Shape::kUdpLiteIpv4);
    PacketSpec r = test::rtp_udp_lite_packet(6);
    r.udp->coverage = s.udp->coverage;
    expect_chain(build(r), Shape::kRtpUdpLiteIpv6);
    expect_chain(build(r), Shape::kUdpLiteIpv6, 0, {true, true, true, true, false});
  }
}

TEST(ParseChain, LimitsEndItEarlier) {
  const Packet p = build(rtp_packet(4));
  expect_chain(p, Shape::kUdpIpv4, 0, {true, false});
  expect_chain(p, Shape::kIpv4, 0, {false, false});
  expect_chain(p, Shape::kIpv4, 0, {false, true});
}

TEST(ParseChain, HeadersWithoutPayload) {
  for (const unsigned version : {4U, 6U}) {
    for (PacketSpec spec : {ip_packet(version), udp_packet(version), rtp_packet(version)}) {
      spec.payload.clear();
      const auto chain = parse(build(spec));
      ASSERT_TRUE(chain);
      EXPECT_EQ(chain->octets, header_octets(spec));
    }
  }
}

TEST(ParseChain, TruncatedPacketsNeverParseAsWhole) {
  for (const unsigned version : {4U, 6U}) {
    const Packet whole = build(rtp_packet(version));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      EXPECT_FALSE(parse(Packet(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)))) << length;
    }
  }
}

TEST(ParseChain, OctetsAfterThePacketAreNoPartOfIt) {
  for (const unsigned version : {4U, 6U}) {
    Packet p = build(udp_packet(version));
    p.push_back(0);
    EXPECT_FALSE(parse(p)) << "the length field disagrees";
  }
}

// Alters an IPv4 header, mends its checksum, and expects that it cannot be compressed.
void expect_refused(const char* why, std::size_t at, std::uint8_t value) {
  Packet p = build(rtp_packet(4));
  p[at] = value;
  mend_ipv4_checksum(p);
  EXPECT_FALSE(parse(p)) << why;
}

TEST(ParseChain, Ipv4HeadersThatCannotBeCompressed) {
  expect_refused("options", 0, 0x46);
  expect_refused("IHL too short", 0, 0x44);
  expect_refused("version 5", 0, 0x55);
  expect_refused("more fragments", 6, 0x20);
  expect_refused("more fragments and DF", 6, 0x60);
  expect_refused("fragment offset, high part", 6, 0x01);
  expect_refused("fragment offset, low part", 7, 0x01);
  expect_refused("reserved flag", 6, 0x80);
  expect_refused("length", 3, 0x05);
}

TEST(ParseChain, WrongIpv4Checksum) {
  for (unsigned bit = 0; bit < 16; ++bit) {
    Packet p = build(rtp_packet(4));
    p[10 + bit / 8] = static_cast<std::uint8_t>(p[10 + bit / 8] ^ 1U << bit % 8);
    EXPECT_FALSE(parse(p)) << bit;
  }
}

// One's complement has two zeros; a decompressor could not know which of them stood there.
TEST(ParseChain, NegativeZeroChecksumIsRefused) {
  Packet p;
  PacketSpec spec = ip_packet(4);
  do {  // an IP-ID for which the checksum is 0
    ++spec.ip.id;
    p = build(spec);
  } while (p[10] != 0 || p[11] != 0);
  EXPECT_TRUE(parse(p));
  p[10] = p[11] = 0xff;
  EXPECT_EQ(ipv4_sum(p.data()), 0xffff) << "it is right, too";
  EXPECT_FALSE(parse(p));
}

TEST(ParseChain, Ipv6HeadersThatCannotBeCompressed) {
  Packet p = build(udp_packet(6));
  p[0] = 0x50;
  EXPECT_FALSE(parse(p)) << "version 5";
  p = build(udp_packet(6));
  p[5] = static_cast<std::uint8_t>(p[5] + 1);
  EXPECT_FALSE(parse(p)) << "length";
}

TEST(ParseChain, ExtensionHeadersEndTheChain) {
  PacketSpec spec = ip_packet(6);
  spec.protocol = 0;  // hop-by-hop options
  expect_chain(build(spec), Shape::kIpv6);
}

// "The Length field of the UDP header MUST match" (5.7.7.5).
TEST(ParseChain, UdpOfAnotherLengthIsNotCompressed) {
  for (const int difference : {-1, 1}) {
    Packet p = build(udp_packet(4));
    p[25] = static_cast<std::uint8_t>(p[25] + difference);
    expect_chain(p, Shape::kIpv4);
  }
}

TEST(ParseChain, WhatIsNoRtpIsUdp) {
  const auto altered = [](std::size_t at, std::uint8_t value) {
    Packet p = build(rtp_packet(4));
    p[28 + at] = value;
    return p;
  };
  expect_chain(altered(0, 0x40), Shape::kUdpIpv4);  // version 1
  expect_chain(altered(0, 0xc0), Shape::kUdpIpv4);  // version 3
  expect_chain(altered(0, 0x81), Shape::kUdpIpv4);  // a CSRC
  expect_chain(altered(1, 200), Shape::kUdpIpv4);   // RTCP (RFC 5761 4)
  expect_chain(altered(1, 192), Shape::kUdpIpv4);
  expect_chain(altered(1, 223), Shape::kUdpIpv4);
  expect_chain(altered(1, 191), Shape::kRtpIpv4);  // marker and payload type 63
  expect_chain(altered(1, 224), Shape::kRtpIpv4);
  expect_chain(altered(0, 0xb0), Shape::kRtpIpv4);  // padding and extension
  PacketSpec small = udp_packet(4);
  small.payload.assign(11, 0x80);
  expect_chain(build(small), Shape::kUdpIpv4);  // an octet too short for RTP
}

TEST(ParseChain, TunnelWhoseInnerHeaderCannotBeCompressed) {
  Packet p = build(in_tunnel(rtp_packet(4), 4));
  p[20 + 6] = 0x20;  // the inner packet is a fragment
  mend_ipv4_checksum(p, 20);
  expect_chain(p, Shape::kIpv4);
  Packet lies = build(in_tunnel(rtp_packet(6), 4));
  lies[9] = 4;  // says IPv4, carries IPv6
  mend_ipv4_checksum(lies);
  expect_chain(lies, Shape::kIpv4);
  PacketSpec empty = ip_packet(4);
  empty.protocol = 4;
  empty.payload.clear();
  expect_chain(build(empty), Shape::kIpv4);
}

TEST(ParseChain, TwoIpHeadersAtMost) {
  PacketSpec middle = ip_packet(4);
  middle.protocol = 4;
  middle.payload = build(udp_packet(4));
  expect_chain(build(in_tunnel(middle, 6)), Shape::kIpv4, 6);
}

TEST(ParseChain, LongestPackets) {
  PacketSpec v4 = udp_packet(4);
  v4.payload.resize(65535 - 28);
  expect_chain(build(v4), Shape::kUdpIpv4);
  PacketSpec v6 = udp_packet(6);
  v6.payload.resize(65535 - 8);
  expect_chain(build(v6), Shape::kUdpIpv6);
  EXPECT_FALSE(parse(Packet(kMaxPacket + 1, 0x60)));
}

TEST(ParseChain, RandomOctets) {
  Random random(1);
  for (int round = 0; round < 100'000; ++round) {
    Packet p(random.below(120));
    for (auto& octet : p) octet = random.octet();
    if (!p.empty() && random.flip()) p[0] = random.flip() ? 0x45 : 0x60;
    const auto chain = parse(p);
    if (chain) {
      ASSERT_LE(chain->octets, p.size());
    }
  }
}

TEST(FoldSum, Folds) {
  EXPECT_EQ(fold_sum(0), 0);
  EXPECT_EQ(fold_sum(0xffff), 0xffff);
  EXPECT_EQ(fold_sum(0x10000), 1);
  EXPECT_EQ(fold_sum(0x1ffff), 1);
  EXPECT_EQ(fold_sum(0xfffeffffU), 0xfffe) << "0xfffe + 0xffff = 0x1fffd, and its carry";
}

}  // namespace
}  // namespace headroom::rohc
