// SPDX-License-Identifier: Apache-2.0
//
// The threads of a node: one for each worker, or for each receiving core.
#ifndef HEADROOM_NODE_THREADS_H
#define HEADROOM_NODE_THREADS_H

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/cycles.h"
#include "base/no_processes.h"
#include "io/eal.h"
#include "node/node.h"

namespace headroom::node {

// The time after which a thread without a round is considered stuck, because an adapter does not return: far longer
// than the kernel lets a thread wait on a crowded machine, and short enough for a user who is watching.
inline constexpr std::uint64_t kStuckNs = 5'000'000'000;
inline constexpr std::uint64_t kLongestLookNs = 100'000'000;  // in a longer gap this process was not running

// Threads runs a `Work`, a Worker or a Receiver, in each thread. The threads end with this object at the latest.
template <typename Work>
class Threads {
 public:
  // Starts a thread on each of `cores`, which are at `where` in the job, and waits until all are ready. Throws the
  // error of a thread that could not start.
  Threads(const Node& node, const std::vector<unsigned>& cores, const char* where)
      : where_(where), work_(cores.size()), ends_(cores.size()), progress_(cores.size()), silent_ns_(cores.size()) {
    std::vector<std::future<void>> ready;
    for (std::uint16_t i = 0; i < cores.size(); ++i) {
      std::promise<void> promise;
      ready.push_back(promise.get_future());
      threads_.emplace_back(&Threads::run, this, std::cref(node), cores[i], i, std::move(promise));
    }
    try {
      for (std::future<void>& one : ready) one.get();
    } catch (...) {
      stop();
      throw;
    }
  }
  ~Threads() { stop(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // Ends the threads. Idempotent.
  void stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  // True if a thread has ended by itself, which only happens after an error.
  [[nodiscard]] bool broken() const noexcept { return broken_; }

  // Checks that the threads make progress. Called continuously. Only time in which the caller ran counts, so a process
  // that was stopped for a while is not considered stuck.
  void look() noexcept {
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t passed = std::min(now - looked_ns_, kLongestLookNs);
    looked_ns_ = now;
    for (std::size_t i = 0; i < work_.size(); ++i) {
      const std::uint64_t progress = work_[i]->progress();
      silent_ns_[i] = progress == progress_[i] ? silent_ns_[i] + passed : 0;
      progress_[i] = progress;
    }
  }

  // Throws StuckThread if a thread makes no more rounds.
  void throw_what_is_stuck() const {
    for (std::size_t i = 0; i < work_.size(); ++i) {
      if (silent_ns_[i] < kStuckNs) continue;
      throw StuckThread(ErrorKind::adapter,
                        "worker " + std::to_string(i) + " has been busy with one burst for " +
                            std::to_string(kStuckNs / 1'000'000'000) + " s: an adapter does not return.",
                        place(i));
    }
  }

  // Throws the error that ended a thread. REQUIRES: stopped.
  void throw_what_broke() const {
    for (const std::exception_ptr& end : ends_) {
      if (end) std::rethrow_exception(end);
    }
  }

  [[nodiscard]] const Work& operator[](std::size_t i) const noexcept { return *work_[i]; }

  [[nodiscard]] std::size_t size() const noexcept { return work_.size(); }
  // Returns the time since thread `i` made its last round, as `look` has observed it.
  [[nodiscard]] std::uint64_t silent_ns(std::size_t i) const noexcept { return silent_ns_[i]; }

 private:
  [[nodiscard]] std::string place(std::size_t i) const { return where_ + "/" + std::to_string(i); }

  void run(const Node& node, unsigned core, std::uint16_t number, std::promise<void> ready) {
    bool is_ready = false;
    try {
      const io::WorkerThread thread(core, place(number));
      stay_on_core();  // before an adapter is opened
      handle_no_signals();
      work_[number] = std::make_unique<Work>(node, number);
      is_ready = true;
      ready.set_value();
      work_[number]->run(stop_);
    } catch (...) {
      if (!is_ready) return ready.set_exception(std::current_exception());
      ends_[number] = std::current_exception();
      broken_ = true;
    }
  }

  const std::string where_;
  std::atomic<bool> stop_ = false, broken_ = false;
  std::vector<std::unique_ptr<Work>> work_;
  std::vector<std::exception_ptr> ends_;
  std::vector<std::uint64_t> progress_, silent_ns_;  // by thread; for the caller of `look` alone
  std::uint64_t looked_ns_ = monotonic_ns();
  std::vector<std::thread> threads_;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_THREADS_H
