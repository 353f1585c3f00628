// SPDX-License-Identifier: Apache-2.0
//
// Session Establishment, Modification and Deletion (3GPP TS 29.244, clauses 5.5, 5.19, 6.3 and 7.5).
#include <gtest/gtest.h>

#include "gtpu/test/control_plane.h"

namespace headroom::gtpu {
namespace {

using pfcp::Cause;
using test::Answer;
using test::be;
using test::both_ways;
using test::Bytes;
using test::ControlPlane;
using test::far_to_access;
using test::far_to_core;
using test::ie;
using test::kChoose;
using test::kCpSeid;
using test::kNode;
using test::message;
using test::pdr;
using test::sdf;
using test::source;
using test::text;
using test::tunnel;
using test::operator+;

class N4Session : public ::testing::Test {
 protected:
  N4Session() { cp.associate(); }

  // Expects a rejection that leaves no session behind.
  void rejected(const Bytes& rules, Cause cause, std::optional<std::uint64_t> offending = {},
                const Bytes& failed = {}) {
    expect_rejection(cp.establish(rules), cause, offending, failed);
    EXPECT_EQ(cp.sessions.count(), 0u);
  }
  static void expect_rejection(const Answer& answer, Cause cause, std::optional<std::uint64_t> offending = {},
                               const Bytes& failed = {}) {
    EXPECT_EQ(answer.cause(), cause);
    EXPECT_EQ(answer.number({pfcp::kOffendingIe}), offending);
    EXPECT_EQ(answer.all({pfcp::kFailedRuleId}), failed.empty() ? std::vector<Bytes>{} : std::vector<Bytes>{failed});
    EXPECT_TRUE(answer.all({pfcp::kCreatedPdr}).empty());
    EXPECT_EQ(answer.read().header.seid, 0xC0DEu);
  }
  const Rules& rules_of(std::uint64_t seid) { return Sessions::rules_of(*cp.sessions.find(seid)); }

