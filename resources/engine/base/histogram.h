// SPDX-License-Identifier: Apache-2.0
//
// Histogram is a log-linear histogram in the manner of HdrHistogram: each power of two is divided into 128 equal parts,
// so that the upper edge of a bucket is at most 1/128 (0.8 %) above every value in it. Recording is a shift, an
// addition and a store.
#ifndef HEADROOM_BASE_HISTOGRAM_H
#define HEADROOM_BASE_HISTOGRAM_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/json_reader.h"

namespace headroom {

class Histogram {
 public:
  static constexpr unsigned kPartBits = 7;
  static constexpr unsigned kLargestBits = 48;  // values from 2^48 on are counted in the last bucket

  Histogram() : counts_(((kLargestBits - kPartBits) + 1) << kPartBits) {}

  void record(std::uint64_t value, std::uint64_t count = 1) noexcept {
    std::size_t i = index_of(value);
    if (i >= counts_.size()) i = counts_.size() - 1;
    counts_[i] += count;
    total_ += count;
    if (value > largest_) largest_ = value;
  }

  void add(const Histogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
    if (other.largest_ > largest_) largest_ = other.largest_;
  }

  void clear() noexcept {
    for (std::uint64_t& count : counts_) count = 0;
    total_ = 0;
    largest_ = 0;
  }

  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] std::uint64_t largest() const noexcept { return largest_; }  // exact

  // Returns the smallest bucket edge such that at least the share `q` of the values is not above it; 0 if there are no
  // values. REQUIRES: 0 <= q <= 1.
  [[nodiscard]] std::uint64_t quantile(double q) const noexcept {
    const double wanted = q * static_cast<double>(total_);
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (counts_[i] != 0 && static_cast<double>(seen) >= wanted)
        return upper_edge(i) < largest_ ? upper_edge(i) : largest_;
    }
    return 0;
  }

  // Calls visit(upper edge, count) for every non-empty bucket, from the smallest on.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] != 0) visit(upper_edge(i), counts_[i]);
    }
  }

  [[nodiscard]] static constexpr std::size_t index_of(std::uint64_t value) noexcept {
    const unsigned bits = static_cast<unsigned>(std::bit_width(value));
    if (bits <= kPartBits) return static_cast<std::size_t>(value);
    const unsigned shift = bits - kPartBits - 1;  // leaves kPartBits + 1 significant bits
    return static_cast<std::size_t>(std::uint64_t{shift} << kPartBits) + static_cast<std::size_t>(value >> shift);
  }

  // Returns the largest value that index_of maps to `index`.
  [[nodiscard]] static constexpr std::uint64_t upper_edge(std::size_t index) noexcept {
    if (index < (std::size_t{2} << kPartBits)) return index;
    const std::size_t shift = (index >> kPartBits) - 1;
    const std::uint64_t leading = index - (shift << kPartBits);
    return ((leading + 1) << shift) - 1;
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t total_ = 0;
  std::uint64_t largest_ = 0;
};

// Returns {"count", "p50", "p90", "p99", "p99.9", "max", "buckets": [[upper edge, count], …]}, with every value
// multiplied by `unit`; null if nothing was recorded.
[[nodiscard]] Json json_of(const Histogram& histogram, double unit);

}  // namespace headroom

#endif  // HEADROOM_BASE_HISTOGRAM_H
