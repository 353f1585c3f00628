// SPDX-License-Identifier: Apache-2.0
//
// Doubles of the reference (doubles.yaml of each scheme): an instance has the habits (habit.h) that {"options":
// {"habits": [...]}} names, and behind a proxy (proxy.h) it is as {"options": {"proxy": {...}}} says. Sources with
// habits are compiled for this library once more; all others are the ordinary ones.
#include <algorithm>
#include <iterator>

#include "changed_adapter.h"
#include "habit.h"
#include "proxy.h"

namespace {

struct Double {
  struct Scope {
    explicit Scope(const Double& change) noexcept { headroom::active_habits = change.bits; }
    ~Scope() { headroom::active_habits = 0; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
  };

  // Throws ConfigError if there is no such habit.
  static Double take(json& options) {
    Double change;
    if (const auto proxy = options.find("proxy"); proxy != options.end()) {
      change.proxy = *proxy;
      options.erase(proxy);
    }
    const auto found = options.find("habits");
    if (found == options.end()) return change;
    for (const json& name : found->is_array() ? *found : json::array({*found})) {
      const auto* known = std::find(std::begin(headroom::kHabitNames), std::end(headroom::kHabitNames),
                                    name.is_string() ? name.get<std::string>() : "");
      if (known == std::end(headroom::kHabitNames)) {
        throw headroom::ConfigError("\"habits\" in \"options\" has " + name.dump() + ", which habit.h does not know");
      }
      change.bits |= 1U << (known - std::begin(headroom::kHabitNames));
    }
    options.erase(found);
    return change;
  }

  // The instance, behind its proxy if it has one. A proxy of another scheme, which its key "scheme" names, is left out:
  // a double may carry the link packets of another scheme's ordinary reference. Throws ConfigError if the scheme has
  // no such proxy.
  headroom_instance* wrap(headroom_instance* instance, const json& config) const {
    const std::string scheme = config.value("scheme", "");
    if (proxy.is_null() || proxy.value("scheme", scheme) != scheme) return instance;
    std::unique_ptr<headroom_instance> behind(instance);
    json options = proxy;
    options.erase("scheme");
    const auto make = headroom::proxies().find(scheme);
    if (make == headroom::proxies().end()) throw headroom::ConfigError("this scheme has no proxy");
    return make->second(std::move(behind), options, config).release();
  }

  explicit operator bool() const noexcept { return bits != 0 || !proxy.is_null(); }

  unsigned bits = 0;
  json proxy;  // options of the proxy; null: there is none
};

}  // namespace

extern "C" HEADROOM_EXPORT const headroom_api* headroom_implementation(void) {
  return &headroom::ChangedAdapter<Double>::kApi;
}
