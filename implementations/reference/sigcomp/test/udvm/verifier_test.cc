// SPDX-License-Identifier: Apache-2.0
//
// The verifier: what it ends, that it never ends anything else, and that nobody can tell the difference, save by the
// time that it takes.
#include <gtest/gtest.h>

#include "sigcomp/test/support/machine.h"
#include "sigcomp/test/support/random.h"
#include "sigcomp/test/support/random_program.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::Machine;

// What can be told of a run.
struct Result {
  bool finished = false;
  Reason reason = Reason::kNone;
  std::uint8_t opcode = 0;
  std::uint16_t pc = 0;
  std::uint64_t cycles = 0;
  Bytes output;  // of a run that has finished; otherwise its length is all that counts
  std::size_t length = 0;
};

Result result_of(Machine& machine, const assembler::Program& program) {
  Result result;
  result.finished = machine.execute(program.image, program.start);
  const Failure& failure = machine.udvm.failure();
  result.reason = failure.reason;
  result.opcode = failure.opcode;
  result.pc = failure.pc;
  result.cycles = machine.udvm.cycles_used();
  result.length = machine.udvm.output().size();
  if (result.finished) result.output = Bytes(machine.udvm.output().begin(), machine.udvm.output().end());
  return result;
}

class VerifierTest : public testing::Test {
 protected:
  VerifierTest() {
    machine_.run.cycles = 1'000'000;
    machine_.run.cycles_per_bit = 16;
  }

  // Runs `body` with and without the verifier, which must not differ. Returns whether it was found to be endless.
  bool is_endless(const std::string& body) {
    const auto program = assembler::assemble("at (128)\n" + body);
    if (const auto* error = std::get_if<assembler::SourceError>(&program)) {
      ADD_FAILURE() << error->text();
      return false;
    }
    machine_.run.verify = false;
    machine_.run.keep_decoded = false;
    const Result without = result_of(machine_, std::get<assembler::Program>(program));
    work_without_ = machine_.udvm.work();
    EXPECT_FALSE(machine_.udvm.is_endless());
    machine_.run.verify = true;
    machine_.run.keep_decoded = true;
    const Result with = result_of(machine_, std::get<assembler::Program>(program));
    work_ = machine_.udvm.work();
    EXPECT_EQ(with.finished, without.finished) << body;
    EXPECT_EQ(name_of(with.reason), name_of(without.reason)) << body;
    EXPECT_EQ(with.opcode, without.opcode) << body;
    EXPECT_EQ(with.pc, without.pc) << body;
    EXPECT_EQ(with.cycles, without.cycles) << body;
    EXPECT_EQ(with.length, without.length) << body;
    EXPECT_EQ(with.output, without.output) << body;
    return machine_.udvm.is_endless();
  }

  Machine machine_;
  std::uint64_t work_ = 0;
  std::uint64_t work_without_ = 0;
};

struct Loop {
  const char* name;
  const char* body;
};
void PrintTo(const Loop& loop, std::ostream* out) { *out << loop.name; }

class EndlessTest : public VerifierTest, public testing::WithParamInterface<Loop> {};

