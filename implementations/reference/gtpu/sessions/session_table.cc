// SPDX-License-Identifier: Apache-2.0
#include "gtpu/sessions/session_table.h"

#include <bit>
#include <memory>

namespace headroom::gtpu {

SessionTable::SessionTable(std::size_t entries) {
  const std::size_t capacity = std::bit_ceil(entries * 2 + 2);
  mask_ = capacity - 1;
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(capacity));
  renew();
}

// Copies what is not erased into a new array, which readers then find.
void SessionTable::renew() {
  const std::size_t capacity = mask_ + 1;
  std::unique_ptr<void, FreeMemory> memory = allocate_large(capacity * sizeof(Entry));
  auto* const fresh = static_cast<Entry*>(memory.get());
  std::uninitialized_value_construct_n(fresh, capacity);
  if (const Entry* const old = entries_.load(std::memory_order_relaxed)) {
    for (std::size_t i = 0; i < capacity; ++i) {
      const Session* const session = old[i].session.load(std::memory_order_relaxed);
      if (session != nullptr) place_entry(fresh, old[i].key.load(std::memory_order_relaxed), session);
    }
  }
  entries_.store(fresh, std::memory_order_release);
  replaced_ = std::exchange(memory_, std::move(memory));
  erased_ = 0;
}

void SessionTable::place_entry(Entry* entries, std::uint64_t key, const Session* session) noexcept {
  std::size_t at = place(key);
  while (entries[at].session.load(std::memory_order_relaxed) != nullptr) at = (at + 1) & mask_;
  if (entries[at].key.load(std::memory_order_relaxed) != 0) --erased_;
  // The key first: a reader that finds the key of an erased place sees no session yet.
  entries[at].key.store(key, std::memory_order_release);
  entries[at].session.store(session, std::memory_order_release);
}

void SessionTable::insert(std::uint64_t key, const Session* session) {
  if (is_worn()) renew();
  place_entry(entries_.load(std::memory_order_relaxed), key, session);
  ++used_;
}

void SessionTable::erase(std::uint64_t key) noexcept {
  Entry* const entries = entries_.load(std::memory_order_relaxed);
  std::size_t at = place(key);
  while (true) {
    const std::uint64_t found = entries[at].key.load(std::memory_order_relaxed);
    if (found == 0) return;
    if (found == key && entries[at].session.load(std::memory_order_relaxed) != nullptr) break;
    at = (at + 1) & mask_;
  }
  entries[at].session.store(nullptr, std::memory_order_release);
  --used_;
  ++erased_;
  // Erased places in front of an empty one end no search any more: they become empty themselves.
  if (entries[(at + 1) & mask_].key.load(std::memory_order_relaxed) != 0) return;
  while (entries[at].session.load(std::memory_order_relaxed) == nullptr &&
         entries[at].key.load(std::memory_order_relaxed) != 0) {
    entries[at].key.store(0, std::memory_order_release);
    --erased_;
    at = (at - 1) & mask_;
  }
}

}  // namespace headroom::gtpu
