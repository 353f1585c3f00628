// SPDX-License-Identifier: Apache-2.0
//
// A count that one thread keeps and others read while it does: no lock, no locked instruction.
#ifndef HEADROOM_IO_COUNTER_H
#define HEADROOM_IO_COUNTER_H

#include <atomic>
#include <cstdint>

namespace headroom::io {

class Counter {
 public:
  // To be called by the one thread that writes.
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_COUNTER_H
