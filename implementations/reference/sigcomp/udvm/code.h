// SPDX-License-Identifier: Apache-2.0
//
// Instructions taken apart for the interpreter, and kept: a loop has its operands decoded once. A program may write
// anywhere, so each write is compared with what has been decoded, and one that meets it forgets everything.
//
// What is kept outlives a message: the next one mostly brings the same bytecode to the same place.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sigcomp/message/reason.h"
#include "sigcomp/octets.h"

namespace headroom::sigcomp::udvm {

struct Instruction {
  static constexpr std::uint32_t kMostOperands = 12;

  std::uint32_t version = 0;  // of Code when it was decoded; 0: it is not kept
  std::uint32_t end = 0;      // the address behind the operands that are here
  std::uint16_t pc = 0;
  std::uint16_t in_memory = 0;  // one bit for each operand: its integer is the address of its value
  std::uint8_t opcode = 0;
  // The operands that come as often as a literal says (MULTILOAD, SWITCH, INPUT-HUFFMAN) are here, too. Where they are
  // too many, or not all good, they are read from the memory one by one, behind `end`.
  bool is_complete = true;
  Reason trouble = Reason::kNone;  // of the others: one is none, or lies beyond the memory
  std::array<std::uint16_t, kMostOperands> integers{};
};

class Code {
 public:
  Code() : is_code_(kOctets), decoded_(kOctets) {}

  // Before a program runs: keeps what is still there, and what will be decoded, or, without `keep`, nothing. `memory`
  // has `size` octets and those behind it that Memory has.
  void begin(const std::uint8_t* memory, std::uint32_t size, bool keep) noexcept;

  // The instruction at `pc`, valid until the next call. REQUIRES: pc < size.
  [[nodiscard]] const Instruction& at(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept {
    const Instruction& kept = kept_[pc % kKept];
    if (kept.pc == pc && kept.version == version_) [[likely]]
      return kept;
    return decode(memory, size, pc);
  }

  // The program has written these octets.
  void written(std::uint32_t address, std::uint32_t length) noexcept {
    if (address < last_ && address + length > first_) [[unlikely]]
      look(address, length);
  }

 private:
  static constexpr std::size_t kOctets = 65536;
  static constexpr std::size_t kKept = 256;
  // A program that writes to its code all the time had better be decoded as it runs.
  static constexpr unsigned kMostForgotten = 32;

  const Instruction& decode(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept;
  void keep(const std::uint8_t* memory, const Instruction& instruction) noexcept;
  void look(std::uint32_t address, std::uint32_t length) noexcept;
  void forget() noexcept;

  std::uint32_t version_ = 1;
  std::uint32_t first_ = 0;  // all that is kept lies from here
  std::uint32_t last_ = 0;   // to before here
  unsigned forgotten_ = 0;   // times, in this run
  std::array<Instruction, kKept> kept_{};
  Instruction passing_;                // one that is not kept
  std::vector<std::uint8_t> is_code_;  // 1: part of an instruction that is kept
  std::vector<std::uint8_t> decoded_;  // the octets from first_ to last_, as they were
};

}  // namespace headroom::sigcomp::udvm
