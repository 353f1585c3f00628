// SPDX-License-Identifier: Apache-2.0
//
// Node messages, and what is no good message (3GPP TS 29.244, clauses 6.2, 6.4, 7.4 and 7.6).
#include "gtpu/n4/controller.h"

#include "gtpu/test/control_plane.h"

namespace headroom::gtpu {
namespace {

using pfcp::Cause;
using test::be;
using test::Bytes;
using test::ControlPlane;
using test::ie;
using test::kNode;
using test::message;
using test::operator+;

TEST(N4Node, HeartbeatIsAnsweredWithoutAssociation) {
  ControlPlane cp;
  const auto answer = cp.node(pfcp::kHeartbeatRequest, ie(pfcp::kRecoveryTimeStamp, be(5, 4)));
  EXPECT_EQ(answer.octets,
            message(pfcp::kHeartbeatResponse, {}, 1, ie(pfcp::kRecoveryTimeStamp, be(3'900'000'000, 4))));
  EXPECT_EQ(answer.peer.port, 8805);
}

TEST(N4Node, AssociationSetup) {
  ControlPlane cp;
  const auto answer = cp.associate();
  EXPECT_EQ(answer.type(), pfcp::kAssociationSetupResponse);
  EXPECT_EQ(answer.cause(), Cause::accepted);
  EXPECT_EQ(answer.all({pfcp::kNodeId}), (std::vector<Bytes>{{0, 192, 0, 2, 4}}));
  EXPECT_EQ(answer.number({pfcp::kRecoveryTimeStamp}), 3'900'000'000u);
  const auto features = answer.all({pfcp::kUpFunctionFeatures});
  ASSERT_EQ(features.size(), 1u);
  EXPECT_EQ(features[0][0], 0x10);  // FTUP
}

TEST(N4Node, AssociationSetupLacksAMandatoryElement) {
  ControlPlane cp;
  auto answer = cp.node(pfcp::kAssociationSetupRequest, kNode);
  EXPECT_EQ(answer.cause(), Cause::mandatory_ie_missing);
  EXPECT_EQ(answer.number({pfcp::kOffendingIe}), pfcp::kRecoveryTimeStamp);
  answer = cp.node(pfcp::kAssociationSetupRequest, ie(pfcp::kRecoveryTimeStamp, be(1, 4)));
  EXPECT_EQ(answer.cause(), Cause::mandatory_ie_missing);
  EXPECT_EQ(answer.number({pfcp::kOffendingIe}), pfcp::kNodeId);
}

TEST(N4Node, UpdateAndReleaseNeedAnAssociation) {
  ControlPlane cp;
  EXPECT_EQ(cp.node(pfcp::kAssociationUpdateRequest, kNode).cause(), Cause::no_established_association);
  EXPECT_EQ(cp.node(pfcp::kAssociationReleaseRequest, kNode).cause(), Cause::no_established_association);
  cp.associate();
  EXPECT_EQ(cp.node(pfcp::kAssociationUpdateRequest, kNode).cause(), Cause::accepted);
  EXPECT_EQ(cp.node(pfcp::kAssociationReleaseRequest, kNode).cause(), Cause::accepted);
  EXPECT_EQ(cp.node(pfcp::kAssociationReleaseRequest, kNode).cause(), Cause::no_established_association);
}

TEST(N4Node, SessionsEndWithTheirAssociation) {
  ControlPlane cp;
  cp.associate();
  const std::uint64_t seid = cp.established(test::both_ways(0x0A000001, 0x100));
  cp.node(pfcp::kAssociationReleaseRequest, kNode);
  EXPECT_EQ(cp.sessions.count(), 0u);
  EXPECT_EQ(cp.remove(seid).cause(), Cause::no_established_association);
}

TEST(N4Node, ANewSetupEndsSessionsUnlessTheyAreRetained) {
  ControlPlane cp;
  cp.associate();
  cp.established(test::both_ways(0x0A000001, 0x100));
  cp.node(pfcp::kAssociationSetupRequest,
          kNode + ie(pfcp::kRecoveryTimeStamp, be(2, 4)) + ie(pfcp::kSessionRetentionInformation, {}));
  EXPECT_EQ(cp.sessions.count(), 1u);
  cp.node(pfcp::kAssociationSetupRequest, kNode + ie(pfcp::kRecoveryTimeStamp, be(3, 4)));
  EXPECT_EQ(cp.sessions.count(), 0u);
}

TEST(N4Node, FeaturesThatAreNotAnnouncedAreRefused) {
  ControlPlane cp;
  EXPECT_EQ(cp.node(pfcp::kPfdManagementRequest, {}).cause(), Cause::service_not_supported);
  EXPECT_EQ(cp.node(pfcp::kSessionSetDeletionRequest, kNode).cause(), Cause::service_not_supported);
}

TEST(N4Message, OtherVersion) {
  ControlPlane cp;
  Bytes octets = message(pfcp::kHeartbeatRequest, {}, 77, {});
  octets[0] = 0x40;
  EXPECT_EQ(cp.send(octets).octets, message(pfcp::kVersionNotSupportedResponse, {}, 77, {}));
  octets[1] = pfcp::kVersionNotSupportedResponse;
  EXPECT_TRUE(cp.send(octets).none());
}

TEST(N4Message, DiscardedInSilence) {
  ControlPlane cp;
  EXPECT_TRUE(cp.send({}).none());
  EXPECT_TRUE(cp.send({0x20, 5, 0, 4, 0, 0, 1}).none());
  EXPECT_TRUE(cp.node(99, {}).none());
  EXPECT_TRUE(cp.node(pfcp::kHeartbeatResponse, {}).none());
  EXPECT_TRUE(cp.session(pfcp::kSessionReportResponse, 1, {}).none());
  EXPECT_TRUE(cp.node(pfcp::kSessionDeletionRequest, {}).none());  // without SEID
}

TEST(N4Message, WrongLength) {
  ControlPlane cp;
  Bytes octets = message(pfcp::kAssociationSetupRequest, {}, 5, kNode + ie(pfcp::kRecoveryTimeStamp, be(1, 4)));
  ++octets[3];
  EXPECT_EQ(cp.send(octets).cause(), Cause::invalid_length);
  octets[1] = pfcp::kHeartbeatRequest;
  EXPECT_TRUE(cp.send(octets).none());
}

TEST(N4Message, UnknownElementsAreSkippedAndRepeatedOnesIgnored) {
  ControlPlane cp;
  const auto answer = cp.node(pfcp::kAssociationSetupRequest,
                              ie(0x7FFF, {1, 2, 3}) + kNode + ie(0x8123, {0, 9, 1}) + ie(pfcp::kNodeId, {9}) +
                                  ie(pfcp::kRecoveryTimeStamp, be(1, 4)) + ie(pfcp::kRecoveryTimeStamp, {}));
  EXPECT_EQ(answer.cause(), Cause::accepted);
}

TEST(N4Message, ElementLongerThanTheMessage) {
  ControlPlane cp;
  Bytes body = kNode + ie(pfcp::kRecoveryTimeStamp, be(1, 4));
  body[body.size() - 5] = 5;
  const auto answer = cp.node(pfcp::kAssociationSetupRequest, body);
  EXPECT_EQ(answer.cause(), Cause::invalid_length);
  EXPECT_EQ(answer.number({pfcp::kOffendingIe}), pfcp::kRecoveryTimeStamp);
}

TEST(N4Message, ElementTooShort) {
  ControlPlane cp;
  const auto answer = cp.node(pfcp::kAssociationSetupRequest, kNode + ie(pfcp::kRecoveryTimeStamp, be(1, 3)));
  EXPECT_EQ(answer.cause(), Cause::invalid_length);
  EXPECT_EQ(answer.number({pfcp::kOffendingIe}), pfcp::kRecoveryTimeStamp);
}

TEST(N4Message, ARetransmissionGetsTheSameAnswerAndIsNotCarriedOut) {
  ControlPlane cp;
  cp.associate();
  const Bytes request =
      message(pfcp::kSessionEstablishmentRequest, 0, 50, kNode + test::kCpSeid + test::both_ways(0x0A000001, 0x100));
  const auto first = cp.send(request);
  EXPECT_EQ(first.cause(), Cause::accepted);
  cp.now += 3 * test::kSecond;
  EXPECT_EQ(cp.send(request).octets, first.octets);
  EXPECT_EQ(cp.sessions.count(), 1u);
}

TEST(N4Message, TheSameNumberWithOtherOctetsIsAnotherRequest) {
  ControlPlane cp;
  cp.send(message(pfcp::kAssociationUpdateRequest, {}, 1, kNode));
  EXPECT_EQ(
      cp.send(message(pfcp::kAssociationSetupRequest, {}, 1, kNode + ie(pfcp::kRecoveryTimeStamp, be(1, 4)))).cause(),
      Cause::accepted);
  EXPECT_EQ(cp.send(message(pfcp::kAssociationUpdateRequest, {}, 1, kNode)).cause(), Cause::accepted);
}

TEST(N4Message, BundledMessagesAreAllAnswered) {
  ControlPlane cp;
  Bytes first = message(pfcp::kHeartbeatRequest, {}, 1, ie(pfcp::kRecoveryTimeStamp, be(1, 4)));
  Bytes second = first;
  first[0] |= 0x04;
  second[6] = 2;
  EXPECT_EQ(cp.send(first + second).read().header.sequence, 1u);
  EXPECT_EQ(cp.take().read().header.sequence, 2u);
  EXPECT_TRUE(cp.take().none());
}

TEST(N4Message, AssociationsAreBounded) {
  ControlPlane cp;
  const auto setup = [&](unsigned i) {
    return cp.node(pfcp::kAssociationSetupRequest,
                   ie(pfcp::kNodeId, Bytes{0, 10, 0} + be(i, 2)) + ie(pfcp::kRecoveryTimeStamp, be(1, 4)));
  };
  for (unsigned i = 0; i < n4::Controller::kMostAssociations; ++i) ASSERT_EQ(setup(i).cause(), Cause::accepted);
  EXPECT_EQ(setup(9999).cause(), Cause::no_resources_available);
  EXPECT_EQ(cp.node(pfcp::kAssociationReleaseRequest, ie(pfcp::kNodeId, {0, 10, 0, 0, 7})).cause(), Cause::accepted);
  EXPECT_EQ(setup(9999).cause(), Cause::accepted);
}

}  // namespace
}  // namespace headroom::gtpu
