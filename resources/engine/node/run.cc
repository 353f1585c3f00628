// SPDX-License-Identifier: Apache-2.0
#include "node/run.h"

#include <sched.h>

#include <algorithm>
#include <memory>

#include "base/cycles.h"
#include "base/identity.h"
#include "base/process.h"
#include "io/eal.h"
#include "io/port.h"
#include "io/rights.h"
#include "io/supervisor.h"
#include "node/job.h"
#include "node/node.h"
#include "node/receiver.h"
#include "node/threads.h"
#include "node/worker.h"

namespace headroom::node {
namespace {

constexpr unsigned kHandOverFrames = 1024;  // places in a ring between workers
// Places in a ring from receiving cores: they empty the port's queue at once, so that what waits for a worker that is
// off its core for some milliseconds waits here.
constexpr unsigned kReceivedFrames = 4096;
constexpr unsigned kFramesOfQueue = 4 * 1024;  // of a network card's rings, on both ports and both ways
constexpr unsigned kFramesOfThread = 1024;     // in caches and bursts

constexpr const char *kWorkers = "/workers", *kRxCores = "/rx_cores";  // in the job

unsigned ring_places(const Job& job) { return job.rx_cores.empty() ? kHandOverFrames : kReceivedFrames; }

// None for a worker alone, which receives by itself.
std::size_t rings_of_side(const Job& job) {
  return job.workers.size() == 1 && job.rx_cores.empty() ? 0 : job.workers.size();
}

unsigned most_frames(const Job& job) {
  const std::size_t threads = job.workers.size() + job.rx_cores.size();
  return static_cast<unsigned>(kFramesOfQueue * job.queues() + 2 * ring_places(job) * job.workers.size() +
                               kFramesOfThread * threads + (job.shaper ? job.shaper->queue_packets : 0));
}

// Checks that this process may use the job's cores. At its end it binds the calling thread to the cores of before: at
// its start DPDK binds the thread to one core, where it would get in the way of a worker.
class AffinityGuard {
 public:
  explicit AffinityGuard(const Job& job) {
    sched_getaffinity(0, sizeof cores_, &cores_);
    for (const auto& [cores, where] : {std::pair(&job.workers, kWorkers), std::pair(&job.rx_cores, kRxCores)}) {
      for (std::size_t i = 0; i < cores->size(); ++i) pin_to_core((*cores)[i], where + ("/" + std::to_string(i)));
    }
  }
  ~AffinityGuard() { sched_setaffinity(0, sizeof cores_, &cores_); }
  AffinityGuard(const AffinityGuard&) = delete;
  AffinityGuard& operator=(const AffinityGuard&) = delete;

 private:
  cpu_set_t cores_{};
};

io::Eal start_dpdk(const Job& job) {
  const AffinityGuard guard(job);
  return io::Eal(job.wire, job.ports, job.queues(), std::max(job.plain_mtu, job.link_mtu), job.workers[0]);
}

template <typename Work>
Json statistics_of(const Threads<Work>& threads, bool ended) {
  Json json = Json::array();
  for (std::size_t i = 0; i < threads.size(); ++i) {
    json.push_back(threads[i].json(ended));
    json.back()["silent_ns"] = threads.silent_ns(i);
  }
  return json;
}

// Returns the processor time of this process's threads beside the calling one and those that `lists` are about: an
// adapter's.
std::uint64_t others_cpu_ns(std::initializer_list<const Json*> lists) {
  std::uint64_t ours = thread_cpu_ns();
  for (const Json* list : lists) {
    for (const Json& thread : *list) ours += thread["cpu_ns"].get<std::uint64_t>();
  }
  const std::uint64_t all = processor_time_ns();
  return all - std::min(all, ours);
}

Json identity_of(const Instance* one) { return one != nullptr ? identity(*one) : Json(nullptr); }

// The state of a running node. When a worker is stuck, it must not be destroyed, because that worker still uses
// it.
struct Running {
  explicit Running(const Job& asked)
      : job(asked),
        eal(start_dpdk(job)),
        pool(eal.make_pool("frames", most_frames(job), std::max(job.plain_mtu, job.link_mtu))),
        plain(eal, job.ports[0], 0, job.queues(), job.plain_mtu, pool),
        link(eal, job.ports[1], 1, job.queues(), job.link_mtu, pool),
        plain_for("plain", rings_of_side(job), ring_places(job)),
        link_for("link", rings_of_side(job), ring_places(job)),
        node{job, plain, link, pool, plain_for, link_for},
        workers(node, job.workers, kWorkers),
        receivers(node, job.rx_cores, kRxCores) {}

  // Workers end last: they forward what the receiving cores have handed over.
  void stop() {
    receivers.stop();
    workers.stop();
  }

  const Job job;
  const io::Eal eal;
  rte_mempool* const pool;
  io::Port plain, link;
  const io::RightsGivenUp no_rights{job.ports};  // workers open adapters
  Rings plain_for, link_for;
  const Node node;
  Threads<Worker> workers;
  Threads<Receiver> receivers;
};

// The job, in which configurations have the Universal Time of the workers' clock.
Job with_universal_time(Job job) {
  add_universal_time(job, universal_ns() - monotonic_ns());
  return job;
}

}  // namespace

Json run(const Json& json) {
  const io::StopSignals signals;
  auto running = std::make_unique<Running>(with_universal_time(read_job(json)));
  Threads<Worker>& workers = running->workers;
  const Json compressor = identity_of(workers[0].channel().compressor());
  const Json decompressor = identity_of(workers[0].channel().decompressor());
  const Json endpoint = identity_of(workers[0].channel().endpoint());
  const Json seeds = seeds_of(running->job);
  const std::uint64_t began = monotonic_ns();
  const auto told = [&](bool ended) -> Json {
    const Json of_workers = statistics_of(workers, ended), of_receivers = statistics_of(running->receivers, ended);
    return {{"engine", engine_identity()},
            {"command", "node"},
            {"uptime_ns", monotonic_ns() - began},
            {"compressor", compressor},
            {"decompressor", decompressor},
            {"endpoint", endpoint},
            {"seeds", seeds},
            {"workers", of_workers},
            {"rx_cores", of_receivers},
            {"other_threads_cpu_ns", others_cpu_ns({&of_workers, &of_receivers})},
            {"ports", {{"plain", running->plain.statistics()}, {"link", running->link.statistics()}}}};
  };
  const auto look = [&] {
    running->receivers.look();
    workers.look();
    workers.throw_what_is_stuck();
    return workers.broken() || running->receivers.broken();
  };
  const std::array<const io::Port*, 2> ports = {&running->plain, &running->link};
  try {
    io::supervise(
        running->job.wire, signals, ports, [&] { return told(false); }, look);
  } catch (const StuckThread&) {
    (void)running.release();
    throw;
  }
  running->stop();
  running->receivers.throw_what_broke();
  workers.throw_what_broke();
  return told(true);
}

}  // namespace headroom::node
