// SPDX-License-Identifier: Apache-2.0
//
// The number of streams on probation (CompressorConfig::ssrcs_per_flow) per set of addresses and ports: a hash table of
// fixed size, accessed only when such a stream begins, ends or proves to be in sequence.
#pragma once

#include <bit>
#include <cstdint>

#include "rohc/framework/channel.h"
#include "rohc/framework/page_array.h"

namespace headroom::rohc {

class StreamCounts {
 public:
  // Makes room for `capacity` streams. REQUIRES: the caller never adds more streams at a time.
  explicit StreamCounts(std::uint32_t capacity)
      : entries_(std::bit_ceil(std::size_t{capacity} * 2)), mask_(entries_.size() - 1) {}

  // Returns the number of streams whose addresses and ports have this hash (flow_hash.h). Sets of addresses and ports
  // with the same 64-bit hash are counted together.
  [[nodiscard]] std::uint32_t count(std::uint64_t ports) const noexcept { return entries_[place_of(ports)].count; }

  // Returns the context of the stream added last, or kNoContext. The stream may have been removed since.
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
  // Returns the index of the entry for `ports`, or of the free entry for it. A free entry always exists, because the
  // load is at most a half.
  [[nodiscard]] std::size_t place_of(std::uint64_t ports) const noexcept {
    std::size_t at = home_of(ports);
    while (entries_[at].count != 0 && entries_[at].ports != ports) at = next(at);
    return at;
  }

  PageArray<Entry> entries_;
  std::size_t mask_;
};

}  // namespace headroom::rohc
