// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/compressor/flow_table.h"

#include <bit>

namespace headroom::rohc {

std::uint32_t FlowTable::buckets_for(std::uint32_t capacity) noexcept {
  return std::bit_ceil(capacity / kSlots * 2 + 1);
}

FlowTable::FlowTable(std::uint32_t capacity) : buckets_(buckets_for(capacity)), mask_(buckets_for(capacity) - 1) {}

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
