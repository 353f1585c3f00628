// SPDX-License-Identifier: Apache-2.0
#include "wire/generate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "base/cycles.h"
#include "base/hex.h"
#include "base/histogram.h"
#include "base/identity.h"
#include "base/random.h"
#include "capture/frame.h"
#include "capture/writer.h"
#include "io/busy.h"
#include "io/published.h"
#include "traffic/render.h"
#include "wire/expected.h"
#include "wire/frames.h"

namespace headroom::wire {
namespace {

constexpr std::size_t kBurst = 32;
constexpr std::size_t kMostUnexpected = 16;        // that are kept with their octets; all are counted
constexpr std::uint16_t kEtherTypeLocal = 0x88B5;  // IEEE 802, local experiments: packets that are not IP
// A generator that sends less than this share of what it was asked for has fallen behind: what it measured is about
// itself.
constexpr double kKeepsUp = 0.995;
constexpr std::uint64_t kSlackNs = 100'000'000;  // for the last burst, beyond the time of sending

struct Counts {
  std::uint64_t sent = 0, octets_sent = 0;  // after the warm-up
  std::uint64_t received = 0, duplicated = 0, reordered = 0;
  std::uint64_t unexpected = 0;  // octets that were not sent: damaged or foreign packets
  std::uint64_t others = 0;      // frames that carry neither IP nor what was sent
  std::uint64_t warmup_sent = 0, warmup_received = 0;
  std::uint64_t first_sent_ns = 0, last_sent_ns = 0;
  std::uint64_t latency_sum_ns = 0, latency_steps_ns = 0, last_latency_ns = 0;
  std::vector<Octets> unexpected_list;
};

struct Report {
  std::array<Counts, 2> counts;
  std::array<Histogram, 2> latency;
};

// The hash by which an arriving packet is known. In tunnels that packets enter on their way, it is that of the user's
// packet and of the tunnel's endpoint: what else stands in front is the affair of those who put it there.
std::uint64_t hash_of_arrival(const traffic::TunnelPath& path, OctetView packet, bool reverse) noexcept {
  const auto user = path.enters_tunnels(reverse) ? path.format->user_packet(packet) : std::nullopt;
  if (!user) return hash_of(packet);
  return hash_of(user->octets) ^ mix64(std::uint64_t{load32(&packet[user->endpoint_at])} + 1);
}

// Makes packets what is sent in a direction; returns the hashes of what is to arrive.
std::vector<std::uint64_t> prepare(const traffic::TunnelPath& path, bool reverse, std::vector<SourcePacket>& packets) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(packets.size());
  for (SourcePacket& packet : packets) {
    hashes.push_back(hash_of_arrival(path, path.arrived(packet.octets, reverse), reverse));
    path.make_sent(packet.octets, reverse);
  }
  return hashes;
}

// One direction: its packets, and what has become of them.
class Direction {
 public:
  Direction(const GenerateJob& job, bool reverse, rte_mempool* pool)
      : job_(job),
        pool_(pool),
        warmup_(job.warmup_packets()),
        packets_(
            traffic::render(job.profile, {job.flows, job.packets(), std::nullopt}, job.seed, {.reverse = reverse})),
        reverse_(reverse),
        expected_(prepare(job.path, reverse, packets_)),
        last_of_flow_(job.flows, 0) {
    if (packets_.empty()) throw Error(ErrorKind::job, "the profile makes no packets.", "/profile");
    std::size_t longest = 0;
    for (const SourcePacket& packet : packets_) longest = std::max(longest, packet.octets.size());
    if (longest > job.ends.mtu) {
      throw Error(ErrorKind::job,
                  "the profile makes packets of " + std::to_string(longest) + " octets, the MTU is " +
                      std::to_string(job.ends.mtu) + ".",
                  "/mtu");
    }
    header_ = ethernet_frame(reverse ? kMacA : kMacB, reverse ? kMacB : kMacA, 0, {});
    if (job.vlan) {
      const std::array<std::uint8_t, 4> tag = {0x81, 0x00, static_cast<std::uint8_t>(*job.vlan >> 8),
                                               static_cast<std::uint8_t>(*job.vlan & 0xFF)};
      header_.insert(header_.end() - 2, tag.begin(), tag.end());
    }
  }

  [[nodiscard]] bool all_sent() const noexcept { return next_ == packets_.size(); }

