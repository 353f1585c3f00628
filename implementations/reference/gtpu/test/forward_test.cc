// SPDX-License-Identifier: Apache-2.0
#include "user_plane.h"

namespace headroom::gtpu::test {
namespace {

// Octets by hand from TS 29.281, 5.1, TS 38.415, 5.5.2.1 and 5.5.2.2, RFC 791 and RFC 768.
const Bytes kUplink =
    hex("4500004c 00004000 4011e27d ac100001 ac110001"  // IPv4, 172.16.0.1 to 172.17.0.1
        "08680868 00380000"                             // UDP
        "34ff0028 00000001 00000085 01100900"           // GTP-U, UL PDU SESSION INFORMATION of QFI 9
        "45000020 00000000 4011aa99 0a200001 c6120001"  // IPv4, 10.32.0.1 to 198.18.0.1
        "13880009 000c0000 deadbeef");
const Bytes kFromUser = hex("45000020 00000000 4011aa99 0a200001 c6120001 13880009 000c0000 deadbeef");
const Bytes kToUser = hex("45000020 00000000 4011aa99 c6120001 0a200001 00091388 000c0000 deadbeef");
const Bytes kDownlink =
    hex("4500004c 00004000 4011e27d ac110001 ac100001"
        "08680868 00380000"
        "34ff0028 00000064 00000085 01000900"
        "45000020 00000000 4011aa99 c6120001 0a200001 00091388 000c0000 deadbeef");

TEST(Forward, UplinkLeavesTheTunnel) {
  UserPlane plane;
  plane.create(basic_rules());
  const Outcome outcome = plane.forward(kUplink, HEADROOM_N3);
  EXPECT_EQ(outcome.status, HEADROOM_OK);
  EXPECT_EQ(outcome.side, HEADROOM_N6);
  EXPECT_EQ(outcome.octets, kFromUser);
}

TEST(Forward, DownlinkEntersTheTunnel) {
  UserPlane plane;
  plane.create(basic_rules());
  const Outcome outcome = plane.forward(kToUser, HEADROOM_N6);
  EXPECT_EQ(outcome.status, HEADROOM_OK);
  EXPECT_EQ(outcome.side, HEADROOM_N3);
  EXPECT_EQ(outcome.octets, kDownlink);
}

TEST(Forward, TrailingOctetsAreCut) {
  UserPlane plane;
  plane.create(basic_rules());
  // Behind the Length of GTP-U, and behind the length of the user's packet.
  Bytes packet = datagram(kStation, kOwn, 2152, 2152, message(0x30, 255, 1, {}, from_user()) + hex("0000"));
  EXPECT_EQ(plane.forward(packet, HEADROOM_N3).octets, from_user());
  EXPECT_EQ(plane.forward(uplink(from_user() + hex("00")), HEADROOM_N3).octets, from_user());
}

TEST(Forward, MalformedAndUnsupported) {
  UserPlane plane;
  plane.create(basic_rules());
  EXPECT_EQ(plane.forward({}, HEADROOM_N3).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(plane.forward({}, HEADROOM_N6).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(plane.forward(uplink(hex("00")), HEADROOM_N3).status, HEADROOM_ERR_MALFORMED);
  Bytes longer = from_user();
  longer[3]++;  // than the T-PDU
  EXPECT_EQ(plane.forward(uplink(longer), HEADROOM_N3).status, HEADROOM_ERR_MALFORMED);
  EXPECT_EQ(
      plane.forward(datagram(kStation, kOwn, 2152, 2152, message(0x50, 255, 1, {}, from_user())), HEADROOM_N3).status,
      HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(plane.forward(datagram(kStation, kOwn, 2152, 2153, {}), HEADROOM_N3).status, HEADROOM_ERR_UNSUPPORTED);
  EXPECT_EQ(plane.forward(datagram(kStation, kOwn, 2152, 2152, message(0x30, 77, 1, {}, {})), HEADROOM_N3).status,
            HEADROOM_ERR_UNSUPPORTED);
  EXPECT_TRUE(plane.take().empty());
}

TEST(Forward, UserWithAnotherSourceAddressIsNotForwarded) {
  UserPlane plane;
  Rules rules = basic_rules();
  Session& session = plane.create(rules);
  const Bytes spoofed = uplink(datagram("10.32.0.2", kServer, 5000, 9, {}));
  EXPECT_EQ(plane.forward(spoofed, HEADROOM_N3).reason, HEADROOM_REASON_NO_RULE);
  rules.pdrs[0].user = {};  // the session's address counts
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  EXPECT_EQ(plane.forward(spoofed, HEADROOM_N3).reason, HEADROOM_REASON_NO_RULE);
  EXPECT_EQ(plane.forward(uplink(from_user()), HEADROOM_N3).status, HEADROOM_OK);
  EXPECT_TRUE(plane.take().empty());
}

TEST(Forward, UnknownDestinationsOnN6) {
  UserPlane plane;
  plane.create(basic_rules());
  const Outcome outcome = plane.forward(datagram(kServer, "10.32.0.9", 9, 5000, {}), HEADROOM_N6);
  EXPECT_EQ(outcome.status, HEADROOM_NOTHING);
  EXPECT_EQ(outcome.reason, HEADROOM_REASON_NO_SESSION);
  EXPECT_TRUE(plane.take().empty());
}

TEST(Forward, Ipv6Users) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.pdrs[0].user = rules.pdrs[1].user = {0, 0x20010db8000a0001};
  plane.create(rules);
  const Bytes down = datagram("2001:db8:ffff::1", "2001:db8:a:1::77", 9, 5000, hex("ab"));
  const Outcome outcome = plane.forward(down, HEADROOM_N6);
  ASSERT_EQ(outcome.status, HEADROOM_OK);
  EXPECT_EQ(Bytes(outcome.octets.begin() + 44, outcome.octets.end()), down);
  const Bytes up = datagram("2001:db8:a:1::78", "2001:db8:ffff::1", 5000, 9, hex("ab"));
  EXPECT_EQ(plane.forward(uplink(up), HEADROOM_N3).octets, up);
  const Bytes spoofed = datagram("2001:db8:a:2::78", "2001:db8:ffff::1", 5000, 9, hex("ab"));
  EXPECT_EQ(plane.forward(uplink(spoofed), HEADROOM_N3).reason, HEADROOM_REASON_NO_RULE);
}

TEST(Forward, Ipv6Transport) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.pdrs[0].teid.addresses = 2;
  rules.fars[1].forwarding.peer = address("2001:db8::7");
  rules.fars[1].forwarding.traffic_class = 0xB8;
  rules.fars[1].forwarding.traffic_class_mask = 0xFC;
  plane.create(rules);
  const Outcome outcome = plane.forward(to_user(), HEADROOM_N6);
  ASSERT_EQ(outcome.status, HEADROOM_OK);
  EXPECT_EQ(read_transport(outcome.octets).kind, Transport::Kind::datagram);  // which verifies the checksum
  EXPECT_NE(read16(&outcome.octets[46]), 0);
  EXPECT_EQ(read16(&outcome.octets[0]), 0x6B80);
  EXPECT_EQ(Bytes(outcome.octets.begin() + 64, outcome.octets.end()), to_user());
  const Bytes up = datagram("2001:db8::7", "2001:db8:3::1", 2152, 2152, message(0x30, 255, 1, {}, from_user()));
  EXPECT_EQ(plane.forward(up, HEADROOM_N3).octets, from_user());
}

TEST(Forward, TransportLevelMarkingAndContainer) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.fars[1].forwarding.traffic_class = 0xB8;
  rules.fars[1].forwarding.traffic_class_mask = 0xFC;
  rules.fars[0].forwarding.traffic_class = 0x28;
  rules.fars[0].forwarding.traffic_class_mask = 0xFC;
  rules.qers[0].reflective = true;
  rules.qers[0].paging = 5;
  plane.create(rules);
  const Outcome down = plane.forward(to_user(), HEADROOM_N6);
  EXPECT_EQ(down.octets[1], 0xB8);
  EXPECT_EQ(checksum(sum_words(std::span(down.octets).first(20))), 0);
  // Two words of four octets: PPP, RQI and QFI 9, then PPI 5 in the three upper bits.
  EXPECT_EQ(Bytes(down.octets.begin() + 36, down.octets.begin() + 48), hex("00000085 0200c9a0 00000000"));
  const Outcome up = plane.forward(uplink(from_user()), HEADROOM_N3);
  EXPECT_EQ(up.octets[1], 0x28);
  EXPECT_EQ(checksum(sum_words(std::span(up.octets).first(20))), 0);
}

TEST(Forward, WithoutAQfiThereIsNoContainer) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.pdrs[1].qers.clear();
  plane.create(rules);
  const Outcome outcome = plane.forward(to_user(), HEADROOM_N6);
  EXPECT_EQ(Bytes(outcome.octets.begin() + 28, outcome.octets.begin() + 36), hex("30ff0020 00000064"));
}

// N3 to N9: the tunnel is switched, and the container says the QFI on.
TEST(Forward, TunnelIsSwitched) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.fars[0].forwarding = rules.fars[1].forwarding;
  rules.fars[0].forwarding.side = HEADROOM_N9;
  rules.fars[0].forwarding.teid = 200;
  rules.fars[0].forwarding.peer = address("172.19.0.2");
  plane.create(rules);
  const Outcome outcome = plane.forward(uplink(from_user()), HEADROOM_N3);
  EXPECT_EQ(outcome.side, HEADROOM_N9);
  const Transport t = read_transport(outcome.octets);
  EXPECT_EQ(t.source_address(), address("172.19.0.1"));
  EXPECT_EQ(t.destination_address(), address("172.19.0.2"));
  EXPECT_EQ(Bytes(t.payload, t.payload + 16), hex("34ff0028 000000c8 00000085 01100900"));
  // An End Marker goes the same way.
  const Outcome marker =
      plane.forward(datagram(kStation, kOwn, 2152, 2152, message(0x30, 254, 1, {}, {})), HEADROOM_N3);
  EXPECT_EQ(marker.side, HEADROOM_N9);
  ASSERT_EQ(marker.status, HEADROOM_OK);
  EXPECT_EQ(Bytes(marker.octets.begin() + 28, marker.octets.end()), hex("30fe0000 000000c8"));
}

