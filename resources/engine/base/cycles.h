// SPDX-License-Identifier: Apache-2.0
//
// A counter that is cheap enough to be read for each burst and stage: the time-stamp counter on x86, the monotonic
// clock elsewhere.
#ifndef HEADROOM_BASE_CYCLES_H
#define HEADROOM_BASE_CYCLES_H

#include <cstdint>
#include <ctime>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#define HEADROOM_HAS_TSC 1
#endif

namespace headroom {

// Returns Universal Time since 1970 in nanoseconds, without leap seconds.
[[nodiscard]] inline std::uint64_t universal_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// Returns CLOCK_MONOTONIC in nanoseconds.
[[nodiscard]] inline std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// Returns the CPU time of the calling thread in nanoseconds.
[[nodiscard]] inline std::uint64_t thread_cpu_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

// True if the processor has RDTSCP and a time-stamp counter with the same rate in every power state ("invariant TSC").
[[nodiscard]] bool has_invariant_tsc() noexcept;

class Cycles {
 public:
  // `use_tsc` is has_invariant_tsc(), unless a test needs the clock.
  explicit Cycles(bool use_tsc = has_invariant_tsc()) noexcept
      : use_tsc_(use_tsc), first_cycles_(now()), first_ns_(monotonic_ns()) {}

  [[nodiscard]] std::uint64_t now() const noexcept {
#ifdef HEADROOM_HAS_TSC
    if (use_tsc_) [[likely]] {
      // RDTSCP waits until all earlier instructions have executed, so that a stage is charged with its own cache
      // misses.
      unsigned processor;
      return __rdtscp(&processor);
    }
#endif
    return monotonic_ns();
  }

  // Returns the cycles per second, measured against CLOCK_MONOTONIC since construction; waits until at least
  // `at_least_ns` have passed. Longer times are more accurate: 50 ms give some 10^-6.
  [[nodiscard]] double measured_hz(std::uint64_t at_least_ns = 50'000'000) const noexcept;

  // Returns the cost of one call of `now` in cycles, the median of many calls.
  [[nodiscard]] double cost_of_reading() const;

  [[nodiscard]] const char* source() const noexcept { return use_tsc_ ? "tsc" : "clock_monotonic"; }

 private:
  bool use_tsc_;
  std::uint64_t first_cycles_;
  std::uint64_t first_ns_;
};

}  // namespace headroom

#endif  // HEADROOM_BASE_CYCLES_H
