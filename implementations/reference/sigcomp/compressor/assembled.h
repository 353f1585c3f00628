// SPDX-License-Identifier: Apache-2.0
//
// Assembles the text of a compressor's program. The function is in a file of its own so that a program that makes very
// many endpoints, such as a fuzz target, can link a version that caches results (fuzz/assembled_once.cc).
#pragma once

#include <string>
#include <variant>

#include "sigcomp/assembler/assembler.h"

namespace headroom::sigcomp {

[[nodiscard]] std::variant<assembler::Program, assembler::SourceError> assembled(const std::string& text);

}  // namespace headroom::sigcomp
