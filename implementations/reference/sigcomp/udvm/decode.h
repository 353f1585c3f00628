// SPDX-License-Identifier: Apache-2.0
//
// One instruction taken apart for people: for the disassembler and the tracer. The interpreter has a way of its own
// (interpreter.cc), which this does not use and is tested against.
#pragma once

#include <optional>
#include <vector>

#include "sigcomp/udvm/opcode.h"

namespace headroom::sigcomp::udvm {

struct DecodedOperand {
  OperandKind kind = OperandKind::kLiteral;
  bool in_memory = false;     // the integer is an address, as it always is with a reference
  std::uint16_t integer = 0;  // as encoded; what an address operand adds to its instruction's address is not in it
  std::uint8_t length = 0;    // octets
};

struct Decoded {
  std::uint8_t opcode = 0;
  std::uint32_t length = 0;  // octets in all
  std::vector<DecodedOperand> operands;
  bool is_complete = true;  // false: there were more than `most` operands, and `length` is not known
};

// The instruction at `pc`, with `most` operands at most. Octets behind the end of `memory` count as 0. Nothing when
// there is no instruction or an operand is not one. REQUIRES: pc < memory.size().
[[nodiscard]] std::optional<Decoded> decode(Octets memory, std::uint16_t pc, std::size_t most);

}  // namespace headroom::sigcomp::udvm