  // Sends what is due at `now_ns`, a burst at most. Returns whether anything was.
  bool send(io::Port& port, std::uint64_t began_ns, std::uint64_t now_ns) {
    const double due = static_cast<double>(now_ns - began_ns) * job_.rate_pps / 1e9;
    const auto until = std::min<std::size_t>(packets_.size(), static_cast<std::size_t>(due) + 1);
    std::array<rte_mbuf*, kBurst> frames;
    std::size_t count = 0;
    while (count < kBurst && next_ + count < until) {
      rte_mbuf* const frame = frame_of(packets_[next_ + count].octets);
      if (frame == nullptr) break;
      frames[count++] = frame;
    }
    if (count == 0) return false;
    const std::uint16_t taken = port.send(0, {frames.data(), count});
    rte_pktmbuf_free_bulk(frames.data() + taken, static_cast<unsigned>(count) - taken);
    for (std::size_t i = 0; i < taken; ++i) note_sent(next_ + i, now_ns);
    next_ += taken;
    return taken != 0;
  }

  // Takes what came out at the far end.
  bool receive(io::Port& port, Histogram& latency) {
    std::array<rte_mbuf*, kBurst> frames;
    const std::uint16_t count = port.receive(0, frames);
    if (count == 0) return false;
    const std::uint64_t now_ns = monotonic_ns();
    for (std::uint16_t i = 0; i < count; ++i) {
      copy_out(*frames[i], frame_);
      note_arrival(frame_, now_ns, latency);
    }
    rte_pktmbuf_free_bulk(frames.data(), count);
    return true;
  }

  [[nodiscard]] const Counts& counts() const noexcept { return counts_; }
  [[nodiscard]] std::uint64_t packets_to_count() const noexcept {
    return packets_.size() - std::min<std::size_t>(warmup_, packets_.size());
  }

 private:
  rte_mbuf* frame_of(OctetView octets) noexcept {
    rte_mbuf* const frame = copy_in(pool_, header_);
    if (frame == nullptr) return nullptr;
    const unsigned version = octets.empty() ? 0 : octets[0] >> 4;
    const std::uint16_t type = version == 4 ? kEtherTypeIpv4 : version == 6 ? kEtherTypeIpv6 : kEtherTypeLocal;
    auto* const end = rte_pktmbuf_mtod_offset(frame, std::uint8_t*, header_.size());
    end[-2] = static_cast<std::uint8_t>(type >> 8);
    end[-1] = static_cast<std::uint8_t>(type & 0xFF);
    std::memcpy(rte_pktmbuf_append(frame, static_cast<std::uint16_t>(octets.size())), octets.data(), octets.size());
    return frame;
  }

  void note_sent(std::size_t index, std::uint64_t now_ns) noexcept {
    expected_.note_sent(index, now_ns);
    if (index < warmup_) {
      ++counts_.warmup_sent;
      return;
    }
    if (counts_.sent == 0) counts_.first_sent_ns = now_ns;
    counts_.last_sent_ns = now_ns;
    ++counts_.sent;
    counts_.octets_sent += packets_[index].octets.size();
  }

  void note_arrival(OctetView frame, std::uint64_t now_ns, Histogram& latency) {
    const std::optional<FramePayload> payload = unwrap(LinkType::ethernet, frame);
    if (!payload) {
      ++counts_.others;
      return;
    }
    const bool local = payload->ether_type == kEtherTypeLocal;
    const std::optional<OctetView> packet = local ? payload->octets : trim_ip(payload->octets);
    if (!packet || (!local && payload->ether_type != kEtherTypeIpv4 && payload->ether_type != kEtherTypeIpv6)) {
      ++counts_.others;
      return;
    }
    const Expected::Arrival arrival = expected_.note_arrival(hash_of_arrival(job_.path, *packet, reverse_));
    if (arrival.kind == Expected::Kind::unexpected) {
      ++counts_.unexpected;
      if (counts_.unexpected_list.size() < kMostUnexpected)
        counts_.unexpected_list.emplace_back(packet->begin(), packet->end());
    } else if (arrival.index < warmup_) {
      counts_.warmup_received += arrival.kind == Expected::Kind::arrived;
    } else if (arrival.kind == Expected::Kind::duplicate) {
      ++counts_.duplicated;
    } else {
      count_arrival(arrival, now_ns, latency);
    }
  }

  void count_arrival(const Expected::Arrival& arrival, std::uint64_t now_ns, Histogram& latency) {
    const std::uint64_t took_ns = now_ns > arrival.sent_ns ? now_ns - arrival.sent_ns : 0;
    latency.record(took_ns);
    counts_.latency_sum_ns += took_ns;
    if (counts_.received != 0)
      counts_.latency_steps_ns +=
          took_ns > counts_.last_latency_ns ? took_ns - counts_.last_latency_ns : counts_.last_latency_ns - took_ns;
    counts_.last_latency_ns = took_ns;
    ++counts_.received;
    std::uint64_t& last = last_of_flow_[packets_[arrival.index].flow];
    if (arrival.index < last)
      ++counts_.reordered;
    else
      last = arrival.index;
  }

