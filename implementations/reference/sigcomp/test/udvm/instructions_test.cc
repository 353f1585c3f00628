// SPDX-License-Identifier: Apache-2.0
//
// Instructions where RFC 4465 does not reach: every reason of failure (RFC 4077 3.2), the ends of the memory, cycles to
// the last one, and the orders in which things happen.
#include <gtest/gtest.h>

#include "sigcomp/test/support/machine.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::hex;
using test::kEnd;
using test::Machine;
using test::result_of;

struct Case {
  const char* body;
  const char* result;  // output, or a reason
  const char* input = "";
};

void check(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(result_of(c.body, c.input), c.result) << c.body;
}

// ---- 9.1

TEST(Instructions, ArithmeticIsModulo65536) {
  check({{"LOAD (32, 65535) ADD ($32, 2) OUTPUT (32, 2)", "0001"},
         {"LOAD (32, 1) SUBTRACT ($32, 2) OUTPUT (32, 2)", "ffff"},
         {"LOAD (32, 256) MULTIPLY ($32, 257) OUTPUT (32, 2)", "0100"},
         {"LOAD (32, 65535) MULTIPLY ($32, 65535) OUTPUT (32, 2)", "0001"},
         {"LOAD (32, 7) DIVIDE ($32, 2) OUTPUT (32, 2)", "0003"},
         {"LOAD (32, 7) REMAINDER ($32, 4) OUTPUT (32, 2)", "0003"},
         {"LOAD (32, 1) LSHIFT ($32, 15) OUTPUT (32, 2)", "8000"},
         {"LOAD (32, 1) LSHIFT ($32, 16) OUTPUT (32, 2)", "0000"},
         {"LOAD (32, 65535) LSHIFT ($32, 33) OUTPUT (32, 2)", "0000"},
         {"LOAD (32, 65535) RSHIFT ($32, 15) OUTPUT (32, 2)", "0001"},
         {"LOAD (32, 65535) RSHIFT ($32, 16) OUTPUT (32, 2)", "0000"},
         {"DIVIDE ($32, 0)", "DIV_BY_ZERO"},
         {"REMAINDER ($32, 0)", "DIV_BY_ZERO"}});
}

TEST(Instructions, SortingStaysInTheMemory) {
  check({{"SORT-ASCENDING (2040, 1, 4)", ""},
         {"SORT-ASCENDING (2042, 1, 4)", "SEGFAULT"},
         {"SORT-DESCENDING (2048, 0, 4)", ""},
         {"SORT-DESCENDING (2048, 4, 0)", ""}});
}

// ---- 8.5, 8.7

TEST(Instructions, WhatIsNoInstructionAndWhatIsNoOperand) {
  for (unsigned opcode = 36; opcode < 256; ++opcode) {
    Machine machine;
    Bytes image(128);
    image.push_back(static_cast<std::uint8_t>(opcode));
    EXPECT_FALSE(machine.execute(image, 128));
    EXPECT_EQ(machine.reason(), "INVALID_OPCODE");
    EXPECT_EQ(machine.udvm.failure().opcode, opcode);
    EXPECT_EQ(machine.udvm.failure().pc, 128);
  }
  // 0x82 to 0x85 begin no multitype, 0xc1 to 0xff no literal and no reference.
  for (const char* code : {"16 82", "16 85", "10 83", "0f 20 c1", "0f 20 ff", "05 c1 00 00", "1a ff", "06 20 84"}) {
    Machine machine;
    Bytes image(128);
    image = test::joined(image, hex(code));
    EXPECT_FALSE(machine.execute(image, 128));
    EXPECT_EQ(machine.reason(), "INVALID_OPERAND") << code;
  }
}

