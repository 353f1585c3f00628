// SPDX-License-Identifier: Apache-2.0
//
// An instruction decoded for the interpreter.
#pragma once

#include <array>
#include <cstdint>

#include "sigcomp/message/reason.h"
#include "sigcomp/udvm/opcode.h"
#include "sigcomp/udvm/operand.h"

namespace headroom::sigcomp::udvm {

inline constexpr std::uint8_t kNoAction = 0xff;  // the octet is no opcode

struct alignas(64) Instruction {
  static constexpr std::uint32_t kMostOperands = 19;  // INPUT-HUFFMAN with four sets

  std::uint32_t version = 0;    // version of Code at the last comparison of the octets; 0: never compared
  std::uint32_t end = 0;        // address after the decoded operands; 0: there is no instruction
  std::uint32_t in_memory = 0;  // one bit for each operand: the integer is the address of the value
  std::uint16_t pc = 0;
  std::uint8_t opcode = 0;
  std::uint8_t action = 0;  // the opcode, an action of idiom.h, or kNoAction
  // True if `integers` includes the operands whose number a literal gives (MULTILOAD, SWITCH, INPUT-HUFFMAN). If there
  // are too many, or some are not valid, they are read from the memory one by one, after `end`.
  bool is_complete = true;
  Reason trouble = Reason::kNone;  // error of the other operands: invalid, or beyond the memory
  std::array<std::uint16_t, kMostOperands> integers{};
  // The instruction that was executed after this one last time: a guess that saves waiting for the next look-up.
  Instruction* follower = nullptr;
};
static_assert(sizeof(Instruction) == 64);  // one cache line

// Appends the operand at instruction.end as operand number `count`, and increments `count`. Returns false if the octets
// are no valid operand. REQUIRES: three octets are readable there, and there are fewer than kMostOperands operands.
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
