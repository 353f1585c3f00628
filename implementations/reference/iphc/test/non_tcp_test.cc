// SPDX-License-Identifier: Apache-2.0
//
// Non-TCP streams: generations, slow start and refreshes (RFC 2507, 3.3), and both sizes of CIDs (5.3.2, 6 c and d).
#include <gtest/gtest.h>

#include <string>

#include "packets.h"

namespace headroom::iphc {
namespace {

using namespace testing;

constexpr std::uint64_t kSecond = 1'000'000'000;

struct Udp {
  Ipv4 ip = [] {
    Ipv4 one;
    one.protocol = wire::kUdp;
    return one;
  }();
  std::uint16_t source = 5000, checksum = 0xABCD;
  std::size_t data = 20;

  [[nodiscard]] Packet datagram() const {
    Packet p(8 + data, 'v');
    put16(p, 0, source);
    put16(p, 2, 5002);
    put16(p, 4, p.size());
    put16(p, 6, checksum);
    return p;
  }
  [[nodiscard]] Packet packet() const { return ip / datagram(); }
};

Config booted() {
  Config config;
  config.boot_wait_ns = 0;
  return config;
}

// The forms of packets that are sent once every `interval`: F for full headers, c for compressed ones, - for regular
// ones. The time to live changes where `changes` says so.
std::string forms(Ends& ends, std::size_t count, std::uint64_t interval = 0, bool (*changes)(std::size_t) = nullptr) {
  Udp udp;
  std::string found;
  for (std::size_t i = 0; i < count; ++i) {
    if (changes != nullptr && changes(i)) ++udp.ip.ttl;
    udp.ip.id = static_cast<std::uint16_t>(i * 7919);
    const std::uint64_t now = i * interval;
    const Outcome link = ends.compress(udp.packet(), now);
    found += link.type == kTypeFull ? 'F' : link.type == kTypeNonTcp ? 'c' : '-';
    const Outcome out = ends.decompress(link, now);
    EXPECT_EQ(out.status, HEADROOM_OK);
    EXPECT_EQ(out.octets, udp.packet());
  }
  return found;
}

// "Full headers are sent periodically with an exponentially increasing period after a change in the context" (3.3.1).
TEST(IphcNonTcp, SlowStart) {
  Ends ends(booted());
  EXPECT_EQ(forms(ends, 32), "FcFccFccccFccccccccFcccccccccccc");
  Ends changed(booted());
  EXPECT_EQ(forms(changed, 12, 0, [](std::size_t i) { return i == 4; }), "FcFcFcFccFcc");
}

// "If … F_MAX_PERIOD compressed headers have been sent since the last full header for this packet stream was sent, a
// full header must be sent" (3.3.2).
TEST(IphcNonTcp, Refreshes) {
  Config config = booted();
  config.f_max_period = 3;
  Ends ends(config);
  EXPECT_EQ(forms(ends, 17), "FcFccFcccFcccFccc");
  // "More than F_MAX_TIME seconds have passed since the last full header."
  config.f_max_period = 256;
  config.f_max_time = 2;
  Ends slow(config);
  EXPECT_EQ(forms(slow, 13, kSecond), "FcFccFccFccFc");
  config.f_max_time = 0;  // "a value of zero implies infinity" (RFC 3544, 2.1)
  config.f_max_period = 0;
  Ends unlimited(config);
  const std::string found = forms(unlimited, 1100, kSecond);
  EXPECT_EQ(found.substr(521), std::string(512, 'c') + "F" + std::string(66, 'c'));
}

// "A compressor must wait at least MIN_WRAP seconds after booting before compressing non-TCP headers" (3.3).
TEST(IphcNonTcp, TheCompressorWaits) {
  Ends ends;
  EXPECT_EQ(forms(ends, 6, kSecond), "---FcF");
}

// "The compressor must not reuse the same generation value after a shorter time than MIN_WRAP seconds": "instead … may
// … send regular headers until MIN_WRAP seconds have passed" (3.3).
TEST(IphcNonTcp, GenerationsDoNotComeAgainTooSoon) {
  Ends ends(booted());
  Udp udp;
  std::array<std::uint64_t, 64> last{};
  std::array<bool, 64> used{};
  unsigned regular = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    ++udp.ip.ttl;
    const std::uint64_t now = i * (kSecond / 100);
    const Outcome link = ends.compress(udp.packet(), now);
    EXPECT_EQ(ends.decompress(link).octets, udp.packet());
    if (link.type == kTypeIpv4) {
      ++regular;
      continue;
    }
    const unsigned generation = link.octets[link.type == kTypeFull ? 2 : 1] & 0x3Fu;
    EXPECT_TRUE(!used[generation] || link.type == kTypeNonTcp || now - last[generation] >= 3 * kSecond) << i;
    used[generation] = true;
    last[generation] = now;
  }
  EXPECT_GT(regular, 100u);
  EXPECT_EQ(ends.compressor.counters().wraps_avoided, regular);
}

// 5.3.2 and 6 c): with a CID of 8 bits "0|D|Generation, CID" in the first length field, zero in the second.
TEST(IphcNonTcp, SmallCids) {
  Ends ends(booted());
  Udp udp;
  Packet expected = udp.packet();
  expected[2] = expected[3] = expected[24] = expected[25] = 0;
  EXPECT_EQ(ends.compress(udp.packet()).octets, expected);
  udp.source = 5001;
  expected = udp.packet();
  expected[2] = expected[24] = expected[25] = 0;
  expected[3] = 1;
  EXPECT_EQ(ends.compress(udp.packet()).octets, expected);
  udp.ip.id = 0x1234;
  EXPECT_EQ(ends.compress(udp.packet()).octets, joined({1, 0, 0x12, 0x34, 0xAB, 0xCD}, Packet(20, 'v')));
  udp.ip.ttl = 9;
  EXPECT_EQ(ends.compress(udp.packet()).octets[2], 1) << "the next generation";
  EXPECT_EQ(ends.compress(udp.packet()).octets, joined({1, 1, 0x12, 0x34, 0xAB, 0xCD}, Packet(20, 'v')));
}

// 6 d): "msb of CID, 1|D|Generation, lsb of CID"; 5.3.2: "1|D|Generation, Data (if D=1)", then the CID.
TEST(IphcNonTcp, LargeCids) {
  Config config = booted();
  config.non_tcp_space = 0x102;
  Ends ends(config);
  Udp udp;
  for (std::uint8_t i = 0; i < 3; ++i) {
    udp.source = i;
    Packet full = udp.packet();
    full[2] = 0x80, full[3] = 0, full[24] = 1, full[25] = i;
    const Outcome link = ends.compress(udp.packet());
    EXPECT_EQ(link.octets, full);
    EXPECT_EQ(ends.decompress(link).octets, udp.packet());
    const Outcome second = ends.compress(udp.packet());
    EXPECT_EQ(second.octets, joined({1, 0x80, i, 0, 1, 0xAB, 0xCD}, Packet(20, 'v')));
    EXPECT_EQ(ends.decompress(second).octets, udp.packet());
  }
  // "8-bit CIDs may be the only CID sizes that can be used for such packet streams" (5.3).
  Ipv6 ip;
  ip.next = wire::kEsp;
  const Packet esp = ip / Packet(40, 's');
  const Outcome link = ends.compress(esp);
  EXPECT_EQ(link.octets[4], 0);
  EXPECT_EQ(link.octets[5], 0);
  EXPECT_EQ(ends.decompress(link).octets, esp);
  EXPECT_EQ(ends.compress(esp).octets, joined({0, 0}, Packet(36, 's')));
  udp.source = 9;  // CID 0x100 is used again: "MUST NOT be reset … MUST increment the generation value by one" (8)
  EXPECT_EQ(ends.compress(udp.packet()).octets[2], 0x81);
}

// "An 8-bit CID with value two and a 16-bit CID with value two are equivalent" (5.1). Data is skipped.
TEST(IphcNonTcp, TheSizeOfACidDoesNotMatter) {
  Ends ends;
  Udp udp;
  Packet full = udp.packet();
  full[2] = 0xC7, full[3] = 0x99, full[24] = 0, full[25] = 2;
  EXPECT_EQ(ends.decompress(full, kTypeFull).octets, udp.packet());
  const Packet rest = joined({0, 1, 0xAB, 0xCD}, Packet(20, 'v'));
  EXPECT_EQ(ends.decompress(joined({2, 0x07}, rest), kTypeNonTcp).octets, udp.packet());
  EXPECT_EQ(ends.decompress(joined({0, 0x87, 2}, rest), kTypeNonTcp).octets, udp.packet());
  EXPECT_EQ(ends.decompress(joined({2, 0x47, 0x99}, rest), kTypeNonTcp).octets, udp.packet());
  EXPECT_EQ(ends.decompress(joined({0, 0xC7, 2, 0x99}, rest), kTypeNonTcp).octets, udp.packet());
}

// Section 9.
TEST(IphcNonTcp, WhatIsOfAnotherGenerationIsDiscarded) {
  Ends ends;
  Udp udp;
  Packet full = udp.packet();
  full[2] = 7, full[3] = 2, full[24] = full[25] = 0;
  const Packet rest = joined({0, 1, 0xAB, 0xCD}, Packet(20, 'v'));
  EXPECT_EQ(ends.decompress(joined({2, 7}, rest), kTypeNonTcp).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(ends.decompress(full, kTypeFull).octets, udp.packet());
  EXPECT_EQ(ends.decompress(joined({2, 8}, rest), kTypeNonTcp).status, HEADROOM_ERR_STATE);
  EXPECT_EQ(ends.decompress(joined({2, 7}, rest), kTypeNonTcp).octets, udp.packet());
  EXPECT_EQ(ends.decompress(joined({3, 7}, rest), kTypeNonTcp).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(ends.decompress(joined({16, 7}, rest), kTypeNonTcp).status, HEADROOM_ERR_MALFORMED) << "beyond the space";
  EXPECT_EQ(ends.decompress(Packet{2, 7, 0, 1, 0xAB, 0xCD}, kTypeNonTcp).octets.size(), 28u);
  for (const Packet& cut : {Packet{}, {2}, {2, 7}, {2, 7, 0}, {2, 7, 0, 1, 0xAB}, {0, 0x87}, {2, 0x47}})
    EXPECT_EQ(ends.decompress(cut, kTypeNonTcp).status, HEADROOM_ERR_MALFORMED);
  // "A decompressor which has been disconnected MIN_WRAP seconds or more must wait for the next full header."
  ends.decompressor.link_was_down();
  EXPECT_EQ(ends.decompress(joined({2, 7}, rest), kTypeNonTcp).status, HEADROOM_ERR_STATE);
  EXPECT_EQ(ends.decompress(full, kTypeFull).octets, udp.packet());
  EXPECT_EQ(ends.decompress(joined({2, 7}, rest), kTypeNonTcp).octets, udp.packet());
  // A full header with a CID of 16 bits needs two length fields.
  Packet icmp = udp.ip / Packet(30, 1);
  icmp[9] = 1;
  set_ip_checksum(icmp);
  icmp[2] = 0x87;
  EXPECT_EQ(ends.decompress(icmp, kTypeFull).status, HEADROOM_ERR_MALFORMED);
}

// 7.11: the checksum is "RANDOM, unless it is zero, in which case it is NOCHANGE".
TEST(IphcNonTcp, ChecksumsOfZero) {
  Ends ends(booted());
  Udp udp;
  udp.checksum = 0;
  EXPECT_EQ(ends.compress(udp.packet()).type, kTypeFull);
  EXPECT_EQ(ends.compress(udp.packet()).octets, joined({0, 0, 0, 1}, Packet(20, 'v')));
  udp.checksum = 1;
  EXPECT_EQ(ends.compress(udp.packet()).type, kTypeFull);
  EXPECT_EQ(ends.compress(udp.packet()).octets, joined({0, 1, 0, 1, 0, 1}, Packet(20, 'v')));
  udp.checksum = 0;
  EXPECT_EQ(ends.compress(udp.packet()).type, kTypeFull);
}

TEST(IphcNonTcp, FragmentsOfIpv4AreRegularUnlessInATunnel) {
  Ends ends(booted());
  Udp udp;
  udp.ip.fragment = 0x2000;
  EXPECT_EQ(ends.compress(udp.packet()).type, kTypeIpv4);
  Ipv6 outer;
  outer.next = wire::kIpv4;
  for (const bool is_first : {true, false}) {
    udp.ip.fragment = is_first ? 0x2000 : 0x0001;
    const Packet packet = outer / udp.packet();
    const Outcome link = ends.compress(packet);
    EXPECT_EQ(link.type, is_first ? kTypeFull : kTypeNonTcp);
    EXPECT_EQ(ends.decompress(link).octets, packet);
    if (is_first) continue;
    EXPECT_EQ(link.octets, joined({0, 0}, Packet(packet.begin() + 40, packet.end())));
  }
}

// Streams that come and go in few CIDs, with losses: what comes out is what went in, always.
TEST(IphcNonTcp, NothingWrongComesOutBehindLosses) {
  Config config = booted();
  config.non_tcp_space = 3;
  Ends ends(config);
  std::uint32_t random = 1;
  const auto up_to = [&](std::uint32_t most) {
    random = random * 1664525 + 1013904223;
    return (random >> 8) % (most + 1);
  };
  unsigned passed = 0, refused = 0;
  std::array<Udp, 6> streams;
  for (std::uint16_t i = 0; i < streams.size(); ++i) streams[i].source = i;
  for (unsigned i = 0; i < 20000; ++i) {
    Udp& udp = streams[up_to(up_to(9) == 0 ? 5 : 3)];
    udp.ip.id = static_cast<std::uint16_t>(up_to(0xFFFF));
    udp.checksum = static_cast<std::uint16_t>(up_to(40) == 0 ? 0 : up_to(0xFFFF));
    udp.data = up_to(50);
    if (up_to(30) == 0) udp.ip.tos = static_cast<std::uint8_t>(up_to(255));
    const std::uint64_t now = std::uint64_t{i} * 20'000'000;
    const Outcome link = ends.compress(udp.packet(), now);
    if (up_to(9) == 0) continue;
    const Outcome out = ends.decompress(link, now);
    if (out.status == HEADROOM_OK) {
      ++passed;
      ASSERT_EQ(out.octets, udp.packet()) << i;
    } else {
      ++refused;
      EXPECT_TRUE(out.status == HEADROOM_ERR_STATE || out.status == HEADROOM_ERR_NO_CONTEXT) << out.status;
    }
  }
  EXPECT_GT(passed, 10 * refused);
  EXPECT_GT(ends.decompressor.counters().non_tcp, 5000u);
}

}  // namespace
}  // namespace headroom::iphc
