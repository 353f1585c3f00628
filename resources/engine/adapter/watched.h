// SPDX-License-Identifier: Apache-2.0
//
// The policy of calls (caller.h) that counts what they cost.
#ifndef HEADROOM_ADAPTER_WATCHED_H
#define HEADROOM_ADAPTER_WATCHED_H

#include <algorithm>
#include <cstdint>

#include "adapter/caller.h"
#include "base/cycles.h"
#include "base/process.h"
#include "base/sanitizer.h"

namespace headroom {

// The cost of calls to the process. `heap` and `resident` are octets by which memory has grown: octets that malloc has
// given out, and octets of all pages. `processor_ns` is the processor time of all threads of the process.
struct CallCosts {
  std::int64_t heap = 0, resident = 0, processor_ns = 0;
};

// CostWatch adds to `costs`, unless that is nullptr, the memory and processor time that the process takes during the
// watch's life.
class CostWatch {
 public:
  explicit CostWatch(CallCosts* costs) : costs_(costs) {
    if (costs_ != nullptr) add(-1);
  }
  ~CostWatch() {
    if (costs_ != nullptr) add(1);
  }
  CostWatch(const CostWatch&) = delete;
  CostWatch& operator=(const CostWatch&) = delete;

 private:
  void add(std::int64_t sign) const noexcept {
    costs_->heap += sign * static_cast<std::int64_t>(heap_in_use());
    costs_->resident += sign * static_cast<std::int64_t>(resident_octets());
    costs_->processor_ns += sign * static_cast<std::int64_t>(processor_time_ns());
  }

  CallCosts* costs_;
};

class Watched : public Safe {
 public:
  // Adds the cost of all further calls to `costs`. REQUIRES: `costs` outlives this object.
  void count_into(CallCosts& costs) noexcept { costs_ = &costs; }
  // Times all further calls with `cycles`. REQUIRES: `cycles` outlives this object.
  void time_with(const Cycles& cycles) {
    cycles_ = &cycles;
    cost_of_reading_ = cycles.cost_of_reading();
    for (int i = 0; i < kClockReadings; ++i) {
      const std::uint64_t before = thread_cpu_ns();
      cost_of_clock_ = std::min(cost_of_clock_, thread_cpu_ns() - before);
    }
  }
  [[nodiscard]] bool is_timed() const noexcept { return cycles_ != nullptr; }
  // Cycles of the call before, without what reading the counter costs; 0 if none is timed.
  [[nodiscard]] double cycles() const noexcept {
    return std::max(0.0, static_cast<double>(end_ - began_) - cost_of_reading_);
  }

  // Returns the processor time of the thread in all timed calls, of any function, ns, likewise.
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept { return cpu_ns_; }

  template <typename Call>
  auto call(headroom_role role, const char* function, Call&& call) const -> decltype(call()) {
    struct AtEnd {
      const Watched& watched;
      const std::uint64_t cpu_before = watched.cpu_now();
      ~AtEnd() {
        watched.end_ = watched.now();
        const std::uint64_t spent = watched.cpu_now() - cpu_before;
        watched.cpu_ns_ += spent - std::min(spent, watched.cost_of_clock_);
      }
    };
    const AtEnd at_end{*this};
    began_ = now();
    const CostWatch watch(costs_);
    return Safe::call(role, function, call);
  }

 private:
  [[nodiscard]] std::uint64_t now() const noexcept { return cycles_ != nullptr ? cycles_->now() : 0; }
  [[nodiscard]] std::uint64_t cpu_now() const noexcept { return cycles_ != nullptr ? thread_cpu_ns() : 0; }

  static constexpr int kClockReadings = 100;

  CallCosts* costs_ = nullptr;
  const Cycles* cycles_ = nullptr;
  double cost_of_reading_ = 0;
  std::uint64_t cost_of_clock_ = UINT64_MAX;
  mutable std::uint64_t began_ = 0, end_ = 0, cpu_ns_ = 0;
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_WATCHED_H