// "decodes all the operands in sequence before starting to act on the instruction": what is wrong first is the reason.
TEST(Instructions, OperandsAreDecodedInSequence) {
  const std::pair<const char*, const char*> cases[] = {
      {"10 81 4000", "SEGFAULT"},
      {"12 81 4000 82", "SEGFAULT"},         // COPY: a word beyond the memory, then no operand
      {"12 82 81 4000", "INVALID_OPERAND"},  // and the other way round
      {"06 c04000 82", "SEGFAULT"},          // ADD: a reference
      {"06 c04000 05", "SEGFAULT"},
      {"1e 20 00 01 814000 82 00 00", "SEGFAULT"},  // INPUT-HUFFMAN
      {"1e 20 00 01 82 814000 00 00", "INVALID_OPERAND"},
      // Operands come before what they say all together, 17 bits.
      {"1e 20 00 02 11 00 00 00 00 00 00 814000", "SEGFAULT"},
      {"1e 20 00 02 11 00 00 00 00 00 00 82", "INVALID_OPERAND"},
      {"1e 20 00 02 11 00 00 00 00 00 00 00", "TOO_MANY_BITS_REQUESTED"},
      // What MULTILOAD's operands refer to is read as the words are written, if at all (RFC 4896 3.2).
      {"0f 20 02 814000 82", "INVALID_OPERAND"},
      {"0f a080 02 814000 00", "MULTILOAD_OVERWRITTEN"},
      {"0f 20 02 814000 00", "SEGFAULT"},
  };
  for (const auto& [code, result] : cases) {
    Machine machine;
    EXPECT_FALSE(machine.execute(test::joined(Bytes(128), hex(code)), 128));
    EXPECT_EQ(machine.reason(), result) << code;
  }
}

// ---- The ends of the memory

TEST(Instructions, WordsBeyondTheMemory) {
  check({{"LOAD (2046, 1)", ""},
         {"LOAD (2047, 1)", "SEGFAULT"},
         {"LOAD (2048, 1)", "SEGFAULT"},
         {"LOAD (65535, 1)", "SEGFAULT"},
         {"PUSH ($2046)", ""},
         {"PUSH ($2047)", "SEGFAULT"},
         {"AND ($2047, 1)", "SEGFAULT"},
         {"INPUT-BITS (1, 2047, 0)", "SEGFAULT", "ff"},
         {"LOAD (70, 300) PUSH (1) POP (2047)", "SEGFAULT"},
         {"COPY (2040, 8, 32)", ""},
         {"COPY (2040, 9, 32)", "SEGFAULT"},
         {"COPY (32, 9, 2040)", "SEGFAULT"},
         {"COPY (60000, 0, 60000)", ""},
         {"MEMSET (2040, 9, 0, 0)", "SEGFAULT"},
         {"OUTPUT (2048, 1)", "SEGFAULT"},
         {"OUTPUT (2047, 1)", "00"},
         {"SHA-1 (2040, 9, 32)", "SEGFAULT"},
         {"SHA-1 (2040, 8, 2029)", "SEGFAULT"},
         {"CRC (0, 2040, 9, 0)", "SEGFAULT"},
         {"INPUT-BYTES (2, 2047, 0)", "SEGFAULT", "0000"},
         {"JUMP (2048)", "SEGFAULT"},
         {"CALL (2048)", "SEGFAULT"},
         {"SWITCH (1, 0, 2048)", "SEGFAULT"},
         {"COMPARE (0, 0, 128, 4000, 128)", "SEGFAULT"},
         {"INPUT-BYTES (1, 32, 4000)", "SEGFAULT"}});
}

// "the arithmetic is modulo 2^16", which a memory of 65536 octets lets one see.
TEST(Instructions, AWordCanLieAcrossTheEndOfTheLargestMemory) {
  EXPECT_EQ(result_of("LOAD (65535, 4660) OUTPUT (65535, 2) PUSH ($65535) OUTPUT (0, 1)", "", 65536), "123434");
  EXPECT_EQ(result_of("LOAD (65535, 4660)", "", 65535), "SEGFAULT");
}

