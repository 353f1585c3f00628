// SPDX-License-Identifier: Apache-2.0
//
// The times of jobs in a system of workers. Each worker has an object of its own; they are added up at the end.
#ifndef HEADROOM_QUEUEING_TIMES_H
#define HEADROOM_QUEUEING_TIMES_H

#include <cstddef>
#include <cstdint>

#include "base/histogram.h"
#include "base/json_reader.h"

namespace headroom::queueing {

// A histogram of nanoseconds with their sum.
class Times {
 public:
  void record(std::uint64_t ns) noexcept {
    histogram_.record(ns);
    sum_ += ns;
  }
  void add(const Times& other) noexcept {
    histogram_.add(other.histogram_);
    sum_ += other.sum_;
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return histogram_.total(); }
  // Returns the mean in nanoseconds, or 0 if nothing was recorded.
  [[nodiscard]] double mean() const noexcept;
  // Returns the JSON of the histogram and "mean"; null if nothing was recorded.
  [[nodiscard]] Json json() const;

 private:
  Histogram histogram_;
  std::uint64_t sum_ = 0;
};

// The times of one job on its way through the system.
struct JobTimes {
  std::uint64_t due_ns, start_ns, end_ns;  // it arrived, a worker began with it, and the worker was done with it
  std::uint64_t lock_ns, service_ns;       // of the worker's time: waiting for the job's lock, and serving the job
  std::uint64_t active;                    // workers at work when this one began, itself included
  std::size_t worker = 0;
};

// The times of many jobs.
struct SystemTimes {
  Times in_system, in_buffer, processing, waiting_for_lock;
  std::uint64_t active_seen = 0, most_active = 0;  // workers at the start of each job, its own included: sum, largest

  void count(const JobTimes& times) noexcept;
  void add(const SystemTimes& other) noexcept;
};

}  // namespace headroom::queueing

#endif  // HEADROOM_QUEUEING_TIMES_H
