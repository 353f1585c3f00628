// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/user_plane/session.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/hex.h"
#include "base/lines.h"
#include "base/seal.h"

namespace headroom::gtpu {
namespace {

constexpr std::size_t kMostWorkers = 64;
constexpr std::uint64_t kMostRepetitions = 100'000'000;
constexpr std::uint64_t kLastTime = ~std::uint64_t{0} / 2;  // no deadline
constexpr std::uint16_t kLargestRoom = 32'768;

Octets read_octets(const Value& value) {
  Octets octets = value.hex();
  if (octets.size() > HEADROOM_USER_PLANE_MAX) value.fail("at most 65535 octets fit here.");
  return octets;
}

headroom_side read_side(Object& object) {
  return static_cast<headroom_side>(HEADROOM_N3 + object.required("side").choice({"N3", "N6", "N9"}));
}

Json json_of(const ForwardOutcome& outcome) {
  Json json = {{"status", name_of_status(outcome.status)}, {"reason", name_of_reason(outcome.reason)}};
  if (outcome.status == HEADROOM_OK) {
    json["side"] = name_of_side(outcome.side);
    json["octets"] = to_hex(outcome.octets);
  }
  return json;
}

Json error_of(const Error& error) {
  return {{"error", {{"kind", name_of(error.kind())}, {"message", error.what()}, {"where", error.where()}}}};
}

}  // namespace

SessionJob read_session_job(const Json& document) {
  Object object(Value(document, ""));
  SessionJob job;
  job.user_plane = read_adapter_job(object.required("user_plane"));
  job.workers = static_cast<std::size_t>(object.integer("workers", 1, kMostWorkers, 1));
  job.room = static_cast<std::uint16_t>(
      object.integer("room", HEADROOM_USER_PLANE_ROOM, kLargestRoom, HEADROOM_USER_PLANE_ROOM));
  if (const auto path = object.optional("capture")) job.capture = path->text();
  object.finish();
  const Json nowhere = "0.0.0.0";
  const Json* address = job.user_plane.config.find_pointer("/n4/address");
  job.n4 = read_address(Value(address != nullptr ? *address : nowhere, job.user_plane.where + "/config/n4/address"));
  return job;
}

UserPlaneSession::UserPlaneSession(const SessionJob& job) : plane_(job.user_plane, job.workers, job.room) {
  made_ns_ = monotonic_ns() - start_ns_;
  if (job.capture) capture_.emplace(*job.capture, job.n4);
}

Json UserPlaneSession::greeting() {
  return {{"ready", true},
          {"made_ns", made_ns_},
          {"workers", plane_.workers().count()},
          {"user_plane", identity(plane_.workers().instance())},
          {"description", plane_.workers().description()}};
}

Json UserPlaneSession::step(const Json& document) {
  Object step(Value(document, ""));
  leaving_ = {};
  if (const auto packet = step.optional("packet")) return packet_step(step, *packet);
  if (const auto burst = step.optional("burst")) return burst_step(step, *burst);
  if (const auto n4 = step.optional("n4")) return n4_step(step, *n4);
  for (const char* word : {"advance", "statistics", "end"}) {
    const auto value = step.optional(word);
    if (!value) continue;
    if (!value->boolean()) value->fail("this must be true.");
    const std::uint64_t time = read_time(step);
    step.finish();
    pass_until(time);
    Json json = answer(Json::array());
    if (word == std::string_view("statistics")) {
      json["statistics"] = Json::array();
      for (std::size_t i = 0; i < plane_.workers().count(); ++i)
        json["statistics"].push_back(plane_.workers().statistics(i));
    }
    if (word == std::string_view("end")) {
      ended_ = true;
      if (capture_) json["outputs"] = {{"capture", capture_->close()}};
    }
    return json;
  }
  step.fail("a step has one of the keys packet, burst, n4, advance, statistics, end.");
}

std::size_t UserPlaneSession::read_worker(Object& step) {
  return static_cast<std::size_t>(step.integer("worker", 0, plane_.workers().count() - 1, 0));
}

std::uint64_t UserPlaneSession::read_time(Object& step) const {
  const auto time = step.optional("time_ns");
  if (!time || time->is_null()) return now_ns_;
  const std::uint64_t ns = time->integer(0, kLastTime);
  if (ns < now_ns_) time->fail("time never decreases; it is " + std::to_string(now_ns_) + " ns.");
  return ns;
}

Json UserPlaneSession::packet_step(Object& step, const Value& packet) {
  const Octets octets = read_octets(packet);
  const UserPacket given = {octets, read_side(step)};
  const std::size_t worker = read_worker(step);
  const std::uint64_t count = step.integer("count", 1, kMostRepetitions, 1);
  const std::uint64_t interval = step.integer("interval_ns", 0, kLastTime / kMostRepetitions, 0);
  const std::uint64_t time = read_time(step);
  step.finish();
  pass_until(time);
  Json outcomes = Json::array();
  std::map<std::string, std::uint64_t> statuses, reasons;
  std::uint64_t octets_out = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i != 0) pass_until(now_ns_ + interval);
    const ForwardOutcome outcome = forward(worker, {&given, 1})[0];
    ++statuses[name_of_status(outcome.status)];
    if (outcome.status == HEADROOM_NOTHING) ++reasons[name_of_reason(outcome.reason)];
    octets_out += outcome.octets.size();
    if (i == 0 || i + 1 == count) outcomes.push_back(json_of(outcome));
  }
  Json json = answer(std::move(outcomes));
  if (count > 1) {
    json["counts"] = statuses;
    json["reasons"] = reasons;
    json["octets_out"] = octets_out;
  }
  return json;
}

