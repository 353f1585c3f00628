// SPDX-License-Identifier: Apache-2.0
#include "gtpu/wire/pfcp.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gtpu/wire/pfcp_values.h"

namespace headroom::gtpu::pfcp {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A Heartbeat Request with Recovery Time Stamp 1 (TS 29.244, 7.4.2).
const Bytes kHeartbeat = {0x20, 1, 0, 12, 0x12, 0x34, 0x56, 0, 0, 96, 0, 4, 0, 0, 0, 1};

TEST(PfcpHeader, NodeMessage) {
  const Message m = read_message(kHeartbeat);
  EXPECT_EQ(m.state, HeaderState::good);
  EXPECT_EQ(m.header.type, kHeartbeatRequest);
  EXPECT_FALSE(m.header.seid);
  EXPECT_EQ(m.header.sequence, 0x123456u);
  EXPECT_EQ(m.body.size(), 8u);
}

TEST(PfcpHeader, SessionMessageWithPriority) {
  const Bytes octets = {0x23, 54, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 9, 0xF0};
  const Message m = read_message(octets);
  EXPECT_EQ(m.state, HeaderState::good);
  EXPECT_EQ(m.header.seid, 0x0102030405060708u);
  EXPECT_EQ(m.header.sequence, 9u);
  EXPECT_TRUE(m.body.empty());
}

TEST(PfcpHeader, ShortMessages) {
  for (std::size_t length = 0; length < kNodeHeader; ++length) {
    EXPECT_EQ(read_message(Octets(kHeartbeat).first(length)).state, HeaderState::short_message) << length;
  }
  Bytes session = {0x21, 54, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 9};
  EXPECT_EQ(read_message(session).state, HeaderState::short_message);
}

TEST(PfcpHeader, OtherVersionsAreNamedWithTheirSequenceNumber) {
  Bytes octets = kHeartbeat;
  octets[0] = 0x40;
  const Message m = read_message(octets);
  EXPECT_EQ(m.state, HeaderState::other_version);
  EXPECT_EQ(m.header.sequence, 0x123456u);
}

TEST(PfcpHeader, LengthMustFitTheDatagram) {
  for (const std::uint8_t length : Bytes{0, 3, 11, 13, 255}) {
    Bytes octets = kHeartbeat;
    octets[3] = length;
    EXPECT_EQ(read_message(octets).state, HeaderState::wrong_length) << int{length};
  }
}

TEST(PfcpHeader, FollowOnMessage) {
  Bytes octets = kHeartbeat;
  octets[0] |= 0x04;
  octets.insert(octets.end(), kHeartbeat.begin(), kHeartbeat.end());
  const Message m = read_message(octets);
  EXPECT_EQ(m.state, HeaderState::good);
  EXPECT_EQ(m.body.size(), 8u);
  EXPECT_EQ(read_message(m.behind).state, HeaderState::good);
}

TEST(PfcpIe, ReadsOneAfterAnotherAndStopsAtOneThatIsTooLong) {
  const Bytes octets = {0, 19, 0, 1, 7, 0x80, 1, 0, 2, 0x28, 0xAF, 0, 60, 0, 5, 0, 1, 2, 3};
  IeReader in(octets);
  const auto cause = in.next();
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->type, kCause);
  EXPECT_EQ(cause->value[0], 7);
  const auto vendor = in.next();
  ASSERT_TRUE(vendor);
  EXPECT_EQ(vendor->type, 0x8001);
  EXPECT_FALSE(in.next());
  EXPECT_TRUE(in.broken());
  EXPECT_EQ(in.broken_type(), kNodeId);
  EXPECT_FALSE(in.next());
}

TEST(PfcpIe, EndIsNotBroken) {
  IeReader in(Octets(kHeartbeat).subspan(8));
  EXPECT_TRUE(in.next());
  EXPECT_FALSE(in.next());
  EXPECT_FALSE(in.broken());
}

