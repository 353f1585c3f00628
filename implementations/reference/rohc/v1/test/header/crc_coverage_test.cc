// SPDX-License-Identifier: Apache-2.0
//
// CRC-STATIC and CRC-DYNAMIC octets, as RFC 3095 5.7.7.3 to 5.7.7.6 list them, for every shape with and without an
// outer header; and the folded CRC-3 of the fast paths against the same judge.
#include "rohc/v1/header/crc_coverage.h"

#include <gtest/gtest.h>

#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/header/predicted.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc {
namespace {

using test::Packet;
using test::Random;
using test::to_hex;

// Octets as the text numbers them, from 1, both ends included.
struct Range {
  unsigned from;
  unsigned to;
};
struct Coverage {
  std::vector<Range> fixed;
  std::vector<Range> dynamic;
  unsigned octets;
};

const Coverage kIpv6 = {{{1, 4}, {7, 40}}, {{5, 6}}, 40};                              // 5.7.7.3
const Coverage kIpv4 = {{{1, 2}, {7, 10}, {13, 20}}, {{3, 4}, {5, 6}, {11, 12}}, 20};  // 5.7.7.4
const Coverage kUdp = {{{1, 4}}, {{5, 8}}, 8};                                         // 5.7.7.5
const Coverage kEsp = {{{1, 4}}, {{5, 8}}, 8};                                         // 5.7.7.7
const Coverage kRtp = {{{1, 1}, {9, 12}}, {{2, 8}}, 12};                               // 5.7.7.6

std::vector<const Coverage*> headers_of(const Layout& l, unsigned outer_version) {
  std::vector<const Coverage*> headers;
  if (outer_version != 0) headers.push_back(outer_version == 4 ? &kIpv4 : &kIpv6);
  headers.push_back(l.is_ipv4() ? &kIpv4 : &kIpv6);
  if (l.has_udp()) headers.push_back(&kUdp);  // UDP-Lite: the same octets (RFC 4019 5.2.1)
  if (l.has_esp()) headers.push_back(&kEsp);
  if (l.has_rtp()) headers.push_back(&kRtp);
  return headers;
}

Packet gather(const Packet& packet, const std::vector<const Coverage*>& headers, bool dynamic) {
  Packet octets;
  std::size_t at = 0;
  for (const Coverage* c : headers) {
    for (const Range& r : dynamic ? c->dynamic : c->fixed) {
      for (unsigned i = r.from; i <= r.to; ++i) octets.push_back(packet[at + i - 1]);
    }
    at += c->octets;
  }
  return octets;
}

std::uint32_t judge(std::uint32_t polynomial, const Packet& octets, std::uint32_t crc) {
  for (const std::uint8_t octet : octets) {
    for (unsigned b = 0; b < 8; ++b) crc = ((crc ^ octet >> b) & 1) != 0 ? crc >> 1 ^ polynomial : crc >> 1;
  }
  return crc;
}

Packet random_headers(Random& random, const std::vector<const Coverage*>& headers) {
  Packet p;
  for (const Coverage* c : headers) {
    for (unsigned i = 0; i < c->octets; ++i) p.push_back(random.octet());
  }
  p.resize(p.size() + kImageSize);  // fast paths read whole images
  return p;
}

// 5.9.2 speaks of 25 and 15 octets in a typical RTP/UDP/IPv4 header, 49 and 11 with IPv6. By the lists of 5.7.7, which
// are what counts, two more octets are dynamic: those of the UDP checksum.
TEST(CrcCoverage, NumbersOfOctets) {
  const Packet any(200);
  const auto v4 = headers_of(layout_of(Shape::kRtpIpv4), 0);
  const auto v6 = headers_of(layout_of(Shape::kRtpIpv6), 0);
  EXPECT_EQ(gather(any, v4, false).size(), 25U - 2U);
  EXPECT_EQ(gather(any, v4, true).size(), 15U + 2U);
  EXPECT_EQ(gather(any, v6, false).size(), 49U - 2U);
  EXPECT_EQ(gather(any, v6, true).size(), 11U + 2U);
}

TEST(CrcCoverage, EveryShapeWithAndWithoutOuterHeader) {
  Random random(1);
  for (std::size_t shape = 0; shape < kShapeCount; ++shape) {
    for (const unsigned outer_version : {0U, 4U, 6U}) {
      const Layout& l = kLayouts[shape];
      const auto headers = headers_of(l, outer_version);
      const std::size_t outer_octets = outer_version == 0 ? 0 : headers[0]->octets;
      for (int round = 0; round < 200; ++round) {
        const Packet p = random_headers(random, headers);
        const std::uint8_t* outer = outer_version == 0 ? nullptr : p.data();
        const std::uint8_t* inner = p.data() + outer_octets;
        const StaticCrc fixed = static_crc(outer, outer_version, inner, l);
        const std::uint32_t after3 = judge(0x6, gather(p, headers, false), 0x7);
        const std::uint32_t after7 = judge(0x79, gather(p, headers, false), 0x7f);
        ASSERT_EQ(fixed.crc3, after3);
        ASSERT_EQ(fixed.crc7, after7);
        ASSERT_EQ(finish_crc3(fixed.crc3, outer, outer_version, inner, l),
                  judge(0x6, gather(p, headers, true), after3));
        ASSERT_EQ(finish_crc7(fixed.crc7, outer, outer_version, inner, l),
                  judge(0x79, gather(p, headers, true), after7));
      }
    }
  }
}

// Gathers the dynamic fields as the fast paths do.
DynamicOctets dynamic_of(const Packet& p, const Layout& l) {
  return {wire::load_little32(&p[l.length_at]), wire::load_little16(&p[l.ip_checksum_at]),
          wire::load_little32(&p[l.udp_length_at]), wire::load_little64(&p[l.fold_sn_at]) >> 8};
}

TEST(CrcCoverage, FoldedCrc3IsTheSame) {
  Random random(2);
  for (const Layout& l : kLayouts) {
    const auto headers = headers_of(l, 0);
    for (int round = 0; round < 20'000; ++round) {
      const Packet p = random_headers(random, headers);
      const StaticCrc fixed = static_crc(nullptr, 0, p.data(), l);
      const std::uint32_t expected = judge(0x6, gather(p, headers, true), judge(0x6, gather(p, headers, false), 0x7));
      ASSERT_EQ(crc3_of(l, fixed.crc3, dynamic_of(p, l)), expected) << "header of " << int{l.header};
    }
  }
}

// What a layout lacks may hold anything.
TEST(CrcCoverage, FoldedCrc3IgnoresAbsentFields) {
  const Layout& l = layout_of(Shape::kIpv6);
  const DynamicOctets clean{0x1234, 0, 0, 0};
  const DynamicOctets noisy{0xffff1234, 0xffff, 0xffffffff, ~std::uint64_t{0} >> 8};
  for (std::uint8_t state = 0; state < 8; ++state) EXPECT_EQ(crc3_of(l, state, clean), crc3_of(l, state, noisy));
}

// --- Further pieces that the fast paths share ------------------------------------------------------------------------

TEST(Predicted, Ipv4ChecksumFromThePattern) {
  Random random(3);
  for (int round = 0; round < 20'000; ++round) {
    test::PacketSpec spec = test::ip_packet(4);
    spec.ip = {4, random.octet(), random.octet(), random.flip(), random.word(), 0, random.word(), random.word()};
    spec.protocol = random.octet();
    spec.payload.resize(random.below(200));
    const Packet p = build(spec);
    const Layout& l = layout_of(Shape::kIpv4);
    Image pattern;
    masked_copy(p.data(), l.pattern_mask, l.header, pattern);
    ASSERT_EQ(ipv4_sum(p.data()), 0xffff) << "a right header sums to all ones";
    const std::uint16_t length = wire::load_little16(&p[2]);
    const std::uint16_t id = wire::load_little16(&p[4]);
    ASSERT_EQ(ipv4_checksum(ipv4_sum(pattern.data()), length, id), wire::load_little16(&p[10])) << to_hex(p);
  }
}

TEST(Predicted, Rotation) {
  EXPECT_EQ(rotate16(0x1234, 0), 0x1234);
  EXPECT_EQ(rotate16(0x1234, 8), 0x3412);
}

TEST(Predicted, CopyPayloadCopiesEveryLengthAndNoMore) {
  Random random(4);
  for (std::size_t length = 0; length < 700; ++length) {
    Packet from(length);
    for (auto& octet : from) octet = random.octet();
    Packet to(length + 16, 0xa5);
    copy_payload(to.data(), from.data(), length);
    ASSERT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << length;
    for (std::size_t i = length; i < to.size(); ++i) ASSERT_EQ(to[i], 0xa5) << length;
  }
}

}  // namespace
}  // namespace headroom::rohc
