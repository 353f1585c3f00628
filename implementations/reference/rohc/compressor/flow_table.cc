// SPDX-License-Identifier: Apache-2.0
#include "rohc/compressor/flow_table.h"

#include <bit>
#include <cstring>

namespace headroom::rohc {

std::uint32_t FlowTable::buckets_for(std::uint32_t capacity) noexcept { return std::bit_ceil(capacity / kSlots * 4 / 3 + 1); }

FlowTable::FlowTable(std::uint32_t capacity) : buckets_(buckets_for(capacity)), mask_(buckets_for(capacity) - 1) {}

std::uint32_t FlowTable::guess(std::uint64_t hash) const noexcept {
  const Bucket& bucket = buckets_[home(hash)];
  // Four tags in a word at a time: a 16-bit lane of the difference is zero where the tag matches.
  constexpr std::uint64_t kOnes = 0x0001000100010001U;
  constexpr std::uint64_t kTops = 0x8000800080008000U;
  const std::uint64_t wanted = kOnes * tag_of(hash);
  std::uint64_t words[2];
  std::memcpy(words, bucket.tags.data(), sizeof words);
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint64_t difference = words[i] ^ wanted;
    const std::uint64_t zero_lanes = (difference - kOnes) & ~difference & kTops;
    if (zero_lanes != 0) {
      const auto lane = static_cast<unsigned>(std::countr_zero(zero_lanes)) / 16;
      return bucket.contexts[4 * i + (std::endian::native == std::endian::little ? lane : 3 - lane)];
    }
  }
  return kNoContext;
}

bool FlowTable::insert(std::uint64_t hash, std::uint32_t context) noexcept {
  const std::uint16_t tag = tag_of(hash);
  std::uint32_t at = home(hash);
  for (unsigned probe = 0; probe < kMaxProbes; ++probe) {
    Bucket& bucket = buckets_[at];
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if (bucket.tags[slot] == 0) {
        bucket.tags[slot] = tag;
        bucket.contexts[slot] = context;
        for (std::uint32_t full = home(hash); full != at; full = (full + 1) & mask_) ++buckets_[full].passed;
        return true;
      }
    }
    at = (at + 1) & mask_;
  }
  return false;
}

void FlowTable::erase(std::uint64_t hash, std::uint32_t context) noexcept {
  const std::uint16_t tag = tag_of(hash);
  std::uint32_t at = home(hash);
  for (unsigned probe = 0; probe < kMaxProbes; ++probe) {
    Bucket& bucket = buckets_[at];
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if (bucket.tags[slot] == tag && bucket.contexts[slot] == context) {
        bucket.tags[slot] = 0;
        for (std::uint32_t full = home(hash); full != at; full = (full + 1) & mask_) --buckets_[full].passed;
        return;
      }
    }
    at = (at + 1) & mask_;
  }
}

}  // namespace headroom::rohc
