// SPDX-License-Identifier: Apache-2.0
//
// SimulatedWorkers simulates a queue with virtual workers, which serve jobs with measured service times, first come
// first served. No thread waits, and the number of workers is unlimited.
#ifndef HEADROOM_QUEUEING_WORKERS_H
#define HEADROOM_QUEUEING_WORKERS_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "queueing/times.h"

namespace headroom::queueing {

enum class Organisation : std::uint8_t {
  pool,   // a common queue; whichever worker is free takes the next job
  pinned  // each job has its worker, and each worker its queue
};

class SimulatedWorkers {
 public:
  // `locks` is the number of locks. A worker holds one lock while it serves a job, such as the lock of an instance that
  // several workers share. If jobs are pinned, lock n belongs to worker n alone. REQUIRES: if jobs are pinned, as many
  // locks as workers.
  SimulatedWorkers(Organisation organisation, std::size_t workers, std::size_t locks)
      : pool_(organisation == Organisation::pool), free_at_(workers, 0), lock_free_at_(locks, 0) {}

  // Takes the next job through the system. `serve(start_ns)` is called once, with the time when a worker begins with
  // the job, and returns the job's service time. REQUIRES: jobs come in the order in which they are due.
  template <typename Serve>
  JobTimes pass(std::uint32_t lock, std::uint64_t due_ns, Serve&& serve) {
    const std::size_t worker = pool_ ? first_free() : lock;
    const std::uint64_t start = std::max(due_ns, free_at_[worker]);
    std::uint64_t active = 1;
    for (const std::uint64_t free : free_at_) active += free > start ? 1 : 0;
    const std::uint64_t service = serve(start);
    const std::uint64_t waited = lock_free_at_[lock] > start ? lock_free_at_[lock] - start : 0;
    const std::uint64_t end = start + waited + service;
    free_at_[worker] = lock_free_at_[lock] = end;
    return {due_ns, start, end, waited, service, active, worker};
  }

 private:
  [[nodiscard]] std::size_t first_free() const {
    return static_cast<std::size_t>(std::min_element(free_at_.begin(), free_at_.end()) - free_at_.begin());
  }

  bool pool_;
  std::vector<std::uint64_t> free_at_, lock_free_at_;
};

}  // namespace headroom::queueing

#endif  // HEADROOM_QUEUEING_WORKERS_H
