// SPDX-License-Identifier: Apache-2.0
//
// The table that maps the hash of a flow to its context: a hash table of fixed size with buckets of one cache line.
//
// The upper 32 bits of an entry's hash choose its bucket; these bits cannot be predicted without the seed
// (flow_hash.h). A bucket holds up to eight pairs of a 16-bit tag and a context index. Tags collide, so a caller always
// compares the whole flow definition with the context to confirm a match. An entry that does not fit into its home
// bucket goes to the next ones, at most kMaxProbes away; the table never grows and never moves an entry, so inserting
// is as fast with a hundred thousand entries as with one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "rohc/framework/channel.h"
#include "rohc/framework/page_array.h"

namespace headroom::rohc {

class FlowTable {
 public:
  // Makes room for `capacity` entries at a load of at most a half, so that few entries find their home bucket full.
  explicit FlowTable(std::uint32_t capacity);

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&buckets_[home(hash)]); }

  // Returns the context of the first entry with a matching tag in the home bucket or the next bucket, or kNoContext.
  // The result is a guess for prefetching.
  [[nodiscard]] std::uint32_t guess(std::uint64_t hash) const noexcept {
    const std::uint32_t at = home(hash);
    const unsigned slots = matching_slots(buckets_[at], tag_of(hash));
    if (slots != 0) [[likely]]
      return buckets_[at].contexts[first_of(slots)];
    if (buckets_[at].passed == 0) return kNoContext;
    const Bucket& next = buckets_[(at + 1) & mask_];
    const unsigned further = matching_slots(next, tag_of(hash));
    return further != 0 ? next.contexts[first_of(further)] : kNoContext;
  }

  // Calls `matches(index)` for every entry with the tag of `hash`, until one returns true; returns that index or
  // kNoContext.
  template <typename Predicate>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, Predicate&& matches) const {
    const std::uint16_t tag = tag_of(hash);
    std::uint32_t at = home(hash);
    for (unsigned probe = 0; probe < kMaxProbes; ++probe) {
      const Bucket& bucket = buckets_[at];
      for (unsigned slots = matching_slots(bucket, tag); slots != 0; slots &= slots - 1) {
        const std::uint32_t context = bucket.contexts[first_of(slots)];
        if (matches(context)) return context;
      }
      if (bucket.passed == 0) break;
      at = (at + 1) & mask_;
    }
    return kNoContext;
  }

  // Inserts an entry. Returns false if all buckets within kMaxProbes are full: the caller then erases victim() and
  // tries again.
  [[nodiscard]] bool insert(std::uint64_t hash, std::uint32_t context) noexcept;

  // Returns a context of the home bucket of `hash` that the caller erases to make room. Rarely needed, because the hash
  // cannot be predicted.
  [[nodiscard]] std::uint32_t victim(std::uint64_t hash) const noexcept { return buckets_[home(hash)].contexts[0]; }

  // Removes an entry. REQUIRES: the entry was inserted with this hash.
  void erase(std::uint64_t hash, std::uint32_t context) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return buckets_.size() * sizeof(Bucket); }

 private:
  static constexpr unsigned kSlots = 8;
  static constexpr unsigned kMaxProbes = 8;
  static constexpr unsigned kBitsPerSlot = 2;  // SSE2 comparisons yield one bit per octet of a tag

  struct alignas(64) Bucket {
    std::array<std::uint16_t, kSlots> tags;  // 0: free
    std::array<std::uint32_t, kSlots> contexts;
    std::uint16_t passed;  // entries that found this bucket full and lie in later ones; if not 0, a search continues
  };
  static_assert(sizeof(Bucket) == 64);

  // Returns a mask with one bit per slot that has this tag; the bits of adjacent slots are kBitsPerSlot apart.
  [[nodiscard]] static unsigned matching_slots(const Bucket& bucket, std::uint16_t tag) noexcept {
#ifdef __SSE2__
    const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(bucket.tags.data()));
    const __m128i equal = _mm_cmpeq_epi16(tags, _mm_set1_epi16(static_cast<std::int16_t>(tag)));
    return static_cast<unsigned>(_mm_movemask_epi8(equal)) & 0x5555U;
#else
    unsigned slots = 0;
    for (unsigned slot = 0; slot < kSlots; ++slot) slots |= (bucket.tags[slot] == tag ? 1U : 0U) << kBitsPerSlot * slot;
    return slots;
#endif
  }
  [[nodiscard]] static unsigned first_of(unsigned slots) noexcept {
    return static_cast<unsigned>(std::countr_zero(slots)) / kBitsPerSlot;
  }

  [[nodiscard]] static std::uint16_t tag_of(std::uint64_t hash) noexcept {
    const auto tag = static_cast<std::uint16_t>(hash >> 16);
    return tag == 0 ? std::uint16_t{1} : tag;
  }
  [[nodiscard]] std::uint32_t home(std::uint64_t hash) const noexcept {
    return static_cast<std::uint32_t>(hash >> 32) & mask_;
  }

  [[nodiscard]] static std::uint32_t buckets_for(std::uint32_t capacity) noexcept;

  PageArray<Bucket> buckets_;
  std::uint32_t mask_;
};

}  // namespace headroom::rohc
