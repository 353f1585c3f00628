// SPDX-License-Identifier: Apache-2.0
//
// The bytecode verifier that maenpaa-2005 asks for (11.7, 12.3). It watches a program that has gone on for a while
// without taking any input, and proves of a loop that it goes round until the UDVM's cycles (or the room for output)
// have ended, so that the rest need not be executed.
//
// What is proved. A round is the instructions from one address (`head`) until it is reached again. Let V be a set of
// octets of the memory such that, in one round that is executed with the octets of V marked,
//
//   1. no instruction's own octets, address, length, condition or register (whatever decides what is
//      done, where, and at which cost) is read from a marked octet, where a word that is computed
//      from marked octets is marked, and one that is not loses
//      its mark;
//   2. after the round, an octet that is marked, or differs from what it was before, is one of V;
//   3. the round has taken no input, and asked the state handler for nothing.
//
// Then every state of the machine that agrees with the one before the round outside V goes the same way, costs the
// same, and ends in a state that agrees with it outside V: the next round does, too, and so on. One exception to 1: a
// word that grows by the same number in each round may be compared with one that is not marked; that limits how often
// the round is known to repeat (Proof::rounds). This is about memory as it is while the program runs, code included: a
// program that modifies itself has its own octets in V, and there is no proof.
//
// A proof is never about what a program might do with other input: no input is taken in the loop. So nothing is refused
// that could ever have come to END-MESSAGE.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sigcomp/udvm/input.h"
#include "sigcomp/udvm/memory.h"
#include "sigcomp/udvm/opcode.h"

namespace headroom::sigcomp::udvm {

// What of the machine, besides its memory, a round begins and ends with.
struct Situation {
  std::uint16_t pc = 0;
  Input::Place input;
  std::size_t requests = 0;  // to the state handler
  std::size_t output = 0;    // octets
  std::uint64_t cycles = 0;  // used
};

// What each round costs and writes, and for how many rounds after the one that has just ended this is proved.
struct Proof {
  std::uint64_t cycles = 0;  // more than 0
  std::size_t output = 0;    // octets
  std::uint64_t rounds = 0;
};

class Verifier {
 public:
  // Memory for as many octets as the UDVM's has: 260 kB.
  Verifier();

  // Begins to watch a program that is about to execute the instruction at situation.pc, for `instructions` at most.
  void begin(const Memory& memory, const Situation& situation, std::uint32_t instructions) noexcept;

  enum class Verdict {
    kGoOn,    // let the instruction be executed, then ask again
    kNone,    // nothing has been proved, and is going to be
    kRepeats  // proof() holds
  };
  // Before each instruction, the first included.
  [[nodiscard]] Verdict step(const Memory& memory, const Situation& situation) noexcept;

  [[nodiscard]] const Proof& proof() const noexcept { return proof_; }
  // After kRepeats, in the same situation, when so many rounds are too few: goes on to look for longer ones.
  [[nodiscard]] Verdict look_further(const Memory& memory, const Situation& situation) noexcept;
  // Gives the words that grow by the same number in each round the values that they have `rounds` rounds later. Other
  // octets of V are left as they are.
  void advance(Memory& memory, std::uint64_t rounds) const noexcept;
  // What watching has taken since begin(), in instructions.
  [[nodiscard]] std::uint32_t spent() const noexcept { return spent_; }

 private:
  // Reads the instruction at pc with its operands.
  class Reader;

  // A word whose value is that of the word at `base` when the round began, plus `offset`.
  struct Counter {
    std::uint16_t address;
    std::uint16_t base;
    std::uint16_t offset;
  };
  // How a COMPARE came out: the counter's value lay from `lowest` to `highest` with `offset` added to its base.
  struct Condition {
    std::uint16_t base;
    std::uint16_t offset;
    std::uint16_t lowest;
    std::uint16_t highest;
  };
  template <typename T, std::size_t kMost>
  class Few {
   public:
    void clear() noexcept { count_ = 0; }
    [[nodiscard]] bool full() const noexcept { return count_ == kMost; }
    void add(const T& one) noexcept { all_[count_++] = one; }  // REQUIRES: !full()
    void remove(std::size_t i) noexcept { all_[i] = all_[--count_]; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return all_[i]; }
    [[nodiscard]] const T* begin() const noexcept { return all_.data(); }
    [[nodiscard]] const T* end() const noexcept { return all_.data() + count_; }

