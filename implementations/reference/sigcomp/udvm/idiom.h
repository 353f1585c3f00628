// SPDX-License-Identifier: Apache-2.0
//
// Idioms: instructions one behind another that decompressors of the LZ77 family do for each octet and each match, and
// that the interpreter does at once; and whole codes of them, one after another (codes.cc). Nothing of an idiom may go
// wrong, and none of its instructions may change what the later ones are or do, other than as it is written here; where
// that is not certain, and while a tracer watches, its instructions are executed one by one.
#pragma once

#include "sigcomp/udvm/instruction.h"

namespace headroom::sigcomp::udvm {

// Actions besides the opcodes.
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
// Only ever done behind kReadCode.
inline constexpr std::uint8_t kReadMatch = kOpcodes + 3;

// Where the operands of an idiom are in Instruction::integers.
struct EmitOctet {
  enum : std::uint8_t { kOutput, kOutputLength, kFrom, kLength, kPointer, kNext, kCount };
};
struct EmitMatch {
  enum : std::uint8_t { kOld, kLoaded, kOffset, kLength, kPointer, kOutput, kOutputLength, kNext, kCount };
};

struct ReadCode {
  static constexpr std::uint8_t kSet = 4;  // operands of each of the two sets, of which the first begins with kBits
  enum : std::uint8_t { kCode, kEnd, kSets, kBits, kLower, kUpper, kLeast };
  enum : std::uint8_t { kCompared = 3 + 2 * kSet, kFirst, kMatch, kEqual, kLiteral };
};
struct ReadMatch {
  enum : std::uint8_t { kBits, kRead, kEnd, kSum, kAdded };
  static constexpr std::uint8_t kEmit = 5;  // where those of EmitMatch begin
};

// Makes of `instruction`, whose own operands are there, the idiom that it begins, if it does: its action, and the other
// operands, with the address to go on at. The address behind the last octet that matters.
std::uint32_t recognise(Instruction& instruction, const std::uint8_t* memory, std::uint32_t size) noexcept;

}  // namespace headroom::sigcomp::udvm
