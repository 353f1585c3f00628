// SPDX-License-Identifier: Apache-2.0
//
// Superinstructions ("idioms"): sequences of instructions that decompressors of the LZ77 family execute for each octet
// and each match, and that the interpreter executes in one step; codes.cc executes whole codes, one after another. An
// idiom is used only if none of its instructions can fail or change the later ones other than as written here. If this
// is not certain, or a tracer watches, the instructions are executed one by one.
#pragma once

#include "sigcomp/udvm/instruction.h"

namespace headroom::sigcomp::udvm {

// Actions in addition to the opcodes.
//
//   OUTPUT (octet, 1)
//   COPY-LITERAL (octet, 1, $pointer)
//   JUMP (next)
inline constexpr std::uint8_t kEmitOctet = kOpcodes;
//   LOAD (old, $pointer)
//   COPY-OFFSET ($offset, $length, $pointer)
//   OUTPUT ($old, $length)
//   JUMP (next)
inline constexpr std::uint8_t kEmitMatch = kOpcodes + 1;
//   INPUT-HUFFMAN (code, end, 2, bits, lower, upper, least, bits, lower, upper, least)
//   COMPARE ($code, first, match, literal, literal)
inline constexpr std::uint8_t kReadCode = kOpcodes + 2;
//   INPUT-BITS (bits, length, end)
//   ADD ($length, added)
//   and kEmitMatch
// This idiom always follows kReadCode.
inline constexpr std::uint8_t kReadMatch = kOpcodes + 3;

// The places of an idiom's operands in Instruction::integers.
struct EmitOctet {
  enum : std::uint8_t { kOutput, kOutputLength, kFrom, kLength, kPointer, kNext, kCount };
};
struct EmitMatch {
  enum : std::uint8_t { kOld, kLoaded, kOffset, kLength, kPointer, kOutput, kOutputLength, kNext, kCount };
};

struct ReadCode {
  static constexpr std::uint8_t kSet = 4;  // operands in each of the two sets; the first begins with kBits
  enum : std::uint8_t { kCode, kEnd, kSets, kBits, kLower, kUpper, kLeast };
  enum : std::uint8_t { kCompared = 3 + 2 * kSet, kFirst, kMatch, kEqual, kLiteral };
};
struct ReadMatch {
  enum : std::uint8_t { kBits, kRead, kEnd, kSum, kAdded };
  static constexpr std::uint8_t kEmit = 5;  // place of the first operand of EmitMatch
};

// Turns `instruction`, whose own operands are decoded, into the idiom that it begins, if it begins one: sets the action
// and the further operands, including the address to go on at. Returns the address after the last octet that
// determines the instruction.
std::uint32_t recognise(Instruction& instruction, const std::uint8_t* memory, std::uint32_t size) noexcept;

}  // namespace headroom::sigcomp::udvm
