// SPDX-License-Identifier: Apache-2.0
//
// Programs with loops, run with the verifier and kept instructions, and without either: both must do the same, but for
// the time that it takes.
// Whatever the verifier ends must never come to END-MESSAGE by itself.
//
// Input: choices of test/support/random_program.h, one octet each.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/fuzz/input.h"
#include "sigcomp/test/support/random_program.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::fuzz {
namespace {

constexpr std::uint32_t kMemory = 2048;

bool run(udvm::Udvm& udvm, const assembler::Program& program, Octets input, bool verify) {
  udvm.memory().reset(kMemory);
  std::copy_n(program.image.begin(), std::min<std::size_t>(program.image.size(), kMemory), udvm.memory().data());
  udvm::Run run;
  run.input = input;
  run.cycles = 30'000;
  run.start = program.start;
  run.verify = verify;
  run.keep_decoded = verify;
  return udvm.run(run);
}

void give(const assembler::Program& program, Octets input) {
  static udvm::Udvm udvm;
  const bool finished = run(udvm, program, input, true);
  const bool endless = udvm.is_endless();
  const Failure failure = udvm.failure();
  const std::uint64_t cycles = udvm.cycles_used();
  const std::vector<std::uint8_t> output(udvm.output().begin(), udvm.output().end());
  require(!(finished && endless), "an endless program has come to its end");
  require(udvm.work() < 2000 + 20 * cycles, "more work than its cycles explain");
  require(run(udvm, program, input, false) == finished, "another end");
  require(udvm.failure().reason == failure.reason && udvm.failure().pc == failure.pc &&
              udvm.failure().opcode == failure.opcode,
          "another failure");
  require(udvm.cycles_used() == cycles, "another number of cycles");
  require(udvm.output().size() == output.size(), "another length");
  require(!finished || std::ranges::equal(udvm.output(), output), "another output");
}

}  // namespace
}  // namespace headroom::sigcomp::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom::sigcomp;
  std::size_t at = 0;
  test::RandomProgram programs([&](std::uint32_t n) { return (at < size ? data[at++] : 0U) % n; });
  const auto program = assembler::assemble(programs.source());
  const auto* good = std::get_if<assembler::Program>(&program);
  fuzz::require(good != nullptr, "a program does not assemble");
  fuzz::give(*good, Octets(data, size).subspan(at));
  return 0;
}