// An instruction at the very end: all its octets must be there, also those of 0 that would follow.
TEST(Instructions, AnInstructionMustEndInTheMemory) {
  for (const auto& [size, result] : {std::pair{140U, "SEGFAULT"}, {141U, "SEGFAULT"}, {142U, ""}}) {
    Machine machine;
    machine.memory_size = size;
    Bytes image(128);
    image = test::joined(image, hex("16 06 00000000 23 00 00 00 00 00 00 00"));
    EXPECT_EQ(machine.execute(image, 128) ? machine.output() : machine.reason(), result) << size;
  }
  Machine machine;
  machine.memory_size = 130;
  Bytes image(128);
  image = test::joined(image, hex("10 05"));  // PUSH, then nothing
  store16(image.data() + udvm::kStackLocation, 80);
  EXPECT_FALSE(machine.execute(image, 128));
  EXPECT_EQ(machine.reason(), "SEGFAULT");
  EXPECT_EQ(machine.udvm.failure().pc, 130);
  EXPECT_EQ(machine.udvm.failure().opcode, 0);
  EXPECT_EQ(machine.word(82), 5) << "the last instruction has been done";
}

TEST(Instructions, RegistersBeyondASmallMemory) {
  Machine machine;
  machine.memory_size = 66;
  Bytes image = hex("12 20 01 21 23");  // COPY needs byte_copy_right
  EXPECT_FALSE(machine.execute(image, 0));
  EXPECT_EQ(machine.reason(), "SEGFAULT");
}

// ---- 9.2

TEST(Instructions, MultiloadMustNotWriteOverItself) {
  // The instruction takes the octets 128 to 133.
  check({{"MULTILOAD (124, 2, 1, 2)", ""},
         {"MULTILOAD (125, 2, 1, 2)", "MULTILOAD_OVERWRITTEN"},
         {"MULTILOAD (128, 2, 1, 2)", "MULTILOAD_OVERWRITTEN"},
         {"MULTILOAD (132, 2, 1, 2)", "MULTILOAD_OVERWRITTEN"},
         {"MULTILOAD (128, 0)", ""},
         {"MULTILOAD (2044, 3, 1, 2, 3)", "SEGFAULT"}});
}

// RFC 4896 3.2: the program there leaves the address of circular_buffer in location_c.
TEST(Instructions, MultiloadGoesStepByStep) {
  Machine machine;
  ASSERT_TRUE(
      machine.execute("at (64) :location_a pad (2) :location_b pad (2) :location_c pad (2) pad (30)"
                      ":udvm_memory_size pad (2) :circular_buffer pad (2) align (64)"
                      "MULTILOAD (location_a, 3, circular_buffer, udvm_memory_size, $location_a)" +
                      std::string(kEnd)));
  EXPECT_EQ(machine.word(68), machine.word(64));
  EXPECT_EQ(machine.word(64), 102);
}

TEST(Instructions, TheStack) {
  check({{"LOAD (70, 300) POP (32)", "STACK_UNDERFLOW"},
         {"LOAD (70, 300) RETURN", "STACK_UNDERFLOW"},
         {"LOAD (70, 300) PUSH (513) POP (32) OUTPUT (32, 2) OUTPUT (300, 4)", "020100000201"},
         {"LOAD (70, 2046) LOAD (2046, 0) PUSH (1)", "SEGFAULT"}});
  // RFC 4896 3.4: with a fill of 0xFFFF the value goes to the place of the fill, and the fill over it.
  check({{"LOAD (70, 300) LOAD (300, 65535) PUSH (4660) OUTPUT (300, 4)", "00000000"}});
  // "the copying of the value is inconsequential for the stack operation itself": POP over stack_fill.
  check({{"LOAD (70, 300) PUSH (7) PUSH (9) POP (300) OUTPUT (300, 2)", "0009"}});
}

// ---- 9.3

