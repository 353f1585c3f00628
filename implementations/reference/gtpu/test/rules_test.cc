// SPDX-License-Identifier: Apache-2.0
//
// SDF filters, precedence, and what Sessions takes and refuses.
#include <atomic>
#include <thread>

#include "gtpu/rules/rule_set.h"
#include "user_plane.h"

namespace headroom::gtpu::test {
namespace {

bool downlink_matches(const std::string& flow, const Bytes& packet) {
  PacketFields fields;
  EXPECT_TRUE(read_user_packet(packet, fields));
  const auto filter = parse_flow_description(flow);
  EXPECT_TRUE(filter) << flow;
  const bool matched = filter && matches(*filter, fields, {address(kUser).ipv4(), 0}, false);
  EXPECT_FALSE(matched && FilterScreen::of(*filter).refuses(RemoteEnd::of(fields, false))) << flow;
  return matched;
}

TEST(SdfFilter, ScreensRefuseAtAGlance) {
  PacketFields fields;
  const Bytes packet = to_user();
  ASSERT_TRUE(read_user_packet(packet, fields));
  for (const char* const flow : {"permit out tcp from any to assigned", "permit out ip from 198.18.1.0/24 to assigned",
                                 "permit out ip from any 10-20 to assigned", "permit out ip from ::/0 to assigned"}) {
    const SdfFilter filter = *parse_flow_description(flow);
    EXPECT_TRUE(FilterScreen::of(filter).refuses(RemoteEnd::of(fields, false))) << flow;
  }
}

TEST(SdfFilter, FlowDescriptions) {
  for (const char* const good :
       {"permit out ip from any to assigned", "permit out 17 from 198.18.0.0/24 9 to assigned 5000-6000",
        "permit out udp from 198.18.0.1 1,5-7,9 to 10.32.0.1", "permit out 58 from 2001:db8::/32 to any"}) {
    EXPECT_TRUE(parse_flow_description(good)) << good;
  }
  for (const char* const bad :
       {"", "permit", "deny out ip from any to any", "permit in ip from any to any", "permit out 256 from any to any",
        "permit out ip from 1.2.3.4/33 to any", "permit out ip from any to", "permit out ip from any 5- to any",
        "permit out ip from any 70000 to any", "permit out ip from any 7-5 to any", "permit out ip from !any to any",
        "permit out ip from any to any established", "permit out ip to any from any"}) {
    EXPECT_FALSE(parse_flow_description(bad)) << bad;
  }
}

TEST(SdfFilter, Matches) {
  EXPECT_TRUE(downlink_matches("permit out ip from any to assigned", to_user()));
  EXPECT_TRUE(downlink_matches("permit out udp from 198.18.0.0/24 9 to assigned 5000", to_user()));
  EXPECT_FALSE(downlink_matches("permit out tcp from 198.18.0.0/24 9 to assigned", to_user()));
  EXPECT_FALSE(downlink_matches("permit out udp from 198.18.1.0/24 to assigned", to_user()));
  EXPECT_FALSE(downlink_matches("permit out udp from any 10-20 to assigned", to_user()));
  EXPECT_TRUE(downlink_matches("permit out udp from any 1,9-10 to assigned", to_user()));
  EXPECT_FALSE(downlink_matches("permit out udp from any to 10.32.0.2", to_user()));
  EXPECT_TRUE(downlink_matches("permit out ip from 0.0.0.0/0 to any", to_user()));
  EXPECT_FALSE(downlink_matches("permit out ip from ::/0 to any", to_user()));
  EXPECT_TRUE(downlink_matches("permit out ip from 198.18.0.0/15 to any", to_user()));
  Bytes fragment = to_user();
  fragment[7] = 8;
  EXPECT_FALSE(downlink_matches("permit out udp from any 9 to assigned", fragment));
  EXPECT_TRUE(downlink_matches("permit out udp from any to assigned", fragment));
}

TEST(SdfFilter, OtherFields) {
  PacketFields fields;
  const Bytes packet = to_user();
  ASSERT_TRUE(read_user_packet(packet, fields));
  fields.traffic_class = 0xB8;
  SdfFilter filter;
  filter.has_flow = false;
  filter.traffic_class = 0xB8;
  filter.traffic_class_mask = 0xFC;
  EXPECT_TRUE(matches(filter, fields, {}, false));
  fields.traffic_class = 0xB0;
  EXPECT_FALSE(matches(filter, fields, {}, false));
  filter = {};
  filter.spi = 7;
  EXPECT_FALSE(matches(filter, fields, {}, false));
  fields.has_spi = true;
  fields.spi = 7;
  EXPECT_TRUE(matches(filter, fields, {}, false));
  filter = {};
  filter.flow_label = 1;
  EXPECT_FALSE(matches(filter, fields, {}, false));
}

Pdr with_filter(const Pdr& like, std::uint16_t id, std::uint32_t precedence, std::uint32_t far, const char* flow) {
  Pdr pdr = like;
  pdr.id = id;
  pdr.precedence = precedence;
  pdr.far = far;
  pdr.filters = {std::make_shared<const SdfFilter>(*parse_flow_description(flow))};
  return pdr;
}

Far dropping(std::uint32_t id) {
  Far far;
  far.id = id;
  far.action = kDrop;
  return far;
}

TEST(Rules, LowestPrecedenceValueWins) {
  for (const std::uint32_t precedence : {50U, 150U}) {
    for (const std::uint32_t flows : {0U, 16U}) {
      UserPlane plane(config(flows));
      Rules rules = basic_rules();
      rules.fars.push_back(dropping(3));
      rules.pdrs.push_back(
          with_filter(rules.pdrs[0], 3, precedence, 3, "permit out udp from 198.18.0.1 9 to assigned"));
      rules.pdrs.push_back(
          with_filter(rules.pdrs[1], 4, precedence, 3, "permit out udp from 198.18.0.1 9 to assigned"));
      plane.create(rules);
      for (int i = 0; i < 2; ++i) {  // the second time by the flow table
        const Outcome up = plane.forward(uplink(from_user()), HEADROOM_N3);
        const Outcome down = plane.forward(to_user(), HEADROOM_N6);
        EXPECT_EQ(up.status, precedence == 50 ? HEADROOM_NOTHING : HEADROOM_OK);
        EXPECT_EQ(down.status, precedence == 50 ? HEADROOM_NOTHING : HEADROOM_OK);
        EXPECT_EQ(up.reason, precedence == 50 ? HEADROOM_REASON_RULE : HEADROOM_REASON_NONE);
      }
      EXPECT_EQ(plane.worker->counters().flows_found, flows != 0 ? 2U : 0U);
    }
  }
}

TEST(Rules, FlowTableForgetsWithChangedRules) {
  UserPlane plane(config(16));
  Rules rules = basic_rules();
  rules.fars.push_back(dropping(3));
  rules.pdrs.push_back(with_filter(rules.pdrs[1], 4, 50, 2, "permit out udp from any to assigned"));
  Session& session = plane.create(rules);
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).status, HEADROOM_OK);
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).status, HEADROOM_OK);
  rules.pdrs[2].far = 3;
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).status, HEADROOM_NOTHING);
}

