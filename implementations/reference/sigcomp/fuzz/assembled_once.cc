// SPDX-License-Identifier: Apache-2.0
//
// Instead of compressor/assembled.cc, for targets that make endpoints with each input: a program is assembled once.
// With sanitizers that takes longer than all that is done with it, and there are few programs.
#include <unordered_map>

#include "sigcomp/compressor/assembled.h"

namespace headroom::sigcomp {

std::variant<assembler::Program, assembler::SourceError> assembled(const std::string& text) {
  static std::unordered_map<std::string, std::variant<assembler::Program, assembler::SourceError>> known;
  const auto at = known.find(text);
  return at != known.end() ? at->second : known.emplace(text, assembler::assemble(text)).first->second;
}

}  // namespace headroom::sigcomp
