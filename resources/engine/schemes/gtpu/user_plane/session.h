// SPDX-License-Identifier: Apache-2.0
//
// The command `user-plane`: drives a user plane step by step. Each line of the input is a step, each line of the output
// its answer; README.md describes both.
#ifndef HEADROOM_SCHEMES_GTPU_USER_PLANE_SESSION_H
#define HEADROOM_SCHEMES_GTPU_USER_PLANE_SESSION_H

#include <cstdint>
#include <optional>
#include <string>

#include "adapter/user_plane.h"
#include "base/cycles.h"
#include "schemes/gtpu/user_plane/capture.h"

namespace headroom::gtpu {

struct SessionJob {
  AdapterJob user_plane;
  std::size_t workers = 1;
  std::uint16_t room = HEADROOM_USER_PLANE_ROOM;
  std::optional<std::string> capture;
  Address n4{};  // of the user plane, for captures
};

// Reads a job. Throws Error(job).
[[nodiscard]] SessionJob read_session_job(const Json& document);

// UserPlaneSession is a user plane with its time and its capture.
class UserPlaneSession {
 public:
  explicit UserPlaneSession(const SessionJob& job);

  // Returns {"ready", "workers", "description"}.
  [[nodiscard]] Json greeting();
  // Carries out a step and returns its answer. Throws Error(job) for a wrong step, before any part of it is carried
  // out, and PromiseBroken.
  [[nodiscard]] Json step(const Json& document);
  [[nodiscard]] bool ended() const noexcept { return ended_; }

 private:
  // Packets for the answer that leave the user plane in addition to the outcomes of its packets.
  struct Leaving {
    Json taken = Json::array(), n4 = Json::array();
  };

  Json packet_step(Object& step, const Value& packet);
  Json burst_step(Object& step, const Value& burst);
  Json n4_step(Object& step, const Value& n4);
  [[nodiscard]] std::size_t read_worker(Object& step);
  [[nodiscard]] std::uint64_t read_time(Object& step) const;

  std::vector<ForwardOutcome> forward(std::size_t worker, std::span<const UserPacket> packets);
  void take(std::size_t worker);
  void take_n4();
  // Advances the time, and takes packets that become due, in order.
  void pass_until(std::uint64_t time_ns);
  [[nodiscard]] Json answer(Json outcomes);

  std::uint64_t start_ns_ = monotonic_ns();
  CheckedUserPlane plane_;
  std::uint64_t made_ns_ = 0;  // time to make the instances of all workers
  std::optional<UserPlaneCapture> capture_;
  std::uint64_t now_ns_ = 0;
  Leaving leaving_;
  bool ended_ = false;
};

// Reads the job and steps from one descriptor and writes answers to another, that to the end of the session after the
// adapter has been destroyed. Throws Error if the job is wrong or the adapter breaks a promise.
void serve_user_plane(int input, int output);

}  // namespace headroom::gtpu

#endif  // HEADROOM_SCHEMES_GTPU_USER_PLANE_SESSION_H
