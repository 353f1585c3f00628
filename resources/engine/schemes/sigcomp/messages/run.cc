// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/messages/run.h"

#include <malloc.h>

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "adapter/checked.h"
#include "base/identity.h"
#include "cxx/nack_reasons.h"
#include "link/report.h"
#include "schemes/sigcomp/messages/conversation.h"

namespace headroom::sigcomp::messages {
namespace {

constexpr std::uint64_t kLeastTimingNs = 5'000'000;  // so that the counter's rate is good to about a thousandth

using Counts = std::map<std::string, std::uint64_t>;

// What messages of one direction came to.
struct Direction {
  std::uint64_t messages = 0, plain_octets = 0, sent_octets = 0, uploads = 0, cycles = 0;
  std::uint64_t nacks = 0, nack_octets = 0, nacks_arrived = 0, nacks_answered = 0;
  std::uint64_t unread_octets = 0;
  Counts verdicts, compress, decompress, reasons;
};

void add(Direction& d, const Record& record, const Step& step) {
  ++d.messages;
  ++d.verdicts[name_of(record.verdict)];
  d.plain_octets += step.octets.size();
  if (record.compressed) {
    ++d.compress[name_of_status(record.compressed->status)];
    d.sent_octets += record.plain ? step.octets.size() : record.compressed->octets.size();
    if (record.compressed->detail.code_length != 0) ++d.uploads;
  }
  for (const Arrival& arrival : record.arrivals) {
    ++d.decompress[name_of_status(arrival.output.status)];
    d.cycles += arrival.output.detail.cycles;
    if (arrival.output.status == HEADROOM_ERR_DECOMPRESSION) {
      ++d.reasons[std::string(name_of_reason(arrival.output.detail.reason))];
    }
  }
  for (const NackRecord& nack : record.nacks) {
    ++d.nacks;
    d.nack_octets += nack.octets.size();
    if (nack.arrived) ++d.nacks_arrived;
    d.nacks_answered += nack.answers.size();
  }
  d.unread_octets += record.unread_octets;
}

// 0: no message used any, or nobody tells.
Json json_of_cycles(std::uint64_t cycles) { return cycles == 0 ? Json(nullptr) : Json(cycles); }

Json json_of_direction(const Direction& d, const LinkCounts& link, std::uint64_t duration_ns) {
  const bool any = d.plain_octets != 0;
  return {
      {"messages", d.messages},
      {"plain_octets", d.plain_octets},
      {"sent_octets", d.sent_octets},
      {"ratio", any ? Json(static_cast<double>(d.sent_octets) / static_cast<double>(d.plain_octets)) : Json(nullptr)},
      {"uploads", d.uploads},
      {"cycles", json_of_cycles(d.cycles)},
      {"verdicts", d.verdicts},
      {"statuses", {{"compress", d.compress}, {"decompress", d.decompress}}},
      {"reasons", d.reasons},
      {"nacks",
       {{"messages", d.nacks},
        {"octets", d.nack_octets},
        {"arrived", d.nacks_arrived},
        {"answered", d.nacks_answered}}},
      {"unread_octets", d.unread_octets},
      {"link", headroom::json_of(link, duration_ns)}};
}

Json costs_json(const Conversation& conversation) {
  Json all = Json::object();
  for (const Side side : {Side::a, Side::b}) {
    if (conversation.endpoint(side) == nullptr) continue;
    Json heap = Json::array(), resident = Json::array(), processor = Json::array();
    for (const CallCosts& costs : conversation.costs(side)) {
      heap.push_back(costs.heap);
      resident.push_back(costs.resident);
      processor.push_back(costs.processor_ns);
    }
    all[name_of(side)] = {{"heap_octets", std::move(heap)},
                          {"resident_octets", std::move(resident)},
                          {"processor_ns", std::move(processor)}};
  }
  return all;
}

Json result_of(const Job& job, Conversation& conversation, Json broken, double hz) {
  Direction directions[2], literal;
  Json records = Json::array();
  for (std::size_t i = 0; i < job.steps.size(); ++i) {
    const Step& step = job.steps[i];
    const Record& record = conversation.records()[i];
    if (step.kind != Step::Kind::send && step.kind != Step::Kind::literal) continue;
    add(step.kind == Step::Kind::send ? directions[static_cast<int>(step.side)] : literal, record, step);
    if (job.records == Records::all || (job.records == Records::failures && is_failure(record.verdict))) {
      records.push_back(json_of(record, step, i, job, hz));
    }
  }
  for (const Side from : {Side::a, Side::b}) {
    directions[static_cast<int>(from)].unread_octets += conversation.unread_octets(other(from));
  }
  Json endpoints = Json::object();
  Json words = Json::object();
  for (const Side side : {Side::a, Side::b}) {
    const CheckedEndpoint* const endpoint = conversation.endpoint(side);
    if (endpoint == nullptr) continue;
    endpoints[name_of(side)] = identity(endpoint->instance());
    words[name_of(side)] = broken.is_null() ? endpoint->instance().statistics() : Json(nullptr);
  }
  Counts inserted;
  for (const Arrival& arrival : conversation.inserted()) ++inserted[name_of_status(arrival.output.status)];
  Json result = {{"engine", engine_identity()},
                 {"seed", job.seed},
                 {"endpoints", std::move(endpoints)},
                 {"promise_broken", std::move(broken)},
                 {"duration_ns", conversation.now_ns()},
                 {"a_to_b", json_of_direction(directions[0], conversation.link(Side::a), conversation.now_ns())},
                 {"b_to_a", json_of_direction(directions[1], conversation.link(Side::b), conversation.now_ns())},
                 {"literal",
                  {{"messages", literal.messages},
                   {"verdicts", literal.verdicts},
                   {"statuses", literal.decompress},
                   {"reasons", literal.reasons},
                   {"cycles", json_of_cycles(literal.cycles)},
                   {"nacks", literal.nacks},
                   {"unread_octets", literal.unread_octets}}},
                 {"inserted", inserted},
                 {"link_sha256", conversation.link_digest()},
                 {"statistics", std::move(words)},
                 {"records", std::move(records)}};
  if (job.repeats != 0) result["repeats"] = job.repeats;
  if (job.costs) result["costs"] = costs_json(conversation);
  return result;
}

// The name of the side whose endpoint an instance is; null if it is none.
Json side_of(const Conversation& conversation, const Instance* instance) {
  for (const Side side : {Side::a, Side::b}) {
    const CheckedEndpoint* const endpoint = conversation.endpoint(side);
    if (endpoint != nullptr && &endpoint->instance() == instance) return name_of(side);
  }
  return nullptr;
}

// Has malloc keep what a round gives back, for the next one to take. Given back to the kernel it would come again page
// by page, at a time of its own that a process which goes on serving its peers does not spend; and which calls meet it
// depends on how the heap happens to lie, so that the same job would have times of two kinds.
void keep_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

}  // namespace

Json run(const Job& job) {
  std::unique_ptr<Capture> capture;
  if (job.capture) capture = std::make_unique<Capture>(*job.capture, job.stream);
  const Cycles cycles;
  const bool timed = job.repeats != 0;
  if (timed && !job.costs) keep_memory();
  Conversation first(job, timed ? &cycles : nullptr, capture.get());
  Json broken = nullptr;
  const auto play = [&](Conversation& conversation) {
    try {
      conversation.play();
      return true;
    } catch (const PromiseBroken& promise) {
      broken = {{"side", side_of(conversation, promise.instance())},
                {"function", promise.function()},
                {"message", conversation.at() ? Json(*conversation.at()) : Json(nullptr)},
                {"sentence", promise.sentence()}};
      return false;
    }
  };
  bool whole = play(first);
  Json written;
  if (capture) written["link"] = capture->close();
  for (std::uint32_t i = 0; whole && i < job.repeats; ++i) {
    Conversation again(job, &cycles, nullptr);
    whole = play(again);
    for (std::size_t k = 0; whole && k < job.steps.size(); ++k) {
      Record& into = first.records()[k];
      const Record& from = again.records()[k];
      into.compress_cycles.insert(into.compress_cycles.end(), from.compress_cycles.begin(), from.compress_cycles.end());
      into.decompress_cycles.insert(into.decompress_cycles.end(), from.decompress_cycles.begin(),
                                    from.decompress_cycles.end());
    }
  }
  Json result = result_of(job, first, std::move(broken), timed ? cycles.measured_hz(kLeastTimingNs) : 0);
  if (capture) result["outputs"] = std::move(written);
  return result;
}

}  // namespace headroom::sigcomp::messages
