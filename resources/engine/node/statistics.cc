// SPDX-License-Identifier: Apache-2.0
#include "node/statistics.h"

#include "adapter/instance.h"

namespace headroom::node {
namespace {

Json json_of(const Side& side) { return {{"received", json_of(side.received)}, {"sent", json_of(side.sent)}}; }

}  // namespace

Json json_of(const Traffic& traffic) {
  return {{"packets", traffic.packets.value()}, {"octets", traffic.octets.value()}};
}

Json load_of(unsigned core, const io::BusyShare& busy, const std::optional<CoreJiffies>& before) {
  return {{"core", core},
          {"busy_cycles", busy.busy_cycles()},
          {"total_cycles", busy.total_cycles()},
          {"busy_share", busy.share()},
          {"cpu_ns", busy.cpu_ns()},
          {"proc_stat", {{"before", json_of(before)}, {"after", json_of(read_core_jiffies(core))}}}};
}

Json Refusals::json() const {
  Json json = Json::object();
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i].value() != 0) json[name_of_status(-1 - static_cast<std::int32_t>(i))] = counts_[i].value();
  }
  return json;
}

Json Statistics::json() const {
  return {{"plain", json_of(plain)},
          {"link", json_of(link)},
          {"compressed", compressed.value()},
          {"decompressed", decompressed.value()},
          {"passed", passed.value()},
          {"passed_too_long", passed_too_long.value()},
          {"consumed", consumed.value()},
          {"feedback",
           {{"sent", feedback.sent.value()},
            {"piggybacked", feedback.piggybacked.value()},
            {"received", feedback.received.value()},
            {"discarded", feedback.discarded.value()}}},
          {"compartments",
           {{"opened", compartments.opened.value()},
            {"replaced", compartments.replaced.value()},
            {"refused", compartments.refused.value()}}},
          {"stream",
           {{"datagrams_sent", stream.datagrams_sent.value()},
            {"packets_sent", stream.packets_sent.value()},
            {"idle_sent", stream.idle_sent.value()},
            {"datagrams_received", stream.datagrams_received.value()},
            {"packets_received", stream.packets_received.value()},
            {"late", stream.late.value()},
            {"wrong_length", stream.wrong_length.value()},
            {"lost_sync", stream.lost_sync.value()},
            {"other_frames", stream.other_frames.value()},
            {"other_types", stream.other_types.value()},
            {"uncarried", stream.uncarried.value()},
            {"queue_full", stream.queue_full.value()}}},
          {"shaper", {{"octets", shaper.octets.value()}, {"queue_full", shaper.queue_full.value()}}},
          {"handed_over", handed_over.value()},
          {"errors",
           {{"compressor", compressor.json()},
            {"decompressor", decompressor.json()},
            {"too_long", too_long.value()},
            {"malformed", malformed.value()},
            {"send_queue_full", send_queue_full.value()},
            {"hand_over_full", hand_over_full.value()},
            {"no_memory", no_memory.value()},
            {"no_neighbour", no_neighbour.value()}}}};
}

}  // namespace headroom::node
