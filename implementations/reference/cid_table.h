// SPDX-License-Identifier: Apache-2.0
//
// The table of CIDs of a compressor's channel. It finds the CID of a flow by the flow's key and reuses the least
// recently used CID first. The contexts themselves lie elsewhere, indexed by CID.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headroom {

// A Key can be compared and has a `hash()` of 32 bits.
template <typename Key>
class CidTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit CidTable(std::uint32_t most) noexcept : most_(most) {}
  CidTable(CidTable&&) = default;  // a copy of the vectors would lose the reserved capacity
  CidTable& operator=(CidTable&&) = default;
  // Allocates the memory for all CIDs, so that later calls allocate nothing.
  void reserve() {
    entries_.reserve(most_);
    set_buckets(std::bit_ceil(2 * most_));
  }

  // Returns the CID of the flow with this key, or kNone.
  [[nodiscard]] std::uint32_t find(const Key& key) const noexcept {
    return find(key, [](std::uint32_t) { return true; });
  }
  // Returns the CID with this key for which `is_it(cid)` is true, or kNone. For channels where several flows may share
  // a key.
  template <typename IsIt>
  [[nodiscard]] std::uint32_t find(const Key& key, IsIt&& is_it) const noexcept {
    std::uint32_t cid = buckets_[bucket_of(key)];
    while (cid != kNone && !(entries_[cid].key == key && is_it(cid))) cid = entries_[cid].chain;
    return cid;
  }
  // Returns the CID to give to a new flow: the lowest CID never assigned, or else the least recently used CID.
  [[nodiscard]] std::uint32_t next() const noexcept { return size() < most_ ? size() : oldest_; }
  // Assigns the CID to the flow with this key. The order of use does not change; a CID assigned for the first time
  // counts as the least recently used. REQUIRES: the CID is next() or was assigned before.
  void assign(std::uint32_t cid, const Key& key) {
    if (cid == size()) {
      add();
    } else {
      std::uint32_t* link = &buckets_[bucket_of(entries_[cid].key)];
      while (*link != cid) link = &entries_[*link].chain;
      *link = entries_[cid].chain;
    }
    entries_[cid].key = key;
    put(cid);
  }
  // Marks the CID as the most recently used.
  void touch(std::uint32_t cid) noexcept {
    if (cid == newest_) return;
    Entry& entry = entries_[cid];
    entries_[entry.newer].older = entry.older;
    (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
    entries_[newest_].newer = cid;
    entry.older = newest_;
    entry.newer = kNone;
    newest_ = cid;
  }

  // REQUIRES: the CID was assigned to a flow.
  [[nodiscard]] const Key& key_of(std::uint32_t cid) const noexcept { return entries_[cid].key; }
  // Returns the most recently used CID, or kNone if no CID was assigned yet.
  [[nodiscard]] std::uint32_t newest() const noexcept { return newest_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return entries_.capacity() * sizeof(Entry) + buckets_.capacity() * sizeof(buckets_[0]);
  }

 private:
  struct Entry {
    Key key{};
    std::uint32_t chain = kNone;                 // next CID of the bucket
    std::uint32_t newer = kNone, older = kNone;  // neighbours in the order of use
  };

  [[nodiscard]] std::size_t bucket_of(const Key& key) const noexcept { return key.hash() & mask_; }
  void set_buckets(std::size_t count) {
    buckets_.assign(count, kNone);
    mask_ = count - 1;
  }
  void put(std::uint32_t cid) noexcept {
    std::uint32_t& bucket = buckets_[bucket_of(entries_[cid].key)];
    entries_[cid].chain = bucket;
    bucket = cid;
  }
  // Adds the next CID as the least recently used.
  void add() {
    const std::uint32_t cid = size();
    if (buckets_.size() < 2 * (std::size_t{cid} + 1)) {
      set_buckets(std::bit_ceil(4 * (std::size_t{cid} + 1)));
      for (std::uint32_t i = 0; i < cid; ++i) put(i);
    }
    entries_.push_back({});
    entries_[cid].newer = oldest_;
    (oldest_ == kNone ? newest_ : entries_[oldest_].older) = cid;
    oldest_ = cid;
  }

  std::uint32_t most_;
  std::vector<Entry> entries_;                    // by CID
  std::vector<std::uint32_t> buckets_ = {kNone};  // a power of two, at least twice as many as there are entries
  std::size_t mask_ = 0;                          // the number of buckets minus 1
  std::uint32_t newest_ = kNone, oldest_ = kNone;
};

}  // namespace headroom
