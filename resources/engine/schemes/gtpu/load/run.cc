// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/load/run.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "base/identity.h"
#include "base/process.h"
#include "base/usual.h"
#include "schemes/gtpu/load/trial.h"
#include "schemes/gtpu/load/virtual_time.h"

namespace headroom::gtpu::load {
namespace {

// Octets around an IP packet on layer 1: Ethernet header, FCS, preamble and gap between frames (IEEE 802.3).
constexpr double kLayer1Octets = 14 + 4 + 8 + 12;
constexpr double kWarmUpShare = 0.25;    // of a trial
constexpr double kUninterrupted = 0.95;  // share of blocks whose times are kept for the simulation

double quantile_of(std::vector<double> values, double quantile) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[static_cast<std::size_t>(quantile * static_cast<double>(values.size() - 1))];
}

Json ratio(double value, std::uint64_t count) {
  return count == 0 ? Json(nullptr) : Json(value / static_cast<double>(count));
}

std::uint64_t warm_up_of(const Job& job) {
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(kWarmUpShare * static_cast<double>(job.packets)), 1);
}

// All workers together.
struct Totals {
  std::uint64_t uplink = 0, downlink = 0, uplink_cycles = 0, downlink_cycles = 0, octets_n3 = 0;
  Outcomes outcomes{};
  double packets_per_cycle = 0;  // of all workers at once

  explicit Totals(const TrialMeasurement& trial) {
    for (const WorkerMeasurement& worker : trial.workers) {
      uplink += worker.uplink;
      downlink += worker.downlink;
      uplink_cycles += worker.uplink_cycles;
      downlink_cycles += worker.downlink_cycles;
      octets_n3 += worker.octets_n3;
      if (worker.cycles() != 0)
        packets_per_cycle += static_cast<double>(worker.packets()) / static_cast<double>(worker.cycles());
    }
  }
  [[nodiscard]] std::uint64_t packets() const noexcept { return uplink + downlink; }
  [[nodiscard]] double cycles() const noexcept { return static_cast<double>(uplink_cycles + downlink_cycles); }
};

// Nanoseconds of a packet.
double ns_of(const TrialMeasurement& trial, double ns_per_cycle) {
  const Totals totals(trial);
  return totals.packets() == 0 ? 0 : totals.cycles() * ns_per_cycle / static_cast<double>(totals.packets());
}

Json rx_json(const std::vector<RxMeasurement>& cores, double ns_per_cycle) {
  if (cores.empty()) return nullptr;
  Json all = Json::array();
  for (const RxMeasurement& core : cores) {
    all.push_back({{"packets", core.packets},
                   {"ns", ratio(static_cast<double>(core.cycles) * ns_per_cycle, core.packets)},
                   {"waiting_ns", ratio(static_cast<double>(core.waiting_cycles) * ns_per_cycle, core.packets)}});
  }
  return all;
}

Json outcomes_json(const TrialMeasurement& trial) {
  std::uint64_t packets = 0, sent = 0, taken = 0, wrong = 0;
  Json statuses = Json::object(), reasons = Json::object();
  const auto add = [](Json& to, const Json& from) {
    for (const auto& [key, value] : from.items())
      to[key] = to.value(key, std::uint64_t{0}) + value.get<std::uint64_t>();
  };
  for (const WorkerMeasurement& worker : trial.workers) {
    packets += worker.outcomes.packets;
    sent += worker.outcomes.sent;
    taken += worker.outcomes.taken;
    wrong += worker.outcomes.wrong;
    add(statuses, worker.outcomes.statuses.json());
    add(reasons, worker.outcomes.reasons_json());
  }
  return {{"packets", packets}, {"sent", sent},         {"taken", taken},
          {"wrong", wrong},     {"statuses", statuses}, {"reasons", reasons}};
}

// Nanoseconds of a packet of a side, as usual_ns.
double median_of_side(const TrialMeasurement& trial, bool uplink, double ns_per_cycle) {
  std::vector<double> blocks;
  for (const WorkerMeasurement& worker : trial.workers) {
    for (const std::uint64_t block : uplink ? worker.uplink_blocks : worker.downlink_blocks)
      blocks.push_back(static_cast<double>(block) * ns_per_cycle / headroom::load::kPerPacketScale);
  }
  return usual_ns(std::move(blocks), trial.cpu_ns(uplink));
}

// Of both sides, by their packets.
double median_of(const TrialMeasurement& trial, double ns_per_cycle) {
  const Totals totals(trial);
  if (totals.packets() == 0) return 0;
  const double up = static_cast<double>(totals.uplink), down = static_cast<double>(totals.downlink);
  return (up * median_of_side(trial, true, ns_per_cycle) + down * median_of_side(trial, false, ns_per_cycle)) /
         (up + down);
}

