// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/calls/run.h"

#include <algorithm>
#include <optional>

#include "base/cycles.h"
#include "base/identity.h"
#include "base/process.h"
#include "schemes/sigcomp/calls/organisations.h"
#include "schemes/sigcomp/calls/recording.h"
#include "schemes/sigcomp/calls/traffic.h"

namespace headroom::sigcomp::calls {
namespace {

// Octets of the process at each stage, and of the adapter by its own statistics.
struct Memory {
  std::uint64_t before = 0, created = 0, filled = 0, end = 0;
  std::uint64_t adapter_created = 0, adapter_filled = 0, adapter_end = 0;
  std::uint64_t compartments_filled = 0, compartments_end = 0;
};

Json ratio(double value, std::uint64_t count) {
  return count == 0 ? Json(nullptr) : Json(value / static_cast<double>(count));
}

double difference(std::uint64_t later, std::uint64_t earlier) {
  return later < earlier ? 0.0 : static_cast<double>(later - earlier);
}

// Brings the server to its state at the origin: users register, and calls get as far as they have got by then, one
// message at a time.
void fill(Traffic& traffic, Server& server, Outcomes& outcomes) {
  WorkerState state;
  const Job& job = traffic.job;
  for (std::uint32_t user = 0; user < traffic.plan.users && !job.registration.empty(); ++user) {
    for (std::uint32_t step = 0; step < job.registration.size(); ++step) {
      const Message& message = job.registration[step];
      if (message.carried == Carried::plain) continue;
      const Task task{traffic.recording.registration(user, step), user, message.from_user, message.carried, false};
      server.serve(task, 0, Server::Clock::monotonic, state);
    }
  }
  while (const auto event = traffic.schedule.take(traffic.plan.origin_ns)) {
    if (!traffic.passes(*event)) server.serve(traffic.task_of(*event), event->due_ns, Server::Clock::monotonic, state);
    traffic.schedule.done(*event, event->due_ns);
  }
  outcomes.add(state.outcomes);
}

Json calls_json(const RunMeasurement& measurement, double seconds) {
  return {{"in_progress_at_start", measurement.calls_at_start},
          {"began", measurement.began},
          {"ended", measurement.ended},
          {"in_progress_at_end", measurement.calls_at_end},
          {"postponed", measurement.postponed},
          {"per_s", static_cast<double>(measurement.began) / seconds}};
}

Json messages_json(const RunMeasurement& measurement, double seconds) {
  const Measured& m = measurement.measured;
  const auto mbit_s = [&](std::uint64_t octets) { return static_cast<double>(octets) * 8e-6 / seconds; };
  const std::uint64_t served = m.from_users + m.from_core;
  return {{"from_users", m.from_users},
          {"from_core", m.from_core},
          {"passed", m.passed},
          {"unserved", measurement.unserved},
          {"per_s", static_cast<double>(served) / seconds},
          {"sip_octets", m.sip_octets},
          {"link_octets", m.link_octets},
          {"sip_mbit_s", mbit_s(m.sip_octets)},
          {"link_mbit_s", mbit_s(m.link_octets)}};
}

Json times_json(const RunMeasurement& measurement, bool real_time) {
  const Measured& m = measurement.measured;
  return {{"in_system_ns", m.in_system.json()},
          {"in_buffer_ns", m.in_buffer.json()},
          {"processing_ns", m.processing.json()},
          {"waiting_for_lock_ns", m.waiting_for_lock.json()},
          {"decompressing_ns", m.decompressing.json()},
          {"compressing_ns", m.compressing.json()},
          {"handed_over_late_ns", real_time ? measurement.late.json() : Json(nullptr)}};
}

Json active_json(const Measured& m, std::uint64_t duration_ns) {
  return {{"mean", static_cast<double>(m.processing.sum()) / static_cast<double>(duration_ns)},
          {"seen", ratio(static_cast<double>(m.active_seen), m.processing.count())},
          {"most", m.most_active}};
}

Json workers_json(const std::vector<WorkerResult>& workers) {
  Json all = Json::array();
  for (const WorkerResult& worker : workers) {
    all.push_back({{"core", worker.core ? Json(*worker.core) : Json(nullptr)},
                   {"busy_share", worker.busy_share},
                   {"cpu_ns", worker.cpu_ns},
                   {"proc_stat", {{"before", json_of(worker.before)}, {"after", json_of(worker.after)}}}});
  }
  return all;
}

Json samples_json(const std::vector<Sample>& samples) {
  Json all = Json::array();
  for (const Sample& sample : samples) {
    all.push_back(
        {{"at_ns", sample.at_ns}, {"calls", sample.calls}, {"resident", sample.resident}, {"busy_share", sample.busy}});
  }
  return all;
}

Json memory_json(const Memory& m, const RunMeasurement& measurement, const Recording& recording) {
  return {{"resident_before_endpoints", m.before},
          {"resident_after_creation", m.created},
          {"resident_at_start", m.filled},
          {"resident_at_end", m.end},
          {"adapter_after_creation", m.adapter_created},
          {"adapter_at_start", m.adapter_filled},
          {"adapter_at_end", m.adapter_end},
          {"compartments_at_start", m.compartments_filled},
          {"compartments_at_end", m.compartments_end},
          {"octets_per_call_at_start", ratio(difference(m.filled, m.created), measurement.calls_at_start)},
          {"octets_per_call_at_end", ratio(difference(m.end, m.created), measurement.calls_at_end)},
          {"octets_per_compartment_at_end", ratio(difference(m.end, m.created), m.compartments_end)},
          {"adapter_octets_per_compartment_at_end",
           ratio(difference(m.adapter_end, m.adapter_created), m.compartments_end)},
          {"script_octets", recording.size()}};
}

// Returns the nanoseconds that reading the clock of a thread takes, which each message is charged with once: the median
// of many readings.
double cost_of_thread_clock() {
  std::vector<std::uint64_t> costs(1001);
  for (std::uint64_t& cost : costs) {
    const std::uint64_t start = thread_cpu_ns();
    cost = thread_cpu_ns() - start;
  }
  std::nth_element(costs.begin(), costs.begin() + 500, costs.end());
  return static_cast<double>(costs[500]);
}

}  // namespace

Json run(const Job& job) {
  const Plan plan = make_plan(job);
  const Recording recording(job, plan);
  Traffic traffic{job, plan, recording};
  Memory memory;
  Outcomes outcomes;
  memory.before = private_resident_octets();
  const std::uint64_t creating_since = processor_time_ns();
  Server server(job, plan);
  const std::uint64_t creation_cpu_ns = processor_time_ns() - creating_since;
  memory.created = private_resident_octets();
  memory.adapter_created = server.memory_bytes();
  const std::uint64_t filling_since = monotonic_ns();
  fill(traffic, server, outcomes);
  const std::uint64_t filled_ns = monotonic_ns() - filling_since;
  memory.filled = private_resident_octets();
  memory.adapter_filled = server.memory_bytes();
  memory.compartments_filled = server.compartments();
  std::optional<queueing::ServiceTimes> times;
  if (job.comparison) times.emplace(job.call.size());
  const ProcessorTimes before = processor_times();
  const RunMeasurement measurement = job.real_time ? run_real(traffic, server, outcomes)
                                                   : run_virtual(traffic, server, outcomes, times ? &*times : nullptr);
  const ProcessorTimes now = processor_times();
  const std::uint64_t all_cpu_ns = now.process - before.process, thread_cpu = now.thread - before.thread;
  memory.end = private_resident_octets();
  memory.adapter_end = server.memory_bytes();
  memory.compartments_end = server.compartments();

  const double seconds = static_cast<double>(job.duration_ns) / 1e9;
  return {{"engine", engine_identity()},
          {"endpoint", identity(server.instance())},
          {"clock", job.real_time ? "real" : "virtual"},
          {"organisation", job.organisation == Organisation::pool ? "pool" : "pinned"},
          {"worker_threads", job.workers},
          {"shards", job.shards},
          {"simultaneous", job.simultaneous},
          {"users", plan.users},
          {"keeps_compartments", job.keeps_compartments()},
          {"calls_per_s", job.calls_per_s()},
          {"lifetime_ns", job.mean_lifetime_ns()},
          {"duration_ns", job.duration_ns},
          {"warmup_ns", job.warmup_ns},
          {"seed", job.seed},
          {"calls", calls_json(measurement, seconds)},
          {"messages", messages_json(measurement, seconds)},
          {"outcomes", outcomes.json()},
          {"times", times_json(measurement, job.real_time)},
          {"active_workers", active_json(measurement.measured, job.duration_ns)},
          {"workers", workers_json(measurement.workers)},
          {"memory", memory_json(memory, measurement, recording)},
          {"samples", samples_json(measurement.samples)},
          {"comparison", times ? compare(job, *times) : Json(nullptr)},
          {"consecutive_in_system_ns", measurement.consecutive_ns},
          {"creation_cpu_ns", creation_cpu_ns},
          {"filling_ns", filled_ns},
          {"other_threads_cpu_ns",
           job.real_time ? measurement.other_threads_cpu_ns : all_cpu_ns - std::min(all_cpu_ns, thread_cpu)},
          {"clock_reading_ns", job.real_time ? Json(nullptr) : Json(cost_of_thread_clock())}};
}

}  // namespace headroom::sigcomp::calls
