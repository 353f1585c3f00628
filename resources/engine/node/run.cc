// SPDX-License-Identifier: Apache-2.0
#include "node/run.h"

#include <rte_errno.h>
#include <sched.h>

#include <algorithm>
#include <future>
#include <memory>
#include <thread>

#include "base/cycles.h"
#include "base/identity.h"
#include "base/process.h"
#include "io/eal.h"
#include "io/port.h"
#include "io/supervisor.h"
#include "node/job.h"
#include "node/worker.h"

namespace headroom::node {
namespace {

constexpr unsigned kHandOverFrames = 1024;  // places in a ring between workers
// A worker that has made no round for so long never will: an adapter does not return. Far longer than the kernel lets a
// thread wait on a crowded machine, and short enough for a user who is watching.
constexpr std::uint64_t kStuckNs = 5'000'000'000;
constexpr std::uint64_t kLongestLookNs = 100'000'000;  // between two checks; in a longer gap this process did not run
// Frames that a worker may hold: what a network card's four rings keep, those on their way between workers, caches.
constexpr unsigned kFramesPerWorker = 4 * 1024 + 2 * kHandOverFrames + 1024;

// Tries whether this process may use the job's cores, and binds the calling thread to where it was when it ends: to
// start DPDK binds it to one, where it would get in a worker's way for ever.
class WhereItWas {
 public:
  explicit WhereItWas(const Job& job) {
    sched_getaffinity(0, sizeof cores_, &cores_);
    for (std::size_t i = 0; i < job.workers.size(); ++i) pin_to_core(job.workers[i], "/workers/" + std::to_string(i));
  }
  ~WhereItWas() { sched_setaffinity(0, sizeof cores_, &cores_); }
  WhereItWas(const WhereItWas&) = delete;
  WhereItWas& operator=(const WhereItWas&) = delete;

