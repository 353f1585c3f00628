// SPDX-License-Identifier: Apache-2.0
#include "load/run.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <deque>

#include "base/identity.h"
#include "load/pipeline.h"

namespace headroom::load {
namespace {

constexpr double kMostReplacements = 20e6;  // each is made beforehand and takes a slot

void sleep_until(std::uint64_t monotonic) {
  const timespec until{static_cast<time_t>(monotonic / 1'000'000'000u), static_cast<long>(monotonic % 1'000'000'000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

class Run {
 public:
  explicit Run(const Job& job)
      : job_(job),
        forward_generator_(job.profile, job.flow_pairs, job.seed, false),
        reverse_generator_(job.profile, job.flow_pairs, job.seed, true),
        buffers_(job.burst, forward_generator_.stride(), forward_generator_.longest_payload(),
                 forward_generator_.longest_packet()),
        forward_(job, false, buffers_, forward_generator_),
        reverse_(job, true, buffers_, reverse_generator_),
        replacement_order_(job.flow_pairs, true, derive(job.seed, 0x63687572)) {}

  Json execute() {
    prepare();
    resident_before_ = resident_octets();
    forward_.open();
    reverse_.open();
    resident_created_ = resident_octets();
    for (std::size_t i = 0; i < job_.phases.size(); ++i) {
      if (i == 1 && job_.start_at_ns) wait_for_start();
      run_phase(job_.phases[i], measurements_[i]);
      if (i == 0) resident_started_ = resident_octets();
    }
    return result();
  }

 private:
  // Everything of the harness that allocates, before anything is measured.
  void prepare() {
    double replaced = 0;
    for (const Phase& phase : job_.phases) {
      measurements_.emplace_back(phase.ticks);
      replaced += replaced_per_tick(phase) * static_cast<double>(phase.ticks) + 1;
    }
    if (replaced > kMostReplacements) {
      throw Error(ErrorKind::job,
                  "more than 20 million flow pairs would be replaced; ask for a lower rate or fewer ticks.", "/phases");
    }
    const auto most = static_cast<std::uint32_t>(replaced);
    forward_generator_.prepare_replacements(job_.flow_pairs, most);
    reverse_generator_.prepare_replacements(job_.flow_pairs, most);
  }

  [[nodiscard]] double replaced_per_tick(const Phase& phase) const {
    return phase.replaced_per_second * static_cast<double>(job_.tick_ns) / 1e9 * job_.flow_pairs;
  }

  void wait_for_start() {
    const std::uint64_t now = monotonic_ns();
    if (now < *job_.start_at_ns) {
      sleep_until(*job_.start_at_ns);
    } else {
      late_by_ns_ = now - *job_.start_at_ns;
    }
  }

  void run_phase(const Phase& phase, PhaseMeasurement& measured) {
    const unsigned core = job_.core.value_or(current_core());
    measured.before = read_core_jiffies(core);
    const Switches switches;
    const ProcessorTimes before = processor_times();
    const std::uint64_t wall = monotonic_ns();
    if (job_.timer) {
      run_paced(phase, measured);
    } else {
      run_back_to_back(phase, measured);
    }
    measured.wall_ns = monotonic_ns() - wall;
    const ProcessorTimes now = processor_times();
    measured.thread_cpu_ns = now.thread - before.thread;
    const std::uint64_t all = now.process - before.process;
    measured.other_threads_cpu_ns = all - std::min(all, measured.thread_cpu_ns);
    measured.involuntary_switches = switches.by_other_processes();
    measured.after = read_core_jiffies(core);
  }

  // A burst of each direction in turn, until both have visited `visits` flows. `done(visits_done)` after each pair of
  // bursts.
  template <typename Done>
  void run_visits(std::uint64_t visits, std::uint64_t& now, PhaseMeasurement& measured, Done&& done) {
    std::uint64_t left[2] = {visits, visits};
    while (left[0] != 0 || left[1] != 0) {
      for (Pipeline* pipeline : {&forward_, &reverse_}) {
        std::uint64_t& mine = left[pipeline == &reverse_];
        if (mine == 0) continue;
        mine -= pipeline->run_burst(mine, now, measured);
        done(*pipeline, visits - std::max(left[0], left[1]));
      }
    }
  }

  void replace_flows(double& due, const Phase& phase, std::uint64_t& now, PhaseMeasurement& measured) {
    if (phase.replaced_per_second == 0) return;
    const std::uint64_t start = now;
    for (due += replaced_per_tick(phase); due >= 1; due -= 1) {
      const std::uint32_t flow = replacement_order_.next();
      forward_generator_.replace(flow);
      reverse_generator_.replace(flow);
      ++measured.replaced;
    }
    now = cycles_.now();
    measured.stage_cycles[static_cast<std::size_t>(Stage::replace)] += now - start;
  }

  // The method of the paper: a tick, the work, idle until the next tick.
  void run_paced(const Phase& phase, PhaseMeasurement& measured) {
    const double cycles_per_ns = rough_hz_ / 1e9;
    double due_replacements = 0;
    std::uint64_t due = monotonic_ns() + job_.tick_ns / 10;
    for (std::uint64_t tick = 0; tick < phase.ticks; ++tick, due += job_.tick_ns) {
      const std::uint64_t idle_from = cycles_.now();
      if (monotonic_ns() < due) sleep_until(due);
      const std::uint64_t woke_ns = monotonic_ns();
      const std::uint64_t start = cycles_.now();
      measured.idle_cycles += start - idle_from;
      const std::uint64_t late_ns = woke_ns - due;
      measured.wake_up.record(late_ns);
      const auto late_cycles = static_cast<std::uint64_t>(static_cast<double>(late_ns) * cycles_per_ns);
      std::uint64_t now = start;
      replace_flows(due_replacements, phase, now, measured);
      run_visits(job_.flow_pairs, now, measured, [&](const Pipeline& pipeline, std::uint64_t) {
        if (pipeline.last_packets() != 0) {
          measured.time_in_tick.record(pipeline.last_completion() - start + late_cycles, pipeline.last_packets());
        }
      });
      const std::uint64_t busy = now - start;
      measured.tick_cycles.push_back(busy);
      measured.busy_cycles += busy;
      if (monotonic_ns() > due + job_.tick_ns) ++measured.ticks_missed;
    }
  }

  // The cost of an operation without idle time. A burst goes on into the next tick where one tick does not fill it.
  void run_back_to_back(const Phase& phase, PhaseMeasurement& measured) {
    double due_replacements = 0;
    std::uint64_t now = cycles_.now();
    std::uint64_t tick_start = now;
    std::uint64_t ticks = 0;
    const std::uint64_t start = now;
    replace_flows(due_replacements, phase, now, measured);
    run_visits(phase.ticks * job_.flow_pairs, now, measured, [&](const Pipeline&, std::uint64_t visits) {
      const std::uint64_t completed = visits / job_.flow_pairs;
      if (completed == ticks) return;
      const std::uint64_t share = (now - tick_start) / (completed - ticks);
      for (; ticks != completed; ++ticks) {
        measured.tick_cycles.push_back(share);
        if (ticks + 1 != phase.ticks) replace_flows(due_replacements, phase, now, measured);
      }
      tick_start = now;
    });
    measured.busy_cycles = now - start;
  }

  Json memory_json() {
    const auto per_pair = [&](std::uint64_t later, std::uint64_t earlier) {
      return later < earlier ? 0.0 : static_cast<double>(later - earlier) / job_.flow_pairs;
    };
    const std::uint64_t resident_end = resident_octets();
    Json adapters = Json::object();
    std::uint64_t said = 0;
    for (Pipeline* pipeline : {&forward_, &reverse_}) {
      Json& entry = adapters[pipeline == &reverse_ ? "reverse" : "forward"];
      entry["compressor"] = pipeline->compressor().statistics();
      entry["decompressor"] = pipeline->decompressor().statistics();
      for (const char* side : {"compressor", "decompressor"}) said += entry[side]["memory_bytes"].get<std::uint64_t>();
    }
    return {{"statistics", std::move(adapters)},
            {"adapters_octets", said},
            {"adapters_octets_per_flow_pair", static_cast<double>(said) / job_.flow_pairs},
            {"resident_before_adapters", resident_before_},
            {"resident_after_creation", resident_created_},
            {"resident_after_first_phase", resident_started_},
            {"resident_at_end", resident_end},
            {"growth_octets_per_flow_pair", per_pair(resident_end, resident_before_)},
            {"generator_octets_per_flow_pair", 2 * forward_generator_.stride()}};
  }

  Json result() {
    const double hz = cycles_.measured_hz();
    Json phases = Json::array();
    for (std::size_t i = 0; i < job_.phases.size(); ++i) {
      Json phase = {{"name", job_.phases[i].name}};
      phase.update(json_of(measurements_[i], hz, job_.tick_ns, job_.timer));
      phases.push_back(std::move(phase));
    }
    return {{"engine", engine_identity()},
            {"compressor", identity(forward_.compressor())},
            {"decompressor", identity(forward_.decompressor())},
            {"profile", job_.profile.name},
            {"flow_pairs", job_.flow_pairs},
            {"channels", job_.compressor.channels},
            {"tick_ns", job_.tick_ns},
            {"burst", job_.burst},
            {"order", job_.random_order ? "random" : "sequential"},
            {"pacing", job_.timer ? "timer" : "none"},
            {"verify_every", job_.verify_every},
            {"seed", job_.seed},
            {"core", job_.core ? Json(*job_.core) : Json(nullptr)},
            {"late_by_ns", late_by_ns_},
            {"counter", {{"source", cycles_.source()}, {"hz", hz}, {"cycles_per_reading", cost_of_reading_}}},
            {"memory", memory_json()},
            {"phases", std::move(phases)}};
  }

  const Job& job_;
  Cycles cycles_;
  double rough_hz_ = cycles_.measured_hz();
  double cost_of_reading_ = cycles_.cost_of_reading();
  Generator forward_generator_, reverse_generator_;
  BurstBuffers buffers_;
  Pipeline forward_, reverse_;
  Order replacement_order_;
  std::deque<PhaseMeasurement> measurements_;
  std::uint64_t resident_before_ = 0, resident_created_ = 0, resident_started_ = 0;
  std::uint64_t late_by_ns_ = 0;
};

}  // namespace

Json run(const Job& job) {
  if (job.core) pin_to_core(*job.core, "/core");
  return Run(job).execute();
}

}  // namespace headroom::load
