// SPDX-License-Identifier: Apache-2.0
//
// The share of a polling loop's time in which there was something to do, and what it does when there is not. A core
// that polls is always taken as far as the kernel can see; its load is this share.
#ifndef HEADROOM_IO_BUSY_H
#define HEADROOM_IO_BUSY_H

#include <cstdint>

#include "base/cycles.h"
#include "io/counter.h"
#include "io/job.h"

namespace headroom::io {

class BusyShare {
 public:
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

 private:
  static constexpr unsigned kRoundsBeforeNap = 16;

  static void nap() noexcept;

  Cycles cycles_;
  Idle idle_;
  std::uint64_t last_;
  unsigned empty_ = 0;
  Counter busy_, total_;
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_BUSY_H
