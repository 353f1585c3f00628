// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/messages/record.h"

#include <algorithm>

#include "base/hex.h"
#include "cxx/nack_reasons.h"

namespace headroom::sigcomp::messages {
namespace {

std::string quoted(OctetView octets) { return octets.empty() ? "no octets" : to_hex(octets); }

Json octets_or_length(OctetView octets, const Job& job) {
  return job.record_octets ? Json(to_hex(octets)) : Json(octets.size());
}

Json json_of(const LinkOutcome& link) {
  Json entry = {{"fate", name_of(link.fate)}};
  if (!link.flipped.empty()) entry["flipped"] = link.flipped;
  if (link.held) entry["held"] = true;
  if (link.duplicated) entry["duplicated"] = true;
  return entry;
}

void add_output(Json& entry, const MessageOutput& output, bool receiving) {
  entry["status"] = name_of_status(output.status);
  entry.update(messages::json_of(output.detail, receiving));
}

Json json_of(const NackRecord& nack, const Job& job) {
  Json entry = {{"octets", octets_or_length(nack.octets, job)}};
  if (nack.link) entry["link"] = json_of(*nack.link);
  if (nack.arrived) {
    Json arrived = Json::object();
    add_output(arrived, *nack.arrived, true);
    entry["arrived"] = std::move(arrived);
  }
  for (const Octets& answer : nack.answers) entry["answers"].push_back(octets_or_length(answer, job));
  return entry;
}

Json json_of(const Arrival& arrival, const Record& record, const Job& job) {
  Json entry = {{"time_ns", arrival.time_ns}};
  add_output(entry, arrival.output, true);
  if (arrival.output.came_out()) {
    entry["length"] = arrival.output.octets.size();
    // What is identical need not be said twice.
    if (!arrival.identical) entry["output"] = octets_or_length(arrival.output.octets, job);
  }
  if (arrival.accepted) entry["accept"] = *arrival.accepted;
  if (arrival.duplicate) entry["duplicate"] = true;
  if (arrival.again) entry["again"] = true;
  for (const std::size_t index : arrival.nacks) entry["nacks"].push_back(json_of(record.nacks[index], job));
  return entry;
}

Json median_ns(std::vector<std::uint64_t> cycles, double hz) {
  if (cycles.empty() || hz <= 0) return nullptr;
  const auto middle = cycles.begin() + static_cast<std::ptrdiff_t>(cycles.size() / 2);
  std::nth_element(cycles.begin(), middle, cycles.end());
  return static_cast<double>(*middle) * 1e9 / hz;
}

Json trials_ns(const std::vector<std::uint64_t>& cycles, double hz) {
  Json trials = Json::array();
  if (hz <= 0) return trials;
  for (const std::uint64_t one : cycles) trials.push_back(static_cast<double>(one) * 1e9 / hz);
  return trials;
}

}  // namespace

const char* name_of(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::not_run:
      return "not_run";
    case Verdict::identical:
      return "identical";
    case Verdict::mismatched:
      return "mismatched";
    case Verdict::not_delivered:
      return "not_delivered";
    case Verdict::lost_on_link:
      return "lost_on_link";
    case Verdict::not_compressed:
      return "not_compressed";
    case Verdict::met:
      return "met";
    case Verdict::unmet:
      return "unmet";
    case Verdict::unchecked:
      return "unchecked";
  }
  return "";
}

bool is_failure(Verdict verdict) noexcept {
  return verdict != Verdict::identical && verdict != Verdict::met && verdict != Verdict::unchecked;
}

std::vector<std::string> differences(const Expectation& expected, const Arrival& arrival) {
  const headroom_message_detail& d = arrival.output.detail;
  std::vector<std::string> found;
  const auto compare = [&](const char* what, bool same, const std::string& wanted, const std::string& got) {
    if (!same) found.push_back(std::string(what) + " is " + got + ", where " + wanted + " was expected");
  };
  const auto number = [&](const char* what, const auto& wanted, std::uint64_t got) {
    if (wanted) compare(what, *wanted == got, std::to_string(*wanted), std::to_string(got));
  };
  if (expected.kind) compare("the kind", *expected.kind == name_of_kind(d.kind), *expected.kind, name_of_kind(d.kind));
  if (expected.has_output) {
    const bool came_out = arrival.output.came_out();
    const bool same =
        expected.output ? came_out && std::ranges::equal(*expected.output, arrival.output.octets) : !came_out;
    compare(
        "the output", same, expected.output ? quoted(*expected.output) : "none",
        came_out ? quoted(arrival.output.octets) : std::string("none (") + name_of_status(arrival.output.status) + ")");
  }
  number("the number of UDVM cycles", expected.cycles, d.cycles);
  if (expected.reason) {
    compare("the reason", *expected.reason == d.reason, std::string(name_of_reason(*expected.reason)),
            std::string(name_of_reason(d.reason)));
  }
  number("the opcode", expected.opcode, d.opcode);
  number("the pc", expected.pc, d.pc);
  if (expected.details) {
    const OctetView details(d.details, d.details_length);
    compare("the reason's details", std::ranges::equal(*expected.details, details), quoted(*expected.details),
            quoted(details));
  }
  if (expected.nack) {
    const bool answered = !arrival.nacks.empty();
    compare("the answer", *expected.nack == answered, *expected.nack ? "a NACK" : "none", answered ? "a NACK" : "none");
  }
  return found;
}

