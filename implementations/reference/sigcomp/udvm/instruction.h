// SPDX-License-Identifier: Apache-2.0
//
// An instruction taken apart for the interpreter.
#pragma once

#include <array>
#include <cstdint>

#include "sigcomp/message/reason.h"
#include "sigcomp/udvm/opcode.h"
#include "sigcomp/udvm/operand.h"

namespace headroom::sigcomp::udvm {

inline constexpr std::uint8_t kNoAction = 0xff;  // the opcode is none

struct alignas(64) Instruction {
  static constexpr std::uint32_t kMostOperands = 19;  // INPUT-HUFFMAN with four sets

  std::uint32_t version = 0;    // of Code when its octets were compared last; 0: never
  std::uint32_t end = 0;        // the address behind the operands that are here; 0: there is no instruction
  std::uint32_t in_memory = 0;  // one bit for each operand: its integer is the address of its value
  std::uint16_t pc = 0;
  std::uint8_t opcode = 0;
  std::uint8_t action = 0;  // the opcode, one of an idiom (idiom.h), or kNoAction
  // The operands that come as often as a literal says (MULTILOAD, SWITCH, INPUT-HUFFMAN) are here, too. Where they are
  // too many, or not all good, they are read from the memory one by one, behind `end`.
  bool is_complete = true;
  Reason trouble = Reason::kNone;  // of the others: one is none, or lies beyond the memory
  std::array<std::uint16_t, kMostOperands> integers{};
  // The one that was executed after this last time: a guess, so that the next one need not be waited for.
  Instruction* follower = nullptr;
};
static_assert(sizeof(Instruction) == 64);  // a line of the cache

// Appends the operand at instruction.end as the one with the number `count`, which grows; false when it is none.
// REQUIRES: three octets can be read there, and there are fewer than kMostOperands.
inline bool append_operand(Instruction& instruction, std::uint32_t& count, const std::uint8_t* memory,
                           char kind) noexcept {
  const Encodings& encodings = kind == static_cast<char>(OperandKind::kLiteral)     ? kLiteralEncodings
                               : kind == static_cast<char>(OperandKind::kReference) ? kReferenceEncodings
                                                                                    : kMultitypeEncodings;
  const Encoding& e = encodings[memory[instruction.end]];
  if (!e.valid()) return false;
  instruction.integers[count] = integer_of(e, memory + instruction.end);
  if (e.in_memory) instruction.in_memory |= 1U << count;
  instruction.end += e.length;
  ++count;
  return true;
}

}  // namespace headroom::sigcomp::udvm
