// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/history.h"

#include <algorithm>
#include <utility>

#include "mutants.h"

namespace headroom::sigcomp {

void Spares::give(std::vector<std::uint8_t>&& texts) {
  if (texts.capacity() == 0 || texts.capacity() > kLargest || all_.size() == kMost) return;
  all_.reserve(kMost);
  all_.push_back(std::move(texts));
}

std::vector<std::uint8_t> Spares::take() noexcept {
  if (all_.empty()) return {};
  std::vector<std::uint8_t> texts = std::move(all_.back());
  all_.pop_back();
  texts.clear();
  return texts;
}

std::size_t Spares::memory_bytes() const noexcept {
  std::size_t octets = all_.capacity() * sizeof(std::vector<std::uint8_t>);
  for (const auto& texts : all_) octets += texts.capacity();
  return octets;
}

History::History(const Program& program, ItemNames* names, std::uint32_t state_memory_size, Octets first,
                 Spares& spares)
    : program_(&program), names_(names), spares_(&spares) {
  restart(program, names, state_memory_size, first);
}

void History::restart(const Program& program, ItemNames* names, std::uint32_t state_memory_size, Octets first) {
  program_ = &program;
  names_ = names;
  state_memory_size_ = state_memory_size;
  first_.assign(first.begin(), first.end());
  forget();
}

void History::forget() {
  trunk_ = first_;
  begin_ = 0;
  ++epoch_;
  base_ = {};
  base_.end = base_.pointer = first_.size();
  base_.part = program_->grows;
  checkpoint_ = {};
  // What is pending is as doubtful as what it was made from.
  for (Pending& pending : pending_) give_up(pending);
}

void History::give_up(Pending& pending) {
  spares_->give(std::move(pending.appended));
  pending = {};
}

std::size_t History::cost_of(const Item& item) const noexcept {
  const std::size_t end = item.part ? program_->buffer_begin + item.pointer : program_->buffer_end;
  return kItemCost + end - Program::kRegisters;
}

// The peer frees the items of the lowest priority first, of these the oldest, until a new one has room, whatever the
// priority of the new one (RFC 3320 6.2). Which messages have arrived is not known, so each may have left its item.
bool History::is_there(const Item& item) const noexcept {
  std::size_t outliving = 0;
  std::size_t largest_other = 0;
  for (const Made& made : items_) {
    if (made.checkpoint != item.checkpoint ? made.checkpoint : made.age > item.age) {
      outliving += made.cost;
    } else if (made.age > item.age) {
      largest_other = std::max(largest_other, made.cost);
    }
  }
  return cost_of(item) + outliving + largest_other <= state_memory_size_ || mutant("sigcomp-base-outlived");
}

const Item& History::choose() {
  if (base_.number == 0 || is_there(base_)) return base_;
  if (checkpoint_.number != 0 && checkpoint_.number != base_.number && is_there(checkpoint_)) {
    base_ = checkpoint_;
    cut(base_.end, nullptr);
  } else {
    forget();
  }
  return base_;
}

// The text ends at `end`; what went on from more of it has lost its beginning.
void History::cut(std::size_t end, const Pending* kept) {
  if (end == begin_ + trunk_.size()) return;
  trunk_.resize(end - begin_);
  ++epoch_;
  for (Pending& pending : pending_) {
    if (pending.base_end > end && &pending != kept) give_up(pending);
  }
  if (checkpoint_.end > end) checkpoint_ = {};
}

std::uint8_t History::ahead(std::size_t octets) const noexcept {
  const std::size_t position = base_.end + octets;  // plus the buffer
  const std::size_t size = program_->buffer();
  if (position >= size + begin_) return trunk_[position - size - begin_];
  const Octets dictionary = program_->dictionary;
  const std::size_t back = size - std::min(position, size);
  return back != 0 && back <= dictionary.size() ? dictionary[dictionary.size() - back] : 0;
}

std::size_t History::put_since() const noexcept {
  std::size_t most = 0;
  for (const Pending& pending : pending_) {
    if (pending.message > base_.number && pending.base_end == base_.end) most = std::max(most, pending.appended.size());
  }
  return most;
}

Item History::after(std::size_t appended) const noexcept {
  const std::size_t size = program_->buffer();
  Item item = base_;
  item.is_named = item.checkpoint = false;
  if (mutant("sigcomp-name-kept")) item.is_named = base_.is_named;
  item.end = base_.end + appended;
  item.pointer = (base_.pointer + appended) % size;
  // As the bytecode has it (programs/end.udvm).
  item.part = program_->grows && base_.part && item.pointer >= base_.pointer &&
              item.pointer <= size - program_->dictionary.size();
  return item;
}

// ---- Identifiers

const Sha1Digest& History::name(Item& item, Octets older, Octets newer) noexcept {
  if (!item.is_named) item.identifier = names_->name_of(item, older, newer);
  item.is_named = true;
  return item.identifier;
}

const Sha1Digest& History::name(Pending& pending) noexcept {
  if (mutant("sigcomp-name-of-later-text")) return name(pending.item, Octets(trunk_), pending.appended);
  return name(pending.item, Octets(trunk_).first(pending.base_end - begin_), pending.appended);
}

const Sha1Digest& History::base_name() noexcept { return name(base_, Octets(trunk_).first(base_.end - begin_), {}); }

const Sha1Digest* History::name_of(std::uint64_t number) noexcept {
  if (number == 0) return nullptr;
  if (Pending& pending = pending_[number % kPending]; pending.message == number) return &name(pending);
  return base_.number == number ? &base_name() : nullptr;
}

void History::make_known(Made& made) noexcept {
  const auto note = [&made](const Sha1Digest& identifier) {
    std::copy_n(identifier.begin(), kLeastIdentifier, made.partial.begin());
    made.is_named = true;
  };
  if (base_.number != 0 && base_.age == made.age) return note(base_name());
  for (Pending& pending : pending_) {
    if (pending.message != 0 && pending.item.age == made.age) return note(name(pending));
  }
}

// An item of another message that is the same as this one, which cannot be where the pointer is another one. Makes the
// item as old as one that may be the same, and of which too little is known.
History::Made* History::find_same(Pending& pending) noexcept {
  Item& item = pending.item;
  for (Made& made : items_) {
    if (made.pointer != item.pointer || made.part != item.part) continue;
    if (!made.is_named) make_known(made);
    if (!made.is_named) {
      item.age = std::min(item.age, made.age);
    } else if (std::equal(made.partial.begin(), made.partial.end(), name(pending).begin())) {
      return &made;
    }
  }
  return nullptr;
}

std::uint64_t History::sent(Item item, Octets first, Octets second) {
  item.number = item.age = ++made_;
  if (item.checkpoint) last_checkpoint_ = made_;
  Pending& pending = pending_[made_ % kPending];
  pending.item = item;
  pending.message = made_;
  pending.base_end = base_.end;
  if (pending.appended.capacity() == 0) pending.appended = spares_->take();
  pending.appended.clear();
  pending.appended.insert(pending.appended.end(), first.begin(), first.end());
  pending.appended.insert(pending.appended.end(), second.begin(), second.end());
  // A text so long that it went round the whole buffer, and ends where it counts as part of it.
  pending.anew = item.part && item.pointer != base_.pointer + pending.appended.size();
  // A message sent twice leaves the same item twice. Whether that makes it young again is for the peer, so its age
  // counts from the first; of its priority that holds which is worse, as a base or beside one.
  Made* const same = find_same(pending);
  if (same == nullptr) {
    if (items_.size() == kMostMade) items_.erase(items_.begin());
    items_.push_back({made_, cost_of(item), 0, item.pointer, item.part, item.checkpoint, false, {}});
    if (program_->has_free && !mutant("sigcomp-freed-without-a-name")) make_known(items_.back());
    return made_;
  }
  pending.item.age = same->age;
  if (same->checkpoint != item.checkpoint) {
    const Sha1Digest& identifier = name(pending);
    same->checkpoint = true;
    if (base_.identifier == identifier) base_.checkpoint = false;
    if (checkpoint_.identifier == identifier) checkpoint_ = {};
    for (Pending& other : pending_) {
      if (other.item.identifier == identifier) other.item.checkpoint = false;
    }
  }
  // By a message that is under way.
  if (std::exchange(same->freed_by, 0) != 0) pending.item.number = 0;
  return made_;
}

bool History::take(Pending& pending) {
  const Item& item = pending.item;
  if (pending.base_end != base_.end || base_.end != begin_ + trunk_.size()) {
    // It went on from less than the base has. What goes on from the base will have more, if it arrives.
    const bool better = std::any_of(pending_.begin(), pending_.end(), [&](const Pending& other) {
      return other.item.number > item.number && other.base_end == base_.end;
    });
    if (better) return false;
    cut(pending.base_end, &pending);
  }
  if (pending.anew) {
    const std::size_t before = begin_ + trunk_.size();
    trunk_.assign(pending.appended.end() - static_cast<std::ptrdiff_t>(item.pointer), pending.appended.end());
    begin_ = before + pending.appended.size() - item.pointer;
    ++epoch_;
    for (Pending& other : pending_) {
      if (&other != &pending) give_up(other);
    }
    checkpoint_ = {};
  } else {
    trunk_.insert(trunk_.end(), pending.appended.begin(), pending.appended.end());
  }
  base_ = item;
  if (item.checkpoint) checkpoint_ = item;
  // What is no longer needed gives its memory back.
  for (Pending& other : pending_) {
    if (other.item.number <= base_.number) give_up(other);
  }
  std::erase_if(items_, [&](const Made& made) {
    // Freed by what has arrived; or so old that it cannot push out anything that is needed.
    return made.freed_by == base_.number || (!program_->has_free && !made.checkpoint && made.age < base_.age);
  });
  trim();
  return true;
}

// What is further back than the buffer reaches from anything that may be gone on from is given up.
void History::trim() {
  const std::size_t size = program_->buffer();
  if (trunk_.size() <= 3 * size) return;
  std::size_t needed = checkpoint_.number != 0 ? std::min(checkpoint_.end, base_.end) : base_.end;
  for (const Pending& pending : pending_) {
    if (pending.item.number != 0) needed = std::min(needed, pending.base_end);
  }
  if (needed < begin_ + 2 * size) return;
  const std::size_t count = needed - (mutant("sigcomp-text-given-up-early") ? 0 : size) - begin_;
  trunk_.erase(trunk_.begin(), trunk_.begin() + static_cast<std::ptrdiff_t>(count));
  begin_ += count;
}

bool History::acknowledge(Octets partial) {
  if (!is_identifier_length(partial.size())) return false;
  for (Pending& pending : pending_) {
    if (pending.item.number > base_.number && std::equal(partial.begin(), partial.end(), name(pending).begin())) {
      return take(pending);
    }
  }
  return false;
}

// The peer returns the number of the last message that it has got until it gets another. After 128 messages of which
// none has arrived, that looks like the number of a new one.
bool History::acknowledge_number(std::uint8_t low_bits) {
  for (Pending& pending : pending_) {
    const std::uint64_t number = pending.item.number;
    if (number <= base_.number || (number & 0x7f) != low_bits) continue;
    if ((returned_ & 0x7f) == low_bits && returned_ != number && returned_ != 0) return false;
    returned_ = number;
    return take(pending);
  }
  return false;
}

bool History::acknowledge_newest() {
  Pending& pending = pending_[made_ % kPending];
  return pending.item.number > base_.number && take(pending);
}

std::optional<History::Partial> History::to_free(std::size_t needed) const noexcept {
  std::size_t used = needed;
  for (const Made& made : items_) used += made.cost;
  const Made* oldest = nullptr;
  for (const Made& made : items_) {
    const bool superseded = made.checkpoint && checkpoint_.number != 0 && made.age < checkpoint_.age;
    // A message that freed it and was not acknowledged before a later one was may have been lost.
    const bool asked = made.freed_by != 0 && made.freed_by > base_.number;
    const auto is_it = [&made](const Item& item) {
      return item.number != 0 && std::equal(made.partial.begin(), made.partial.end(), item.identifier.begin());
    };
    const bool in_use =
        made.age >= base_.age || is_it(base_) || is_it(checkpoint_) ||
        std::any_of(pending_.begin(), pending_.end(), [&](const Pending& other) { return is_it(other.item); });
    if (asked || in_use || (!superseded && (made.checkpoint || used <= state_memory_size_))) continue;
    if (oldest == nullptr || made.age < oldest->age) oldest = &made;
  }
  return oldest == nullptr ? std::nullopt : std::optional(oldest->partial);
}

std::size_t History::room() const noexcept {
  std::size_t used = 0;
  for (const Made& made : items_) used += made.cost;
  return state_memory_size_ - std::min(state_memory_size_, used);
}

std::size_t History::memory_bytes() const noexcept {
  std::size_t octets = sizeof *this + first_.capacity() + trunk_.capacity() + items_.capacity() * sizeof(Made);
  for (const Pending& pending : pending_) octets += pending.appended.capacity();
  return octets;
}

void History::freed(const Partial& partial, std::uint64_t by) noexcept {
  for (Made& made : items_) {
    if (made.partial == partial) made.freed_by = by;
  }
}

}  // namespace headroom::sigcomp
