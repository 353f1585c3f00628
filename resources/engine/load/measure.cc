// SPDX-License-Identifier: Apache-2.0
#include "load/measure.h"

#include "adapter/instance.h"

namespace headroom::load {
namespace {

Json ratio(double value, std::uint64_t count) {
  return count == 0 ? Json(nullptr) : Json(value / static_cast<double>(count));
}

}  // namespace

const char* name_of(Stage stage) noexcept {
  switch (stage) {
    case Stage::generate:
      return "generate";
    case Stage::compress:
      return "compress";
    case Stage::handover:
      return "handover";
    case Stage::decompress:
      return "decompress";
    case Stage::verify:
      return "verify";
    case Stage::feedback:
      return "feedback";
    case Stage::replace:
      return "replace";
  }
  return "";
}

Json StatusCounts::json() const {
  Json json = Json::object();
  for (std::size_t i = 0; i < kKnown; ++i) {
    const auto status = static_cast<std::int32_t>(i) - kOffset;
    if (counts_[i] != 0 && status != HEADROOM_OK) json[name_of_status(status)] = counts_[i];
  }
  if (counts_[kKnown] != 0) json["unknown"] = counts_[kKnown];
  if (more_ != 0) json["more"] = more_;
  return json;
}

Json json_of(const PhaseMeasurement& measured, double hz, std::uint64_t tick_ns, bool paced) {
  const double ns_per_cycle = 1e9 / hz;
  const auto ns = [&](std::uint64_t cycles) { return static_cast<double>(cycles) * ns_per_cycle; };
  const auto per_packet = [&](const Histogram& histogram) {
    return json_of(histogram, ns_per_cycle / kPerPacketScale);
  };
  Json stages = Json::object();
  for (std::size_t i = 0; i < kStages; ++i) {
    const std::uint64_t cycles = measured.stage_cycles[i];
    stages[name_of(static_cast<Stage>(i))] = {
        {"cycles", cycles}, {"ns", ns(cycles)}, {"ns_per_packet", ratio(ns(cycles), measured.packets)}};
  }
  Json busy = Json::array();
  for (const std::uint64_t cycles : measured.tick_cycles) busy.push_back(ns(cycles) / static_cast<double>(tick_ns));
  return {
      {"ticks", measured.tick_cycles.size()},
      {"ticks_missed", paced ? Json(measured.ticks_missed) : Json(nullptr)},
      {"packets", measured.packets},
      {"packets_compressed", measured.packets_compressed},
      {"packets_decompressed", measured.packets_decompressed},
      {"bursts", measured.bursts},
      {"plain_octets", measured.plain_octets},
      {"link_octets", measured.link_octets},
      {"wall_ns", measured.wall_ns},
      {"thread_cpu_ns", measured.thread_cpu_ns},
      {"other_threads_cpu_ns", measured.other_threads_cpu_ns},
      {"involuntary_switches", measured.involuntary_switches},
      {"proc_stat", {{"before", json_of(measured.before)}, {"after", json_of(measured.after)}}},
      {"stages", std::move(stages)},
      {"busy_ns", ns(measured.busy_cycles)},
      {"idle_ns", ns(measured.idle_cycles)},
      {"busy_share", std::move(busy)},
      {"verified", measured.verified},
      {"mismatched", measured.mismatched},
      {"wrong_length", measured.wrong_length},
      {"lost", measured.lost},
      {"statuses",
       {{"compressor", measured.compressor_statuses.json()}, {"decompressor", measured.decompressor_statuses.json()}}},
      {"feedback", {{"messages", measured.feedback_messages}, {"octets", measured.feedback_octets}}},
      {"flow_pairs_replaced", measured.replaced},
      {"histograms",
       {{"generate_ns", per_packet(measured.generate)},
        {"compress_ns", per_packet(measured.compress)},
        {"handover_ns", per_packet(measured.handover)},
        {"decompress_ns", per_packet(measured.decompress)},
        {"verify_ns", per_packet(measured.verify)},
        {"burst_latency_ns", json_of(measured.burst_latency, ns_per_cycle)},
        {"time_in_tick_ns", json_of(measured.time_in_tick, ns_per_cycle)},
        {"wake_up_ns", json_of(measured.wake_up, 1)}}}};
}

}  // namespace headroom::load
