// SPDX-License-Identifier: Apache-2.0
//
// A UDVM with an assembled program in it, for tests of single instructions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/test/support/hex.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::test {

inline constexpr std::string_view kEnd = "\nEND-MESSAGE (0, 0, 0, 0, 0, 0, 0)\n";

class Machine {
 public:
  udvm::Udvm udvm;
  udvm::Run run;
  Bytes input;
  std::uint32_t memory_size = 2048;

  Machine() { run.cycles = 100000; }

  // Runs `source`, from its first instruction on. Useful Values are left at zero.
  bool execute(std::string_view source) {
    const auto result = assembler::assemble(source);
    if (const auto* error = std::get_if<assembler::SourceError>(&result)) {
      ADD_FAILURE() << error->text();
      return false;
    }
    const auto& program = std::get<assembler::Program>(result);
    return execute(program.image, program.start);
  }
  bool execute(const Bytes& image, std::uint16_t start) {
    udvm.memory().reset(memory_size);
    std::copy_n(image.begin(), std::min<std::size_t>(image.size(), memory_size), udvm.memory().data());
    run.input = input;
    run.start = start;
    return udvm.run(run);
  }

  [[nodiscard]] std::string output() const { return to_hex(udvm.output()); }
  [[nodiscard]] std::string reason() const { return std::string(name_of(udvm.failure().reason)); }
  [[nodiscard]] std::uint16_t word(std::uint16_t address) const { return load16(udvm.memory().data() + address); }
};

// The output of `body`, which starts at address 128, or the reason of its failure.
inline std::string result_of(std::string_view body, std::string_view input_hex = "", std::uint32_t memory_size = 2048) {
  Machine machine;
  machine.input = hex(input_hex);
  machine.memory_size = memory_size;
  return machine.execute("at (128)\n" + std::string(body) + std::string(kEnd)) ? machine.output() : machine.reason();
}

}  // namespace headroom::sigcomp::test
