// SPDX-License-Identifier: Apache-2.0
#include "wire/link.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "base/cycles.h"
#include "base/histogram.h"
#include "base/identity.h"
#include "base/process.h"
#include "capture/writer.h"
#include "io/busy.h"
#include "io/eal.h"
#include "io/port.h"
#include "io/published.h"
#include "io/rights.h"
#include "io/supervisor.h"
#include "link/link.h"
#include "link/report.h"
#include "wire/frames.h"

namespace headroom::wire {
namespace {

constexpr std::size_t kBurst = 32;
constexpr unsigned kPoolFrames = 16'383;
constexpr std::size_t kOffers = 16;  // how often a port that takes nothing is offered a frame before it is lost

// What has passed, as files keep it. Written by the link's own thread: a capture costs time, and is limited.
class LinkCapture {
 public:
  explicit LinkCapture(const LinkJob& job) : left_(job.capture_most) {
    if (job.capture.empty()) return;
    file_.emplace(job.capture);
    file_->add_interface(LinkType::ethernet, "forward");
    file_->add_interface(LinkType::ethernet, "reverse");
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    to_realtime_ns_ = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
                      static_cast<std::uint64_t>(now.tv_nsec) - monotonic_ns();
  }

  [[nodiscard]] bool wants_more() const noexcept { return file_ && left_ != 0; }
  void write(bool reverse, std::uint64_t now_ns, OctetView frame, const LinkOutcome& outcome) {
    --left_;
    file_->write(reverse, now_ns + to_realtime_ns_, frame, comment_of(outcome));
  }
  void close() {
    if (file_) file_->close();
  }

 private:
  std::optional<PcapngWriter> file_;
  std::uint64_t left_;
  std::uint64_t to_realtime_ns_ = 0;
};

struct DirectionReport {
  LinkCounts counts;
  std::uint64_t sent = 0, send_queue_full = 0;  // frames that the port took, and that it did not
  std::uint64_t waiting = 0;                    // frames that are on their way
};

struct Report {
  std::array<DirectionReport, 2> directions;
  Histogram late;  // ns from the moment a frame was due until it was handed to the port
};

// One direction: frames of `from` into the link, those that are due out of it to `to`. Buffers of octets go round, so
// that after the first moments nothing is allocated.
class Direction {
 public:
  Direction(io::Port& from, io::Port& to, const Impairment& impairment, std::uint64_t seed, rte_mempool* pool,
            bool reverse)
      : from_(from), to_(to), link_(impairment, seed), pool_(pool), reverse_(reverse) {}

  bool take_in(std::uint64_t now_ns, LinkCapture& capture) {
    std::array<rte_mbuf*, kBurst> frames;
    const std::uint16_t count = from_.receive(0, frames);
    for (std::uint16_t i = 0; i < count; ++i) {
      for (Delivery& inserted : link_.insertions(now_ns)) await(std::move(inserted));
      LinkPacket packet;
      packet.octets = spare_octets();
      copy_out(*frames[i], packet.octets);
      packet.spared_length = static_cast<std::uint32_t>(frame_header(packet.octets));
      packet.header_length = static_cast<std::uint32_t>(packet.octets.size()) - packet.spared_length;
      if (capture.wants_more()) [[unlikely]]
        captured_ = packet.octets;
      const LinkOutcome outcome = link_.send(std::move(packet), now_ns, arrivals_);
      if (capture.wants_more()) [[unlikely]]
        capture.write(reverse_, now_ns, captured_, outcome);
      for (Delivery& arrival : arrivals_) await(std::move(arrival));
      arrivals_.clear();
    }
    rte_pktmbuf_free_bulk(frames.data(), count);
    return count != 0;
  }

  bool let_out(std::uint64_t now_ns, Histogram& late) {
    std::array<rte_mbuf*, kBurst> frames;
    std::size_t count = 0;
    while (count < kBurst && !waiting_.empty() && waiting_.front().delivery.time_ns <= now_ns) {
      std::pop_heap(waiting_.begin(), waiting_.end(), Later{});
      Delivery due = std::move(waiting_.back().delivery);
      waiting_.pop_back();
      late.record(now_ns - due.time_ns);
      frames[count] = copy_in(pool_, due.packet.octets);
      count += frames[count] != nullptr;
      spare_.push_back(std::move(due.packet.octets));
    }
    send({frames.data(), count});
    return count != 0;
  }

  [[nodiscard]] DirectionReport report() const { return {link_.counts(), sent_, send_queue_full_, waiting_.size()}; }

 private:
  // Frames that are due at the same moment leave in the order in which they came.
  struct Waiting {
    Delivery delivery;
    std::uint64_t number;
  };
  struct Later {
    bool operator()(const Waiting& a, const Waiting& b) const noexcept {
      return a.delivery.time_ns != b.delivery.time_ns ? a.delivery.time_ns > b.delivery.time_ns : a.number > b.number;
    }
  };

  Octets spare_octets() {
    if (spare_.empty()) return {};
    Octets octets = std::move(spare_.back());
    spare_.pop_back();
    return octets;
  }