TEST(Instructions, SwitchAndCompare) {
  check({{"SWITCH (2, 2, 128, 128)", "SWITCH_VALUE_TOO_HIGH"},
         {"SWITCH (0, 0)", "SWITCH_VALUE_TOO_HIGH"},
         {"SWITCH (2, 1, 128, on) :on OUTPUT (128, 1)", "1a"},
         // All operands are decoded before the instruction acts (8.5), those of the ways not taken, too.
         {"SWITCH (2, 1, $3000, on) :on", "SEGFAULT"},
         {"COMPARE (1, 2, on, $3000, 128) :on", "SEGFAULT"}});
}

// ---- 9.4

TEST(Instructions, InputOfBits) {
  check({{"INPUT-BITS (17, 32, 0)", "TOO_MANY_BITS_REQUESTED", "ffffff"},
         {"LOAD (68, 8) INPUT-BITS (0, 32, 0)", "BAD_INPUT_BITORDER"},
         {"LOAD (68, 8) INPUT-HUFFMAN (32, 0, 1, 0, 0, 0, 0)", "BAD_INPUT_BITORDER"},
         {"LOAD (68, 8) INPUT-HUFFMAN (32, 0, 0)", ""},
         {"LOAD (68, 32768) INPUT-BYTES (1, 32, 0) OUTPUT (32, 1)", "7f", "7f"},
         {"INPUT-BITS (16, 32, 0) OUTPUT (32, 2)", "abcd", "abcd"},
         // With too few bits nothing is taken.
         {"INPUT-BITS (9, 32, on) :on INPUT-BITS (8, 32, 0) OUTPUT (32, 2)", "00ab", "ab"}});
}

TEST(Instructions, InputHuffman) {
  check(
      {{"INPUT-HUFFMAN (32, 0, 2, 9, 0, 0, 0, 8, 0, 0, 0)", "TOO_MANY_BITS_REQUESTED", "00"},
       // The sum counts, even where a match has come before.
       {"INPUT-HUFFMAN (32, 0, 2, 1, 0, 1, 0, 16, 0, 0, 0)", "TOO_MANY_BITS_REQUESTED", "00"},
       {"INPUT-HUFFMAN (32, 0, 2, 1, 1, 1, 0, 1, 3, 3, 0)", "HUFFMAN_NO_MATCH", "00"},
       {"INPUT-HUFFMAN (32, 0, 2, 1, 1, 1, 0, 1, 0, 1, 70) OUTPUT (32, 2)", "0047", "40"},
       // (H + uncompressed - lower) modulo 2^16
       {"INPUT-HUFFMAN (32, 0, 1, 4, 5, 9, 65535) OUTPUT (32, 2)", "0003", "90"},
       {"INPUT-HUFFMAN (32, on, 1, 9, 0, 511, 0) :on INPUT-BYTES (1, 32, 0) OUTPUT (32, 1)", "ab", "ab"},
       // Steps that succeeded have taken their bits when a later one fails (9.4.4, steps 2 to 5).
       {"INPUT-HUFFMAN (32, on, 2, 4, 1, 0, 0, 8, 0, 511, 0) :on INPUT-BITS (4, 32, 0) OUTPUT (32, 2)", "000b", "ab"}});
}

TEST(Instructions, OutputEndsAt65536Octets) {
  EXPECT_EQ(result_of("OUTPUT (0, 32768) OUTPUT (0, 32768) OUTPUT (0, 0)", "", 65536).size(), 2 * 65536U);
  EXPECT_EQ(result_of("OUTPUT (0, 32768) OUTPUT (0, 32768) OUTPUT (0, 1)", "", 65536), "OUTPUT_OVERFLOW");
}

TEST(Instructions, AnEmptyMessageIsNotNone) {
  Machine machine;
  ASSERT_TRUE(machine.execute("at (128) OUTPUT (0, 0)" + std::string(kEnd)));
  EXPECT_TRUE(machine.udvm.has_output());
  ASSERT_TRUE(machine.execute("at (128)" + std::string(kEnd)));
  EXPECT_FALSE(machine.udvm.has_output());
}