TEST(Rules, FullFlowTableDropsNothing) {
  UserPlane plane(config(2));
  Rules rules = basic_rules();
  rules.pdrs.push_back(with_filter(rules.pdrs[1], 4, 50, 2, "permit out udp from any to assigned"));
  plane.create(rules);
  for (std::uint16_t port = 1; port < 200; ++port) {
    EXPECT_EQ(plane.forward(datagram(kServer, kUser, port, 1, {}), HEADROOM_N6).status, HEADROOM_OK);
  }
}

TEST(Rules, PredefinedRules) {
  PredefinedRule drop{"drop", 20, *parse_flow_description("permit out udp from any 9 to assigned"), true};
  PredefinedRule forward{"forward", 10, *parse_flow_description("permit out udp from any 10 to assigned"), false};
  UserPlane plane(config(16));
  Rules rules = basic_rules();
  rules.pdrs[1].predefined =
      std::make_shared<const PredefinedGroup>(std::vector<const PredefinedRule*>{&forward, &drop});
  Session& session = plane.create(rules);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).reason, HEADROOM_REASON_RULE);
    EXPECT_EQ(plane.forward(datagram(kServer, kUser, 10, 1, {}), HEADROOM_N6).status, HEADROOM_OK);
    EXPECT_EQ(plane.forward(datagram(kServer, kUser, 11, 1, {}), HEADROOM_N6).status, HEADROOM_OK);
  }
  rules.pdrs[1].precedence = 15;  // before the rule that drops
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).status, HEADROOM_OK);
}

TEST(Rules, QfisOfAPdr) {
  UserPlane plane;
  Rules rules = basic_rules();
  rules.pdrs[0].qfis = 1U << 8;
  Session& session = plane.create(rules);
  EXPECT_EQ(plane.forward(uplink(from_user()), HEADROOM_N3).reason, HEADROOM_REASON_NO_RULE);
  rules.pdrs[0].qfis = 1U << 9;
  Refusal refusal;
  ASSERT_TRUE(plane.sessions.replace(session, rules, refusal));
  EXPECT_EQ(plane.forward(uplink(from_user()), HEADROOM_N3).status, HEADROOM_OK);
}

