// SPDX-License-Identifier: Apache-2.0
//
// The assembler where the programs of RFC 4464 and 4465 do not reach: tokens, expressions, directives, "!", mistakes.
#include "sigcomp/assembler/assembler.h"

#include <gtest/gtest.h>

#include "sigcomp/assembler/disassembler.h"
#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/random.h"
#include "sigcomp/udvm/decode.h"

namespace headroom::sigcomp::assembler {
namespace {

using test::Bytes;
using test::Random;
using test::to_hex;

// The image, or the error's text.
std::string image_of(std::string_view source) {
  const auto result = assemble(source);
  if (const auto* error = std::get_if<SourceError>(&result)) return error->text();
  return to_hex(std::get<Program>(result).image);
}

TEST(Assembler, Expressions) {
  // The example of RFC 4464 3.2.1.
  EXPECT_EQ(image_of("byte (((1 + (2 * 3)) & (0xabcd - 0b00101010)))"), "03");
  EXPECT_EQ(image_of("word ((7 / 2), (7 % 4), (6 | 9), (6 ^ 3), (6 ~ 3), (1 << 15), (65535 >> 12))"),
            "000300030"
            "00f0005fffa8000000f");
  EXPECT_EQ(image_of("byte (1, 2) word (., 0xFF)"), "0102000200ff");
  EXPECT_EQ(image_of("set (a, (b - 1)) byte (a, b) set (b, c) at (5) :c"), "0405000000");
}

TEST(Assembler, TokensAreTheLongest) {
  EXPECT_EQ(image_of("byte(1);comment\nbyte(2)\r;byte (3)\n\tbyte (4) ; without an end"), "010204");
  EXPECT_EQ(image_of(":_a1 byte (_a1)"), "00");
  EXPECT_EQ(image_of("INPUT-BITS(1,2,3)"), "1d010203");
}

TEST(Assembler, Directives) {
  EXPECT_EQ(image_of("byte (1) pad (2) align (4) byte (2) align (4) align (4) at (10) byte (3)"),
            "0100000002000000000003");
  EXPECT_EQ(image_of("byte (1) at (0)"), "line 1, column 10: address 0 has been passed already");
  EXPECT_EQ(image_of(""), "");
}

TEST(Assembler, BlankLiteralsAreCounted) {
  EXPECT_EQ(image_of("MULTILOAD (64, , 1, 2, 3, 4)"), image_of("MULTILOAD (64, 4, 1, 2, 3, 4)"));
  EXPECT_EQ(image_of("SWITCH (, 1, 0, 0)"), image_of("SWITCH (2, 1, 0, 0)"));
  EXPECT_EQ(image_of("INPUT-HUFFMAN (1, 2, , 1, 2, 3, 4)"), image_of("INPUT-HUFFMAN (1, 2, 1, 1, 2, 3, 4)"));
  EXPECT_EQ(image_of("MULTILOAD (64, 0)"), "0f8600");
}

// Operands of addresses take the length that their distance needs, and the distance depends on their length.
TEST(Assembler, AddressesSettle) {
  for (unsigned distance = 0; distance < 200; ++distance) {
    const std::string gap = "pad (" + std::to_string(distance) + ")";
    const std::string source = ":a JUMP (b) JUMP (c) " + gap + " :b JUMP (a) JUMP (c) " + gap + " :c JUMP (b)";
    const auto result = assemble(source);
    ASSERT_TRUE(std::holds_alternative<Program>(result)) << std::get<SourceError>(result).text();
    const auto& program = std::get<Program>(result);
    // Read back: each jump leads where it is meant to.
    const auto leads = [&](std::uint32_t at, const char* name) {
      const auto jump = udvm::decode(program.image, static_cast<std::uint16_t>(at), 1);
      EXPECT_EQ(static_cast<std::uint16_t>(at + jump->operands[0].integer), program.names.at(name)) << source;
      return at + jump->length;
    };
    const auto address_of = [&](const char* name) { return static_cast<std::uint32_t>(program.names.at(name)); };
    leads(leads(address_of("a"), "b"), "c");
    leads(leads(address_of("b"), "a"), "c");
    leads(address_of("c"), "b");
  }
}

TEST(Assembler, TheClosestFailure) {
  // -3 from 40 to 37; without a zero before it, the one behind.
  EXPECT_EQ(image_of("at (33) byte (9, 9, 9, 9, 0, 1, 1) JUMP (!)").substr(66),
            "09090909000101"
            "16fd");
  EXPECT_EQ(image_of("at (32) byte (1) readonly (0) byte (0) readonly (1) byte (1) JUMP (!) byte (5, 0)").substr(64),
            "010001"
            "16030500");
  EXPECT_EQ(image_of("byte (0) JUMP (!)"), "line 1, column 16: there is no zero that \"!\" could mean");
}

TEST(Assembler, Mistakes) {
  const std::pair<const char*, const char*> cases[] = {
      {"ADD (1, 2)", "line 1, column 6: a reference wants a \"$\""},
      {"MULTILOAD (1, $2, 3)", "line 1, column 15: a literal takes no \"$\""},
      {"ADD ($1)", "line 1, column 1: ADD has 1 operands; it wants 2"},
      {"RETURN (1)", "line 1, column 1: RETURN has 1 operands; it wants 0"},
      {"SWITCH (3, 1, 0)", "line 1, column 9: the literal says 3, but there are 1 behind it"},
      {"INPUT-HUFFMAN (1, 2, 1, 1)",
       "line 1, column 1: INPUT-HUFFMAN has 4 operands; it wants 3 and so many sets as the literal says"},
      {"ADD ($1, )", "line 1, column 10: only the literal that counts operands can be left blank"},
      {"LOAD (32, 65536)", "line 1, column 11: 65536 does not lie between 0 and 65535"},
      {"LOAD (32, (0 - 1))", "line 1, column 11: -1 does not lie between 0 and 65535"},
      {"byte (256)", "line 1, column 1: 256 does not lie between 0 and 255"},
      {"word (65536)", "line 1, column 1: 65536 does not lie between 0 and 65535"},
      {"\n\n  FOO (1)", "line 3, column 3: FOO is no instruction of the UDVM (RFC 3320, figure 11)"},
      {"LOAD (32, unknown)", "line 1, column 11: \"unknown\" has no value: neither a label nor set"},
      {"set (a, b) set (b, a) byte (a)", "line 1, column 9: \"b\" depends on itself"},
      {":a :a", "line 1, column 4: \"a\" has a value already"},
      {":", "line 1, column 2: a label's name is missing behind \":\""},
      {"foo (1)",
       "line 1, column 1: \"foo\" is no directive; there are pad, align, at, byte, word, set, readonly, start, and "
       "labels "
       "begin "
       "with \":\" (RFC 4464 3.2.3)"},
      {"LOAD (32, 1", "line 1, column 12: \")\" is missing behind the operands"},
      {"byte 1", "line 1, column 6: \"(\" is missing behind byte"},
      {"byte ((1 2))",
       "line 1, column 10: an operator would stand here: parentheses hold two operands (RFC 4464 3.2.1)"},
      {"byte ((1))", "line 1, column 9: an operator would stand here: parentheses hold two operands (RFC 4464 3.2.1)"},
      {"byte (#)", "line 1, column 7: this character begins no token of UDVM assembly (RFC 4464 3.1)"},
      {"byte (99999999999)", "line 1, column 7: this number has more than 31 bits"},
      {"byte ((1 / 0))", "line 1, column 7: a division by zero"},
      {"byte ((1 << 32))", "line 1, column 7: a shift is by 0 to 31 bits"},
      {"byte ((((2147483647 * 2147483647) * 2) / 1))",
       "line 1, column 8: a number in this expression has more than 31 bits"},
      {"align (0)", "line 1, column 1: align needs a positive number"},
      {"pad (70000)", "line 1, column 1: so much padding does not fit into the memory of the UDVM"},
      {"pad (65536) byte (1)", "line 1, column 13: the memory of the UDVM ends at address 65535; this is beyond it"},
      {"readonly (2)", "line 1, column 11: readonly wants 0 or 1"},
      {"set (1, 2)", "line 1, column 6: set wants a name before the comma"},
  };
  for (const auto& [source, text] : cases) EXPECT_EQ(image_of(source), text) << source;
  EXPECT_EQ(image_of(std::string(200, '(')),
            "line 1, column 1: an instruction, a directive or a label would begin here, not \"(\"");
  EXPECT_EQ(image_of("byte (" + std::string(200, '(')),
            "line 1, column 107: more than 100 parentheses within one another");
  EXPECT_EQ(image_of(std::string(kLongestSource + 1, ' ')), "line 1, column 1: the source has more than 256 KiB");
}

TEST(Assembler, WhatCanBeUploaded) {
  const auto uploaded = [](std::string_view source) {
    const auto result = assemble(source);
    if (const auto* error = std::get_if<SourceError>(&result)) return error->text();
    const auto message = upload(std::get<Program>(result), test::hex("aa"));
    return message.index() == 0 ? to_hex(std::get<0>(message)) : std::get<1>(message);
  };
  EXPECT_EQ(uploaded("at (128) RETURN"), "f8001119aa");
  EXPECT_EQ(uploaded("at (1024) RETURN byte (0, 0)"), "f8001f19aa");
  EXPECT_EQ(uploaded("at (129) RETURN"),
            "the first instruction is at address 129; a message can upload to multiples of 64 from 128 to 1024 only");
  EXPECT_EQ(uploaded("at (1088) RETURN"),
            "the first instruction is at address 1088; a message can upload to multiples of 64 from 128 to 1024 only");
  EXPECT_EQ(uploaded("at (40) byte (1) at (128) RETURN"), "there is data at address 40, before the first instruction");
  EXPECT_EQ(uploaded("at (40) byte (0) at (128) RETURN"), "f8001119aa");
  EXPECT_EQ(uploaded("byte (0) at (128) RETURN"), "there is data at address 0, before the first instruction");
  EXPECT_EQ(uploaded("at (128) DECOMPRESSION-FAILURE"), "f8001100aa") << "with a code_len of 0 it would be a NACK";
  EXPECT_EQ(uploaded("start (128)"), "there is no octet of bytecode at or behind the start");
  EXPECT_EQ(uploaded("at (128) RETURN at (4223) byte (1)"), "the bytecode has 4096 octets; a message can upload 4095");
}

TEST(Assembler, StartIsTheFirstInstructionOrWhatIsSaid) {
  const auto start_of = [](std::string_view source) {
    const auto result = assemble(source);
    if (const auto* error = std::get_if<SourceError>(&result)) return error->text();
    return std::to_string(std::get<Program>(result).start);
  };
  EXPECT_EQ(start_of("at (128) byte (1) RETURN RETURN"), "129");
  EXPECT_EQ(start_of("start (begin) at (128) :begin byte (0x22, 0x9f, 0xff, 1) RETURN"), "128");
  EXPECT_EQ(start_of("at (128) RETURN :second RETURN start (second)"), "129");
  EXPECT_EQ(start_of("start (1) start (2)"), "line 1, column 11: start is set already");
  EXPECT_EQ(start_of("start (65536)"),
            "line 1, column 1: execution cannot start at 65536; there are addresses 0 to 65535");
}

// Whatever octets there are: what comes out assembles to them.
TEST(Disassembler, AnyOctetsAssembleBack) {
  Random random(7);
  for (int round = 0; round < 400; ++round) {
    Bytes code(1 + random.below(200));
    for (auto& octet : code) {
      octet = random.below(3) == 0 ? static_cast<std::uint8_t>(random.below(36)) : random.octet();
    }
    const auto origin = static_cast<std::uint16_t>(random.below(2) == 0 ? 128 : 0);
    const auto start = static_cast<std::uint16_t>(origin + random.below(20));
    const std::string source = disassemble(code, origin, start);
    const auto result = assemble(source);
    ASSERT_TRUE(std::holds_alternative<Program>(result)) << std::get<SourceError>(result).text() << "\n" << source;
    ASSERT_EQ(std::get<Program>(result).start, start) << source;
    const Bytes& image = std::get<Program>(result).image;
    ASSERT_GE(image.size(), origin + code.size());
    ASSERT_EQ(to_hex(Octets(image).subspan(origin, code.size())), to_hex(code)) << source;
    for (std::size_t i = origin + code.size(); i < image.size(); ++i) ASSERT_EQ(image[i], 0) << source;
  }
}

}  // namespace
}  // namespace headroom::sigcomp::assembler
