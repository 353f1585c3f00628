// SPDX-License-Identifier: Apache-2.0
//
// A control plane for tests: sends PFCP requests and reads responses.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gtpu/n4/controller.h"
#include "gtpu/test/pfcp_messages.h"
#include "gtpu/test/user_plane.h"
#include "gtpu/wire/pfcp.h"
#include "gtpu/wire/pfcp_values.h"

namespace headroom::gtpu::test {

// Answer is a message from the user plane.
struct Answer {
  Bytes octets{};
  n4::Peer peer{};

  [[nodiscard]] bool none() const { return octets.empty(); }
  [[nodiscard]] std::uint8_t type() const { return octets.at(1); }
  [[nodiscard]] pfcp::Message read() const { return pfcp::read_message(octets); }
  // Returns the values of all elements of a type at the end of a path of groups.
  [[nodiscard]] std::vector<Bytes> all(std::vector<std::uint16_t> path) const {
    const pfcp::Message m = read();
    return within(m.body, path);
  }
  // Returns the first of them as a number; nothing if there is none.
  [[nodiscard]] std::optional<std::uint64_t> number(const std::vector<std::uint16_t>& path) const {
    const auto values = all(path);
    if (values.empty()) return std::nullopt;
    return pfcp::FieldReader(values[0]).number(values[0].size());
  }
  [[nodiscard]] pfcp::Cause cause() const { return static_cast<pfcp::Cause>(number({pfcp::kCause}).value_or(0)); }

 private:
  static std::vector<Bytes> within(pfcp::Octets group, std::vector<std::uint16_t> path) {
    std::vector<Bytes> values;
    const std::uint16_t type = path.front();
    path.erase(path.begin());
    pfcp::IeReader in(group);
    while (const auto found = in.next()) {
      if (found->type != type) continue;
      if (path.empty()) {
        values.emplace_back(found->value.begin(), found->value.end());
      } else {
        for (Bytes& value : within(found->value, path)) values.push_back(std::move(value));
      }
    }
    EXPECT_FALSE(in.broken());
    return values;
  }
};

inline n4::Config n4_config() {
  n4::Config config;
  config.node = Address::of_ipv4(0xC0000204);
  config.recovery_time = 3'900'000'000;
  PredefinedRule web;
  web.name = "web";
  web.precedence = 10;
  web.filter = *parse_flow_description("permit out 6 from any 80 to assigned");
  config.predefined.push_back(web);
  return config;
}

// ControlPlane drives a controller, on an injected clock.
class ControlPlane {
 public:
  // Sends octets; returns the first message that comes back, or none.
  Answer send(Bytes octets) {
    headroom_n4_message m{};
    m.octets = octets.data();
    m.length = static_cast<std::uint32_t>(octets.size());
    m.peer[10] = m.peer[11] = 0xFF;
    const std::uint8_t address[] = {192, 0, 2, 100};
    std::copy(address, address + 4, m.peer + 12);
    m.port = 8805;
    controller.handle(m, now);
    return take();
  }
  Answer take() {
    Bytes room(HEADROOM_USER_PLANE_MAX);
    headroom_n4_message m{};
    m.octets = room.data();
    m.capacity = static_cast<std::uint32_t>(room.size());
    if (!controller.take(m, now)) return {};
    room.resize(m.length);
    Answer answer{room, {}};
    std::copy(m.peer, m.peer + 16, answer.peer.address.begin());
    answer.peer.port = m.port;
    return answer;
  }
  Answer node(std::uint8_t type, const Bytes& body) { return send(message(type, {}, ++sequence, body)); }
  Answer session(std::uint8_t type, std::uint64_t seid, const Bytes& body) {
    return send(message(type, seid, ++sequence, body));
  }
  Answer associate() { return node(pfcp::kAssociationSetupRequest, kNode + ie(pfcp::kRecoveryTimeStamp, be(1, 4))); }
  Answer establish(const Bytes& rules) {
    return session(pfcp::kSessionEstablishmentRequest, 0, kNode + kCpSeid + rules);
  }
  // Establishes a session; returns its SEID.
  std::uint64_t established(const Bytes& rules) {
    const Answer answer = establish(rules);
    EXPECT_EQ(answer.cause(), pfcp::Cause::accepted);
    const auto values = answer.all({pfcp::kFSeid});
    const auto f_seid = values.empty() ? std::nullopt : pfcp::read_f_seid(values[0]);
    EXPECT_TRUE(f_seid);
    return f_seid ? f_seid->seid : 0;
  }
  Answer modify(std::uint64_t seid, const Bytes& body) {
    return session(pfcp::kSessionModificationRequest, seid, body);
  }
  Answer remove(std::uint64_t seid) { return session(pfcp::kSessionDeletionRequest, seid, {}); }

  UserPlane plane;
  Sessions& sessions = plane.sessions;
  n4::Controller controller{sessions, n4_config()};
  std::uint64_t now = 0;
  std::uint32_t sequence = 0;
};

}  // namespace headroom::gtpu::test