   private:
    std::array<T, kMost> all_{};
    std::size_t count_ = 0;
  };

  enum class Phase {
    kSearch,  // for a round that leaves alone what decides; marks_ has what decides
    kProve    // rounds with V marked; marks_ has the marks
  };

  void start_round(const Memory& memory, const Situation& situation) noexcept;
  // At the end of a round.
  [[nodiscard]] Verdict consider(const Memory& memory, const Situation& situation) noexcept;
  // What of the memory is not as it was when the round began.
  enum class Change {
    kNothing,   // the machine is in the same state as before
    kData,      // nothing that decides
    kCompared,  // besides, words that were compared: they may be counters
    kDecisive
  };
  [[nodiscard]] Change change_in(const Memory& memory) noexcept;
  Verdict search_again(const Memory& memory, const Situation& situation) noexcept;
  void start_proof(const Memory& memory, const Situation& situation) noexcept;
  [[nodiscard]] bool has_grown(const Memory& memory) noexcept;
  [[nodiscard]] std::optional<std::uint64_t> rounds() const noexcept;

  // What the instruction at pc reads and writes. False when nothing can be proved with it.
  [[nodiscard]] bool follow(const Memory& memory, std::uint16_t pc) noexcept;
  [[nodiscard]] bool follow_alter(Reader& r, Opcode opcode) noexcept;
  [[nodiscard]] bool follow_load(Reader& r) noexcept;
  [[nodiscard]] bool follow_multiload(Reader& r) noexcept;
  [[nodiscard]] bool follow_copy(Reader& r, Opcode opcode) noexcept;
  [[nodiscard]] bool follow_compare(Reader& r) noexcept;
  [[nodiscard]] bool follow_sort(Reader& r) noexcept;

  // Octets that decide. False when one is marked.
  [[nodiscard]] bool decides(std::uint32_t address, std::uint32_t length) noexcept;
  [[nodiscard]] bool decides(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept;
  [[nodiscard]] bool is_marked(std::uint32_t address, std::uint32_t length) const noexcept;
  [[nodiscard]] bool is_marked(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept;
  // Octets that have been written, from marked ones or not.
  void write(std::uint32_t address, std::uint32_t length, bool marked) noexcept;
  void write(std::uint16_t address, std::uint32_t length, bool marked, CopyBounds bounds) noexcept;

  [[nodiscard]] const Counter* counter_at(std::uint16_t address) const noexcept;
  void forget_counters(std::uint32_t address, std::uint32_t length) noexcept;
  void forget_counters(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept;
  void note_word(std::uint16_t address) noexcept;

  // What is noted of an octet in marks_.
  static constexpr std::uint8_t kMarked = 1;    // when proving
  static constexpr std::uint8_t kDecides = 1;   // when searching
  static constexpr std::uint8_t kCompared = 2;  // likewise: it is part of a word that was compared

  static constexpr std::size_t kMostCounters = 16;
  static constexpr std::size_t kMostConditions = 32;
  static constexpr std::uint32_t kMostProofs = 8;  // rounds for one proof, each with a larger V

  Phase phase_ = Phase::kSearch;
  Situation first_;                   // when the round began
  std::vector<std::uint8_t> before_;  // the memory likewise
  Memory marks_;
  Memory varying_;  // V: kMarked where an octet is part of it
  std::vector<std::uint8_t> room_;
  std::uint32_t round_ = 0;  // instructions since it began
  // A shorter round whose data (compared words) change has been tried in vain: it may be part of a longer one.
  std::uint32_t least_with_data_ = 0;
  std::uint32_t least_with_compared_ = 0;
  bool compares_ = false;     // in the round to be proved compared words change
  std::uint32_t length_ = 0;  // of the round to be proved
  std::uint32_t proofs_ = 0;  // rounds spent on it
  std::uint32_t most_ = 0;    // instructions to be watched
  std::uint32_t spent_ = 0;
  std::uint32_t witness_ = 0;                // an octet that decides and was found to have changed
  Few<std::uint16_t, kMostCounters> words_;  // addresses of words that are compared, added to or subtracted from
  Few<Counter, kMostCounters> counters_;
  Few<Condition, kMostConditions> conditions_;
  Proof proof_;
};

}  // namespace headroom::sigcomp::udvm
