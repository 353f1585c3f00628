// SPDX-License-Identifier: Apache-2.0
//
// UDVM assembly as text and as a list of statements: RFC 4464 3.1 (tokens) and 3.2 (grammar).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headroom::sigcomp::assembler {

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

// A mistake in the source: its position, and a sentence that says what is wrong and how to correct it.
struct SourceError {
  Position at;
  std::string sentence;
  // Returns the position and the sentence, as in "line 3, column 8: …".
  [[nodiscard]] std::string text() const;
};

// An expression, as a tree whose nodes lie in one vector.
struct Expression {
  enum class Kind { kNumber, kName, kHere, kFailure, kOperation };
  Kind kind = Kind::kNumber;
  Position at;
  std::int64_t number = 0;
  std::string name;       // kName
  std::string operation;  // kOperation: one of the operations in 3.2.1
  std::size_t left = 0;   // indices into Source::expressions
  std::size_t right = 0;
};

struct Operand {
  Position at;
  bool blank = false;      // the operand was left out and is inferred
  bool in_memory = false;  // "$"
  std::size_t expression = 0;
};

struct Instruction {
  std::uint8_t opcode = 0;
  std::vector<Operand> operands;
};
struct Label {
  std::string name;
};
struct Padding {
  enum class Kind { kPad, kAlign, kAt };
  Kind kind = Kind::kPad;
  std::size_t expression = 0;
};
struct Data {
  unsigned octets = 1;  // octets of each value: 1 for "byte", 2 for "word"
  std::vector<std::size_t> expressions;
};
struct Set {
  std::string name;
  std::size_t expression = 0;
};
struct ReadOnly {
  bool on = true;
};
// Start is the directive `start`: execution begins at this address instead of the first instruction. It extends RFC
// 4464, whose 3.2 lets an assembler ignore unknown directives, for bytecode whose first octets cannot be written as an
// instruction.
struct Start {
  std::size_t expression = 0;
};

struct Statement {
  Position at;
  std::variant<Instruction, Label, Padding, Data, Set, ReadOnly, Start> what;
};

struct Source {
  std::vector<Statement> statements;
  std::vector<Expression> expressions;
};

// The longest source in octets; longer ones are refused, because the UDVM's memory has only 65536 octets, and the
// assembler passes over a source many times.
inline constexpr std::size_t kLongestSource = 1U << 18;

// Reads a source, up to the first mistake. An unknown directive is a mistake: 3.2 lets an assembler ignore it, but then
// "the resulting bytecode may or may not generate the expected results".
[[nodiscard]] std::variant<Source, SourceError> read_source(std::string_view text);

}  // namespace headroom::sigcomp::assembler