Json trial_json(const TrialMeasurement& trial, double ns_per_cycle) {
  const Totals totals(trial);
  const double mpps = totals.packets_per_cycle / ns_per_cycle * 1e3;
  const double octets =
      totals.packets() == 0 ? 0 : static_cast<double>(totals.octets_n3) / static_cast<double>(totals.packets());
  Json workers = Json::array();
  for (const WorkerMeasurement& worker : trial.workers) {
    workers.push_back({{"packets", worker.packets()},
                       {"ns", ratio(static_cast<double>(worker.cycles()) * ns_per_cycle, worker.packets())}});
  }
  return {{"ns", ns_of(trial, ns_per_cycle)},
          {"uplink_ns", ratio(static_cast<double>(totals.uplink_cycles) * ns_per_cycle, totals.uplink)},
          {"downlink_ns", ratio(static_cast<double>(totals.downlink_cycles) * ns_per_cycle, totals.downlink)},
          {"median_ns", median_of(trial, ns_per_cycle)},
          {"median_uplink_ns", median_of_side(trial, true, ns_per_cycle)},
          {"median_downlink_ns", median_of_side(trial, false, ns_per_cycle)},
          {"mpps", mpps},
          {"octets_n3", octets},
          {"gbps_l1", mpps * (octets + kLayer1Octets) * 8e-3},
          {"gbps_l3", mpps * octets * 8e-3},
          {"outcomes", outcomes_json(trial)},
          {"workers", std::move(workers)},
          {"rx_cores", rx_json(trial.rx_cores, ns_per_cycle)}};
}

// Times of packets for the simulation: the means of blocks, without the slowest, which were interrupted.
void keep_times(queueing::ServiceTimes& times, const TrialMeasurement& trial, double ns_per_cycle) {
  const double ps = ns_per_cycle * kTimeScale;
  const auto keep = [&](Kind kind, std::vector<std::uint64_t> blocks) {
    std::sort(blocks.begin(), blocks.end());
    blocks.resize(static_cast<std::size_t>(std::ceil(static_cast<double>(blocks.size()) * kUninterrupted)));
    for (const std::uint64_t block : blocks)
      times.keep(kind, static_cast<std::uint64_t>(static_cast<double>(block) * ps / headroom::load::kPerPacketScale));
  };
  for (const WorkerMeasurement& worker : trial.workers) {
    keep(kUplinkTime, worker.uplink_blocks);
    keep(kDownlinkTime, worker.downlink_blocks);
  }
  for (const RxMeasurement& core : trial.rx_cores) {
    if (core.packets != 0)
      times.keep(kRxTime,
                 static_cast<std::uint64_t>(static_cast<double>(core.cycles) * ps / static_cast<double>(core.packets)));
  }
}

// The stages of one user plane, measured in turn with it. The last is the whole.
class Stages {
 public:
  Stages(const Job& job, LoadedPlane& plane) : plane_(plane), warm_up_(warm_up_of(job)) {
    const Json& description = plane.workers()->description();
    if (!job.stages || !description.contains("stages")) return;
    for (const Json& name : description["stages"]) {
      if (name != "dpi" || job.rules == Rules::dpi)
        names_.push_back(name.text());  // it does nothing without such rules
    }
  }

  // Makes one trial after each stage but the last.
  void measure(std::uint64_t packets) {
    std::vector<TrialMeasurement>& trials = rounds_.emplace_back();
    for (std::size_t i = 0; i + 1 < names_.size(); ++i) {
      plane_.end_behind(names_[i]);
      trials.push_back(plane_.trial(packets));
      // Flows that have begun meanwhile are unknown to stages that this one ended before.
      plane_.end_behind(names_.back());
      (void)plane_.trial(warm_up_);
    }
  }

  // Nanoseconds that each stage adds to a packet, from `floors` to `wholes`, which have one value for each round.
  [[nodiscard]] Json json(const std::vector<double>& floors, const std::vector<double>& wholes,
                          double ns_per_cycle) const {
    if (names_.empty()) return nullptr;
    Json stages = Json::array();
    for (std::size_t stage = 0; stage < names_.size(); ++stage) {
      std::vector<double> added;
      for (std::size_t i = 0; i < wholes.size(); ++i) {
        const std::vector<TrialMeasurement>& trials = rounds_[i + 1];  // the first round is for warming up
        const double before = stage == 0 ? floors[i] : median_of(trials[stage - 1], ns_per_cycle);
        const double until = stage < trials.size() ? median_of(trials[stage], ns_per_cycle) : wholes[i];
        added.push_back(until - before);
      }
      stages.push_back({{"stage", names_[stage]}, {"ns", quantile_of(std::move(added), 0.5)}});
    }
    return stages;
  }

 private:
  LoadedPlane& plane_;
  std::uint64_t warm_up_;
  std::vector<std::string> names_{};
  std::vector<std::vector<TrialMeasurement>> rounds_{};
};

// The processor time of this process from the moment on at which it is made.
class ProcessorTime {
 public:
  // Any thread but the calling one and those of trials is an adapter's, and so is what the calling one does while it
  // waits for them: a handler of signals runs there.
  [[nodiscard]] Json json(std::initializer_list<const LoadedPlane*> planes) const {
    const ProcessorTimes now = processor_times();
    std::uint64_t ours = now.thread - before_.thread;
    for (const LoadedPlane* plane : planes) {
      if (plane != nullptr) ours += plane->times().threads_ns - plane->times().waiting_ns;
    }
    const std::uint64_t all = now.process - before_.process;
    return {{"cpu_ns", ours}, {"other_threads_cpu_ns", all - std::min(all, ours)}};
  }