  void await(Delivery&& delivery) {
    if (delivery.error) return;  // on a wire the receiver's interface notices it and nothing else does
    waiting_.push_back({std::move(delivery), number_++});
    std::push_heap(waiting_.begin(), waiting_.end(), Later{});
  }

  void send(std::span<rte_mbuf*> frames) {
    for (std::size_t offers = 0; !frames.empty() && offers < kOffers; ++offers) {
      const std::uint16_t taken = to_.send(0, frames);
      sent_ += taken;
      frames = frames.subspan(taken);
    }
    send_queue_full_ += frames.size();
    rte_pktmbuf_free_bulk(frames.data(), static_cast<unsigned>(frames.size()));
  }

  io::Port& from_;
  io::Port& to_;
  Link link_;
  rte_mempool* pool_;
  bool reverse_;
  std::vector<Delivery> arrivals_;
  std::vector<Waiting> waiting_;  // a heap, the frame that is due first in front
  std::vector<Octets> spare_;
  Octets captured_;
  std::uint64_t number_ = 0, sent_ = 0, send_queue_full_ = 0;
};

Json json_of(const DirectionReport& report, std::uint64_t duration_ns) {
  Json json = headroom::json_of(report.counts, duration_ns);
  json["sent"] = report.sent;
  json["send_queue_full"] = report.send_queue_full;
  json["waiting"] = report.waiting;
  return json;
}

}  // namespace

LinkJob read_link_job(const Json& document) {
  Object object(Value(document, ""));
  LinkJob job;
  job.wire = io::read_wire_job(object);
  job.a = io::read_port(object.required("a"));
  job.b = io::read_port(object.required("b"));
  for (const auto& [key, impairment] : {std::pair{"forward", &job.forward}, std::pair{"reverse", &job.reverse}}) {
    const auto value = object.optional(key);
    if (!value) continue;
    Object direction(*value);
    *impairment = read_impairment(direction);
    direction.finish();
  }
  job.seed = object.integer("seed", 0, ~std::uint64_t{0}, 0);
  job.core = static_cast<unsigned>(object.integer("core", 0, 4095, current_core()));
  job.mtu = static_cast<std::uint32_t>(object.integer("mtu", io::kSmallestMtu, io::kLargestMtu, job.mtu));
  if (const auto capture = object.optional("capture"); capture && !capture->is_null()) job.capture = capture->text();
  job.capture_most = object.integer("capture_most", 1, std::uint64_t{1} << 32, job.capture_most);
  object.finish();
  return job;
}

Json run_link(const LinkJob& job) {
  const io::StopSignals signals;
  LinkCapture capture(job);
  const std::array ports = {job.a, job.b};
  const io::Eal eal(job.wire, ports, 1, job.mtu, job.core);
  rte_mempool* const pool = eal.make_pool("frames", kPoolFrames, job.mtu);
  io::Port a(eal, ports[0], 0, 1, job.mtu, pool), b(eal, ports[1], 1, 1, job.mtu, pool);
  io::give_up_rights(ports);

  io::Published<Report> published;
  io::BusyShare busy(job.wire.idle);
  const std::uint64_t began_ns = monotonic_ns();
  const auto result = [&](const Report& report) -> Json {
    const std::uint64_t duration_ns = monotonic_ns() - began_ns;
    return {{"engine", engine_identity()},
            {"command", "link"},
            {"uptime_ns", duration_ns},
            {"seed", job.seed},
            {"core", job.core},
            {"busy_share", busy.share()},
            {"cpu_ns", busy.cpu_ns()},
            {"forward", json_of(report.directions[0], duration_ns)},
            {"reverse", json_of(report.directions[1], duration_ns)},
            {"late_ns", headroom::json_of(report.late, 1.0)},
            {"ports", {{"a", a.statistics()}, {"b", b.statistics()}}}};
  };

  const auto loop = [&](const std::atomic<bool>& stop) {
    const io::WorkerThread thread(job.core, "/core");
    const io::BusyShare::OfThisThread counted(busy);
    // Each direction has a stream of its own below the seed.
    Direction forward(a, b, job.forward, derive(job.seed, 0), pool, false);
    Direction reverse(b, a, job.reverse, derive(job.seed, 1), pool, true);
    Report report;
    const auto current = [&] {
      report.directions = {forward.report(), reverse.report()};
      return report;
    };
    while (!stop.load(std::memory_order_relaxed)) {
      const std::uint64_t now_ns = monotonic_ns();
      bool worked = forward.take_in(now_ns, capture);
      worked |= reverse.take_in(now_ns, capture);
      worked |= forward.let_out(now_ns, report.late);
      worked |= reverse.let_out(now_ns, report.late);
      busy.round(worked);
      published.offer(current);
    }
    published.tell(current());
  };
  io::supervise_loop(
      job.wire, signals, std::array<const io::Port*, 2>{&a, &b}, [&] { return result(published.ask()); }, loop);
  capture.close();
  return result(published.last());
}

}  // namespace headroom::wire
