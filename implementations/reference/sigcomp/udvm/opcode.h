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
  std::string_view operands;  // one character of OperandKind each, those that are always there
  // After them, as many times as the literal among them (`counted_by`, an index into `operands`) says, these:
  std::string_view repeated = {};
  std::size_t counted_by = 0;
};

// Figure 11 and chapter 9, by opcode.
[[nodiscard]] const std::array<Signature, kOpcodes>& signatures() noexcept;

// Nothing for a byte that is no instruction.
[[nodiscard]] const Signature* signature_of(std::uint8_t opcode) noexcept;

// The opcode of a mnemonic in capitals, such as "INPUT-BITS".
[[nodiscard]] std::optional<std::uint8_t> opcode_of(std::string_view mnemonic) noexcept;

}  // namespace headroom::sigcomp::udvm
