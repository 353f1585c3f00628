// SPDX-License-Identifier: Apache-2.0
//
// The bytecode verifier that maenpaa-2005 asks for (11.7, 12.3). It watches a program that has run for a while without
// reading input, and proves that a loop repeats until the UDVM's cycles (or the room for output) end, so that the
// remaining rounds need not be executed.
//
// The proof. A round is the series of instructions from one address (`head`) until it is reached again. Let V be a set
// of octets of the memory such that, in one round that is executed with the octets of V marked,
//
//   1. no instruction's own octets, address, length, condition or register (whatever decides what is
//      done, where, and at which cost) is read from a marked octet, where a word that is computed
//      from marked octets is marked, and one that is not loses
//      its mark;
//   2. after the round, an octet that is marked, or differs from what it was before, is one of V;
//   3. the round has taken no input, and asked the state handler for nothing.
//
// Then every state of the machine that agrees with the state before the round outside V takes the same path at the same
// cost, and ends in a state that agrees with it outside V: so does the next round, and so on. There is one exception to
// 1: a word that grows by the same number in each round may be compared with a word that is not marked; this limits the
// number of rounds that are known to follow (Proof::rounds). The proof is about the memory as it is while the program
// runs, code included: a program that modifies itself has its own octets in V, so there is no proof.
//
// A proof never depends on input, because the loop takes none. So the verifier never stops a program that could have
// reached END-MESSAGE.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sigcomp/udvm/input.h"
#include "sigcomp/udvm/memory.h"
#include "sigcomp/udvm/opcode.h"

namespace headroom::sigcomp::udvm {

// The state of the machine, besides its memory, at the beginning and the end of a round.
struct Situation {
  std::uint16_t pc = 0;
  Input::Place input;
  std::size_t requests = 0;  // number of requests to the state handler
  std::size_t output = 0;    // octets
  std::uint64_t cycles = 0;  // cycles used
};

// The cost and output of each round, and the number of rounds, after the one that has just ended, for which they are
// proved.
struct Proof {
  std::uint64_t cycles = 0;  // more than 0
  std::size_t output = 0;    // octets
  std::uint64_t rounds = 0;
};

class Verifier {
 public:
  // Allocates 260 kB, in proportion to the UDVM's memory.
  Verifier();

  // Begins to watch a program that is about to execute the instruction at situation.pc, for at most `instructions`
  // instructions.
  void begin(const Memory& memory, const Situation& situation, std::uint32_t instructions) noexcept;

  enum class Verdict {
    kGoOn,    // execute the instruction, then call step() again
    kNone,    // nothing has been proved, and the verifier has given up
    kRepeats  // the loop repeats as proof() says
  };
  // Is called before each instruction, including the first one.
  [[nodiscard]] Verdict step(const Memory& memory, const Situation& situation) noexcept;

  [[nodiscard]] const Proof& proof() const noexcept { return proof_; }
  // Looks for a longer loop. Is called after kRepeats, in the same situation, if the number of proved rounds is too
  // small.
  [[nodiscard]] Verdict look_further(const Memory& memory, const Situation& situation) noexcept;
  // Sets the words that grow by the same number in each round to the values that they have `rounds` rounds later. Other
  // octets of V stay unchanged.
  void advance(Memory& memory, std::uint64_t rounds) const noexcept;
  // Returns the cost of watching since begin(), in instructions.
  [[nodiscard]] std::uint32_t spent() const noexcept { return spent_; }

 private:
  // Reads the instruction at pc with its operands.
  class Reader;

  // A word whose value is the value of the word at `base` when the round began, plus `offset`.
  struct Counter {
    std::uint16_t address;
    std::uint16_t base;
    std::uint16_t offset;
  };
  // The result of a COMPARE: the counter, that is the word at `base` plus `offset`, had a value from `lowest` to
  // `highest`.
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
    kSearch,  // searches for a round that changes no deciding octet; marks_ has the deciding octets
    kProve    // executes rounds with V marked; marks_ has the marks
  };

