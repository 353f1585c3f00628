// SPDX-License-Identifier: Apache-2.0
//
// The counters of URRs and the meters of QERs, which survive changes of rules. Workers update them and N4 reads them.
// Several workers may update them at the same time, so all fields are atomic, with relaxed order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "gtpu/rules/rules.h"

namespace headroom::gtpu {

// Usage holds the counters of one URR since the URR was created; they are never reset. N4 remembers what it has
// reported, and sets limits as values that these counters are to reach. The fields read for each packet are in the
// first cache line.
struct alignas(64) Usage {
  struct Counter {
    std::atomic<std::uint64_t> octets{0};
    std::atomic<std::uint64_t> packets{0};  // packets since `counts_packets` was set
  };
  struct Limit {
    std::atomic<std::uint64_t> threshold_at{kUnlimited};  // octets
    std::atomic<std::uint64_t> quota_at{kUnlimited};      // octets
    [[nodiscard]] std::uint64_t lower() const noexcept {
      return std::min(threshold_at.load(std::memory_order_relaxed), quota_at.load(std::memory_order_relaxed));
    }
    // Returns the bits of `reached` for limits that are not above `octets`.
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
  // The sum of both counters in octets below which no limit is reached: see `watch_limits`.
  std::atomic<std::uint64_t> watched_from{kUnlimited};
  // The bits of limits that have been reached. N4 clears a bit after it has set a new limit. Workers have queued an
  // Event for each bit.
  std::atomic<std::uint8_t> reached{0};
  // True if a quota (of volume or time) is used up: packets are dropped, or handled by the FAR for Quota Action. N4
  // sets it; workers set it as well for volume.
  std::atomic<bool> exhausted{false};
  std::atomic<bool> inactive{false};        // True with INAM, or if suspended: nothing is counted
  std::atomic<bool> counts_packets{false};  // True with MNOP; counting packets costs as much as counting octets
  std::atomic<bool> reports_start{false};   // True if the first packet queues an Event with kStart (START trigger)
  std::atomic<bool> has_inactivity{false};  // True if inactivity_s is not 0
  std::uint16_t holders = 0;                // number of rule sets with this URR, maintained by N4

  alignas(64) Limit uplink_limit{};
  Limit downlink_limit{};
  Limit total_limit{};
  std::atomic<std::uint64_t> idle_ns{0};       // time between packets beyond the Inactivity Detection Time
  std::atomic<std::uint32_t> inactivity_s{0};  // Inactivity Detection Time (8.2.16), seconds; 0: none
  std::uint32_t id = 0;                        // ID of the URR

  // Sets `watched_from`. Called by N4 after a change of limits.
  void watch_limits() noexcept;
};
static_assert(sizeof(Usage) == 128);

// BitRate is a maximum bit rate, in a form that needs no division for a packet.
struct BitRate {
  std::uint64_t step = 0;      // time of an octet, in units of 2^-20 nanoseconds
  std::uint64_t burst_ns = 0;  // time that a bucket may be ahead; 0: no packet passes

  [[nodiscard]] static BitRate of(std::uint64_t kbps) noexcept;
};

// Meter is the token bucket of one direction of a QER. A packet conforms if the bucket is at most a burst ahead of the
// time (virtual scheduling, ITU-T I.371). The state is one word, so that workers can share it.
class Meter {
 public:
  // True if the packet may pass; its octets have then been taken from the bucket.
  bool pass(std::uint64_t octets, const BitRate& rate, std::uint64_t now_ns) noexcept;

 private:
  std::atomic<std::uint64_t> free_at_ns_{0};  // time at which all passed packets are sent at the rate
};

struct Meters {
  Meter uplink{};
  Meter downlink{};
  std::uint32_t id = 0;       // ID of the QER
  std::uint32_t holders = 0;  // number of rule sets with this QER, maintained by N4
};

}  // namespace headroom::gtpu
