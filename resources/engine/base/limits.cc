// SPDX-License-Identifier: Apache-2.0
#include "base/limits.h"

#include <cstddef>
#include <iterator>

namespace headroom {
namespace {

struct Kind {
  __rlimit_resource resource;
  const char* name;
};
// Memory, the size of files, and their number.
constexpr Kind kLimits[] = {{RLIMIT_AS, "RLIMIT_AS"},
                            {RLIMIT_DATA, "RLIMIT_DATA"},
                            {RLIMIT_FSIZE, "RLIMIT_FSIZE"},
                            {RLIMIT_NOFILE, "RLIMIT_NOFILE"}};

rlim_t soft(const Kind& kind) noexcept {
  rlimit now{};
  return getrlimit(kind.resource, &now) == 0 ? now.rlim_cur : RLIM_INFINITY;
}

}  // namespace

Limits::Limits() noexcept {
  static_assert(std::size(kLimits) == kKinds);
  for (std::size_t i = 0; i < kKinds; ++i) soft_[i] = soft(kLimits[i]);
}

const char* Limits::lowered() const noexcept {
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (soft(kLimits[i]) < soft_[i]) return kLimits[i].name;
  }
  return "";
}

}  // namespace headroom
