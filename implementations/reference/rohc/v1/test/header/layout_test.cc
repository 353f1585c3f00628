// SPDX-License-Identifier: Apache-2.0
//
// Where the fields of each shape are, and how they are classified.
#include "rohc/v1/header/layout.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc {
namespace {

using test::header_octets;
using test::Packet;
using test::PacketSpec;

std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < kShapeCount; ++i) shapes.push_back(static_cast<Shape>(i));
  return shapes;
}
const std::vector<Shape> kAllShapes = all_shapes();

PacketSpec packet_of(Shape shape) {
  const Layout& l = layout_of(shape);
  PacketSpec spec = l.has_rtp()   ? test::rtp_packet(l.ip_version)
                    : l.has_udp() ? test::udp_packet(l.ip_version)
                    : l.has_esp() ? test::esp_packet(l.ip_version)
                                  : test::ip_packet(l.ip_version);
  if (l.has_coverage()) spec.udp->lite = true;
  if (l.coverage == Coverage::kFixed) spec.udp->coverage = 16;
  return spec;
}

TEST(Layout, ShapesByWhatTheyContain) {
  EXPECT_EQ(shape_for(4, Transport::kNone), Shape::kIpv4);
  EXPECT_EQ(shape_for(6, Transport::kNone), Shape::kIpv6);
  EXPECT_EQ(shape_for(4, Transport::kUdp), Shape::kUdpIpv4);
  EXPECT_EQ(shape_for(6, Transport::kUdp), Shape::kUdpIpv6);
  EXPECT_EQ(shape_for(4, Transport::kRtp), Shape::kRtpIpv4);
  EXPECT_EQ(shape_for(6, Transport::kRtp), Shape::kRtpIpv6);
  EXPECT_EQ(shape_for(4, Transport::kEsp), Shape::kEspIpv4);
  EXPECT_EQ(shape_for(6, Transport::kEsp), Shape::kEspIpv6);
  EXPECT_EQ(shape_for(4, Transport::kUdpLite), Shape::kUdpLiteIpv4);
  EXPECT_EQ(shape_for(6, Transport::kUdpLite), Shape::kUdpLiteIpv6);
  EXPECT_EQ(shape_for(4, Transport::kRtpUdpLite), Shape::kRtpUdpLiteIpv4);
  EXPECT_EQ(shape_for(6, Transport::kRtpUdpLite), Shape::kRtpUdpLiteIpv6);
}

TEST(Layout, EveryShapeIsDescribedOnce) {
  std::set<Shape> shapes;
  for (const unsigned version : {4U, 6U}) {
    for (const Transport t : {Transport::kNone, Transport::kUdp, Transport::kRtp, Transport::kEsp}) {
      shapes.insert(shape_for(version, t));
      EXPECT_EQ(shape_for(version, t, Coverage::kSent), shape_for(version, t)) << "there is no Checksum Coverage";
    }
    for (const Transport t : {Transport::kUdpLite, Transport::kRtpUdpLite}) {
      for (const Coverage c : {Coverage::kInferred, Coverage::kFixed, Coverage::kSent}) {
        const Shape shape = shape_for(version, t, c);
        shapes.insert(shape);
        EXPECT_EQ(layout_of(shape).coverage, c);
        EXPECT_EQ(layout_of(shape).transport, t);
        EXPECT_EQ(layout_of(shape).ip_version, version);
        EXPECT_EQ(with_coverage(shape, Coverage::kInferred), shape_for(version, t));
        EXPECT_TRUE(same_headers(shape, shape_for(version, t)));
        EXPECT_FALSE(same_headers(shape, shape_for(version, Transport::kUdp)));
      }
    }
  }
  EXPECT_EQ(shapes.size(), kShapeCount);
}

TEST(Layout, PrefixesOfChains) {
  const Transport all[] = {Transport::kNone, Transport::kUdp,     Transport::kRtp,
                           Transport::kEsp,  Transport::kUdpLite, Transport::kRtpUdpLite};
  for (const Transport prefix : all) {
    for (const Transport whole : all) {
      const bool expected = prefix == Transport::kNone || prefix == whole ||
                            (prefix == Transport::kUdp && whole == Transport::kRtp) ||
                            (prefix == Transport::kUdpLite && whole == Transport::kRtpUdpLite);
      EXPECT_EQ(is_prefix(prefix, whole), expected) << static_cast<int>(prefix) << " of " << static_cast<int>(whole);
    }
  }
}

TEST(Layout, HeaderLengths) {
  const unsigned expected[] = {20, 40, 28, 48, 40, 60, 28, 48, 28, 48, 28, 48, 28, 48, 40, 60, 40, 60, 40, 60};
  for (std::size_t i = 0; i < kShapeCount; ++i) EXPECT_EQ(kLayouts[i].header, expected[i]);
}

