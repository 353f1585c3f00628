// SPDX-License-Identifier: Apache-2.0
//
// The packets of flows, field by field.
#include "traffic_packets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hex.h"

namespace headroom::traffic {
namespace {

// The sum over `octets` with a pseudo-header; 0xFFFF when the checksum inside is right.
std::uint16_t transport_sum(const Octets& packet, std::size_t ip, std::size_t transport, std::uint8_t protocol) {
  const bool v6 = packet[ip] >> 4 == 6;
  const OctetView whole(packet);
  const auto length = static_cast<std::uint32_t>(packet.size() - transport);
  return checksum_fold(checksum_add(checksum_add(length + protocol, whole.subspan(ip + (v6 ? 8 : 12), v6 ? 32 : 8)),
                                    whole.subspan(transport)));
}

TEST(Packets, ChecksumsAreRight) {
  const Profile p =
      profile({variant({kIpv4, kUdp, kRtp}), variant({kIpv6, kUdp, kRtp}), variant({kIpv4, R"({"protocol": "icmp"})"}),
               variant({kIpv6, R"({"protocol": "icmp"})"}, "", R"({"length": 33})")});
  int seen[4] = {};
  for (const SourcePacket& packet : packets_of(p, 4000, 8)) {
    const bool v6 = packet.octets[0] >> 4 == 6;
    const std::size_t transport = v6 ? 40 : 20;
    const std::uint8_t protocol = packet.octets[v6 ? 6 : 9];
    if (!v6) {
      ASSERT_EQ(checksum_fold(checksum_add(0, OctetView(packet.octets).first(20))), 0xFFFF);
    }
    if (protocol == 1) {
      ASSERT_EQ(checksum_fold(checksum_add(0, OctetView(packet.octets).subspan(20))), 0xFFFF);
    } else {
      ASSERT_EQ(transport_sum(packet.octets, 0, transport, protocol), 0xFFFF);
      if (protocol == 17) {
        ASSERT_NE(load16(&packet.octets[transport + 6]), 0);
      }
    }
    ++seen[packet.flow % 4];
  }
  for (const int count : seen) EXPECT_EQ(count, 1000);
}

TEST(Packets, TunnelsAndExtensionsAreChainedRight) {
  const Profile p = profile(
      {variant({kIpv6, kIpv4, kUdp, kRtp}),
       variant({kIpv6, R"({"protocol": "ipv6-options", "kind": "hop-by-hop", "options": "050200000100"})", kUdp})});
  const std::vector<SourcePacket> packets = packets_of(p, 20, 2);
  for (const SourcePacket& packet : packets) {
    const Octets& o = packet.octets;
    EXPECT_EQ(40u + load16(&o[4]), o.size());
    if (packet.flow == 0) {
      EXPECT_EQ(o[6], 4);  // IPv4 in IPv6
      EXPECT_EQ(load16(&o[42]), o.size() - 40);
      EXPECT_EQ(transport_sum(o, 40, 60, 17), 0xFFFF);
      EXPECT_EQ(packet.header_length, 80u);
    } else {
      EXPECT_EQ(o[6], 0);
      EXPECT_EQ(o[40], 17);
      EXPECT_EQ(o[41], 0);  // 8 octets in all
      EXPECT_EQ(transport_sum(o, 0, 48, 17), 0xFFFF);
    }
  }
}

TEST(Packets, AuthenticationGreAndMinimalEncapsulation) {
  const Profile p = profile(
      {variant({kIpv4, R"({"protocol": "ah", "spi": 9, "sequence_start": 4294967295, "icv_length": 8})", kUdp}),
       variant({kIpv4, R"({"protocol": "gre", "checksum": true, "key": 7, "sequence": true, "sequence_start": 5})",
                kIpv6, kUdp}),
       variant({kIpv4, R"({"protocol": "minimal-encapsulation", "source": "192.0.2.1", "destination": "192.0.2.2"})",
                kUdp})});
  std::uint32_t counted[3] = {0, 0, 0};
  for (const SourcePacket& packet : packets_of(p, 30, 3)) {
    const Octets& o = packet.octets;
    const std::uint32_t number = counted[packet.flow]++;
    if (packet.flow == 0) {
      EXPECT_EQ(o[9], 51);
      EXPECT_EQ(o[20], 17);
      EXPECT_EQ(o[21], (12 + 8) / 4 - 2) << "RFC 4302, 2.2";
      EXPECT_EQ(load32(&o[24]), 9u);
      EXPECT_EQ(load32(&o[28]), 4294967295u + number);
      EXPECT_EQ(transport_sum(o, 0, 40, 17), 0xFFFF);
    } else if (packet.flow == 1) {
      EXPECT_EQ(o[9], 47);
      EXPECT_EQ(load32(&o[20]), 0xB00086DDu);
      EXPECT_EQ(checksum_finish(checksum_add(0, OctetView(o).subspan(20))), 0) << "RFC 2784, 2.5";
      EXPECT_EQ(load32(&o[28]), 7u);
      EXPECT_EQ(load32(&o[32]), 5u + number);
      EXPECT_EQ(o[36] >> 4, 6);
    } else {
      EXPECT_EQ(o[9], 55);
      EXPECT_EQ(o[20], 17);
      EXPECT_EQ(o[21], 0x80);
      EXPECT_EQ(checksum_finish(checksum_add(0, OctetView(o).subspan(20, 12))), 0) << "RFC 2004, 3.1";
      EXPECT_EQ(load32(&o[24]), 0xC0000202u);
      EXPECT_EQ(load32(&o[28]), 0xC0000201u);
      const Octets original = {0xC0, 0, 2, 1, 0xC0, 0, 2, 2};
      const std::uint32_t start = 17 + static_cast<std::uint32_t>(o.size() - 32);
      EXPECT_EQ(checksum_finish(checksum_add(checksum_add(start, original), OctetView(o).subspan(32))), 0);
    }
  }
  for (const std::uint32_t count : counted) EXPECT_EQ(count, 10u);
}

std::vector<FlowPacket> packets_of_flow(const Profile& p, std::uint64_t flow, std::size_t count, bool reverse) {
  FlowOptions options;
  options.reverse = reverse;
  Flow sender(p, flow, 1, options);
  std::vector<FlowPacket> packets;
  while (packets.size() < count) sender.advance(packets);
  return packets;
}

// TS 29.281, 5.1: version 1, protocol type GTP, a G-PDU; the length counts from behind the first 8 octets.
TEST(Packets, GtpuCarriesAUsersPacketEachWay) {
  const Profile p = profile({variant({kIpv4, kUdpGtpu, kGtpu, kIpv6, kUdp}, R"(, "population": 600000)")});
  std::set<std::uint32_t> teids;
  for (const bool reverse : {false, true}) {
    for (std::uint64_t flow = 0; flow < 50; ++flow) {
      for (const FlowPacket& packet : packets_of_flow(p, flow, 2, reverse)) {
        const Octets& o = packet.octets;
        EXPECT_EQ(load16(&o[2]), o.size());
        EXPECT_EQ(load32(&o[20]), (2152u << 16) + 2152);
        EXPECT_EQ(load16(&o[24]), o.size() - 20);
        EXPECT_EQ(load16(&o[28]), 0x34FF) << "with an extension header";
        EXPECT_EQ(load16(&o[30]), o.size() - 28 - 8);
        EXPECT_EQ(load32(&o[36]), 0x85u) << "no sequence number, then the PDU session container";
        EXPECT_EQ(load32(&o[40]), reverse ? 0x01000900u : 0x01100900u) << "TS 38.415, 5.5.2: downlink or uplink, QFI 9";
        EXPECT_EQ(o[44] >> 4, 6);
        EXPECT_EQ(44u + 40 + load16(&o[48]), o.size());
        EXPECT_EQ(packet.header_length, 44u + 40 + 8);
        EXPECT_EQ(transport_sum(o, 44, 84, 17), 0xFFFF);
        EXPECT_EQ(transport_sum(o, 0, 20, 17), 0xFFFF) << "over all that is inside";
        teids.insert(load32(&o[32]));
      }
    }
  }
  EXPECT_EQ(teids.size(), 100u) << "one for each flow and direction";
}

TEST(Packets, GtpuHasOnlyTheOptionalFieldsItIsToldTo) {
  const auto gtpu = [](const char* more) {
    return variant({kIpv4, kUdpGtpu, std::string(R"({"protocol": "gtpu")") + more + "}", kIpv4},
                   R"(, "population": 1)");
  };
  const Profile p = profile({gtpu(""), gtpu(R"(, "sequence": true, "sequence_start": 65535)"),
                             gtpu(R"(, "sequence": true, "sequence_start": 65535, "qfi": 63)")});
  const std::uint32_t first[] = {0x30FF, 0x32FF, 0x36FF};
  const std::uint32_t length[] = {8, 12, 16};
  const std::uint32_t optional[] = {0, 0, 0x85};
  std::uint16_t counted[] = {65535, 65535, 65535};
  for (const SourcePacket& packet : packets_of(p, 30, 3)) {
    const std::uint32_t i = packet.flow;
    EXPECT_EQ(load16(&packet.octets[28]), first[i]);
    EXPECT_EQ(packet.header_length, 28 + length[i] + 20);
    EXPECT_EQ(packet.octets[28 + length[i]], 0x45) << "the user's packet follows at once";
    if (i == 0) continue;
    EXPECT_EQ(load32(&packet.octets[36]), (std::uint32_t{counted[i]++} << 16) + optional[i]);
  }
  EXPECT_EQ(counted[2], 9) << "it wraps around";
}

TEST(Packets, TcpCountsTheOctetsItHasSent) {
  const std::string stepping = kTcp.substr(0, kTcp.size() - 1) + R"(, "acknowledgement_step": 600})";
  const char* lengths = R"({"length": [0, 1400]})";
  const Profile p = profile({variant({kIpv4, kTcp}, "", lengths), variant({kIpv6, stepping}, "", lengths)});
  for (const std::uint64_t flow : {0u, 1u}) {
    const std::size_t ip = flow == 0 ? 20 : 40;
    std::uint32_t start[2] = {}, acknowledged[2] = {};
    for (const bool reverse : {false, true}) {
      const std::vector<FlowPacket> packets = packets_of_flow(p, flow, 100, reverse);
      start[reverse] = load32(&packets[0].octets[ip + 4]);
      acknowledged[reverse] = load32(&packets[0].octets[ip + 8]);
      std::uint32_t next = start[reverse], number = 0;
      for (const FlowPacket& packet : packets) {
        const Octets& o = packet.octets;
        EXPECT_EQ(o[flow == 0 ? 9 : 6], 6);
        EXPECT_EQ(packet.header_length, ip + 20);
        EXPECT_EQ(load32(&o[ip + 4]), next);
        EXPECT_EQ(load32(&o[ip + 12]), 0x5010FFFFu) << "five words, ACK, the window";
        EXPECT_EQ(transport_sum(o, 0, ip, 6), 0xFFFF);
        EXPECT_EQ(load32(&o[ip + 8]), acknowledged[reverse] + (flow == 0 ? 0 : 600 * number++));
        next += static_cast<std::uint32_t>(o.size() - ip - 20);
      }
    }
    EXPECT_EQ(acknowledged[0], start[1]);
    EXPECT_EQ(acknowledged[1], start[0]);
  }
}

TEST(Packets, LengthsAreMixedByShare) {
  const Profile p = profile({variant({kIpv4}, R"(, "changes": [{"packet": 12000, "payload_length": 77}])",
                                     R"({"length": {"mix": [[7, 20], [4, 556], [1, 1480]]}})")});
  std::map<std::size_t, int> seen;
  for (const SourcePacket& packet : packets_of(p, 12'100)) ++seen[packet.octets.size() - 20];
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_NEAR(seen[20], 7000, 217);  // four standard deviations
  EXPECT_NEAR(seen[556], 4000, 207);
  EXPECT_NEAR(seen[1480], 1000, 122);
  EXPECT_EQ(seen[77], 100) << "a change of the length ends the mix";
}

TEST(Packets, RtpFieldsMoveAsTold) {
  const Profile p = profile(
      {variant({kIpv4, kUdpBare, rtp_with(R"("sequence_start": 65530, "timestamp_start": 4294967000, "csrc_count": 2,
      "extension": {"data": "01020304"}, "padding": 4, "marker_every": 5)")})});
  const std::vector<SourcePacket> packets = packets_of(p, 20);
  for (std::uint32_t i = 0; i < packets.size(); ++i) {
    const std::uint8_t* rtp = &packets[i].octets[28];
    EXPECT_EQ(rtp[0], 0xB2);  // version 2, P, X, CC 2
    EXPECT_EQ(rtp[1], (i + 1) % 5 == 0 ? 0xE0 : 0x60);
    EXPECT_EQ(load16(rtp + 2), static_cast<std::uint16_t>(65530 + i));
    EXPECT_EQ(load32(rtp + 4), 4294967000u + 160 * i);
    EXPECT_EQ(load32(rtp + 20), 0xBEDE0001u);
    EXPECT_EQ(packets[i].octets.back(), 4);
    EXPECT_EQ(packets[i].header_length, 20u + 8 + 12 + 8 + 8);
    EXPECT_EQ(packets[i].octets.size(), packets[i].header_length + 31 + 4);
    EXPECT_EQ(packets[i].time_ns, std::uint64_t{i} * 20'000'000);
  }
}

// RFC 4303, 2: SPI and a sequence number of 32 bits that starts with 1; nothing else is legible.
TEST(Packets, EspCountsFromOne) {
  const Profile p = profile({variant({kIpv4, kEsp}, R"(, "changes": [
      {"packet": 5, "header": 1, "set": {"advance_sequence": 4294967290}}])"),
                             variant({kIpv6, R"({"protocol": "esp", "spi": 4096, "sequence_start": 4294967294})"})});
  std::set<std::uint32_t> spis;
  std::array<std::uint32_t, 2> next = {1, 4294967294};
  for (const SourcePacket& packet : packets_of(p, 40, 4)) {
    const bool v6 = packet.flow % 2 == 1;
    const std::size_t at = v6 ? 40 : 20;
    EXPECT_EQ(packet.octets[v6 ? 6 : 9], 50);
    EXPECT_EQ(packet.header_length, at + 8);
    EXPECT_EQ(packet.octets.size(), at + 8 + 31);
    const std::uint32_t spi = load32(&packet.octets[at]);
    if (v6) {
      EXPECT_EQ(spi, 4096u);
    } else {
      EXPECT_GE(spi, 256u);
      spis.insert(spi);
    }
    if (packet.flow > 1) continue;
    std::uint32_t& expected = next[packet.flow];
    EXPECT_EQ(load32(&packet.octets[at + 4]), expected);
    ++expected;
    if (!v6 && expected == 6) expected += 4294967290u;
  }
  EXPECT_EQ(spis.size(), 2u) << "each flow has its own";
  EXPECT_EQ(next[0], 6u + 4294967290u + 5) << "it wraps around";
}

// RFC 3828, 3.1: the checksum covers a pseudo-header and so many octets of the datagram as the field says, 0 for all.
TEST(Packets, UdpLiteCoversWhatItSays) {
  struct Case {
    const char* coverage;
    std::set<std::uint32_t> seen;  // with datagrams of 8 + 20 to 8 + 23 octets
  };
  for (const Case& c : {Case{R"("length")", {28, 29, 30, 31}}, Case{R"("zero")", {0}}, Case{"8", {8}},
                        Case{"30", {28, 29, 30}}, Case{"65535", {28, 29, 30, 31}}}) {
    const std::string udp = udplite_with(std::string(R"("coverage": )") + c.coverage);
    const Profile p = profile(
        {variant({kIpv4, udp}, "", R"({"length": [20, 23]})"), variant({kIpv6, udp}, "", R"({"length": [20, 23]})")});
    std::set<std::uint32_t> seen;
    for (const SourcePacket& packet : packets_of(p, 400, 2)) {
      const bool v6 = packet.octets[0] >> 4 == 6;
      const std::size_t at = v6 ? 40 : 20;
      ASSERT_EQ(packet.octets[v6 ? 6 : 9], 136);
      const std::uint32_t coverage = load16(&packet.octets[at + 4]);
      const auto length = static_cast<std::uint32_t>(packet.octets.size() - at);
      seen.insert(coverage);
      const OctetView whole(packet.octets);
      const std::uint32_t pseudo = checksum_add(length + 136, whole.subspan(v6 ? 8 : 12, v6 ? 32 : 8));
      ASSERT_EQ(checksum_fold(checksum_add(pseudo, whole.subspan(at, coverage == 0 ? length : coverage))), 0xFFFF);
      ASSERT_NE(load16(&packet.octets[at + 6]), 0);
    }
    EXPECT_EQ(seen, c.seen) << c.coverage;
  }
  std::set<std::uint32_t> random;
  for (const SourcePacket& packet :
       packets_of(profile({variant({kIpv4, udplite_with(R"("coverage": "random")"), kRtp})}), 900))
    random.insert(load16(&packet.octets[24]));
  EXPECT_EQ(*random.begin(), 8u);
  EXPECT_EQ(*random.rbegin(), 8u + 12 + 31);
  EXPECT_EQ(random.size(), 44u);
}

TEST(Packets, UdpLiteCoverageChangesInMidStream) {
  const Profile p = profile({variant({kIpv4, kUdpLite, kRtp}, R"(, "changes": [
      {"packet": 2, "header": 1, "set": {"coverage": 20}}, {"packet": 4, "header": 1, "set": {"coverage": "zero"}},
      {"packet": 6, "header": 1, "set": {"coverage": "length"}}])")});
  std::vector<std::uint32_t> seen;
  for (const SourcePacket& packet : packets_of(p, 8)) seen.push_back(load16(&packet.octets[24]));
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{51, 51, 20, 20, 0, 0, 51, 51}));
}

std::vector<std::uint16_t> identifications(const std::string& more, const std::string& variant_more = "") {
  std::vector<std::uint16_t> ids;
  const Profile p = profile({variant({ipv4_with(more), kUdpBare, kRtp}, variant_more)});
  for (const SourcePacket& packet : packets_of(p, 300)) ids.push_back(load16(&packet.octets[4]));
  return ids;
}

TEST(Packets, IdentificationsBehaveAsTold) {
  const auto sequential = identifications(R"("identification_start": 65500)");
  const auto swapped = identifications(R"("identification": "swapped", "identification_start": 65500)");
  const auto random = identifications(R"("identification": "random")");
  const auto constant = identifications(R"("identification": "constant", "identification_start": 77)");
  const auto zero = identifications(R"("identification": "zero")");
  const auto jumps =
      identifications(R"("identification_start": 0, "identification_jumps": {"probability": 0.2, "most": 5})");
  int jumped = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(sequential[i], static_cast<std::uint16_t>(65500 + i));
    EXPECT_EQ(swap_octets(swapped[i]), static_cast<std::uint16_t>(65500 + i));
    EXPECT_EQ(constant[i], 77);
    EXPECT_EQ(zero[i], 0);
    if (i > 0) {
      const int step = jumps[i] - jumps[i - 1];
      EXPECT_GE(step, 1);
      EXPECT_LE(step, 6);
      jumped += step > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(jumped, 30);
  EXPECT_LT(jumped, 100);
  EXPECT_GT(std::set<std::uint16_t>(random.begin(), random.end()).size(), 290u);
  const auto changing =
      identifications(R"("identification_start": 5)",
                      R"(, "changes": [{"packet": 10, "header": 0, "set": {"identification": "zero"}}])");
  EXPECT_EQ(changing[9], 14);
  EXPECT_EQ(changing[10], 0);
}

TEST(Packets, FragmentsMakeUpTheDatagram) {
  const Profile p =
      profile({variant({ipv4_with(R"("dont_fragment": false, "fragment_at": 104)"), kUdp}, "", R"({"length": 300})")});
  const std::vector<SourcePacket> packets = packets_of(p, 3);
  Octets datagram;
  for (const SourcePacket& packet : packets) {
    const Octets& o = packet.octets;
    EXPECT_EQ(checksum_fold(checksum_add(0, OctetView(o).first(20))), 0xFFFF);
    EXPECT_EQ(load16(&o[2]), o.size());
    EXPECT_EQ((load16(&o[6]) & 0x1FFF) * 8u, datagram.size());
    EXPECT_EQ((load16(&o[6]) & 0x2000) != 0, &packet != &packets.back());
    datagram.insert(datagram.end(), o.begin() + 20, o.end());
  }
  EXPECT_EQ(datagram.size(), 308u);
  EXPECT_EQ(load16(&datagram[4]), 308);
}

TEST(Packets, ChangesHappenWhenTheyShould) {
  const Profile p = profile({variant({kIpv4, kUdpBare, kRtp}, R"(, "changes": [
      {"packet": 5, "header": 0, "set": {"ttl": 9, "tos": 184}}, {"packet": 6, "header": 1, "set": {"checksum": true}},
      {"packet": 7, "header": 2,
       "set": {"payload_type": 8, "marker_once": true, "advance_sequence": 10, "advance_timestamp": 7}},
      {"packet": 8, "payload_length": 100}])")});
  const std::vector<SourcePacket> packets = packets_of(p, 10);
  const auto rtp = [&](std::size_t i) { return &packets[i].octets[28]; };
  EXPECT_EQ(packets[4].octets[8], 64);
  EXPECT_EQ(packets[5].octets[8], 9);
  EXPECT_EQ(packets[5].octets[1], 184);
  EXPECT_EQ(load16(&packets[5].octets[26]), 0);
  EXPECT_NE(load16(&packets[6].octets[26]), 0);
  EXPECT_EQ(rtp(6)[1], 96);
  EXPECT_EQ(rtp(7)[1], 0x80 | 8);
  EXPECT_EQ(rtp(8)[1], 8);
  EXPECT_EQ(load16(rtp(7) + 2), static_cast<std::uint16_t>(load16(rtp(6) + 2) + 11));
  EXPECT_EQ(load32(rtp(7) + 4), load32(rtp(6) + 4) + 167);
  EXPECT_EQ(packets[7].octets.size(), 71u);
  EXPECT_EQ(packets[8].octets.size(), 140u);
}

TEST(Packets, SpeechHasSpurtsPausesAndMarkers) {
  const Profile p = profile({variant({kIpv4, kUdpBare, kRtpMarked},
                                     "," + kSpeech + R"(, "silence_frames": {"interval_ms": 160, "length": 6}})")});
  const std::vector<SourcePacket> packets = packets_of(p, 60'000);
  std::uint64_t talking = 0, spurts = 0, frames = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Octets& o = packets[i].octets;
    const std::uint64_t interval = packets[i].time_ns / 20'000'000;
    ASSERT_EQ(load16(&o[30]), static_cast<std::uint16_t>(load16(&packets[0].octets[30]) + i))
        << "sequence numbers have no gaps";
    ASSERT_EQ(load32(&o[32]), static_cast<std::uint32_t>(load32(&packets[0].octets[32]) + interval * 160))
        << "time stamps follow time";
    const bool frame = o.size() == 46;
    ASSERT_TRUE(frame || o.size() == 71);
    const bool marked = (o[29] & 0x80) != 0;
    const bool after_pause = i == 0 || packets[i - 1].octets.size() == 46;
    ASSERT_EQ(marked, !frame && after_pause) << i;
    talking += frame ? 0 : 1;
    frames += frame ? 1 : 0;
    spurts += marked ? 1 : 0;
  }
  const double intervals = static_cast<double>(packets.back().time_ns) / 20e6;
  EXPECT_NEAR(static_cast<double>(talking) / intervals, 1004.0 / (1004 + 1587), 0.03);  // activity
  EXPECT_NEAR(static_cast<double>(talking) * 20 / static_cast<double>(spurts), 1004, 100);
  EXPECT_NEAR(static_cast<double>(frames) * 8 / (intervals - static_cast<double>(talking)), 1.0, 0.1);
}

TEST(Packets, FramesShareATimeStampAndEndWithAMarker) {
  const Profile p = profile({variant(
      {kIpv4, kUdpBare, rtp_with(R"("timestamp_step": 3600, "marker": "frame-end", "packets_per_frame": [2, 5])")}, "",
      R"({"length": [200, 1200]})", R"({"interval_ms": 40})")});
  const std::vector<SourcePacket> packets = packets_of(p, 2000);
  std::uint32_t in_frame = 1;
  for (std::size_t i = 1; i < packets.size(); ++i) {
    const bool same = load32(&packets[i].octets[32]) == load32(&packets[i - 1].octets[32]);
    const bool marked = (packets[i - 1].octets[29] & 0x80) != 0;
    ASSERT_EQ(marked, !same);
    if (!same) {
      ASSERT_GE(in_frame, 2u);
      ASSERT_LE(in_frame, 5u);
    }
    in_frame = same ? in_frame + 1 : 1;
    ASSERT_GE(packets[i].time_ns, packets[i - 1].time_ns);
  }
}

TEST(Packets, LossAndReorderingBeforeTheCompressor) {
  const Profile lossy = profile({variant({kIpv4, kUdpBare, kRtp}, R"(, "before_compressor": {"loss": 0.1})")});
  const Profile mixed =
      profile({variant({kIpv4, kUdpBare, kRtp},
                       R"(, "before_compressor": {"duplicate": 0.05, "reorder": {"probability": 0.1, "depth": 2}})")});
  const auto sequence = [](const SourcePacket& packet) { return load16(&packet.octets[30]); };
  const std::vector<SourcePacket> missing = packets_of(lossy, 2000);
  const std::uint16_t span = static_cast<std::uint16_t>(sequence(missing.back()) - sequence(missing.front()));
  EXPECT_NEAR(span, 2000 / 0.9, 60);
  int backwards = 0, twice = 0;
  const std::vector<SourcePacket> disordered = packets_of(mixed, 2000);
  std::set<std::uint16_t> seen;
  for (std::size_t i = 1; i < disordered.size(); ++i) {
    if (static_cast<std::int16_t>(sequence(disordered[i]) - sequence(disordered[i - 1])) < 0) ++backwards;
    if (!seen.insert(sequence(disordered[i])).second) ++twice;
    ASSERT_GE(disordered[i].time_ns, disordered[i - 1].time_ns);
  }
  EXPECT_NEAR(backwards, 200, 60);
  EXPECT_NEAR(twice, 95, 40);
}

TEST(Packets, TcpOptionsEchoAndPush) {
  const std::string tcp =
      kTcp.substr(0, kTcp.size() - 1) + R"(, "echo": true, "push": true, "timestamps": true, "options": "01010402"})";
  const std::string lengths = R"({"length": {"mix": [[1, 0], [1, 3]]}})";
  const std::vector<SourcePacket> packets = packets_of(profile({variant({kIpv4, tcp}, "", lengths)}), 40);
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const std::uint8_t* header = &packets[i].octets[20];
    const std::size_t payload = packets[i].octets.size() - 56;
    EXPECT_EQ(header[12], 0x90);  // 20 + 12 + 4 octets
    EXPECT_EQ(header[13], payload == 0 ? 0x10 : 0x18);
    EXPECT_EQ(to_hex(OctetView(header + 20, 4)), "0101080a");
    EXPECT_EQ(to_hex(OctetView(header + 32, 4)), "01010402");
    if (i == 0) continue;
    const std::uint8_t* before = &packets[i - 1].octets[20];
    const std::size_t sent = packets[i - 1].octets.size() - 56;
    EXPECT_EQ(load32(header + 4) - load32(before + 4), sent);
    EXPECT_EQ(load32(header + 8) - load32(before + 8), sent);
    EXPECT_EQ(load32(header + 24) - load32(before + 24), 1u);
  }
}

TEST(Packets, TcpChanges) {
  const std::string changes = R"(, "changes": [
    {"packet": 2, "header": 1, "set": {"flags": 48, "urgent_pointer": 7, "window": 99}},
    {"packet": 3, "header": 1, "set": {"advance_sequence": 4294967286, "advance_acknowledgement": 5}}])";
  const std::vector<SourcePacket> packets =
      packets_of(profile({variant({kIpv4, kTcp}, changes, R"({"length": 10})")}), 5);
  const auto at = [&](std::size_t packet, std::size_t octet) { return &packets[packet].octets[20 + octet]; };
  EXPECT_EQ(*at(1, 13), 0x10);
  EXPECT_EQ(*at(2, 13), 0x30);
  EXPECT_EQ(load16(at(2, 14)), 99);
  EXPECT_EQ(load16(at(2, 18)), 7);
  EXPECT_EQ(load32(at(3, 4)), load32(at(2, 4)));  // the same octets once more
  EXPECT_EQ(load32(at(3, 8)) - load32(at(2, 8)), 5u);
  EXPECT_EQ(load32(at(4, 4)) - load32(at(3, 4)), 10u);
}

TEST(Packets, DirectionsSwapAddressesAndDifferOtherwise) {
  const Profile p = profile({variant({kIpv6, kUdp, kRtp})});
  FlowOptions back;
  back.reverse = true;
  std::vector<FlowPacket> there, here;
  Flow(p, 3, 1).advance(there);
  Flow(p, 3, 1, back).advance(here);
  const Octets& a = there[0].octets;
  const Octets& b = here[0].octets;
  EXPECT_TRUE(std::equal(a.begin() + 8, a.begin() + 24, b.begin() + 24));
  EXPECT_TRUE(std::equal(a.begin() + 24, a.begin() + 40, b.begin() + 8));
  EXPECT_EQ(load16(&a[40]), load16(&b[42]));
  EXPECT_NE(load32(&a[56]), load32(&b[56]));  // SSRC
}

}  // namespace
}  // namespace headroom::traffic
