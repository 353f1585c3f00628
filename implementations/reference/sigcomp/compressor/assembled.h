// SPDX-License-Identifier: Apache-2.0
//
// Where the text of a compressor's program becomes octets. It stands apart so that a program that makes very many
// endpoints, which fuzz targets are, can link one that remembers (fuzz/assembled_once.cc).
#pragma once

#include <string>
#include <variant>

#include "sigcomp/assembler/assembler.h"

namespace headroom::sigcomp {

[[nodiscard]] std::variant<assembler::Program, assembler::SourceError> assembled(const std::string& text);

}  // namespace headroom::sigcomp
