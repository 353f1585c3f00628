// SPDX-License-Identifier: Apache-2.0
//
// What workers tell N4. Each worker has a ring that it alone fills and N4 alone empties, without lock or allocation.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gtpu/wire/address.h"

namespace headroom::gtpu {

struct Event {
  enum class Kind : std::uint8_t {
    usage,             // `id`: the URR, `reached`: bits of Usage
    error_indication,  // `session` has a FAR to `peer` with `teid` (TS 29.244, 5.10)
    downlink_data,     // `id`: the PDR; the first packet since the FAR says BUFF or DROP with NOCP
  };
  Kind kind = Kind::usage;
  std::uint8_t qfi = 0;
  std::uint64_t session = 0;  // SEID of this side; the session may be gone
  std::uint32_t id = 0;
  std::uint32_t reached = 0;
  std::uint32_t teid = 0;
  Address peer{};
  std::uint64_t time_ns = 0;
};

class EventRing {
 public:
  // By the worker. False where the ring is full: the worker then tries again with the next packet.
  bool push(const Event& event) noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == kEntries) return false;
    entries_[tail % kEntries] = event;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  // By N4. False where none waits.
  bool pop(Event& event) noexcept {
    const std::uint32_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    event = entries_[head % kEntries];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::uint32_t kEntries = 1024;
  alignas(64) std::atomic<std::uint32_t> head_{0};
  alignas(64) std::atomic<std::uint32_t> tail_{0};
  std::array<Event, kEntries> entries_{};
};

}  // namespace headroom::gtpu
