// SPDX-License-Identifier: Apache-2.0
//
// A node with an endpoint, frame by frame, without ports: SIP on the plain side, SigComp on the link.
#include <gtest/gtest.h>

#include <string>

#include "ports/node_frames.h"
#include "schemes/sigcomp/ports/datagram.h"
#include "schemes/sigcomp/ports/sip_channel.h"

namespace headroom::sigcomp::ports {

using namespace node;

namespace {

constexpr std::uint16_t kOther = 40'000;

const std::string kInvite =
    "INVITE sip:bob@example.com SIP/2.0\r\nVia: SIP/2.0/UDP 10.0.0.1;branch=z9hG4bK77\r\nMax-Forwards: 70\r\n"
    "From: <sip:alice@example.com>;tag=19\r\nTo: <sip:bob@example.com>\r\nCall-ID: a84b4c76\r\nCSeq: 1 INVITE\r\n"
    "Content-Length: 0\r\n\r\n";

Octets octets_of(const std::string& text) { return {text.begin(), text.end()}; }

// A UDP datagram from 10.0.0.`from` to 10.0.0.`to` with right checksums, or none in UDP.
Octets ipv4_datagram(std::uint8_t from, std::uint8_t to, const Octets& payload, std::uint16_t source = kSipPort,
                     std::uint16_t destination = kSipPort, bool checksum = true) {
  Octets packet = {0x45, 0, 0, 0, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, from, 10, 0, 0, to, 0, 0, 0, 0, 0, 0, 0, 0};
  packet.insert(packet.end(), payload.begin(), payload.end());
  store16(&packet[20], source);
  store16(&packet[22], destination);
  store16(&packet[26], checksum ? 1 : 0);
  Datagram datagram;
  datagram.udp_at = 20;
  set_payload(packet.data(), datagram, static_cast<std::uint32_t>(payload.size()));
  return packet;
}

Octets ipv6_datagram(const Octets& payload) {
  Octets udp(kUdpHeader);
  udp.insert(udp.end(), payload.begin(), payload.end());
  store16(udp.data(), kSipPort);
  store16(&udp[2], kSipPort);
  store16(&udp[6], 1);
  Octets packet = ipv6_packet(17, udp);
  Datagram datagram;
  datagram.version = 6;
  datagram.udp_at = 40;
  set_payload(packet.data(), datagram, static_cast<std::uint32_t>(payload.size()));
  return packet;
}

Octets sip_frame(std::uint8_t from, std::uint8_t to, const std::string& text) {
  return ipv4_frame(ipv4_datagram(from, to, octets_of(text)));
}

Json sip_job(const std::string& users, const Json& config = {}, const Json& more = {},
             const std::string& adapter = "reference") {
  Json settings = {{"scheme", "sigcomp"}};
  if (!config.is_null()) settings.update(config);
  Json job = job_of("");
  job.erase("compressor");
  job.erase("decompressor");
  job["endpoint"] = {{"library", HEADROOM_LIBRARIES "/" + adapter + ".so"}, {"config", settings}};
  job["users"] = users;
  if (!more.is_null()) job.update(more);
  return job;
}

OctetView payload_of(const Octets& frame) { return OctetView(frame).subspan(14 + 20 + kUdpHeader); }

// The user is 10.0.0.1, behind `near`; the core is behind `far`.
class Sip : public testing::Test {
 protected:
  End near{sip_job("plain")}, far{sip_job("link")};
};

TEST_F(Sip, GoesOverTheLinkAsSigCompAndComesOutAsItWas) {
  for (int i = 0; i < 6; ++i) {
    const bool up = i % 2 == 0;
    End& sender = up ? near : far;
    End& receiver = up ? far : near;
    const Octets frame = up ? sip_frame(1, 2, kInvite) : sip_frame(2, 1, "SIP/2.0 200 OK" + kInvite.substr(34));
    const std::vector<Octets> link = sender.to_link({frame});
    ASSERT_EQ(link.size(), 1u);
    EXPECT_EQ(payload_of(link[0])[0] & 0xF8, 0xF8);
    EXPECT_TRUE(sip_datagram(OctetView(link[0]).subspan(14))) << "lengths and checksums are right";
    EXPECT_EQ(receiver.to_plain(link), std::vector<Octets>{frame});
    if (i >= 4) {
      EXPECT_LT(link[0].size(), frame.size() * 2 / 3) << "by then the two know each other";
    }
  }
  EXPECT_EQ(near.statistics.compressed.value(), 3u);
  EXPECT_EQ(near.statistics.decompressed.value(), 3u);
  EXPECT_EQ(near.statistics.compartments.opened.value(), 1u);
  EXPECT_EQ(far.statistics.compartments.opened.value(), 1u) << "a user is an address, whichever side it is on";
  EXPECT_EQ(far.statistics.compartments.refused.value(), 0u);
  EXPECT_EQ(near.store.out() + far.store.out(), 0u);
}

TEST_F(Sip, KeepsVersionsTagsAndAMissingChecksum) {
  const std::vector<Octets> frames = {
      frame_of(kEtherTypeIpv6, ipv6_datagram(octets_of(kInvite))),
      ipv4_frame(ipv4_datagram(3, 2, octets_of(kInvite)), {vlan(7)}),
      ipv4_frame(ipv4_datagram(4, 2, octets_of(kInvite), kOther, kSipPort, false)),
      ipv4_frame(ipv4_datagram(5, 2, octets_of(kInvite), kSipPort, kOther)),
  };
  const std::vector<Octets> link = near.to_link(frames);
  EXPECT_NE(link, frames);
  EXPECT_EQ(near.statistics.compressed.value(), 4u);
  EXPECT_EQ(load16(&link[2][14 + 26]), 0);
  EXPECT_EQ(far.to_plain(link), frames);
}

TEST_F(Sip, LeavesEverythingElseAlone) {
  Octets damaged = sip_frame(1, 2, kInvite);
  ++damaged.back();
  Octets fragment = ipv4_datagram(1, 2, octets_of(kInvite));
  fragment[6] = 0x20;
  store16(&fragment[10], 0);
  store16(&fragment[10], checksum_finish(checksum_add(0, {fragment.data(), 20})));
  const std::vector<Octets> frames = {ipv4_frame(ipv4_datagram(1, 2, octets_of(kInvite), kOther, kOther)),
                                      ipv4_frame(udp_packet(60)),
                                      sip_frame(1, 2, "\r\n\r\n"),
                                      sip_frame(1, 2, ""),
                                      frame_of(0x0806, Octets(28, 1)),
                                      Octets(5, 1),
                                      damaged,
                                      ipv4_frame(fragment)};
  EXPECT_EQ(near.to_link(frames), frames);
  EXPECT_EQ(near.to_plain(frames), frames);
  EXPECT_EQ(near.to_plain({sip_frame(2, 1, kInvite)}), std::vector<Octets>{sip_frame(2, 1, kInvite)});
  EXPECT_EQ(near.statistics.passed.value(), 17u);
  EXPECT_EQ(near.statistics.compartments.opened.value(), 0u);
}

TEST_F(Sip, LosesWhatWouldBeTakenForSigComp) {
  EXPECT_EQ(near.to_link({sip_frame(1, 2, "\xf8 is no SIP")}), std::vector<Octets>());
  EXPECT_EQ(near.statistics.malformed.value(), 1u);
}

TEST_F(Sip, AnswersWhatCannotBeDecompressedWithANack) {
  // A message that refers to state that nobody has.
  const Octets message = {0xF9, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(far.to_plain({ipv4_frame(ipv4_datagram(1, 2, message, kOther, kSipPort))}), std::vector<Octets>());
  EXPECT_EQ(far.statistics.decompressor.json(), (Json{{"ERR_DECOMPRESSION", 1}}));
  EXPECT_EQ(far.statistics.compartments.opened.value(), 0u) << "who sends rubbish is not taken for a user";
  const std::vector<Octets> link = far.link.frames();
  ASSERT_EQ(link.size(), 1u);
  const auto nack = sip_datagram(OctetView(link[0]).subspan(14));
  ASSERT_TRUE(nack);
  EXPECT_EQ(nack->destination[15], 1);
  EXPECT_EQ(load16(&link[0][14 + 20]), kSipPort);
  EXPECT_EQ(load16(&link[0][14 + 22]), kOther);
  EXPECT_EQ(far.statistics.feedback.sent.value(), 1u);
  EXPECT_EQ(near.to_plain(link), std::vector<Octets>()) << "it is for the endpoint";
  EXPECT_EQ(near.statistics.consumed.value(), 1u);

  End silent(sip_job("link", {}, {{"feedback", "none"}}));
  EXPECT_EQ(silent.to_plain({ipv4_frame(ipv4_datagram(1, 2, message))}), std::vector<Octets>());
  EXPECT_EQ(silent.link.frames(), std::vector<Octets>());
  EXPECT_EQ(silent.statistics.feedback.discarded.value(), 1u);
}

TEST_F(Sip, BeginsAnewWithANodeThatHasForgottenEverything) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(far.to_plain(near.to_link({sip_frame(1, 2, kInvite)})).size(), 1u);
    EXPECT_EQ(near.to_plain(far.to_link({sip_frame(2, 1, kInvite)})).size(), 1u);
  }
  End other(sip_job("link"));
  int delivered = 0;
  for (int i = 0; i < 6; ++i) {
    delivered += static_cast<int>(other.to_plain(near.to_link({sip_frame(1, 2, kInvite)})).size());
    EXPECT_EQ(near.to_plain(other.link.frames()), std::vector<Octets>());
  }
  EXPECT_GT(other.statistics.feedback.sent.value(), 0u);
  EXPECT_GE(delivered, 4);
}

TEST(SipNode, SendsWhatDoesNotFitTheLinkAsItIs) {
  // Digits that nothing can be found in again: with its bytecode the message is longer than the frame was.
  std::string digits;
  for (unsigned i = 0; i < 200; ++i) digits += static_cast<char>('!' + (i * i * 31 + i * 7 + (i >> 3)) % 90);
  const Octets frame = sip_frame(1, 2, digits);
  End near(sip_job("plain", {}, {{"mtu", {{"plain", 1500}, {"link", frame.size() - 14}}}}));
  EXPECT_EQ(near.to_link({frame}), std::vector<Octets>{frame});
  EXPECT_EQ(near.statistics.passed_too_long.value(), 1u);

  End small(sip_job("link", {}, {{"mtu", {{"plain", 120}, {"link", 1500}}}}));
  End wide(sip_job("plain"));
  EXPECT_EQ(small.to_plain(wide.to_link({frame})), std::vector<Octets>());
  EXPECT_EQ(small.statistics.too_long.value(), 1u);
  EXPECT_EQ(small.store.out(), 0u);
}

// The compressor takes for granted that what it makes arrives.
TEST(SipNode, WhatIsTooLongForTheLinkIsNotReliedOn) {
  std::string digits = kInvite;
  for (unsigned i = 0; i < 500; ++i) digits += static_cast<char>('!' + (i * i * 31 + i * 7 + (i >> 3)) % 90);
  const Octets too_long = sip_frame(1, 2, digits);
  const Json options = {{"options", {{"mechanism", "stateful-basic"}, {"acknowledgement", "transport"}}}};
  End near(sip_job("plain", options, {{"mtu", {{"plain", 1500}, {"link", 500}}}}));
  End far(sip_job("link", options));
  EXPECT_EQ(near.to_link({too_long}), std::vector<Octets>()) << "neither compressed nor as it is does it fit";
  EXPECT_EQ(near.statistics.passed_too_long.value(), 1u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(far.to_plain(near.to_link({sip_frame(1, 2, kInvite)})), std::vector<Octets>{sip_frame(1, 2, kInvite)});
    (void)near.to_link({too_long});
  }
}

// Who sends rubbish takes from its own allowance, not from that of others.
TEST(SipNode, TellsWhoSentWhat) {
  const Json guard = {{"failures", {{"per_minute", 6}, {"burst", 3}}}};
  End near(sip_job("plain"));
  End far(sip_job("link", {{"options", {{"guard", guard}}}}));
  const Octets rubbish = {0xF9, 1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 10; ++i) (void)far.to_plain({ipv4_frame(ipv4_datagram(66, 2, rubbish))});
  EXPECT_EQ(far.statistics.decompressor.json()["ERR_DECOMPRESSION"], 3);
  EXPECT_EQ(far.statistics.decompressor.json()["ERR_STATE"], 7);
  EXPECT_EQ(far.to_plain(near.to_link({sip_frame(1, 2, kInvite)})), std::vector<Octets>{sip_frame(1, 2, kInvite)});
}

TEST(SipNode, HashesOfAddressesAreNotKnownOutside) {
  const Address address = {0x20, 0x01, 0x0d, 0xb8};
  EXPECT_EQ(hash_of(address), hash_of(address, 0));
  EXPECT_NE(hash_of(address, 1), hash_of(address, 2));
}

TEST(SipNode, GivesTheUserThatIsSilentLongestUp) {
  End near(sip_job("plain", {{"compartments", 2}}));
  for (const std::uint8_t user : Octets{1, 2, 1, 3, 1, 2})
    EXPECT_EQ(near.to_link({sip_frame(user, 9, kInvite)}).size(), 1u);
  EXPECT_EQ(near.statistics.compartments.opened.value(), 4u) << "1, 2, 3 for 2, 2 for 3";
  EXPECT_EQ(near.statistics.compartments.replaced.value(), 2u);
  EXPECT_EQ(near.statistics.compressed.value(), 6u);
}

TEST(SipNode, CopiesWithTheNullAdapter) {
  End near(sip_job("plain", {}, {}, "null"));
  const std::vector<Octets> frames = {sip_frame(1, 2, kInvite)};
  EXPECT_EQ(near.to_link(frames), frames);
  EXPECT_EQ(near.statistics.compressed.value(), 0u) << "no SigComp is on the link";
  EXPECT_EQ(near.statistics.passed.value(), 1u);
}

TEST(SipNode, KnowsWhoseADatagramIs) {
  const Octets packet = ipv4_datagram(1, 2, octets_of(kInvite));
  EXPECT_EQ((*user_of(packet, true))[15], 1);
  EXPECT_EQ((*user_of(packet, false))[15], 2);
  EXPECT_FALSE(user_of(ipv4_datagram(1, 2, octets_of("\r\n")), true));
}

TEST(SipJob, IsReadWhole) {
  const auto error = [](Json job) -> std::string {
    try {
      (void)read(job);
    } catch (const Error& found) {
      return found.where() + ": " + found.what();
    }
    return "";
  };
  EXPECT_EQ(error(sip_job("plain")), "");
  EXPECT_EQ(error(sip_job("plain", {}, {{"compressor", nullptr}})), "");
  EXPECT_NE(error(sip_job("plain", {}, {{"compressor", {{"library", "x"}}}})).find("/compressor: "), std::string::npos);
  EXPECT_NE(error(sip_job("core")).find("/users: "), std::string::npos);
  EXPECT_NE(error(sip_job("plain", {{"compartments", 0}})).find("/endpoint/config/compartments: "), std::string::npos);
}

}  // namespace
}  // namespace headroom::sigcomp::ports
