// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

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

// What a message is worth to the endpoint: (event, task, when a worker begins with it) -> ns.
using Serve = std::function<std::uint64_t(const Schedule::Event&, const Task&, std::uint64_t)>;

Findings through_queue(Traffic& traffic, SimulatedQueue queue, std::uint32_t shards, const Serve& serve) {
  Findings findings;
  findings.workers.resize(traffic.job.workers);
  Sampler sampler(traffic, findings);
  Measured& measured = findings.measured;
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
    if (traffic.passes(*event)) {
      measured.passed += counting ? 1 : 0;
      schedule.done(*event, event->due_ns);
      continue;
    }
    const Task task = traffic.task_of(*event);
    const std::uint32_t shard = task.user % shards;
    const SimulatedQueue::Turn turn = queue.turn(shard, event->due_ns);
    const std::uint64_t service = serve(*event, task, turn.start);
    std::uint64_t waited = 0;
    const std::uint64_t done = queue.work(turn, shard, service, waited);
    schedule.done(*event, done);
    if (!counting) continue;
    sampler.worked(turn.worker, service);
    measured.count(task.from_user, task.part.input.size(), task.part.output_length,
                   {event->due_ns, turn.start, done, waited, service, turn.active});
    if (findings.consecutive_ns.size() < traffic.job.consecutive)
      findings.consecutive_ns.push_back(done - event->due_ns);
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
  return findings;
}

}  // namespace

void ServiceTimes::keep(const Schedule::Event& event, std::uint64_t ns) noexcept {
  const std::uint64_t kept = std::clamp<std::uint64_t>(ns, 1, ~std::uint32_t{0});
  ns_[event.call * steps_ + event.step] = static_cast<std::uint32_t>(kept);
  sum_[event.step] += kept;
  ++count_[event.step];
}

std::uint64_t ServiceTimes::of(const Schedule::Event& event) const noexcept {
  if (const std::uint32_t kept = ns_[event.call * steps_ + event.step]; kept != 0) return kept;
  return count_[event.step] == 0 ? 0 : sum_[event.step] / count_[event.step];
}

Findings run_virtual(Traffic& traffic, Server& server, Outcomes& outcomes, ServiceTimes* times) {
  Desk desk;
  const SimulatedQueue queue(traffic.job.organisation, traffic.job.workers, server.shards());
  Findings findings = through_queue(
      traffic, queue, server.shards(), [&](const Schedule::Event& event, const Task& task, std::uint64_t start) {
        const std::uint64_t service = server.serve(task, start, Server::Clock::thread, desk).endpoint_ns;
        if (times != nullptr) times->keep(event, service);
        return service;
      });
  outcomes.add(desk.outcomes);
  return findings;
}

Findings simulate(Traffic& traffic, const ServiceTimes& times, Organisation organisation, std::uint32_t shards) {
  const SimulatedQueue queue(organisation, traffic.job.workers, shards);
  return through_queue(traffic, queue, shards,
                       [&](const Schedule::Event& event, const Task&, std::uint64_t) { return times.of(event); });
}

}  // namespace headroom::calls
