// SPDX-License-Identifier: Apache-2.0
#include "gtpu/sessions/usage.h"

#include <algorithm>

namespace headroom::gtpu {
namespace {

// How far ahead of time a bucket may be. Within ten seconds the burst is 0.5 % of what passes.
constexpr std::uint64_t kBurstNs = 50'000'000;
// Octets that pass at once at least: at the lowest rates a bucket of kBurstNs would not hold one packet.
constexpr std::uint64_t kBurstOctets = 2 * 1500;

}  // namespace

bool Meter::pass(std::uint64_t octets, std::uint64_t kbps, std::uint64_t now_ns) noexcept {
  if (kbps == 0) return false;
  const auto duration = [kbps](std::uint64_t n) { return (n * 8'000'000 + kbps / 2) / kbps; };
  const std::uint64_t burst = std::max(kBurstNs, duration(kBurstOctets));
  const std::uint64_t length = duration(octets);
  std::uint64_t free_at = free_at_ns_.load(std::memory_order_relaxed);
  while (true) {
    const std::uint64_t begin = std::max(free_at, now_ns);
    // A packet longer than a bucket passes an empty one.
    if (begin - now_ns + length > burst && begin != now_ns) return false;
    if (begin > ~std::uint64_t{0} - length) return false;
    if (free_at_ns_.compare_exchange_weak(free_at, begin + length, std::memory_order_relaxed)) return true;
  }
}

}  // namespace headroom::gtpu
