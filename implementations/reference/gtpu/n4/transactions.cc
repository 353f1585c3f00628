// SPDX-License-Identifier: Apache-2.0
#include "gtpu/n4/transactions.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace headroom::gtpu::n4 {
namespace {

constexpr std::uint32_t kSequenceMask = 0xFF'FFFF;

[[nodiscard]] std::uint64_t digest(pfcp::Octets octets) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(octets.data()), octets.size()});
}

}  // namespace

std::size_t AnswerCache::slot(const Peer& peer, std::uint32_t sequence) {
  return (digest(peer.address) + peer.port + sequence) % kEntries;
}

std::optional<pfcp::Octets> AnswerCache::find(const Peer& peer, std::uint32_t sequence, pfcp::Octets request,
                                              std::uint64_t now) const {
  const Entry& e = entries_[slot(peer, sequence)];
  if (e.answer.empty() || now >= e.expires || e.sequence != sequence || e.peer != peer || e.digest != digest(request)) {
    return std::nullopt;
  }
  return e.answer;
}

void AnswerCache::keep(const Peer& peer, std::uint32_t sequence, pfcp::Octets request, pfcp::Octets answer,
                       std::uint64_t now) {
  Entry& e = entries_[slot(peer, sequence)];
  e.peer = peer;
  e.sequence = sequence;
  e.digest = digest(request);
  e.expires = now + kLifetime;
  e.answer.assign(answer.begin(), answer.end());
}

void AnswerCache::clear() {
  for (Entry& e : entries_) e.answer.clear();
}

std::uint32_t PendingRequests::next_sequence() {
  sequence_ = (sequence_ + 1) & kSequenceMask;
  return sequence_;
}

void PendingRequests::add(std::uint32_t sequence, std::uint64_t session, Datagram request, std::uint64_t now) {
  if (pending_.size() >= kMost) return;
  pending_.insert_or_assign(sequence, Pending{session, 1, std::move(request)});
  timers_.push_back({now + kT1, sequence});
}

std::optional<std::uint64_t> PendingRequests::answered(std::uint32_t sequence) {
  const auto found = pending_.find(sequence);
  if (found == pending_.end()) return std::nullopt;
  const std::uint64_t session = found->second.session;
  pending_.erase(found);
  drop_stale();
  return session;
}

const PendingRequests::Pending* PendingRequests::due(std::uint64_t now) {
  drop_stale();
  while (!timers_.empty() && timers_.front().at <= now) {
    const std::uint32_t sequence = timers_.front().sequence;
    timers_.pop_front();
    const auto found = pending_.find(sequence);
    if (found == pending_.end()) continue;
    if (found->second.sent >= kN1) {
      pending_.erase(found);
      continue;
    }
    ++found->second.sent;
    timers_.push_back({now + kT1, sequence});
    return &found->second;
  }
  drop_stale();
  return nullptr;
}

std::optional<std::uint64_t> PendingRequests::deadline() const {
  return timers_.empty() ? std::nullopt : std::optional(timers_.front().at);
}

// Removes timers of requests that have been answered, so that no deadline is reported for them.
void PendingRequests::drop_stale() {
  while (!timers_.empty() && !pending_.contains(timers_.front().sequence)) timers_.pop_front();
}

}  // namespace headroom::gtpu::n4