TEST(Forward, GatesAndRates) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.qers[0].downlink_closed = true;
  Session& session = plane.create(rules);
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).reason, HEADROOM_REASON_GATE);
  rules.qers[0].downlink_closed = false;
  rules.qers[0].downlink_mbr = 0;
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).reason, HEADROOM_REASON_RATE);
  rules.qers[0].downlink_mbr = 1000;  // kbit/s
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  const Bytes packet = to_user(Bytes(972));
  std::uint64_t octets = 0;
  constexpr std::uint64_t kSeconds = 10, kStepNs = 4'000'000;  // twice the rate
  for (std::uint64_t now = 0; now < kSeconds * 1'000'000'000; now += kStepNs) {
    if (plane.forward(packet, HEADROOM_N6, now).status == HEADROOM_OK) octets += packet.size();
  }
  EXPECT_NEAR(static_cast<double>(octets * 8) / kSeconds, 1e6, 1e4);
  // Time jumps to the end of its range.
  EXPECT_EQ(plane.forward(packet, HEADROOM_N6, ~std::uint64_t{0} - 1).status, HEADROOM_NOTHING);
}

TEST(Forward, UsageIsCountedAndItsLimitsReported) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.urrs.emplace_back();
  rules.urrs[0].id = 5;
  rules.pdrs[0].urrs = rules.pdrs[1].urrs = {5};
  Session& session = plane.create(rules);
  Usage& usage = *Sessions::usage_of(session, 5);
  usage.counts_packets = true;
  usage.total_limit.threshold_at = 3 * 32;
  usage.downlink_limit.quota_at = 2 * 32;
  usage.watch_limits();
  const Bytes up = uplink(from_user());
  EXPECT_EQ(plane.forward(up, HEADROOM_N3, 1000).status, HEADROOM_OK);
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6, 2000).status, HEADROOM_OK);
  Event event;
  EXPECT_FALSE(plane.sessions.next_event(event));
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6, 3000).status, HEADROOM_OK);  // reaches both
  ASSERT_TRUE(plane.sessions.next_event(event));
  EXPECT_EQ(event.kind, Event::Kind::usage);
  EXPECT_EQ(event.session, session.seid);
  EXPECT_EQ(event.id, 5U);
  EXPECT_EQ(event.reached, Usage::kThreshold | Usage::kQuota);
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).reason, HEADROOM_REASON_QUOTA);
  EXPECT_FALSE(plane.sessions.next_event(event));
  EXPECT_EQ(usage.uplink.octets, 32U);
  EXPECT_EQ(usage.downlink.packets, 2U);
  EXPECT_EQ(usage.downlink.octets, 64U);
  EXPECT_EQ(usage.first_packet_ns, 1000U);
  // A limit of one direction is looked at as soon as the other one's octets allow.
  usage.total_limit.threshold_at = kUnlimited;
  usage.downlink_limit.quota_at = 100;
  usage.watch_limits();
  EXPECT_EQ(usage.watched_from, 100U + 32U);
  // It lives through a change of rules, whose FAR for Quota Action forwards what the quota stops.
  rules.urrs[0].has_quota_far = true;
  rules.urrs[0].quota_far = 1;
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  EXPECT_EQ(Sessions::usage_of(session, 5), &usage);
  const Outcome outcome = plane.forward(to_user(), HEADROOM_N6);
  EXPECT_EQ(outcome.status, HEADROOM_OK);
  EXPECT_EQ(outcome.side, HEADROOM_N6);
}

