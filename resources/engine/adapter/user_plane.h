// SPDX-License-Identifier: Apache-2.0
//
// The workers of a user plane (headroom_user_plane.h), made from one configuration and destroyed at the end of their
// scope; and calls of them that trust nothing: each packet lies between fences, and each outcome is checked.
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

// The word for a side: "N3", "N6", "N9"; empty for a value that the ABI does not know.
[[nodiscard]] const char* name_of_side(std::int32_t side) noexcept;

// The word for a reason: "none", "no-session" …; empty for a value that the ABI does not know.
[[nodiscard]] const char* name_of_reason(std::uint16_t reason) noexcept;

// Returns the fault of an outcome of `forward`, as a sentence; empty if there is none. `given` is the packet before the
// call.
[[nodiscard]] std::string forward_defect(const headroom_user_packet& given, const headroom_user_packet& outcome);

// Returns the fault of a packet that `take` filled, as a sentence; empty if there is none. `given` is the packet before
// the call.
[[nodiscard]] std::string take_defect(const headroom_user_packet& given, const headroom_user_packet& taken);

// Throws Error(adapter) at `where` where the adapter lacks the extension.
void require_user_plane(const Instance& instance, const std::string& where = {});

// Calls `forward` without any check, for loops that are measured. A profile of a run shows it by this name.
[[gnu::noinline]] inline void forward_in_adapter(decltype(headroom_user_plane::forward) function,
                                                 headroom_instance* worker, headroom_user_packet* packets,
                                                 std::size_t count, std::uint64_t now_ns) {
  function(worker, packets, count, now_ns);
  asm volatile("");  // no tail call, which a profile would not show
}

// The workers of one user plane.
class UserPlaneWorkers {
 public:
  // Throws Error(adapter) with the adapter's own sentence where it refuses. REQUIRES: workers > 0.
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
  // The entry of the scheme in what `describe` returns.
  [[nodiscard]] const Json& description() const noexcept { return *description_; }
  [[nodiscard]] Json statistics(std::size_t index) const { return headroom::statistics(first_.api(), worker(index)); }

  // Sends a message of `control` to all workers. Throws Error(adapter) where one does not understand it.
  void control(const std::string& message) const;

  // Destroys all workers, in the order of `indices`. Nothing else may be called behind it. REQUIRES: each index once.
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
  std::int32_t side = 0;  // of a packet that is to be sent, as its octets
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

// Calls of a user plane's workers, each of which throws PromiseBroken where the adapter breaks a promise. Calls for
// different workers may run beside each other, as the ABI allows; `n4` and `take_n4` beside them.
class CheckedUserPlane {
 public:
  // `room`: octets in front of and behind each packet.
  CheckedUserPlane(const AdapterJob& job, std::size_t workers, std::uint16_t room = HEADROOM_USER_PLANE_ROOM);

  [[nodiscard]] UserPlaneWorkers& workers() noexcept { return workers_; }

  // One call of `forward`.
  [[nodiscard]] std::vector<ForwardOutcome> forward(std::size_t worker, std::span<const UserPacket> packets,
                                                    std::uint64_t now_ns);
  // Takes until nothing waits.
  [[nodiscard]] std::vector<TakenPacket> take(std::size_t worker, std::uint64_t now_ns);
  // HEADROOM_NO_DEADLINE where there is none.
  [[nodiscard]] std::uint64_t next_deadline(std::size_t worker);

  // REQUIRES: the user plane has N4.
  void n4(const N4Datagram& message, std::uint64_t now_ns);
  // Takes until nothing waits; nothing where there is no N4.
  [[nodiscard]] std::vector<N4Datagram> take_n4(std::uint64_t now_ns);
  [[nodiscard]] std::uint64_t n4_deadline();

 private:
  // The buffers for one worker's calls, or for those of N4.
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