  ControlPlane cp;
};

TEST_F(N4Session, EstablishmentGivesFSeidAndFTeid) {
  const Answer answer = cp.establish(both_ways(0x0A000001, 0x100));
  EXPECT_EQ(answer.type(), pfcp::kSessionEstablishmentResponse);
  EXPECT_EQ(answer.read().header.seid, 0xC0DEu);
  EXPECT_EQ(answer.cause(), Cause::accepted);
  EXPECT_EQ(answer.all({pfcp::kNodeId}), (std::vector<Bytes>{{0, 192, 0, 2, 4}}));
  EXPECT_EQ(answer.number({pfcp::kCreatedPdr, pfcp::kPdrId}), 1u);
  const auto teids = answer.all({pfcp::kCreatedPdr, pfcp::kFTeid});
  ASSERT_EQ(teids.size(), 1u);
  const auto teid = pfcp::read_f_teid(teids[0]);
  EXPECT_TRUE(teid->has_ipv4 && !teid->has_ipv6 && teid->teid != 0);
  EXPECT_EQ(teid->ipv4.ipv4(), 0xAC110001u);

  const auto seid = pfcp::read_f_seid(answer.all({pfcp::kFSeid})[0]);
  EXPECT_EQ(seid->ipv4->ipv4(), 0xC0000204u);
  const Rules& rules = rules_of(seid->seid);
  ASSERT_EQ(rules.pdrs.size(), 2u);
  EXPECT_EQ(rules.pdrs[0].teid.teid, teid->teid);
  EXPECT_EQ(rules.pdrs[0].removal, HeaderRemoval::gtp_u_ipv4);
  EXPECT_EQ(rules.pdrs[1].user.ipv4, 0x0A000001u);
  EXPECT_TRUE(rules.pdrs[1].user_is_destination);
  EXPECT_EQ(rules.fars[1].forwarding.teid, 0x100u);
  EXPECT_EQ(rules.fars[1].forwarding.side, HEADROOM_N3);
  EXPECT_EQ(rules.fars[0].forwarding.side, HEADROOM_N6);
}

TEST_F(N4Session, NeedsAnAssociation) {
  const Answer answer = cp.session(pfcp::kSessionEstablishmentRequest, 0,
                                   ie(pfcp::kNodeId, {0, 192, 0, 2, 101}) + kCpSeid + both_ways(0x0A000001, 0x100));
  EXPECT_EQ(answer.cause(), Cause::no_established_association);
  EXPECT_EQ(cp.sessions.count(), 0u);
}

TEST_F(N4Session, MandatoryElementsOfTheMessage) {
  Answer answer = cp.session(pfcp::kSessionEstablishmentRequest, 0, kCpSeid + both_ways(0x0A000001, 0x100));
  EXPECT_EQ(answer.cause(), Cause::mandatory_ie_missing);
  EXPECT_EQ(answer.number({pfcp::kOffendingIe}), pfcp::kNodeId);
  answer = cp.session(pfcp::kSessionEstablishmentRequest, 0, kNode + both_ways(0x0A000001, 0x100));
  EXPECT_EQ(answer.cause(), Cause::mandatory_ie_missing);
  EXPECT_EQ(answer.number({pfcp::kOffendingIe}), pfcp::kFSeid);
  EXPECT_EQ(answer.read().header.seid, 0u);
  rejected(far_to_core(1), Cause::mandatory_ie_missing, pfcp::kCreatePdr);
  rejected(pdr(1, source(0) + kChoose, 1), Cause::mandatory_ie_missing, pfcp::kCreateFar);
}

TEST_F(N4Session, MandatoryElementsOfRules) {
  const Bytes id = ie(pfcp::kPdrId, be(1, 2));
  const Bytes precedence = ie(pfcp::kPrecedence, be(1, 4));
  const Bytes pdi = ie(pfcp::kPdi, source(0));
  const Bytes far_id = ie(pfcp::kFarId, be(1, 4));
  const auto create = [](const Bytes& value) { return ie(pfcp::kCreatePdr, value) + far_to_core(1); };
  rejected(create(precedence + pdi + far_id), Cause::mandatory_ie_missing, pfcp::kPdrId);
  rejected(create(id + pdi + far_id), Cause::mandatory_ie_missing, pfcp::kPrecedence);
  rejected(create(id + precedence + far_id), Cause::mandatory_ie_missing, pfcp::kPdi);
  rejected(create(id + precedence + ie(pfcp::kPdi, kChoose) + far_id), Cause::mandatory_ie_missing,
           pfcp::kSourceInterface);
  rejected(create(id + precedence + pdi), Cause::conditional_ie_missing, pfcp::kFarId);

  const Bytes good = pdr(1, source(0) + kChoose, 1);
  const Bytes forward = ie(pfcp::kApplyAction, {kForward});
  rejected(good + ie(pfcp::kCreateFar, far_id), Cause::mandatory_ie_missing, pfcp::kApplyAction);
  rejected(good + ie(pfcp::kCreateFar, far_id + forward), Cause::conditional_ie_missing, pfcp::kForwardingParameters);
  rejected(good + ie(pfcp::kCreateFar, far_id + forward + ie(pfcp::kForwardingParameters, {})),
           Cause::mandatory_ie_missing, pfcp::kDestinationInterface);
  rejected(good + ie(pfcp::kCreateFar, far_id + ie(pfcp::kApplyAction, {kDrop | kDuplicate})),
           Cause::conditional_ie_missing, pfcp::kDuplicatingParameters);
  const Bytes rules = both_ways(0x0A000001, 0x100);
  rejected(rules + ie(pfcp::kCreateQer, ie(pfcp::kQerId, be(1, 4))), Cause::mandatory_ie_missing, pfcp::kGateStatus);
  rejected(rules + ie(pfcp::kCreateUrr, ie(pfcp::kUrrId, be(1, 4)) + ie(pfcp::kReportingTriggers, {0, 0})),
           Cause::mandatory_ie_missing, pfcp::kMeasurementMethod);
  rejected(rules + ie(pfcp::kCreateBar, {}), Cause::mandatory_ie_missing, pfcp::kBarId);
}

TEST_F(N4Session, EachTriggerNeedsItsValue) {
  struct Row {
    Bytes triggers;
    std::uint16_t missing;
  };
  const Row rows[] = {{{0x01, 0}, pfcp::kMeasurementPeriod}, {{0x02, 0}, pfcp::kVolumeThreshold},
                      {{0x04, 0}, pfcp::kTimeThreshold},     {{0x08, 0}, pfcp::kQuotaHoldingTime},
                      {{0, 0x01}, pfcp::kVolumeQuota},       {{0, 0x02}, pfcp::kTimeQuota}};
  for (const Row& row : rows) {
    rejected(both_ways(0x0A000001, 0x100) +
                 ie(pfcp::kCreateUrr, ie(pfcp::kUrrId, be(1, 4)) + ie(pfcp::kMeasurementMethod, {3}) +
                                          ie(pfcp::kReportingTriggers, row.triggers)),
             Cause::conditional_ie_missing, row.missing);
  }
}

TEST_F(N4Session, ReportsWithoutEnd) {
  for (const std::uint16_t type : {pfcp::kMeasurementPeriod, pfcp::kTimeThreshold}) {
    rejected(both_ways(0x0A000001, 0x100) +
                 ie(pfcp::kCreateUrr, ie(pfcp::kUrrId, be(1, 4)) + ie(pfcp::kMeasurementMethod, {1}) +
                                          ie(pfcp::kReportingTriggers, {0, 0}) + ie(type, be(0, 4))),
             Cause::mandatory_ie_incorrect, type);
  }
}

TEST_F(N4Session, FarsThatAreNotSupported) {
  const Bytes far_id = ie(pfcp::kFarId, be(1, 4));
  const auto with = [&](std::uint8_t action, const Bytes& more) {
    return pdr(1, source(0) + kChoose, 1) +
           ie(pfcp::kCreateFar, far_id + ie(pfcp::kApplyAction, {action}) +
                                    ie(pfcp::kForwardingParameters, ie(pfcp::kDestinationInterface, {1}) + more));
  };
  const Bytes failed = Bytes{1} + be(1, 4);
  rejected(with(kForward, ie(pfcp::kRedirectInformation, {0, 0, 0})), Cause::rule_failure, {}, failed);
  rejected(with(kForward, ie(pfcp::kOuterHeaderCreation, {0x04, 0, 10, 0, 0, 1, 0, 1})), Cause::rule_failure, {},
           failed);
  rejected(with(kForward, ie(pfcp::kForwardingPolicy, {1, 'x'})), Cause::invalid_forwarding_policy,
           pfcp::kForwardingPolicy);
  rejected(with(kForward | kDrop, {}), Cause::mandatory_ie_incorrect, pfcp::kApplyAction);
  rejected(with(0, {}), Cause::mandatory_ie_incorrect, pfcp::kApplyAction);
}

TEST_F(N4Session, PdisThatAreNotSupported) {
  const Bytes failed = Bytes{0} + be(7, 2);
  const auto with = [](const Bytes& pdi) { return pdr(7, source(0) + pdi, 1) + far_to_core(1); };
  rejected(with(sdf("deny out ip from any to assigned")), Cause::rule_failure, {}, failed);
  rejected(with(sdf("")), Cause::rule_failure, {}, failed);
  rejected(with(ie(pfcp::kSdfFilter, {0x10, 0, 0, 0, 0, 9})), Cause::rule_failure, {}, failed);
  rejected(with(ie(pfcp::kSdfFilter, {0, 0})), Cause::mandatory_ie_incorrect, pfcp::kSdfFilter);
  rejected(with(ie(pfcp::kTrafficEndpointId, {1})), Cause::rule_failure, {}, failed);
  rejected(with(ie(pfcp::kUeIpAddress, {0x10})), Cause::rule_failure, {}, failed);
  rejected(with(ie(pfcp::kApplicationId, text("unheard"))), Cause::unknown_application_id, {}, failed);
  rejected(with(ie(pfcp::kFTeid, {0x04})), Cause::mandatory_ie_incorrect, pfcp::kFTeid);
  rejected(with({}) + ie(pfcp::kCreatePdr, {0, 56, 0, 9, 0}), Cause::invalid_length, pfcp::kPdrId);
  rejected(with(ie(pfcp::kSdfFilter, {0x01, 0, 0, 9, 'x'})), Cause::invalid_length, pfcp::kSdfFilter);
}

TEST_F(N4Session, RulesThatContradictEachOther) {
  const Bytes failed = Bytes{0} + be(1, 2);
  rejected(pdr(1, source(0) + kChoose, 9) + far_to_core(1), Cause::rule_failure, {}, failed);
  rejected(pdr(1, source(0) + kChoose, 1) + pdr(1, source(1), 1) + far_to_core(1), Cause::rule_failure, {}, failed);
  rejected(pdr(1, source(0) + kChoose, 1, ie(pfcp::kUrrId, be(5, 4))) + far_to_core(1), Cause::rule_failure, {},
           failed);
}

TEST_F(N4Session, FTeidsAreChosenByTheUserPlane) {
  const Bytes named = ie(pfcp::kFTeid, Bytes{0x01} + be(0x1234, 4) + Bytes{172, 17, 0, 1});
  const Bytes rules = pdr(1, source(0) + named, 1) + far_to_core(1);
  rejected(rules, Cause::invalid_f_teid_allocation_option, pfcp::kFTeid);
  // An F-TEID from before a restart of the user plane (RESTI).
  const std::uint64_t seid = cp.established(rules + ie(pfcp::kSeReqFlags, {1}));
  EXPECT_EQ(rules_of(seid).pdrs[0].teid.teid, 0x1234u);
  // The session has it, and so another PDR may name it.
  EXPECT_EQ(cp.modify(seid, pdr(2, source(0) + named + sdf("permit out 17 from any to assigned"), 1)).cause(),
            Cause::accepted);
  const Bytes foreign = ie(pfcp::kFTeid, Bytes{0x01} + be(0x1234, 4) + Bytes{172, 17, 0, 9});
  expect_rejection(cp.modify(seid, pdr(3, source(0) + foreign, 1)), Cause::rule_failure, {}, Bytes{0} + be(3, 2));
}

TEST_F(N4Session, PdrsWithOneChooseIdShareAnFTeid) {
  const Bytes shared = ie(pfcp::kFTeid, {0x0F, 5});
  const Answer answer = cp.establish(pdr(1, source(0) + shared, 1) + pdr(2, source(0) + shared, 1) +
                                     pdr(3, source(0) + kChoose, 1) + far_to_core(1));
  const auto teids = answer.all({pfcp::kCreatedPdr, pfcp::kFTeid});
  ASSERT_EQ(teids.size(), 3u);
  EXPECT_EQ(teids[0], teids[1]);
  EXPECT_NE(pfcp::read_f_teid(teids[0])->teid, pfcp::read_f_teid(teids[2])->teid);
  EXPECT_TRUE(pfcp::read_f_teid(teids[0])->has_ipv4 && pfcp::read_f_teid(teids[0])->has_ipv6);
}

TEST(SharedFilters, TheSameDescriptionIsOneFilter) {
  n4::SharedFilters filters;
  EXPECT_EQ(filters.find("a"), nullptr);
  const auto kept = filters.keep("a", {});
  EXPECT_EQ(filters.find("a"), kept);
  EXPECT_EQ(filters.find("b"), nullptr);
  const std::string long_one(1000, 'x');
  EXPECT_NE(filters.keep(long_one, {}), nullptr);
  EXPECT_EQ(filters.find(long_one), nullptr) << "the control plane could fill the memory";
}

TEST_F(N4Session, PredefinedRules) {
  const Bytes web = ie(pfcp::kActivatePredefinedRules, text("web"));
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100, web));
  ASSERT_TRUE(rules_of(seid).pdrs[0].predefined);
  EXPECT_EQ(rules_of(seid).pdrs[0].predefined->rules.at(0)->name, "web");
  EXPECT_EQ(rules_of(seid).pdrs[0].predefined, rules_of(seid).pdrs[1].predefined);
  const auto change = [](std::uint16_t type, std::string_view name) {
    return ie(pfcp::kUpdatePdr, ie(pfcp::kPdrId, be(1, 2)) + ie(type, text(name)));
  };
  expect_rejection(cp.modify(seid, change(pfcp::kActivatePredefinedRules, "unheard")), Cause::unknown_predefined_rule,
                   {}, Bytes{0} + be(1, 2));
  EXPECT_EQ(cp.modify(seid, change(pfcp::kDeactivatePredefinedRules, "web")).cause(), Cause::accepted);
  EXPECT_FALSE(rules_of(seid).pdrs[0].predefined);
  EXPECT_TRUE(rules_of(seid).pdrs[1].predefined);
}