TEST(PfcpWriter, WritesGroupsAndLengths) {
  Bytes room(100);
  MessageWriter out(room, {kSessionReportRequest, 0x10, 0x20});
  const std::size_t group = out.open(kErrorIndicationReport);
  out.ie(kCause, 1, 1);
  out.close(group);
  ASSERT_TRUE(out.ok());
  const Octets written = out.finish();
  EXPECT_EQ(Bytes(written.begin(), written.end()),
            (Bytes{0x21, 56, 0, 21, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0x20, 0, 0, 99, 0, 5, 0, 19, 0, 1, 1}));
}

TEST(PfcpWriter, FailsWhereTheRoomEnds) {
  Bytes room(20);
  MessageWriter out(room, {kHeartbeatResponse, {}, 1});
  out.ie(kRecoveryTimeStamp, 1, 4);
  EXPECT_TRUE(out.ok());
  out.ie(kRecoveryTimeStamp, 1, 4);
  EXPECT_FALSE(out.ok());
}

template <typename T>
void expect_needs_every_octet(std::optional<T> (*read)(Octets) noexcept, const Bytes& value) {
  EXPECT_TRUE(read(value));
  for (std::size_t length = 0; length < value.size(); ++length) {
    EXPECT_FALSE(read(Octets(value).first(length))) << length;
  }
  Bytes longer = value;
  longer.push_back(0xEE);
  EXPECT_TRUE(read(longer));
}

TEST(PfcpValues, TooShortForTheirFlags) {
  expect_needs_every_octet(read_f_teid, {0x01, 0, 0, 0, 1, 192, 0, 2, 1});
  expect_needs_every_octet(read_f_teid, {0x0D, 9});
  expect_needs_every_octet(read_f_seid, {0x02, 0, 0, 0, 0, 0, 0, 0, 1, 192, 0, 2, 1});
  expect_needs_every_octet(read_ue_ip_address, {0x06, 10, 0, 0, 1});
  expect_needs_every_octet(read_sdf_filter, {0x1E, 0, 0xB8, 0xFC, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2});
  expect_needs_every_octet(read_outer_header_creation, {0x01, 0x00, 0, 0, 0, 1, 192, 0, 2, 1});
  expect_needs_every_octet(read_volume, {0x05, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2});
  expect_needs_every_octet(read_bit_rates, {0, 0, 0, 0, 1, 0, 0, 0, 0, 2});
}

TEST(PfcpValues, FieldsStandWhereTheirFlagsPutThem) {
  const auto choose = read_f_teid(Bytes{0x0D, 9});
  EXPECT_TRUE(choose->choose && choose->has_ipv4 && !choose->has_ipv6);
  EXPECT_EQ(choose->choose_id, 9);

  Bytes both = {0x03, 1, 2, 3, 4, 5, 6, 7, 8, 10, 0, 0, 1};
  both.resize(both.size() + 16, 0xFD);
  const auto seid = read_f_seid(both);
  EXPECT_EQ(seid->seid, 0x0102030405060708u);
  EXPECT_EQ(seid->ipv4->ipv4(), 0x0A000001u);
  EXPECT_EQ(seid->ipv6->octets[15], 0xFD);

  const std::string flow = "permit out ip from any to assigned";
  Bytes sdf = {0x0B, 0, 0, static_cast<std::uint8_t>(flow.size())};
  sdf.insert(sdf.end(), flow.begin(), flow.end());
  for (const std::uint8_t octet : Bytes{0xB8, 0xFC, 0xF1, 0x23, 0x45}) sdf.push_back(octet);
  const auto filter = read_sdf_filter(sdf);
  EXPECT_EQ(*filter->flow_description, flow);
  EXPECT_EQ(filter->tos, 0xB8FC);
  EXPECT_EQ(filter->flow_label, 0x12345u);
  EXPECT_FALSE(filter->spi || filter->filter_id);

  Bytes delegated = {0x0D};
  delegated.resize(17, 0x20);
  delegated.push_back(8);
  const auto user = read_ue_ip_address(delegated);
  EXPECT_TRUE(user->destination && user->ipv6 && !user->ipv4);
  EXPECT_EQ(user->ipv6_prefix, 56);
}

}  // namespace
}  // namespace headroom::gtpu::pfcp