Json UserPlaneSession::burst_step(Object& step, const Value& burst) {
  std::vector<Octets> octets;
  std::vector<UserPacket> packets;
  for (const Value& item : burst.items()) {
    Object object(item);
    octets.push_back(read_octets(object.required("packet")));
    packets.push_back({{}, read_side(object)});
    object.finish();
  }
  for (std::size_t i = 0; i < packets.size(); ++i) packets[i].octets = octets[i];
  const std::size_t worker = read_worker(step);
  const std::uint64_t time = read_time(step);
  step.finish();
  pass_until(time);
  Json outcomes = Json::array();
  for (const ForwardOutcome& outcome : forward(worker, packets)) outcomes.push_back(json_of(outcome));
  return answer(std::move(outcomes));
}

Json UserPlaneSession::n4_step(Object& step, const Value& n4) {
  N4Datagram message;
  message.octets = read_octets(n4);
  message.peer = read_address(step.required("peer"));
  message.port = static_cast<std::uint16_t>(step.integer("port", 1, 65'535, kPfcpPort));
  const std::uint64_t time = read_time(step);
  step.finish();
  if (!plane_.workers().has_n4()) n4.fail("the user plane has no N4.");
  pass_until(time);
  if (capture_) capture_->write(message, false, now_ns_);
  plane_.n4(message, now_ns_);
  for (std::size_t i = 0; i < plane_.workers().count(); ++i) take(i);
  take_n4();
  return answer(Json::array());
}

std::vector<ForwardOutcome> UserPlaneSession::forward(std::size_t worker, std::span<const UserPacket> packets) {
  std::vector<ForwardOutcome> outcomes = plane_.forward(worker, packets, now_ns_);
  bool more = false;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    more = more || outcomes[i].more;
    if (!capture_) continue;
    capture_->write(packets[i].side, false, packets[i].octets, now_ns_);
    if (outcomes[i].status == HEADROOM_OK) capture_->write(outcomes[i].side, true, outcomes[i].octets, now_ns_);
  }
  if (more) take(worker);
  take_n4();
  return outcomes;
}

void UserPlaneSession::take(std::size_t worker) {
  for (const TakenPacket& packet : plane_.take(worker, now_ns_)) {
    if (capture_) capture_->write(packet.side, true, packet.octets, now_ns_);
    leaving_.taken.push_back({{"side", name_of_side(packet.side)},
                              {"octets", to_hex(packet.octets)},
                              {"worker", worker},
                              {"time_ns", now_ns_}});
  }
}

void UserPlaneSession::take_n4() {
  for (const N4Datagram& message : plane_.take_n4(now_ns_)) {
    if (capture_) capture_->write(message, true, now_ns_);
    leaving_.n4.push_back({{"octets", to_hex(message.octets)},
                           {"peer", text_of(message.peer)},
                           {"port", message.port},
                           {"time_ns", now_ns_}});
  }
}

void UserPlaneSession::pass_until(std::uint64_t time_ns) {
  if (time_ns == now_ns_) return;
  for (;;) {
    std::uint64_t due = plane_.n4_deadline();
    std::optional<std::size_t> worker;  // nothing: it is that of N4
    for (std::size_t i = 0; i < plane_.workers().count(); ++i) {
      const std::uint64_t deadline = plane_.next_deadline(i);
      if (deadline >= due) continue;
      due = deadline;
      worker = i;
    }
    if (due > time_ns) break;
    now_ns_ = std::max(now_ns_, due);
    if (worker) {
      take(*worker);
    } else {
      take_n4();
    }
    if ((worker ? plane_.next_deadline(*worker) : plane_.n4_deadline()) <= now_ns_) {
      throw PromiseBroken(HEADROOM_USER_PLANE, worker ? "next_deadline" : "user-plane.n4_deadline",
                          "it is not later than the time at which all that was due has been taken.");
    }
  }
  now_ns_ = time_ns;
}

Json UserPlaneSession::answer(Json outcomes) {
  return {{"outcomes", std::move(outcomes)},
          {"taken", std::exchange(leaving_.taken, Json::array())},
          {"n4", std::exchange(leaving_.n4, Json::array())},
          {"time_ns", now_ns_}};
}

namespace {

// Answers steps until the end of the session. Returns the answer to the step that ends it, or nothing if the input
// ends.
std::optional<Json> answer_steps(UserPlaneSession& session, Lines& lines, SealedLines& output) {
  while (const auto line = lines.next()) {
    Json reply;
    try {
      reply = session.step(parse_json(*line));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::job) throw;
      reply = error_of(error);
    }
    if (session.ended()) return reply;
    output.write(std::move(reply));
  }
  return std::nullopt;
}

}  // namespace

void serve_user_plane(int input, int output) {
  Lines lines(input);
  const auto first = lines.next();
  if (!first) throw Error(ErrorKind::job, "the input ends in front of the job, which is its first line.");
  Json job = parse_json(*first);
  SealedLines sealed(output, take_seal(job));
  std::optional<Json> last;
  {
    UserPlaneSession session(read_session_job(job));
    sealed.write(session.greeting());
    last = answer_steps(session, lines, sealed);
  }
  // The adapter has been destroyed: had it ended the process, the answer would be missing.
  if (last) sealed.write(*std::move(last));
}

}  // namespace headroom::gtpu
