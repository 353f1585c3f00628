// SPDX-License-Identifier: Apache-2.0
//
// What `tool` of the ABI answers for SigComp (implementations/README.md): the assembler, the disassembler, the tracer.
#pragma once

#include <nlohmann/json.hpp>

namespace headroom::sigcomp {

// Throws ConfigError with a sentence about what is wrong with the request.
[[nodiscard]] nlohmann::json tool_answer(const nlohmann::json& request);

}  // namespace headroom::sigcomp
