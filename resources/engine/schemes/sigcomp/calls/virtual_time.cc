// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "schemes/sigcomp/calls/through_queue.h"

namespace headroom::sigcomp::calls {
namespace {

// Samples at every `sample_ns`, and how busy each worker has been since the last.
class Sampler {
 public:
  Sampler(const Timetable& timetable, RunMeasurement& measurement)
      : timetable_(timetable),
        measurement_(measurement),
        next_(timetable.counted_from() + timetable.job.sample_ns),
        busy_ns_(timetable.job.workers, 0) {
    measurement.samples.reserve(static_cast<std::size_t>(timetable.job.duration_ns / timetable.job.sample_ns) + 1);
  }
  void worked(std::size_t worker, std::uint64_t ns) { busy_ns_[worker] += ns; }
  void until(std::uint64_t now) {
    for (; next_ <= now && next_ <= timetable_.end(); next_ += timetable_.job.sample_ns) {
      Sample sample{next_ - timetable_.counted_from(),
                    timetable_.schedule.began() - timetable_.schedule.ended(),
                    private_resident_octets(),
                    {}};
      for (std::uint64_t& busy : busy_ns_) {
        sample.busy.push_back(static_cast<double>(busy) / static_cast<double>(timetable_.job.sample_ns));
        busy = 0;
      }
      measurement_.samples.push_back(std::move(sample));
    }
  }

 private:
  const Timetable& timetable_;
  RunMeasurement& measurement_;
  std::uint64_t next_;
  std::vector<std::uint64_t> busy_ns_;
};

}  // namespace

RunMeasurement through_queue(Timetable& timetable, Organisation organisation, std::uint32_t shards,
                             const Serve& serve) {
  queueing::SimulatedWorkers workers(organisation, timetable.job.workers, shards);
  RunMeasurement measurement;
  measurement.workers.resize(timetable.job.workers);
  Sampler sampler(timetable, measurement);
  Measured& measured = measurement.measured;
  Schedule& schedule = timetable.schedule;
  const std::uint64_t from = timetable.counted_from();
  const auto in_progress = [&] { return schedule.began() - schedule.ended(); };
  measurement.calls_at_start = in_progress();
  std::uint64_t began_before = schedule.began(), ended_before = schedule.ended();
  bool counting = false;
  while (const auto event = schedule.take(timetable.end())) {
    if (!counting && event->due_ns >= from) {
      counting = true;
      began_before = schedule.began() - (event->step == 0 ? 1 : 0);
      ended_before = schedule.ended();
      measurement.calls_at_start = began_before - ended_before;
    }
    sampler.until(event->due_ns);
    if (timetable.passes(*event)) {
      measured.passed += counting ? 1 : 0;
      schedule.done(*event, event->due_ns);
      continue;
    }
    const std::uint32_t shard = dealt_to(timetable.user_of(*event), shards);
    Work work{};
    const queueing::JobTimes times = workers.pass(shard, event->due_ns, [&](std::uint64_t start) {
      work = serve(*event, start);
      return work.service_ns;
    });
    schedule.done(*event, times.end_ns);
    if (!counting) continue;
    sampler.worked(times.worker, times.service_ns);
    measured.count(timetable.job.call[event->step].from_user, work.input_octets, work.output_octets, times);
    if (measurement.consecutive_ns.size() < timetable.job.consecutive)
      measurement.consecutive_ns.push_back(times.end_ns - times.due_ns);
    measurement.workers[times.worker].cpu_ns += times.service_ns;
  }
  sampler.until(timetable.end());
  if (!counting) measurement.calls_at_start = in_progress();
  measurement.calls_at_end = in_progress();
  measurement.began = schedule.began() - began_before;
  measurement.ended = schedule.ended() - ended_before;
  measurement.postponed = schedule.postponed();
  for (WorkerResult& worker : measurement.workers)
    worker.busy_share = static_cast<double>(worker.cpu_ns) / static_cast<double>(timetable.job.duration_ns);
  return measurement;
}

RunMeasurement run_virtual(Traffic& traffic, Server& server, Outcomes& outcomes, queueing::ServiceTimes* times) {
  WorkerState state;
  RunMeasurement measurement = through_queue(
      traffic, traffic.job.organisation, server.shards(), [&](const Schedule::Event& event, std::uint64_t start) {
        const Task task = traffic.task_of(event);
        const std::uint64_t service = server.serve(task, start, Server::Clock::thread, state).endpoint_ns;
        if (times != nullptr) times->keep(event.step, service);
        return Work{service, task.part.input.size(), task.part.output_length};
      });
  outcomes.add(state.outcomes);
  return measurement;
}

}  // namespace headroom::sigcomp::calls
