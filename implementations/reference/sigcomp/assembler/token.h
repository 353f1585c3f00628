// SPDX-License-Identifier: Apache-2.0
//
// The lexical level of UDVM assembly: RFC 4464 3.1.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "sigcomp/assembler/source.h"

namespace headroom::sigcomp::assembler {

struct Token {
  enum class Kind { kName, kOpcode, kDelimiter, kNumber, kEnd };
  Kind kind = Kind::kEnd;
  std::string_view text;
  std::int64_t number = 0;
  Position at;
};

// Returns all tokens, ending with kEnd. REQUIRES: `text` outlives the tokens.
[[nodiscard]] std::variant<std::vector<Token>, SourceError> tokens_of(std::string_view text);

}  // namespace headroom::sigcomp::assembler
