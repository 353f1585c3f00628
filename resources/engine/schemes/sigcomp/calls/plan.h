// SPDX-License-Identifier: Apache-2.0
//
// When which user calls, decided before anything runs: the calls that are in progress at the beginning, and those that
// arrive, by a clock that does not wait for the workers.
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
  std::uint64_t origin_ns = 0;  // calls before it make up the state that the run starts with
  std::vector<Call> calls;      // by arrival; none that is over before the origin
  std::uint32_t users = 0;
};

// The stationary process: arrivals go back so far that every call which can still be in progress is there. Throws
// Error(job) when there are not enough users.
[[nodiscard]] Plan make_plan(const Job& job);

// The endpoint that a user is dealt to, of `shards`: by a hash of who it is, as a P-CSCF tells by the address that a
// message comes from. Were users dealt in turn, workers would have even shares of the calls at any moment, which is
// what a common queue is there for.
[[nodiscard]] constexpr std::uint32_t dealt_to(std::uint32_t user, std::uint32_t shards) noexcept {
  return scale(mix64(user + kGolden), shards - 1);
}

// Schedule gives the next message that is due, of any call. A call's next message is due when the message before it is
// finished and its pause is over; its first message is due at the arrival of the call.
class Schedule {
 public:
  struct Event {
    std::uint64_t due_ns;
    std::uint32_t call;
    std::uint32_t step;  // of Job::call
  };

  // REQUIRES: both outlive this.
  Schedule(const Job& job, const Plan& plan);

  // The time of the earliest event; nothing if none is known (calls whose message is being handled will bring more).
  [[nodiscard]] std::optional<std::uint64_t> next_due() const noexcept;
  // Takes the earliest event that is due before `before_ns`.
  std::optional<Event> take(std::uint64_t before_ns);
  // The message of `event` was done with at `now_ns`. Returns whether that was the last one of the call.
  bool done(const Event& event, std::uint64_t now_ns);

  [[nodiscard]] std::uint64_t began() const noexcept { return began_; }
  [[nodiscard]] std::uint64_t ended() const noexcept { return ended_; }
  // Calls that had to wait for the one before them of the same user to end.
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
