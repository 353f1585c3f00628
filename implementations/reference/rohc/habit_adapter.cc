// SPDX-License-Identifier: Apache-2.0
//
// The reference with other habits (habits.h): an instance has those that {"options": {"habits": [...]}}
// names. Sources with habits are compiled for this library once more; all others are the ordinary ones.
#include <algorithm>
#include <iterator>

#include "changed_adapter.h"
#include "rohc/habits.h"

namespace {

struct Habits {
  struct Scope {
    explicit Scope(const Habits& habits) noexcept { headroom::active_habits = habits.bits; }
    ~Scope() { headroom::active_habits = 0; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  // Throws ConfigError when there is no such habit.
  static Habits take(json& options) {
    Habits habits;
    const auto found = options.find("habits");
    if (found == options.end()) return habits;
    for (const json& name : found->is_array() ? *found : json::array({*found})) {
      const auto* known = std::find(std::begin(headroom::kHabitNames), std::end(headroom::kHabitNames),
                                    name.is_string() ? name.get<std::string>() : "");
      if (known == std::end(headroom::kHabitNames)) {
        throw headroom::ConfigError("\"habits\" in \"options\" has " + name.dump() + ", which habits.h does not know");
      }
      habits.bits |= 1U << (known - std::begin(headroom::kHabitNames));
    }
    options.erase(found);
    return habits;
  }

  explicit operator bool() const noexcept { return bits != 0; }

  unsigned bits = 0;
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) {
  return &headroom::ChangedAdapter<Habits>::kApi;
}
