// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/load/trial.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <exception>
#include <thread>

#include "base/no_processes.h"
#include "base/process.h"

namespace headroom::gtpu::load {

bool on_threads(std::size_t threads) noexcept { return threads <= std::max(1u, std::thread::hardware_concurrency()); }

namespace {

constexpr std::uint64_t kBurstNs = 3'200;  // by which the adapter's clock advances with each burst

constexpr std::uint32_t kGtpu = 8;  // octets of its header without optional fields
constexpr std::uint32_t kSourceAt = 12, kDestinationAt = 16;
constexpr std::uint8_t kGPdu = 255;

// The floor: what remains of the loop without an adapter.
void forward_nothing(headroom_instance*, headroom_user_packet* packets, std::size_t count, std::uint64_t) {
  for (std::size_t i = 0; i < count; ++i) packets[i].status = HEADROOM_OK;
}
std::size_t take_nothing(headroom_instance*, headroom_user_packet*, std::size_t, std::uint64_t) { return 0; }

const Cycles& counter() {
  static const Cycles cycles;
  return cycles;
}

std::uint64_t reading_cost() {
  static const auto cost = static_cast<std::uint64_t>(counter().cost_of_reading());
  return cost;
}

// Runs `work(index)` for each index: on a thread each, all at once, where there are as many cores; else in turn, so
// that none is interrupted by another. `work` throws nothing. Adds the processor time of these threads to `times`, or
// throws Error(job) if one cannot be pinned.
template <typename Work>
void run_all(std::size_t count, const std::vector<unsigned>& cpus, TrialTimes& times, Work&& work) {
  if (!on_threads(count)) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::uint64_t> cpu_ns = 0;
  std::barrier start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::exception_ptr> thrown(count);
  std::atomic<bool> failed = false;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        if (!cpus.empty()) {
          pin_to_core(cpus[i], "/cpus/" + std::to_string(i));
          stay_on_core();
        }
      } catch (...) {
        thrown[i] = std::current_exception();
        failed = true;
      }
      start.arrive_and_wait();
      if (!failed) work(i);
      cpu_ns += thread_cpu_ns();
    });
  }
  const std::uint64_t began = thread_cpu_ns();
  for (std::thread& thread : threads) thread.join();
  times.waiting_ns += thread_cpu_ns() - began;
  times.threads_ns += cpu_ns;
  for (const std::exception_ptr& each : thrown) {
    if (each) std::rethrow_exception(each);
  }
}

bool lies_in_buffer(const headroom_user_packet& given, const headroom_user_packet& packet) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(given.octets) - given.room_before;
  const auto end = reinterpret_cast<std::uintptr_t>(given.octets) + given.length + given.room_behind;
  const auto at = reinterpret_cast<std::uintptr_t>(packet.octets);
  return at >= first && at <= end && packet.length <= end - at;
}

bool is_ipv4(const std::uint8_t* at, std::uint32_t length) noexcept {
  return length >= kIpv4 && at[0] == 0x45 && load16(at + 2) == length;
}

// True if the user's packet, and nothing else, goes to the data network.
bool is_decapsulated(const headroom_user_packet& given, const headroom_user_packet& packet,
                     const SessionRange& range) noexcept {
  return packet.side == HEADROOM_N6 && packet.length + kEncapsulation == given.length &&
         lies_in_buffer(given, packet) && is_ipv4(packet.octets, packet.length) &&
         load32(packet.octets + kSourceAt) - range.user < range.count;
}

// True if the user's packet goes through the user's tunnel. Extension headers are the adapter's choice.
bool is_encapsulated(const headroom_user_packet& given, const headroom_user_packet& packet, const SessionRange& range,
                     std::uint32_t n3) noexcept {
  if (packet.side != HEADROOM_N3 || packet.length < given.length + kIpv4 + kUdp + kGtpu ||
      !lies_in_buffer(given, packet) || !is_ipv4(packet.octets, packet.length))
    return false;
  const std::uint8_t* const outer = packet.octets;
  const std::uint8_t* const udp = outer + kIpv4;
  const std::uint8_t* const gtpu = udp + kUdp;
  const std::uint8_t* const inner = outer + (packet.length - given.length);
  if (!is_ipv4(inner, given.length)) return false;
  const std::uint32_t session = load32(inner + kDestinationAt) - range.user;
  return session < range.count && outer[9] == kProtocolUdp && load32(outer + kSourceAt) == n3 &&
         load32(outer + kDestinationAt) == range.access + session && load16(udp + 2) == kGtpuPort && gtpu[1] == kGPdu &&
         load16(gtpu + 2) + kIpv4 + kUdp + kGtpu == packet.length && load32(gtpu + 4) == range.access_teid + session;
}