TEST_F(N4Session, QersAndSdfFilters) {
  const Bytes filter = ie(pfcp::kSdfFilter, Bytes{0x13, 0, 0, 34} + text("permit out ip from any to assigned") +
                                                Bytes{0xB8, 0xFC} + be(77, 4));
  const Bytes rules =
      pdr(1, source(0) + kChoose + filter + ie(pfcp::kQfi, {9}) + ie(pfcp::kQfi, {10}), 1, ie(pfcp::kQerId, be(1, 4))) +
      pdr(2, source(1) + test::ue_address(0x0A000001, true) + ie(pfcp::kSdfFilter, Bytes{0x10, 0} + be(77, 4)), 1) +
      far_to_core(1) +
      ie(pfcp::kCreateQer, ie(pfcp::kQerId, be(1, 4)) + ie(pfcp::kGateStatus, {0x04}) +
                               ie(pfcp::kMbr, be(1000, 5) + be(2000, 5)) + ie(pfcp::kGbr, be(10, 5) + be(20, 5)) +
                               ie(pfcp::kQfi, {9}));
  const Rules& read = rules_of(cp.established(rules));
  EXPECT_EQ(read.pdrs[0].qfis, 3u << 9);
  ASSERT_EQ(read.pdrs[0].filters.size(), 1u);
  EXPECT_EQ(read.pdrs[0].filters[0]->traffic_class, 0xB8);
  EXPECT_EQ(read.pdrs[0].filters[0]->traffic_class_mask, 0xFC);
  ASSERT_EQ(read.pdrs[1].filters.size(), 1u);  // by the ID of a bidirectional filter
  EXPECT_EQ(read.pdrs[1].filters[0]->traffic_class, 0xB8);
  ASSERT_EQ(read.qers.size(), 1u);
  EXPECT_TRUE(read.qers[0].uplink_closed);
  EXPECT_FALSE(read.qers[0].downlink_closed);
  EXPECT_EQ(read.qers[0].uplink_mbr, 1000u);
  EXPECT_EQ(read.qers[0].downlink_mbr, 2000u);
  EXPECT_EQ(read.qers[0].qfi, 9);
}

