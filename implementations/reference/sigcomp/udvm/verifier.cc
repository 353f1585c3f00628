// SPDX-License-Identifier: Apache-2.0
//
// Rounds: finding one, and proving that it repeats. What single instructions read and write is in follow.cc.
#include "sigcomp/udvm/verifier.h"

#include <algorithm>
#include <limits>

#include "mutants.h"

namespace headroom::sigcomp::udvm {
namespace {

constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();
// Octets of memory that are copied or compared in the time of one instruction that is watched.
constexpr std::uint32_t kOctetsPerInstruction = 1024;
// Copies and comparisons of the whole memory that a proof may take, besides the instructions.
constexpr std::uint32_t kMostComparisons = 8;

// What copying or comparing the whole memory takes, in instructions: never nothing, however little there is of it, for
// a program is watched again and again until what that has taken is in no proportion to its work.
std::uint32_t comparison_of(const Memory& memory) noexcept {
  return (memory.size() + kOctetsPerInstruction - 1) / kOctetsPerInstruction;
}

constexpr std::uint32_t kBlock = 64;  // octets that are compared at once
constexpr std::uint8_t kZeros[kBlock] = {};

bool equal(const std::uint8_t* one, const std::uint8_t* other, std::uint32_t octets) noexcept {
  return std::memcmp(one, other, octets) == 0;
}

}  // namespace

Verifier::Verifier() : before_(kMostMemory), room_(kMostMemory) {}

void Verifier::begin(const Memory& memory, const Situation& situation, std::uint32_t instructions) noexcept {
  most_ = instructions + kMostComparisons * comparison_of(memory);
  spent_ = 0;
  least_with_data_ = least_with_compared_ = 0;
  phase_ = Phase::kSearch;
  start_round(memory, situation);
}

void Verifier::start_round(const Memory& memory, const Situation& situation) noexcept {
  first_ = situation;
  round_ = 0;
  std::memcpy(before_.data(), memory.data(), memory.size());
  marks_.reset(memory.size());
  if (phase_ == Phase::kProve) {
    std::memcpy(marks_.data(), varying_.data(), memory.size());
    counters_.clear();
    conditions_.clear();
    for (const std::uint16_t address : words_) {
      if (is_marked(address, 2)) counters_.add({address, address, 0});
    }
  } else {
    words_.clear();
  }
  spent_ += comparison_of(memory);
}

Verifier::Verdict Verifier::search_again(const Memory& memory, const Situation& situation) noexcept {
  if (phase_ == Phase::kProve) (compares_ ? least_with_compared_ : least_with_data_) = 2 * length_;
  phase_ = Phase::kSearch;
  start_round(memory, situation);
  return Verdict::kGoOn;
}

Verifier::Verdict Verifier::step(const Memory& memory, const Situation& situation) noexcept {
  // Input is progress: what comes may lead out of any loop.
  if (situation.input.bits != first_.input.bits || situation.requests != first_.requests) return Verdict::kNone;
  if (round_ > 0 && situation.pc == first_.pc && situation.input == first_.input) {
    const Verdict verdict = consider(memory, situation);
    if (verdict != Verdict::kGoOn) return verdict;
  } else if (phase_ == Phase::kProve && round_ == length_) {
    search_again(memory, situation);
  }
  if (spent_ >= most_) return Verdict::kNone;
  if (!follow(memory, situation.pc)) {
    if (phase_ == Phase::kSearch) return Verdict::kNone;
    search_again(memory, situation);
    if (!follow(memory, situation.pc)) return Verdict::kNone;
  }
  ++round_;
  ++spent_;
  return Verdict::kGoOn;
}

Verifier::Verdict Verifier::look_further(const Memory& memory, const Situation& situation) noexcept {
  search_again(memory, situation);
  return step(memory, situation);
}

Verifier::Verdict Verifier::consider(const Memory& memory, const Situation& situation) noexcept {
  const auto repeats = [&](std::uint64_t rounds) {
    proof_ = {situation.cycles - first_.cycles, situation.output - first_.output, rounds};
    return Verdict::kRepeats;
  };
  if (phase_ == Phase::kProve) {
    if (round_ < length_) return Verdict::kGoOn;
    const auto known = rounds();
    if (!known) return search_again(memory, situation);
    if (!has_grown(memory)) return repeats(*known);
    if (++proofs_ == kMostProofs) return search_again(memory, situation);
    start_round(memory, situation);
    return Verdict::kGoOn;
  }
  const Change change = change_in(memory);
  switch (change) {
    case Change::kNothing:
      counters_.clear();
      return repeats(kForEver);
    case Change::kData:
    case Change::kCompared:
      compares_ = change == Change::kCompared;
      if (round_ >= (compares_ ? least_with_compared_ : least_with_data_)) start_proof(memory, situation);
      return Verdict::kGoOn;
    case Change::kDecisive:
      break;
  }
  return Verdict::kGoOn;
}

Verifier::Change Verifier::change_in(const Memory& memory) noexcept {
  const std::uint8_t* const now = memory.data();
  const std::uint8_t* const marks = marks_.data();
  if (witness_ < memory.size() && marks[witness_] == kDecides && now[witness_] != before_[witness_]) {
    return Change::kDecisive;
  }
  spent_ += comparison_of(memory);
  Change change = Change::kNothing;
  for (std::uint32_t block = 0; block < memory.size(); block += kBlock) {
    const std::uint32_t end = std::min(block + kBlock, memory.size());
    if (equal(now + block, before_.data() + block, end - block)) continue;
    for (std::uint32_t i = block; i < end; ++i) {
      if (now[i] == before_[i]) continue;
      if (marks[i] == kDecides) {
        witness_ = i;
        return Change::kDecisive;
      }
      change = std::max(change, marks[i] == kCompared ? Change::kCompared : Change::kData);
    }
  }
  return change;
}

void Verifier::start_proof(const Memory& memory, const Situation& situation) noexcept {
  varying_.reset(memory.size());
  marks_.reset(memory.size());
  (void)has_grown(memory);
  phase_ = Phase::kProve;
  length_ = round_;
  proofs_ = 0;
  start_round(memory, situation);
}

// Makes V larger by what the round has marked or changed; false when that was in it already.
bool Verifier::has_grown(const Memory& memory) noexcept {
  spent_ += comparison_of(memory);
  const std::uint8_t* const now = memory.data();
  const std::uint8_t* const marks = marks_.data();
  bool grown = false;
  for (std::uint32_t block = 0; block < memory.size(); block += kBlock) {
    const std::uint32_t end = std::min(block + kBlock, memory.size());
    if (equal(now + block, before_.data() + block, end - block) && equal(marks + block, kZeros, end - block)) continue;
    for (std::uint32_t i = block; i < end; ++i) {
      std::uint8_t& varying = varying_.data()[i];
      if (varying != 0 || (marks[i] == 0 && now[i] == before_[i])) continue;
      varying = kMarked;
      grown = true;
    }
  }
  return grown;
}

// For how many rounds after this one each comparison comes out as it did; nothing if a compared word has not grown by
// a fixed number.
std::optional<std::uint64_t> Verifier::rounds() const noexcept {
  std::uint64_t known = kForEver;
  for (const Condition& condition : conditions_) {
    const Counter* const counter = counter_at(condition.base);
    if (counter == nullptr || counter->base != condition.base) return {};
    const std::uint16_t up = counter->offset;
    if (up == 0) continue;
    const auto down = static_cast<std::uint16_t>(-up);
    const auto value = static_cast<std::uint16_t>(load16(before_.data() + condition.base) + condition.offset);
    // Counted without passing 0: a comparison may go on to come out so, but that is not claimed.
    const int more = up < down ? (condition.highest - value) / up : (value - condition.lowest) / down;
    if (!mutant("sigcomp-counted-loops-endless")) known = std::min(known, static_cast<std::uint64_t>(more));
  }
  return known;
}

void Verifier::advance(Memory& memory, std::uint64_t rounds) const noexcept {
  for (const Counter& counter : counters_) {
    if (counter.address != counter.base) continue;
    std::uint8_t* const word = memory.data() + counter.address;
    store16(word, static_cast<std::uint16_t>(load16(word) + rounds * counter.offset));
    memory.written(counter.address, 2);
  }
}

// ---- Marks

bool Verifier::is_marked(std::uint32_t address, std::uint32_t length) const noexcept {
  if (length == 2) return (marks_.data()[address] | marks_.data()[address + 1]) != 0;
  return std::memchr(marks_.data() + address, kMarked, length) != nullptr;
}
bool Verifier::is_marked(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept {
  // An address beyond the memory makes the instruction fail: no round comes of it.
  return marks_.read(address, length, room_.data(), bounds) && std::memchr(room_.data(), kMarked, length) != nullptr;
}

bool Verifier::decides(std::uint32_t address, std::uint32_t length) noexcept {
  if (phase_ == Phase::kProve) return !is_marked(address, length);
  std::memset(marks_.data() + address, kDecides, length);
  return true;
}
bool Verifier::decides(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept {
  if (phase_ == Phase::kProve) return !is_marked(address, length, bounds);
  return marks_.write_sequence(address, length, kDecides, 0, bounds).has_value();
}

void Verifier::write(std::uint32_t address, std::uint32_t length, bool marked) noexcept {
  if (phase_ == Phase::kSearch) return;
  forget_counters(address, length);
  std::memset(marks_.data() + address, marked ? kMarked : 0, length);
}
void Verifier::write(std::uint16_t address, std::uint32_t length, bool marked, CopyBounds bounds) noexcept {
  if (phase_ == Phase::kSearch) return;
  forget_counters(address, length, bounds);
  (void)marks_.write_sequence(address, length, marked ? kMarked : 0, 0, bounds);
}

// ---- Counters

const Verifier::Counter* Verifier::counter_at(std::uint16_t address) const noexcept {
  const auto at = std::ranges::find(counters_, address, &Counter::address);
  return at == counters_.end() ? nullptr : at;
}

void Verifier::forget_counters(std::uint32_t address, std::uint32_t length) noexcept {
  for (std::size_t i = counters_.size(); i-- > 0;) {
    const std::uint32_t at = counters_[i].address;
    if (at + 2 > address && at < address + length) counters_.remove(i);
  }
}

void Verifier::forget_counters(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept {
  if (length <= bounds.run(address)) {
    forget_counters(address, length);
  } else if (address < bounds.right && bounds.left < bounds.right) {
    const std::uint32_t first = std::min(address, bounds.left);
    forget_counters(first, bounds.right - first);
  } else {
    counters_.clear();
  }
}

void Verifier::note_word(std::uint16_t address) noexcept {
  if (words_.full() || std::ranges::find(words_, address) != words_.end()) return;
  words_.add(address);
}

}  // namespace headroom::sigcomp::udvm
