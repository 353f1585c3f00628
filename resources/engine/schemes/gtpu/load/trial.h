// SPDX-License-Identifier: Apache-2.0
//
// The measured loop: bursts of 32 packets through `forward`, on one thread for each worker.
#ifndef HEADROOM_SCHEMES_GTPU_LOAD_TRIAL_H
#define HEADROOM_SCHEMES_GTPU_LOAD_TRIAL_H

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapter/user_plane.h"
#include "base/cycles.h"
#include "load/measure.h"
#include "schemes/gtpu/load/generator.h"
#include "schemes/gtpu/load/spread.h"

namespace headroom::gtpu::load {

// Counts of packets by outcome.
struct Outcomes {
  std::uint64_t packets = 0, sent = 0, taken = 0;
  std::uint64_t wrong = 0;  // sent, but not as a packet of its session on the other side
  headroom::load::StatusCounts statuses;
  std::array<std::uint64_t, HEADROOM_REASON_CONSUMED + 2> reasons{};  // the last: of values that are none

  // `given` is the record before the call.
  void count(const headroom_user_packet& given, const headroom_user_packet& packet, const SessionRange& range,
             std::uint32_t n3) noexcept;
  [[nodiscard]] Json reasons_json() const;
};

// The measurement of one thread in one trial. Cycles are of the counter of base/cycles.h.
struct alignas(128) WorkerMeasurement {
  std::uint64_t uplink = 0, downlink = 0;  // packets
  std::uint64_t uplink_cycles = 0, downlink_cycles = 0;
  std::uint64_t uplink_cpu_ns = 0, downlink_cpu_ns = 0;  // processor time; 0 with the distribution rx-cores
  std::uint64_t octets_n3 = 0;                           // of the packets, as they are on N3
  // Cycles of a packet, times kPerPacketScale, of each block of packets that was timed at once; by side.
  std::vector<std::uint64_t> uplink_blocks, downlink_blocks;
  Outcomes outcomes{};

  // Counts packets of one side, all timed at once.
  void add(bool uplink_side, std::uint64_t packets, std::uint64_t cycles);

  [[nodiscard]] std::uint64_t packets() const noexcept { return uplink + downlink; }
  [[nodiscard]] std::uint64_t cycles() const noexcept { return uplink_cycles + downlink_cycles; }
};

struct TrialMeasurement {
  std::vector<WorkerMeasurement> workers;
  std::vector<RxMeasurement> rx_cores;  // with the distribution rx-cores
  std::uint64_t reports_cpu_ns = 0;     // processor time to take the usage reports behind the packets

  // Processor time of a packet of one side, with its share of that for reports, ns; 0: not known.
  [[nodiscard]] double cpu_ns(bool uplink_side) const noexcept;
};

// Processor time of the threads of trials, and of their caller while it waits for them, when it has nothing to do.
struct TrialTimes {
  std::uint64_t threads_ns = 0, waiting_ns = 0;
};

// True if as many threads run at once, on a core each; otherwise they take turns.
[[nodiscard]] bool on_threads(std::size_t threads) noexcept;

// One user plane under load, or the floor: the same loop around a function that does nothing.
class LoadedPlane {
 public:
  // The floor.
  explicit LoadedPlane(const Job& job);
  // A user plane whose sessions are established here.
  LoadedPlane(const AdapterJob& adapter, const Job& job);

  [[nodiscard]] TrialMeasurement trial(std::uint64_t packets);
  // Has the adapter end after a stage of its description from now on. Throws Error(adapter).
  void end_behind(const std::string& stage);
  [[nodiscard]] const SetUp& set_up() const noexcept { return set_up_; }
  // Of all trials so far.
  [[nodiscard]] const TrialTimes& times() const noexcept { return times_; }
  [[nodiscard]] const UserPlaneWorkers* workers() const noexcept { return workers_.get(); }
  // Share of the active users whose packets reach each worker.
  [[nodiscard]] std::vector<double> shares() const;

 private:
  // The calls for one worker; aligned so that no two share a cache line.
  struct alignas(128) Lane {
    decltype(headroom_user_plane::forward) forward = nullptr;
    decltype(headroom_user_plane::take) take = nullptr;
    headroom_instance* worker = nullptr;
    std::unique_ptr<Generator> generator;
    std::unique_ptr<Segment> segment;
    std::vector<headroom_user_packet> given_uplink, given_downlink;  // the records before the calls
    std::vector<std::uint8_t> room;                                  // for `take`
    std::uint64_t now_ns = 0;

    std::uint64_t run(std::vector<headroom_user_packet>& records, const Cycles& cycles, Outcomes& outcomes);
    void forward_burst(headroom_user_packet* records, std::size_t count, Outcomes& outcomes);
    void take_all(Outcomes& outcomes);
  };

  void make_lanes(const Job& job);
  [[nodiscard]] TrialMeasurement trial_queues(std::uint64_t packets);
  [[nodiscard]] TrialMeasurement trial_rx_cores(std::uint64_t packets);
  void measure(Lane& lane, std::uint64_t packets, WorkerMeasurement& measured) const;
  bool serve_rings(Lane& lane, const RxPipeline& pipeline, std::size_t worker, WorkerMeasurement& measured) const;
  void take_reports();

  const Job& job_;
  SessionRange range_;
  std::unique_ptr<UserPlaneWorkers> workers_;
  std::vector<Lane> lanes_;
  TrialTimes times_;
  SetUp set_up_;
};

}  // namespace headroom::gtpu::load

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_TRIAL_H