  const GenerateJob& job_;
  rte_mempool* pool_;
  std::uint64_t warmup_;
  std::vector<SourcePacket> packets_;
  bool reverse_;
  Expected expected_;
  std::vector<std::uint64_t> last_of_flow_;  // highest number of a packet that has arrived
  Octets header_;                            // Ethernet's; the type is filled in for each packet
  Octets frame_;
  std::size_t next_ = 0;
  Counts counts_;
};

Json json_of(const Counts& counts, const Histogram& latency, const GenerateJob& job) {
  const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
  // n packets are n - 1 intervals.
  const double seconds = number(counts.last_sent_ns - counts.first_sent_ns) / 1e9;
  const Json achieved = counts.sent > 1 && seconds > 0 ? Json(number(counts.sent - 1) / seconds) : Json(nullptr);
  Json delay = headroom::json_of(latency, 1.0);
  if (!delay.is_null()) {
    delay["average"] = number(counts.latency_sum_ns) / number(counts.received);
    delay["jitter"] = counts.received > 1 ? number(counts.latency_steps_ns) / number(counts.received - 1) : 0.0;
  }
  Json unexpected = Json::array();
  for (const Octets& octets : counts.unexpected_list) unexpected.push_back(to_hex(octets));
  return {{"requested_pps", job.rate_pps},
          {"achieved_pps", achieved},
          {"fell_behind", achieved.is_null() || achieved.get<double>() < kKeepsUp * job.rate_pps},
          {"sent", counts.sent},
          {"octets_sent", counts.octets_sent},
          {"received", counts.received},
          {"lost", counts.sent - counts.received},
          {"duplicated", counts.duplicated},
          {"reordered", counts.reordered},
          {"unexpected", counts.unexpected},
          {"others", counts.others},
          {"warmup", {{"sent", counts.warmup_sent}, {"received", counts.warmup_received}}},
          {"latency_ns", std::move(delay)},
          {"unexpected_list", std::move(unexpected)}};
}

// The loop: what is due is sent, what has arrived is counted, until all is sent and the drain is over.
void exchange(const GenerateJob& job, Ends& ends, std::vector<Direction>& directions, io::BusyShare& busy,
              io::Published<Report>& published, const std::atomic<bool>& stop) {
  const io::WorkerThread thread(job.ends.core, "/core");
  const io::BusyShare::OfThisThread counted(busy);
  Report report;
  const auto current = [&] {
    for (std::size_t i = 0; i < directions.size(); ++i) report.counts[i] = directions[i].counts();
    return report;
  };
  // Sending ends when its time is over, too: a generator that has fallen behind says so and does not go on for ever.
  const auto sending_ns = static_cast<std::uint64_t>((job.warmup_s + job.duration_s) * 1e9);
  const auto drain_ns = static_cast<std::uint64_t>(job.drain_s * 1e9);
  const std::uint64_t began_ns = monotonic_ns();
  std::uint64_t sent_ns = 0;  // when the last packet was sent
  while (!stop.load(std::memory_order_relaxed)) {
    const std::uint64_t now_ns = monotonic_ns();
    bool worked = false, all_sent = true;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      if (sent_ns == 0) worked |= directions[i].send(ends.port(i), began_ns, now_ns);
      all_sent &= directions[i].all_sent();
      worked |= directions[i].receive(ends.port(1 - i), report.latency[i]);
    }
    if (sent_ns == 0 && (all_sent || now_ns - began_ns > sending_ns + kSlackNs)) sent_ns = now_ns;
    if (sent_ns != 0 && now_ns - sent_ns >= drain_ns) break;
    busy.round(worked);
    published.offer(current);
  }
  published.tell(current());
}

}  // namespace

Json run_generate(const GenerateJob& job, Ends& ends) {
  std::vector<Direction> directions;
  directions.reserve(2);
  for (const bool reverse : {false, true}) {
    if (!reverse || job.both) directions.emplace_back(job, reverse, ends.pool());
  }
  ends.begin(job.ends);

  io::BusyShare busy(job.ends.wire.idle);
  io::Published<Report> published;
  const auto result = [&](const Report& report) -> Json {
    Json json = {{"engine", engine_identity()}, {"command", "generate"},  {"profile", job.profile.name},
                 {"flows", job.flows},          {"seed", job.seed},       {"core", job.ends.core},
                 {"busy_share", busy.share()},  {"cpu_ns", busy.cpu_ns()}};
    json["forward"] = json_of(report.counts[0], report.latency[0], job);
    if (job.both) json["reverse"] = json_of(report.counts[1], report.latency[1], job);
    json["ports"] = ends.statistics();
    return json;
  };

  const io::EndReason reason = ends.supervise(
      job.ends.wire, [&] { return result(published.ask()); },
      [&](const std::atomic<bool>& stop) { exchange(job, ends, directions, busy, published, stop); });
  Json json = result(published.last());
  json["complete"] = reason == io::EndReason::finished;
  return json;
}

}  // namespace headroom::wire
