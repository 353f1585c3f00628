// SPDX-License-Identifier: Apache-2.0
//
// Instructions that are kept, and programs that write to them.
#include <gtest/gtest.h>

#include "sigcomp/test/support/machine.h"

namespace headroom::sigcomp {
namespace {

using test::Machine;

constexpr const char* kEndOf = " END-MESSAGE (0, 0, 0, 0, 0, 0, 0)";

// Runs `body` with instructions kept and without; both must end alike. The output, or the reason.
std::string output_of(Machine& machine, const std::string& body) {
  std::string results[2];
  for (const bool keep : {false, true}) {
    machine.run.keep_decoded = keep;
    results[keep ? 1 : 0] = machine.execute("at (128) " + body) ? machine.output() : machine.reason();
  }
  EXPECT_EQ(results[0], results[1]) << body;
  return results[1];
}

// A loop whose LOAD (at 128, its value at 130) is changed by each of the instructions that write, after it has run
// once.
TEST(CodeTest, EachInstructionThatWritesIsSeen) {
  const char* const kWrites[] = {
      "LOAD (129, 0x2005)",
      "MULTILOAD (129, 1, 0x2005)",
      "LOAD (600, 0x2005) COPY (600, 2, 129)",
      "LOAD (600, 0x2005) LOAD (602, 129) COPY-LITERAL (600, 2, $602)",
      "LOAD (64, 600) LOAD (66, 700) LOAD (600, 0x2005) LOAD (602, 129) COPY-LITERAL (600, 2, $602)",
      "MEMSET (130, 1, 5, 0)",
      "ADD ($129, 2)",
      "LOAD (70, 125) LOAD (125, 1) PUSH (0x2005) LOAD (125, 0)",
      "LOAD (600, 0x2005) LOAD (70, 700) PUSH ($600) POP (129)",
      "INPUT-BYTES (1, 130, no)",
      "INPUT-BITS (8, 600, no) OR ($600, 0x2000) LOAD (129, $600)",
  };
  for (const std::string write : kWrites) {
    Machine machine;
    machine.input = {5};
    // LOAD (32, 3) is 0e 20 03.
    EXPECT_EQ(
        output_of(machine, ":again LOAD (32, 3) OUTPUT (33, 1) ADD ($34, 1) COMPARE ($34, 2, change, no, no) :change " +
                               write + " JUMP (again) :no" + kEndOf),
        "0305")
        << write;
  }
}

// The words at 129 and 131, operands of LOAD and the beginning of OUTPUT, change places.
TEST(CodeTest, SortingTheCodeIsSeen) {
  Machine machine;
  const std::string loop = ":again LOAD (32, 3) OUTPUT (33, 1) ADD ($34, 1) COMPARE ($34, 2, change, no, no) :change ";
  EXPECT_EQ(output_of(machine, loop + "JUMP (again) :no" + kEndOf), "0303");
  EXPECT_EQ(output_of(machine, loop + "SORT-DESCENDING (129, 1, 2) JUMP (again) :no" + kEndOf), "03");
}

// By SHA-1: the second round begins with the digest's first octets, 0xda39, which are no instruction.
TEST(CodeTest, HashedCodeIsSeen) {
  Machine machine;
  EXPECT_EQ(output_of(machine,
                      "JUMP (start) :again LOAD (32, 3) JUMP (start) pad (20) at (160) :start ADD ($34, 1)"
                      "COMPARE ($34, 2, again, change, change) :change SHA-1 (0, 0, again) JUMP (again)"),
            "INVALID_OPCODE");
}

TEST(CodeTest, WhatIsKeptFromOneMessageIsNotTakenForAnother) {
  Machine machine;
  for (int i = 0; i < 300; ++i) {
    const std::string value = std::to_string(i % 64);
    const std::string expected = test::to_hex(test::Bytes{static_cast<std::uint8_t>(i % 64)});
    EXPECT_EQ(output_of(machine, "LOAD (32, " + value + ") OUTPUT (33, 1)" + kEndOf), expected);
    EXPECT_EQ(output_of(machine, "LOAD (32, 7) OUTPUT (33, 1)" + std::string(kEndOf)), "07");
  }
}

// The same octets, but the memory ends within the instruction.
TEST(CodeTest, ASmallerMemoryEndsAnInstructionThatWasWhole) {
  Machine machine;
  const std::string body = "JUMP (last) at (196) :last LOAD (32, 1000) OUTPUT (32, 2)" + std::string(kEndOf);
  EXPECT_EQ(output_of(machine, body), "03e8");
  machine.memory_size = 199;
  EXPECT_EQ(output_of(machine, body), "SEGFAULT");
  machine.memory_size = 2048;
  EXPECT_EQ(output_of(machine, body), "03e8");
}

TEST(CodeTest, AProgramThatWritesToItselfAllTheTimeIsRight) {
  Machine machine;
  machine.run.cycles = 1'000'000;
  // The operand of ADD is counted up in each round: 200 + 201 + … + 399.
  EXPECT_EQ(output_of(machine,
                      ":again ADD ($32, 200) set (operand, (again + 2)) ADD ($operand, 1) ADD ($34, 1)"
                      "COMPARE ($34, 200, again, done, done) :done OUTPUT (32, 2)" +
                          std::string(kEndOf)),
            "e9fc");
}

TEST(CodeTest, ManyOperandsAreReadWhereverTheyAre) {
  for (const int count : {0, 1, 2, 9, 10, 11, 12, 13, 60}) {
    std::string values;
    std::string addresses;
    for (int i = 0; i < count; ++i) values += ", " + std::to_string(i + 1);
    for (int i = 0; i <= count; ++i) addresses += i == count ? ", there" : ", 128";
    Machine machine;
    std::string expected;
    for (int i = 0; i < count; ++i) expected += test::to_hex(test::Bytes{0, static_cast<std::uint8_t>(i + 1)});
    EXPECT_EQ(output_of(machine, "MULTILOAD (600, " + std::to_string(count) + values + ") OUTPUT (600, " +
                                     std::to_string(2 * count) + ") SWITCH (" + std::to_string(count + 1) + ", " +
                                     std::to_string(count) + addresses + ") :there" + kEndOf),
              expected);
  }
}

}  // namespace
}  // namespace headroom::sigcomp
