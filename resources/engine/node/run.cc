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
  explicit Workers(const Node& node) : workers_(node.job.workers.size()), ends_(workers_.size()) {
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

  // Throws what ended a worker by itself. REQUIRES: stopped.
  void throw_what_broke() const {
    for (const std::exception_ptr& end : ends_) {
      if (end) std::rethrow_exception(end);
    }
  }

  [[nodiscard]] const Worker& operator[](std::size_t i) const noexcept { return *workers_[i]; }

  [[nodiscard]] Json json(bool ended) const {
    Json json = Json::array();
    for (const auto& worker : workers_) json.push_back(worker->json(ended));
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
  std::vector<std::thread> threads_;
};

Json identity_of(const Codec* codec) { return codec != nullptr ? identity(codec->instance()) : Json(nullptr); }

}  // namespace

Json run(const Json& json) {
  const Job job = read_job(json);
  const io::StopSignals signals;
  const io::Eal eal = start_dpdk(job);
  const auto queues = static_cast<std::uint16_t>(job.workers.size());
  rte_mempool* const pool = eal.make_pool("frames", kFramesPerWorker * queues, std::max(job.plain_mtu, job.link_mtu));
  io::Port plain(eal, job.ports[0], 0, queues, job.plain_mtu, pool);
  io::Port link(eal, job.ports[1], 1, queues, job.link_mtu, pool);
  const Node node = {job, plain, link, pool, make_rings("plain", queues), make_rings("link", queues)};

  Workers workers(node);
  const Json compressor = identity_of(workers[0].channel().compressor());
  const Json decompressor = identity_of(workers[0].channel().decompressor());
  const std::uint64_t began = monotonic_ns();
  const auto told = [&](bool ended) -> Json {
    return {{"engine", engine_identity()},
            {"command", "node"},
            {"uptime_ns", monotonic_ns() - began},
            {"compressor", compressor},
            {"decompressor", decompressor},
            {"workers", workers.json(ended)},
            {"ports", {{"plain", plain.statistics()}, {"link", link.statistics()}}}};
  };
  const std::array<const io::Port*, 2> ports = {&plain, &link};
  io::supervise(
      job.wire, signals, ports, [&] { return told(false); }, [&] { return workers.broken(); });
  workers.stop();
  workers.throw_what_broke();
  return told(true);
}

}  // namespace headroom::node
