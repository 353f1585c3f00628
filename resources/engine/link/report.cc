// SPDX-License-Identifier: Apache-2.0
#include "link/report.h"

namespace headroom {

Json lost_json(const LinkCounts& counts) {
  Json lost = Json::object();
  for (std::size_t i = 1; i < kFates; ++i) {
    if (counts.fates[i] != 0) lost[name_of(static_cast<Fate>(i))] = counts.fates[i];
  }
  return lost;
}

Json json_of(const SlotCounts& counts) {
  return {
      {"sent", counts.sent},
      {"octets", counts.octets},
      {"carried", counts.carried},
      {"idle", counts.sent - counts.carried},
      {"utilisation",
       counts.sent != 0 ? Json(static_cast<double>(counts.carried) / static_cast<double>(counts.sent)) : Json(nullptr)},
      {"most_waiting", counts.most_waiting}};
}

Json json_of(const LinkCounts& counts, std::uint64_t duration_ns) {
  const double seconds = static_cast<double>(duration_ns) / 1e9;
  Json json = {
      {"packets", counts.sent},
      {"octets", counts.sent_octets},
      {"bandwidth_bps", seconds > 0 ? Json(static_cast<double>(counts.sent_octets) * 8 / seconds) : Json(nullptr)},
      {"delivered", counts.fates[0]},
      {"lost", lost_json(counts)},
      {"bits_flipped", counts.bits_flipped},
      {"damaged_delivered", counts.damaged_delivered},
      {"reordered", counts.reordered},
      {"duplicated", counts.duplicated},
      {"inserted", counts.inserted},
      {"script_missed", counts.script_missed},
      {"queue_most_octets", counts.queue_most_octets},
      {"marked", counts.marked}};
  if (counts.slots) json["slots"] = json_of(*counts.slots);
  return json;
}

std::string comment_of(const LinkOutcome& outcome) {
  std::string comment;
  const auto add = [&comment](const std::string& text) { comment += (comment.empty() ? "" : "; ") + text; };
  if (outcome.fate != Fate::delivered) add(std::string("lost: ") + name_of(outcome.fate));
  if (!outcome.flipped.empty()) {
    std::string bits = "bits flipped:";
    for (const std::uint32_t bit : outcome.flipped) bits.append(" ").append(std::to_string(bit));
    add(bits);
  }
  if (outcome.duplicated) add("duplicated");
  if (outcome.held) add("held back");
  return comment;
}

}  // namespace headroom
