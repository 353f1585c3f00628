// SPDX-License-Identifier: Apache-2.0
//
// Operands as octets, the shortest that say it: the other direction of udvm/operand.h.
#pragma once

#include <vector>

#include "sigcomp/udvm/opcode.h"
#include "sigcomp/udvm/operand.h"

namespace headroom::sigcomp::assembler {

// Appends the operand's octets: the shortest encoding that has `least` octets or more (1 to 3). `in_memory`: `integer`
// is the address of the value, as references have it always. For an address, `integer` is relative already.
void encode_operand(udvm::OperandKind kind, bool in_memory, std::uint16_t integer, std::size_t least,
                    std::vector<std::uint8_t>& octets);

}  // namespace headroom::sigcomp::assembler
