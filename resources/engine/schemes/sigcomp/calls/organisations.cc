// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/organisations.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/nth.h"
#include "base/random.h"
#include "schemes/sigcomp/calls/through_queue.h"

namespace headroom::sigcomp::calls {
namespace {

enum : std::uint64_t { kTrials = 3, kServices = 4 };  // streams below the seed of the job, beside those of plan.cc

constexpr double kWarmUp = 0.1;  // of a trial: it begins with calls in progress, but with nothing in the queue

// The job with everything in a call `factor` times as long, and a trial's number of calls.
Job stretched(const Job& job, const Comparison& comparison, double factor, std::uint64_t trial) {
  const auto times = [factor](std::uint64_t ns) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(ns) * factor));
  };
  Job made = job;
  for (Message& message : made.call) message.pause_ns = times(message.pause_ns);
  made.holding_ns = times(job.holding_ns);
  if (made.mean_lifetime_ns() == 0) {
    throw Error(ErrorKind::job,
                "its messages take so little time that calls would have to follow each other at once: ask for more "
                "\"simultaneous\" calls.",
                "/comparison");
  }
  const double lasts_ns = static_cast<double>(comparison.calls) / made.calls_per_s() * 1e9;
  made.duration_ns = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(lasts_ns));
  made.warmup_ns = static_cast<std::uint64_t>(lasts_ns * kWarmUp);
  made.sample_ns = made.duration_ns + 1;  // no samples: no worker runs
  made.start_empty = false;
  made.seed = derive(derive(job.seed, kTrials), trial);
  return made;
}

RunMeasurement trial_of(const Job& job, const Plan& plan, Organisation organisation, std::uint32_t shards,
                        const queueing::ServiceTimes& times) {
  Timetable timetable{job, plan};
  while (const auto event = timetable.schedule.take(plan.origin_ns)) timetable.schedule.done(*event, event->due_ns);
  const std::uint64_t key = derive(job.seed, kServices), steps = job.call.size();
  return through_queue(timetable, organisation, shards, [&](const Schedule::Event& event, std::uint64_t) {
    return Work{times.drawn(event.step, draw_at(key, event.call * steps + event.step))};
  });
}

// The service times of all messages of a call together. Throws Error(job) if a message of a call has never come.
double mean_of_call(const Job& job, const queueing::ServiceTimes& times) {
  double all = 0;
  for (std::size_t step = 0; step < job.call.size(); ++step) {
    if (job.call[step].carried == Carried::plain) continue;
    const auto mean = times.mean(step);
    if (!mean) {
      throw Error(ErrorKind::job,
                  nth("message", step) +
                      " of a call never arrived in the run, so its service time is unknown: make duration_s longer.",
                  "/comparison");
    }
    all += *mean;
  }
  return all;
}

// All trials of one organisation.
class OrganisationTrials {
 public:
  explicit OrganisationTrials(std::uint32_t shards) : shards_(shards) {}

  [[nodiscard]] std::uint32_t shards() const noexcept { return shards_; }

  void add(const Job& job, const RunMeasurement& measurement) {
    const Measured& m = measurement.measured;
    Json loads = Json::array();
    for (const WorkerResult& worker : measurement.workers) loads.push_back(worker.busy_share);
    trials_.push_back({{"loads", loads},
                       {"calls", measurement.began},
                       {"messages", m.in_system.count()},
                       {"in_system_ns", m.in_system.mean()},
                       {"in_buffer_ns", m.in_buffer.mean()},
                       {"processing_ns", m.processing.mean()},
                       {"waiting_for_lock_ns", m.waiting_for_lock.mean()}});
    all_.add(m);
    duration_ns_ += job.duration_ns;
  }
  [[nodiscard]] Json json() const {
    const double active = static_cast<double>(all_.processing.sum()) / static_cast<double>(duration_ns_);
    return {{"shards", shards_},
            {"times",
             {{"in_system_ns", all_.in_system.json()},
              {"in_buffer_ns", all_.in_buffer.json()},
              {"processing_ns", all_.processing.json()},
              {"waiting_for_lock_ns", all_.waiting_for_lock.json()}}},
            {"active_workers", active},
            {"trials", trials_}};
  }

 private:
  std::uint32_t shards_;
  Measured all_;
  Json trials_ = Json::array();
  std::uint64_t duration_ns_ = 0;
};

}  // namespace

Json compare(const Job& job, const queueing::ServiceTimes& times) {
  const Comparison& comparison = *job.comparison;
  const double call_ns = mean_of_call(job, times);
  if (call_ns <= 0) throw Error(ErrorKind::job, "the clock has not seen any time pass in a message.", "/comparison");
  const double factor = job.calls_per_s() * call_ns * 1e-9 / (comparison.load * job.workers);
  OrganisationTrials pinned(job.workers), pool(job.organisation == Organisation::pool ? job.shards : kShardsOfPool);
  double calls_per_s = 0;
  for (std::uint64_t trial = 0; trial < comparison.trials; ++trial) {
    const Job its = stretched(job, comparison, factor, trial);
    const Plan plan = make_plan(its);
    calls_per_s = its.calls_per_s();
    pinned.add(its, trial_of(its, plan, Organisation::pinned, pinned.shards(), times));
    pool.add(its, trial_of(its, plan, Organisation::pool, pool.shards(), times));
  }
  return {{"load", comparison.load}, {"calls_per_s", calls_per_s}, {"service_ns_per_call", call_ns},
          {"time_factor", factor},   {"pinned", pinned.json()},    {"pool", pool.json()}};
}

}  // namespace headroom::sigcomp::calls
