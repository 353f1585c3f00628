// SPDX-License-Identifier: Apache-2.0
//
// The share of a polling loop's time in which there was something to do, and what it does when there is not. A core
// that polls is always taken as far as the kernel can see; its load is this share. Where threads share a core, though,
// a round takes as long as the others keep it waiting: there the time that the kernel gave the thread tells more.
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
  // While it lives, in the thread of the loop, the CPU time of that thread is counted.
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

  // To be called once a round of the loop, at its end: whether there was anything to do in it. Naps after some empty
  // rounds when the job wants it.
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
  // CPU time of the loop's thread so far, or of all its life once it has ended; any thread may call this.
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
