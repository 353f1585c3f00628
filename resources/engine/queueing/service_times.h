// SPDX-License-Identifier: Apache-2.0
#ifndef HEADROOM_QUEUEING_SERVICE_TIMES_H
#define HEADROOM_QUEUEING_SERVICE_TIMES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace headroom::queueing {

// Measured service times of jobs of several kinds, for simulations that draw from them. Times are nanoseconds.
class ServiceTimes {
 public:
  explicit ServiceTimes(std::size_t kinds) : by_kind_(kinds), sum_(kinds, 0) {}
  void keep(std::size_t kind, std::uint64_t ns);
  // Returns the mean time of a kind, or nothing if no time of the kind was kept.
  [[nodiscard]] std::optional<double> mean(std::size_t kind) const noexcept;
  // Returns a kept time of the kind; the same draw gives the same time. REQUIRES: there is one.
  [[nodiscard]] std::uint64_t drawn(std::size_t kind, std::uint64_t draw) const noexcept;

 private:
  std::vector<std::vector<std::uint32_t>> by_kind_;  // nanoseconds; times above four seconds are kept as four seconds
  std::vector<std::uint64_t> sum_;
};

}  // namespace headroom::queueing

#endif  // HEADROOM_QUEUEING_SERVICE_TIMES_H
