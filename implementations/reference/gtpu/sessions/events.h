// SPDX-License-Identifier: Apache-2.0
//
// Events that workers report to N4. Each worker has a ring that only the worker fills and only N4 empties, without lock
// or allocation.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gtpu/wire/address.h"

namespace headroom::gtpu {

struct Event {
  enum class Kind : std::uint8_t {
    usage,             // `id` is the URR, `reached` has bits of Usage
    error_indication,  // `session` has a FAR that forwards to `peer` with `teid`
    downlink_data,     // `id` is the PDR; its first packet since the FAR was set to BUFF or DROP with NOCP
  };
  Kind kind = Kind::usage;
  std::uint8_t qfi = 0;
  std::uint64_t session = 0;  // SEID of this user plane; the session may be gone
  std::uint32_t id = 0;
  std::uint32_t reached = 0;
  std::uint32_t teid = 0;
  Address peer{};
  std::uint64_t time_ns = 0;
};

class EventRing {
 public:
  // Adds an event. Called by the worker. Returns false if the ring is full; the worker then tries again with the next
  // packet.
  bool push(const Event& event) noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == kEntries) return false;
    entries_[tail % kEntries] = event;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  // Removes the oldest event. Called by N4. Returns false if the ring is empty.
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
