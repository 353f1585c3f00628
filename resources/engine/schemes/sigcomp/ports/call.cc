// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/ports/call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "base/cycles.h"
#include "base/hex.h"
#include "base/histogram.h"
#include "base/identity.h"
#include "capture/frame.h"
#include "capture/writer.h"
#include "io/busy.h"
#include "io/published.h"
#include "wire/frames.h"

namespace headroom::sigcomp::ports {
namespace {

constexpr std::size_t kBurst = 32;
constexpr std::size_t kMostUnexpected = 16;  // that are kept with their octets; all are counted
// As in `generate`: with less than this share of the calls that were asked for, the generator has fallen behind.
constexpr double kKeepsUp = 0.995;
constexpr std::uint64_t kSlackNs = 100'000'000;  // for the last calls, beyond the time of beginning some

constexpr std::size_t kCalledSide = 0, kCallerSide = 1;  // as Calls numbers them: from_caller is 1

// Messages of one direction, those of warm-up calls apart from `others` and `unexpected`.
struct Counts {
  std::uint64_t sent = 0, octets_sent = 0, received = 0, duplicated = 0, unexpected = 0, others = 0;
  std::vector<Octets> unexpected_list;
};

struct Report {
  std::array<Counts, 2> messages;  // by who sends
  std::array<Histogram, 2> latency;
  Histogram took;  // ns from the first message of a call until the last one arrived
  std::uint64_t warmup_began = 0, warmup_completed = 0, began = 0, completed = 0;
  std::uint64_t first_began_ns = 0, last_began_ns = 0;
  std::uint32_t most_at_once = 0;
};

// Both ends of all calls. One thread.
class CallEnds {
 public:
  CallEnds(const CallJob& job, wire::Ends& ends, Report& report)
      : job_(job),
        pool_(ends.pool()),
        report_(report),
        warmup_(job.warmup_calls()),
        total_(job.calls()),
        calls_(job.messages, job.callers, static_cast<std::size_t>(total_)) {
    sides_[kCallerSide] = {&ends.port(0), ethernet_frame(kMacB, kMacA, kEtherTypeIpv4, {})};
    sides_[kCalledSide] = {&ends.port(1), ethernet_frame(kMacA, kMacB, kEtherTypeIpv4, {})};
  }

  // Begins the calls that are due, a burst at most. Returns whether all have begun.
  bool begin(std::uint64_t began_ns, std::uint64_t now_ns) {
    const double due = static_cast<double>(now_ns - began_ns) * job_.calls_per_s / 1e9;
    const std::uint64_t until = std::min(total_, static_cast<std::uint64_t>(due) + 1);
    for (std::size_t i = 0; i < kBurst && calls_.begun() < until; ++i) calls_.begin(now_ns);
    report_.most_at_once = std::max(report_.most_at_once, calls_.active());
    return calls_.begun() == total_;
  }

  // Sends what a side has to say, a burst at most. Returns whether there was anything.
  bool send(bool caller, std::uint64_t now_ns) {
    calls_.wake(now_ns);
    std::array<rte_mbuf*, kBurst> frames;
    std::size_t count = 0;
    const std::size_t waiting = std::min(calls_.waiting(caller), kBurst);
    while (count < waiting && (frames[count] = frame_of(caller, calls_.turn(caller, count))) != nullptr) ++count;
    if (count == 0) return false;
    const std::uint16_t taken = sides_[caller].port->send(0, {frames.data(), count});
    rte_pktmbuf_free_bulk(frames.data() + taken, static_cast<unsigned>(count) - taken);
    for (std::size_t i = 0; i < taken; ++i) note_sent(caller, now_ns);
    return taken != 0;
  }

  // Takes what came out at a side.
  bool receive(bool at_caller) {
    std::array<rte_mbuf*, kBurst> frames;
    const std::uint16_t count = sides_[at_caller].port->receive(0, frames);
    if (count == 0) return false;
    const std::uint64_t now_ns = monotonic_ns();
    for (std::uint16_t i = 0; i < count; ++i) {
      wire::copy_out(*frames[i], frame_);
      note_arrival(at_caller, now_ns);
    }
    rte_pktmbuf_free_bulk(frames.data(), count);
    return true;
  }

  [[nodiscard]] bool all_over() const noexcept { return calls_.active() == 0; }

 private:
  struct Side {
    io::Port* port = nullptr;
    Octets header;  // Ethernet's
  };

  rte_mbuf* frame_of(bool caller, Calls::Turn turn) noexcept {
    const OctetView packet = calls_.packet_of(turn);
    rte_mbuf* const frame = wire::copy_in(pool_, sides_[caller].header);
    if (frame != nullptr)
      std::memcpy(rte_pktmbuf_append(frame, static_cast<std::uint16_t>(packet.size())), packet.data(), packet.size());
    return frame;
  }

  void note_sent(bool caller, std::uint64_t now_ns) {
    const Calls::Turn turn = calls_.note_sent(caller, now_ns);
    const bool counts = turn.call >= warmup_;
    if (counts) {
      report_.messages[caller].sent += 1;
      report_.messages[caller].octets_sent += kUdpIpv4Header + job_.messages[turn.message].payload.size();
    }
    if (turn.message != 0) return;
    if (!counts) {
      ++report_.warmup_began;
      return;
    }
    if (report_.began++ == 0) report_.first_began_ns = now_ns;
    report_.last_began_ns = now_ns;
  }