TEST(Instructions, StateRequests) {
  check({{"STATE-CREATE (0, 0, 0, 5, 0)", "INVALID_STATE_ID_LENGTH"},
         {"STATE-CREATE (0, 0, 0, 21, 0)", "INVALID_STATE_ID_LENGTH"},
         {"STATE-CREATE (0, 0, 0, 6, 65535)", "INVALID_STATE_PRIORITY"},
         {"STATE-FREE (0, 5)", "INVALID_STATE_ID_LENGTH"},
         {"STATE-FREE (0, 21)", "INVALID_STATE_ID_LENGTH"},
         {"STATE-ACCESS (0, 5, 0, 0, 0, 0)", "INVALID_STATE_ID_LENGTH"},
         {"STATE-ACCESS (0, 21, 0, 0, 0, 0)", "INVALID_STATE_ID_LENGTH"},
         {"STATE-ACCESS (0, 6, 1, 0, 0, 0)", "INVALID_STATE_PROBE"},
         {"STATE-ACCESS (2043, 6, 0, 0, 0, 0)", "SEGFAULT"},
         {"STATE-ACCESS (0, 6, 0, 0, 0, 0)", "STATE_NOT_FOUND"}});
  const std::string create = "STATE-CREATE (2, 32, 0, 6, 0)\n";
  const std::string free = "STATE-FREE (32, 6)\n";
  const std::string four = create + free + create + free + create + free + create + free;
  EXPECT_EQ(result_of(four), "");
  EXPECT_EQ(result_of(four + create), "TOO_MANY_STATE_REQUESTS");
  EXPECT_EQ(result_of(four + free), "TOO_MANY_STATE_REQUESTS");
  // The fifth creation would be END-MESSAGE's own.
  EXPECT_EQ(result_of(four + "END-MESSAGE (0, 0, 2, 32, 0, 6, 0)"), "TOO_MANY_STATE_REQUESTS");
  // One that it "fails to make" is none, and no decompression failure.
  EXPECT_EQ(result_of(four + "END-MESSAGE (0, 0, 2, 32, 0, 5, 0)"), "");
  EXPECT_EQ(result_of(four + "END-MESSAGE (0, 0, 2, 32, 0, 6, 65535)"), "");
  // What lies beyond the memory is found out at the end.
  EXPECT_EQ(result_of("STATE-CREATE (2, 2047, 0, 6, 0)"), "SEGFAULT");
  EXPECT_EQ(result_of("STATE-FREE (2043, 6)"), "SEGFAULT");
}

// RFC 4896 4.1: "the bytes that are stored are those in the buffer at the time of creation", byte copied.
TEST(Instructions, StateIsAsItIsAtTheEnd) {
  Machine machine;
  ASSERT_TRUE(
      machine.execute("at (128) STATE-CREATE (4, 34, 1, 6, 2) STATE-FREE (34, 6) LOAD (64, 32) LOAD (66, 36)"
                      "MEMSET (32, 4, 65, 1) END-MESSAGE (0, 0, 3, 32, 7, 8, 9)"));
  const auto requests = machine.udvm.completion().requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(test::to_hex(requests[0].octets), "43444142");
  EXPECT_EQ(requests[0].header, (StateHeader{34, 1, 6}));
  EXPECT_EQ(requests[0].retention_priority, 2);
  EXPECT_EQ(requests[1].kind, udvm::StateRequest::Kind::kFree);
  EXPECT_EQ(test::to_hex(requests[1].octets), "434441424344");
  EXPECT_EQ(test::to_hex(requests[2].octets), "414243");
  EXPECT_EQ(requests[2].header, (StateHeader{32, 7, 8}));
}