TEST(Forward, BufferedPacketsWaitForAnotherAction) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.bars.emplace_back();
  rules.bars[0].suggested_packets = 2;
  rules.fars[1].has_bar = true;
  rules.fars[1].action = kBuffer | kNotify;
  Session& session = plane.create(rules);
  for (std::uint8_t i = 0; i < 3; ++i) {
    EXPECT_EQ(plane.forward(to_user({i}), HEADROOM_N6).reason, HEADROOM_REASON_BUFFERED);
  }
  Event event;
  ASSERT_TRUE(plane.sessions.next_event(event));
  EXPECT_EQ(event.kind, Event::Kind::downlink_data);
  EXPECT_EQ(event.id, 2U);
  EXPECT_EQ(event.qfi, 9);
  EXPECT_FALSE(plane.sessions.next_event(event));  // once
  EXPECT_TRUE(plane.take().empty());
  rules.fars[1].action = kForward;
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 2U);  // the oldest has given way
  EXPECT_EQ(taken[0].octets.back(), 1);
  EXPECT_EQ(taken[1].octets.back(), 2);
  EXPECT_EQ(taken[0].side, HEADROOM_N3);
}

TEST(Forward, BufferedPacketsAreDropped) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.fars[1].action = kBuffer;
  Session& session = plane.create(rules);
  plane.forward(to_user(), HEADROOM_N6);
  ++session.buffer_epoch;  // DROBU
  rules.fars[1].action = kForward;
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  EXPECT_TRUE(plane.take().empty());
  rules.fars[1].action = kBuffer;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  plane.forward(to_user(), HEADROOM_N6);
  plane.sessions.remove(session);
  EXPECT_TRUE(plane.take().empty());
}