// So that no thread allocates.
void reserve_blocks(TrialMeasurement& measured, std::uint64_t blocks) {
  constexpr std::uint64_t kMostBlocks = 1 << 20;
  for (WorkerMeasurement& worker : measured.workers) {
    worker.uplink_blocks.reserve(static_cast<std::size_t>(std::min(blocks, kMostBlocks)));
    worker.downlink_blocks.reserve(static_cast<std::size_t>(std::min(blocks, kMostBlocks)));
  }
}

}  // namespace

void Outcomes::count(const headroom_user_packet& given, const headroom_user_packet& packet, const SessionRange& range,
                     std::uint32_t n3) noexcept {
  ++packets;
  statuses.add(packet.status);
  if (packet.status == HEADROOM_OK) {
    ++sent;
    wrong +=
        given.side == HEADROOM_N3 ? !is_decapsulated(given, packet, range) : !is_encapsulated(given, packet, range, n3);
  } else if (packet.status == HEADROOM_NOTHING) {
    ++reasons[std::min<std::size_t>(packet.reason, reasons.size() - 1)];
  }
}

void WorkerMeasurement::add(bool uplink_side, std::uint64_t packets, std::uint64_t cycles) {
  if (packets == 0) return;
  (uplink_side ? uplink : downlink) += packets;
  (uplink_side ? uplink_cycles : downlink_cycles) += cycles;
  std::vector<std::uint64_t>& blocks = uplink_side ? uplink_blocks : downlink_blocks;
  if (blocks.size() < blocks.capacity()) blocks.push_back(cycles * headroom::load::kPerPacketScale / packets);
}

double TrialMeasurement::cpu_ns(bool uplink_side) const noexcept {
  std::uint64_t cpu = 0, packets = 0, all = 0;
  for (const WorkerMeasurement& worker : workers) {
    cpu += uplink_side ? worker.uplink_cpu_ns : worker.downlink_cpu_ns;
    packets += uplink_side ? worker.uplink : worker.downlink;
    all += worker.packets();
  }
  if (cpu == 0 || packets == 0) return 0;
  return static_cast<double>(cpu) / static_cast<double>(packets) +
         static_cast<double>(reports_cpu_ns) / static_cast<double>(all);
}

Json Outcomes::reasons_json() const {
  Json json = Json::object();
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (reasons[i] != 0)
      json[i + 1 < reasons.size() ? name_of_reason(static_cast<std::uint16_t>(i)) : "unknown"] = reasons[i];
  }
  return json;
}

// ------------------------------------------------------------------------------------------------------- lanes

void LoadedPlane::Lane::take_all(Outcomes& outcomes) {
  headroom_user_packet record = {};
  do {
    record.octets = room.data();
    record.length = static_cast<std::uint32_t>(room.size());
    outcomes.taken += 1;
  } while (take(worker, &record, 1, now_ns) != 0);
  outcomes.taken -= 1;
}

inline void LoadedPlane::Lane::forward_burst(headroom_user_packet* records, std::size_t count, Outcomes& outcomes) {
  forward_in_adapter(forward, worker, records, count, now_ns);
  std::uint32_t more = 0;
  for (std::size_t i = 0; i < count; ++i) more |= records[i].more;
  if (more != 0) [[unlikely]]
    take_all(outcomes);
  now_ns += kBurstNs;
}

// Forwards all records in bursts; returns the cycles.
std::uint64_t LoadedPlane::Lane::run(std::vector<headroom_user_packet>& records, const Cycles& cycles,
                                     Outcomes& outcomes) {
  if (records.empty()) return 0;
  const std::uint64_t start = cycles.now();
  for (std::size_t begin = 0; begin < records.size(); begin += kBurst)
    forward_burst(records.data() + begin, std::min(kBurst, records.size() - begin), outcomes);
  const std::uint64_t spent = cycles.now() - start;
  return spent - std::min(spent, reading_cost());
}

