// SPDX-License-Identifier: Apache-2.0
//
// Code caches instructions that have been decoded for the interpreter. The operands of a loop are decoded only once,
// and decoded instructions outlive a message, because the next message mostly brings the same bytecode to the same
// address.
//
// A program may write anywhere, and the next message may come from another sender. So a cached instruction keeps a copy
// of its octets, and is used only if they have been compared with the memory since the program began and since the
// program last wrote to any octet of an instruction. The time of each comparison is bounded by the instruction's
// length, whatever a program does.
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

  // Prepares for a program. With `keep` decoded instructions are cached, without `keep` each instruction is decoded
  // whenever it is executed.
  void begin(bool keep) noexcept;

  // Returns the instruction at `pc`, valid until the next call. `memory` has `size` octets, followed by the padding of
  // Memory. REQUIRES: pc < size.
  [[nodiscard]] Instruction& at(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept {
    Instruction& kept = kept_[pc % kKept];
    if (kept.pc == pc && kept.version == version_) [[likely]]
      return kept;
    return look_up(memory, size, pc);
  }

  // As at(), if `last` is the instruction that was executed before.
  [[nodiscard]] Instruction& after(Instruction& last, const std::uint8_t* memory, std::uint32_t size,
                                   std::uint32_t pc) noexcept {
    Instruction& guess = *last.follower;
    if (guess.pc == pc && guess.version == version_) [[likely]]
      return guess;
    Instruction& found = at(memory, size, pc);
    last.follower = &found;
    return found;
  }

  // Returns the instruction at `pc` if it is cached and its octets are those in the memory; nullptr otherwise.
  // References to other instructions stay valid.
  [[nodiscard]] const Instruction* known(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept;

  // Records that the program has written these octets.
  void written(std::uint32_t address, std::uint32_t length) noexcept {
    if (has(address, length)) [[unlikely]]
      look(address, length);
  }

  // True if these octets may include octets of instructions.
  [[nodiscard]] bool has(std::uint32_t address, std::uint32_t length) const noexcept {
    return address < last_ && address + length > first_;
  }
  // Returns the end address of all octets of instructions.
  [[nodiscard]] std::uint32_t end() const noexcept { return last_; }

  // Returns how many instructions were compared or decoded since the last call of take_look_ups() or begin().
  [[nodiscard]] std::uint32_t take_look_ups() noexcept { return std::exchange(look_ups_, 0); }

 private:
  static constexpr std::size_t kOctets = 65536;
  static constexpr std::size_t kKept = 256;
  // The octets that determine an instruction, from its first octet on: its own octets and those of its idiom.
  struct Source {
    static constexpr std::size_t kMost = 1 + 3 * Instruction::kMostOperands;
    std::uint32_t length = 0;
    std::array<std::uint8_t, kMost> octets{};
  };

  // True if the memory has the octets of the instruction that is cached for `pc`.
  [[nodiscard]] bool is_same(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) const noexcept;
  // Marks the instruction at `pc` as compared, and watches its octets for writes from now on.
  Instruction& renewed(std::uint32_t pc) noexcept;
  Instruction& look_up(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept;
  // Decodes one instruction into `passing_`. Returns false if the octets are no instruction or the instruction would
  // fail.
  bool decode(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept;
  void look(std::uint32_t address, std::uint32_t length) noexcept;
  void renew() noexcept;

  std::uint32_t version_ = 1;
  std::uint32_t first_ = 0;  // address of the first octet of any instruction
  std::uint32_t last_ = 0;   // address after the last octet of any instruction
  std::uint32_t look_ups_ = 0;
  bool keep_ = true;
  std::array<Instruction, kKept> kept_{};
  std::array<Source, kKept> sources_{};  // octets of the instructions in `kept_` when they were decoded
  Instruction passing_;                  // an instruction that is not cached
  std::vector<std::uint8_t> is_code_;    // by address; 1: part of an instruction executed in this run
};

}  // namespace headroom::sigcomp::udvm
