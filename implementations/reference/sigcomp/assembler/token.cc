// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/assembler/token.h"

#include <array>

namespace headroom::sigcomp::assembler {
namespace {

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr int digit_of(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

constexpr std::int64_t kLargestNumber = 0x7fffffff;
constexpr std::string_view kSingle = ".,!$:()+-*/%&|^~";

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::variant<std::vector<Token>, SourceError> run() {
    std::vector<Token> tokens;
    for (;;) {
      pass_whitespace();
      Token token;
      token.at = at_;
      if (next_ == text_.size()) {
        tokens.push_back(token);
        return tokens;
      }
      if (auto error = read(token)) return *error;
      tokens.push_back(token);
    }
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return next_ + ahead < text_.size() ? text_[next_ + ahead] : '\0';
  }
  void advance(std::size_t count) {
    for (; count > 0; --count, ++next_) {
      if (text_[next_] == '\n') {
        ++at_.line;
        at_.column = 1;
      } else {
        ++at_.column;
      }
    }
  }
  // ws: blanks and comments; a comment ends with its line or with the text.
  void pass_whitespace() {
    while (next_ < text_.size()) {
      const char c = peek();
      if (c == ';') {
        while (next_ < text_.size() && peek() != '\n' && peek() != '\r') advance(1);
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        advance(1);
      } else {
        return;
      }
    }
  }
  template <typename Belongs>
  std::string_view take_while(Belongs belongs) {
    const std::size_t first = next_;
    while (next_ < text_.size() && belongs(peek())) advance(1);
    return text_.substr(first, next_ - first);
  }

  std::optional<SourceError> read(Token& token) {
    const char c = peek();
    if (is_lower(c) || c == '_') {
      token.kind = Token::Kind::kName;
      token.text = take_while([](char x) { return is_lower(x) || is_digit(x) || x == '_'; });
      return {};
    }
    if (is_upper(c)) {
      token.kind = Token::Kind::kOpcode;
      token.text = take_while([](char x) { return is_upper(x) || is_digit(x) || x == '-'; });
      return {};
    }
    if (is_digit(c)) return read_number(token);
    const bool is_shift = (c == '<' || c == '>') && peek(1) == c;
    if (!is_shift && kSingle.find(c) == std::string_view::npos) {
      return SourceError{at_, "this character begins no token of UDVM assembly (RFC 4464 3.1)"};
    }
    token.kind = Token::Kind::kDelimiter;
    token.text = text_.substr(next_, is_shift ? 2 : 1);
    advance(token.text.size());
    return {};
  }

  std::optional<SourceError> read_number(Token& token) {
    token.kind = Token::Kind::kNumber;
    const std::size_t first = next_;
    int base = 10;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'b') && digit_of(peek(2)) < (peek(1) == 'x' ? 16 : 2)) {
      base = peek(1) == 'x' ? 16 : 2;
      advance(2);
    }
    for (; digit_of(peek()) < base; advance(1)) {
      token.number = token.number * base + digit_of(peek());
      if (token.number > kLargestNumber) return SourceError{token.at, "this number has more than 31 bits"};
    }
    token.text = text_.substr(first, next_ - first);
    return {};
  }

  std::string_view text_;
  std::size_t next_ = 0;
  Position at_;
};

}  // namespace

std::variant<std::vector<Token>, SourceError> tokens_of(std::string_view text) { return Lexer(text).run(); }

}  // namespace headroom::sigcomp::assembler
