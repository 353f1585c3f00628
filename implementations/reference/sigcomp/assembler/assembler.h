// SPDX-License-Identifier: Apache-2.0
//
// The UDVM assembler: translates the mnemonic language of RFC 4464 chapter 3 into bytecode, and builds a SigComp
// message that uploads the bytecode.
#pragma once

#include <map>
#include <string>

#include "sigcomp/assembler/source.h"
#include "sigcomp/octets.h"

namespace headroom::sigcomp::assembler {

struct Program {
  std::vector<std::uint8_t> image;            // the memory from address 0 on; padding is 0
  std::vector<bool> is_padding;               // one entry for each octet of `image`
  std::uint16_t start = 0;                    // address of the first instruction, or of the `start` directive
  std::map<std::string, std::int64_t> names;  // values of labels and of `set` directives
};

// Assembles a program. Operands get their shortest encoding. "!" stands for the address of the closest octet 0 in front
// of the instruction, or else after it, that the readonly directives allow; addresses 0 to 31, which hold Useful
// Values, are excluded.
[[nodiscard]] std::variant<Program, SourceError> assemble(std::string_view text);

// Returns the bytecode to be uploaded, from `start` on. Trailing zeros are left out, as the memory is zero anyway,
// except that one octet always remains: a message whose code_len is 0 is a NACK (RFC 4077 3.1).
[[nodiscard]] Octets code_of(const Program& program);

// Returns the SigComp message that uploads the bytecode (RFC 3320 7.3) followed by `input`, or an explanation why there
// is none (RFC 4464 3.3): the first instruction must be at a multiple of 64 from 128 to 1024, in front of it there may
// only be padding and, from address 32 on, zeros, and the bytecode may have at most 4095 octets.
[[nodiscard]] std::variant<std::vector<std::uint8_t>, std::string> upload(const Program& program, Octets input = {});

}  // namespace headroom::sigcomp::assembler