 private:
  ProcessorTimes before_ = processor_times();
};

const char* name_of(Rules rules) { return rules == Rules::basic ? "basic" : rules == Rules::rules ? "rules" : "dpi"; }

}  // namespace

Json run_document(const Json& document) {
  static constexpr const char* kLibrary = "/user_plane/library";
  std::shared_ptr<const Library> library;
  if (const Json* path = document.find_pointer(kLibrary); path != nullptr && path->is_string())
    library = Library::open(path->text(), kLibrary);
  return run(read_job(document));
}

Json run(const Job& job) {
  const Cycles cycles;
  LoadedPlane floor(job);
  LoadedPlane plane(job.user_plane, job);
  if (job.rules != Rules::basic && !plane.workers()->has_n4()) {
    throw Error(ErrorKind::job,
                "the adapter " + plane.workers()->instance().path() +
                    " has no N4, over which rules come: set \"rules\" to \"basic\".",
                "/rules");
  }
  std::optional<LoadedPlane> baseline;
  if (job.baseline) baseline.emplace(*job.baseline, job);
  Stages stages(job, plane);
  std::vector<TrialMeasurement> floors, planes, baselines;
  const ProcessorTime processor;
  for (std::uint32_t i = 0; i <= job.trials; ++i) {  // the first is for warming up
    const std::uint64_t packets = i == 0 ? warm_up_of(job) : job.packets;
    floors.push_back(floor.trial(packets));
    stages.measure(packets);
    planes.push_back(plane.trial(packets));
    if (baseline) baselines.push_back(baseline->trial(packets));
  }
  const Json processor_times = processor.json({&floor, &plane, baseline ? &*baseline : nullptr});
  const double ns_per_cycle = 1e9 / cycles.measured_hz();
  queueing::ServiceTimes times(kKinds);
  Json trials = Json::array();
  std::vector<double> floor_ns, whole_ns, baseline_ns, floor_medians, medians;
  for (std::size_t i = 1; i < planes.size(); ++i) {
    Json trial = trial_json(planes[i], ns_per_cycle);
    floor_ns.push_back(ns_of(floors[i], ns_per_cycle));
    whole_ns.push_back(ns_of(planes[i], ns_per_cycle));
    floor_medians.push_back(median_of(floors[i], ns_per_cycle));
    medians.push_back(median_of(planes[i], ns_per_cycle));
    trial["loop_ns"] = floor_ns.back();
    trial["loop_median_ns"] = floor_medians.back();
    trial["baseline_ns"] = nullptr;
    trial["baseline_median_ns"] = baseline ? Json(median_of(baselines[i], ns_per_cycle)) : Json(nullptr);
    if (baseline) trial["baseline_ns"] = baseline_ns.emplace_back(ns_of(baselines[i], ns_per_cycle));
    keep_times(times, planes[i], ns_per_cycle);
    trials.push_back(std::move(trial));
  }
  const SetUp& set_up = plane.set_up();
  const bool spread = job.distribution == Distribution::rx_cores;
  const std::size_t threads = job.workers + (spread ? job.rx_cores : 0);
  const double floor_median = quantile_of(floor_medians, 0.5), median = quantile_of(medians, 0.5);
  Json result = {
      {"engine", engine_identity()},
      {"user_plane", identity(plane.workers()->instance())},
      {"baseline", baseline ? identity(baseline->workers()->instance()) : Json(nullptr)},
      {"rules", name_of(job.rules)},
      {"distribution", spread ? "rx-cores" : "queues"},
      {"clock", job.virtual_clock ? "virtual" : "real"},
      {"workers", job.workers},
      {"at_once", on_threads(threads)},
      {"burst", kBurst},
      {"in_flight", kSegment},
      {"seed", job.seed},
      {"sessions",
       {{"count", session_range(job).count},
        {"over_n4", plane.workers()->has_n4()},
        {"set_up_ns", set_up.ns},
        {"per_s", set_up.ns == 0 ? Json(nullptr)
                                 : Json(static_cast<double>(set_up.sessions) * 1e9 / static_cast<double>(set_up.ns))}}},
      {"user_shares", plane.shares()},
      {"ns", quantile_of(whole_ns, 0.5)},
      {"median_ns", median},
      {"loop_ns", quantile_of(floor_ns, 0.5)},
      {"loop_median_ns", floor_median},
      {"baseline_ns", baseline ? Json(quantile_of(baseline_ns, 0.5)) : Json(nullptr)},
      {"trials", std::move(trials)},
      {"statistics", plane.workers()->statistics(0)}};
  result.update(processor_times);
  result["virtual"] = job.virtual_clock ? simulate(job, times) : Json(nullptr);
  result["stages"] = stages.json(floor_medians, medians, ns_per_cycle);
  return result;
}

}  // namespace headroom::gtpu::load
