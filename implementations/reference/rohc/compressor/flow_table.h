// SPDX-License-Identifier: Apache-2.0
//
// From the hash of a flow to its context: a hash table of fixed size with buckets of one cache line.
//
// A bucket holds up to eight pairs of a 16-bit tag and a context index. Tags collide, so a caller always compares the
// whole flow definition with the context before it believes a match. An entry that does not fit into its home bucket
// goes to the next ones, at most kMaxProbes away; the table never grows and never moves an entry, so inserting is as
// fast with a hundred thousand entries as with one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "rohc/channel.h"
#include "rohc/page_array.h"

namespace headroom::rohc {

class FlowTable {
 public:
  // Room for `capacity` entries at a load of at most three quarters.
  explicit FlowTable(std::uint32_t capacity);

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&buckets_[home(hash)]); }

  // The context of the first entry in the home bucket whose tag matches, or kNoContext. A guess, to prefetch by.
  [[nodiscard]] std::uint32_t guess(std::uint64_t hash) const noexcept {
    const Bucket& bucket = buckets_[home(hash)];
    // Four tags in a word at a time: a 16-bit lane of the difference is zero where the tag matches; the lowest such
    // lane is found exactly.
    constexpr std::uint64_t kOnes = 0x0001000100010001U;
    constexpr std::uint64_t kTops = 0x8000800080008000U;
    const std::uint64_t wanted = kOnes * tag_of(hash);
    for (unsigned i = 0; i < 2; ++i) {
      std::uint64_t word;
      std::memcpy(&word, bucket.tags.data() + 4 * i, sizeof word);
      const std::uint64_t difference = word ^ wanted;
      const std::uint64_t zero_lanes = (difference - kOnes) & ~difference & kTops;
      if (zero_lanes != 0) {
        const auto lane = static_cast<unsigned>(std::countr_zero(zero_lanes)) / 16;
        return bucket.contexts[4 * i + (std::endian::native == std::endian::little ? lane : 3 - lane)];
      }
    }
    return kNoContext;
  }

  // Calls `matches(index)` for every entry with the tag of `hash`, until one returns true; returns that index or
  // kNoContext.
  template <typename Predicate>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, Predicate&& matches) const {
    const std::uint16_t tag = tag_of(hash);
    std::uint32_t at = home(hash);
    for (unsigned probe = 0; probe < kMaxProbes; ++probe) {
      const Bucket& bucket = buckets_[at];
      for (unsigned slot = 0; slot < kSlots; ++slot) {
        if (bucket.tags[slot] == tag && matches(bucket.contexts[slot])) return bucket.contexts[slot];
      }
      if (bucket.passed == 0) break;
      at = (at + 1) & mask_;
    }
    return kNoContext;
  }

  // False when all buckets in reach are full: the caller then erases victim() and tries again.
  [[nodiscard]] bool insert(std::uint64_t hash, std::uint32_t context) noexcept;

  // A context of the home bucket of `hash`, which makes room when it is erased.
  [[nodiscard]] std::uint32_t victim(std::uint64_t hash) const noexcept { return buckets_[home(hash)].contexts[0]; }

  // REQUIRES: the entry was inserted with this very hash.
  void erase(std::uint64_t hash, std::uint32_t context) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return buckets_.size() * sizeof(Bucket); }

 private:
  static constexpr unsigned kSlots = 8;
  static constexpr unsigned kMaxProbes = 8;

  struct alignas(64) Bucket {
    std::array<std::uint16_t, kSlots> tags;  // 0: free
    std::array<std::uint32_t, kSlots> contexts;
    std::uint16_t passed;  // entries that found this bucket full and went on: a search must go on as well
  };
  static_assert(sizeof(Bucket) == 64);

  [[nodiscard]] static std::uint16_t tag_of(std::uint64_t hash) noexcept {
    const auto tag = static_cast<std::uint16_t>(hash >> 48);
    return tag == 0 ? std::uint16_t{1} : tag;
  }
  [[nodiscard]] std::uint32_t home(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>(hash) & mask_;
  }

  [[nodiscard]] static std::uint32_t buckets_for(std::uint32_t capacity) noexcept;

  PageArray<Bucket> buckets_;
  std::uint32_t mask_;
};

}  // namespace headroom::rohc
