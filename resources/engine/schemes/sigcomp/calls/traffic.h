// SPDX-License-Identifier: Apache-2.0
//
// The calls as the P-CSCF sees them: the times of messages, and the measurements of a run.
#ifndef HEADROOM_SCHEMES_SIGCOMP_CALLS_TRAFFIC_H
#define HEADROOM_SCHEMES_SIGCOMP_CALLS_TRAFFIC_H

#include <cstdint>
#include <vector>

#include "queueing/service_times.h"
#include "schemes/sigcomp/calls/measure.h"
#include "schemes/sigcomp/calls/plan.h"
#include "schemes/sigcomp/calls/recording.h"
#include "schemes/sigcomp/calls/server.h"

namespace headroom::sigcomp::calls {

// The times at which messages arrive.
struct Timetable {
  const Job& job;
  const Plan& plan;
  Schedule schedule{job, plan};

  [[nodiscard]] std::uint32_t user_of(const Schedule::Event& event) const noexcept {
    return plan.calls[event.call].user;
  }
  [[nodiscard]] bool passes(const Schedule::Event& event) const noexcept {
    return job.call[event.step].carried == Carried::plain;
  }
  // Times of the schedule: messages due from counted_from() to end() are counted.
  [[nodiscard]] std::uint64_t counted_from() const noexcept { return plan.origin_ns + job.warmup_ns; }
  [[nodiscard]] std::uint64_t end() const noexcept { return counted_from() + job.duration_ns; }
};

// The times and the contents of messages.
struct Traffic : Timetable {
  Traffic(const Job& its_job, const Plan& its_plan, const Recording& its_recording)
      : Timetable{its_job, its_plan}, recording(its_recording) {}

  const Recording& recording;

  [[nodiscard]] Task task_of(const Schedule::Event& event) const noexcept {
    const Message& message = job.call[event.step];
    const bool last = event.step + 1 == job.call.size();
    return {recording.call(event.call, event.step), user_of(event), message.from_user, message.carried,
            last && !job.keeps_compartments()};
  }
};

// Measurements from counted_from() to end().
struct RunMeasurement {
  Measured measured;
  std::vector<Sample> samples;
  std::vector<std::uint64_t> consecutive_ns;  // times in system of the first counted messages
  std::vector<WorkerResult> workers;
  std::uint64_t calls_at_start = 0, calls_at_end = 0;  // in progress
  std::uint64_t began = 0, ended = 0, postponed = 0;
  std::uint64_t unserved = 0;              // messages that no worker had started when the time limit expired
  std::uint64_t other_threads_cpu_ns = 0;  // real clock: of an adapter's own threads, while messages counted
  queueing::Times late;  // real clock: from due to handed to the workers, part of the time in the buffer
};

// Runs the workers one after another in one thread, with a simulated queue: messages take the processor time that the
// endpoint took for them, which is also stored in `times` if given.
[[nodiscard]] RunMeasurement run_virtual(Traffic& traffic, Server& server, Outcomes& outcomes,
                                         queueing::ServiceTimes* times = nullptr);

// Runs the workers in threads, with a real queue and the wall clock.
[[nodiscard]] RunMeasurement run_real(Traffic& traffic, Server& server, Outcomes& outcomes);

}  // namespace headroom::sigcomp::calls

#endif  // HEADROOM_SCHEMES_SIGCOMP_CALLS_TRAFFIC_H
