// SPDX-License-Identifier: Apache-2.0
#include "base/cycles.h"

#include <algorithm>
#include <array>

#ifdef HEADROOM_HAS_TSC
#include <cpuid.h>
#endif

namespace headroom {

bool has_invariant_tsc() noexcept {
#ifdef HEADROOM_HAS_TSC
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007u, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0) return false;  // invariant TSC
  return __get_cpuid(0x80000001u, &a, &b, &c, &d) != 0 && (d & (1u << 27)) != 0;            // RDTSCP
#else
  return false;
#endif
}

double Cycles::measured_hz(std::uint64_t at_least_ns) const noexcept {
  if (!use_tsc_) return 1e9;
  std::uint64_t ns = monotonic_ns();
  while (ns - first_ns_ < at_least_ns) {
    const std::uint64_t wait = at_least_ns - (ns - first_ns_);
    const timespec pause{static_cast<time_t>(wait / 1'000'000'000u), static_cast<long>(wait % 1'000'000'000u)};
    nanosleep(&pause, nullptr);
    ns = monotonic_ns();
  }
  // The pair is read until both halves lie close together: an interrupt in between would tilt the result.
  std::uint64_t cycles = now();
  for (int attempt = 0; attempt < 10; ++attempt) {
    const std::uint64_t before = monotonic_ns();
    cycles = now();
    ns = monotonic_ns();
    if (ns - before < 1'000) break;
  }
  return static_cast<double>(cycles - first_cycles_) * 1e9 / static_cast<double>(ns - first_ns_);
}

double Cycles::cost_of_reading() const {
  constexpr int kReadings = 16;  // in one sample, so that the granularity of the counter does not show
  std::array<std::uint64_t, 201> samples{};
  for (std::uint64_t& sample : samples) {
    const std::uint64_t before = now();
    std::uint64_t last = before;
    for (int i = 0; i < kReadings; ++i) last = now();
    sample = last - before;
  }
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  return static_cast<double>(samples[samples.size() / 2]) / kReadings;
}

}  // namespace headroom
