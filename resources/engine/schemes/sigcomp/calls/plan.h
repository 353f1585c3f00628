// SPDX-License-Identifier: Apache-2.0
//
// Plan decides before the run which user calls when: the calls in progress at the beginning, and the calls that arrive,
// by a clock that does not wait for the workers.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_PLAN_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_PLAN_H

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "schemes/sigcomp/calls/job.h"

namespace headroom::sigcomp::calls {

struct Call {
  std::uint64_t arrival_ns;
  std::uint64_t holding_ns;
  std::uint32_t user;
};

struct Plan {
  std::uint64_t origin_ns = 0;  // calls before this time form the initial state of the run
  std::vector<Call> calls;      // by arrival, without calls that end before the origin
  std::uint32_t users = 0;
};

// Makes the plan of a stationary process: arrivals begin so early that every call that can still be in progress is
// included. Throws Error(job) if there are not enough users.
[[nodiscard]] Plan make_plan(const Job& job);

// Returns the endpoint, of `shards`, to which a user is assigned: by a hash of the user, as a P-CSCF does by a
// message's source address. If users were assigned in turn, workers would always have even shares of the calls, which
// is the advantage of a common queue.
[[nodiscard]] constexpr std::uint32_t dealt_to(std::uint32_t user, std::uint32_t shards) noexcept {
  return scale(mix64(user + kGolden), shards - 1);
}

// Schedule returns the next message that is due, of any call. A call's next message is due when the previous message is
// finished and its pause is over; the first message is due at the arrival of the call.
class Schedule {
 public:
  struct Event {
    std::uint64_t due_ns;
    std::uint32_t call;
    std::uint32_t step;  // index in Job::call
  };

  // REQUIRES: both outlive this.
  Schedule(const Job& job, const Plan& plan);

  // Returns the time of the earliest event, or nothing if none is known (calls whose message is being processed will
  // add more).
  [[nodiscard]] std::optional<std::uint64_t> next_due() const noexcept;
  // Removes and returns the earliest event that is due before `before_ns`.
  std::optional<Event> take(std::uint64_t before_ns);
  // Records that the message of `event` was finished at `now_ns`. Returns true if that was the last message of the
  // call.
  bool done(const Event& event, std::uint64_t now_ns);

  [[nodiscard]] std::uint64_t began() const noexcept { return began_; }
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_; }
  // Returns the number of calls that had to wait for the end of the same user's previous call.
  [[nodiscard]] std::uint64_t postponed() const noexcept { return postponed_; }

 private:
  void push(const Event& event);

  const Job& job_;
  const Plan& plan_;
  std::vector<Event> heap_;
  std::vector<std::uint8_t> busy_;  // users with a call in progress, or about to begin
  std::unordered_map<std::uint32_t, std::deque<std::uint32_t>> waiting_;  // calls of those users, by arrival
  std::size_t arrivals_ = 0;                                              // calls that have arrived
  std::uint64_t began_ = 0, ended_ = 0, postponed_ = 0;
};

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_PLAN_H