LoadedPlane::LoadedPlane(const Job& job) : job_(job), range_(session_range(job)) { make_lanes(job); }

LoadedPlane::LoadedPlane(const AdapterJob& adapter, const Job& job)
    : job_(job),
      range_(session_range(job)),
      workers_(std::make_unique<UserPlaneWorkers>(with_sessions(adapter, job), job.workers)) {
  set_up_ = establish(*workers_, job);
  make_lanes(job);
}

void LoadedPlane::make_lanes(const Job& job) {
  const bool spread = job.distribution == Distribution::rx_cores;
  const std::uint32_t generators = spread ? job.rx_cores : job.workers;
  lanes_.resize(std::max(job.workers, generators));
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (i < generators) {
      lane.generator = std::make_unique<Generator>(job, range_, i, generators, set_up_.teids);
      lane.segment = std::make_unique<Segment>();
      lane.given_uplink.reserve(kSegment);
      lane.given_downlink.reserve(kSegment);
    }
    if (i >= job.workers) continue;
    lane.room.resize(HEADROOM_USER_PLANE_MAX);
    lane.forward = workers_ ? workers_->functions().forward : forward_nothing;
    lane.take = workers_ ? workers_->functions().take : take_nothing;
    lane.worker = workers_ ? workers_->worker(i) : nullptr;
  }
}

std::vector<double> LoadedPlane::shares() const {
  const Job& job = job_;
  const SessionRange range = session_range(job);
  std::vector<double> shares(job.workers, 0);
  for (std::uint32_t i = 0; i < job.traffic.active_users; ++i)
    shares[worker_of(range.user + session_of(job.traffic, job.seed, i), job.workers)] += 1.0 / job.traffic.active_users;
  return shares;
}

TrialMeasurement LoadedPlane::trial(std::uint64_t packets) {
  (void)reading_cost();
  TrialMeasurement measured =
      job_.distribution == Distribution::queues ? trial_queues(packets) : trial_rx_cores(packets);
  const std::uint64_t began = thread_cpu_ns();
  take_reports();
  measured.reports_cpu_ns = thread_cpu_ns() - began;
  return measured;
}

void LoadedPlane::end_behind(const std::string& stage) { workers_->control(Json{{"until", stage}}.dump()); }

void LoadedPlane::measure(Lane& lane, std::uint64_t packets, WorkerMeasurement& measured) const {
  const Cycles& cycles = counter();
  for (std::uint64_t left = packets; left != 0;) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, kSegment));
    left -= count;
    lane.generator->fill(*lane.segment, count);
    measured.octets_n3 += lane.segment->octets_n3();
    lane.given_uplink = lane.segment->uplink();
    lane.given_downlink = lane.segment->downlink();
    const std::uint64_t began = thread_cpu_ns();
    const std::uint64_t up = lane.run(lane.segment->uplink(), cycles, measured.outcomes);
    const std::uint64_t between = thread_cpu_ns();
    const std::uint64_t down = lane.run(lane.segment->downlink(), cycles, measured.outcomes);
    measured.uplink_cpu_ns += between - began;
    measured.downlink_cpu_ns += thread_cpu_ns() - between;
    measured.add(true, lane.segment->uplink().size(), up);
    measured.add(false, lane.segment->downlink().size(), down);
    const auto count_all = [&](const std::vector<headroom_user_packet>& given, const auto& forwarded) {
      for (std::size_t i = 0; i < given.size(); ++i) measured.outcomes.count(given[i], forwarded[i], range_, job_.n3);
    };
    count_all(lane.given_uplink, lane.segment->uplink());
    count_all(lane.given_downlink, lane.segment->downlink());
  }
}

TrialMeasurement LoadedPlane::trial_queues(std::uint64_t packets) {
  TrialMeasurement measured;
  measured.workers.resize(job_.workers);
  reserve_blocks(measured, packets / kSegment + 1);
  run_all(job_.workers, job_.cpus, times_, [&](std::size_t i) { measure(lanes_[i], packets, measured.workers[i]); });
  return measured;
}

