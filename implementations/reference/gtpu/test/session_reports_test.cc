// SPDX-License-Identifier: Apache-2.0
//
// Reports of sessions whose packets are forwarded (3GPP TS 29.244, clauses 5.2.2, 5.2.3, 5.10, 7.5.8 and 7.5.9).
#include <gtest/gtest.h>

#include "gtpu/test/control_plane.h"

namespace headroom::gtpu {
namespace {

using test::Answer;
using test::be;
using test::Bytes;
using test::ControlPlane;
using test::ie;
using test::kSecond;
using test::operator+;

constexpr std::uint32_t kAddress = 0x0A200001;  // test::kUser
constexpr std::uint16_t kReport = pfcp::kUsageReportOfReport;

Bytes triggers(std::uint32_t bits) {
  return ie(pfcp::kReportingTriggers, {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8)});
}

// Volumes of the total, in octets.
Bytes total(std::uint16_t type, std::uint64_t octets) { return ie(type, Bytes{0x01} + be(octets, 8)); }

Bytes urr(std::uint8_t method, const Bytes& more, std::uint32_t id = 1) {
  return ie(pfcp::kCreateUrr, ie(pfcp::kUrrId, be(id, 4)) + ie(pfcp::kMeasurementMethod, {method}) + more);
}

class N4Reports : public ::testing::Test {
 protected:
  N4Reports() { cp.associate(); }

  // Establishes a session whose PDRs have URR 1.
  void establish(const Bytes& urrs) {
    const Answer answer = cp.establish(test::both_ways(kAddress, 0x100, ie(pfcp::kUrrId, be(1, 4))) + urrs);
    ASSERT_EQ(answer.cause(), pfcp::Cause::accepted);
    seid = pfcp::read_f_seid(answer.all({pfcp::kFSeid})[0])->seid;
    teid = pfcp::read_f_teid(answer.all({pfcp::kCreatedPdr, pfcp::kFTeid})[0])->teid;
  }
  test::Outcome up(std::size_t payload = 72) {
    return cp.plane.forward(test::uplink(test::from_user(Bytes(payload)), teid), HEADROOM_N3, cp.now);
  }
  test::Outcome down(std::size_t payload = 72) {
    return cp.plane.forward(test::to_user(Bytes(payload)), HEADROOM_N6, cp.now);
  }
  // Lets time pass and returns what is sent then.
  Answer at(std::uint64_t time) {
    cp.now = time;
    return cp.take();
  }
  // Expects a Session Report Request with one Usage Report and answers it.
  void expect_usage(const Answer& report, std::uint32_t trigger, std::optional<std::uint64_t> octets) {
    ASSERT_FALSE(report.none());
    EXPECT_EQ(report.type(), pfcp::kSessionReportRequest);
    EXPECT_EQ(report.read().header.seid, 0xC0DEu);
    EXPECT_EQ(report.peer.port, 8805);
    EXPECT_EQ(report.number({pfcp::kReportType}), 2u);
    EXPECT_EQ(report.number({kReport, pfcp::kUrrId}), 1u);
    const auto bits = report.all({kReport, pfcp::kUsageReportTrigger});
    EXPECT_EQ(bits, std::vector<Bytes>{
                        (Bytes{static_cast<std::uint8_t>(trigger), static_cast<std::uint8_t>(trigger >> 8), 0})});
    EXPECT_EQ(total_of(report, kReport), octets);
    acknowledge(report);
  }
  void acknowledge(const Answer& report) {
    cp.send(test::message(pfcp::kSessionReportResponse, seid, report.read().header.sequence, ie(pfcp::kCause, {1})));
  }
  static std::optional<std::uint64_t> total_of(const Answer& answer, std::uint16_t type) {
    const auto values = answer.all({type, pfcp::kVolumeMeasurement});
    if (values.empty()) return std::nullopt;
    return pfcp::read_volume(values[0])->total;
  }
  Answer update(const Bytes& more) { return cp.modify(seid, ie(pfcp::kUpdateUrr, ie(pfcp::kUrrId, be(1, 4)) + more)); }

