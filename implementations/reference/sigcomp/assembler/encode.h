// SPDX-License-Identifier: Apache-2.0
//
// The encoding of operands in as few octets as possible: the inverse of udvm/operand.h.
#pragma once

#include <vector>

#include "sigcomp/udvm/opcode.h"
#include "sigcomp/udvm/operand.h"

namespace headroom::sigcomp::assembler {

// Appends the operand's shortest encoding that has `least` octets or more (1 to 3). `in_memory`: `integer` is the
// address of the value, as it always is for references. For an address operand, `integer` is relative to the
// instruction already.
void encode_operand(udvm::OperandKind kind, bool in_memory, std::uint16_t integer, std::size_t least,
                    std::vector<std::uint8_t>& octets);

}  // namespace headroom::sigcomp::assembler
