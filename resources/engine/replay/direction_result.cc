// SPDX-License-Identifier: Apache-2.0
//
// The result of one direction of a replay.
#include <algorithm>
#include <utility>

#include "base/hex.h"
#include "link/report.h"
#include "replay/context.h"
#include "replay/direction.h"

namespace headroom::replay {
namespace {

constexpr std::uint64_t kLeastTimingNs = 5'000'000;  // so that the counter's rate is good to about a thousandth

Json json_of(const CaptureCounts& counts) {
  return {{"cut_short", counts.truncated},
          {"too_long", counts.too_long},
          {"something_else", counts.others},
          {"other_sender", counts.other_sender},
          {"without_length", counts.without_length}};
}

}  // namespace

// The time that the source takes: its packets are as far apart as they are on average, the last one included.
std::uint64_t Direction::duration_ns() const {
  if (source_.size() < 2) return 0;
  const std::uint64_t span = source_.back().time_ns - source_.front().time_ns;
  return span + span / (source_.size() - 1);
}

Json Direction::verdicts() const {
  std::map<Verdict, std::uint64_t> counts;
  std::map<std::int8_t, std::uint64_t> not_delivered, not_compressed;
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    ++counts[verdicts_[i]];
    if (verdicts_[i] == Verdict::not_delivered) ++not_delivered[last_status_[i]];
    if (verdicts_[i] == Verdict::not_compressed) ++not_compressed[last_status_[i]];
  }
  const auto by_status = [](const std::map<std::int8_t, std::uint64_t>& statuses) {
    Json json = Json::object();
    for (const auto& [status, packets] : statuses) json[name_of_status(status)] = packets;
    return json;
  };
  Json json = Json::object();
  for (const Verdict verdict :
       {Verdict::identical, Verdict::mismatched, Verdict::not_delivered, Verdict::lost_on_link, Verdict::not_compressed,
        Verdict::withheld, Verdict::unexpected, Verdict::delivered, Verdict::sent, Verdict::not_run}) {
    json[name_of(verdict)] = counts[verdict];
  }
  json["not_delivered_by_status"] = by_status(not_delivered);
  json["not_compressed_by_status"] = by_status(not_compressed);
  return json;
}

Json Direction::side_json(const Side& side, bool ask_adapters) const {
  Json json = side.statistics.json();
  if (ask_adapters) json["statistics"] = side.instance.statistics();
  if (!job_.timing) return json;
  const std::optional<double> ns = side.checked.ns_per_packet(run_.cycles.measured_hz(kLeastTimingNs));
  json["ns_per_packet"] = ns ? Json(*ns) : Json(nullptr);
  return json;
}

Json Direction::feedback_json() const {
  const sim::FeedbackCounts& counts = hop_->feedback();
  Json json = {{"path", name_of(job_.path)},
               {"sent", {{"messages", counts.messages}, {"octets", counts.octets}}},
               {"received", {{"messages", counts.received_messages}, {"octets", counts.received_octets}}},
               {"discarded", counts.discarded},
               {"waiting", feedback_waiting_}};
  if (job_.path != sim::FeedbackPath::own) return json;
  const LinkCounts link = hop_->feedback_line_counts();
  json["lost"] = lost_json(link);
  json["script_missed"] = link.script_missed;
  return json;
}

