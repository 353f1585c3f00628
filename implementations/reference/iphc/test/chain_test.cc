// SPDX-License-Identifier: Apache-2.0
//
// The compressible chain and the classes of fields: RFC 2507, 5.2, 5.3 and 7.
#include "iphc/wire/chain.h"

#include <gtest/gtest.h>

#include <string>

#include "packets.h"

namespace headroom::iphc {
namespace {

using namespace testing;
using wire::Chain;
using wire::Class;
using wire::Kind;

std::vector<Kind> kinds(const Packet& packet, std::size_t max_header = 168) {
  Chain chain;
  wire::parse(packet, max_header, chain);
  std::vector<Kind> found;
  for (std::size_t i = 0; i < chain.count; ++i) found.push_back(chain.parts[i].kind);
  return found;
}

// One letter for each octet of the chain: n, r, i or u, by its class.
std::string classes(const Packet& packet) {
  Chain chain;
  wire::parse(packet, 168, chain);
  std::string found(chain.length(), '?');
  for (std::size_t i = 0; i < chain.count; ++i) {
    const auto [kind, at] = chain.parts[i];
    EXPECT_TRUE(wire::for_each_field(kind, &packet[at], chain.length_of(i), [&, at = at](Class of, auto field, auto n) {
      for (std::size_t k = 0; k < n; ++k) found[at + field + k] = "nriu"[static_cast<std::size_t>(of)];
      return true;
    }));
  }
  return found;
}

const Tcp kSegment;
const Packet kUdpPacket = {0x13, 0x88, 0x13, 0x89, 0, 10, 0xAB, 0xCD, 'd', 'd'};

TEST(Chain, TcpEndsIt) {
  EXPECT_EQ(kinds(Ipv4{} / kSegment), (std::vector{Kind::ipv4_of_tcp, Kind::tcp}));
  EXPECT_EQ(kinds(Ipv6{} / kSegment), (std::vector{Kind::ipv6_of_tcp, Kind::tcp}));
}

TEST(Chain, TunnelsAreInIt) {
  Ipv6 outer;
  outer.next = wire::kIpv4;
  EXPECT_EQ(kinds(outer / (Ipv4{} / kSegment)), (std::vector{Kind::ipv6, Kind::ipv4_of_tcp, Kind::tcp}));
  Ipv4 v4;
  v4.protocol = wire::kIpv6;
  EXPECT_EQ(kinds(v4 / (Ipv6{} / kSegment)), (std::vector{Kind::ipv4, Kind::ipv6_of_tcp, Kind::tcp}));
}

// 7.13: "If the IPv4 header is for a fragment it ends the compressible chain"; one with options does not.
TEST(Chain, FragmentsAndOptionsOfIpv4) {
  for (const unsigned fragment : {0x2000u, 0x0001u}) {
    Ipv4 ip;
    ip.fragment = static_cast<std::uint16_t>(fragment);
    EXPECT_EQ(kinds(ip / kSegment), (std::vector{Kind::ipv4_fragment}));
  }
  Ipv4 ip;
  ip.options = {1, 1, 1, 0};
  EXPECT_EQ(kinds(ip / kSegment), (std::vector{Kind::ipv4_options, Kind::tcp}));
  EXPECT_EQ(classes(ip / kSegment), std::string(24, 'r') + "nnnn" + std::string(16, 'u'));
}

// 7 b): "up to and including the first TCP header, UDP header, Fragment Header, Encapsulating Security Payload Header".
TEST(Chain, ExtensionHeadersOfIpv6) {
  Ipv6 ip;
  ip.next = wire::kHopByHop;
  const Packet pad = {wire::kRouting, 0, 1, 4, 0, 0, 0, 0};
  Packet routing(24);
  routing[0] = wire::kDestination;
  routing[1] = 2;
  routing[3] = 1;
  const Packet option = {wire::kTcp, 0, 0x1E, 4, 1, 2, 3, 4};
  const Packet whole = ip / joined(joined(joined(pad, routing), option), segment_of(kSegment, kSource6, kDestination6));
  EXPECT_EQ(kinds(whole), (std::vector{Kind::ipv6, Kind::options, Kind::routing, Kind::options, Kind::tcp}));
  // 7.3: "Option Type and Opt Data Len fields … NOCHANGE. The Option data is RANDOM"; of PadN "all fields are
  // NOCHANGE".
  EXPECT_EQ(classes(whole), "nnnnii" + std::string(34, 'n') + std::string(8, 'n') + std::string(24, 'n') + "nnnnrrrr" +
                                "nnnn" + std::string(16, 'u'));
  ip.next = wire::kFragment;
  const Packet fragment = {wire::kUdp, 0, 0, 1, 0, 0, 0, 9};
  EXPECT_EQ(kinds(ip / joined(fragment, kUdpPacket)), (std::vector{Kind::ipv6, Kind::fragment}));
  EXPECT_EQ(classes(ip / joined(fragment, kUdpPacket)).substr(40), "nnrrrrrr");
  ip.next = wire::kEsp;
  EXPECT_EQ(classes(ip / Packet(64, 7)).substr(40), "nnnn");
  ip.next = wire::kAuthentication;
  Packet authentication(24);
  authentication[0] = wire::kUdp;
  authentication[1] = 4;
  EXPECT_EQ(classes(ip / joined(authentication, kUdpPacket)).substr(40),
            "nnnnnnnn" + std::string(16, 'r') + "nnnniirr");
}

// 7 a): "up to but not including the first header that is not" one of these. Extension headers are IPv6's.
TEST(Chain, OtherProtocolsEndIt) {
  Ipv4 ip;
  for (const unsigned protocol : {1u, 47u, 59u, unsigned{wire::kHopByHop}, unsigned{wire::kFragment}}) {
    ip.protocol = static_cast<std::uint8_t>(protocol);
    EXPECT_EQ(kinds(ip / Packet(32, 0)), (std::vector{Kind::ipv4})) << protocol;
  }
}

TEST(Chain, UdpAndMinimalEncapsulation) {
  Ipv4 ip;
  ip.protocol = wire::kUdp;
  EXPECT_EQ(classes(ip / kUdpPacket), "nniirrnnnniinnnnnnnnnnnniirr");
  Packet without = kUdpPacket;
  without[6] = without[7] = 0;  // "RANDOM, unless it is zero, in which case it is NOCHANGE"
  EXPECT_EQ(classes(ip / without).substr(20), "nnnniinn");
  ip.protocol = wire::kMinimal;
  EXPECT_EQ(classes(ip / joined({wire::kUdp, 0x80, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, kUdpPacket)).substr(20),
            "nniinnnnnnnnnnnniirr");
  EXPECT_EQ(classes(ip / joined({wire::kUdp, 0, 0, 0, 1, 2, 3, 4}, kUdpPacket)).substr(20), "nniinnnnnnnniirr");
}

// 5.2: "An implementation MUST NOT compress more than the initial MAX_HEADER octets of a header", "MUST NOT partially
// compress a subheader".
TEST(Chain, MaxHeaderCutsWholeSubheaders) {
  Ipv6 outer;
  outer.next = wire::kIpv6;
  const Packet packet = outer / (Ipv6{} / kSegment);
  EXPECT_EQ(kinds(packet, 100).size(), 3u);
  EXPECT_EQ(kinds(packet, 99), (std::vector{Kind::ipv6, Kind::ipv6}));
  EXPECT_EQ(kinds(packet, 79), (std::vector{Kind::ipv6}));
}

TEST(Chain, WhatIsCutShortOrCannotBeEndsIt) {
  const Packet whole = Ipv4{} / kSegment;
  EXPECT_TRUE(kinds({}).empty());
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const auto found = kinds(Packet(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    EXPECT_EQ(found, length < 20 ? std::vector<Kind>{} : std::vector{Kind::ipv4}) << length;
  }
  Packet packet = whole;
  packet[32] = 0x40;  // data offset 4
  EXPECT_EQ(kinds(packet), (std::vector{Kind::ipv4}));
  packet[32] = 0x60;  // beyond the packet
  EXPECT_EQ(kinds(packet), (std::vector{Kind::ipv4}));
  packet[0] = 0x44;  // header length 4
  EXPECT_TRUE(kinds(packet).empty());
  packet[0] = 0x55;
  EXPECT_TRUE(kinds(packet).empty());
  Ipv6 ip;
  ip.next = wire::kHopByHop;  // an option beyond the header
  EXPECT_EQ(kinds(ip / Packet{wire::kTcp, 0, 0x1E, 5, 0, 0, 0, 0}), (std::vector{Kind::ipv6}));
  // A chain of as many subheaders as there can be.
  Packet many;
  for (int i = 0; i < 100; ++i) many = joined(many, {wire::kDestination, 0, 1, 4, 0, 0, 0, 0});
  ip.next = wire::kDestination;
  EXPECT_EQ(kinds(ip / many, kLongestMaxHeader).size(), 1 + (kLongestMaxHeader - 40) / 8);
}

TEST(Chain, LengthsAndChecksumsHaveToBeInferable) {
  const auto inferable = [](const Packet& packet) {
    Chain chain;
    wire::parse(packet, 168, chain);
    return wire::is_inferable(chain, packet);
  };
  Ipv6 outer;
  outer.next = wire::kIpv4;
  const Packet good = outer / (Ipv4{} / kSegment);
  EXPECT_TRUE(inferable(good));
  for (const std::size_t at : {5u, 43u, 50u}) {  // both lengths, the inner checksum
    Packet bad = good;
    ++bad[at];
    EXPECT_FALSE(inferable(bad)) << at;
  }
  EXPECT_FALSE(inferable(joined(good, {0}))) << "an octet behind the packet";
  // Both 0 and 0xFFFF let the sum of a header be right, and one of them is restored.
  Ipv4 ip;
  for (unsigned id = 0;; ++id) {
    ip.id = static_cast<std::uint16_t>(id);
    Packet packet = ip / kSegment;
    if (packet[10] != 0 || packet[11] != 0) continue;
    EXPECT_TRUE(inferable(packet));
    packet[10] = packet[11] = 0xFF;
    EXPECT_FALSE(inferable(packet));
    break;
  }
  ip.protocol = wire::kUdp;  // "there must not be any padding after the UDP payload" (7.11)
  EXPECT_TRUE(inferable(ip / kUdpPacket));
  EXPECT_FALSE(inferable(ip / joined(kUdpPacket, {0})));
  outer.next = wire::kHopByHop;  // a jumbogram has no length to infer from 16 bits
  EXPECT_FALSE(inferable(outer / Packet{59, 0, 194, 4, 0, 1, 0, 0}));
}

TEST(Chain, LengthFieldsOfFullHeaders) {
  const auto fields = [](const Packet& packet) {
    Chain chain;
    wire::parse(packet, 168, chain);
    return wire::length_fields(chain);
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(fields(Ipv4{} / kSegment), (Pair{2, 0}));
  EXPECT_EQ(fields(Ipv6{} / kSegment), (Pair{4, 0}));
  Ipv6 outer;
  outer.next = wire::kIpv4;
  EXPECT_EQ(fields(outer / (Ipv4{} / kSegment)), (Pair{4, 42}));
  outer.next = wire::kUdp;
  EXPECT_EQ(fields(outer / kUdpPacket), (Pair{4, 44}));
}

}  // namespace
}  // namespace headroom::iphc
