// SPDX-License-Identifier: Apache-2.0
//
// Implements `tool` of the ABI for SigComp (implementations/README.md): the assembler, the disassembler and the tracer.
#pragma once

#include <nlohmann/json.hpp>

namespace headroom::sigcomp {

// Returns the answer to a request. Throws ConfigError with an explanation if the request is not valid.
[[nodiscard]] nlohmann::json tool_answer(const nlohmann::json& request);

}  // namespace headroom::sigcomp
