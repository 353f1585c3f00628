// SPDX-License-Identifier: Apache-2.0
//
// The workers of a user plane (headroom_user_plane.h), made from one configuration and destroyed at the end of their
// scope, and calls of them that check everything: each packet lies between fences, and each outcome is checked.
#ifndef HEADROOM_ADAPTER_USER_PLANE_H
#define HEADROOM_ADAPTER_USER_PLANE_H

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "adapter/buffers.h"
#include "adapter/caller.h"

namespace headroom {

// Returns the name of a side: "N3", "N6", "N9"; empty for an unknown value.
[[nodiscard]] const char* name_of_side(std::int32_t side) noexcept;

// Returns the name of a reason: "none", "no-session" …; empty for an unknown value.
[[nodiscard]] const char* name_of_reason(std::uint16_t reason) noexcept;

// Returns a sentence about what is wrong with an outcome of `forward`, or an empty string. `given` is the packet before
// the call.
[[nodiscard]] std::string forward_defect(const headroom_user_packet& given, const headroom_user_packet& outcome);

// Returns a sentence about what is wrong with a packet that `take` filled, or an empty string. `given` is the packet
// before the call.
[[nodiscard]] std::string take_defect(const headroom_user_packet& given, const headroom_user_packet& taken);

// Throws Error(adapter) at `where` if the adapter lacks the extension.
void require_user_plane(const Instance& instance, const std::string& where = {});

// Calls `forward` without any check, for measured loops. A profile of a run shows it by this name.
[[gnu::noinline]] inline void forward_in_adapter(decltype(headroom_user_plane::forward) function,
                                                 headroom_instance* worker, headroom_user_packet* packets,
                                                 std::size_t count, std::uint64_t now_ns) {
  function(worker, packets, count, now_ns);
  asm volatile("");  // prevents a tail call, which a profile would not show
}

// The workers of one user plane.
class UserPlaneWorkers {
 public:
  // Makes the workers. Throws Error(adapter) with the adapter's own sentence if it refuses. REQUIRES: workers > 0.
  UserPlaneWorkers(const AdapterJob& job, std::size_t workers);
  ~UserPlaneWorkers();
  UserPlaneWorkers(const UserPlaneWorkers&) = delete;
  UserPlaneWorkers& operator=(const UserPlaneWorkers&) = delete;

  [[nodiscard]] const Instance& instance() const noexcept { return first_; }
  [[nodiscard]] const headroom_user_plane& functions() const noexcept { return *first_.library().user_plane(); }
  [[nodiscard]] std::size_t count() const noexcept { return workers_.size(); }
  [[nodiscard]] headroom_instance* worker(std::size_t index) const noexcept { return workers_[index]; }
  [[nodiscard]] headroom_instance* first() const noexcept { return workers_.front(); }
  [[nodiscard]] bool has_n4() const noexcept { return functions().n4 != nullptr; }
  // Returns the scheme's entry in the result of `describe`.
  [[nodiscard]] const Json& description() const noexcept { return *description_; }
  [[nodiscard]] Json statistics(std::size_t index) const { return headroom::statistics(first_.api(), worker(index)); }

  // Sends a message of `control` to all workers. Throws Error(adapter) if a worker does not understand it.
  void control(const std::string& message) const;

  // Destroys all workers, in the order of `indices`. No other function may be called afterwards. REQUIRES: each index
  // occurs once.
  void destroy_in(std::span<const std::size_t> indices);

 private:
  void add_worker();

  Instance first_;
  std::vector<headroom_instance*> workers_;
  const Json* description_ = nullptr;
};

struct UserPacket {
  OctetView octets;
  headroom_side side = HEADROOM_N3;
};

struct ForwardOutcome {
  std::int32_t status = HEADROOM_ERR_INTERNAL;
  std::uint16_t reason = HEADROOM_REASON_NONE;
  bool more = false;
  std::int32_t side = 0;  // side to which the packet is to be sent
  Octets octets{};

  bool operator==(const ForwardOutcome&) const = default;
};

struct TakenPacket {
  std::int32_t side = 0;
  Octets octets;

  bool operator==(const TakenPacket&) const = default;
};

struct N4Datagram {
  Octets octets;
  std::array<std::uint8_t, 16> peer{};
  std::uint16_t port = 0;

  bool operator==(const N4Datagram&) const = default;
};

// CheckedUserPlane calls a user plane's workers. All functions throw PromiseBroken if the adapter breaks a promise.
// Calls for different workers may run at the same time, as the ABI allows; so may `n4` and `take_n4`.
class CheckedUserPlane {
 public:
  // `room` is the number of octets in front of and after each packet.
  CheckedUserPlane(const AdapterJob& job, std::size_t workers, std::uint16_t room = HEADROOM_USER_PLANE_ROOM);

  [[nodiscard]] UserPlaneWorkers& workers() noexcept { return workers_; }

  // Forwards packets in one call of `forward`.
  [[nodiscard]] std::vector<ForwardOutcome> forward(std::size_t worker, std::span<const UserPacket> packets,
                                                    std::uint64_t now_ns);
  // Takes until nothing waits.
  [[nodiscard]] std::vector<TakenPacket> take(std::size_t worker, std::uint64_t now_ns);
  // Returns the worker's next deadline, or HEADROOM_NO_DEADLINE.
  [[nodiscard]] std::uint64_t next_deadline(std::size_t worker);

  // Passes an N4 message to the user plane. REQUIRES: the user plane has N4.
  void n4(const N4Datagram& message, std::uint64_t now_ns);
  // Takes N4 messages until none waits; returns none if the user plane has no N4.
  [[nodiscard]] std::vector<N4Datagram> take_n4(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t n4_deadline();

 private:
  // The buffers for one worker's calls, or for N4 calls.
  struct Room {
    Buffers buffers;
    std::vector<headroom_user_packet> given, packets;
  };

  UserPlaneWorkers workers_;
  std::uint16_t room_;
  std::vector<Room> rooms_;
  Room n4_room_;
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_USER_PLANE_H
