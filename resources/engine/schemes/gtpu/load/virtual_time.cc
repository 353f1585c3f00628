// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/load/virtual_time.h"

#include <algorithm>

#include "queueing/workers.h"
#include "schemes/gtpu/load/generator.h"

namespace headroom::gtpu::load {
namespace {

using queueing::Organisation;
using queueing::SimulatedWorkers;

constexpr std::uint64_t kPackets = 20'000, kWarmUp = 20'000;  // of one load, for each worker
constexpr double kRingPlaces = 1024;                          // of the queue in front of each core
constexpr std::uint64_t kPicoseconds = 1'000'000'000'000;
constexpr std::uint64_t kStream = 3;  // of the seed

// Cores that serve packets one after another, each from a ring of its own.
class Cores {
 public:
  Cores(std::size_t count, double mean_ps)
      : simulated_(Organisation::pinned, count, count),
        longest_wait_(static_cast<std::uint64_t>(kRingPlaces * mean_ps)),
        busy_(count, 0) {}

  // Returns the time when the packet leaves core `core`; nullopt if its ring is full.
  std::optional<std::uint64_t> pass(std::size_t core, std::uint64_t due, std::uint64_t service, bool counted) {
    bool lost = false;
    const queueing::JobTimes times =
        simulated_.pass(static_cast<std::uint32_t>(core), due, [&](std::uint64_t start) -> std::uint64_t {
          lost = start - due > longest_wait_;
          return lost ? 0 : service;
        });
    if (lost) return std::nullopt;
    if (counted) busy_[core] += service;
    return times.end_ns;
  }
  [[nodiscard]] std::vector<double> loads(std::uint64_t duration) const {
    std::vector<double> loads;
    for (const std::uint64_t busy : busy_) loads.push_back(static_cast<double>(busy) / static_cast<double>(duration));
    return loads;
  }

 private:
  SimulatedWorkers simulated_;
  std::uint64_t longest_wait_;  // picoseconds, of a packet that finds a place in the ring
  std::vector<std::uint64_t> busy_;
};

// Threads of a design: workers, and receiving cores in front of them; 0: workers have queues of their own.
struct Design {
  std::uint32_t workers, rx_cores;
};

struct Model {
  const Job& job;
  const queueing::ServiceTimes& times;
  double worker_ps, rx_ps;             // means of a packet
  std::vector<std::uint32_t> user_of;  // address of each active user

  // Packets a picosecond that all cores together serve at most.
  [[nodiscard]] double capacity(const Design& design) const {
    const double served = design.workers / worker_ps;
    return design.rx_cores != 0 ? std::min(served, design.rx_cores / rx_ps) : served;
  }
  // The division of threads into receiving cores and workers that serves most. REQUIRES: threads > 1.
  [[nodiscard]] Design divide(std::uint32_t threads) const {
    Design best{threads - 1, 1};
    for (std::uint32_t rx_cores = 2; rx_cores < threads; ++rx_cores) {
      const Design design{threads - rx_cores, rx_cores};
      if (capacity(design) > capacity(best)) best = design;
    }
    return best;
  }
};

Json at_load(const Model& model, const Design& design, double load) {
  const Job& job = model.job;
  const auto [workers, rx_cores] = design;
  Cores serving(workers, model.worker_ps);
  Cores receiving(std::max(rx_cores, 1u), model.rx_ps);
  Xoshiro256 random(derive(derive(job.seed, kStream), workers));
  const Chance uplink(job.traffic.uplink_share);
  const double interval = 1 / (load * model.capacity(design));  // picoseconds
  const auto last_user = static_cast<std::uint32_t>(model.user_of.size() - 1);
  queueing::Times latency;
  std::uint64_t now = 0, counted_from = 0, lost = 0;
  const std::uint64_t warm_up = kWarmUp * workers, packets = kPackets * workers;
  for (std::uint64_t i = 0; i < warm_up + packets; ++i) {
    now += exponential(random.next(), static_cast<std::uint32_t>(std::min(interval, 4e9)));
    const bool counted = i >= warm_up;
    if (i == warm_up) counted_from = now;
    const std::uint32_t user = model.user_of[scale(random.next(), last_user)];
    const std::uint64_t draw = random.next();
    std::optional<std::uint64_t> at = now;
    if (rx_cores != 0) at = receiving.pass(worker_of(~user, rx_cores), now, model.times.drawn(kRxTime, draw), counted);
    if (at) {
      const Kind kind = uplink.happens(random.next()) ? kUplinkTime : kDownlinkTime;
      at = serving.pass(worker_of(user, workers), *at, model.times.drawn(kind, mix64(draw)), counted);
    }
    if (!counted) continue;
    if (at) {
      latency.record((*at - now) / kTimeScale);
    } else {
      ++lost;
    }
  }
  const std::uint64_t duration = std::max<std::uint64_t>(now - counted_from, 1);
  const std::vector<double> loads = serving.loads(duration);
  double sum = 0;
  for (const double each : loads) sum += each;
  return {{"load", load},
          {"mpps", load * model.capacity(design) * static_cast<double>(kPicoseconds) * 1e-6},
          {"latency_ns", latency.json()},
          {"lost_share", static_cast<double>(lost) / static_cast<double>(packets)},
          {"worker_loads", loads},
          {"fullest_to_mean", sum == 0 ? 0 : *std::max_element(loads.begin(), loads.end()) * workers / sum},
          {"rx_loads", rx_cores != 0 ? Json(receiving.loads(duration)) : Json(nullptr)}};
}

Json simulate_design(const Model& model, const Design& design) {
  const bool has_rx_cores = design.rx_cores != 0;
  Json loads = Json::array();
  for (const double load : model.job.loads) loads.push_back(at_load(model, design, load));
  return {{"distribution", has_rx_cores ? "rx-cores" : "queues"},
          {"workers", design.workers},
          {"rx_cores", design.rx_cores},
          {"capacity_mpps", model.capacity(design) * static_cast<double>(kPicoseconds) * 1e-6},
          {"worker_ns", model.worker_ps / kTimeScale},
          {"rx_ns", has_rx_cores ? Json(model.rx_ps / kTimeScale) : Json(nullptr)},
          {"loads", std::move(loads)}};
}

}  // namespace

Json simulate(const Job& job, const queueing::ServiceTimes& times) {
  const double up = *times.mean(kUplinkTime), down = *times.mean(kDownlinkTime), share = job.traffic.uplink_share;
  Model model{job, times, share * up + (1 - share) * down, times.mean(kRxTime).value_or(1), {}};
  const SessionRange range = session_range(job);
  for (std::uint32_t i = 0; i < job.traffic.active_users; ++i)
    model.user_of.push_back(range.user + session_of(job.traffic, job.seed, i));
  Json all = Json::array();
  const bool has_rx_cores = job.distribution == Distribution::rx_cores;
  for (const std::uint32_t threads : job.virtual_threads) {
    all.push_back(simulate_design(model, {threads, 0}));
    if (has_rx_cores && threads > 1) all.push_back(simulate_design(model, model.divide(threads)));
  }
  return all;
}

}  // namespace headroom::gtpu::load
