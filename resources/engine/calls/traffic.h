// SPDX-License-Identifier: Apache-2.0
//
// The calls as the P-CSCF sees them: which message comes when, and what a run of them brings to light.
#ifndef HEADROOM_CALLS_TRAFFIC_H
#define HEADROOM_CALLS_TRAFFIC_H

#include <cstdint>
#include <vector>

#include "calls/measure.h"
#include "calls/plan.h"
#include "calls/rehearsal.h"
#include "calls/server.h"

namespace headroom::calls {

struct Traffic {
  const Job& job;
  const Plan& plan;
  const Script& script;
  Schedule schedule{job, plan};

  [[nodiscard]] Task task_of(const Schedule::Event& event) const noexcept {
    const Message& message = job.call[event.step];
    const std::uint32_t user = plan.calls[event.call].user;
    const bool last = event.step + 1 == job.call.size();
    return {script.call(event.call, event.step), user, message.from_user, message.carried,
            last && !job.keeps_compartments()};
  }
  [[nodiscard]] bool passes(const Schedule::Event& event) const noexcept {
    return job.call[event.step].carried == Carried::plain;
  }
  // Times of the schedule: what is due from counted_from() to end() is counted.
  [[nodiscard]] std::uint64_t counted_from() const noexcept { return plan.origin_ns + job.warmup_ns; }
  [[nodiscard]] std::uint64_t end() const noexcept { return counted_from() + job.duration_ns; }
};

// What happened from counted_from() to end().
struct Findings {
  Measured measured;
  std::vector<Sample> samples;
  std::vector<std::uint64_t> consecutive_ns;  // times in system, of the first messages that count
  std::vector<WorkerResult> workers;
  std::uint64_t calls_at_start = 0, calls_at_end = 0;  // in progress
  std::uint64_t began = 0, ended = 0, postponed = 0;
  std::uint64_t unserved = 0;  // messages that nobody had begun with when the patience was over
  Times late;                  // real clock: from due until handed to the workers, part of the time in the buffer
};

// How long the endpoint took for each message of a run, ns; 0 where it was not asked.
class ServiceTimes {
 public:
  ServiceTimes(const Job& job, const Plan& plan) : steps_(job.call.size()), ns_(plan.calls.size() * steps_, 0) {}
  void keep(const Schedule::Event& event, std::uint64_t ns) noexcept;
  // That of the message; where the run had come to its end before it, the mean of those of its step.
  [[nodiscard]] std::uint64_t of(const Schedule::Event& event) const noexcept;

 private:
  std::size_t steps_;
  std::vector<std::uint32_t> ns_;  // by call and step: four seconds are the longest that it can tell
  std::vector<std::uint64_t> sum_ = std::vector<std::uint64_t>(steps_, 0), count_ = sum_;  // by step
};

// One worker after another in one thread, and a queue that is simulated: messages take the processor time that the
// endpoint took for them, which is kept in `times` where given.
[[nodiscard]] Findings run_virtual(Traffic& traffic, Server& server, Outcomes& outcomes, ServiceTimes* times = nullptr);

// The same traffic once more, its messages with the service times of a run that has been, its workers organised
// otherwise: nothing but the organisation differs. REQUIRES: `traffic` as it was at the origin of its plan.
[[nodiscard]] Findings simulate(Traffic& traffic, const ServiceTimes& times, Organisation organisation,
                                std::uint32_t shards);

// Threads, a queue, and the clock on the wall.
[[nodiscard]] Findings run_real(Traffic& traffic, Server& server, Outcomes& outcomes);

}  // namespace headroom::calls

#endif  // HEADROOM_CALLS_TRAFFIC_H
