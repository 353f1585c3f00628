// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher where RFC 4465 does not reach: sizes, NACKs both ways, what is for whom, state by the header.
#include "sigcomp/decompressor.h"

#include <gtest/gtest.h>

#include "sigcomp/assembler/assembler.h"
#include "sigcomp/assembler/disassembler.h"
#include "sigcomp/dictionary/dictionary.h"
#include "sigcomp/test/support/hex.h"
#include "sigcomp/test/support/machine.h"

namespace headroom::sigcomp {
namespace {

using test::Bytes;
using test::hex;
using test::to_hex;
using Kind = Outcome::Kind;

Bytes uploading(const std::string& source, const std::string& input_hex = "") {
  const auto program = assembler::assemble(source);
  if (const auto* error = std::get_if<assembler::SourceError>(&program)) {
    ADD_FAILURE() << error->text();
    return {};
  }
  const auto message = assembler::upload(std::get<assembler::Program>(program), hex(input_hex));
  EXPECT_TRUE(std::holds_alternative<Bytes>(message));
  return std::get<Bytes>(message);
}

class DecompressorTest : public testing::Test {
 protected:
  StateHandler states_{10};
  Decompressor decompressor_{{16, 8192, kVersionWithNack}, states_};

  const Outcome& give(const Bytes& message, Transport transport = Transport::kMessages) {
    return decompressor_.decompress(message, transport);
  }
};

TEST_F(DecompressorTest, RefusesOtherParameters) {
  for (const DecompressorConfig& config : {DecompressorConfig{17, 8192, 2},
                                           {8, 8192, 2},
                                           {256, 8192, 2},
                                           {16, 8191, 2},
                                           {16, 1024, 2},
                                           {16, 262144, 2},
                                           {16, 8192, 0},
                                           {16, 8192, 3}}) {
    EXPECT_THROW(Decompressor(config, states_), std::invalid_argument);
  }
}

// RFC 4896 chapter 11: the program there, from its mnemonics and as the octets printed.
TEST_F(DecompressorTest, UncompressedBytecode) {
  const Bytes printed = hex("f800a11c018609228601 16f923");
  EXPECT_EQ(to_hex(uploading("at (64) :byte_copy_left pad (2) at (128) :start INPUT-BYTES (1, byte_copy_left, end)"
                             "OUTPUT (byte_copy_left, 1) JUMP (start) :end END-MESSAGE (0,0,0,0,0,0,0)")),
            to_hex(printed));
  const Bytes text = test::text_octets("INVITE sip:user@example.com SIP/2.0\r\n\r\n");
  const Outcome& outcome = give(test::joined(printed, text));
  ASSERT_EQ(outcome.kind, Kind::kMessage);
  EXPECT_EQ(to_hex(outcome.output), to_hex(text));
}

TEST_F(DecompressorTest, WhatIsNotSigComp) {
  EXPECT_EQ(give({}).kind, Kind::kNotSigComp);
  EXPECT_EQ(give(test::text_octets("INVITE sip:a@b SIP/2.0\r\n")).kind, Kind::kNotSigComp);
  EXPECT_EQ(give(hex("f7")).kind, Kind::kNotSigComp);
  EXPECT_TRUE(decompressor_.nack(hex("f7")).empty()) << "whoever sends this understands no NACK";
}

// RFC 3320 chapter 7: decompression_memory_size - n, or half of it; 65536 at most, which the Useful Value says as 0.
TEST(DecompressorSizes, MemoryOfTheUdvm) {
  EXPECT_EQ(udvm_memory_size(2048, Transport::kMessages, 48), 2000U);
  EXPECT_EQ(udvm_memory_size(2048, Transport::kMessages, 2048), 0U);
  EXPECT_EQ(udvm_memory_size(2048, Transport::kStream, 48), 1024U);
  EXPECT_EQ(udvm_memory_size(131072, Transport::kMessages, 48), 65536U);
  EXPECT_EQ(udvm_memory_size(131072, Transport::kStream, 48), 65536U);
  EXPECT_EQ(udvm_memory_size(65536, Transport::kMessages, 1), 65535U);
  StateHandler states(1);
  Decompressor decompressor({128, 131072, 2}, states);
  const Bytes message = uploading("at (128) OUTPUT (0, 32) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)");
  const Outcome& outcome = decompressor.decompress(message, Transport::kStream);
  ASSERT_EQ(outcome.kind, Kind::kMessage);
  EXPECT_EQ(to_hex(outcome.output),
            "0000"
            "0080"
            "0002"
            "0000"
            "0000" +
                std::string(44, '0'));
}

TEST_F(DecompressorTest, AMessageOfAnySizeIsBounded) {
  Bytes message = uploading("at (128) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)");
  message.resize(8192 - 137);
  EXPECT_EQ(give(message).kind, Kind::kNoOutput) << "137 octets of UDVM memory: the instruction just fits";
  message.resize(8192 - 128);
  EXPECT_EQ(give(message).failure.reason, Reason::kBytecodesTooLarge);
  message.resize(8192);
  EXPECT_EQ(give(message).failure.reason, Reason::kBytecodesTooLarge);
  message.resize(8193);
  EXPECT_EQ(give(message).failure.reason, Reason::kBytecodesTooLarge);
  EXPECT_EQ(to_hex(give(message).failure.details()), "2000");
  EXPECT_EQ(give(message, Transport::kStream).failure.reason, Reason::kBytecodesTooLarge);
  message.resize(8192);
  EXPECT_EQ(give(message, Transport::kStream).kind, Kind::kNoOutput);
  message.resize(1000000);
  EXPECT_EQ(give(message).failure.reason, Reason::kBytecodesTooLarge);
}

// State that the header names, with all that can be wrong with it.
TEST_F(DecompressorTest, StateByTheHeader) {
  ASSERT_TRUE(states_.open(1, 8192));
  Sha1 sha1;
  const auto put = [&](const StateHeader& header, const Bytes& value) {
    EXPECT_TRUE(states_.create(1, header, 0, value));
    return identifier_of(sha1, header, value);
  };
  const auto by = [&](const Sha1Digest& id, unsigned len) {
    return test::joined(Bytes{static_cast<std::uint8_t>(0xf8 | len)}, Octets(id).first(3 * (len + 1)));
  };
  // OUTPUT (6, 4), END-MESSAGE
  const Bytes code = hex("22 06 04 23");
  const Sha1Digest id = put({200, 200, 9}, code);
  EXPECT_EQ(to_hex(give(by(id, 2)).output), "00090004") << "partial_state_ID_length and state_length";
  EXPECT_EQ(to_hex(give(by(id, 3)).output), "000c0004");
  const Outcome& outcome = give(by(id, 1));
  EXPECT_EQ(outcome.failure.reason, Reason::kStateNotFound) << "minimum_access_length is 9";
  EXPECT_EQ(to_hex(outcome.failure.details()), to_hex(Octets(id).first(6)));
  EXPECT_EQ(outcome.failure.opcode, 0);
  EXPECT_EQ(outcome.failure.pc, 0);

  EXPECT_EQ(give(by(put({8182, 0, 6}, code), 1)).failure.reason, Reason::kSegfault) << "beyond 8192 - 7";
  EXPECT_EQ(give(by(put({200, 8185, 6}, code), 1)).failure.reason, Reason::kSegfault);
  // Over the Useful Values, which win.
  EXPECT_EQ(to_hex(give(by(put({28, 32, 6}, hex("01020304 22 1c 04 23")), 1)).output), "00000000");
  EXPECT_EQ(give(hex("f9 010203040506")).failure.reason, Reason::kStateNotFound);
}

// 9.4.5: "If any of the operands state_address, state_instruction or state_length is set to 0 then its value is taken
// from the returned item of state instead", and with no instruction in either execution goes on behind.
TEST_F(DecompressorTest, StateByTheInstruction) {
  ASSERT_TRUE(states_.open(1, 8192));
  const Bytes code = hex("00 22 a2 58 02 23");  // OUTPUT (600, 2), END-MESSAGE behind an octet of something else
  Sha1 sha1;
  const auto accessing = [&](const StateHeader& header, const std::string& operands) {
    EXPECT_TRUE(states_.create(1, header, 0, code));
    const Sha1Digest id = identifier_of(sha1, header, code);
    std::string source = "at (128) STATE-ACCESS (id, 20, " + operands + ") OUTPUT (598, 3) " + std::string(test::kEnd) +
                         "at (400) :id byte (";
    for (std::size_t i = 0; i < id.size(); ++i) source += std::to_string(id[i]) + (i + 1 < id.size() ? ", " : ")");
    source += " at (600) byte (0x41, 0x42)";
    const Outcome& outcome = give(uploading(source));
    return outcome.kind == Kind::kMessage ? to_hex(outcome.output) : std::string(name_of(outcome.failure.reason));
  };
  EXPECT_EQ(accessing({500, 501, 6}, "0, 0, 0, 0"), "4142") << "address and instruction of the item";
  EXPECT_EQ(accessing({500, 900, 6}, "0, 0, 0, 501"), "4142") << "its own instruction";
  EXPECT_EQ(accessing({900, 701, 6}, "0, 0, 700, 0"), "4142") << "its own address";
  EXPECT_EQ(accessing({500, 0, 6}, "0, 0, 0, 0"), "000041") << "no instruction at all";
  EXPECT_EQ(accessing({500, 0, 6}, "1, 3, 599, 0"), "0022a2") << "a part";
  EXPECT_EQ(accessing({500, 0, 6}, "1, 6, 599, 0"), "STATE_TOO_SHORT");
  EXPECT_EQ(accessing({8180, 0, 6}, "0, 0, 0, 0"), "SEGFAULT");
}

// 8.6: the header's bits count, those of a returned feedback item among them.
TEST_F(DecompressorTest, CyclesOfTheHeader) {
  const Bytes plain = uploading("at (128) JUMP (128)");
  EXPECT_EQ(give(plain).cycles, (1000 + 8 * plain.size()) * 16);
  EXPECT_EQ(give(test::joined(plain, Bytes(100))).cycles, (1000 + 8 * plain.size()) * 16) << "what is not asked for";
  const Bytes with_item = test::joined(hex("fc 82 1122"), Octets(plain).subspan(1));
  EXPECT_EQ(give(with_item).cycles, (1000 + 8 * with_item.size()) * 16);
}

TEST_F(DecompressorTest, AcceptsOnce) {
  ASSERT_TRUE(states_.open(1, 2048));
  EXPECT_FALSE(decompressor_.accept(1)) << "there is no message yet";
  const Bytes message = uploading("at (128) END-MESSAGE (0, 0, 10, 128, 0, 6, 0)");
  ASSERT_EQ(give(message).kind, Kind::kNoOutput);
  EXPECT_EQ(states_.items(), 0U) << "not without the application's permission";
  EXPECT_FALSE(decompressor_.accept(2)) << "no such compartment";
  EXPECT_TRUE(decompressor_.accept(1));
  EXPECT_FALSE(decompressor_.accept(1));
  EXPECT_EQ(states_.items(), 1U);
  EXPECT_EQ(give(uploading("at (128) STATE-CREATE (9, 128, 0, 6, 0) DECOMPRESSION-FAILURE")).kind, Kind::kFailure);
  EXPECT_FALSE(decompressor_.accept(1));
}

TEST_F(DecompressorTest, FeedbackComesBackWithTheMessageOnly) {
  ASSERT_TRUE(states_.open(1, 2048));
  const Bytes message = uploading("at (128) END-MESSAGE (0, 0, 0, 0, 0, 0, 0)");
  const Bytes with_item = test::joined(hex("fc 82 1122"), Octets(message).subspan(1));
  ASSERT_EQ(to_hex(give(with_item).returned_feedback), "821122");
  EXPECT_TRUE(states_.returned_feedback(1).empty());
  ASSERT_TRUE(decompressor_.accept(1));
  EXPECT_EQ(to_hex(states_.returned_feedback(1)), "821122");
}

// ---- NACK

TEST_F(DecompressorTest, AnswersAFailure) {
  const Bytes message = uploading("at (128) LOAD (32, 1) DIVIDE ($32, $34)");
  ASSERT_EQ(give(message).kind, Kind::kFailure);
  Sha1 sha1;
  const std::string expected =
      "f80001"
      "0b"
      "09"
      "0083" +
      to_hex(sha1(message));
  EXPECT_EQ(to_hex(decompressor_.nack(message)), expected);
  // The other endpoint takes it for one, and does not answer it.
  StateHandler states(1);
  Decompressor other({16, 2048, 2}, states);
  const Bytes nack = hex(expected);
  const Outcome& outcome = other.decompress(nack, Transport::kMessages);
  ASSERT_EQ(outcome.kind, Kind::kNack);
  EXPECT_EQ(outcome.nack.reason, Reason::kDivByZero);
  EXPECT_EQ(outcome.nack.message, sha1(message));
  EXPECT_TRUE(other.nack(nack).empty());
  EXPECT_FALSE(other.accept(1));
}

TEST_F(DecompressorTest, NeverAnswersANackThatIsTooShort) {
  for (std::size_t length = 3; length < 27; ++length) {
    Bytes message = hex("f80001");
    message.resize(length);
    EXPECT_EQ(give(message).kind, Kind::kIgnored);
    EXPECT_TRUE(decompressor_.nack(message).empty());
  }
}

// "safely ignored by implementations that do not support the NACK mechanism": for them it is a manual failure.
TEST_F(DecompressorTest, WithoutNacks) {
  Decompressor basic({16, 8192, kVersionBasic}, states_);
  Bytes nack = hex("f80001 01 00 0000");
  nack.resize(27);
  EXPECT_EQ(basic.decompress(nack, Transport::kMessages).failure.reason, Reason::kUserRequested);
  EXPECT_TRUE(basic.nack(nack).empty());
  EXPECT_TRUE(basic.framing_nack().empty());
}

TEST_F(DecompressorTest, AFramingErrorHasNoHash) {
  EXPECT_EQ(to_hex(decompressor_.framing_nack()),
            "f80001"
            "19"
            "00"
            "0000" +
                std::string(40, '0'));
}

// ---- Hostile code takes what its cycles allow, and no more

TEST_F(DecompressorTest, LoopsEnd) {
  const std::pair<const char*, Reason> loops[] = {
      {"JUMP (128)", Reason::kCyclesExhausted},
      {"COPY (300, 7000, 301) JUMP (128)", Reason::kCyclesExhausted},
      {"OUTPUT (0, 1) JUMP (128)", Reason::kCyclesExhausted},
      {"SHA-1 (0, 8000, 32) JUMP (128)", Reason::kCyclesExhausted},
      {"SORT-ASCENDING (300, 1, 3900) JUMP (128)", Reason::kCyclesExhausted},
      {"MULTILOAD (300, 4, 1, 2, 3, 4) JUMP (128)", Reason::kCyclesExhausted},
      {"MEMSET (300, 7000, 1, 1) JUMP (128)", Reason::kCyclesExhausted},
      {"INPUT-BYTES (0, 32, 128) JUMP (128)", Reason::kCyclesExhausted},
      {"LOAD (70, 300) CALL (128)", Reason::kSegfault},  // the stack comes to the end of the memory first
  };
  for (const auto& [body, reason] : loops) {
    const Bytes message = uploading("at (128) " + std::string(body));
    const Outcome& outcome = give(message);
    ASSERT_EQ(outcome.kind, Kind::kFailure) << body;
    EXPECT_EQ(name_of(outcome.failure.reason), name_of(reason)) << body;
    EXPECT_LE(outcome.cycles, (8 * message.size() + 1000) * 16) << body;
  }
}

// ---- The tracer

TEST_F(DecompressorTest, TracesEachInstruction) {
  std::vector<std::string> lines;
  assembler::TracePrinter trace([&](const std::string& line) { lines.push_back(line); });
  const Bytes message = uploading(
      "at (128) LOAD (32, 513) ADD ($32, $32) JUMP (on) pad (3) :on OUTPUT (32, 2)"
      "END-MESSAGE (0, 0, 0, 0, 0, 0, 0)");
  const Outcome& outcome = decompressor_.decompress(message, Transport::kMessages, &trace);
  ASSERT_EQ(outcome.kind, Kind::kMessage);
  EXPECT_EQ(to_hex(outcome.output), "0402");
  EXPECT_EQ(lines,
            (std::vector<std::string>{"         0   128  LOAD (32, 513)", "         1   132  ADD ($[32]=513, [32]=513)",
                                      "         2   135  JUMP (140)", "         3   140  OUTPUT (32, 2)",
                                      "         6   143  END-MESSAGE (0, 0, 0, 0, 0, 0, 0)"}));
  // The same message without the tracer.
  EXPECT_EQ(give(message).cycles, 7U);
}

}  // namespace
}  // namespace headroom::sigcomp
