// SPDX-License-Identifier: Apache-2.0
//
// The decompressor for TCP: RFC 2507, 5.3, 6, 7.12, 9 and 10. Link packets are written by hand.
#include <gtest/gtest.h>

#include "packets.h"

namespace headroom::iphc {
namespace {

using namespace testing;

// A stream of segments of 4 octets over IPv4, and its link packets as RFC 2507, 6, has them.
struct Stream {
  Ipv4 ip{};
  Tcp tcp = [] {
    Tcp one;
    one.data = {'d', 'a', 't', 'a'};
    return one;
  }();

  [[nodiscard]] Packet packet() const { return ip / tcp; }
  // The full header: the CID in place of the total length.
  [[nodiscard]] Packet full(std::uint8_t cid = 0) const {
    Packet p = packet();
    p[2] = 0;
    p[3] = cid;
    return p;
  }
  // COMPRESSED_TCP of this packet with these flags, and with these octets behind the checksum.
  [[nodiscard]] Packet compressed(std::uint8_t flags, const Packet& rest = {}, std::uint8_t cid = 0) const {
    const Packet p = packet();
    const std::size_t checksum = (p[0] & 0x0Fu) * 4u + 16;
    return joined(joined({cid, flags, p[checksum], p[checksum + 1]}, rest), tcp.data);
  }
  Stream& next() {
    tcp.sequence += static_cast<std::uint32_t>(tcp.data.size());
    ++ip.id;
    return *this;
  }
};

constexpr std::uint8_t kUnidirectional = 0x0F, kEchoed = 0x0B;

Config with(Repair repair, bool feedback = true) {
  Config config;
  config.repair = repair;
  config.feedback = feedback;
  return config;
}

// Both ends behind the full header of a stream.
struct Begun : Ends {
  explicit Begun(const Stream& s, const Config& config = {}) : Ends(config) {
    const Outcome out = decompress(s.full(), kTypeFull);
    EXPECT_EQ(out.status, HEADROOM_OK);
    EXPECT_EQ(out.octets, s.packet());
  }
  void expect(const Stream& s, const Packet& link, std::uint16_t type = kTypeTcp) {
    const Outcome out = decompress(link, type);
    EXPECT_EQ(out.status, HEADROOM_OK);
    EXPECT_EQ(out.octets, s.packet());
  }
};

TEST(IphcDecompressor, RegularPacketsPass) {
  Ends ends;
  const Packet packet = Stream{}.packet();
  EXPECT_EQ(ends.decompress(packet, kTypeIpv4).octets, packet);
  EXPECT_EQ(ends.decompress(packet, kTypeIpv6).octets, packet) << "whatever it holds";
  EXPECT_EQ(ends.decompress(Packet{}, kTypeIpv4).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(ends.decompress(packet, std::uint16_t{0x0067}).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(ends.decompress(Packet{}, HEADROOM_TYPE_LOST).status, HEADROOM_NOTHING);
}

TEST(IphcDecompressor, EachChangeIsApplied) {
  Stream s;
  Begun ends(s);
  s.next();
  ends.expect(s, s.compressed(kUnidirectional));
}

TEST(IphcDecompressor, Changes) {
  Stream s;
  s.tcp.options = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2};
  Begun ends(s);
  s.next();
  ends.expect(s, s.compressed(kUnidirectional));
  s.next().tcp.acknowledgement += 4;
  ends.expect(s, s.compressed(kEchoed));
  s.next().tcp.window = static_cast<std::uint16_t>(s.tcp.window - 2);
  s.tcp.acknowledgement += 300;
  ends.expect(s, s.compressed(0x0E, {0, 0xFF, 0xFE, 0, 0x01, 0x2C, 4}));
  s.next().ip.id += 4;  // the change is 5
  s.tcp.flags = wire::kAck | wire::kPsh | wire::kUrg;
  s.tcp.urgent = 0x0203;
  ends.expect(s, s.compressed(0x39, {0, 2, 3, 4, 5}));
  s.next().tcp.flags = wire::kAck;
  s.tcp.options[7] = 9;  // the urgent pointer stays
  ends.expect(s, s.compressed(0x48, joined({4}, s.tcp.options)));
  s.next();
  ends.expect(s, s.compressed(kUnidirectional));  // with the options that came last
  s.next().ip.id -= 2;                            // a change of -1
  ends.expect(s, s.compressed(0x2F, {0, 0xFF, 0xFF}));
}

// "An octet with the actual values … is then placed immediately after the RANDOM fields", and "MUST NOT update the
// context" (6 a).
TEST(IphcDecompressor, TheROctetIsForOnePacket) {
  Stream s;
  Begun ends(s);
  s.next().tcp.reserved = 0x2A;
  s.ip.tos = 1;
  ends.expect(s, s.compressed(0x8F, {0xA9}));
  s.next().tcp.reserved = 0;
  s.ip.tos = 0;
  ends.expect(s, s.compressed(0x0F));
  Ipv6 ip;
  Tcp tcp;
  Packet full = ip / tcp;
  full[4] = 0, full[5] = 2;
  EXPECT_EQ(ends.decompress(full, kTypeFull).octets, ip / tcp);
  ip.traffic_class = 2;
  tcp.window += 1;
  const Packet packet = ip / tcp;
  EXPECT_EQ(ends.decompress(Packet{2, 0x82, packet[56], packet[57], 0x02, 1}, kTypeTcp).octets, packet);
}

// 6 b): all but the port numbers; "the header MUST be saved as context" (7.12.2).
TEST(IphcDecompressor, AHeaderWithoutDeltaReplacesTheTcpHeader) {
  Stream s;
  Begun ends(s);
  s.tcp.sequence = 0xFFFFFFF0;
  s.tcp.acknowledgement = 1;
  s.tcp.flags = wire::kSyn | wire::kUrg;
  s.tcp.reserved = 0x3F;
  s.tcp.options = {2, 4, 5, 0xB4};
  s.ip.id = 0x8000;
  const Packet packet = s.packet();
  ends.expect(s, joined({0, 0x80, 0x00}, Packet(packet.begin() + 24, packet.end())), kTypeTcpNoDelta);
  s.next().tcp.flags = wire::kAck;
  ends.expect(s, s.compressed(0x08, {4}));
}

TEST(IphcDecompressor, TunnelsAndRandomFields) {
  Ends ends;
  Ipv4 outer;
  outer.protocol = wire::kIpv4;
  Stream s;
  Packet packet = outer / s.packet();
  Packet full = packet;
  full[2] = full[22] = full[23] = 0;
  full[3] = 1;
  EXPECT_EQ(ends.decompress(full, kTypeFull).octets, packet);
  outer.id = 0xABCD;
  packet = outer / s.next().packet();
  EXPECT_EQ(ends.decompress(s.compressed(kUnidirectional, {0xAB, 0xCD}, 1), kTypeTcp).octets, packet);
}

// 7.13 b): "all fields are sent as-is", so that even the length of the options may change.
TEST(IphcDecompressor, HeadersAsTheyAre) {
  Stream s;
  s.ip.options = {1, 1, 1, 0};
  Begun ends(s);
  s.next().ip.options = {7, 7, 8, 0, 0, 0, 0, 0};
  Packet packet = s.packet();
  ends.expect(s, s.compressed(kUnidirectional, Packet(packet.begin(), packet.begin() + 28)));
  const auto refused = [&](Packet as_is) {
    EXPECT_EQ(ends.decompress(s.compressed(kUnidirectional, as_is), kTypeTcp).status, HEADROOM_ERR_MALFORMED);
  };
  s.next();
  packet = s.packet();
  const Packet as_is(packet.begin(), packet.begin() + 28);
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    Packet p = as_is;
    p[at] = value;
    return p;
  };
  refused(changed(0, 0x45));  // no options
  refused(changed(0, 0x44));
  refused(changed(0, 0x65));
  refused(changed(6, 0x20));  // a fragment
  refused(changed(9, 17));    // of another protocol
  ends.expect(s, s.compressed(kUnidirectional, as_is));
}

// "It MUST be discarded when the context for C has not been initialized by a full header" (section 9).
TEST(IphcDecompressor, WithoutAFullHeaderThereIsNothing) {
  Stream s;
  Ends ends;
  EXPECT_EQ(ends.decompress(s.compressed(kUnidirectional), kTypeTcp).status, HEADROOM_ERR_NO_CONTEXT);
  const Packet p = s.packet();
  EXPECT_EQ(ends.decompress(joined({0, 0, 1}, Packet(p.begin() + 24, p.end())), kTypeTcpNoDelta).status,
            HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(ends.decompressor.contexts_in_use(), 0u);
}

TEST(IphcDecompressor, WhatCannotBeChangesNothing) {
  Stream s;
  s.tcp.options = {1, 1, 1, 0};
  Begun ends(s);
  const auto refused = [&](const Packet& link, std::uint16_t type) {
    EXPECT_EQ(ends.decompress(link, type).status, HEADROOM_ERR_MALFORMED) << ::testing::PrintToString(link);
  };
  refused(s.full(16), kTypeFull);  // a CID beyond the space
  refused(s.compressed(kUnidirectional, {}, 16), kTypeTcp);
  refused({16}, kTypeTcpNoDelta);
  Stream longest = s;
  longest.next().tcp.data.clear();
  const auto cut_short = [&](const Packet& link, std::uint16_t type) {
    for (std::size_t length = 0; length < link.size(); ++length)
      refused(Packet(link.begin(), link.begin() + static_cast<std::ptrdiff_t>(length)), type);
  };
  cut_short(longest.compressed(0xFD, {0xA9, 0, 2, 3, 0, 4, 5, 0, 6, 7, 0, 8, 9, 1, 1, 1, 0}), kTypeTcp);
  const Packet p = longest.packet();
  cut_short(joined({0, 0, 1}, Packet(p.begin() + 24, p.end())), kTypeTcpNoDelta);
  Packet offset = joined({0, 0, 1}, Packet(p.begin() + 24, p.end()));
  offset[11] = 0x40;
  refused(offset, kTypeTcpNoDelta);
  // What is left of a full header may be another one, whose IP checksum is then wrong.
  const Packet full = longest.full();
  for (std::size_t length = 0; length < full.size(); ++length)
    EXPECT_LT(
        ends.decompress(Packet(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(length)), kTypeFull).status,
        HEADROOM_OK);
  // Lengths beyond 65,535.
  const Packet data(0xFFFF - 43, 'x');
  refused(joined(longest.compressed(0x08, {4}), data), kTypeTcp);
  refused(joined(longest.full(), data), kTypeFull);
  refused(Packet{0x55, 0}, kTypeFull);
  // I without IPv4.
  Ipv6 ip;
  Packet full6 = ip / s.tcp;
  full6[4] = 0, full6[5] = 2;
  EXPECT_EQ(ends.decompress(full6, kTypeFull).status, HEADROOM_OK);
  refused({2, 0x2F, 0, 0, 1}, kTypeTcp);
  s.next();
  ends.expect(s, s.compressed(kUnidirectional));
}

TEST(IphcDecompressor, AFullHeaderWithAWrongIpChecksumIsRefused) {
  Ends ends;
  Packet link = Stream{}.full();
  link[10] ^= 1;
  EXPECT_EQ(ends.decompress(link, kTypeFull).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(ends.decompressor.contexts_in_use(), 0u);
}

// Section 3.2: "Loss of a compressed TCP header will cause the TCP sequence numbers of subsequently decompressed TCP
// headers to be off by k, where k is the size of the lost segment."
TEST(IphcDecompressor, WithoutRepairNumbersAreOffByTheLoss) {
  Stream s;
  Begun ends(s, with(Repair::none));
  s.next();
  const Outcome out = ends.decompress(s.next().compressed(kUnidirectional), kTypeTcp);
  EXPECT_EQ(out.status, HEADROOM_OK);
  Packet wrong = s.packet();
  wrong[27] = static_cast<std::uint8_t>(wrong[27] - 4);
  wrong[5] = 2;
  set_ip_checksum(wrong);
  EXPECT_EQ(out.octets, wrong);
  EXPECT_TRUE(ends.request().empty());
}

TEST(IphcDecompressor, AWrongChecksumIsFound) {
  Stream s;
  Begun ends(s, with(Repair::verify));
  s.next();
  EXPECT_EQ(ends.decompress(s.next().compressed(kUnidirectional), kTypeTcp).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(ends.decompressor.counters().wrong_checksum, 1u);
  ends.expect(s, s.full(), kTypeFull);
  s.next();
  ends.expect(s, s.compressed(kUnidirectional));
}

// "The delta of the current segment is then added to the context again on the assumption that the lost segment
// contained the same delta as the current" (10.1).
TEST(IphcDecompressor, TwiceRepairsTheLossOfOneSegmentOrTwo) {
  for (unsigned lost = 1; lost <= 3; ++lost) {
    Stream s;
    s.tcp.acknowledgement = 0xFFFFFFFE;
    Begun ends(s);
    for (unsigned i = 0; i < lost; ++i) s.next();
    headroom_detail detail{};
    const Packet link = s.next().compressed(kUnidirectional);
    const Outcome out = pass(ends.decompressor, link, kTypeTcp, 600, 0, &detail);
    EXPECT_EQ(out.status, lost < 3 ? HEADROOM_OK : HEADROOM_ERR_CRC);
    if (lost == 3) continue;
    EXPECT_EQ(out.octets, s.packet());
    EXPECT_EQ(detail.event, static_cast<std::uint8_t>(Event::repaired));
    s.next();
    ends.expect(s, s.compressed(kUnidirectional));
  }
}

TEST(IphcDecompressor, TwiceRepairsAcknowledgementsAndWindows) {
  Stream s;
  s.tcp.data.clear();
  Begun ends(s);
  for (int i = 0; i < 2; ++i) {  // the first is lost
    s.next().tcp.acknowledgement += 512;
    s.tcp.window = static_cast<std::uint16_t>(s.tcp.window - 256);
  }
  ends.expect(s, s.compressed(0x06, {0, 0xFF, 0, 0, 2, 0}));
  EXPECT_EQ(ends.decompressor.counters().repaired, 1u);
}

// Sequence and acknowledgement number change in turn, by the same. Of a lost acknowledgement and the segment behind it
// the checksum is that of the segment's change applied twice, which would be wrong in both numbers.
TEST(IphcDecompressor, TwiceRepairsNoStreamThatChangesNowThisNowThat) {
  constexpr std::uint8_t kSequence = 0x08, kAcknowledgement = 0x04;
  const Packet by_512 = {0, 2, 0};
  Stream s;
  const auto changed = [&s](std::uint8_t flag) {
    (flag == kSequence ? s.tcp.sequence : s.tcp.acknowledgement) += 512;
    ++s.ip.id;
  };
  Begun ends(s);
  for (const std::uint8_t flag : {kAcknowledgement, kSequence}) {
    changed(flag);
    ends.expect(s, s.compressed(flag, by_512));
  }
  changed(kAcknowledgement);  // is lost
  changed(kSequence);
  EXPECT_EQ(ends.decompress(s.compressed(kSequence, by_512), kTypeTcp).status, HEADROOM_ERR_CRC);
  EXPECT_EQ(ends.decompressor.counters().repaired, 0u);
}

// A window that shrinks by what is acknowledged leaves the checksum as it is: such a loss cannot be found. What comes
// out is the acknowledgement before, with a window that ends at the same place.
TEST(IphcDecompressor, AChecksumDoesNotShowChangesThatCancelOut) {
  Stream s;
  s.tcp.data.clear();
  Begun ends(s);
  for (int i = 0; i < 2; ++i) {
    s.next().tcp.acknowledgement += 512;
    s.tcp.window = static_cast<std::uint16_t>(s.tcp.window - 512);
  }
  Stream before = s;
  before.tcp.acknowledgement -= 512;
  before.tcp.window = static_cast<std::uint16_t>(before.tcp.window + 512);
  --before.ip.id;
  const Outcome out = ends.decompress(s.compressed(0x06, {0, 0xFE, 0, 0, 2, 0}), kTypeTcp);
  EXPECT_EQ(out.status, HEADROOM_OK);
  EXPECT_EQ(out.octets, before.packet());
}

// What is not repaired has its changes once, as the compressor's context has: the next packet may be repaired.
TEST(IphcDecompressor, ARepairThatFailsMakesTheContextNoWorse) {
  Stream s;
  Begun ends(s);
  s.next().tcp.data = Packet(100, 'x');  // lost
  s.next().tcp.data = Packet(4, 'x');
  EXPECT_EQ(ends.decompress(s.compressed(0x08, {100}), kTypeTcp).status, HEADROOM_ERR_CRC);
  s.next();  // its change is that of the segment which was lost
  ends.expect(s, s.compressed(kUnidirectional));
}

// "TCP header request = 3, CID count, CID" (10.2).
TEST(IphcDecompressor, HeaderRequests) {
  Stream s;
  Ends ends;
  constexpr std::uint64_t kMs = 1'000'000;
  EXPECT_EQ(ends.decompress(s.compressed(kUnidirectional, {}, 7), kTypeTcp, 5 * kMs).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(ends.request(), (Packet{3, 1, 7}));
  EXPECT_TRUE(ends.request().empty());
  // "Should limit the rate of transmission"; "can indicate that several contexts are out of date".
  for (const unsigned cid : {9u, 7u, 2u}) {
    EXPECT_EQ(
        ends.decompress(s.compressed(kUnidirectional, {}, static_cast<std::uint8_t>(cid)), kTypeTcp, 50 * kMs).status,
        HEADROOM_ERR_NO_CONTEXT);
    EXPECT_TRUE(ends.request().empty());
  }
  EXPECT_EQ(ends.decompress(s.full(2), kTypeFull, 60 * kMs).status, HEADROOM_OK);  // there is no need to ask for it
  EXPECT_EQ(ends.decompress(s.compressed(kUnidirectional, {}, 7), kTypeTcp, 105 * kMs).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(ends.request(), (Packet{3, 2, 7, 9}));
}

TEST(IphcDecompressor, WithoutAWayBackNothingIsRequested) {
  Stream s;
  Begun ends(s, with(Repair::twice, false));
  EXPECT_EQ(ends.decompress(s.compressed(0x08, {99}), kTypeTcp).status, HEADROOM_ERR_CRC);
  EXPECT_TRUE(ends.request().empty());
}

TEST(IphcDecompressor, APacketWithoutRoomIsLostAlone) {
  Stream s;
  Begun ends(s);
  EXPECT_EQ(pass(ends.decompressor, s.next().compressed(kUnidirectional), kTypeTcp, 43).status, HEADROOM_ERR_NO_SPACE);
  s.next();
  EXPECT_EQ(pass(ends.decompressor, s.compressed(kUnidirectional), kTypeTcp, 44).octets, s.packet());
}

}  // namespace
}  // namespace headroom::iphc