TEST_F(N4Session, NoMoreSessionsThanRoom) {
  for (std::uint32_t i = 0; i < 16; ++i) cp.established(both_ways(0x0A000001 + i, 0x100 + i));
  const Answer answer = cp.establish(both_ways(0x0B000001, 0x200));
  EXPECT_EQ(answer.cause(), Cause::no_resources_available);
  EXPECT_EQ(cp.sessions.count(), 16u);
}

TEST_F(N4Session, RulesOfASessionAreBounded) {
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100));
  Bytes fars;
  for (std::uint32_t i = 10; i < 10 + n4::Controller::kMostRules - 2; ++i) fars = fars + far_to_core(i);
  EXPECT_EQ(cp.modify(seid, fars).cause(), Cause::accepted);
  EXPECT_EQ(cp.modify(seid, far_to_core(5)).cause(), Cause::no_resources_available);
  EXPECT_EQ(rules_of(seid).fars.size(), n4::Controller::kMostRules);
}

TEST_F(N4Session, AUserAddressBelongsToOneSession) {
  cp.established(both_ways(0x0A000001, 0x100));
  EXPECT_EQ(cp.establish(both_ways(0x0A000001, 0x101)).cause(), Cause::rule_failure);
  EXPECT_EQ(cp.sessions.count(), 1u);
}