  void note_arrival(bool at_caller, std::uint64_t now_ns) {
    Counts& counts = report_.messages[!at_caller];
    const auto payload = unwrap(LinkType::ethernet, frame_);
    const auto packet = payload ? trim_ip(payload->octets) : std::nullopt;
    if (!packet || payload->ether_type != kEtherTypeIpv4) {
      ++counts.others;
      return;
    }
    const Calls::Arrival arrival = calls_.note_arrival(at_caller, *packet, now_ns);
    if (arrival.kind == Calls::Kind::unexpected) {
      ++counts.unexpected;
      if (counts.unexpected_list.size() < kMostUnexpected)
        counts.unexpected_list.emplace_back(packet->begin(), packet->end());
      return;
    }
    if (arrival.turn.call < warmup_) {
      report_.warmup_completed += arrival.completes;
      return;
    }
    if (arrival.kind == Calls::Kind::duplicate) {
      ++counts.duplicated;
      return;
    }
    ++counts.received;
    report_.latency[!at_caller].record(now_ns - std::min(now_ns, arrival.sent_ns));
    if (!arrival.completes) return;
    ++report_.completed;
    report_.took.record(now_ns - std::min(now_ns, arrival.began_ns));
  }

  const CallJob& job_;
  rte_mempool* pool_;
  Report& report_;
  std::uint64_t warmup_, total_;
  Calls calls_;
  std::array<Side, 2> sides_;
  Octets frame_;
};

// The loop: calls that are due begin, what may be sent is sent, what has arrived is noted, until all calls are over or
// the time limit for stragglers expires.
void converse(const CallJob& job, CallEnds& call_ends, io::BusyShare& busy, io::Published<Report>& published,
              const Report& report, const std::atomic<bool>& stop) {
  const io::WorkerThread thread(job.ends.core, "/core");
  const io::BusyShare::OfThisThread counted(busy);
  std::uint64_t pauses_ns = 0;
  for (const Message& message : job.messages) pauses_ns += message.pause_ns;
  const auto beginning_ns = static_cast<std::uint64_t>((job.warmup_s + job.duration_s) * 1e9) + kSlackNs;
  const std::uint64_t drain_ns = static_cast<std::uint64_t>(job.drain_s * 1e9) + pauses_ns;
  const std::uint64_t began_ns = monotonic_ns();
  std::uint64_t last_ns = 0;  // when the last call began
  while (!stop.load(std::memory_order_relaxed)) {
    const std::uint64_t now_ns = monotonic_ns();
    if (last_ns == 0 && (call_ends.begin(began_ns, now_ns) || now_ns - began_ns > beginning_ns)) last_ns = now_ns;
    bool worked = false;
    for (const bool caller : {true, false}) {
      worked |= call_ends.send(caller, now_ns);
      worked |= call_ends.receive(caller);
    }
    if (last_ns != 0 && (call_ends.all_over() || now_ns - last_ns >= drain_ns)) break;
    busy.round(worked);
    published.offer([&] { return report; });
  }
  published.tell(report);
}

Json json_of(const Counts& counts, const Histogram& latency) {
  Json unexpected = Json::array();
  for (const Octets& octets : counts.unexpected_list) unexpected.push_back(to_hex(octets));
  return {{"sent", counts.sent},
          {"octets_sent", counts.octets_sent},
          {"received", counts.received},
          {"lost", counts.sent - counts.received},
          {"duplicated", counts.duplicated},
          {"unexpected", counts.unexpected},
          {"others", counts.others},
          {"latency_ns", headroom::json_of(latency, 1.0)},
          {"unexpected_list", std::move(unexpected)}};
}

Json json_of(const Report& report, const CallJob& job) {
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  // n calls are n - 1 intervals; what never began was not achieved.
  const double seconds = number(report.last_began_ns - report.first_began_ns) / 1e9;
  const double wanted = number(job.calls() - job.warmup_calls());
  const Json achieved =
      report.began > 1 && seconds > 0
          ? Json(std::min(number(report.began - 1) / seconds, job.calls_per_s * number(report.began) / wanted))
          : Json(nullptr);
  const bool behind = number(report.began) < kKeepsUp * wanted ||
                      (report.began > 1 && (achieved.is_null() || achieved.get<double>() < kKeepsUp * job.calls_per_s));
  return {{"requested_cps", job.calls_per_s},
          {"achieved_cps", achieved},
          {"fell_behind", behind},
          {"began", report.began},
          {"completed", report.completed},
          {"failed", report.began - report.completed},
          {"most_at_once", report.most_at_once},
          {"warmup", {{"began", report.warmup_began}, {"completed", report.warmup_completed}}},
          {"took_ns", headroom::json_of(report.took, 1.0)}};
}

}  // namespace

Json run_call(const CallJob& job, wire::Ends& ends) {
  Report report;
  CallEnds call_ends(job, ends, report);
  ends.begin(job.ends);

  io::BusyShare busy(job.ends.wire.idle);
  io::Published<Report> published;
  const auto result = [&](const Report& told) -> Json {
    return {{"engine", engine_identity()},
            {"command", "call"},
            {"core", job.ends.core},
            {"busy_share", busy.share()},
            {"cpu_ns", busy.cpu_ns()},
            {"calls", json_of(told, job)},
            {"forward", json_of(told.messages[kCallerSide], told.latency[kCallerSide])},
            {"reverse", json_of(told.messages[kCalledSide], told.latency[kCalledSide])},
            {"ports", ends.statistics()}};
  };

  const io::EndReason reason = ends.supervise(
      job.ends.wire, [&] { return result(published.ask()); },
      [&](const std::atomic<bool>& stop) { converse(job, call_ends, busy, published, report, stop); });
  Json json = result(published.last());
  json["complete"] = reason == io::EndReason::finished;
  return json;
}

}  // namespace headroom::sigcomp::ports
