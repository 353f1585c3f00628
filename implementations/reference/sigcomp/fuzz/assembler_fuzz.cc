// SPDX-License-Identifier: Apache-2.0
//
// The assembler with any text, and the disassembler with what comes out: it must assemble to the same octets.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/assembler/disassembler.h"
#include "sigcomp/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::sigcomp;
  const auto result = assembler::assemble(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto* program = std::get_if<assembler::Program>(&result);
  if (program == nullptr) return 0;
  fuzz::require(program->image.size() <= 65536 && program->is_padding.size() == program->image.size(), "a false image");
  if (const auto message = assembler::upload(*program); message.index() == 0) {
    fuzz::require(std::get<0>(message).size() == 3 + assembler::code_of(*program).size(), "a false message");
  }
  if (program->image.size() > 8192) return 0;
  const std::string back = assembler::disassemble(program->image, 0, program->start);
  const auto again = assembler::assemble(back);
  const auto* other = std::get_if<assembler::Program>(&again);
  fuzz::require(other != nullptr, "the disassembler's text does not assemble");
  std::vector<std::uint8_t> image = other->image;
  fuzz::require(image.size() >= program->image.size(), "octets are missing");
  for (std::size_t i = program->image.size(); i < image.size(); ++i) fuzz::require(image[i] == 0, "more octets");
  fuzz::require(other->start == program->start, "another start");
  image.resize(program->image.size());
  fuzz::require(image == program->image, "other octets");
  return 0;
}