TEST(Layout, OffsetsFindTheFields) {
  for (const Shape shape : kAllShapes) {
    const Layout& l = layout_of(shape);
    PacketSpec spec = packet_of(shape);
    spec.ip.id = 0x1234;
    if (spec.esp) spec.esp = test::EspFields{0x01020304, 0x89abcdef};
    if (spec.rtp) spec.rtp = test::RtpFields{false, false, true, 3, 0x4567, 0x89abcdef, 0xfedcba98};
    const Packet p = build(spec);
    EXPECT_EQ(l.header, header_octets(spec));
    EXPECT_EQ(wire::load16(&p[l.length_at]) + l.length_adds, p.size());
    EXPECT_EQ(l.is_ipv4(), l.ip_version == 4);
    if (l.is_ipv4()) {
      EXPECT_EQ(wire::load16(&p[l.id_at]), 0x1234);
      EXPECT_EQ(l.ip_checksum_at, 10);
    }
    if (l.has_udp()) {
      EXPECT_EQ(wire::load16(&p[l.udp]), spec.udp->source_port);
      EXPECT_EQ(wire::load16(&p[l.udp_length_at]), l.coverage == Coverage::kFixed ? 16 : p.size() - l.udp);
      EXPECT_EQ(l.udp_checksum_at, l.udp + 6);
    }
    if (l.has_rtp()) {
      EXPECT_EQ(p[l.rtp], 0x80);
      EXPECT_EQ(wire::load16(&p[l.sn_at]), 0x4567);
      EXPECT_EQ(wire::load32(&p[l.ts_at]), 0x89abcdefU);
    }
    if (l.has_esp()) {
      EXPECT_EQ(wire::load32(&p[l.ports_at()]), 0x01020304U);
      EXPECT_EQ(wire::load32(&p[l.ts_at]), 0x89abcdefU);
      EXPECT_EQ(wire::load16(&p[l.sn_at]), 0xcdef) << "the low half of the same number";
    }
  }
}

// Code without branches reads and writes at these: inside an image, and never in a header.
TEST(Layout, AbsentFieldsAreNowhere) {
  for (const Shape shape : kAllShapes) {
    const Layout& l = layout_of(shape);
    EXPECT_LE(l.header, kNowhere);
    EXPECT_LE(kNowhere + 4U, kImageSize) << "a whole TS may be written there";
    if (!l.is_ipv4()) {
      EXPECT_EQ(l.id_at, kNowhere);
      EXPECT_EQ(l.ip_checksum_at, kNowhere);
    }
    if (!l.has_udp()) {
      EXPECT_EQ(l.udp_length_at, kNowhere);
      EXPECT_EQ(l.udp_checksum_at, kNowhere);
    }
    EXPECT_EQ(l.sn_mask != 0, l.has_rtp() || l.has_esp());
    if (l.sn_mask == 0) {
      EXPECT_EQ(l.sn_at, kNowhere);
      EXPECT_EQ(l.ts_at, kNowhere);
    }
  }
}

TEST(Layout, EveryDefinitionBitIsAPatternBit) {
  for (const Shape shape : kAllShapes) {
    const Layout& l = layout_of(shape);
    for (std::size_t i = 0; i < kImageSize; ++i) {
      EXPECT_EQ(l.definition_mask[i] & ~l.pattern_mask[i], 0) << "shape " << static_cast<int>(shape) << ", octet " << i;
      if (i >= l.header) {
        EXPECT_EQ(l.pattern_mask[i], 0);
      }
    }
  }
}

// What kind each field is, by altering it in a packet.
struct FieldCase {
  const char* name;
  void (*alter)(PacketSpec&);
  bool definition;
  bool pattern;
};

void expect_kinds(Shape shape, const FieldCase& c) {
  const Layout& l = layout_of(shape);
  PacketSpec spec = packet_of(shape);
  const Packet before = build(spec);
  c.alter(spec);
  const Packet after = build(spec);
  Image image;
  masked_copy(before.data(), l.definition_mask, l.header, image);
  EXPECT_EQ(masked_equal(after.data(), l.definition_mask, image, l.header), !c.definition)
      << c.name << ", shape " << static_cast<int>(shape);
  masked_copy(before.data(), l.pattern_mask, l.header, image);
  EXPECT_EQ(masked_equal(after.data(), l.pattern_mask, image, l.header), !c.pattern)
      << c.name << ", shape " << static_cast<int>(shape);
}