TEST(Forward, Duplicates) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.fars[1].action = kForward | kDuplicate;
  rules.fars[1].duplicates = {rules.fars[0].forwarding, rules.fars[1].forwarding};
  rules.fars[1].duplicates[1].teid = 300;
  plane.create(rules);
  const Outcome outcome = plane.forward(to_user(), HEADROOM_N6);
  EXPECT_EQ(outcome.status, HEADROOM_OK);
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].octets, to_user());
  Bytes other = outcome.octets;
  write32(&other[32], 300);
  EXPECT_EQ(taken[1].octets, other);
}

TEST(Forward, OuterFragmentsAreReassembled) {
  UserPlane plane;
  plane.create(basic_rules());
  const Bytes inner = from_user(Bytes(100, 0x77));
  const Bytes whole = uplink(inner);
  const auto fragment = [&](std::size_t from, std::size_t to, bool more) {
    Bytes octets(whole.begin(), whole.begin() + 20);
    octets.insert(octets.end(), whole.begin() + 20 + static_cast<std::ptrdiff_t>(from),
                  whole.begin() + 20 + static_cast<std::ptrdiff_t>(to));
    write16(&octets[2], static_cast<std::uint32_t>(octets.size()));
    write16(&octets[6], static_cast<std::uint32_t>((more ? 0x2000U : 0U) | from / 8));
    write16(&octets[10], 0);
    write16(&octets[10], checksum(sum_words(std::span(octets).first(20))));
    return octets;
  };
  const std::size_t end = whole.size() - 20;
  EXPECT_EQ(plane.forward(fragment(64, end, false), HEADROOM_N3).reason, HEADROOM_REASON_BUFFERED);
  EXPECT_EQ(plane.forward(fragment(0, 32, true), HEADROOM_N3).reason, HEADROOM_REASON_BUFFERED);
  EXPECT_TRUE(plane.take().empty());
  EXPECT_EQ(plane.forward(fragment(32, 64, true), HEADROOM_N3).reason, HEADROOM_REASON_BUFFERED);
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].octets, inner);
  EXPECT_EQ(taken[0].side, HEADROOM_N6);
  // Overlaps, and fragments that come too late, complete nothing.
  plane.forward(fragment(0, 40, true), HEADROOM_N3);
  plane.forward(fragment(32, end, false), HEADROOM_N3);
  EXPECT_TRUE(plane.take().empty());
  plane.forward(fragment(0, 64, true), HEADROOM_N3);
  plane.forward(fragment(64, end, false), HEADROOM_N3, Reassembly::kTimeoutNs + 1);
  EXPECT_TRUE(plane.take().empty());
}