TEST(Instructions, Feedback) {
  Machine machine;
  // Q, S and I; an item of three octets; parameters that announce one identifier and end with 5.
  const std::string data = ":asked byte (7, 0x82, 1, 2) :told byte (0x0a, 2, 6, 1, 2, 3, 4, 5, 6, 5)";
  ASSERT_TRUE(machine.execute("at (128) END-MESSAGE (asked, told, 0, 0, 0, 0, 0) " + data));
  const udvm::Completion& completion = machine.udvm.completion();
  EXPECT_TRUE(completion.feedback.present && completion.feedback.s && completion.feedback.i);
  EXPECT_EQ(test::to_hex(completion.feedback.item), "820102");
  EXPECT_EQ(test::to_hex(completion.returned_parameters), "0a0206010203040506");
  check({{"END-MESSAGE (2047, 0, 0, 0, 0, 0, 0)", ""},
         {"END-MESSAGE (2048, 0, 0, 0, 0, 0, 0)", "SEGFAULT"},
         {"END-MESSAGE (2050, 0, 0, 0, 0, 0, 0)", "SEGFAULT"},
         {"END-MESSAGE (0, 2050, 0, 0, 0, 0, 0)", "SEGFAULT"},
         {"LOAD (2046, 1151) END-MESSAGE (2046, 0, 0, 0, 0, 0, 0)", ""},
         {"LOAD (2046, 1153) END-MESSAGE (2046, 0, 0, 0, 0, 0, 0)", "SEGFAULT"},
         {"END-MESSAGE (0, 2045, 0, 0, 0, 0, 0)", ""},
         {"END-MESSAGE (0, 2046, 0, 0, 0, 0, 0)", "SEGFAULT"},
         {"MEMSET (2000, 48, 6, 0) END-MESSAGE (0, 2000, 0, 0, 0, 0, 0)", "SEGFAULT"}});
}

// ---- 8.6

// Runs with exactly as many cycles as it costs, and with one less.
void costs(const std::string& body, std::uint64_t cycles, const char* input = "") {
  Machine machine;
  machine.input = hex(input);
  machine.run.cycles_per_bit = 0;  // so that input brings nothing
  machine.run.cycles = cycles;
  EXPECT_TRUE(machine.execute("at (128) " + body)) << body << ": " << machine.reason();
  EXPECT_EQ(machine.udvm.cycles_used(), cycles) << body;
  machine.run.cycles = cycles - 1;
  EXPECT_FALSE(machine.execute("at (128) " + body)) << body;
  EXPECT_EQ(machine.reason(), "CYCLES_EXHAUSTED") << body;
  EXPECT_LT(machine.udvm.cycles_used(), cycles);
}

TEST(Instructions, CostWhatFigure11Says) {
  const std::string end(kEnd);
  costs("END-MESSAGE (0, 0, 9, 32, 0, 6, 0)", 10);
  costs("END-MESSAGE (0, 0, 9, 32, 0, 0, 0)", 10);
  for (const char* one : {"AND ($32, 1)", "OR ($32, 1)", "NOT ($32)", "LSHIFT ($32, 1)", "RSHIFT ($32, 1)",
                          "ADD ($32, 1)", "SUBTRACT ($32, 1)", "MULTIPLY ($32, 1)", "DIVIDE ($32, 1)",
                          "REMAINDER ($32, 1)", "LOAD (32, 1)", "LOAD (70, 400)", "JUMP (on) :on",
                          "COMPARE (1, 1, 0, on, 0) :on", "STATE-FREE (32, 6)", "INPUT-BITS (3, 32, 0)"}) {
    costs(one + end, 2, "ff");
  }
  costs("LOAD (70, 400) PUSH (1) POP (32) CALL (on) :on LOAD (402, back) RETURN :back" + end, 7);
  costs("SORT-ASCENDING (32, 2, 5)" + end, 2 + 5 * (3 + 2));
  costs("SORT-DESCENDING (32, 1, 4)" + end, 2 + 4 * (2 + 1));
  costs("SHA-1 (32, 100, 300)" + end, 102);
  costs("MULTILOAD (32, 3, 1, 2, 3)" + end, 5);
  costs("COPY (32, 100, 300)" + end, 102);
  costs("COPY-LITERAL (32, 100, $32)" + end, 102);
  costs("LOAD (32, 400) COPY-OFFSET (5, 100, $32)" + end, 103);
  costs("MEMSET (300, 100, 0, 0)" + end, 102);
  costs("SWITCH (3, 1, 0, on, 0) :on" + end, 5);
  costs("CRC (0, 32, 100, on) :on" + end, 102);
  costs("INPUT-BYTES (3, 32, 0)" + end, 5, "010203");
  costs("INPUT-BYTES (3, 32, on) :on" + end, 5, "0102");
  costs("INPUT-HUFFMAN (32, 0, 2, 1, 5, 5, 0, 1, 0, 3, 0)" + end, 4, "00");
  costs("INPUT-HUFFMAN (32, 0, 0)" + end, 2);
  costs("STATE-CREATE (100, 32, 0, 6, 0)" + end, 102);
  costs("OUTPUT (32, 100)" + end, 102);
}

