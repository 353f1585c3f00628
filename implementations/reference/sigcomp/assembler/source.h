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

// A mistake in the source: where, and a sentence that says what is wrong and what would be right.
struct SourceError {
  Position at;
  std::string sentence;
  // "line 3, column 8: …"
  [[nodiscard]] std::string text() const;
};

// An expression, as a tree whose nodes lie in one vector.
struct Expression {
  enum class Kind { kNumber, kName, kHere, kFailure, kOperation };
  Kind kind = Kind::kNumber;
  Position at;
  std::int64_t number = 0;
  std::string name;       // kName
  std::string operation;  // kOperation: one of 3.2.1's
  std::size_t left = 0;   // indices into Source::expressions
  std::size_t right = 0;
};

struct Operand {
  Position at;
  bool blank = false;      // to be inferred
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
  unsigned octets = 1;  // of each value: 1 for "byte", 2 for "word"
  std::vector<std::size_t> expressions;
};
struct Set {
  std::string name;
  std::size_t expression = 0;
};
struct ReadOnly {
  bool on = true;
};
// Where execution begins, in place of the first instruction. Not of RFC 4464, whose 3.2 lets an assembler ignore what
// it does not know: for bytecode whose first instruction cannot be written as one.
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

// Longer sources are refused: the UDVM's memory has 65536 octets, and a source is read many times over.
inline constexpr std::size_t kLongestSource = 1U << 18;

// Reads a source. Ends at the first mistake. An unknown directive is a mistake: 3.2 would let it be ignored, but then
// "the resulting bytecode may or may not generate the expected results".
[[nodiscard]] std::variant<Source, SourceError> read_source(std::string_view text);

}  // namespace headroom::sigcomp::assembler
