// SPDX-License-Identifier: Apache-2.0
//
// The instruction set: figure 11 of RFC 3320 (bytecode values) and the operands that chapter 9 gives each instruction.
// Interpreter, assembler, disassembler and tracer share it.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sigcomp/octets.h"

namespace headroom::sigcomp::udvm {

enum class Opcode : std::uint8_t {
  kDecompressionFailure = 0,
  kAnd,
  kOr,
  kNot,
  kLshift,
  kRshift,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kSortAscending,
  kSortDescending,
  kSha1,
  kLoad,
  kMultiload,
  kPush,
  kPop,
  kCopy,
  kCopyLiteral,
  kCopyOffset,
  kMemset,
  kJump,
  kCompare,
  kCall,
  kReturn,
  kSwitch,
  kCrc,
  kInputBytes,
  kInputBits,
  kInputHuffman,
  kStateAccess,
  kStateCreate,
  kStateFree,
  kOutput,
  kEndMessage,
};
inline constexpr std::size_t kOpcodes = 36;

// RFC 3320 8.5: literal (#), reference ($), multitype (%), address (@).
enum class OperandKind : char { kLiteral = '#', kReference = '$', kMultitype = '%', kAddress = '@' };

struct Signature {
  std::string_view mnemonic;
  std::string_view operands;  // one character of OperandKind for each operand that is always there
  // The operands that follow, repeated as often as the literal operand number `counted_by` of `operands` says:
  std::string_view repeated = {};
  std::size_t counted_by = 0;
};

// Returns the signatures of all instructions by opcode (figure 11 and chapter 9).
[[nodiscard]] const std::array<Signature, kOpcodes>& signatures() noexcept;

// Returns the signature of an opcode, or nullptr if the octet is no opcode.
[[nodiscard]] const Signature* signature_of(std::uint8_t opcode) noexcept;

// Returns the opcode of a mnemonic in capitals, such as "INPUT-BITS", or nothing if there is none.
[[nodiscard]] std::optional<std::uint8_t> opcode_of(std::string_view mnemonic) noexcept;

}  // namespace headroom::sigcomp::udvm
