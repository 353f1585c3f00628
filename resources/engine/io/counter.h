// SPDX-License-Identifier: Apache-2.0
//
// Counter is a count that one thread writes while others read it: no lock, no locked instruction.
#ifndef HEADROOM_IO_COUNTER_H
#define HEADROOM_IO_COUNTER_H

#include <atomic>
#include <cstdint>

namespace headroom::io {

class Counter {
 public:
  // Adds to the count. Only the writing thread may call it.
  void add(std::uint64_t n = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_COUNTER_H