// "increased by n * cycles_per_bit once the instruction has been executed", not for what fails.
TEST(Instructions, InputBringsCycles) {
  struct Input {
    const char* body;
    const char* octets;
    unsigned bits;
  };
  for (const Input& i : {Input{"INPUT-BYTES (2, 32, 0)", "0102", 16}, Input{"INPUT-BITS (5, 32, 0)", "01", 5},
                         Input{"INPUT-HUFFMAN (32, 0, 2, 3, 9, 9, 0, 4, 0, 127, 0)", "00", 7},
                         Input{"INPUT-HUFFMAN (32, on, 2, 3, 9, 9, 0, 6, 0, 511, 0) :on", "00", 0},
                         Input{"INPUT-BYTES (2, 32, on) :on", "01", 0}, Input{"INPUT-BITS (9, 32, on) :on", "01", 0}}) {
    Machine machine;
    machine.input = hex(i.octets);
    // The copy costs all that is left, to the last cycle.
    const auto program = [&](unsigned length) {
      return "at (128) " + std::string(i.body) + " COPY (0, " + std::to_string(length) + ", 0)" + std::string(kEnd);
    };
    machine.run.cycles = 1000;
    machine.run.cycles_per_bit = 16;
    ASSERT_TRUE(machine.execute(program(0))) << i.body << machine.reason();
    const std::uint64_t rest = 1000 + 16 * i.bits - machine.udvm.cycles_used();
    EXPECT_TRUE(machine.execute(program(static_cast<unsigned>(rest)))) << i.body;
    EXPECT_FALSE(machine.execute(program(static_cast<unsigned>(rest) + 1))) << i.body;
    EXPECT_EQ(machine.reason(), "CYCLES_EXHAUSTED") << i.body;
  }
}

TEST(Instructions, FailureSaysWhere) {
  Machine machine;
  EXPECT_FALSE(machine.execute("at (128) LOAD (32, 1) DIVIDE ($32, 0)"));
  EXPECT_EQ(machine.udvm.failure().opcode, 9);
  EXPECT_EQ(machine.udvm.failure().pc, 131);
  EXPECT_TRUE(machine.udvm.failure().details().empty());
  machine.run.cycles = 50;
  EXPECT_FALSE(machine.execute("at (128) JUMP (128)"));
  EXPECT_EQ(machine.reason(), "CYCLES_EXHAUSTED");
  EXPECT_EQ(test::to_hex(machine.udvm.failure().details()), "10");
  EXPECT_EQ(machine.udvm.cycles_used(), 50U);
  machine.run.cycles = 5000;
  EXPECT_FALSE(machine.execute("at (128) MEMSET (32, 9, 1, 1) STATE-ACCESS (32, 9, 0, 0, 0, 0)"));
  EXPECT_EQ(test::to_hex(machine.udvm.failure().details()), "010203040506070809");
  EXPECT_FALSE(machine.execute("at (128) DECOMPRESSION-FAILURE"));
  EXPECT_EQ(machine.reason(), "USER_REQUESTED");
}

}  // namespace
}  // namespace headroom::sigcomp
