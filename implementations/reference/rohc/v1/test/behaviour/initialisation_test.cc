// SPDX-License-Identifier: Apache-2.0
//
// IR and IR-DYN packets as another compressor may send them: parts left out, profiles switched, contradictions that
// must be refused (RFC 3095 5.7.7 and 5.11.1, RFC 3843 3.1 and 3.5, RFC 4815 6.3 and 7.2). All packets are made by
// hand.
#include <gtest/gtest.h>

#include <optional>
#include <tuple>

#include "rohc/v1/test/support/hand_made.h"

namespace headroom::rohc {
namespace {

using test::base;
using test::build;
using test::crafted;
using test::crafted_initialisation;
using test::dynamic_chain;
using test::header_octets;
using test::hex;
using test::joined;
using test::kIr;
using test::kIrDyn;
using test::kIrStaticOnly;
using test::later;
using test::Packet;
using test::PacketSpec;
using test::plain_rtp;
using test::Restored;
using test::static_chain;
using test::to_hex;
using test::udp_packet;
using test::whole_chain;
using test::with_sn;
using test::with_stride;
using wire::PacketType;

class Initialisation : public test::HandMade {};

// --- IR --------------------------------------------------------------------------------------------------------------

TEST_F(Initialisation, IrEstablishesAndUo0Follows) {
  for (const unsigned version : {4U, 6U}) {
    const PacketSpec s = plain_rtp(version);
    establish(s, 1, with_stride());
    expect_delivered(crafted(later(s), base(PacketType::kUo0, later(s))), later(s));
  }
}

// "Simply updates the static part of the context, while the rest of the context is left unchanged" (RFC 4815 6.3).
TEST_F(Initialisation, IrWithoutDynamicChainKeepsTheDynamicPart) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  EXPECT_EQ(give(crafted_initialisation(kIrStaticOnly, 1, static_chain(s, 1), {})).status, HEADROOM_NOTHING);
  EXPECT_EQ(state(), DecompressorState::kFc);
  expect_delivered(crafted(later(s), base(PacketType::kUo0, later(s))), later(s));
}

TEST_F(Initialisation, IrWithoutDynamicChainForAnUnknownContextIsNotEnough) {
  const PacketSpec s = plain_rtp();
  EXPECT_EQ(give(crafted_initialisation(kIrStaticOnly, 1, static_chain(s, 1), {})).status, HEADROOM_NOTHING);
  EXPECT_EQ(state(), DecompressorState::kSc);
  EXPECT_EQ(give(crafted(later(s), base(PacketType::kUo0, later(s)))).status, HEADROOM_ERR_STATE)
      << "no dynamic part, no CRC-3";
  expect_delivered(crafted_initialisation(kIrDyn, 1, dynamic_chain(s, 1, with_stride()), s.payload), s);
  EXPECT_EQ(state(), DecompressorState::kFc);
  expect_delivered(crafted(later(s), base(PacketType::kUo0, later(s))), later(s));
}

TEST_F(Initialisation, IrWithoutDynamicChainChangesTheStaticPart) {
  const PacketSpec s = plain_rtp();
  establish(s, 1, with_stride());
  PacketSpec other = s;
  other.rtp->ssrc = 0xdeadbeef;
  other.ip.destination = 99;
  EXPECT_EQ(give(crafted_initialisation(kIrStaticOnly, 1, static_chain(other, 1), {})).status, HEADROOM_NOTHING);
  expect_delivered(crafted(later(other), base(PacketType::kUo0, later(other))), later(other));
}

TEST_F(Initialisation, IrWithoutDynamicChainForOtherHeadersNeedsADynamicPart) {
  establish(plain_rtp(4), 1, with_stride());
  const PacketSpec six = plain_rtp(6);
  EXPECT_EQ(give(crafted_initialisation(kIrStaticOnly, 1, static_chain(six, 1), {})).status, HEADROOM_NOTHING);
  EXPECT_EQ(state(), DecompressorState::kSc);
  expect_delivered(crafted_initialisation(kIrDyn, 1, dynamic_chain(six, 1, with_stride()), six.payload), six);
}

TEST_F(Initialisation, PayloadOfAnIrWithoutDynamicChainCannotBeDelivered) {
  const PacketSpec s = plain_rtp();
  EXPECT_EQ(give(crafted_initialisation(kIrStaticOnly, 1, static_chain(s, 1), s.payload)).status, HEADROOM_ERR_STATE);
}

// "Cause a packet to be delivered to upper layers if and only if the payload is non-empty" (5.7.7).
TEST_F(Initialisation, IrAndIrDynWithoutPayloadDeliverNothing) {
  PacketSpec s = plain_rtp();
  EXPECT_EQ(give(crafted_initialisation(kIr, 1, whole_chain(s, 1, with_stride()), {})).status, HEADROOM_NOTHING);
  EXPECT_EQ(state(), DecompressorState::kFc);
  EXPECT_EQ(give(crafted_initialisation(kIrDyn, 1, dynamic_chain(later(s), 1, with_stride()), {})).status,
            HEADROOM_NOTHING);
  expect_delivered(crafted(later(s, 2), base(PacketType::kUo0, later(s, 2))), later(s, 2));
}

TEST_F(Initialisation, EveryBitOfAnIrHeaderIsProtected) {
  const PacketSpec s = plain_rtp();
  const Packet ir = crafted_initialisation(kIr, 1, whole_chain(s, 1, with_stride()), s.payload);
  const std::size_t header = ir.size() - s.payload.size();
  for (std::size_t bit = 0; bit < 8 * header; ++bit) {
    Decompressor fresh{DecompressorConfig{}};
    Packet wrong = ir;
    wrong[bit / 8] = static_cast<std::uint8_t>(wrong[bit / 8] ^ 0x80U >> bit % 8);
    const Restored r = test::decompress(fresh, wrong);
    EXPECT_NE(r.status, HEADROOM_OK) << "bit " << bit;
    EXPECT_EQ(fresh.contexts_in_use(), 0U) << "bit " << bit;
  }
}

TEST_F(Initialisation, TruncatedIrIsRefused) {
  const PacketSpec s = plain_rtp();
  const Packet chains = whole_chain(s, 1, with_stride());
  const Packet ir = crafted_initialisation(kIr, 1, chains, {});
  for (std::size_t length = 1; length < ir.size(); ++length) {
    const Packet cut(ir.begin(), ir.begin() + static_cast<std::ptrdiff_t>(length));
    const Restored r = give(cut);
    EXPECT_LT(r.status, 0) << length;
  }
  EXPECT_EQ(decompressor_.contexts_in_use(), 0U);
}

TEST_F(Initialisation, ProfilesThatAreNotThere) {
  const PacketSpec s = plain_rtp();
  for (const unsigned profile : {5U, 6U, 9U, 255U}) {
    EXPECT_EQ(
        give(crafted_initialisation(kIr, static_cast<std::uint8_t>(profile), whole_chain(s, 1), s.payload)).status,
        HEADROOM_ERR_UNSUPPORTED);
  }
  DecompressorConfig config;
  config.channel.profiles.rtp = false;
  Decompressor without_rtp(config);
  EXPECT_EQ(test::decompress(without_rtp, crafted_initialisation(kIr, 1, whole_chain(s, 1), s.payload)).status,
            HEADROOM_ERR_UNSUPPORTED)
      << "not among PROFILES";
}

// "MUST end with the static and dynamic parts of an RTP header. If not, the packet MUST be discarded and the context
// MUST NOT be updated" (5.7.7.2).
TEST_F(Initialisation, ChainsMustEndAsTheProfileSays) {
  PacketSpec tcp = plain_rtp();
  Packet chain = static_chain(tcp, 1);
  chain[1] = 6;  // the IPv4 static part announces TCP
  EXPECT_EQ(give(crafted_initialisation(kIr, 1, joined(chain, dynamic_chain(tcp, 1)), tcp.payload)).status,
            HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(decompressor_.contexts_in_use(), 0U);
}

TEST_F(Initialisation, TerminatedChainIsOfTheIpProfileOnly) {
  PacketSpec ip = test::ip_packet(4);
  ip.protocol = 4;
  ip.ip.id = 7;
  Packet chain = static_chain(ip, 4);
  chain[0] |= 0x80;  // RFC 3843 3.1
  test::ChainOptions o;
  o.sn = 9;
  expect_delivered(crafted_initialisation(kIr, 4, joined(chain, dynamic_chain(ip, 4, o)), ip.payload), ip);
  PacketSpec udp = udp_packet(4);
  Packet other = static_chain(udp, 2);
  other[0] |= 0x80;
  EXPECT_EQ(give(crafted_initialisation(kIr, 2, joined(other, dynamic_chain(udp, 2)), udp.payload)).status,
            HEADROOM_ERR_MALFORMED);
}

// "The IP-only profile … supports compression of an arbitrary number of IP levels" (RFC 3843 3.2); the others do not.
TEST_F(Initialisation, ThirdIpHeader) {
  PacketSpec ip = test::ip_packet(4);
  ip.deeper = {test::IpFields{}};
  ip.outer = test::IpFields{};
  PacketSpec two = ip;
  two.deeper.clear();
  two.protocol = 4;
  const Packet third = static_chain(test::ip_packet(4), 4);
  Packet dynamic = dynamic_chain(two, 4);
  const Packet sn = {dynamic.end() - 2, dynamic.end()};
  dynamic.resize(dynamic.size() - 2);
  const Packet third_dynamic = hex("00 40 0000 80 00");  // TOS, TTL, IP-ID, DF, no list
  const Packet chains = joined(joined(joined(joined(static_chain(two, 4), third), dynamic), third_dynamic), sn);
  expect_delivered(crafted_initialisation(kIr, 4, chains, ip.payload), ip);
  EXPECT_EQ(give(crafted_initialisation(kIr, 2, chains, ip.payload)).status, HEADROOM_ERR_UNSUPPORTED);
}

TEST_F(Initialisation, SeventeenIpHeadersAreTooMany) {
  PacketSpec two = test::ip_packet(4);
  two.outer = test::IpFields{};
  two.protocol = 4;
  Packet chain = static_chain(two, 4);
  PacketSpec more = test::ip_packet(4);
  more.protocol = 4;
  for (unsigned i = 0; i < 15; ++i) chain = joined(chain, static_chain(more, 4));
  EXPECT_EQ(give(crafted_initialisation(kIr, 4, chain, two.payload)).status, HEADROOM_ERR_UNSUPPORTED);
}

// "This field identifies the type of the following header" (5.7.7). A packet in which it does not (here Protocol 4,
// IPv4, before an IPv6 header) has a static chain that says so, too, and comes out as it went in.
TEST_F(Initialisation, InnerHeaderOfAnotherVersionThanAnnouncedIsTakenAsItSaysItself) {
  PacketSpec ip = test::ip_packet(6);
  ip.outer = test::IpFields{};
  Packet chain = static_chain(ip, 4);
  ASSERT_EQ(chain[1], 41);
  chain[1] = 4;
  Packet original = build(ip);
  original[9] = 4;
  const unsigned checksum = wire::load16(original.data() + 10) + 41U - 4U;  // one's complement (RFC 1624)
  wire::store16(original.data() + 10, static_cast<std::uint16_t>((checksum & 0xffff) + (checksum >> 16)));
  const Restored r = give(crafted_initialisation(kIr, 4, joined(chain, dynamic_chain(ip, 4)), ip.payload));
  EXPECT_EQ(r.status, HEADROOM_OK);
  EXPECT_EQ(to_hex(r.octets), to_hex(original));
}

// "Timer-based compression … the decompressor has to inform the compressor … by sending a CLOCK feedback option" (RFC
// 4815 4.7), which this one never does.
TEST_F(Initialisation, TimeStrideIsNotSupported) {
  const PacketSpec s = plain_rtp();
  test::ChainOptions o = with_stride();
  o.extras.time_stride = 20;
  EXPECT_EQ(give(crafted_initialisation(kIr, 1, whole_chain(s, 1, o), s.payload)).status, HEADROOM_ERR_UNSUPPORTED);
}

TEST_F(Initialisation, IrDynForAnUnknownContext) {
  const PacketSpec s = plain_rtp();
  EXPECT_EQ(give(crafted_initialisation(kIrDyn, 1, dynamic_chain(s, 1), s.payload)).status, HEADROOM_ERR_NO_CONTEXT);
  EXPECT_EQ(give(crafted(s, base(PacketType::kUo0, s))).status, HEADROOM_ERR_NO_CONTEXT);
}

// --- IR-DYN that switches the profile (5.11.1, RFC 3843 3.5) ---------------------------------------------------------

// The RTP octets of `s` as what they are for profile UDP: payload.
PacketSpec as_udp(const PacketSpec& s) {
  PacketSpec u = s;
  u.rtp.reset();
  const Packet whole = build(s);
  u.payload = Packet(whole.begin() + static_cast<std::ptrdiff_t>(header_octets(s) - 12), whole.end());
  return u;
}
PacketSpec as_ip(const PacketSpec& s) {
  PacketSpec i = s;
  i.rtp.reset();
  i.udp.reset();
  i.protocol = 17;
  const Packet whole = build(s);
  i.payload = Packet(whole.begin() + (s.ip.version == 4 ? 20 : 40), whole.end());
  return i;
}

void expect_same_packet(const PacketSpec& a, const PacketSpec& b) { ASSERT_EQ(to_hex(build(a)), to_hex(build(b))); }

class ProfileSwitch : public Initialisation, public testing::WithParamInterface<std::tuple<unsigned, bool>> {};

TEST_P(ProfileSwitch, RtpToUdp) {
  const auto [version, checksum] = GetParam();
  PacketSpec rtp = plain_rtp(version);
  rtp.udp->checksum = checksum;
  establish(rtp, 1, with_stride());
  PacketSpec udp = as_udp(later(rtp));
  expect_same_packet(udp, later(rtp));
  test::ChainOptions o;
  o.sn = later(rtp).rtp->sn;
  expect_delivered(crafted_initialisation(kIrDyn, 2, dynamic_chain(udp, 2, o), udp.payload), udp);
  EXPECT_EQ(last_.detail.profile, 2);
  PacketSpec next = udp;
  ++next.ip.id;
  next.payload = hex("01 02 03");
  const Packet whole = build(next);
  const std::ptrdiff_t at = version == 4 ? 26 : 46;
  const Packet tail = checksum ? Packet(whole.begin() + at, whole.begin() + at + 2) : Packet{};
  expect_delivered(crafted(next, with_sn(PacketType::kUo0, o.sn + 1U), std::nullopt, tail), next);
}

TEST_P(ProfileSwitch, RtpToIp) {
  const auto [version, checksum] = GetParam();
  PacketSpec rtp = plain_rtp(version);
  rtp.udp->checksum = checksum;
  establish(rtp, 1, with_stride());
  const PacketSpec ip = as_ip(later(rtp));
  expect_same_packet(ip, later(rtp));
  test::ChainOptions o;
  o.sn = 5000;
  expect_delivered(crafted_initialisation(kIrDyn, 4, dynamic_chain(ip, 4, o), ip.payload), ip);
  EXPECT_EQ(last_.detail.profile, 4);
  PacketSpec next = ip;
  ++next.ip.id;
  expect_delivered(crafted(next, with_sn(PacketType::kUo0, 5001)), next);
  ++next.ip.id;
  expect_delivered(crafted(next, with_sn(PacketType::kUor2, 5002)), next);
}

TEST_P(ProfileSwitch, UdpToIp) {
  const auto [version, checksum] = GetParam();
  PacketSpec udp = udp_packet(version);
  udp.udp->checksum = checksum;
  test::ChainOptions o;
  o.sn = 77;
  establish(udp, 2, o);
  const PacketSpec ip = as_ip(udp);
  o.sn = 78;
  expect_delivered(crafted_initialisation(kIrDyn, 4, dynamic_chain(ip, 4, o), ip.payload), ip);
  PacketSpec next = ip;
  ++next.ip.id;
  expect_delivered(crafted(next, with_sn(PacketType::kUo0, 79)), next);
}

INSTANTIATE_TEST_SUITE_P(All, ProfileSwitch, testing::Combine(testing::Values(4U, 6U), testing::Bool()));

// The chain of another profile must be a prefix of the context's.
TEST_F(Initialisation, IrDynCannotAddHeaders) {
  PacketSpec udp = udp_packet(4);
  establish(udp, 2);
  EXPECT_EQ(give(crafted_initialisation(kIrDyn, 1, dynamic_chain(plain_rtp(), 1), udp.payload)).status,
            HEADROOM_ERR_MALFORMED);
  PacketSpec ip = test::ip_packet(4);
  establish(ip, 4);
  EXPECT_EQ(give(crafted_initialisation(kIrDyn, 2, dynamic_chain(udp, 2), udp.payload)).status, HEADROOM_ERR_MALFORMED);
}

// "Both the compressor and the decompressor MUST start operation … in the initial mode … profile downgrades with
// IR-DYN" (RFC 4815 7.2.2).
TEST_F(Initialisation, AnotherProfileBeginsInUnidirectionalMode) {
  DecompressorConfig config;
  config.mode = wire::Mode::kOptimistic;
  config.feedback = true;
  Decompressor d(config);
  const PacketSpec rtp = plain_rtp();
  EXPECT_EQ(test::decompress(d, crafted_initialisation(kIr, 1, whole_chain(rtp, 1, with_stride()), rtp.payload)).mode(),
            wire::Mode::kOptimistic);
  (void)test::take_all(d.own_feedback());
  d.set_mode(wire::Mode::kUnidirectional);
  const PacketSpec udp = as_udp(later(rtp));
  EXPECT_EQ(test::decompress(d, crafted_initialisation(kIrDyn, 2, dynamic_chain(udp, 2), udp.payload)).mode(),
            wire::Mode::kUnidirectional);
}

}  // namespace
}  // namespace headroom::rohc
