// SPDX-License-Identifier: Apache-2.0
#include "vj/slots.h"

#include <algorithm>

#include "mutants.h"

namespace headroom::vj {

SlotTable::SlotTable(std::uint32_t slots) : slots_(slots), newest_(static_cast<std::uint16_t>(slots - 1)), oldest_(0) {
  buckets_.fill(kNone);
  for (std::uint16_t i = 0; i < slots; ++i) {
    slots_[i].older = i == 0 ? kNone : static_cast<std::uint16_t>(i - 1);
    slots_[i].newer = i + 1u == slots ? kNone : static_cast<std::uint16_t>(i + 1);
  }
}

std::size_t SlotTable::bucket_of(const Connection& connection) noexcept {
  const std::uint64_t mixed = (connection.addresses ^ std::uint64_t{connection.ports} << 16) * 0x9E3779B97F4A7C15;
  return static_cast<std::size_t>(mixed >> 32) % kBuckets;
}

std::uint16_t SlotTable::find(const Connection& connection) const noexcept {
  std::uint16_t slot = buckets_[bucket_of(connection)];
  while (slot != kNone && slots_[slot].connection != connection) slot = slots_[slot].chain;
  return slot;
}

std::uint16_t SlotTable::reclaim(const Connection& connection) noexcept {
  const std::uint16_t slot = mutant("vj-newest-slot-reclaimed") ? newest_ : oldest_;
  if (!slots_[slot].header.empty()) {
    std::uint16_t* link = &buckets_[bucket_of(slots_[slot].connection)];
    while (*link != slot) link = &slots_[*link].chain;
    *link = slots_[slot].chain;
  }
  std::uint16_t& bucket = buckets_[bucket_of(connection)];
  slots_[slot].connection = connection;
  slots_[slot].chain = bucket;
  bucket = slot;
  touch(slot);
  return slot;
}

void SlotTable::unlink(std::uint16_t slot) noexcept {
  const Slot& s = slots_[slot];
  (s.newer == kNone ? newest_ : slots_[s.newer].older) = s.older;
  (s.older == kNone ? oldest_ : slots_[s.older].newer) = s.newer;
}

void SlotTable::touch(std::uint16_t slot) noexcept {
  if (slot == newest_) return;
  unlink(slot);
  slots_[newest_].newer = slot;
  slots_[slot].older = newest_;
  slots_[slot].newer = kNone;
  newest_ = slot;
}

std::size_t SlotTable::in_use() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return !slot.header.empty(); }));
}

std::size_t SlotTable::memory_bytes() const noexcept { return sizeof *this + slots_.capacity() * sizeof(Slot); }

}  // namespace headroom::vj
