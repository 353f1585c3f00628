// SPDX-License-Identifier: Apache-2.0
//
// Runs a program in slices, and looks at it between them: whether it has done too much work, and whether it still gets
// anywhere.
#include <algorithm>
#include <new>
#include <utility>

#include "sigcomp/udvm/udvm.h"
#include "sigcomp/udvm/work.h"

namespace headroom::sigcomp::udvm {
namespace {

constexpr auto kStateAccess = static_cast<std::uint8_t>(Opcode::kStateAccess);
constexpr auto kEndMessage = static_cast<std::uint8_t>(Opcode::kEndMessage);

}  // namespace

bool Udvm::run(const Run& run) noexcept {
  code_.begin(run.keep_decoded);
  input_ = Input(run.input);
  output_length_ = 0;
  has_output_ = false;
  work_ = kWorkOfMessage;
  is_endless_ = false;
  watched_ = 0;
  failure_ = {};
  completion_ = {};

  Position position{.pc = run.start, .available = run.cycles, .reserve = run.cycles};
  Input::Place input;  // at the end of the last slice
  Stop stop = Stop::kPaused;
  bool was_long = false;
  for (;;) {
    const std::uint64_t slice = std::min(position.left(), std::max(kSlice, position.needed));
    position.reserve = position.left() - slice;
    position.spare = slice;
    position.begun = position.used();
    // The slice is a single long instruction, and the one before it was not.
    const bool long_one = position.needed > kSlice && !was_long;
    was_long = position.needed > kSlice;
    position.needed = 0;
    stop = run.trace != nullptr || position.is_watched ? execute<true>(run, position) : execute<false>(run, position);
    work_ += position.used() - position.begun + kWorkOfLookUp * code_.take_look_ups();
    if (stop != Stop::kPaused) break;
    if (run.most_work != 0 && work_ > run.most_work) {
      failure_.reason = Reason::kCyclesExhausted;
      failure_.opcode = memory_.data()[position.pc];
      failure_.pc = static_cast<std::uint16_t>(position.pc);
      stop = Stop::kFailed;
      break;
    }
    // A long instruction is no loop, nor is what many messages begin with, a dictionary, and what they end with.
    const std::uint8_t next = memory_.data()[position.pc];
    const bool is_usual = next == kEndMessage || (next == kStateAccess && position.used() < kSlice);
    const bool stalls = input_.place() == input && !long_one && !is_usual;
    input = input_.place();
    if (run.verify && stalls && !position.is_watched && !is_endless_) suspect(position);
  }
  cycles_used_ = position.used();
  if (stop == Stop::kFailed && failure_.reason == Reason::kCyclesExhausted) {
    const auto details = static_cast<std::uint8_t>(run.cycles_per_bit);
    failure_.set_details(Octets(&details, 1));
  }
  if (stop == Stop::kEnded && is_endless_) {
    // Would contradict the proof.
    failure_.reason = Reason::kInternalError;
    return false;
  }
  return stop == Stop::kEnded;
}

Situation Udvm::situation(const Position& position) const noexcept {
  return {static_cast<std::uint16_t>(position.pc), input_.place(), completion_.requests().size(), output_length_,
          position.used()};
}

void Udvm::suspect(Position& position) noexcept {
  if (work_ < kWorkForEachWatched * watched_) return;
  if (verifier_ == nullptr) {
    try {
      verifier_ = std::make_unique<Verifier>();
    } catch (const std::bad_alloc&) {
      return;  // cycles and work go on to be bounds
    }
  }
  verifier_->begin(memory_, situation(position),
                   static_cast<std::uint32_t>(std::clamp<std::uint64_t>(watched_, kFirstWatch, kMostWatch)));
  position.is_watched = true;
  position.is_followed = false;
}

bool Udvm::observe(const Run& run, Position& position) noexcept {
  if (position.is_watched && !std::exchange(position.is_followed, false)) {
    Verifier::Verdict verdict = verifier_->step(memory_, situation(position));
    if (verdict == Verifier::Verdict::kRepeats) {
      is_endless_ = leave_out(verifier_->proof(), position);
      if (!is_endless_) verdict = verifier_->look_further(memory_, situation(position));
    }
    if (verdict != Verifier::Verdict::kGoOn) {
      watched_ += verifier_->spent();
      work_ += kWorkOfWatching * verifier_->spent();
      position.is_watched = false;
      return false;
    }
  }
  if (run.trace != nullptr && !std::exchange(position.is_traced, false)) {
    run.trace->instruction(memory_, static_cast<std::uint16_t>(position.pc), position.used());
  }
  return true;
}

// The round that is executed after this one is the one in which the program fails: it goes the same way as all of them.
bool Udvm::leave_out(const Proof& proof, Position& position) noexcept {
  std::uint64_t rounds = position.left() / proof.cycles;
  if (proof.output > 0) rounds = std::min(rounds, std::uint64_t{(kMostOutput - output_length_) / proof.output});
  if (rounds >= proof.rounds) return false;
  position.spare = position.left() - rounds * proof.cycles;
  position.reserve = 0;
  work_ -= rounds * proof.cycles;  // counted as used, but not done
  verifier_->advance(memory_, rounds);
  std::memset(output_.get() + output_length_, 0, rounds * proof.output);
  output_length_ += rounds * proof.output;
  return true;
}

}  // namespace headroom::sigcomp::udvm
