// SPDX-License-Identifier: Apache-2.0
//
// Extension 3 as another compressor may send it: flags that change how the rest is read, fields that must be ignored,
// contradictions that must be refused (RFC 3095 5.7.3 and 5.7.5, RFC 3843 3.3, RFC 4815 4.2, 4.6, 6.2, 8.3 and 8.4).
// All packets are made by hand.
#include <gtest/gtest.h>

#include <optional>

#include "rohc/v1/test/support/hand_made.h"

namespace headroom::rohc {
namespace {

using test::base;
using test::crafted;
using test::hex;
using test::later;
using test::Packet;
using test::PacketSpec;
using test::plain_rtp;
using test::Restored;
using test::with_sn;
using test::with_stride;
using wire::BaseHeader;
using wire::Extension;
using wire::PacketType;

class Extension3 : public test::HandMade {};

Extension extension_3() {
  Extension e;
  e.kind = 3;
  return e;
}

// "If the two M field values of such a packet are not identical, the packet MUST be discarded" (RFC 4815 8.4).
TEST_F(Extension3, MarkersThatDisagree) {
  const PacketSpec s = plain_rtp();
  for (const PacketType type : {PacketType::kUor2Id, PacketType::kUor2Ts}) {
    for (const bool in_base : {false, true}) {
      for (const bool in_extension : {false, true}) {
        establish(s, 1, with_stride());
        PacketSpec next = later(s);
        next.rtp->marker = in_base;
        BaseHeader h = base(type, next);
        h.ts.value = next.rtp->ts / 160;
        h.id.value = static_cast<std::uint32_t>(next.ip.id - next.rtp->sn);
        Extension e = extension_3();
        e.rtp.present = true;
        e.rtp.mode = wire::Mode::kUnidirectional;
        e.rtp.marker = in_extension;
        const Packet link = crafted(next, h, e);
        if (in_base == in_extension) {
          expect_delivered(link, next);
        } else {
          EXPECT_EQ(give(link).status, HEADROOM_ERR_MALFORMED);
        }
      }
    }
  }
}

// UO-1-ID has no M of its own: that of the extension counts.
TEST_F(Extension3, MarkerOfUo1IdIsInTheExtension) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  PacketSpec next = later(s);
  next.rtp->marker = true;
  Extension e = extension_3();
  e.rtp.present = e.rtp.marker = true;
  e.rtp.mode = wire::Mode::kUnidirectional;
  BaseHeader h = base(PacketType::kUo1Id, next);
  h.id.value = static_cast<std::uint32_t>(next.ip.id - next.rtp->sn);
  expect_delivered(crafted(next, h, e), next);
}

// "If a packet with no TS bits is received with Tsc = 0, the decompressor MUST discard the packet" (RFC 4815 4.2).
TEST_F(Extension3, UnscaledTimestampWithoutBits) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  Extension e = extension_3();
  e.tsc = false;
  BaseHeader h = base(PacketType::kUor2Id, later(s));
  h.id.value = static_cast<std::uint32_t>(s.ip.id - s.rtp->sn);
  EXPECT_EQ(give(crafted(later(s), h, e)).status, HEADROOM_ERR_MALFORMED);
  e.tsc = true;
  expect_delivered(crafted(later(s), h, e), later(s));
}

// "If field(Tsc) = 1, and if TSS = 1 …, field(TS_STRIDE) MUST be ignored and discarded" (RFC 4815 4.6).
TEST_F(Extension3, StrideBesideAScaledTimestampIsIgnored) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  Extension e = extension_3();
  e.rtp.present = e.rtp.has_ts_stride = true;
  e.rtp.mode = wire::Mode::kUnidirectional;
  e.rtp.ts_stride = 240;
  BaseHeader h = base(PacketType::kUor2Ts, later(s));
  h.ts.value = later(s).rtp->ts / 160;
  expect_delivered(crafted(later(s), h, e), later(s));
  expect_delivered(crafted(later(s, 2), base(PacketType::kUo0, later(s, 2))), later(s, 2));
}

TEST_F(Extension3, StrideBesideAnUnscaledTimestampIsTaken) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  PacketSpec next = later(s);
  next.rtp->ts += 77;
  Extension e = extension_3();
  e.tsc = false;
  e.ts = {next.rtp->ts & 0x3fff, 14};
  e.rtp.present = e.rtp.has_ts_stride = true;
  e.rtp.mode = wire::Mode::kUnidirectional;
  e.rtp.ts_stride = 240;
  BaseHeader h = base(PacketType::kUor2Ts, next);
  h.ts.value = next.rtp->ts >> 14;
  expect_delivered(crafted(next, h, e), next);
  PacketSpec after = later(next);
  after.rtp->ts += 80;  // 240 in all
  expect_delivered(crafted(after, base(PacketType::kUo0, after)), after);
}

