// SPDX-License-Identifier: Apache-2.0
#include "taroc/contexts.h"

namespace headroom::taroc {

ContextTable::ContextTable(std::uint32_t contexts)
    : entries_(contexts), newest_(static_cast<std::uint16_t>(contexts - 1)) {
  buckets_.fill(kNone);
  for (std::uint16_t cid = 0; cid < contexts; ++cid) {
    entries_[cid].older = cid == 0 ? kNone : static_cast<std::uint16_t>(cid - 1);
    entries_[cid].newer = cid + 1u == contexts ? kNone : static_cast<std::uint16_t>(cid + 1);
  }
}

std::size_t ContextTable::bucket_of(const Connection& connection) noexcept {
  std::uint64_t mixed = 0;
  for (const std::uint64_t word : connection.words) mixed = (mixed ^ word) * 0x9E3779B97F4A7C15;
  return static_cast<std::size_t>(mixed >> 32) % kBuckets;
}

std::uint16_t ContextTable::find(const Connection& connection) const noexcept {
  std::uint16_t cid = buckets_[bucket_of(connection)];
  while (cid != kNone && entries_[cid].connection != connection) cid = entries_[cid].chain;
  return cid;
}

std::uint16_t ContextTable::assign(const Connection& connection) noexcept {
  const std::uint16_t cid = oldest_;
  Entry& entry = entries_[cid];
  if (entry.used) {
    std::uint16_t* link = &buckets_[bucket_of(entry.connection)];
    while (*link != cid) link = &entries_[*link].chain;
    *link = entry.chain;
  } else {
    entry.used = true;
    ++in_use_;
  }
  std::uint16_t& bucket = buckets_[bucket_of(connection)];
  entry.connection = connection;
  entry.chain = bucket;
  bucket = cid;
  touch(cid);
  return cid;
}

void ContextTable::touch(std::uint16_t cid) noexcept {
  if (cid == newest_) return;
  Entry& entry = entries_[cid];
  entries_[entry.newer].older = entry.older;
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
  entries_[newest_].newer = cid;
  entry.older = newest_;
  entry.newer = kNone;
  newest_ = cid;
}

}  // namespace headroom::taroc