TEST(Forward, OuterFragmentsOfIpv6) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.pdrs[0].teid.addresses = 2;
  plane.create(rules);
  const Bytes whole = datagram("2001:db8::7", "2001:db8:3::1", 2152, 2152, message(0x30, 255, 1, {}, from_user()));
  const auto fragment = [&](std::ptrdiff_t from, std::ptrdiff_t to, bool more) {
    Bytes octets(whole.begin(), whole.begin() + 40);
    octets = octets + hex("11000000 00000007") + Bytes(whole.begin() + 40 + from, whole.begin() + 40 + to);
    octets[6] = 44;
    write16(&octets[42], static_cast<std::uint32_t>(from | (more ? 1 : 0)));
    write16(&octets[4], static_cast<std::uint32_t>(octets.size() - 40));
    return octets;
  };
  plane.forward(fragment(0, 24, true), HEADROOM_N3);
  plane.forward(fragment(24, static_cast<std::ptrdiff_t>(whole.size()) - 40, false), HEADROOM_N3);
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].octets, from_user());
}

TEST(Forward, EndsBehindAStage) {
  UserPlane plane(config());
  plane.create(basic_rules());
  for (const Stage stage : {Stage::parse, Stage::lookup, Stage::flow, Stage::dpi}) {
    plane.worker->end_behind(stage);
    const Outcome outcome = plane.forward(uplink(from_user()), HEADROOM_N3);
    EXPECT_EQ(outcome.status, HEADROOM_NOTHING);
    EXPECT_EQ(outcome.reason, HEADROOM_REASON_NONE);
  }
  plane.worker->end_behind(Stage::rewrite);
  EXPECT_EQ(plane.forward(uplink(from_user()), HEADROOM_N3).status, HEADROOM_OK);
}

// Says that a flow is inspected when two of its packets were.
class TwoPackets final : public FlowInspection {
 public:
  explicit TwoPackets(std::vector<std::size_t>& seen) : seen_(seen) {}
  void inspect(const FlowKey&, std::span<const std::uint8_t> payload, std::uint8_t& inspected) override {
    seen_.push_back(payload.size());
    inspected = inspected == 0 ? 1 : FlowTable::kInspected;
  }
  [[nodiscard]] InspectionCounters counters() const override { return {}; }

 private:
  std::vector<std::size_t>& seen_;
};