TEST_F(N4Session, ModificationOfAnUnknownSession) {
  const Answer answer = cp.modify(0x77, {});
  EXPECT_EQ(answer.type(), pfcp::kSessionModificationResponse);
  EXPECT_EQ(answer.cause(), Cause::session_context_not_found);
  EXPECT_EQ(answer.read().header.seid, 0u);
}

TEST(N4SessionWithoutAssociation, ModificationAndDeletion) {
  ControlPlane cp;
  EXPECT_EQ(cp.modify(1, {}).cause(), Cause::no_established_association);
  EXPECT_EQ(cp.remove(1).cause(), Cause::no_established_association);
}

TEST_F(N4Session, Ipv6) {
  const Bytes prefix = Bytes{0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2} + be(0, 8);
  const Bytes station = Bytes{0x20, 0x01, 0x0D, 0xB8, 0, 9, 0, 0} + be(1, 8);
  const Bytes to_station =
      ie(pfcp::kForwardingParameters, ie(pfcp::kDestinationInterface, {0}) +
                                          ie(pfcp::kOuterHeaderCreation, Bytes{0x02, 0x00} + be(0x100, 4) + station));
  const Answer answer =
      cp.establish(pdr(1, source(0) + ie(pfcp::kFTeid, {0x06}), 1, ie(pfcp::kOuterHeaderRemoval, {1})) +
                   far_to_core(1) + pdr(2, source(1) + ie(pfcp::kUeIpAddress, Bytes{0x05} + prefix), 2) +
                   ie(pfcp::kCreateFar, ie(pfcp::kFarId, be(2, 4)) + ie(pfcp::kApplyAction, {kForward}) + to_station));
  ASSERT_EQ(answer.cause(), Cause::accepted);
  const auto teid = pfcp::read_f_teid(answer.all({pfcp::kCreatedPdr, pfcp::kFTeid})[0]);
  EXPECT_TRUE(teid->has_ipv6 && !teid->has_ipv4);
  const Rules& rules = rules_of(pfcp::read_f_seid(answer.all({pfcp::kFSeid})[0])->seid);
  EXPECT_EQ(rules.pdrs[1].user.ipv6, 0x20010DB800010002u);
  EXPECT_EQ(rules.fars[1].forwarding.peer, Address::of_ipv6(station.data()));
}

