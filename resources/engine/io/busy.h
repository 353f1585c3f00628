// SPDX-License-Identifier: Apache-2.0
//
// BusyShare measures the share of a polling loop's time in which the loop had work, and waits when it has none. A core
// that polls is always fully used as far as the kernel can see, so this share is the core's load. If several threads
// share a core, a round also includes the time for which the others keep it waiting; the CPU time of the thread is then
// the better measure.
#ifndef HEADROOM_IO_BUSY_H
#define HEADROOM_IO_BUSY_H

#include <cstdint>
#include <ctime>
#include <mutex>
#include <optional>

#include "base/cycles.h"
#include "io/counter.h"
#include "io/job.h"

namespace headroom::io {

class BusyShare {
 public:
  // Counts the CPU time of the loop's thread as long as this object lives. REQUIRES: made in that thread.
  class OfThisThread {
   public:
    explicit OfThisThread(BusyShare& share) noexcept;
    ~OfThisThread();
    OfThisThread(const OfThisThread&) = delete;
    OfThisThread& operator=(const OfThisThread&) = delete;

   private:
    BusyShare& share_;
  };

  explicit BusyShare(Idle idle) noexcept;

  // Is called at the end of each round of the loop with whether the round had work. Naps after some empty rounds if the
  // job says so.
  void round(bool busy) noexcept {
    const std::uint64_t now = cycles_.now();
    total_.add(now - last_);
    if (busy) {
      busy_.add(now - last_);
      empty_ = 0;
    } else if (idle_ == Idle::sleep && ++empty_ >= kRoundsBeforeNap) {
      nap();
    }
    last_ = now;
  }

  [[nodiscard]] std::uint64_t busy_cycles() const noexcept { return busy_.value(); }
  [[nodiscard]] std::uint64_t total_cycles() const noexcept { return total_.value(); }
  [[nodiscard]] double share() const noexcept;  // 0..1
  [[nodiscard]] double hz() const noexcept { return cycles_.measured_hz(); }
  // Returns the CPU time of the loop's thread so far, or its total CPU time once it has ended; any thread may call
  // this.
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept;

 private:
  static constexpr unsigned kRoundsBeforeNap = 16;

  static void nap() noexcept;

  Cycles cycles_;
  Idle idle_;
  std::uint64_t last_;
  unsigned empty_ = 0;
  Counter busy_, total_;

  mutable std::mutex thread_mutex_;  // never taken in the loop
  std::optional<clockid_t> thread_clock_;
  std::uint64_t thread_ns_ = 0;  // once it has ended
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_BUSY_H
