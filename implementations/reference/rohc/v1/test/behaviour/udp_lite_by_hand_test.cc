// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of profiles 0x0007 and 0x0008, RTP/UDP-Lite and UDP-Lite, octet by octet: RFC 4019 5.1 to 5.5
// and 5.8, RFC 4815 11. The octets were worked out by hand from the figures, the checksums and CRCs with a program of a
// few lines that shares nothing with this one.
#include <gtest/gtest.h>

#include <vector>

#include "rohc/framework/test/support/random.h"
#include "rohc/framework/wire/crc.h"
#include "rohc/v1/test/support/hand_made.h"
#include "rohc/v1/test/support/steady_flow.h"

namespace headroom::rohc {
namespace {

using test::crafted;
using test::crafted_initialisation;
using test::decompress;
using test::hex;
using test::joined;
using test::Packet;
using test::PacketSpec;
using test::to_hex;
using wire::Cce;
using wire::PacketType;

constexpr unsigned kRtpUdpLite = 7;
constexpr unsigned kUdpLite = 8;
constexpr std::uint8_t kOnce = 0xf9;  // CCE(), CCE(ON), CCE(OFF): 111110FK
constexpr std::uint8_t kOn = 0xfa;
constexpr std::uint8_t kOff = 0xfb;

Packet octets(unsigned count) {
  Packet p;
  for (unsigned i = 1; i <= count; ++i) p.push_back(static_cast<std::uint8_t>(i));
  return p;
}

struct Step {
  const char* header;  // on the link
  unsigned payload;    // octets 01 02 03 …
  int coverage;        // -1: the length of the datagram
};

PacketSpec original(const Step& step) {
  PacketSpec s = test::udp_lite_packet(6);
  s.payload = octets(step.payload);
  if (step.coverage >= 0) s.udp->coverage = static_cast<std::uint16_t>(step.coverage);
  return s;
}

class UdpLiteByHand : public test::HandMade {
 protected:
  void expect_all(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      SCOPED_TRACE(step.header);
      expect_delivered(joined(hex(step.header), octets(step.payload)), original(step));
    }
  }
};

// 5.2.1: ports; coverage and checksum; then the SN that the compressor makes (RFC 3095 5.11.1).
#define IR_CHAIN_IPV6 \
  "60 0000 88 20010db8 00000000 00000000 00000001 20010db8 00000000 00000000 00000002 | 7530 9c40 | 00 40 00 |"

// All that a context can hold of the Checksum Coverage, in one series with SNs from 0x100 on
// (5.2.2, 5.3.1, 5.3.2, 5.5).
TEST_F(UdpLiteByHand, EveryStateOfTheCoverage) {
  expect_all({
      {"fd 08 c3 |" IR_CHAIN_IPV6 "0012 794f | 0100", 10, -1},  // equal to the length: CFP = 0, CFI = 1
      {"0b | 613d", 13, -1},                                    // inferred, also for another length
      {"f9 11 | 0008 9277", 10, 8},                             // CCE() for once
      {"19 | 794f", 10, -1},                                    // has changed nothing
      {"fa 20 | 000c 8e6d", 10, 12},                            // CCE(ON): CFP = 1
      {"2f | 0009 9173", 13, 9},                                // so the field is there
      {"f9 35 | 000a 9173", 10, 10},                            // once, not twice, in a CCE packet
      {"39 | 0012 794f", 10, 18},                               //
      {"fb 40 | 000c 8e6d", 10, 12},                            // CCE(OFF): CFP = 0, CFI = 0, context(coverage) = 12
      {"4b | 8e6a", 13, 12},                                    //
      {"f9 50 | 0000 7961", 10, 0},                             // CCE(): context(coverage) stays
      {"58 | 8e6d", 10, 12},                                    //
      {"fb 61 | 0012 794f", 10, -1},                            // CCE(OFF) with the length itself: CFI = 1
      {"6b | 613d", 13, -1},                                    //
  });
  EXPECT_EQ(decompressor_.counters().cce, (std::array<std::uint64_t, 4>{0, 3, 1, 2}));
}

// 5.2.2: "set to a nonzero value if the Checksum Coverage field differs from the length".
TEST_F(UdpLiteByHand, AnIrWithAnotherCoverageThanTheLengthTurnsTheFieldOn) {
  expect_all({{"fd 08 fb |" IR_CHAIN_IPV6 "000c 8e6d | 0100", 10, 12}, {"0d | 000d 896c", 10, 13}});
}

#undef IR_CHAIN_IPV6

// --- By the wire format's own writers: cases beyond the series above -------------------------------------------------

PacketSpec with_coverage(int coverage, unsigned payload = 10, unsigned version = 6) {
  PacketSpec s = original({"", payload, coverage});
  s.ip.version = version;
  return s;
}

Packet coverage_and_checksum(const PacketSpec& s) {
  const Packet p = build(s);
  const std::size_t at = test::header_octets(s) - (s.rtp ? 12 : 0) - 4;
  return {p.begin() + static_cast<std::ptrdiff_t>(at), p.begin() + static_cast<std::ptrdiff_t>(at + 4)};
}
Packet checksum_of(const PacketSpec& s) {
  const Packet both = coverage_and_checksum(s);
  return {both.begin() + 2, both.end()};
}

TEST_F(UdpLiteByHand, CceAroundUor2AndUo1) {
  test::ChainOptions o;
  o.sn = 0x20;
  establish(with_coverage(-1), kUdpLite, o);
  const PacketSpec on = with_coverage(12);
  expect_delivered(
      crafted(on, test::with_sn(PacketType::kUor2, 0x21), std::nullopt, coverage_and_checksum(on), {}, Cce::kOn), on);
  expect_delivered(
      crafted(on, test::with_sn(PacketType::kUo1, 0x22), std::nullopt, coverage_and_checksum(on), {}, Cce::kOnce), on);
  wire::Extension e;
  e.kind = 3;
  e.inner.present = true;
  e.inner.has_ttl = true;
  e.inner.ttl = 7;
  e.mode = wire::Mode::kUnidirectional;
  PacketSpec off = with_coverage(9);
  off.ip.ttl = 7;
  expect_delivered(crafted(off, test::with_sn(PacketType::kUor2, 0x23), e, coverage_and_checksum(off), {}, Cce::kOff),
                   off);
  EXPECT_EQ(last_.type(), PacketType::kUor2) << "the properties of the inner packet are maintained (5.3.2)";
  expect_delivered(crafted(off, test::with_sn(PacketType::kUo0, 0x24), std::nullopt, checksum_of(off)), off);
}

// "If field(UDP-Lite Checksum Coverage) is equal to the packet length", also where context(coverage) has the same
// value: the "match with the packet length always has precedence" (5.3.2.3).
TEST_F(UdpLiteByHand, CceOffPrefersTheLength) {
  test::ChainOptions o;
  o.sn = 0x20;
  establish(with_coverage(18, 12), kUdpLite, o);  // differs from the length, 20
  const PacketSpec fixed = with_coverage(18, 12);
  const PacketSpec whole = with_coverage(18, 10);
  const PacketSpec longer = with_coverage(-1, 15);
  expect_delivered(
      crafted(fixed, test::with_sn(PacketType::kUo0, 0x21), std::nullopt, coverage_and_checksum(fixed), {}, Cce::kOff),
      fixed);
  expect_delivered(
      crafted(whole, test::with_sn(PacketType::kUo0, 0x22), std::nullopt, coverage_and_checksum(whole), {}, Cce::kOff),
      whole);
  expect_delivered(crafted(longer, test::with_sn(PacketType::kUo0, 0x23), std::nullopt, checksum_of(longer)), longer);
}

// A packet that fails its CRC changes nothing (RFC 3095 5.3.2.2.2).
TEST_F(UdpLiteByHand, DamagedCceLeavesTheContextAlone) {
  test::ChainOptions o;
  o.sn = 0x20;
  establish(with_coverage(-1), kUdpLite, o);
  const PacketSpec on = with_coverage(12);
  Packet damaged =
      crafted(on, test::with_sn(PacketType::kUo0, 0x21), std::nullopt, coverage_and_checksum(on), {}, Cce::kOn);
  damaged[1] ^= 1;
  EXPECT_EQ(give(damaged).status, HEADROOM_ERR_CRC);
  const PacketSpec next = with_coverage(-1);
  expect_delivered(crafted(next, test::with_sn(PacketType::kUo0, 0x22), std::nullopt, checksum_of(next)), next);
}

TEST_F(UdpLiteByHand, TruncatedAndNestedCceIsMalformed) {
  test::ChainOptions o;
  o.sn = 0x20;
  const PacketSpec on = with_coverage(12);
  PacketSpec bare = on;
  bare.payload.clear();
  const Packet whole =
      crafted(bare, test::with_sn(PacketType::kUor2, 0x21), std::nullopt, coverage_and_checksum(on), {}, Cce::kOn);
  for (std::size_t length = 1; length < whole.size(); ++length) {
    establish(with_coverage(-1), kUdpLite, o);  // or the decompressor would soon believe in a damaged context
    EXPECT_EQ(give({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}).status, HEADROOM_ERR_MALFORMED)
        << length;
  }
  for (const char* inner : {"f9 08", "f8 08", "fd 08", "e1 08", "f0 08", "fe 08"}) {
    establish(with_coverage(-1), kUdpLite, o);
    EXPECT_EQ(give(joined(joined({kOnce}, hex(inner)), octets(20))).status, HEADROOM_ERR_MALFORMED) << inner;
  }
}

// In other profiles these octets mean nothing.
TEST_F(UdpLiteByHand, CceElsewhereIsMalformed) {
  PacketSpec udp = test::udp_packet(6);
  establish(udp, 2);
  for (const std::uint8_t type : {kOnce, kOn, kOff})
    EXPECT_EQ(give(joined({type}, octets(30))).status, HEADROOM_ERR_MALFORMED);
  Decompressor empty{DecompressorConfig{}};
  EXPECT_EQ(decompress(empty, joined({kOn}, octets(30))).status, HEADROOM_ERR_NO_CONTEXT);
}

// In Static Context state only packets with seven bits of CRC or more are taken (RFC 3095 5.3.2.2.1): what counts is
// the packet in the CCE packet.
TEST_F(UdpLiteByHand, StatesGoByTheInnerType) {
  test::ChainOptions o;
  o.sn = 0x20;
  establish(with_coverage(-1), kUdpLite, o);
  const PacketSpec on = with_coverage(12);
  const auto cce = [&](PacketType type, unsigned sn) {
    return crafted(on, test::with_sn(type, sn), std::nullopt, coverage_and_checksum(on), {}, Cce::kOn);
  };
  while (state() == DecompressorState::kFc) {
    Packet damaged = cce(PacketType::kUo0, 0x21);
    damaged[1] ^= 1;
    give(damaged);
  }
  EXPECT_EQ(give(cce(PacketType::kUo0, 0x21)).status, HEADROOM_ERR_STATE);
  expect_delivered(cce(PacketType::kUor2, 0x21), on);
  EXPECT_EQ(state(), DecompressorState::kFc);
}

// 5.2: a context of profile 0x0007 may be reused, as in ROHC UDP (RFC 3095 5.11.1); not one of UDP proper.
TEST_F(UdpLiteByHand, IrDynReusesARtpContext) {
  PacketSpec rtp = test::rtp_udp_lite_packet(4);
  establish(rtp, kRtpUdpLite);
  PacketSpec plain = test::udp_lite_packet(4);
  plain.udp->coverage = 8;
  test::ChainOptions o;
  o.sn = 9;
  EXPECT_EQ(give(crafted_initialisation(test::kIrDyn, 2, test::dynamic_chain(test::udp_packet(4), 2, o), plain.payload))
                .status,
            HEADROOM_ERR_MALFORMED);
  expect_delivered(
      crafted_initialisation(test::kIrDyn, kUdpLite, test::dynamic_chain(plain, kUdpLite, o), plain.payload), plain);
  EXPECT_EQ(last_.detail.profile, kUdpLite);
}

// RFC 4815 6.3, and the state of the coverage is "the rest of the context".
TEST_F(UdpLiteByHand, IrWithoutDynamicChainKeepsTheCoverage) {
  test::ChainOptions o;
  o.sn = 0x20;
  establish(with_coverage(12), kUdpLite, o);  // CFP = 1
  EXPECT_EQ(
      give(crafted_initialisation(test::kIrStaticOnly, kUdpLite, test::static_chain(with_coverage(0), kUdpLite), {}))
          .status,
      HEADROOM_NOTHING);
  const PacketSpec next = with_coverage(9);
  expect_delivered(crafted(next, test::with_sn(PacketType::kUo0, 0x21), std::nullopt, coverage_and_checksum(next)),
                   next);
}

TEST_F(UdpLiteByHand, StaticChainMustBeOfUdpLite) {
  const PacketSpec udp = test::udp_packet(4);
  test::ChainOptions o;
  EXPECT_EQ(give(crafted_initialisation(test::kIr, kUdpLite, test::whole_chain(udp, 2, o), udp.payload)).status,
            HEADROOM_ERR_MALFORMED);
  const PacketSpec lite = test::udp_lite_packet(4);
  EXPECT_EQ(give(crafted_initialisation(test::kIr, 2, test::whole_chain(lite, kUdpLite, o), lite.payload)).status,
            HEADROOM_ERR_MALFORMED);
}

// The outer packet type takes the place of the first octet: CIDs stand where they always do (Appendix B).
TEST(UdpLite, CidsOfCcePackets) {
  const PacketSpec s = with_coverage(-1);
  const PacketSpec on = with_coverage(12);
  struct Case {
    bool large;
    const char* ir_start;
    const char* cce;  // UOR-2 with SN 0x101, CRC 0x20
  };
  for (const Case& c : {Case{false, "e3 fd", "e3 fa c1 20"}, Case{true, "fd 05", "fa 05 c1 20"},
                        Case{true, "fd 81 00", "fa 81 00 c1 20"}}) {
    DecompressorConfig config;
    config.channel.large_cids = c.large;
    config.channel.max_cid = c.large ? 500 : 15;
    Decompressor d(config);
    test::ChainOptions o;
    o.sn = 0x100;
    Packet ir = joined(joined(hex(c.ir_start), hex("08 00")), test::whole_chain(s, kUdpLite, o));
    ir[hex(c.ir_start).size() + 1] = wire::crc8(ir);
    ASSERT_EQ(decompress(d, joined(ir, s.payload)).status, HEADROOM_OK);
    const auto r = decompress(d, joined(joined(hex(c.cce), hex("000c 8e6d")), on.payload));
    EXPECT_EQ(r.status, HEADROOM_OK) << c.cce;
    EXPECT_EQ(to_hex(r.octets), to_hex(build(on)));
  }
}

// 5.6: a mode of 0 cancels the transition that the decompressor asked for.
TEST_F(UdpLiteByHand, ModeZeroDeclinesATransition) {
  DecompressorConfig config;
  config.mode = wire::Mode::kOptimistic;
  Decompressor d(config);
  test::ChainOptions o;
  o.sn = 0x20;
  const PacketSpec s = with_coverage(-1);
  const auto deliver = [&](const Packet& p) { EXPECT_EQ(decompress(d, p).status, HEADROOM_OK); };
  deliver(crafted_initialisation(test::kIr, kUdpLite, test::whole_chain(s, kUdpLite, o), s.payload));
  d.set_mode(wire::Mode::kUnidirectional);
  wire::Extension cancel;
  cancel.kind = 3;
  cancel.mode = wire::Mode::kCancel;
  for (unsigned sn = 0x21; sn < 0x24; ++sn)
    deliver(crafted(s, test::with_sn(PacketType::kUor2, sn), cancel, checksum_of(s)));
  deliver(crafted(s, test::with_sn(PacketType::kUo0, 0x24), std::nullopt, checksum_of(s)));
  (void)test::take_all(d.own_feedback());
  for (unsigned sn = 0x25; sn < 0x30; ++sn)
    deliver(crafted(s, test::with_sn(PacketType::kUo0, sn), std::nullopt, checksum_of(s)));
  EXPECT_TRUE(test::take_all(d.own_feedback()).empty()) << "no further request for the declined mode";
}

}  // namespace
}  // namespace headroom::rohc
