// SPDX-License-Identifier: Apache-2.0
#include "gtpu/sessions/sessions.h"

#include <algorithm>
#include <utility>

#include "gtpu/rules/rule_set.h"
#include "gtpu/wire/gtpu.h"
#include "gtpu/wire/ip.h"
#include "mutants.h"

namespace headroom::gtpu {
namespace {

// Tunnel endpoints of one session that there is room for, on average: N3 and N9, or both IP versions.
constexpr std::size_t kEndpointsOfSession = 2;

using KeyList = std::vector<std::uint64_t>;

void sort(KeyList& keys) {
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

KeyList difference(const KeyList& keys, const KeyList& without) {
  KeyList rest;
  std::ranges::set_difference(keys, without, std::back_inserter(rest));
  return rest;
}

}  // namespace

struct Sessions::Keys {
  KeyList teids{};
  KeyList ipv4{};
  KeyList ipv6{};
  KeyList peers{};
};

Sessions::Sessions(LocalAddresses addresses, std::uint32_t max_sessions)
    : addresses_(std::move(addresses)),
      max_sessions_(max_sessions),
      by_teid_(max_sessions * kEndpointsOfSession),
      by_ipv4_(max_sessions),
      by_ipv6_(max_sessions),
      by_peer_(max_sessions * kEndpointsOfSession),
      slots_(max_sessions),
      end_markers_(std::make_unique<std::array<EndMarker, kEndMarkers>>()) {
  free_.reserve(max_sessions);
  for (std::uint32_t i = max_sessions; i-- > 0;) free_.push_back(i);
}

Sessions::~Sessions() {
  for (Slot& slot : slots_) {
    const Session* const session = slot.session.load(std::memory_order_relaxed);
    if (session != nullptr) delete session->rules.load(std::memory_order_relaxed);
  }
}

void Sessions::destroy(Session* session) { pool_.free(session, sizeof(Session)); }

std::uint64_t Sessions::peer_key(const Address& peer, std::uint32_t teid) noexcept {
  const std::uint64_t mixed = (peer.high() * 0x9E3779B97F4A7C15U) ^ (peer.low() * 0xC2B2AE3D27D4EB4FU);
  return (mixed ^ static_cast<std::uint64_t>(teid) << 20) | 1;
}

Sessions::Keys Sessions::keys_of(const Rules& rules) const {
  Keys keys;
  UserAddresses user;
  for (const Pdr& pdr : rules.pdrs) {
    if (pdr.user.ipv4 != 0) user.ipv4 = pdr.user.ipv4;
    if (pdr.user.ipv6 != 0) user.ipv6 = pdr.user.ipv6;
  }
  for (const Pdr& pdr : rules.pdrs) {
    if (pdr.teid.teid != 0) {
      for (std::uint8_t i = 0; i < addresses_.entries.size(); ++i) {
        if ((pdr.teid.addresses >> i & 1) != 0) keys.teids.push_back(teid_key(i, pdr.teid.teid));
      }
    } else if (pdr.source == Interface::core || pdr.source == Interface::n6_lan) {
      const UserAddresses& own = pdr.user.ipv4 != 0 || pdr.user.ipv6 != 0 ? pdr.user : user;
      if (own.ipv4 != 0) keys.ipv4.push_back(own.ipv4);
      if (own.ipv6 != 0) keys.ipv6.push_back(own.ipv6);
    }
  }
  for (const Far& far : rules.fars) {
    if (far.forwarding.tunnel) keys.peers.push_back(peer_key(far.forwarding.peer, far.forwarding.teid));
  }
  sort(keys.teids);
  sort(keys.ipv4);
  sort(keys.ipv6);
  sort(keys.peers);
  return keys;
}

bool Sessions::insert_keys(const Keys& keys, const Keys& held, Session& session, Refusal& refusal) {
  struct Part {
    SessionTable& table;
    KeyList keys;
    Refusal::Reason taken;  // none: two sessions may send to one endpoint; the first keeps the entry
  };
  const bool shared = mutant("gtpu-same-teid-chosen-twice");
  Part parts[] = {
      {by_teid_, difference(keys.teids, held.teids), shared ? Refusal::Reason::none : Refusal::Reason::teid_in_use},
      {by_ipv4_, difference(keys.ipv4, held.ipv4), Refusal::Reason::address_in_use},
      {by_ipv6_, difference(keys.ipv6, held.ipv6), Refusal::Reason::address_in_use},
      {by_peer_, difference(keys.peers, held.peers), Refusal::Reason::none}};
  for (Part& part : parts) {
    std::erase_if(part.keys, [&](std::uint64_t key) {
      if (part.table.find(key) == nullptr) return false;
      if (part.taken != Refusal::Reason::none) refusal.reason = part.taken;
      return true;
    });
    if (!refusal && !part.table.has_room(part.keys.size())) refusal.reason = Refusal::Reason::no_resources;
    if (refusal) return false;
  }
  for (Part& part : parts) {
    for (const std::uint64_t key : part.keys) part.table.insert(key, &session);
    if (auto memory = part.table.take_replaced()) retire(nullptr, nullptr, std::move(memory));
  }
  if (!chosen_.empty()) {
    for (const std::uint64_t key : parts[0].keys) chosen_.erase(static_cast<std::uint32_t>(key));
  }
  return true;
}

void Sessions::erase_keys(const Keys& keys, const Keys& kept, const Session& session) {
  const auto erase = [&session](SessionTable& table, const KeyList& list) {
    for (const std::uint64_t key : list) {
      if (table.find(key) == &session) table.erase(key);
    }
  };
  erase(by_teid_, difference(keys.teids, kept.teids));
  erase(by_ipv4_, difference(keys.ipv4, kept.ipv4));
  erase(by_ipv6_, difference(keys.ipv6, kept.ipv6));
  erase(by_peer_, difference(keys.peers, kept.peers));
}

Session* Sessions::create(Rules rules, Refusal& refusal) {
  collect();
  refusal = {};
  if (free_.empty()) {
    refusal.reason = Refusal::Reason::no_resources;
    return nullptr;
  }
  // First, so that what belongs to the session lies after it.
  Session* const session = new (pool_.allocate(sizeof(Session))) Session;
  auto set = RuleSet::compile(std::move(rules), addresses_, nullptr, generation_.load(std::memory_order_relaxed) + 1,
                              pool_, refusal);
  if (!set) {
    destroy(session);
    return nullptr;
  }
  Slot& slot = slots_[free_.back()];
  session->index = free_.back();
  session->seid = static_cast<std::uint64_t>(++slot.uses) << 32 | (session->index + 1);
  session->rules.store(set.get(), std::memory_order_release);
  if (!insert_keys(keys_of(set->cold->rules), {}, *session, refusal)) {
    destroy(session);
    return nullptr;
  }
  (void)set.release();
  free_.pop_back();
  count_.fetch_add(1, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  slot.session.store(session, std::memory_order_release);
  return session;
}

bool Sessions::replace(Session& session, Rules rules, Refusal& refusal) {
  collect();
  refusal = {};
  const RuleSet* const before = session.rules.load(std::memory_order_relaxed);
  auto set = RuleSet::compile(std::move(rules), addresses_, before, generation_.load(std::memory_order_relaxed) + 1,
                              pool_, refusal);
  if (!set) return false;
  const Keys keys = keys_of(set->cold->rules), held = keys_of(before->cold->rules);
  if (!insert_keys(keys, held, session, refusal)) return false;
  session.rules.store(set.release(), std::memory_order_release);
  session.notified.store(false, std::memory_order_relaxed);
  erase_keys(held, keys, session);
  generation_.fetch_add(1, std::memory_order_release);
  retire(before, nullptr);
  return true;
}

void Sessions::remove(Session& session) {
  const RuleSet* const rules = session.rules.load(std::memory_order_relaxed);
  erase_keys(keys_of(rules->cold->rules), {}, session);
  Slot& slot = slots_[session.index];
  free_.push_back(session.index);
  count_.fetch_sub(1, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  slot.session.store(nullptr, std::memory_order_release);
  retire(rules, &session);
  collect();
}

Session* Sessions::find(std::uint64_t seid) const noexcept {
  const std::uint64_t index = (seid & 0xFFFFFFFF) - 1;
  if (index >= slots_.size()) return nullptr;
  Session* const session = slots_[index].session.load(std::memory_order_acquire);
  return session != nullptr && session->seid == seid ? session : nullptr;
}

const Rules& Sessions::rules_of(const Session& session) noexcept {
  return session.rules.load(std::memory_order_relaxed)->cold->rules;
}

Usage* Sessions::usage_of(const Session& session, std::uint32_t urr) noexcept {
  const auto& usages = session.rules.load(std::memory_order_relaxed)->cold->usages;
  const auto it = std::ranges::find(usages, urr, &Usage::id);
  return it == usages.end() ? nullptr : *it;
}

std::uint32_t Sessions::choose_teid() {
  const auto is_taken = [this](std::uint32_t teid) {
    if (teid == 0 || chosen_.contains(teid)) return true;
    for (std::uint8_t i = 0; i < addresses_.entries.size(); ++i) {
      if (by_teid_.find(teid_key(i, teid)) != nullptr) return true;
    }
    return false;
  };
  // More tries than there can be taken TEIDs.
  const std::size_t most = chosen_.size() + LocalAddresses::kMost * kEndpointsOfSession * std::size_t{max_sessions_};
  for (std::size_t tries = 0; tries <= most; ++tries) {
    if (mutant("gtpu-same-teid-chosen-twice")) return next_teid_;
    const std::uint32_t teid = next_teid_++;
    if (is_taken(teid)) continue;
    chosen_.insert(teid);
    return teid;
  }
  return 0;
}

void Sessions::release_teid(std::uint32_t teid) { chosen_.erase(teid); }

void Sessions::send_end_marker(const Forwarding& old) {
  const std::uint8_t place = addresses_.find(old.side, old.peer.is_ipv4());
  const std::uint32_t filled = markers_filled_.load(std::memory_order_relaxed);
  if (!old.tunnel || place == LocalAddresses::kNone ||
      filled - markers_taken_.load(std::memory_order_acquire) == kEndMarkers)
    return;
  EndMarker& marker = (*end_markers_)[filled % kEndMarkers];
  std::uint8_t* const room = marker.octets.data();
  std::size_t length = write_transport(room, addresses_.entries[place].address, old.peer, kGtpuPort, kGtpuPort,
                                       kGtpuHeader, old.traffic_class & old.traffic_class_mask);
  length += write_end_marker(room + length, old.teid);
  if (!old.peer.is_ipv4()) write_udp_checksum(room, length);
  marker.length = static_cast<std::uint8_t>(length);
  marker.side = old.side;
  markers_filled_.store(filled + 1, std::memory_order_release);
}

std::size_t Sessions::take_packet(std::uint8_t* room, std::int32_t& side) noexcept {
  const std::uint32_t taken = markers_taken_.load(std::memory_order_relaxed);
  if (taken == markers_filled_.load(std::memory_order_acquire)) return 0;
  const EndMarker& marker = (*end_markers_)[taken % kEndMarkers];
  const std::size_t length = marker.length;
  std::memcpy(room, marker.octets.data(), length);
  side = marker.side;
  markers_taken_.store(taken + 1, std::memory_order_release);
  return length;
}

bool Sessions::next_event(Event& event) noexcept {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[next_worker_ % workers_.size()]->events.pop(event)) return true;
    ++next_worker_;
  }
  return false;
}

void Sessions::retire(const RuleSet* rules, Session* session, std::unique_ptr<void, FreeMemory> memory) {
  const std::uint64_t epoch = epoch_.fetch_add(1, std::memory_order_seq_cst) + 1;
  retired_.push_back({epoch, std::unique_ptr<const RuleSet>(rules), session, std::move(memory)});
}

void Sessions::collect() {
  if (retired_.empty()) return;
  std::uint64_t oldest = WorkerEpoch::kOutside;
  for (const WorkerEpoch* const worker : workers_) {
    oldest = std::min(oldest, worker->entered_.load(std::memory_order_seq_cst));
  }
  while (!retired_.empty() && retired_.front().epoch <= oldest) {
    if (retired_.front().session != nullptr) destroy(retired_.front().session);
    retired_.pop_front();
  }
}

void Sessions::add_worker(WorkerEpoch& worker) { workers_.push_back(&worker); }

void Sessions::remove_worker(WorkerEpoch& worker) { std::erase(workers_, &worker); }

}  // namespace headroom::gtpu
