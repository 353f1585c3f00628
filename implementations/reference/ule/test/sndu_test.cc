// SPDX-License-Identifier: Apache-2.0
#include "ule/wire/sndu.h"

#include <gtest/gtest.h>

#include <vector>

namespace headroom::ule::wire {
namespace {

using Octets = std::vector<std::uint8_t>;
using Kind = Content::Kind;

TEST(ExtensionHeaders, AnEtherTypeIsThePayload) {
  const Octets octets = {1, 2, 3};
  for (const std::uint16_t type : {kFirstEtherType, kTypeIpv4, kTypeIpv6}) {
    const Content content = content_of(type, octets);
    EXPECT_EQ(content.kind, Kind::pdu);
    EXPECT_EQ(content.type, type);
    EXPECT_EQ(content.octets.size(), 3U);
  }
}

// "1535 decimal" is a next header, "1536" an EtherType (4.4): H-LEN 5, so ten octets with the Type that follows.
TEST(ExtensionHeaders, TheBoundaryOfTypes) {
  const Octets octets = {0, 0, 0, 0, 0, 0, 0, 0, 0x08, 0x00, 0x45};
  const Content optional = content_of(1535, octets);
  EXPECT_EQ(optional.kind, Kind::pdu);
  EXPECT_EQ(optional.type, kTypeIpv4);
  EXPECT_EQ(optional.octets.size(), 1U);
  EXPECT_EQ(content_of(1536, octets).octets.size(), octets.size());
}

// "The H-LEN value indicates the total number of bytes in an Optional Extension Header" in 16-bit words (5).
TEST(ExtensionHeaders, OptionalOnesAreSkippedByTheirLength) {
  for (unsigned words = 1; words <= 5; ++words) {
    Octets octets(2 * words, 0);
    write16(octets.data() + 2 * words - 2, kTypeIpv6);
    octets.push_back(0x60);
    const auto type = static_cast<std::uint16_t>(words << 8 | 0x77);
    const Content content = content_of(type, octets);
    EXPECT_EQ(content.kind, Kind::pdu) << words;
    EXPECT_EQ(content.type, kTypeIpv6);
    EXPECT_EQ(content.octets.size(), 1U);
    EXPECT_EQ(content_of(type, std::span(octets).first(2 * words - 1)).kind, Kind::too_short);
  }
}

TEST(ExtensionHeaders, AChainEndsWhereTheOctetsDo) {
  Octets octets;
  for (int i = 0; i < 100; ++i) octets.insert(octets.end(), {0x01, 0x00});  // Extension-Padding of one word each
  EXPECT_EQ(content_of(0x0100, octets).kind, Kind::too_short);
  octets.insert(octets.end(), {0x08, 0x00, 0x45});
  EXPECT_EQ(content_of(0x0100, octets).octets.size(), 1U);
}

TEST(ExtensionHeaders, MandatoryOnes) {
  const Octets octets(20, 0);
  EXPECT_EQ(content_of(kTypeTest, {}).kind, Kind::test);
  EXPECT_EQ(content_of(kTypeBridged, octets).kind, Kind::bridged);
  EXPECT_EQ(content_of(kTypeBridged, std::span(octets).first(13)).kind, Kind::too_short);
  EXPECT_EQ(content_of(kTypeTsConcat, octets).kind, Kind::ts_packets);
  EXPECT_EQ(content_of(kTypePduConcat, octets).kind, Kind::pdus);
  EXPECT_EQ(content_of(kTypePduConcat, std::span(octets).first(1)).kind, Kind::too_short);
  EXPECT_EQ(content_of(0x0004, octets).kind, Kind::unknown_type);
  EXPECT_EQ(content_of(0x00FF, octets).kind, Kind::unknown_type);
}

TEST(PduConcat, LengthsAddUp) {
  const Octets octets = {0x00, 0x02, 1, 2, 0x80, 0x01, 3};  // "Receivers MUST ignore the value of the R bit"
  EXPECT_TRUE(are_whole_pdus(octets));
  std::span<const std::uint8_t> rest = octets;
  EXPECT_EQ(next_pdu(rest).size(), 2U);
  EXPECT_EQ(next_pdu(rest).size(), 1U);
  EXPECT_TRUE(rest.empty());
  EXPECT_FALSE(are_whole_pdus(std::span(octets).first(6)));
  EXPECT_FALSE(are_whole_pdus(std::span(octets).first(5)));
  EXPECT_FALSE(are_whole_pdus({}));
  const Octets empty = {0x00, 0x00};
  EXPECT_FALSE(are_whole_pdus(empty));
}

TEST(BridgedFrames, AnLlcLengthFits) {
  Octets frame(30, 0);
  write16(frame.data() + 12, 16);
  EXPECT_TRUE(is_whole_frame(frame));
  write16(frame.data() + 12, 17);
  EXPECT_FALSE(is_whole_frame(frame));
  write16(frame.data() + 12, 1535);
  EXPECT_FALSE(is_whole_frame(frame));
  write16(frame.data() + 12, 1536);
  EXPECT_TRUE(is_whole_frame(frame));
}

TEST(NpaAddress, OfGroupsBroadcastsAndHosts) {
  const Npa host = {2, 0, 0, 0, 0, 9};
  Octets ipv4(20, 0);
  const auto of_ipv4 = [&](std::initializer_list<std::uint8_t> destination) {
    std::copy(destination.begin(), destination.end(), ipv4.begin() + 16);
    return npa_of(kTypeIpv4, ipv4, host);
  };
  EXPECT_EQ(of_ipv4({192, 0, 2, 1}), host);
  EXPECT_EQ(of_ipv4({255, 255, 255, 255}), kBroadcast);
  EXPECT_EQ(of_ipv4({239, 255, 1, 2}), (Npa{1, 0, 0x5E, 0x7F, 1, 2})) << "the low 23 bits";
  EXPECT_EQ(of_ipv4({223, 255, 1, 2}), host);
  EXPECT_EQ(of_ipv4({240, 0, 0, 1}), host);
  const std::array<std::uint32_t, 1> broadcasts = {0xC0A801FF};
  (void)of_ipv4({192, 168, 1, 255});
  EXPECT_EQ(npa_of(kTypeIpv4, ipv4, host), host) << "of no subnetwork that is known";
  EXPECT_EQ(npa_of(kTypeIpv4, ipv4, host, broadcasts), kBroadcast);
  (void)of_ipv4({192, 168, 2, 255});
  EXPECT_EQ(npa_of(kTypeIpv4, ipv4, host, broadcasts), host);
  Octets ipv6(40, 0);
  ipv6[24] = 0xFF;
  ipv6[36] = 0xAB;
  ipv6[39] = 0xCD;
  EXPECT_EQ(npa_of(kTypeIpv6, ipv6, host), (Npa{0x33, 0x33, 0xAB, 0, 0, 0xCD}));
  ipv6[24] = 0x20;
  EXPECT_EQ(npa_of(kTypeIpv6, ipv6, host), host);
  EXPECT_EQ(npa_of(kTypeIpv6, std::span(ipv6).first(39), host), host);
}

}  // namespace
}  // namespace headroom::ule::wire
