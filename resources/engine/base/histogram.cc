// SPDX-License-Identifier: Apache-2.0
#include "base/histogram.h"

namespace headroom {

Json json_of(const Histogram& histogram, double unit) {
  if (histogram.total() == 0) return nullptr;
  Json buckets = Json::array();
  histogram.for_each([&](std::uint64_t upper, std::uint64_t count) {
    buckets.push_back({static_cast<double>(upper) * unit, count});
  });
  const auto quantile = [&](double q) { return static_cast<double>(histogram.quantile(q)) * unit; };
  return {{"count", histogram.total()},   {"p50", quantile(0.5)},
          {"p90", quantile(0.9)},         {"p99", quantile(0.99)},
          {"p99.9", quantile(0.999)},     {"max", static_cast<double>(histogram.largest()) * unit},
          {"buckets", std::move(buckets)}};
}

}  // namespace headroom
