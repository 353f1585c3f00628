// SPDX-License-Identifier: Apache-2.0
//
// Habits: choices that a specification leaves to the implementation. A conformance suite must not take the reference's
// choices for the only correct ones, so suites/robustness/freedoms runs against doubles of the reference with other
// habits (doubles.yaml).
//
// `if (habit("no-type-0")) …` is `if (false)` unless the source is compiled with HEADROOM_HABITS. With HEADROOM_HABITS,
// the condition is true during each call into an instance created with {"options": {"habits": ["no-type-0"]}}.
#pragma once

#include <cstdint>

#ifdef HEADROOM_HABITS

#include <cstddef>
#include <string_view>

namespace headroom {

inline constexpr std::string_view kHabitNames[] = {
    "highest-cids",   // CIDs are assigned from the highest downwards
    "hashed-cids",    // CIDs are assigned in a scattered order
    "no-type-0",      // UO-1 and UOR-2, or the R-mode equivalents, where type 0 would suffice
    "type-2-only",    // UOR-2 where type 0 or 1 would suffice
    "one-ir",         // a new flow starts with one IR packet
    "fifty-irs",      // a new flow starts with fifty IR packets
    "mode-restarts",  // a CID that is reused with the same profile starts in U-mode
    "sn-near-end",    // generated SNs start at a random value among the last 256
};

consteval unsigned habit_bit(std::string_view name) {
  for (unsigned i = 0; i < sizeof kHabitNames / sizeof *kHabitNames; ++i) {
    if (kHabitNames[i] == name) return 1U << i;
  }
  throw "kHabitNames has no habit of that name";
}

// The habits of the instance that this thread is working for. The ABI gives an instance to one thread at a time.
inline thread_local unsigned active_habits = 0;

class HabitName {
 public:
  consteval HabitName(const char* name) : bit(habit_bit(name)) {}
  unsigned bit;
};

inline bool habit(HabitName name) noexcept { return (active_habits & name.bit) != 0; }

}  // namespace headroom

#else

namespace headroom {

constexpr bool habit(const char*) noexcept { return false; }

}  // namespace headroom

#endif
