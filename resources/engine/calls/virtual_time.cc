// SPDX-License-Identifier: Apache-2.0
#include "calls/simulated_queue.h"
#include "calls/traffic.h"

namespace headroom::calls {
namespace {

// Samples at every `sample_ns`, and how busy each worker has been since the last.
class Sampler {
 public:
  Sampler(const Traffic& traffic, Findings& findings)
      : traffic_(traffic),
        findings_(findings),
        next_(traffic.counted_from() + traffic.job.sample_ns),
        busy_ns_(traffic.job.workers, 0) {
    findings.samples.reserve(static_cast<std::size_t>(traffic.job.duration_ns / traffic.job.sample_ns) + 1);
  }
  void worked(std::size_t worker, std::uint64_t ns) { busy_ns_[worker] += ns; }
  void until(std::uint64_t now) {
    for (; next_ <= now && next_ <= traffic_.end(); next_ += traffic_.job.sample_ns) {
      Sample sample{next_ - traffic_.counted_from(),
                    traffic_.schedule.began() - traffic_.schedule.ended(),
                    private_resident_octets(),
                    {}};
      for (std::uint64_t& busy : busy_ns_) {
        sample.busy.push_back(static_cast<double>(busy) / static_cast<double>(traffic_.job.sample_ns));
        busy = 0;
      }
      findings_.samples.push_back(std::move(sample));
    }
  }

 private:
  const Traffic& traffic_;
  Findings& findings_;
  std::uint64_t next_;
  std::vector<std::uint64_t> busy_ns_;
};

}  // namespace

Findings run_virtual(Traffic& traffic, Server& server, Outcomes& outcomes) {
  Findings findings;
  findings.workers.resize(traffic.job.workers);
  SimulatedQueue queue(traffic.job.organisation, traffic.job.workers, server.shards());
  Sampler sampler(traffic, findings);
  Desk desk;
  Schedule& schedule = traffic.schedule;
  const std::uint64_t from = traffic.counted_from();
  const auto in_progress = [&] { return schedule.began() - schedule.ended(); };
  findings.calls_at_start = in_progress();
  std::uint64_t began_before = schedule.began(), ended_before = schedule.ended();
  bool counting = false;
  while (const auto event = schedule.take(traffic.end())) {
    if (!counting && event->due_ns >= from) {
      counting = true;
      began_before = schedule.began() - (event->step == 0 ? 1 : 0);
      ended_before = schedule.ended();
      findings.calls_at_start = began_before - ended_before;
    }
    sampler.until(event->due_ns);
    Measured& measured = desk.measured;
    if (traffic.passes(*event)) {
      measured.passed += counting ? 1 : 0;
      schedule.done(*event, event->due_ns);
      continue;
    }
    const Task task = traffic.task_of(*event);
    const std::uint32_t shard = server.shard_of(task.user);
    const SimulatedQueue::Turn turn = queue.turn(shard, event->due_ns);
    const std::uint64_t service = server.serve(task, turn.start, Server::Clock::thread, desk).endpoint_ns;
    std::uint64_t waited = 0;
    const std::uint64_t done = queue.work(turn, shard, service, waited);
    schedule.done(*event, done);
    if (!counting) continue;
    sampler.worked(turn.worker, service);
    measured.count(task.from_user, task.part.input.size(), task.part.output_length,
                   {event->due_ns, turn.start, done, waited, service, turn.active});
    findings.workers[turn.worker].cpu_ns += service;
  }
  sampler.until(traffic.end());
  if (!counting) findings.calls_at_start = in_progress();
  findings.calls_at_end = in_progress();
  findings.began = schedule.began() - began_before;
  findings.ended = schedule.ended() - ended_before;
  findings.postponed = schedule.postponed();
  for (WorkerResult& worker : findings.workers)
    worker.busy_share = static_cast<double>(worker.cpu_ns) / static_cast<double>(traffic.job.duration_ns);
  findings.measured = desk.measured;
  outcomes.add(desk.outcomes);
  return findings;
}

}  // namespace headroom::calls
