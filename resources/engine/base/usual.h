// SPDX-License-Identifier: Apache-2.0
//
// What something usually takes, from times of many calls or blocks of which other programs interrupted some.
#ifndef HEADROOM_BASE_USUAL_H
#define HEADROOM_BASE_USUAL_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace headroom {

// Processor time that is far more than a median: by this factor, for what other programs take out of the caches, and so
// many nanoseconds, for what clocks take.
inline constexpr double kFarMore = 1.5, kClocksNs = 5;

// Returns the median of times, which no interruption changes, or `cpu_ns`, the mean processor time, if that is far
// more: then the work of many is done in few, and neither figure holds what other programs did. All are nanoseconds of
// one unit of work; a `cpu_ns` of 0 is not known. 0: there are no times.
[[nodiscard]] inline double usual_ns(std::vector<double> times, double cpu_ns) {
  if (times.empty()) return 0;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return cpu_ns > kFarMore * *middle + kClocksNs ? cpu_ns : *middle;
}

}  // namespace headroom

#endif  // HEADROOM_BASE_USUAL_H