TEST_F(N4Session, UpdatesChangeWhatTheyName) {
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100));
  const std::uint32_t teid = rules_of(seid).pdrs[0].teid.teid;
  const Bytes forwarding = ie(pfcp::kUpdateForwardingParameters, tunnel(0x200));
  EXPECT_EQ(cp.modify(seid, ie(pfcp::kUpdateFar, ie(pfcp::kFarId, be(2, 4)) + forwarding)).cause(), Cause::accepted);
  EXPECT_EQ(rules_of(seid).fars[1].forwarding.teid, 0x200u);
  EXPECT_EQ(rules_of(seid).fars[1].action, kForward);
  EXPECT_EQ(rules_of(seid).fars[1].forwarding.side, HEADROOM_N3);
  const Bytes precedence = ie(pfcp::kUpdatePdr, ie(pfcp::kPdrId, be(1, 2)) + ie(pfcp::kPrecedence, be(7, 4)));
  EXPECT_EQ(cp.modify(seid, precedence).cause(), Cause::accepted);
  EXPECT_EQ(rules_of(seid).pdrs[0].precedence, 7u);
  EXPECT_EQ(rules_of(seid).pdrs[0].teid.teid, teid);
}

TEST_F(N4Session, RemovedIdentifiersCanBeUsedAgainInTheSameMessage) {
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100));
  const Answer answer = cp.modify(seid, pdr(2, source(1) + test::ue_address(0x0A000001, true), 3) +
                                            far_to_access(3, 0x300) + ie(pfcp::kRemovePdr, ie(pfcp::kPdrId, be(2, 2))) +
                                            ie(pfcp::kRemoveFar, ie(pfcp::kFarId, be(2, 4))));
  EXPECT_EQ(answer.cause(), Cause::accepted);
  EXPECT_EQ(rules_of(seid).pdrs[1].far, 3u);
  EXPECT_EQ(rules_of(seid).fars.size(), 2u);
}

TEST_F(N4Session, ARejectedModificationChangesNothing) {
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100));
  const Bytes good = ie(pfcp::kUpdateFar, ie(pfcp::kFarId, be(1, 4)) + ie(pfcp::kApplyAction, {kDrop})) +
                     ie(pfcp::kRemovePdr, ie(pfcp::kPdrId, be(2, 2))) +
                     ie(pfcp::kFSeid, Bytes{0x02} + be(0xAAAA, 8) + Bytes{1, 1, 1, 1});
  const Bytes bad[] = {
      ie(pfcp::kUpdatePdr, ie(pfcp::kPdrId, be(9, 2))), ie(pfcp::kUpdateFar, ie(pfcp::kFarId, be(9, 4))),
      ie(pfcp::kRemoveQer, ie(pfcp::kQerId, be(9, 4))), ie(pfcp::kRemoveFar, ie(pfcp::kFarId, be(1, 4))),
      ie(pfcp::kQueryUrr, ie(pfcp::kUrrId, be(9, 4)))};
  for (const Bytes& one : bad) {
    const Answer answer = cp.modify(seid, good + one);
    EXPECT_EQ(answer.cause(), Cause::rule_failure);
    EXPECT_EQ(answer.read().header.seid, 0xC0DEu);
    EXPECT_EQ(rules_of(seid).fars[0].action, kForward);
    EXPECT_EQ(rules_of(seid).pdrs.size(), 2u);
  }
}