// "Other values provided in extensions do not update the context" (RFC 4815 6.2).
TEST_F(Extension3, Uo1IdWithExtension3UpdatesNumbersOnly) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  PacketSpec next = later(s);
  next.ip.tos = 0xb8;
  next.ip.ttl = 9;
  next.rtp->payload_type = 18;
  next.ip.id = static_cast<std::uint16_t>(next.ip.id + 3);
  Extension e = extension_3();
  e.inner.present = e.inner.has_tos = e.inner.has_ttl = e.inner.df = e.inner.nbo = true;
  e.inner.tos = next.ip.tos;
  e.inner.ttl = next.ip.ttl;
  e.rtp.present = e.rtp.has_payload_type = true;
  e.rtp.payload_type = 18;
  e.rtp.mode = wire::Mode::kUnidirectional;
  BaseHeader h = base(PacketType::kUo1Id, next);
  h.id.value = static_cast<std::uint32_t>(next.ip.id - next.rtp->sn);
  expect_delivered(crafted(next, h, e), next);
  PacketSpec after = later(s, 2);
  after.ip.id =
      static_cast<std::uint16_t>(next.ip.id + 1);  // the offset has been updated, TOS, TTL and payload type have not
  expect_delivered(crafted(after, base(PacketType::kUo0, after)), after);
}

// "When a flag changes in Extension 3, a decompressor MUST re-parse the UOR-2* packet" (RFC 4815 8.3).
TEST_F(Extension3, RndInTheExtensionDecidesHowTheBaseHeaderIsRead) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  PacketSpec next = later(s);
  next.ip.id = 0xabcd;
  Extension e = extension_3();
  e.inner.present = e.inner.df = e.inner.rnd = e.inner.nbo = true;
  BaseHeader h = base(PacketType::kUor2, next);  // no T bit any more
  h.ts.value = next.rtp->ts / 160;
  expect_delivered(crafted(next, h, e, hex("ab cd")), next);
  PacketSpec after = later(next);
  after.ip.id = 0x1234;
  expect_delivered(crafted(after, base(PacketType::kUo0, after), std::nullopt, hex("12 34")), after);
  // And back to a counter.
  PacketSpec counted = later(after);
  counted.ip.id = 0x2000;
  Extension back = extension_3();
  back.inner.present = back.inner.df = back.inner.nbo = true;
  back.id = {static_cast<std::uint32_t>(counted.ip.id - counted.rtp->sn) & 0xffff, 16};
  BaseHeader with_id = base(PacketType::kUor2Id, counted);
  expect_delivered(crafted(counted, with_id, back), counted);
  expect_delivered(crafted(later(counted), base(PacketType::kUo0, later(counted))), later(counted));
}

TEST_F(Extension3, NboInTheExtensionSwapsTheIpId) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  PacketSpec next = later(s);
  next.ip.id = wire::swap16(0x0300);
  Extension e = extension_3();
  e.inner.present = e.inner.df = true;  // NBO = 0
  e.id = {static_cast<std::uint32_t>(0x0300 - next.rtp->sn) & 0xffff, 16};
  expect_delivered(crafted(next, base(PacketType::kUor2Id, next), e), next);
  PacketSpec after = later(next);
  after.ip.id = wire::swap16(0x0301);
  expect_delivered(crafted(after, base(PacketType::kUo0, after)), after);
}

// Type 1 headers cannot establish RND = 1: re-parsed, they would have no extension.
TEST_F(Extension3, RndInAUo1IdIsRefused) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  Extension e = extension_3();
  e.inner.present = e.inner.df = e.inner.rnd = true;
  const Restored r = give(crafted(later(s), base(PacketType::kUo1Id, later(s)), e, hex("01 f5")));
  EXPECT_EQ(r.status, HEADROOM_ERR_MALFORMED);
}

TEST_F(Extension3, OuterFieldsWithoutOuterHeader) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  Extension e = extension_3();
  e.inner.present = e.inner.df = e.inner.nbo = e.outer.present = true;
  EXPECT_EQ(give(crafted(later(s), base(PacketType::kUor2Id, later(s)), e)).status, HEADROOM_ERR_MALFORMED);
}

TEST_F(Extension3, TimeStrideInTheExtensionIsRefused) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  Extension e = extension_3();
  e.rtp.present = e.rtp.has_time_stride = true;
  e.rtp.time_stride = 20;
  EXPECT_EQ(give(crafted(later(s), base(PacketType::kUor2Id, later(s)), e)).status, HEADROOM_ERR_MALFORMED);
}

// Constant IP-ID (RFC 3843 3.3): "context(SID) = 1, hdr(IP-ID) is constant and compressed away".
TEST_F(Extension3, SidKeepsTheIpId) {
  PacketSpec ip = test::ip_packet(4);
  ip.ip.id = 0x4242;
  test::ChainOptions o;
  o.id.sid = true;
  o.sn = 10;
  establish(ip, 4, o);
  for (unsigned sn = 11; sn < 40; ++sn) expect_delivered(crafted(ip, with_sn(PacketType::kUo0, sn)), ip);
}

// Fields behind the header that a truncated packet lacks.
TEST_F(Extension3, TruncatedCompressedHeaders) {
  PacketSpec s = plain_rtp();
  s.udp->checksum = true;
  test::ChainOptions o = with_stride();
  o.id.rnd = true;
  establish(s, 1, o);
  for (const char* octets :
       {"28", "28 01", "28 01 02", "28 01 02 03", "80", "80 00", "c0", "c0 00", "c0 00 80 ff ff ff", "c0 00 80 c0"}) {
    const Restored r = give(hex(octets));
    EXPECT_LT(r.status, 0) << octets;
  }
}

}  // namespace
}  // namespace headroom::rohc
