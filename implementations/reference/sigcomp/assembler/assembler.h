// SPDX-License-Identifier: Apache-2.0
//
// The UDVM assembler: from the mnemonic language of RFC 4464 chapter 3 to bytecode, and to a SigComp message that
// uploads it.
#pragma once

#include <map>
#include <string>

#include "sigcomp/assembler/source.h"
#include "sigcomp/octets.h"

namespace headroom::sigcomp::assembler {

struct Program {
  std::vector<std::uint8_t> image;            // the memory from address 0 on; padding is 0
  std::vector<bool> is_padding;               // of each octet of `image`
  std::uint16_t start = 0;                    // address of the first instruction, or what `start` says
  std::map<std::string, std::int64_t> names;  // labels, and what was set
};

// Operands take the shortest encoding. "!" is the closest octet 0 before the instruction, or else behind it, that the
// readonly directives allow; none of 0 to 31, which hold Useful Values.
[[nodiscard]] std::variant<Program, SourceError> assemble(std::string_view text);

// The bytecode to be uploaded: from `start` on, without the zeros at its end, which the memory has anyway,
// but for one octet: a message whose code_len is 0 is a NACK (RFC 4077 3.1).
[[nodiscard]] Octets code_of(const Program& program);

// The SigComp message that uploads the bytecode (RFC 3320 7.3) with `input` behind it; or a sentence that says why
// there is none (RFC 4464 3.3): the first instruction must be at a multiple of 64 from 128 to 1024, there is nothing
// but padding and, from address 32 on, zeros in front of it, and the bytecode has at most 4095 octets.
[[nodiscard]] std::variant<std::vector<std::uint8_t>, std::string> upload(const Program& program, Octets input = {});

}  // namespace headroom::sigcomp::assembler