TEST(Layout, KindsOfIpFields) {
  const FieldCase both[] = {
      {"source", [](PacketSpec& s) { s.ip.source ^= 1; }, true, true},
      {"destination", [](PacketSpec& s) { s.ip.destination ^= 0x100; }, true, true},
      {"TOS", [](PacketSpec& s) { s.ip.tos ^= 0xff; }, false, true},
      {"TTL", [](PacketSpec& s) { s.ip.ttl ^= 0xff; }, false, true},
      {"length", [](PacketSpec& s) { s.payload.push_back(1); }, false, false},
  };
  for (const Shape shape : kAllShapes) {
    for (const FieldCase& c : both) expect_kinds(shape, c);
  }
  for (const Shape shape : kAllShapes) {
    if (!layout_of(shape).is_ipv4()) continue;
    expect_kinds(shape, {"IP-ID", [](PacketSpec& s) { s.ip.id ^= 0xffff; }, false, false});
    expect_kinds(shape, {"DF", [](PacketSpec& s) { s.ip.dont_fragment = false; }, false, true});
  }
  for (const Shape shape : kAllShapes) {
    if (layout_of(shape).is_ipv4()) continue;
    expect_kinds(shape, {"flow label", [](PacketSpec& s) { s.ip.flow_label ^= 0x80001; }, true, true});
  }
  for (const Shape shape : {Shape::kIpv4, Shape::kIpv6}) {
    expect_kinds(shape, {"protocol", [](PacketSpec& s) { s.protocol ^= 2; }, true, true});
  }
}

TEST(Layout, KindsOfUdpFields) {
  for (const Shape shape : kAllShapes) {
    if (!layout_of(shape).has_udp() || layout_of(shape).has_coverage()) continue;
    expect_kinds(shape, {"source port", [](PacketSpec& s) { s.udp->source_port ^= 1; }, true, true});
    expect_kinds(shape, {"destination port", [](PacketSpec& s) { s.udp->destination_port ^= 1; }, true, true});
    expect_kinds(shape, {"checksum", [](PacketSpec& s) { s.udp->checksum = false; }, false, false});
  }
}

// RFC 4019 Appendix A: the ports are STATIC-DEF, the checksum is CHANGING, the coverage INFERRED, STATIC or CHANGING.
TEST(Layout, KindsOfUdpLiteFields) {
  for (const Shape shape : kAllShapes) {
    const Layout& l = layout_of(shape);
    if (!l.has_coverage()) continue;
    expect_kinds(shape, {"source port", [](PacketSpec& s) { s.udp->source_port ^= 1; }, true, true});
    expect_kinds(shape, {"destination port", [](PacketSpec& s) { s.udp->destination_port ^= 1; }, true, true});
    expect_kinds(shape,
                 {"coverage", [](PacketSpec& s) { s.udp->coverage = 12; }, false, l.coverage == Coverage::kFixed});
  }
}

// RFC 3095 Appendix A.5 (5.7.7.7): the SPI is STATIC-DEF, the Sequence Number CHANGING.
TEST(Layout, KindsOfEspFields) {
  for (const Shape shape : {Shape::kEspIpv4, Shape::kEspIpv6}) {
    expect_kinds(shape, {"SPI", [](PacketSpec& s) { s.esp->spi ^= 1; }, true, true});
    expect_kinds(shape, {"SN", [](PacketSpec& s) { s.esp->sn ^= 0xffffffff; }, false, false});
  }
}

TEST(Layout, KindsOfRtpFields) {
  for (const Shape shape : kAllShapes) {
    if (!layout_of(shape).has_rtp()) continue;
    expect_kinds(shape, {"SSRC", [](PacketSpec& s) { s.rtp->ssrc ^= 1; }, true, true});
    expect_kinds(shape, {"payload type", [](PacketSpec& s) { s.rtp->payload_type = 8; }, false, true});
    expect_kinds(shape, {"marker", [](PacketSpec& s) { s.rtp->marker = true; }, false, true});
    expect_kinds(shape, {"padding", [](PacketSpec& s) { s.rtp->padding = true; }, false, true});
    expect_kinds(shape, {"extension", [](PacketSpec& s) { s.rtp->extension = true; }, false, true});
    expect_kinds(shape, {"SN", [](PacketSpec& s) { s.rtp->sn ^= 0xffff; }, false, false});
    expect_kinds(shape, {"TS", [](PacketSpec& s) { s.rtp->ts ^= 0xffffffff; }, false, false});
  }
}

TEST(Layout, MaskedCopyClearsTheRest) {
  Image image;
  image.fill(0xee);
  const Packet p = build(test::rtp_packet(4));
  masked_copy(p.data(), layout_of(Shape::kIpv4).definition_mask, 20, image);
  EXPECT_EQ(image[0], 0x45);
  EXPECT_EQ(image[2], 0) << "length is masked out";
  EXPECT_EQ(image[9], 17);
  for (std::size_t i = 20; i < kImageSize; ++i) EXPECT_EQ(image[i], 0);
}

}  // namespace
}  // namespace headroom::rohc