  void start_round(const Memory& memory, const Situation& situation) noexcept;
  // Evaluates a round that has ended.
  [[nodiscard]] Verdict consider(const Memory& memory, const Situation& situation) noexcept;
  // The kind of octets that differ from the memory at the beginning of the round.
  enum class Change {
    kNothing,   // the machine is in the same state as before
    kData,      // no deciding octets
    kCompared,  // also words that were compared, which may be counters
    kDecisive
  };
  [[nodiscard]] Change change_in(const Memory& memory) noexcept;
  Verdict search_again(const Memory& memory, const Situation& situation) noexcept;
  void start_proof(const Memory& memory, const Situation& situation) noexcept;
  [[nodiscard]] bool has_grown(const Memory& memory) noexcept;
  [[nodiscard]] std::optional<std::uint64_t> rounds() const noexcept;

  // Follows what the instruction at pc reads and writes. Returns false if nothing can be proved about the instruction.
  [[nodiscard]] bool follow(const Memory& memory, std::uint16_t pc) noexcept;
  [[nodiscard]] bool follow_alter(Reader& r, Opcode opcode) noexcept;
  [[nodiscard]] bool follow_load(Reader& r) noexcept;
  [[nodiscard]] bool follow_multiload(Reader& r) noexcept;
  [[nodiscard]] bool follow_copy(Reader& r, Opcode opcode) noexcept;
  [[nodiscard]] bool follow_compare(Reader& r) noexcept;
  [[nodiscard]] bool follow_sort(Reader& r) noexcept;

  // Notes octets as deciding. Returns false if an octet is marked.
  [[nodiscard]] bool decides(std::uint32_t address, std::uint32_t length) noexcept;
  [[nodiscard]] bool decides(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept;
  [[nodiscard]] bool is_marked(std::uint32_t address, std::uint32_t length) const noexcept;
  [[nodiscard]] bool is_marked(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept;
  // Notes octets as written. `marked`: the value was computed from marked octets.
  void write(std::uint32_t address, std::uint32_t length, bool marked) noexcept;
  void write(std::uint16_t address, std::uint32_t length, bool marked, CopyBounds bounds) noexcept;

  [[nodiscard]] const Counter* counter_at(std::uint16_t address) const noexcept;
  void forget_counters(std::uint32_t address, std::uint32_t length) noexcept;
  void forget_counters(std::uint16_t address, std::uint32_t length, CopyBounds bounds) noexcept;
  void note_word(std::uint16_t address) noexcept;

  // The flags of an octet in marks_.
  static constexpr std::uint8_t kMarked = 1;    // when proving
  static constexpr std::uint8_t kDecides = 1;   // when searching
  static constexpr std::uint8_t kCompared = 2;  // when searching: the octet is part of a word that was compared

  static constexpr std::size_t kMostCounters = 16;
  static constexpr std::size_t kMostConditions = 32;
  static constexpr std::uint32_t kMostProofs = 8;  // largest number of rounds for one proof, each with a larger V

  Phase phase_ = Phase::kSearch;
  Situation first_;                   // situation when the round began
  std::vector<std::uint8_t> before_;  // memory when the round began
  Memory marks_;
  Memory varying_;  // V: kMarked where an octet is part of it
  std::vector<std::uint8_t> room_;
  std::uint32_t round_ = 0;  // instructions since the round began
  // The shortest round to be tried if data (or compared words) change in it: a shorter one has been tried in vain, and
  // may be part of a longer round.
  std::uint32_t least_with_data_ = 0;
  std::uint32_t least_with_compared_ = 0;
  bool compares_ = false;     // True if compared words change in the round to be proved
  std::uint32_t length_ = 0;  // length of the round to be proved, in instructions
  std::uint32_t proofs_ = 0;  // rounds spent on the proof
  std::uint32_t most_ = 0;    // largest number of instructions to be watched
  std::uint32_t spent_ = 0;
  std::uint32_t witness_ = 0;                // a deciding octet that has been found to change
  Few<std::uint16_t, kMostCounters> words_;  // addresses of words that are compared, added to or subtracted from
  Few<Counter, kMostCounters> counters_;
  Few<Condition, kMostConditions> conditions_;
  Proof proof_;
};

}  // namespace headroom::sigcomp::udvm
