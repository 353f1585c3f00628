// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/assembler/source.h"

#include <algorithm>
#include <array>

#include "sigcomp/assembler/token.h"
#include "sigcomp/udvm/opcode.h"

namespace headroom::sigcomp::assembler {
namespace {

constexpr unsigned kDeepest = 100;  // parentheses within one another
constexpr std::array<std::string_view, 11> kOperators = {"+", "-", "*", "/", "%", "&", "|", "^", "~", "<<", ">>"};

// Recursive descent; the first mistake is kept in error_, and everything returns at once.
class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::variant<Source, SourceError> run() {
    while (!error_ && peek().kind != Token::Kind::kEnd) statement();
    if (error_) return *error_;
    return std::move(source_);
  }

 private:
  using Kind = Token::Kind;

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
  }
  [[nodiscard]] bool at_delimiter(std::string_view text) const {
    return peek().kind == Kind::kDelimiter && peek().text == text;
  }
  bool take_delimiter(std::string_view text) {
    if (!at_delimiter(text)) return false;
    take();
    return true;
  }
  void mistake(Position at, std::string sentence) {
    if (!error_) error_ = SourceError{at, std::move(sentence)};
  }
  void expect(std::string_view text, std::string_view where) {
    if (!error_ && !take_delimiter(text)) {
      mistake(peek().at, "\"" + std::string(text) + "\" is missing " + std::string(where));
    }
  }

  void statement() {
    const Position at = peek().at;
    const Token& token = take();
    if (token.kind == Kind::kOpcode) {
      instruction(token);
    } else if (token.kind == Kind::kName) {
      directive(token);
    } else if (token.kind == Kind::kDelimiter && token.text == ":") {
      const Token& name = take();
      if (name.kind != Kind::kName) return mistake(name.at, "a label's name is missing behind \":\"");
      add(at, Label{std::string(name.text)});
    } else {
      mistake(at, "an instruction, a directive or a label would begin here, not \"" + std::string(token.text) + "\"");
    }
  }
  template <typename What>
  void add(Position at, What what) {
    if (!error_) source_.statements.push_back({at, std::move(what)});
  }

  void instruction(const Token& token) {
    const auto opcode = udvm::opcode_of(token.text);
    if (!opcode) {
      return mistake(token.at, std::string(token.text) + " is no instruction of the UDVM (RFC 3320, figure 11)");
    }
    Instruction instruction{*opcode, {}};
    if (take_delimiter("(")) {
      do {
        instruction.operands.push_back(operand());
      } while (!error_ && take_delimiter(","));
      expect(")", "behind the operands");
    }
    add(token.at, std::move(instruction));
  }

  Operand operand() {
    Operand operand;
    operand.at = peek().at;
    operand.blank = at_delimiter(",") || at_delimiter(")");
    if (operand.blank) return operand;
    operand.in_memory = take_delimiter("$");
    operand.expression = expression();
    return operand;
  }

  void directive(const Token& token) {
    const std::string_view name = token.text;
    if (name == "readonly") return readonly(token);
    if (name == "set") return set(token);
    const bool is_padding = name == "pad" || name == "align" || name == "at";
    const bool is_data = name == "byte" || name == "word";
    const bool is_start = name == "start";
    if (!is_padding && !is_data && !is_start) {
      return mistake(token.at,
                     "\"" + std::string(name) +
                         "\" is no directive; there are pad, align, at, byte, word, set, readonly, start, and labels "
                         "begin with \":\" (RFC 4464 3.2.3)");
    }
    expect("(", "behind " + std::string(name));
    std::vector<std::size_t> expressions;
    do {
      expressions.push_back(expression());
    } while (!error_ && is_data && take_delimiter(","));
    expect(")", "at the end of " + std::string(name));
    if (error_) return;
    if (is_data) return add(token.at, Data{name == "byte" ? 1U : 2U, std::move(expressions)});
    if (is_start) return add(token.at, Start{expressions[0]});
    const auto kind = name == "pad" ? Padding::Kind::kPad : name == "at" ? Padding::Kind::kAt : Padding::Kind::kAlign;
    add(token.at, Padding{kind, expressions[0]});
  }

  void set(const Token& token) {
    expect("(", "behind set");
    const Token& name = take();
    if (!error_ && name.kind != Kind::kName) return mistake(name.at, "set wants a name before the comma");
    expect(",", "behind the name that is set");
    const std::size_t value = expression();
    expect(")", "at the end of set");
    add(token.at, Set{std::string(name.text), value});
  }

  void readonly(const Token& token) {
    expect("(", "behind readonly");
    const Token& value = take();
    if (!error_ && (value.kind != Kind::kNumber || value.number > 1)) {
      return mistake(value.at, "readonly wants 0 or 1");
    }
    expect(")", "at the end of readonly");
    add(token.at, ReadOnly{value.number == 1});
  }

  std::size_t expression() {
    if (error_) return 0;
    Expression e;
    e.at = peek().at;
    const Token& token = take();
    if (token.kind == Kind::kNumber) {
      e.number = token.number;
    } else if (token.kind == Kind::kName) {
      e.kind = Expression::Kind::kName;
      e.name = token.text;
    } else if (token.kind == Kind::kDelimiter && token.text == ".") {
      e.kind = Expression::Kind::kHere;
    } else if (token.kind == Kind::kDelimiter && token.text == "!") {
      e.kind = Expression::Kind::kFailure;
    } else if (token.kind == Kind::kDelimiter && token.text == "(") {
      operation(e);
    } else {
      mistake(e.at, "a number, a name, \".\", \"!\" or \"(\" would stand here");
    }
    source_.expressions.push_back(std::move(e));
    return source_.expressions.size() - 1;
  }

  void operation(Expression& e) {
    if (++depth_ > kDeepest) return mistake(e.at, "more than 100 parentheses within one another");
    e.kind = Expression::Kind::kOperation;
    e.left = expression();
    const Token& sign = take();
    if (!error_ && (sign.kind != Kind::kDelimiter || std::ranges::find(kOperators, sign.text) == kOperators.end())) {
      return mistake(sign.at, "an operator would stand here: parentheses hold two operands (RFC 4464 3.2.1)");
    }
    e.operation = sign.text;
    e.right = expression();
    expect(")", "behind the second operand");
    --depth_;
  }

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  unsigned depth_ = 0;
  Source source_;
  std::optional<SourceError> error_;
};

}  // namespace

std::string SourceError::text() const {
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column) + ": " + sentence;
}

std::variant<Source, SourceError> read_source(std::string_view text) {
  if (text.size() > kLongestSource) return SourceError{{}, "the source has more than 256 KiB"};
  auto tokens = tokens_of(text);
  if (auto* error = std::get_if<SourceError>(&tokens)) return *error;
  return Parser(std::move(std::get<std::vector<Token>>(tokens))).run();
}

}  // namespace headroom::sigcomp::assembler
