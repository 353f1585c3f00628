// SPDX-License-Identifier: Apache-2.0
#include "queueing/service_times.h"

#include <algorithm>

#include "base/random.h"

namespace headroom::queueing {

void ServiceTimes::keep(std::size_t kind, std::uint64_t ns) {
  const std::uint64_t kept = std::min<std::uint64_t>(ns, ~std::uint32_t{0});
  by_kind_[kind].push_back(static_cast<std::uint32_t>(kept));
  sum_[kind] += kept;
}

std::optional<double> ServiceTimes::mean(std::size_t kind) const noexcept {
  if (by_kind_[kind].empty()) return std::nullopt;
  return static_cast<double>(sum_[kind]) / static_cast<double>(by_kind_[kind].size());
}

std::uint64_t ServiceTimes::drawn(std::size_t kind, std::uint64_t draw) const noexcept {
  const auto& known = by_kind_[kind];
  return known[scale(draw, static_cast<std::uint32_t>(known.size() - 1))];
}

}  // namespace headroom::queueing
