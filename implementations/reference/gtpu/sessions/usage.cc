// SPDX-License-Identifier: Apache-2.0
#include "gtpu/sessions/usage.h"

#include <algorithm>

#include "mutants.h"

namespace headroom::gtpu {
namespace {

// How far ahead of time a bucket may be. Within ten seconds the burst is 0.5 % of what passes.
constexpr std::uint64_t kBurstNs = 50'000'000;
// Octets that pass at once at least: at the lowest rates a bucket of kBurstNs would not hold one packet.
constexpr std::uint64_t kBurstOctets = 2 * 1500;
constexpr unsigned kStepBits = 20;

constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
  return a > kUnlimited - b ? kUnlimited : a + b;
}

}  // namespace

// The counter of one direction cannot reach its limit before both together have what the other one has now and that.
void Usage::watch_limits() noexcept {
  const std::uint64_t up = uplink.octets.load(std::memory_order_relaxed);
  const std::uint64_t down = downlink.octets.load(std::memory_order_relaxed);
  watched_from.store(std::min({total_limit.lower(), sum(uplink_limit.lower(), down), sum(downlink_limit.lower(), up)}),
                     std::memory_order_relaxed);
}

BitRate BitRate::of(std::uint64_t kbps) noexcept {
  if (kbps == 0) return {};
  constexpr std::uint64_t kNsOfAnOctet = 8'000'000;  // at 1 kbit/s
  const std::uint64_t step = ((kNsOfAnOctet << kStepBits) + kbps / 2) / kbps;
  return {step, std::max(kBurstNs, kBurstOctets * step >> kStepBits)};
}

bool Meter::pass(std::uint64_t octets, const BitRate& rate, std::uint64_t now_ns) noexcept {
  if (rate.burst_ns == 0) return mutant("gtpu-mbr-0-unlimited");
  const std::uint64_t length = octets * rate.step >> kStepBits;
  std::uint64_t free_at = free_at_ns_.load(std::memory_order_relaxed);
  while (true) {
    const std::uint64_t begin = std::max(free_at, now_ns);
    // A packet longer than a bucket passes an empty one.
    if (begin - now_ns + length > rate.burst_ns && begin != now_ns) return false;
    if (begin > ~std::uint64_t{0} - length) return false;
    if (free_at_ns_.compare_exchange_weak(free_at, begin + length, std::memory_order_relaxed)) return true;
  }
}

}  // namespace headroom::gtpu
