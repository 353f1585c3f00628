// SPDX-License-Identifier: Apache-2.0
//
// What lives through changes of rules: counters of URRs and meters of QERs. Workers add to them, N4 reads them; two
// workers may add at once, and so all is relaxed and atomic.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "gtpu/rules/rules.h"

namespace headroom::gtpu {

// Usage counts for one URR since the URR was created; nothing resets it. N4 remembers what it has reported and sets
// limits as values that these counters are to reach. What each packet reads is in the first cache line.
struct alignas(64) Usage {
  struct Counter {
    std::atomic<std::uint64_t> octets{0};
    std::atomic<std::uint64_t> packets{0};  // since `counts_packets` was set
  };
  struct Limit {
    std::atomic<std::uint64_t> threshold_at{kUnlimited};  // octets
    std::atomic<std::uint64_t> quota_at{kUnlimited};      // octets
    [[nodiscard]] std::uint64_t lower() const noexcept {
      return std::min(threshold_at.load(std::memory_order_relaxed), quota_at.load(std::memory_order_relaxed));
    }
    // Returns the bits of `reached` that so many octets reach.
    [[nodiscard]] std::uint32_t reached_by(std::uint64_t octets) const noexcept {
      return (octets >= threshold_at.load(std::memory_order_relaxed) ? kThreshold : 0U) |
             (octets >= quota_at.load(std::memory_order_relaxed) ? kQuota : 0U);
    }
  };
  // Bits of `reached`.
  static constexpr std::uint32_t kThreshold = 1, kQuota = 2, kStart = 4;

  Counter uplink{};
  Counter downlink{};
  std::atomic<std::uint64_t> first_packet_ns{kUnlimited};
  std::atomic<std::uint64_t> last_packet_ns{0};
  // No limit is reached as long as both counters together have fewer octets: see `watch_limits`.
  std::atomic<std::uint64_t> watched_from{kUnlimited};
  // What has been reached since N4 cleared the bit, which it does behind setting a new limit. An Event was queued for
  // each bit.
  std::atomic<std::uint8_t> reached{0};
  // Set by N4, when a quota (of volume or time) is used up: packets are dropped, or go by the FAR for Quota Action. Of
  // volume the workers set it as well.
  std::atomic<bool> exhausted{false};
  std::atomic<bool> inactive{false};        // INAM, or suspended: nothing is counted
  std::atomic<bool> counts_packets{false};  // MNOP; adding costs workers as much as counting octets does
  std::atomic<bool> reports_start{false};   // the first packet queues an Event with kStart (START of the triggers)
  std::atomic<bool> has_inactivity{false};  // inactivity_s is not 0
  std::uint16_t holders = 0;                // rule sets with this URR, as N4 counts them

  alignas(64) Limit uplink_limit{};
  Limit downlink_limit{};
  Limit total_limit{};
  std::atomic<std::uint64_t> idle_ns{0};       // time between packets beyond the Inactivity Detection Time
  std::atomic<std::uint32_t> inactivity_s{0};  // Inactivity Detection Time (8.2.16), seconds; 0: none
  std::uint32_t id = 0;                        // of the URR

  // By N4, behind a change of limits.
  void watch_limits() noexcept;
};
static_assert(sizeof(Usage) == 128);

// BitRate is a maximum bit rate, prepared so that no packet costs a division.
struct BitRate {
  std::uint64_t step = 0;      // nanoseconds of an octet, in units of 1 / 2^20
  std::uint64_t burst_ns = 0;  // how far ahead of time a bucket may be; 0: nothing passes

  [[nodiscard]] static BitRate of(std::uint64_t kbps) noexcept;
};

// Meter is the token bucket of one direction of a QER: a packet conforms while the bucket is not more than a burst
// ahead of time (virtual scheduling, ITU-T I.371). Kept in one word, so that workers can share it.
class Meter {
 public:
  // True if a packet may pass, which then has been taken from the bucket.
  bool pass(std::uint64_t octets, const BitRate& rate, std::uint64_t now_ns) noexcept;

 private:
  std::atomic<std::uint64_t> free_at_ns_{0};  // when all that has passed has been sent at the rate
};

struct Meters {
  Meter uplink{};
  Meter downlink{};
  std::uint32_t id = 0;       // of the QER
  std::uint32_t holders = 0;  // rule sets with this QER, as N4 counts them
};

}  // namespace headroom::gtpu