// A million cycles, of which next to none are executed.
TEST_P(EndlessTest, IsEndedSoonAndFailsAsItWouldHave) {
  machine_.input = Bytes(64, 0x55);
  EXPECT_TRUE(is_endless(GetParam().body));
  EXPECT_LT(work_, 60'000U);
  EXPECT_GT(work_without_, 1'000'000U);
}

INSTANTIATE_TEST_SUITE_P(
    Loops, EndlessTest,
    testing::Values(
        Loop{"jump", ":loop JUMP (loop)"},
        // maenpaa-2005, 11.7.
        Loop{"thesis", ":start INPUT-BITS (16, 1024, loop) JUMP (start) :loop SHA-1 (0, 1, 1024) JUMP (loop)"},
        // The same with a hash that is another one in each round.
        Loop{"chain_of_hashes", ":loop SHA-1 (1024, 20, 1024) JUMP (loop)"},
        Loop{"counter_that_nobody_asks_for", ":loop ADD ($32, 1) SHA-1 (32, 2, 1024) JUMP (loop)"},
        Loop{"counter_that_is_never_there",
             ":loop ADD ($32, 1) LOAD ($34, 1) COMPARE ($34, 2, loop, end, end) :end JUMP (loop)"},
        Loop{"comparison_of_what_stays",
             "LOAD (32, 5) :loop ADD ($34, 3) COMPARE ($32, 6, loop, end, end) :end RETURN"},
        Loop{"two_counters",
             "LOAD (32, 65535) :loop ADD ($34, 1) COMPARE ($34, 0, on, on, on) :on SUBTRACT ($36, 3)"
             "SHA-1 (34, 4, 1024) JUMP (loop)"},
        Loop{"loop_in_a_loop",
             ":outer LOAD (32, 20) :inner SUBTRACT ($32, 1) SHA-1 (600, 20, 600)"
             "COMPARE ($32, 0, outer, outer, inner)"},
        Loop{"compared_in_vain", ":loop ADD ($34, 1) SHA-1 (600, 20, 600) COMPARE ($600, $34, loop, loop, loop)"},
        Loop{"calls", "LOAD (70, 700) :loop CALL (sub) JUMP (loop) :sub PUSH (7) POP (32) RETURN"},
        Loop{"output_now_and_then", ":loop MEMSET (600, 900, 0, 1) OUTPUT (600, 1) JUMP (loop)"},
        Loop{"sorting_of_hashes", ":loop SHA-1 (1024, 20, 1024) SORT-ASCENDING (1024, 1, 10) JUMP (loop)"},
        Loop{"crc_of_what_stays", ":loop CRC (1, 600, 500, loop) JUMP (loop)"},
        Loop{"copying_in_a_ring",
             "LOAD (64, 600) LOAD (66, 610) LOAD (32, 600) :loop COPY (600, 900, 600) COPY-OFFSET (3, 500, $32) LOAD "
             "(32, 600) JUMP (loop)"},
        Loop{"pointer_that_goes_round",
             "LOAD (64, 600) LOAD (66, 610) LOAD (32, 600) :loop COPY-LITERAL (700, 1, $32) SHA-1 (700, 20, 700) JUMP "
             "(loop)"},
        Loop{"input_of_no_bits", ":loop INPUT-BITS (0, 600, end) :end SHA-1 (700, 20, 700) JUMP (loop)"},
        Loop{"bit_order_to_and_fro",
             ":loop LOAD (68, 1) INPUT-BITS (0, 600, end) LOAD (68, 0) INPUT-BITS (0, 600, end)"
             "SHA-1 (700, 20, 700) JUMP (loop) :end END-MESSAGE (0, 0, 0, 0, 0, 0, 0)"},
        Loop{"huffman_at_the_end",
             ":read INPUT-BYTES (64, 700, loop) :loop INPUT-HUFFMAN (32, loop, 2, 8, 0, 255, 0, 1, 0, 1, 0)"},
        Loop{"switch", ":loop ADD ($34, 9) SWITCH (3, $32, loop, loop, loop)"},
        Loop{"multiload", ":loop ADD ($34, 9) MULTILOAD (700, 3, $34, $700, 7) JUMP (loop)"},
        Loop{"code_written_as_it_was", ":loop ADD ($34, 9) COPY (loop, 10, loop) JUMP (loop)"}),
    [](const auto& one) { return one.param.name; });

struct Program {
  const char* name;
  const char* body;
};
void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

class ProductiveTest : public VerifierTest, public testing::WithParamInterface<Program> {};

// Each looks endless for a long time, and comes to its end all the same.
TEST_P(ProductiveTest, ComesToItsEnd) {
  machine_.input = Bytes(64, 0x55);
  EXPECT_FALSE(is_endless(GetParam().body));
  EXPECT_EQ(machine_.udvm.failure().reason, Reason::kNone);
  EXPECT_EQ(test::to_hex(machine_.udvm.output()), "2a");
  EXPECT_GT(machine_.udvm.cycles_used(), 20'000U);
}

#define FINISH ":end LOAD (600, 42) OUTPUT (601, 1) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)"
INSTANTIATE_TEST_SUITE_P(
    Programs, ProductiveTest,
    testing::Values(
        Program{"countdown", "LOAD (32, 65535) :loop SUBTRACT ($32, 1) COMPARE ($32, 0, end, end, loop)" FINISH},
        Program{"count_past_zero", "LOAD (32, 1) :loop ADD ($32, 2) COMPARE ($32, 1, loop, end, loop)" FINISH},
        Program{"countdown_with_hashes",
                "LOAD (32, 9000) :loop SHA-1 (700, 20, 700) SUBTRACT ($32, 1) COMPARE (0, $32, loop, end, end)" FINISH},
        Program{"count_of_a_copy", ":loop ADD ($32, 1) LOAD (34, $32) COMPARE ($34, 30000, loop, end, end)" FINISH},
        Program{"low_octet_to_high_octet",
                ":loop ADD ($32, 1) COPY (32, 1, 40) COMPARE ($40, 30000, loop, end, end)" FINISH},
        Program{"through_three_words",
                ":loop LOAD (38, $36) LOAD (36, $34) LOAD (34, $32) ADD ($32, 1) COMPARE ($38, 20000, loop, end, "
                "end)" FINISH},
        Program{"quotient",
                ":loop ADD ($32, 1) LOAD (34, $32) DIVIDE ($34, 1000) COMPARE ($34, 20, loop, end, end)" FINISH},
        Program{"jump_that_is_computed",
                "LOAD (36, loop) :loop ADD ($32, 1) COMPARE ($32, 20000, on, set, on) :set LOAD (36, end) :on SWITCH "
                "(1, $38, to)"
                ":to PUSH ($36) RETURN" FINISH},
        Program{"code_that_changes_in_the_end",
                "LOAD (70, 700) PUSH (end) :loop ADD ($32, 1) COMPARE ($32, 20000, back, change, back)"
                ":change COPY (other, 1, back) :back JUMP (loop) :other RETURN" FINISH},
        Program{"stack_that_fills",
                "LOAD (70, 700) LOAD (32, 40) :outer LOAD (34, 0) :loop PUSH (1) POP (36) ADD ($34, $36)"
                "COMPARE ($34, 500, loop, on, on) :on SUBTRACT ($32, 1) COMPARE ($32, 0, end, end, outer)" FINISH},
        Program{"hash_that_decides", ":loop SHA-1 (700, 20, 700) COMPARE ($700, 65500, loop, end, end)" FINISH},
        Program{"crc_that_decides", ":loop ADD ($32, 1) CRC ($40, 32, 2, loop)" FINISH},
        Program{"sorted_into_place",
                "LOAD (702, 30000) :loop ADD ($700, 1) SORT-ASCENDING (700, 1, 2) COMPARE ($700, 30000, loop, end, "
                "end)" FINISH},
        Program{
            "operand_in_the_code",
            ":loop ADD ($at, 1) LOAD (32, 20000) set (at, (loop + 6)) COMPARE ($32, 40000, loop, end, end)" FINISH}),
    [](const auto& one) { return one.param.name; });
#undef FINISH

// A long message leaves little memory (RFC 3320 7). What the verifier cannot follow, and takes longer than a program is
// left alone, comes to be executed there, too.
TEST_F(VerifierTest, ALongInstructionIsExecutedInLittleMemory) {
  for (const std::uint32_t size : {200U, 1023U, 1024U, 2048U}) {
    machine_.memory_size = size;
    EXPECT_FALSE(
        is_endless("LOAD (64, 100) LOAD (66, 110) STATE-CREATE (1500, 100, 128, 6, 0)"
                   "END-MESSAGE (0, 0, 0, 0, 0, 0, 0)"));
    EXPECT_EQ(machine_.udvm.cycles_used(), 1504U) << size;
    EXPECT_EQ(machine_.udvm.completion().requests().size(), 1U) << size;
  }
}

// Round by round through whatever comes: a program that is found endless fails just as it does without the verifier.
TEST_F(VerifierTest, RandomProgramsDoTheSameWithAndWithout) {
  test::Random random(7);
  machine_.run.cycles = 20'000;
  test::RandomProgram programs([&](std::uint32_t n) { return random.below(n); });
  unsigned endless = 0;
  unsigned exhausted = 0;
  unsigned finished = 0;
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    machine_.input = Bytes(random.below(6), 0x35);
    endless += is_endless(programs.source().substr(9)) ? 1U : 0U;
    exhausted += machine_.udvm.failure().reason == Reason::kCyclesExhausted ? 1U : 0U;
    finished += machine_.udvm.failure().reason == Reason::kNone ? 1U : 0U;
  }
  // Otherwise nothing has been tried.
  EXPECT_GT(finished, 200U);
  EXPECT_GT(endless, 200U);
  EXPECT_GT(endless * 10, exhausted * 9) << "of " << exhausted << " only " << endless << " were found";
}

}  // namespace
}  // namespace headroom::sigcomp