TEST(Sessions, RefusedRulesChangeNothing) {
  using Reason = Refusal::Reason;
  UserPlane plane;
  Session& session = plane.create(basic_rules());
  const auto refused = [&](const Rules& rules) {
    Refusal refusal;
    EXPECT_FALSE(plane.sessions.replace(session, rules, refusal));
    EXPECT_EQ(plane.forward(to_user(), HEADROOM_N6).status, HEADROOM_OK);
    EXPECT_EQ(plane.forward(uplink(from_user()), HEADROOM_N3).status, HEADROOM_OK);
    return refusal.reason;
  };
  Rules rules = basic_rules();
  rules.pdrs[0].far = 7;
  EXPECT_EQ(refused(rules), Reason::unknown_id);
  rules = basic_rules();
  rules.pdrs[1].qers = {7};
  EXPECT_EQ(refused(rules), Reason::unknown_id);
  rules = basic_rules();
  rules.fars.push_back(rules.fars[0]);
  EXPECT_EQ(refused(rules), Reason::doubled_id);
  rules = basic_rules();
  rules.pdrs[0].teid.addresses = 0x80;
  EXPECT_EQ(refused(rules), Reason::no_address);
  rules = basic_rules();
  rules.fars[1].forwarding.side = HEADROOM_N9;
  rules.fars[1].forwarding.peer = address("2001:db8::7");  // N9 has no IPv6 here
  EXPECT_EQ(refused(rules), Reason::no_address);
  rules = basic_rules();
  rules.pdrs[0].teid.teid = 2;
  rules.pdrs[1].user.ipv4 = address("10.32.0.2").ipv4();
  Refusal refusal;
  Rules other = rules;
  ASSERT_NE(plane.sessions.create(other, refusal), nullptr);
  other.pdrs[1].user.ipv4 = address("10.32.0.3").ipv4();
  EXPECT_EQ(refused(other), Reason::teid_in_use);
  other.pdrs[0].teid.teid = 3;
  other.pdrs[1].user.ipv4 = address("10.32.0.2").ipv4();
  EXPECT_EQ(refused(other), Reason::address_in_use);
  EXPECT_EQ(plane.sessions.by_teid().find(Sessions::teid_key(0, 3)), nullptr);
}

TEST(Sessions, ManyComeAndGo) {
  Config c = config();
  c.max_sessions = 1000;
  UserPlane plane(c);
  std::vector<std::uint64_t> seids;
  const auto rules_of = [](std::uint32_t i) {
    Rules rules = basic_rules();
    rules.pdrs[0].teid.teid = 1 + i * 7919;
    rules.pdrs[0].user.ipv4 = rules.pdrs[1].user.ipv4 = 0x0A200000 + i;
    return rules;
  };
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    Refusal refusal;
    const Session* session = plane.sessions.create(rules_of(i), refusal);
    ASSERT_NE(session, nullptr) << i;
    seids.push_back(session->seid);
    if (i >= 999) plane.sessions.remove(*plane.sessions.find(seids[i - 999]));
  }
  EXPECT_EQ(plane.sessions.count(), 999U);
  for (std::uint32_t i = 19'001; i < 20'000; ++i) {
    EXPECT_EQ(plane.sessions.by_teid().find(Sessions::teid_key(0, 1 + i * 7919))->seid, seids[i]);
    EXPECT_EQ(plane.sessions.by_ipv4().find(0x0A200000 + i)->seid, seids[i]);
  }
  EXPECT_EQ(plane.sessions.find(seids[0]), nullptr);
  EXPECT_EQ(plane.sessions.by_ipv4().find(0x0A200000), nullptr);
}

TEST(Sessions, ThereIsRoomForSoMany) {
  UserPlane plane;
  Refusal refusal;
  Rules rules = basic_rules();
  for (std::uint32_t i = 1; i <= 16; ++i) {
    rules.pdrs[0].teid.teid = i;
    rules.pdrs[1].user.ipv4 = i;
    EXPECT_NE(plane.sessions.create(rules, refusal), nullptr);
  }
  rules.pdrs[0].teid.teid = 17;
  rules.pdrs[1].user.ipv4 = 17;
  EXPECT_EQ(plane.sessions.create(rules, refusal), nullptr);
  EXPECT_EQ(refusal.reason, Refusal::Reason::no_resources);
}

TEST(Sessions, ChosenTeidsAreNotGivenTwice) {
  UserPlane plane;
  plane.create(basic_rules());
  const std::uint32_t first = plane.sessions.choose_teid(), second = plane.sessions.choose_teid();
  EXPECT_NE(first, kUplinkTeid);
  EXPECT_NE(first, second);
}

// Rules change while a worker forwards: each packet goes by the old ones or by the new ones.
TEST(Sessions, ChangeWhileWorkersForward) {
  UserPlane plane;
  Session& session = plane.create(basic_rules());
  std::atomic<bool> stop{false};
  std::thread control([&] {
    Rules rules = basic_rules();
    for (std::uint32_t i = 0; i < 2000; ++i) {
      rules.fars[1].forwarding.teid = kDownlinkTeid + i % 2;
      rules.qers[0].qfi = static_cast<std::uint8_t>(9 + i % 2);
      Refusal refusal;
      EXPECT_TRUE(plane.sessions.replace(session, rules, refusal));
    }
    stop = true;
  });
  std::size_t packets = 0;
  while (!stop || packets < 100) {
    const Outcome outcome = plane.forward(to_user(), HEADROOM_N6);
    ASSERT_EQ(outcome.status, HEADROOM_OK);
    EXPECT_EQ(outcome.octets[35] - kDownlinkTeid, static_cast<std::uint32_t>(outcome.octets[42] - 9));
    ++packets;
  }
  control.join();
}

}  // namespace
}  // namespace headroom::gtpu::test
