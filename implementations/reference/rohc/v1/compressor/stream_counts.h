// SPDX-License-Identifier: Apache-2.0
//
// How many streams on probation (CompressorConfig::ssrcs_per_flow) share one set of addresses and ports: a hash table
// of fixed size, touched only when such a stream begins, ends or turns out to be in sequence.
#pragma once

#include <bit>
#include <cstdint>

#include "rohc/framework/channel.h"
#include "rohc/framework/page_array.h"

namespace headroom::rohc {

class StreamCounts {
 public:
  // REQUIRES of the callers: at most `capacity` streams at a time.
  explicit StreamCounts(std::uint32_t capacity)
      : entries_(std::bit_ceil(std::size_t{capacity} * 2)), mask_(entries_.size() - 1) {}

  // Streams whose addresses and ports have this hash (flow_hash.h). Two sets with one 64-bit hash count as one.
  [[nodiscard]] std::uint32_t count(std::uint64_t ports) const noexcept { return entries_[place_of(ports)].count; }

  // The context of the stream that was added last, or kNoContext. It may have been removed since.
  [[nodiscard]] std::uint32_t latest(std::uint64_t ports) const noexcept {
    const Entry& e = entries_[place_of(ports)];
    return e.count != 0 ? e.latest : kNoContext;
  }

  void add(std::uint64_t ports, std::uint32_t context) noexcept {
    Entry& e = entries_[place_of(ports)];
    e.ports = ports;
    e.latest = context;
    ++e.count;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return entries_.size() * sizeof(Entry); }

  // REQUIRES: a stream of this hash was added before and has not been removed.
  void remove(std::uint64_t ports) noexcept {
    std::size_t gap = place_of(ports);
    if (--entries_[gap].count != 0) return;
    // Linear probing without tombstones: entries move up into a gap that lies between their home and their place.
    for (std::size_t at = next(gap); entries_[at].count != 0; at = next(at)) {
      const std::size_t home = home_of(entries_[at].ports);
      if (((at - home) & mask_) < ((at - gap) & mask_)) continue;
      entries_[gap] = entries_[at];
      entries_[at] = {};
      gap = at;
    }
  }

 private:
  struct Entry {
    std::uint64_t ports;
    std::uint32_t count;   // 0: free
    std::uint32_t latest;  // context
  };

  [[nodiscard]] std::size_t home_of(std::uint64_t ports) const noexcept {
    return static_cast<std::size_t>(ports >> 32) & mask_;
  }
  [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask_; }
  // The entry of `ports`, or the free one where it would go. At a load of a half at most there always is one.
  [[nodiscard]] std::size_t place_of(std::uint64_t ports) const noexcept {
    std::size_t at = home_of(ports);
    while (entries_[at].count != 0 && entries_[at].ports != ports) at = next(at);
    return at;
  }

  PageArray<Entry> entries_;
  std::size_t mask_;
};

}  // namespace headroom::rohc
