// SPDX-License-Identifier: Apache-2.0
#include "gtpu/sessions/session_table.h"

#include <bit>
#include <memory>

namespace headroom::gtpu {

SessionTable::SessionTable(std::size_t entries) {
  const std::size_t capacity = std::bit_ceil(entries * 2 + 2);
  memory_ = allocate_large(capacity * sizeof(Entry));
  entries_ = static_cast<Entry*>(memory_.get());
  std::uninitialized_value_construct_n(entries_, capacity);
  mask_ = capacity - 1;
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(capacity));
}

void SessionTable::insert(std::uint64_t key, const Session* session) noexcept {
  std::size_t at = place(key);
  while (entries_[at].session.load(std::memory_order_relaxed) != nullptr) at = (at + 1) & mask_;
  // The key first: a reader that finds the key of an erased place sees no session yet.
  entries_[at].key.store(key, std::memory_order_release);
  entries_[at].session.store(session, std::memory_order_release);
  ++used_;
}

void SessionTable::erase(std::uint64_t key) noexcept {
  std::size_t at = place(key);
  while (true) {
    const std::uint64_t found = entries_[at].key.load(std::memory_order_relaxed);
    if (found == 0) return;
    if (found == key && entries_[at].session.load(std::memory_order_relaxed) != nullptr) break;
    at = (at + 1) & mask_;
  }
  entries_[at].session.store(nullptr, std::memory_order_release);
  --used_;
  // Erased places in front of an empty one end no search any more: they become empty themselves.
  if (entries_[(at + 1) & mask_].key.load(std::memory_order_relaxed) != 0) return;
  while (entries_[at].session.load(std::memory_order_relaxed) == nullptr &&
         entries_[at].key.load(std::memory_order_relaxed) != 0) {
    entries_[at].key.store(0, std::memory_order_release);
    at = (at - 1) & mask_;
  }
}

}  // namespace headroom::gtpu