Json Direction::result(bool ask_adapters) const {
  std::uint64_t octets = 0;
  std::size_t largest = 0;
  for (const SourcePacket& packet : source_) {
    octets += packet.octets.size();
    largest = std::max(largest, packet.octets.size());
  }
  Json result = {
      {"source",
       {{"packets", source_.size()}, {"octets", octets}, {"largest", largest}, {"duration_ns", duration_ns()}}}};
  if (job_.captured) result["source"]["capture"] = json_of(*job_.captured);
  if (compressor_) result["compressor"] = side_json(*compressor_, ask_adapters);
  result["link"] = headroom::json_of(carrier_ ? carrier_->carried_counts() : hop_->line_counts(), duration_ns());
  if (decompressor_) result["decompressor"] = side_json(*decompressor_, ask_adapters);
  result["verdicts"] = verdicts();
  result["duplicates_delivered"] = duplicates_delivered_;
  Json inserted = Json::object();
  for (const auto& [status, packets] : inserted_statuses_) inserted[status] = packets;
  result["inserted"] = {{"statuses", std::move(inserted)}, {"delivered", inserted_delivered_}};
  Json mismatches = Json::array();
  for (const Mismatch& mismatch : mismatches_) {
    mismatches.push_back({{"packet", mismatch.packet ? Json(*mismatch.packet) : Json(nullptr)},
                          {"time_ns", mismatch.time_ns},
                          {"first_difference", mismatch.first_difference},
                          {"expected", to_hex(mismatch.expected)},
                          {"got", to_hex(mismatch.got)}});
  }
  result["mismatches"] = mismatch_count_;
  result["mismatch_list"] = std::move(mismatches);
  if (carrier_) result["carrier"] = carrier_->result(duration_ns(), ask_adapters);
  result["feedback"] = feedback_json();
  return result;
}

Json Direction::octets_or_length(OctetView octets) const {
  return job_.record_octets ? Json(to_hex(octets)) : Json(octets.size());
}

Json Direction::record(std::size_t index) const {
  const SourcePacket& packet = source_[index];
  const Record& record = records_[index];
  Json json = {{"packet", index},           {"direction", reverse_ ? "reverse" : "forward"},
               {"time_ns", packet.time_ns}, {"channel", packet.channel},
               {"flow", packet.flow},       {"length", packet.octets.size()}};
  if (record.compressed) {
    json["compressor"] = json_of(record.compressed->detail, compressor_->instance.names(), HEADROOM_COMPRESSOR);
    json["compressor"]["status"] = name_of_status(record.compressed->status);
  }
  if (record.outcome) {
    json["link"] =
        octets_or_length(record.compressed ? OctetView(record.compressed->octets) : OctetView(packet.octets));
    json["link_header"] = record.header;
    if (const std::uint16_t type = record.compressed ? record.compressed->type : packet.type; type != 0)
      json["link_type"] = type;
    json["fate"] = name_of(record.outcome->fate);
    if (!record.outcome->flipped.empty()) json["flipped"] = record.outcome->flipped;
    if (record.outcome->held) json["held"] = true;
    if (record.outcome->duplicated) json["duplicated"] = true;
  }
  for (const Record::Segment& segment : record.segments) {
    Json entry = {{"link", octets_or_length(segment.link)},
                  {"link_header", segment.header},
                  {"fate", name_of(segment.outcome.fate)}};
    if (!segment.outcome.flipped.empty()) entry["flipped"] = segment.outcome.flipped;
    if (segment.outcome.held) entry["held"] = true;
    if (segment.outcome.duplicated) entry["duplicated"] = true;
    json["segments"].push_back(std::move(entry));
  }
  Json arrivals = Json::array();
  for (const Record::Arrival& arrival : record.arrivals) {
    Json entry = json_of(arrival.output.detail, decompressor_->instance.names(), HEADROOM_DECOMPRESSOR);
    entry["status"] = name_of_status(arrival.output.status);
    entry["time_ns"] = arrival.time_ns;
    if (has_type(arrival.output)) entry["out_type"] = arrival.output.type;
    if (arrival.duplicate) entry["duplicate"] = true;
    arrivals.push_back(std::move(entry));
  }
  if (decompressor_) json["decompressor"] = std::move(arrivals);
  const auto add_elements = [&json](const char* key, const std::vector<ReversePacket>& elements) {
    Json list = Json::array();
    for (const ReversePacket& element : elements) list.push_back(to_hex(element.octets));
    if (!list.empty()) json[key] = std::move(list);
  };
  add_elements("feedback", record.feedback);
  add_elements("passed_on", record.passed_on);
  json["verdict"] = name_of(verdicts_[index]);
  return json;
}

void Direction::append_records(Json& records) const {
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (job_.records == Records::all || is_failure(verdicts_[i])) records.push_back(record(i));
  }
  for (const Json& other : other_records_) records.push_back(other);
}

}  // namespace headroom::replay
