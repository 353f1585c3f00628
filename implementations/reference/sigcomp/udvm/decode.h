// SPDX-License-Identifier: Apache-2.0
//
// Decodes single instructions for the disassembler and the tracer. The interpreter has a decoder of its own
// (interpreter.cc), which is tested against this one.
#pragma once

#include <optional>
#include <vector>

#include "sigcomp/udvm/opcode.h"

namespace headroom::sigcomp::udvm {

struct DecodedOperand {
  OperandKind kind = OperandKind::kLiteral;
  bool in_memory = false;     // the integer is an address (always true for a reference)
  std::uint16_t integer = 0;  // the encoded integer; an address operand is relative to its instruction
  std::uint8_t length = 0;    // octets
};

struct Decoded {
  std::uint8_t opcode = 0;
  std::uint32_t length = 0;  // octets of the whole instruction
  std::vector<DecodedOperand> operands;
  bool is_complete = true;  // False if there were more than `most` operands; `length` is then not known
};

// Decodes the instruction at `pc`, with at most `most` operands. Octets after the end of `memory` count as 0. Returns
// nothing if there is no instruction or an operand is not valid. REQUIRES: pc < memory.size().
[[nodiscard]] std::optional<Decoded> decode(Octets memory, std::uint16_t pc, std::size_t most);

}  // namespace headroom::sigcomp::udvm
