// SPDX-License-Identifier: Apache-2.0
//
// A user plane with one worker.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gtpu/forward/worker.h"
#include "gtpu/test/packets.h"

namespace headroom::gtpu::test {

struct Outcome {
  std::int32_t status = 0;
  std::uint16_t reason = 0;
  std::int32_t side = 0;
  Bytes octets{};
};

class UserPlane {
 public:
  explicit UserPlane(Config c = config()) : config_(std::move(c)), sessions(config_.addresses, config_.max_sessions) {
    worker = std::make_unique<Worker>(config_, sessions, true);
  }

  Outcome forward(const Bytes& packet, std::int32_t side, std::uint64_t now_ns = 0) {
    constexpr std::size_t kRoom = HEADROOM_USER_PLANE_ROOM;
    Bytes buffer(kRoom, 0xA5);
    buffer = buffer + packet + Bytes(kRoom, 0x5A);
    headroom_user_packet p{};
    p.octets = buffer.data() + kRoom;
    p.length = static_cast<std::uint32_t>(packet.size());
    p.room_before = p.room_behind = kRoom;
    p.side = side;
    worker->forward(&p, 1, now_ns);
    Outcome outcome{p.status, p.reason, p.side, {}};
    if (p.status == HEADROOM_OK) outcome.octets.assign(p.octets, p.octets + p.length);
    return outcome;
  }

  // All packets that wait.
  std::vector<Outcome> take(std::uint64_t now_ns = 0) {
    std::vector<Outcome> taken;
    Bytes buffer(HEADROOM_USER_PLANE_MAX);
    while (true) {
      headroom_user_packet p{};
      p.octets = buffer.data();
      p.length = HEADROOM_USER_PLANE_MAX;
      if (worker->take(&p, 1, now_ns) == 0) return taken;
      taken.push_back({p.status, p.reason, p.side, {p.octets, p.octets + p.length}});
    }
  }

  Session& create(const Rules& rules) {
    Refusal refusal;
    Session* const session = sessions.create(rules, refusal);
    EXPECT_NE(session, nullptr) << static_cast<int>(refusal.reason);
    return *session;
  }

 private:
  Config config_;

 public:
  Sessions sessions;
  std::unique_ptr<Worker> worker;
};

}  // namespace headroom::gtpu::test