Json json_of(const headroom_message_detail& d, bool receiving) {
  Json entry = Json::object();
  if (d.kind == HEADROOM_MESSAGE_NONE) return entry;
  entry["kind"] = name_of_kind(d.kind);
  if (d.compartment != HEADROOM_NO_SESSION) entry["compartment"] = d.compartment;
  const bool failed = d.kind == HEADROOM_MESSAGE_FAILED;
  if (receiving && d.cycles != 0) entry["cycles"] = d.cycles;
  if (failed || d.kind == HEADROOM_MESSAGE_NACK) {
    entry["reason"] = d.reason;
    entry["reason_name"] = name_of_reason(d.reason);
    entry["opcode"] = d.opcode;
    entry["pc"] = d.pc;
    entry["details"] = to_hex(OctetView(d.details, d.details_length));
  }
  if (d.kind == HEADROOM_MESSAGE_NACK) entry["named"] = to_hex(OctetView(d.named));
  if (d.header_length != 0) {
    entry["header_length"] = d.header_length;
    entry["code_length"] = d.code_length;
  }
  const auto octets = [&](const char* key, const std::uint8_t* at, std::uint8_t length) {
    if (length != 0) entry[key] = to_hex(OctetView(at, length));
  };
  octets("referred", d.referred, d.referred_length);
  octets("returned_feedback", d.returned_feedback, d.returned_length);
  octets("requested_feedback", d.requested_feedback, d.requested_length);
  if (d.creations != 0) {
    entry["creations"] = d.creations;
    entry["created"] = to_hex(OctetView(d.created));
  }
  if (d.frees != 0) entry["frees"] = d.frees;
  if (d.parameters != 0) entry["parameters"] = d.parameters;
  if (d.version != 0) entry["version"] = d.version;
  if (d.announced != 0) entry["announced"] = d.announced;
  if (receiving && !failed) entry["accepted"] = (d.flags & HEADROOM_MESSAGE_ACCEPTED) != 0;
  if ((d.flags & HEADROOM_MESSAGE_ASKS_FEEDBACK) != 0) entry["asks_feedback"] = true;
  if ((d.flags & HEADROOM_MESSAGE_WANTS_NO_STATE) != 0) entry["wants_no_state"] = true;
  if ((d.flags & HEADROOM_MESSAGE_WANTS_NO_LOCAL_STATE) != 0) entry["wants_no_local_state"] = true;
  return entry;
}

Json json_of(const Record& record, const Step& step, std::size_t index, const Job& job, double hz) {
  const bool sent = step.kind == Step::Kind::send;
  Json entry = {{"message", index},
                {sent ? "from" : "to", name_of(step.side)},
                {"compartment", step.compartment == HEADROOM_NO_SESSION ? Json(nullptr) : Json(step.compartment)},
                {"time_ns", record.time_ns},
                {"length", step.octets.size()},
                {"verdict", name_of(record.verdict)}};
  if (record.plain) entry["plain"] = true;
  if (record.compressed) {
    Json compressed = {{"length", record.compressed->octets.size()}};
    add_output(compressed, *record.compressed, false);
    if (record.compressed->came_out()) compressed["octets"] = octets_or_length(record.compressed->octets, job);
    entry["compressed"] = std::move(compressed);
  }
  if (record.link) entry["link"] = json_of(*record.link);
  entry["arrivals"] = Json::array();
  for (const Arrival& arrival : record.arrivals) entry["arrivals"].push_back(json_of(arrival, record, job));
  if (!sent) entry["differences"] = record.differences;
  if (job.repeats != 0) {
    if (sent) entry["compress_ns"] = median_ns(record.compress_cycles, hz);
    entry["decompress_ns"] = median_ns(record.decompress_cycles, hz);
    if (job.trials) {
      if (sent) entry["compress_trials_ns"] = trials_ns(record.compress_cycles, hz);
      entry["decompress_trials_ns"] = trials_ns(record.decompress_cycles, hz);
    }
  }
  return entry;
}

}  // namespace headroom::sigcomp::messages
