// SPDX-License-Identifier: Apache-2.0
#include "replay/statistics.h"

#include <cstdio>

namespace headroom::replay {
namespace {

constexpr std::uint8_t kUnknownWord = 255;
constexpr std::uint16_t kUnknownNumber = 0xFFFF;
constexpr std::uint32_t kUnknownCid = 0xFFFFFFFF;

Json word_or_null(const std::vector<std::string>& words, std::uint8_t index) {
  const std::string_view word = Names::word(words, index);
  return word.empty() ? Json(nullptr) : Json(std::string(word));
}

const std::vector<std::string>& states(const Names& names, headroom_role role) {
  return role == HEADROOM_COMPRESSOR ? names.compressor_states : names.decompressor_states;
}

}  // namespace

std::string profile_name(std::uint16_t profile) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%04x", profile);
  return text;
}

Json Lengths::json() const {
  if (packets_ == 0) return nullptr;
  Json histogram = Json::array();
  for (const auto& [length, packets] : counts_) histogram.push_back({length, packets});
  return {{"mean", static_cast<double>(octets_) / static_cast<double>(packets_)},
          {"min", counts_.begin()->first},
          {"max", counts_.rbegin()->first},
          {"octets", octets_},
          {"histogram", std::move(histogram)}};
}

void SideStatistics::add(std::uint64_t packet, std::uint32_t channel, std::int32_t status,
                         const headroom_detail& detail, std::uint64_t link_octets, std::uint32_t link_header) {
  ++statuses_[status];
  if (detail.event != 0 && detail.event != kUnknownWord) ++events_[detail.event];
  if (status == HEADROOM_OK || (packs_ && status == HEADROOM_NOTHING && role_ == HEADROOM_COMPRESSOR)) {
    const bool is_known = detail.compressed_header != kUnknownNumber;
    const std::uint32_t header = is_known ? detail.compressed_header : packs_ ? 0 : link_header;
    PerType& type = types_[detail.packet_type];
    ++type.packets;
    type.octets += link_octets;
    type.header_octets += header;
    if (is_known || !packs_) headers_.add(header);
    if (detail.profile != kUnknownNumber) ++profiles_[detail.profile];
  }
  if (detail.mode == kUnknownWord && detail.state == kUnknownWord) return;
  Context& context = contexts_[(std::uint64_t{channel} << 32) | detail.cid];
  note_transition(packet, channel, detail.cid, "mode", names_.modes, context.mode, detail.mode);
  note_transition(packet, channel, detail.cid, "state", states(names_, role_), context.state, detail.state);
}

void SideStatistics::note_transition(std::uint64_t packet, std::uint32_t channel, std::uint32_t cid, const char* what,
                                     const std::vector<std::string>& words, std::uint8_t& known, std::uint8_t now) {
  if (now == kUnknownWord || now == known) return;
  ++transitions_;
  if (transition_list_.size() < kMostTransitions) {
    transition_list_.push_back({{"packet", packet},
                                {"channel", channel},
                                {"cid", cid == kUnknownCid ? Json(nullptr) : Json(cid)},
                                {"what", what},
                                {"from", word_or_null(words, known)},
                                {"to", word_or_null(words, now)}});
  }
  known = now;
}

Json SideStatistics::json() const {
  Json statuses = Json::object();
  for (const auto& [status, packets] : statuses_) statuses[name_of_status(status)] = packets;
  Json types = Json::object();
  for (const auto& [type, counts] : types_) {
    const std::string_view word = Names::word(names_.packet_types, type);
    types[word.empty() ? "unknown" : std::string(word)] = {
        {"packets", counts.packets}, {"octets", counts.octets}, {"header_octets", counts.header_octets}};
  }
  Json profiles = Json::object();
  for (const auto& [profile, packets] : profiles_) profiles[profile_name(profile)] = packets;
  Json events = Json::object();
  for (const auto& [event, packets] : events_) events[std::string(Names::word(names_.events, event))] = packets;
  return {{"statuses", std::move(statuses)}, {"packet_types", std::move(types)},   {"header_length", headers_.json()},
          {"profiles", std::move(profiles)}, {"events", std::move(events)},        {"contexts", contexts_.size()},
          {"transitions", transitions_},     {"transition_list", transition_list_}};
}

Json json_of(const headroom_detail& detail, const Names& names, headroom_role role) {
  Json json = Json::object();
  if (detail.cid != kUnknownCid) json["cid"] = detail.cid;
  if (detail.profile != kUnknownNumber) json["profile"] = profile_name(detail.profile);
  const auto add = [&](const char* key, const std::vector<std::string>& words, std::uint8_t index) {
    const std::string_view word = Names::word(words, index);
    if (!word.empty()) json[key] = std::string(word);
  };
  add("type", names.packet_types, detail.packet_type);
  add("mode", names.modes, detail.mode);
  add("state", states(names, role), detail.state);
  if (detail.event != 0) add("event", names.events, detail.event);
  if (detail.plain_header != kUnknownNumber) json["plain_header"] = detail.plain_header;
  if (detail.compressed_header != kUnknownNumber) json["compressed_header"] = detail.compressed_header;
  return json;
}

}  // namespace headroom::replay
