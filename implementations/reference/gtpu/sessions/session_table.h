// SPDX-License-Identifier: Apache-2.0
//
// SessionTable is a hash table from 64-bit keys to sessions that one thread writes while others read. It uses open
// addressing in a fixed array.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "gtpu/sessions/block_pool.h"

namespace headroom::gtpu {

struct Session;

class SessionTable {
 public:
  // Makes room for `entries` keys while at least half of the array stays empty.
  explicit SessionTable(std::size_t entries);

  // Returns the session with this key, or nullptr. Called by readers. Key 0 is never found.
  [[nodiscard]] const Session* find(std::uint64_t key) const noexcept {
    if (key == 0) return nullptr;
    const Entry* const entries = entries_.load(std::memory_order_acquire);
    for (std::size_t at = place(key);; at = (at + 1) & mask_) {
      const std::uint64_t found = entries[at].key.load(std::memory_order_acquire);
      if (found == 0) return nullptr;
      if (found != key) continue;
      const Session* session = entries[at].session.load(std::memory_order_acquire);
      // The writer may have reused the entry for another key between the two loads.
      if (entries[at].key.load(std::memory_order_relaxed) == key) return session;
    }
  }
  void prefetch(std::uint64_t key) const noexcept {
    __builtin_prefetch(entries_.load(std::memory_order_relaxed) + place(key));
  }

  // Functions for the writer. REQUIRES for `insert`: there is room, and the key is not 0 and not in the table.
  [[nodiscard]] bool has_room(std::size_t keys) const noexcept { return used_ + keys <= (mask_ + 1) / 2; }
  void insert(std::uint64_t key, const Session* session);
  void erase(std::uint64_t key) noexcept;
  // Returns the memory of an array that `insert` has replaced, or nullptr. The caller frees the memory when no reader
  // uses it any more.
  [[nodiscard]] std::unique_ptr<void, FreeMemory> take_replaced() noexcept { return std::move(replaced_); }

 private:
  struct Entry {
    std::atomic<std::uint64_t> key{0};             // 0: empty, which ends a search
    std::atomic<const Session*> session{nullptr};  // nullptr: erased; the entry may be reused
  };

  [[nodiscard]] std::size_t place(std::uint64_t key) const noexcept {
    const std::uint64_t mixed = (key ^ key >> 32) * 0x9E3779B97F4A7C15U;  // 2^64 divided by the golden ratio
    return static_cast<std::size_t>(mixed >> shift_);
  }

  // True if one more entry would leave less than a quarter of the array empty, which is needed to end searches quickly.
  [[nodiscard]] bool is_worn() const noexcept { return (used_ + erased_ + 1) * 4 > (mask_ + 1) * 3; }
  void place_entry(Entry* entries, std::uint64_t key, const Session* session) noexcept;
  void renew();

  std::unique_ptr<void, FreeMemory> memory_{};
  std::unique_ptr<void, FreeMemory> replaced_{};
  std::atomic<Entry*> entries_{nullptr};
  std::size_t mask_;
  unsigned shift_;
  std::size_t used_ = 0;
  std::size_t erased_ = 0;
};

}  // namespace headroom::gtpu
