// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/assembled.h"

namespace headroom::sigcomp {

std::variant<assembler::Program, assembler::SourceError> assembled(const std::string& text) {
  return assembler::assemble(text);
}

}  // namespace headroom::sigcomp
