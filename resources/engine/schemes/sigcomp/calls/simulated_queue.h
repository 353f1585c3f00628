// SPDX-License-Identifier: Apache-2.0
//
// A queue with several workers, first come first served: who takes a message, and when (maenpaa-2005, 7.3.2).
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_SIMULATED_QUEUE_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_SIMULATED_QUEUE_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schemes/sigcomp/calls/job.h"

namespace headroom::sigcomp::calls {

// Times are nanoseconds. REQUIRES: messages come in the order in which they are due.
class SimulatedQueue {
 public:
  // `shards`: endpoints, one user at a time each. Where compartments are pinned, shard n is worker n's.
  SimulatedQueue(Organisation organisation, std::size_t workers, std::size_t shards)
      : pool_(organisation == Organisation::pool), free_at_(workers, 0), shard_free_at_(shards, 0) {}

  struct Turn {
    std::size_t worker;
    std::uint64_t start;
    std::uint64_t active;  // workers that are at work at that moment, this one included
  };

  [[nodiscard]] Turn turn(std::uint32_t shard, std::uint64_t due) const {
    Turn turn{shard, 0, 1};
    if (pool_) {
      const auto first_free = std::min_element(free_at_.begin(), free_at_.end());
      turn.worker = static_cast<std::size_t>(first_free - free_at_.begin());
    }
    turn.start = std::max(due, free_at_[turn.worker]);
    for (const std::uint64_t free : free_at_) turn.active += free > turn.start ? 1 : 0;
    return turn;
  }

  // The worker holds the endpoint for `service`, once no other worker holds it. Returns the end of that, and the time
  // `waited` for the endpoint.
  std::uint64_t work(const Turn& turn, std::uint32_t shard, std::uint64_t service, std::uint64_t& waited) {
    waited = shard_free_at_[shard] > turn.start ? shard_free_at_[shard] - turn.start : 0;
    const std::uint64_t done = turn.start + waited + service;
    free_at_[turn.worker] = shard_free_at_[shard] = done;
    return done;
  }

 private:
  bool pool_;
  std::vector<std::uint64_t> free_at_, shard_free_at_;
};

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_SIMULATED_QUEUE_H