 private:
  cpu_set_t cores_{};
};

io::Eal start_dpdk(const Job& job) {
  const WhereItWas back(job);
  return io::Eal(job.wire, job.ports, static_cast<unsigned>(job.workers.size()), std::max(job.plain_mtu, job.link_mtu),
                 job.workers[0]);
}

std::vector<rte_ring*> make_rings(const std::string& name, std::size_t workers) {
  std::vector<rte_ring*> rings;
  for (std::size_t i = 0; workers > 1 && i < workers; ++i) {
    rings.push_back(rte_ring_create((name + std::to_string(i)).c_str(), kHandOverFrames, SOCKET_ID_ANY, RING_F_SC_DEQ));
    if (rings.back() == nullptr) {
      throw Error(ErrorKind::input,
                  std::string("there is no room for the rings between workers: ") + rte_strerror(rte_errno) + ".",
                  "/eal/memory_mb");
    }
  }
  return rings;
}

// The threads of all workers. They end with this object, at the latest.
class Workers {
 public:
  // Starts them and waits until each is ready. Throws what kept one from it.
  explicit Workers(const Node& node)
      : workers_(node.job.workers.size()),
        ends_(workers_.size()),
        progress_(workers_.size()),
        silent_ns_(workers_.size()) {
    std::vector<std::future<void>> ready;
    for (std::uint16_t i = 0; i < workers_.size(); ++i) {
      std::promise<void> promise;
      ready.push_back(promise.get_future());
      threads_.emplace_back(&Workers::run, this, std::cref(node), i, std::move(promise));
    }
    try {
      for (std::future<void>& one : ready) one.get();
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Workers() { stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Ends them. Idempotent.
  void stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  // Whether one has ended by itself, which only happens when something is wrong.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

  // Looks whether the workers go on; to be called all the time. A process that was stopped for a while is not stuck:
  // what counts is time in which this thread ran.
  void look() noexcept {
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t passed = std::min(now - looked_ns_, kLongestLookNs);
    looked_ns_ = now;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const std::uint64_t progress = workers_[i]->progress();
      silent_ns_[i] = progress == progress_[i] ? silent_ns_[i] + passed : 0;
      progress_[i] = progress;
    }
  }

  // Throws Stuck when a worker makes no round any more.
  void throw_what_is_stuck() const {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (silent_ns_[i] < kStuckNs) continue;
      throw Stuck(ErrorKind::adapter,
                  "worker " + std::to_string(i) + " has been busy with one burst for " +
                      std::to_string(kStuckNs / 1'000'000'000) + " s: an adapter does not return.",
                  "/workers/" + std::to_string(i));
    }
  }

  // Throws what ended a worker by itself. REQUIRES: stopped.
  void throw_what_broke() const {
    for (const std::exception_ptr& end : ends_) {
      if (end) std::rethrow_exception(end);
    }
  }

  [[nodiscard]] const Worker& operator[](std::size_t i) const noexcept { return *workers_[i]; }

  [[nodiscard]] Json json(bool ended) const {
    Json json = Json::array();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      json.push_back(workers_[i]->json(ended));
      json.back()["silent_ns"] = silent_ns_[i];
    }
    return json;
  }

 private:
  void run(const Node& node, std::uint16_t number, std::promise<void> ready) {
    const unsigned core = node.job.workers[number];
    bool is_ready = false;
    try {
      const io::WorkerThread thread(core, "/workers/" + std::to_string(number));
      workers_[number] = std::make_unique<Worker>(node, number);
      is_ready = true;
      ready.set_value();
      workers_[number]->run(stop_);
    } catch (...) {
      if (!is_ready) return ready.set_exception(std::current_exception());
      ends_[number] = std::current_exception();
      broken_ = true;
    }
  }

  std::atomic<bool> stop_ = false, broken_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::exception_ptr> ends_;
  std::vector<std::uint64_t> progress_, silent_ns_;  // of the thread that looks
  std::uint64_t looked_ns_ = monotonic_ns();
  std::vector<std::thread> threads_;
};

Json identity_of(const Instance* one) { return one != nullptr ? identity(*one) : Json(nullptr); }

// The state of a running node. When a worker is stuck, it must not be destroyed, because that worker still uses
// it.
struct Running {
  explicit Running(const Job& asked)
      : job(asked),
        eal(start_dpdk(job)),
        queues(static_cast<std::uint16_t>(job.workers.size())),
        pool(eal.make_pool("frames", kFramesPerWorker * queues, std::max(job.plain_mtu, job.link_mtu))),
        plain(eal, job.ports[0], 0, queues, job.plain_mtu, pool),
        link(eal, job.ports[1], 1, queues, job.link_mtu, pool),
        node{job, plain, link, pool, make_rings("plain", queues), make_rings("link", queues)},
        workers(node) {}

  const Job job;
  const io::Eal eal;
  const std::uint16_t queues;
  rte_mempool* const pool;
  io::Port plain, link;
  const Node node;
  Workers workers;
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
  Workers& workers = running->workers;
  const Json compressor = identity_of(workers[0].channel().compressor());
  const Json decompressor = identity_of(workers[0].channel().decompressor());
  const Json endpoint = identity_of(workers[0].channel().endpoint());
  const Json seeds = seeds_of(running->job);
  const std::uint64_t began = monotonic_ns();
  const auto told = [&](bool ended) -> Json {
    return {{"engine", engine_identity()},
            {"command", "node"},
            {"uptime_ns", monotonic_ns() - began},
            {"compressor", compressor},
            {"decompressor", decompressor},
            {"endpoint", endpoint},
            {"seeds", seeds},
            {"workers", workers.json(ended)},
            {"ports", {{"plain", running->plain.statistics()}, {"link", running->link.statistics()}}}};
  };
  const auto look = [&] {
    workers.look();
    workers.throw_what_is_stuck();
    return workers.broken();
  };
  const std::array<const io::Port*, 2> ports = {&running->plain, &running->link};
  try {
    io::supervise(
        running->job.wire, signals, ports, [&] { return told(false); }, look);
  } catch (const Stuck&) {
    (void)running.release();
    throw;
  }
  workers.stop();
  workers.throw_what_broke();
  return told(true);
}

}  // namespace headroom::node
