// SPDX-License-Identifier: Apache-2.0
//
// Habits: what a specification leaves to an implementation and this one does in its own way. A conformance suite must
// not take its way for the only one, so suites/robustness/freedoms asks doubles of the reference with other habits
// (doubles.yaml).
//
// `if (habit("no-type-0")) …` is `if (false)` in every source but those that are compiled with HEADROOM_HABITS: there
// it is true while a call into an instance is under way that was created with {"options": {"habits": ["no-type-0"]}}.
#pragma once

#include <cstdint>

#ifdef HEADROOM_HABITS

#include <cstddef>
#include <string_view>

namespace headroom {

inline constexpr std::string_view kHabitNames[] = {
    "highest-cids",   // the first context has the highest CID, and so on downwards
    "hashed-cids",    // contexts do not have CIDs in any order
    "no-type-0",      // UO-1 and UOR-2, or their like of R-mode, where type 0 would do
    "type-2-only",    // UOR-2 where types 0 and 1 would do
    "one-ir",         // a new flow has one IR packet
    "fifty-irs",      // a new flow has fifty IR packets
    "mode-restarts",  // a CID that is reused with the same profile starts in U-mode
    "sn-near-end",    // SNs that the compressor generates start at random among the last 256
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