TEST(Forward, TheFirstPacketsWithPayloadOfAFlowAreInspected) {
  const Config c = config(16);
  UserPlane plane(c);
  std::vector<std::size_t> seen;
  plane.worker = std::make_unique<Worker>(c, plane.sessions, true, std::make_unique<TwoPackets>(seen));
  Session& session = plane.create(basic_rules());
  EXPECT_EQ(plane.forward(uplink(from_user(Bytes())), HEADROOM_N3).status, HEADROOM_OK);
  EXPECT_EQ(plane.forward(uplink(from_user(Bytes(5))), HEADROOM_N3).status, HEADROOM_OK);
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, basic_rules(), refusal));
  for (const std::size_t length : {6U, 7U})  // of the same flow, whose rules are others
    EXPECT_EQ(plane.forward(uplink(from_user(Bytes(length))), HEADROOM_N3).status, HEADROOM_OK);
  EXPECT_EQ(seen, (std::vector<std::size_t>{5, 6}));
}

// More flows than places: each is inspected when it comes, and none is dropped.
TEST(Forward, AFullFlowTableDropsNothing) {
  const Config c = config(1);
  UserPlane plane(c);
  std::vector<std::size_t> seen;
  plane.worker = std::make_unique<Worker>(c, plane.sessions, true, std::make_unique<TwoPackets>(seen));
  plane.create(basic_rules());
  for (int round = 0; round < 3; ++round) {
    for (std::uint8_t port = 1; port <= 32; ++port) {
      Bytes packet = from_user(Bytes(port));
      packet[21] = port;  // of the user
      EXPECT_EQ(plane.forward(uplink(packet), HEADROOM_N3).status, HEADROOM_OK);
    }
  }
  EXPECT_EQ(seen.size(), 96U);
}

// ---- Messages of the path

Bytes to_own(std::uint16_t port, const Bytes& payload) { return datagram(kStation, kOwn, port, 2152, payload); }

TEST(Path, EchoRequestIsAnswered) {
  UserPlane plane;
  EXPECT_EQ(plane.forward(to_own(40000, message(0x32, 1, 0, hex("beef0000"), {})), HEADROOM_N3).reason,
            HEADROOM_REASON_ANSWERED);
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].side, HEADROOM_N3);
  // To the source port, the sequence number echoed, with a Recovery of 0.
  EXPECT_EQ(taken[0].octets, datagram(kOwn, kStation, 2152, 40000, hex("32020006 00000000 beef0000 0e00")));
}

TEST(Path, UnknownTeidEarnsAnErrorIndication) {
  UserPlane plane;
  plane.create(basic_rules());
  EXPECT_EQ(
      plane.forward(datagram(kStation, kOwn, 40000, 2152, message(0x30, 255, 0xABCD, {}, from_user())), HEADROOM_N3)
          .reason,
      HEADROOM_REASON_NO_SESSION);
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].octets, datagram(kOwn, kStation, 2152, 2152,
                                      hex("361a0014 00000000 00000040 019c4000 100000abcd 850004 ac110001")));
}

TEST(Path, UnknownTeidOverIpv6) {
  UserPlane plane;
  plane.forward(datagram("2001:db8::7", "2001:db8:3::1", 2152, 2152, message(0x30, 255, 5, {}, from_user())),
                HEADROOM_N3);
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 1U);
  const Transport t = read_transport(taken[0].octets);
  ASSERT_EQ(t.kind, Transport::Kind::datagram);
  const Message m = read_message({t.payload, t.payload_length});
  EXPECT_EQ(read_error_indication(m.payload)->peer, address("2001:db8:3::1"));
}

TEST(Path, WhatEarnsNoErrorIndication) {
  UserPlane plane;
  plane.create(basic_rules());
  // An Error Indication, an End Marker, packets to another's address, and on N9 what is for N3.
  plane.forward(to_own(2152, message(0x32, 26, 0, hex("00000000"), hex("1000000063 850004ac100001"))), HEADROOM_N3);
  plane.forward(to_own(2152, message(0x30, 254, 77, {}, {})), HEADROOM_N3);
  plane.forward(datagram(kStation, "172.17.0.9", 2152, 2152, message(0x30, 255, 77, {}, from_user())), HEADROOM_N3);
  plane.forward(to_own(2152, message(0x30, 255, 77, {}, from_user())), HEADROOM_N9);
  plane.forward(to_own(2152, message(0x32, 2, 0, hex("00010000"), hex("0e00"))), HEADROOM_N3);
  EXPECT_TRUE(plane.take().empty());
}

