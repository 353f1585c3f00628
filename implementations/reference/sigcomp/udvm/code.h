// SPDX-License-Identifier: Apache-2.0
//
// Instructions taken apart for the interpreter, and kept: a loop has its operands decoded once, and what is kept
// outlives a message, because the next one mostly brings the same bytecode to the same place.
//
// A program may write anywhere, and the next message may be another's. So an instruction that is kept has its octets
// with it, and is used when they have been compared with the memory since the program began, and since it has written
// to any octet of an instruction. Each takes a time that is bounded by its own length, whatever a program does.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sigcomp/udvm/instruction.h"

namespace headroom::sigcomp::udvm {

class Code {
 public:
  Code() : is_code_(kOctets) {}

  // Before a program runs: instructions are kept, or, without `keep`, taken apart whenever they are executed.
  void begin(bool keep) noexcept;

  // The instruction at `pc`, valid until the next call. `memory` has `size` octets and those behind it that Memory has.
  // REQUIRES: pc < size.
  [[nodiscard]] Instruction& at(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept {
    Instruction& kept = kept_[pc % kKept];
    if (kept.pc == pc && kept.version == version_) [[likely]]
      return kept;
    return look_up(memory, size, pc);
  }

  // The same, when `last` is the one that has been executed before.
  [[nodiscard]] Instruction& after(Instruction& last, const std::uint8_t* memory, std::uint32_t size,
                                   std::uint32_t pc) noexcept {
    Instruction& guess = *last.follower;
    if (guess.pc == pc && guess.version == version_) [[likely]]
      return guess;
    Instruction& found = at(memory, size, pc);
    last.follower = &found;
    return found;
  }

  // The one at `pc` if it is kept and the memory has its octets; nullptr otherwise. Others stay where they are.
  [[nodiscard]] const Instruction* known(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept;

  // The program has written these octets.
  void written(std::uint32_t address, std::uint32_t length) noexcept {
    if (has(address, length)) [[unlikely]]
      look(address, length);
  }

  // Whether there may be octets of instructions among these.
  [[nodiscard]] bool has(std::uint32_t address, std::uint32_t length) const noexcept {
    return address < last_ && address + length > first_;
  }
  // Behind it there are none.
  [[nodiscard]] std::uint32_t end() const noexcept { return last_; }

  // How often an instruction had to be compared or taken apart, since the last call of this or begin().
  [[nodiscard]] std::uint32_t take_look_ups() noexcept { return std::exchange(look_ups_, 0); }

 private:
  static constexpr std::size_t kOctets = 65536;
  static constexpr std::size_t kKept = 256;
  // The octets that decide what an instruction is, from its first one on: its own, and those of its idiom.
  struct Source {
    static constexpr std::size_t kMost = 1 + 3 * Instruction::kMostOperands;
    std::uint32_t length = 0;
    std::array<std::uint8_t, kMost> octets{};
  };

  // Whether the memory has the octets of the instruction that is kept for `pc`.
  [[nodiscard]] bool is_same(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) const noexcept;
  // Those of this instruction have been compared, and are from now on watched.
  Instruction& renewed(std::uint32_t pc) noexcept;
  Instruction& look_up(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept;
  // Into passing_. False when it is no instruction, or one that fails.
  bool decode(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept;
  void look(std::uint32_t address, std::uint32_t length) noexcept;
  void renew() noexcept;

  std::uint32_t version_ = 1;
  std::uint32_t first_ = 0;  // all octets of instructions lie from here
  std::uint32_t last_ = 0;   // to before here
  std::uint32_t look_ups_ = 0;
  bool keep_ = true;
  std::array<Instruction, kKept> kept_{};
  std::array<Source, kKept> sources_{};  // of these, as they were when they were taken apart
  Instruction passing_;                  // one that is not kept
  std::vector<std::uint8_t> is_code_;    // 1: part of an instruction that has been executed in this run
};

}  // namespace headroom::sigcomp::udvm
