// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/state/handler.h"

#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "sigcomp/message/parameters.h"

namespace headroom::sigcomp {
namespace {

bool starts_with(const Sha1Digest& identifier, Octets partial) noexcept {
  return std::memcmp(identifier.data(), partial.data(), partial.size()) == 0;
}

Sha1Digest padded(Octets partial) noexcept {
  Sha1Digest digest{};
  std::copy(partial.begin(), partial.end(), digest.begin());
  return digest;
}

}  // namespace

StateHandler::StateHandler(std::size_t most_compartments, std::uint64_t most_memory)
    : most_compartments_(most_compartments), most_memory_(most_memory) {}

bool StateHandler::offer(const StateHeader& header, Octets value) {
  const Sha1Digest identifier = identifier_of(sha1_, header, value);
  const auto [at, is_new] = items_.try_emplace(identifier);
  Stored& stored = at->second;
  if (is_new) {
    stored.item = {identifier, header, {value.begin(), value.end()}};
  } else if (stored.item.header != header || !std::ranges::equal(stored.item.value, value)) {
    return false;
  }
  stored.local = true;
  return true;
}

// ---- Compartments

StateHandler::Compartment* StateHandler::compartment(CompartmentId id) {
  const auto at = compartments_.find(id);
  return at == compartments_.end() ? nullptr : &at->second;
}
const StateHandler::Compartment* StateHandler::compartment(CompartmentId id) const {
  const auto at = compartments_.find(id);
  return at == compartments_.end() ? nullptr : &at->second;
}

bool StateHandler::open(CompartmentId id, std::uint32_t state_memory_size) {
  if (state_memory_size != 0 && !is_memory_size(state_memory_size)) return false;
  if (has(id) || compartments_.size() >= most_compartments_) return false;
  if (state_memory_size > most_memory_ - promised_) return false;
  Compartment& c = compartments_[id];
  c.allowed = c.state_memory_size = state_memory_size;
  promised_ += state_memory_size;
  return true;
}

bool StateHandler::close(CompartmentId id) {
  Compartment* const c = compartment(id);
  if (c == nullptr) return false;
  while (!c->by_order.empty()) remove(*c, c->by_order.begin());
  promised_ -= c->allowed;
  compartments_.erase(id);
  return true;
}

// "a state item must not be physically deleted unless the state handler determines that it is no longer required by any
// compartment"
void StateHandler::remove(Compartment& c, std::map<Order, Items::iterator>::iterator entry) {
  const Items::iterator item = entry->second;
  Stored& stored = item->second;
  c.used -= static_cast<std::uint32_t>(stored.item.value.size()) + kItemCost;
  c.by_item.erase(&stored);
  c.by_order.erase(entry);
  if (--stored.compartments == 0 && !stored.local) items_.erase(item);
}

// ---- Creating and freeing: the steps of RFC 3320 6.2

bool StateHandler::create(CompartmentId id, const StateHeader& header, std::uint16_t priority, Octets value) {
  Compartment* const c = compartment(id);
  return c != nullptr && create_in(*c, header, priority, value);
}

bool StateHandler::create_in(Compartment& c, const StateHeader& header, std::uint16_t priority, Octets value) {
  // 1.
  if (c.state_memory_size == 0) return false;
  // 2. "deletes all but the first (state_memory_size - 64) bytes from the state_value"; the identifier is that of what
  // is left.
  value = value.first(std::min<std::size_t>(value.size(), c.state_memory_size - kItemCost));
  const Sha1Digest identifier = identifier_of(sha1_, header, value);
  const Order order{mutant("sigcomp-priority-ignored") ? 1 : rank_of(priority), ++creations_};
  // 3.
  auto at = items_.find(identifier);
  if (at != items_.end()) {
    if (at->second.item.header != header || !std::ranges::equal(at->second.item.value, value)) return false;
    if (const auto entry = c.by_item.find(&at->second); entry != c.by_item.end()) {
      // RFC 4896 5.2 and 6: the new priority holds, and the item counts as just created.
      if (mutant("sigcomp-created-again-stays-old")) return true;
      auto node = c.by_order.extract(entry->second);
      node.key() = order;
      c.by_order.insert(std::move(node));
      entry->second = order;
      return true;
    }
  }
  // 4. and 5.
  const auto cost = static_cast<std::uint32_t>(value.size()) + kItemCost;
  const auto is_full = [&] {
    const std::uint32_t used = c.used + cost;
    return used > c.state_memory_size ||
           (used == c.state_memory_size && c.used > 0 && mutant("sigcomp-state-memory-never-filled"));
  };
  while (is_full()) remove(c, c.by_order.begin());
  if (at == items_.end()) {
    at = items_.try_emplace(identifier).first;
    at->second.item = {identifier, header, {value.begin(), value.end()}};
  }
  Stored& stored = at->second;
  c.by_order.emplace(order, at);
  c.by_item.emplace(&stored, order);
  ++stored.compartments;
  c.used += cost;
  return true;
}

bool StateHandler::free(CompartmentId id, Octets partial) {
  Compartment* const c = compartment(id);
  return c != nullptr && free_in(*c, partial);
}

// RFC 4896 3.3: "can only free state in the compartment that corresponds to the message", and does not check the
// minimum_access_length.
bool StateHandler::free_in(Compartment& c, Octets partial) {
  auto match = c.by_item.end();
  for (auto at = items_.lower_bound(padded(partial)); at != items_.end() && starts_with(at->first, partial); ++at) {
    const auto entry = c.by_item.find(&at->second);
    if (entry == c.by_item.end()) continue;
    if (match != c.by_item.end()) return false;
    match = entry;
  }
  if (match == c.by_item.end()) return false;
  remove(c, c.by_order.find(match->second));
  return true;
}

StateFound StateHandler::find(Octets partial) const noexcept {
  const auto at = items_.lower_bound(padded(partial));
  if (at == items_.end() || !starts_with(at->first, partial)) return {StateFound::Kind::kNone, nullptr};
  const auto after = std::next(at);
  if (after != items_.end() && starts_with(after->first, partial)) return {StateFound::Kind::kSeveral, nullptr};
  return {StateFound::Kind::kOne, &at->second.item};
}

// ---- Messages

bool StateHandler::apply(CompartmentId id, const udvm::Completion& completion, Octets returned_feedback) {
  Compartment* const c = compartment(id);
  if (c == nullptr) return false;
  for (const udvm::StateRequest& request : completion.requests()) {
    if (request.kind == udvm::StateRequest::Kind::kCreate) {
      create_in(*c, request.header, request.retention_priority, request.octets);
    } else {
      free_in(*c, request.octets);
    }
  }
  take_feedback(*c, completion);
  if (mutant("sigcomp-request-forgotten")) c->to_return.clear();
  if (!returned_feedback.empty()) c->returned.assign(returned_feedback.begin(), returned_feedback.end());
  return true;
}

void StateHandler::take_feedback(Compartment& c, const udvm::Completion& completion) {
  if (const RequestedFeedback& requested = completion.feedback; requested.present) {
    // RFC 4896 9.2: without an item (Q = 0) what was to be returned is "no feedback data"; without a request at all it
    // stays.
    if (!mutant("sigcomp-empty-request-ignored") || !requested.item.empty()) {
      c.to_return.assign(requested.item.begin(), requested.item.end());
    }
    c.peer.wants_no_local_state = requested.i;
    const bool frees = requested.s || (requested.i && mutant("sigcomp-i-bit-taken-for-s-bit"));
    if (frees && !c.peer.wants_no_state) {
      while (!c.by_order.empty()) remove(c, c.by_order.begin());
    }
    c.peer.wants_no_state = requested.s;
    c.state_memory_size = requested.s ? 0 : c.allowed;
  }
  const ReturnedParameters returned(completion.returned_parameters);
  if (const auto parameters = returned.parameters()) c.peer.parameters = *parameters;
  if (const auto version = returned.version()) c.peer.version = *version;
  returned.for_each_identifier([&](Octets identifier) {
    auto& announced = c.peer.announced;
    std::erase_if(announced, [&](const auto& known) { return std::ranges::equal(known, identifier); });
    if (announced.size() == Peer::kMostAnnouncements) announced.erase(announced.begin());
    announced.emplace_back(identifier.begin(), identifier.end());
  });
}

// ---- What there is

std::size_t StateHandler::items_of(CompartmentId id) const {
  const Compartment* const c = compartment(id);
  return c == nullptr ? 0 : c->by_item.size();
}
std::uint32_t StateHandler::memory_of(CompartmentId id) const {
  const Compartment* const c = compartment(id);
  return c == nullptr ? 0 : c->used;
}
std::uint32_t StateHandler::room_of(CompartmentId id) const {
  const Compartment* const c = compartment(id);
  return c == nullptr ? 0 : c->state_memory_size - c->used;
}
const Peer* StateHandler::peer_of(CompartmentId id) const {
  const Compartment* const c = compartment(id);
  return c == nullptr ? nullptr : &c->peer;
}
Octets StateHandler::feedback_to_return(CompartmentId id) const {
  const Compartment* const c = compartment(id);
  return c == nullptr ? Octets{} : Octets(c->to_return);
}
Octets StateHandler::returned_feedback(CompartmentId id) const {
  const Compartment* const c = compartment(id);
  return c == nullptr ? Octets{} : Octets(c->returned);
}

}  // namespace headroom::sigcomp