TEST_F(N4Session, ForwardingNeedsToKnowWhereTo) {
  const Bytes buffer = ie(pfcp::kCreateFar, ie(pfcp::kFarId, be(2, 4)) + ie(pfcp::kApplyAction, {kBuffer | kNotify}));
  const std::uint64_t seid = cp.established(pdr(1, source(0) + kChoose, 1) + far_to_core(1) +
                                            pdr(2, source(1) + test::ue_address(0x0A000001, true), 2) + buffer);
  const Bytes forward = ie(pfcp::kFarId, be(2, 4)) + ie(pfcp::kApplyAction, {kForward});
  expect_rejection(cp.modify(seid, ie(pfcp::kUpdateFar, forward)), Cause::conditional_ie_missing,
                   pfcp::kUpdateForwardingParameters);
  EXPECT_EQ(cp.modify(seid, ie(pfcp::kUpdateFar, forward + ie(pfcp::kUpdateForwardingParameters,
                                                              ie(pfcp::kDestinationInterface, {0}) + tunnel(0x55))))
                .cause(),
            Cause::accepted);
  EXPECT_EQ(rules_of(seid).fars[1].forwarding.teid, 0x55u);
}

TEST_F(N4Session, ANewFSeidOfTheControlPlane) {
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100));
  const Answer answer = cp.modify(seid, ie(pfcp::kFSeid, Bytes{0x02} + be(0xBEEF, 8) + Bytes{192, 0, 2, 101}));
  EXPECT_EQ(answer.read().header.seid, 0xBEEFu);
  EXPECT_EQ(cp.remove(seid).read().header.seid, 0xBEEFu);
}

TEST_F(N4Session, EndMarkersGoToTheTunnelThatIsLeft) {
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100));
  const auto move = [&](std::uint32_t teid, std::uint8_t flags) {
    return cp.modify(
        seid, ie(pfcp::kUpdateFar, ie(pfcp::kFarId, be(2, 4)) + ie(pfcp::kUpdateForwardingParameters,
                                                                   tunnel(teid) + ie(pfcp::kSmReqFlags, {flags}))));
  };
  std::uint8_t room[128];
  std::int32_t side = 0;
  move(0x200, 0);
  EXPECT_EQ(cp.sessions.take_packet(room, side), 0u);
  move(0x300, pfcp::kSndem);
  ASSERT_EQ(cp.sessions.take_packet(room, side), 36u);  // IPv4, UDP, GTP-U
  EXPECT_EQ(side, HEADROOM_N3);
  EXPECT_EQ(room[29], 254);
  EXPECT_EQ(room[34] << 8 | room[35], 0x200);
  move(0x300, pfcp::kSndem);  // the same tunnel
  EXPECT_EQ(cp.sessions.take_packet(room, side), 0u);
}

TEST_F(N4Session, DropOfBufferedPackets) {
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100));
  Session& session = *cp.sessions.find(seid);
  const std::uint32_t before = session.buffer_epoch.load();
  cp.modify(seid, ie(pfcp::kSmReqFlags, {pfcp::kDrobu}) + ie(pfcp::kRemovePdr, ie(pfcp::kPdrId, be(99, 2))));
  EXPECT_EQ(session.buffer_epoch.load(), before);
  cp.modify(seid, ie(pfcp::kSmReqFlags, {pfcp::kDrobu}));
  EXPECT_EQ(session.buffer_epoch.load(), before + 1);
}

TEST_F(N4Session, Deletion) {
  const std::uint64_t seid = cp.established(both_ways(0x0A000001, 0x100));
  const Answer answer = cp.remove(seid);
  EXPECT_EQ(answer.type(), pfcp::kSessionDeletionResponse);
  EXPECT_EQ(answer.cause(), Cause::accepted);
  EXPECT_EQ(answer.read().header.seid, 0xC0DEu);
  EXPECT_EQ(cp.sessions.count(), 0u);
  EXPECT_EQ(cp.remove(seid).cause(), Cause::session_context_not_found);
  EXPECT_NE(cp.established(both_ways(0x0A000001, 0x100)), seid);
}

}  // namespace
}  // namespace headroom::gtpu