TEST(Path, WhatComesFromNoHostIsNotAnswered) {
  UserPlane plane;
  const auto answers = [&](const std::string& from, const std::string& to) {
    plane.forward(datagram(from, to, 2152, 2152, message(0x32, 1, 0, hex("00010000"), {})), HEADROOM_N3);
    plane.forward(datagram(from, to, 2152, 2152, message(0x30, 255, 77, {}, from_user())), HEADROOM_N3);
    plane.forward(datagram(from, to, 2152, 2152, message(0x34, 255, 1, hex("000000c0 01000000"), from_user())),
                  HEADROOM_N3);
    return plane.take().size();
  };
  for (const char* from : {"0.0.0.0", "127.0.0.1", "224.0.0.1", "239.255.255.255", "255.255.255.255"})
    EXPECT_EQ(answers(from, kOwn), 0U) << from;
  for (const char* from : {"::", "::1", "ff02::1"}) EXPECT_EQ(answers(from, "2001:db8:3::1"), 0U) << from;
  EXPECT_EQ(answers(kStation, kOwn), 3U);
  EXPECT_EQ(answers("223.255.255.255", kOwn), 3U);
  EXPECT_EQ(answers("fe80::1", "2001:db8:3::1"), 3U);
}

TEST(Path, ErrorIndicationsAreLimited) {
  Config c = config();
  c.error_indications_per_second = 10;
  UserPlane plane(c);
  const auto burst = [&](std::uint64_t now) {
    for (int i = 0; i < 100; ++i) {
      const Outcome outcome = plane.forward(to_own(2152, message(0x30, 255, 77, {}, from_user())), HEADROOM_N3, now);
      EXPECT_EQ(outcome.reason, HEADROOM_REASON_NO_SESSION);
    }
    return plane.take().size();
  };
  EXPECT_EQ(burst(0), 10U);
  EXPECT_EQ(burst(500'000'000), 5U);
  EXPECT_EQ(burst(10'000'000'000), 10U);
}

TEST(Path, RequiredExtensionHeaderIsNotified) {
  UserPlane plane;
  plane.create(basic_rules());
  EXPECT_EQ(
      plane.forward(to_own(2152, message(0x34, 255, 1, hex("000000c0 01000000"), from_user())), HEADROOM_N3).reason,
      HEADROOM_REASON_ANSWERED);
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].octets, datagram(kOwn, kStation, 2152, 2152, hex("321f0008 00000000 00000000 8d024085")));
}

TEST(Path, ErrorIndicationIsAnEvent) {
  UserPlane plane;
  Session& session = plane.create(basic_rules());
  const Bytes received = message(0x32, 26, 0, hex("00000000"), hex("1000000064 850004ac100001"));
  EXPECT_EQ(plane.forward(to_own(2152, received), HEADROOM_N3).reason, HEADROOM_REASON_CONSUMED);
  Event event;
  ASSERT_TRUE(plane.sessions.next_event(event));
  EXPECT_EQ(event.kind, Event::Kind::error_indication);
  EXPECT_EQ(event.session, session.seid);
  EXPECT_EQ(event.teid, kDownlinkTeid);
  EXPECT_EQ(event.peer, address(kStation));
  EXPECT_EQ(plane.forward(to_own(2152, message(0x30, 26, 0, {}, hex("10"))), HEADROOM_N3).status,
            HEADROOM_ERR_MALFORMED);
}

TEST(Path, EndMarkers) {
  UserPlane plane;
  plane.create(basic_rules());
  EXPECT_EQ(plane.forward(to_own(2152, message(0x30, 254, 1, {}, {})), HEADROOM_N3).reason, HEADROOM_REASON_CONSUMED);
  plane.sessions.send_end_marker(basic_rules().fars[1].forwarding);
  const std::vector<Outcome> taken = plane.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].octets, datagram(kOwn, kStation, 2152, 2152, hex("30fe0000 00000064")));
}

}  // namespace
}  // namespace headroom::gtpu::test