// Serves one burst of each ring of a worker. Returns false where all were empty.
bool LoadedPlane::serve_rings(Lane& lane, const RxPipeline& pipeline, std::size_t worker,
                              WorkerMeasurement& measured) const {
  const Cycles& cycles = counter();
  std::array<headroom_user_packet, kBurst> burst, given;
  bool served = false;
  for (std::size_t rx = 0; rx < pipeline.rx_cores(); ++rx) {
    Ring& ring = pipeline.ring(rx, worker);
    if (ring.empty())
      continue;  // before the clock is read: waiting is no work, also where another process has the core
    const std::uint64_t start = cycles.now();
    const std::size_t count = ring.copy(burst.data());
    served = true;
    const bool uplink = burst[0].side == HEADROOM_N3;  // of `forward`'s input; most bursts are of one side
    lane.forward_burst(burst.data(), count, measured.outcomes);
    const std::uint64_t spent = cycles.now() - start;
    measured.add(uplink, count, spent - std::min(spent, reading_cost()));
    (void)ring.copy(given.data());  // the same ones, and perhaps more, until they are released
    for (std::size_t i = 0; i < count; ++i) measured.outcomes.count(given[i], burst[i], range_, job_.n3);
    ring.release(count);
  }
  return served;
}

TrialMeasurement LoadedPlane::trial_rx_cores(std::uint64_t packets) {
  const std::size_t rx_cores = job_.rx_cores, workers = job_.workers;
  RxPipeline pipeline(rx_cores, workers);
  TrialMeasurement measured;
  measured.workers.resize(workers);
  measured.rx_cores.resize(rx_cores);
  reserve_blocks(measured, packets / kBurst + 1);
  std::vector<std::uint64_t> octets(rx_cores, 0);
  const std::uint64_t of_each = std::max<std::uint64_t>(packets * workers / rx_cores, 1);
  // Receives one segment; `serve` lets workers go on until they are done with it.
  const auto receive = [&](std::size_t rx, std::uint64_t count, auto&& serve) {
    Lane& lane = lanes_[rx];
    lane.generator->fill(*lane.segment, static_cast<std::uint32_t>(count));
    octets[rx] += lane.segment->octets_n3();
    for (auto* const records : {&lane.segment->uplink(), &lane.segment->downlink()})
      pipeline.hand_over(rx, *records, counter(), measured.rx_cores[rx]);
    while (!pipeline.drained(rx)) serve();
  };
  const auto receive_all = [&](std::size_t rx, auto&& serve) {
    for (std::uint64_t left = of_each; left != 0;) {
      const std::uint64_t count = std::min<std::uint64_t>(left, kSegment);
      left -= count;
      receive(rx, count, serve);
    }
    pipeline.finished();
  };
  if (on_threads(rx_cores + workers)) {
    run_all(rx_cores + workers, job_.cpus, times_, [&](std::size_t i) {
      if (i < rx_cores) return receive_all(i, [] { std::this_thread::yield(); });
      const std::size_t worker = i - rx_cores;
      while (serve_rings(lanes_[worker], pipeline, worker, measured.workers[worker]) || !pipeline.all_finished()) {
      }
    });
  } else {  // in turn, on this thread
    for (std::size_t rx = 0; rx < rx_cores; ++rx) {
      receive_all(rx, [&] {
        for (std::size_t worker = 0; worker < workers; ++worker) {
          while (serve_rings(lanes_[worker], pipeline, worker, measured.workers[worker])) {
          }
        }
      });
    }
  }
  std::uint64_t all_octets = 0;
  for (const std::uint64_t each : octets) all_octets += each;
  for (WorkerMeasurement& worker : measured.workers)  // by its packets
    worker.octets_n3 = all_octets * worker.packets() / std::max<std::uint64_t>(of_each * rx_cores, 1);
  return measured;
}

void LoadedPlane::take_reports() {
  if (!workers_ || !workers_->has_n4()) return;
  Octets room(HEADROOM_USER_PLANE_MAX);
  headroom_n4_message message = {};
  do {
    message = {};
    message.octets = room.data();
    message.capacity = HEADROOM_USER_PLANE_MAX;
  } while (workers_->functions().take_n4(workers_->first(), &message, lanes_.front().now_ns) == 1);
}

}  // namespace headroom::gtpu::load