  ControlPlane cp;
  std::uint64_t seid = 0;
  std::uint32_t teid = 0;
};

TEST_F(N4Reports, PacketsAreForwardedByTheRules) {
  establish(urr(2, triggers(0)));
  const auto uplink = up();
  EXPECT_EQ(uplink.status, HEADROOM_OK);
  EXPECT_EQ(uplink.side, HEADROOM_N6);
  EXPECT_EQ(uplink.octets, test::from_user(Bytes(72)));
  const auto downlink = down();
  EXPECT_EQ(downlink.status, HEADROOM_OK);
  EXPECT_EQ(downlink.side, HEADROOM_N3);
  EXPECT_EQ(downlink.octets[28 + 7], 0x00);
  EXPECT_EQ(read32(&downlink.octets[28 + 4]), 0x100u);
  cp.remove(seid);
  EXPECT_EQ(down().reason, HEADROOM_REASON_NO_SESSION);
}

TEST_F(N4Reports, APdrWithoutFarIsForPredefinedRulesAlone) {
  const Bytes pdi = ie(pfcp::kPdi, test::source(1) + test::ue_address(kAddress, true));
  establish(urr(2, triggers(0)) +
            ie(pfcp::kCreatePdr, ie(pfcp::kPdrId, be(3, 2)) + ie(pfcp::kPrecedence, be(50, 4)) + pdi +
                                     ie(pfcp::kActivatePredefinedRules, test::text("closed"))));
  EXPECT_EQ(down().status, HEADROOM_OK);
  const Bytes ssh = test::datagram(test::kServer, test::kUser, 22, 5000, {1});
  EXPECT_EQ(cp.plane.forward(ssh, HEADROOM_N6).reason, HEADROOM_REASON_RULE);
}

TEST_F(N4Reports, VolumeThreshold) {
  establish(urr(2, triggers(pfcp::kVolth) + total(pfcp::kVolumeThreshold, 250)));
  up();
  down();
  EXPECT_TRUE(cp.take().none());
  up();
  expect_usage(cp.take(), pfcp::kVolth, 300);
  EXPECT_TRUE(cp.take().none());
  // The next threshold counts from the report.
  up();
  up();
  EXPECT_TRUE(cp.take().none());
  up();
  const Answer second = cp.take();
  EXPECT_EQ(second.number({kReport, pfcp::kUrSeqn}), 1u);
  expect_usage(second, pfcp::kVolth, 300);
}

TEST_F(N4Reports, VolumeMeasurementCountsPacketsAndDirections) {
  cp.now = 5 * kSecond;
  establish(
      urr(3, triggers(pfcp::kVolth) + total(pfcp::kVolumeThreshold, 250) + ie(pfcp::kMeasurementInformation, {0x10})));
  cp.now = 7 * kSecond;
  up();
  cp.now = 10 * kSecond;
  up();
  down(172);
  const Answer report = cp.take();
  const Bytes expected = Bytes{0x3F} + be(400, 8) + be(200, 8) + be(200, 8) + be(3, 8) + be(2, 8) + be(1, 8);
  EXPECT_EQ(report.all({kReport, pfcp::kVolumeMeasurement}), std::vector<Bytes>{expected});
  EXPECT_EQ(report.number({kReport, pfcp::kDurationMeasurement}), 3u);
  EXPECT_EQ(report.number({kReport, pfcp::kStartTime}), 3'900'000'005u);
  EXPECT_EQ(report.number({kReport, pfcp::kEndTime}), 3'900'000'010u);
  EXPECT_EQ(report.number({kReport, pfcp::kTimeOfFirstPacket}), 3'900'000'007u);
  EXPECT_EQ(report.number({kReport, pfcp::kTimeOfLastPacket}), 3'900'000'010u);
}

TEST_F(N4Reports, VolumeBeforeQosEnforcementHasWhatAGateDrops) {
  const Bytes threshold = triggers(pfcp::kVolth) + total(pfcp::kVolumeThreshold, 250);
  const Bytes closed = ie(pfcp::kCreateQer, ie(pfcp::kQerId, be(1, 4)) + ie(pfcp::kGateStatus, {0x05}));
  const Answer answer =
      cp.establish(test::both_ways(kAddress, 0x100, ie(pfcp::kUrrId, be(1, 4)) + ie(pfcp::kQerId, be(1, 4))) +
                   urr(2, threshold + ie(pfcp::kMeasurementInformation, {0x01})) + closed);
  ASSERT_EQ(answer.cause(), pfcp::Cause::accepted);
  seid = pfcp::read_f_seid(answer.all({pfcp::kFSeid})[0])->seid;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(down().reason, HEADROOM_REASON_GATE);
  expect_usage(cp.take(), pfcp::kVolth, 300);
}

TEST_F(N4Reports, VolumeQuota) {
  establish(urr(2, triggers(pfcp::kVolqu) + total(pfcp::kVolumeQuota, 200)));
  EXPECT_EQ(up().status, HEADROOM_OK);
  EXPECT_EQ(up().status, HEADROOM_OK);
  expect_usage(cp.take(), pfcp::kVolqu, 200);
  EXPECT_EQ(up().reason, HEADROOM_REASON_QUOTA);
  EXPECT_TRUE(cp.take().none());
  EXPECT_EQ(update(total(pfcp::kVolumeQuota, 100)).cause(), pfcp::Cause::accepted);
  EXPECT_EQ(up().status, HEADROOM_OK);
  EXPECT_EQ(up().reason, HEADROOM_REASON_QUOTA);
  expect_usage(cp.take(), pfcp::kVolqu, 100);
}

TEST_F(N4Reports, AQuotaOfNothingLetsNothingPass) {
  establish(urr(2, triggers(pfcp::kVolqu) + total(pfcp::kVolumeQuota, 0)));
  EXPECT_EQ(up().reason, HEADROOM_REASON_QUOTA);
}

TEST_F(N4Reports, PeriodicReports) {
  establish(urr(2, triggers(pfcp::kPerio) + ie(pfcp::kMeasurementPeriod, be(10, 4))));
  up();
  EXPECT_EQ(cp.controller.deadline(), 10 * kSecond);
  EXPECT_TRUE(at(10 * kSecond - 1).none());
  expect_usage(at(10 * kSecond), pfcp::kPerio, 100);
  EXPECT_EQ(cp.controller.deadline(), 20 * kSecond);
  expect_usage(at(20 * kSecond), pfcp::kPerio, 0);
  // Periods that time has jumped over are one report.
  expect_usage(at(55 * kSecond), pfcp::kPerio, 0);
  EXPECT_EQ(cp.controller.deadline(), 60 * kSecond);
  EXPECT_EQ(update(ie(pfcp::kMeasurementPeriod, be(100, 4))).cause(), pfcp::Cause::accepted);
  EXPECT_TRUE(at(60 * kSecond).none());
  EXPECT_EQ(cp.controller.deadline(), 155 * kSecond);
  cp.remove(seid);
  EXPECT_TRUE(at(155 * kSecond).none());
  EXPECT_EQ(cp.controller.deadline(), HEADROOM_NO_DEADLINE);
}

TEST_F(N4Reports, TimeThresholdCountsFromTheFirstPacket) {
  establish(urr(1, triggers(pfcp::kTimth) + ie(pfcp::kTimeThreshold, be(10, 4))));
  EXPECT_EQ(cp.controller.deadline(), HEADROOM_NO_DEADLINE);
  cp.now = 3 * kSecond;
  up();
  EXPECT_TRUE(cp.take().none());
  EXPECT_EQ(cp.controller.deadline(), 13 * kSecond);
  const Answer report = at(13 * kSecond);
  EXPECT_EQ(report.number({kReport, pfcp::kDurationMeasurement}), 10u);
  expect_usage(report, pfcp::kTimth, {});
  EXPECT_EQ(cp.controller.deadline(), 23 * kSecond);
}

TEST_F(N4Reports, TimeStopsWithoutPackets) {
  establish(urr(
      1, triggers(pfcp::kTimth) + ie(pfcp::kTimeThreshold, be(10, 4)) + ie(pfcp::kInactivityDetectionTime, be(2, 4))));
  up();
  EXPECT_TRUE(cp.take().none());
  EXPECT_TRUE(at(30 * kSecond).none());  // two seconds were measured
  up();
  for (std::uint64_t i = 31; i < 38; ++i) {
    EXPECT_TRUE(at(i * kSecond).none()) << i;
    up();
  }
  EXPECT_EQ(at(38 * kSecond).number({kReport, pfcp::kDurationMeasurement}), 10u);
}

TEST_F(N4Reports, TimeQuota) {
  establish(
      urr(1, triggers(pfcp::kTimqu) + ie(pfcp::kTimeQuota, be(5, 4)) + ie(pfcp::kMeasurementInformation, {0x08})));
  EXPECT_EQ(cp.controller.deadline(), 5 * kSecond);
  EXPECT_EQ(up().status, HEADROOM_OK);
  expect_usage(at(5 * kSecond), pfcp::kTimqu, {});
  EXPECT_EQ(up().reason, HEADROOM_REASON_QUOTA);
  EXPECT_EQ(update(ie(pfcp::kTimeQuota, be(5, 4))).cause(), pfcp::Cause::accepted);
  EXPECT_EQ(up().status, HEADROOM_OK);
  expect_usage(at(10 * kSecond), pfcp::kTimqu, {});
}

TEST_F(N4Reports, QuotaHoldingTime) {
  establish(urr(2, triggers(pfcp::kQuhti | pfcp::kVolqu) + total(pfcp::kVolumeQuota, 1'000) +
                       ie(pfcp::kQuotaHoldingTime, be(5, 4))));
  cp.now = 3 * kSecond;
  up();
  EXPECT_TRUE(at(5 * kSecond).none());
  expect_usage(at(8 * kSecond), pfcp::kQuhti, 100);
  EXPECT_EQ(up().reason, HEADROOM_REASON_QUOTA);
}

TEST_F(N4Reports, StartOfTraffic) {
  establish(urr(2, triggers(pfcp::kStart)));
  up();
  const Answer report = cp.take();
  EXPECT_TRUE(report.all({kReport, pfcp::kStartTime}).empty());
  expect_usage(report, pfcp::kStart, {});
  up();
  EXPECT_TRUE(cp.take().none());
}

TEST_F(N4Reports, LinkedUrrsAreReportedTogether) {
  establish(urr(2, triggers(pfcp::kVolth) + total(pfcp::kVolumeThreshold, 100)) +
            urr(2, triggers(pfcp::kLiusa) + ie(pfcp::kLinkedUrrId, be(1, 4)), 2));
  up();
  const Answer report = cp.take();
  const auto bits = report.all({kReport, pfcp::kUsageReportTrigger});
  EXPECT_EQ(bits, (std::vector<Bytes>{{0x02, 0, 0}, {0, 0x04, 0}}));
}

TEST_F(N4Reports, QueriesRemovalAndDeletionReport) {
  establish(urr(2, triggers(0)) + urr(2, triggers(0), 2));
  up();
  Answer answer = cp.modify(seid, ie(pfcp::kQueryUrr, ie(pfcp::kUrrId, be(1, 4))));
  EXPECT_EQ(answer.number({pfcp::kUsageReportOfModification, pfcp::kUrrId}), 1u);
  EXPECT_EQ(answer.all({pfcp::kUsageReportOfModification, pfcp::kUsageReportTrigger}),
            (std::vector<Bytes>{{0x80, 0, 0}}));
  EXPECT_EQ(total_of(answer, pfcp::kUsageReportOfModification), 100u);
  up();
  answer = cp.modify(seid, ie(pfcp::kSmReqFlags, {pfcp::kQaurr}));
  EXPECT_EQ(answer.all({pfcp::kUsageReportOfModification}).size(), 2u);
  EXPECT_EQ(total_of(answer, pfcp::kUsageReportOfModification), 100u);
  answer = cp.modify(seid, ie(pfcp::kRemoveUrr, ie(pfcp::kUrrId, be(2, 4))));
  EXPECT_EQ(answer.number({pfcp::kUsageReportOfModification, pfcp::kUrrId}), 2u);
  EXPECT_EQ(answer.all({pfcp::kUsageReportOfModification, pfcp::kUsageReportTrigger}),
            (std::vector<Bytes>{{0, 0x08, 0}}));
  down();
  answer = cp.remove(seid);
  EXPECT_EQ(answer.all({pfcp::kUsageReportOfDeletion, pfcp::kUsageReportTrigger}), (std::vector<Bytes>{{0, 0x08, 0}}));
  EXPECT_EQ(total_of(answer, pfcp::kUsageReportOfDeletion), 100u);
}

TEST_F(N4Reports, ReportsAreSentAgainUntilTheyAreAnswered) {
  establish(urr(2, triggers(pfcp::kVolth) + total(pfcp::kVolumeThreshold, 100)));
  up();
  const Answer first = cp.take();
  EXPECT_EQ(cp.controller.deadline(), n4::PendingRequests::kT1);
  const Answer again = at(n4::PendingRequests::kT1);
  EXPECT_EQ(again.octets, first.octets);
  acknowledge(first);
  EXPECT_EQ(cp.controller.deadline(), HEADROOM_NO_DEADLINE);
  up();
  EXPECT_FALSE(cp.take().none());
  for (unsigned i = 1; i < n4::PendingRequests::kN1; ++i) EXPECT_FALSE(at(cp.controller.deadline()).none());
  EXPECT_TRUE(at(cp.controller.deadline()).none());
  EXPECT_EQ(cp.controller.deadline(), HEADROOM_NO_DEADLINE);
}

TEST_F(N4Reports, DownlinkDataForAUserThatIsIdle) {
  const Bytes buffer = ie(pfcp::kCreateFar, ie(pfcp::kFarId, be(2, 4)) + ie(pfcp::kApplyAction, {kBuffer | kNotify}));
  seid = cp.established(test::pdr(1, test::source(0) + test::kChoose, 1) + test::far_to_core(1) +
                        test::pdr(2, test::source(1) + test::ue_address(kAddress, true), 2) + buffer);
  EXPECT_EQ(down().reason, HEADROOM_REASON_BUFFERED);
  EXPECT_EQ(down().reason, HEADROOM_REASON_BUFFERED);
  const Answer report = cp.take();
  EXPECT_EQ(report.number({pfcp::kReportType}), 1u);
  EXPECT_EQ(report.number({pfcp::kDownlinkDataReport, pfcp::kPdrId}), 2u);
  EXPECT_TRUE(cp.take().none());
  acknowledge(report);
  const Bytes forward =
      ie(pfcp::kUpdateForwardingParameters, ie(pfcp::kDestinationInterface, {0}) + test::tunnel(0x55));
  cp.modify(seid, ie(pfcp::kUpdateFar, ie(pfcp::kFarId, be(2, 4)) + ie(pfcp::kApplyAction, {kForward}) + forward));
  EXPECT_EQ(cp.plane.take(cp.now).size(), 2u);
}

TEST_F(N4Reports, AReportResponseDropsBufferedPackets) {
  const Bytes buffer = ie(pfcp::kCreateFar, ie(pfcp::kFarId, be(2, 4)) + ie(pfcp::kApplyAction, {kBuffer | kNotify}));
  seid = cp.established(test::pdr(1, test::source(0) + test::kChoose, 1) + test::far_to_core(1) +
                        test::pdr(2, test::source(1) + test::ue_address(kAddress, true), 2) + buffer);
  down();
  const Answer report = cp.take();
  const std::uint32_t before = cp.sessions.find(seid)->buffer_epoch.load();
  cp.send(test::message(pfcp::kSessionReportResponse, seid, report.read().header.sequence,
                        ie(pfcp::kCause, {1}) + ie(pfcp::kSrRspFlags, {1})));
  EXPECT_EQ(cp.sessions.find(seid)->buffer_epoch.load(), before + 1);
}

TEST_F(N4Reports, ErrorIndication) {
  establish(urr(2, triggers(0)));
  const Bytes elements = Bytes{16} + be(0x100, 4) + Bytes{133, 0, 4, 172, 16, 0, 1};
  const Bytes indication = test::message(0x32, 26, 0, Bytes{0, 0, 0, 0}, elements);
  const Bytes packet = test::datagram(test::kStation, test::kOwn, 2152, 2152, indication);
  cp.plane.forward(packet, HEADROOM_N3);
  cp.plane.forward(packet, HEADROOM_N3);
  const Answer report = cp.take();
  ASSERT_FALSE(report.none());
  EXPECT_EQ(report.number({pfcp::kReportType}), 4u);
  EXPECT_EQ(report.all({pfcp::kErrorIndicationReport, pfcp::kFTeid}),
            (std::vector<Bytes>{Bytes{0x01} + be(0x100, 4) + Bytes{172, 16, 0, 1}}));
  EXPECT_TRUE(cp.take().none());
  acknowledge(report);
  cp.plane.forward(packet, HEADROOM_N3);
  EXPECT_FALSE(cp.take().none());
}

}  // namespace
}  // namespace headroom::gtpu
