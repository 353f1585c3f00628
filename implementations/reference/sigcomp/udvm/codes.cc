// SPDX-License-Identifier: Apache-2.0
//
// Codes of the LZ77 family one after another: the loop of programs/lzss.udvm and of whatever else is like it. The
// idioms of its instructions have everything in them (idiom.h); here they follow each other without the interpreter,
// and what cannot change meanwhile is looked at once. Nothing is done of a code that cannot be done to its end.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "mutants.h"
#include "sigcomp/udvm/emit.h"
#include "sigcomp/udvm/idiom.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::udvm {
namespace {

// UDVM cycles (RFC 3320, figure 11): INPUT-HUFFMAN with two sets and COMPARE; what a literal takes besides, and what a
// match does, without two for each octet.
constexpr std::uint64_t kOfCode = 3 + 1;
constexpr std::uint64_t kOfLiteral = 2 + 2 + 1;
constexpr std::uint64_t kOfMatch = 1 + 1 + 1 + 1 + 1 + 1;

// The words that the loop changes.
struct Variables {
  std::uint32_t code;
  std::uint32_t length;
  std::uint32_t old;
  std::uint32_t pointer;

  [[nodiscard]] std::array<std::uint32_t, 4> all() const noexcept { return {code, length, old, pointer}; }
  // True if no two of them share an octet, and none is one of the registers that are looked at.
  [[nodiscard]] bool are_apart() const noexcept {
    const auto words = all();
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] + 1 >= kByteCopyLeft && words[i] <= kInputBitOrder + 1U) return false;
      for (std::size_t j = 0; j < i; ++j) {
        if (std::abs(static_cast<int>(words[i]) - static_cast<int>(words[j])) < 2) return false;
      }
    }
    return true;
  }
};

// A set of INPUT-HUFFMAN (9.4.4).
struct Set {
  explicit Set(const std::uint16_t* operands) noexcept
      : bits(operands[0]), lower(operands[1]), upper(operands[2]), least(operands[3]) {}
  unsigned bits;
  std::uint32_t lower;
  std::uint32_t upper;
  std::uint32_t least;

  [[nodiscard]] bool has(std::uint32_t value) const noexcept { return value >= lower && value <= upper; }
  [[nodiscard]] std::uint16_t stands_for(std::uint32_t value) const noexcept {
    return static_cast<std::uint16_t>(value + least - lower);
  }
};

}  // namespace

bool Udvm::emit_codes(const Instruction& code, const Run& run, Position& position) noexcept {
  const std::uint32_t size = memory_.size();
  std::uint8_t* const memory = memory_.data();
  const Instruction* const literal = code_.known(memory, size, code.integers[ReadCode::kLiteral]);
  const Instruction* const match = code_.known(memory, size, code.integers[ReadCode::kMatch]);
  if (literal == nullptr || literal->action != kEmitOctet || match == nullptr || match->action != kReadMatch) {
    return false;
  }
  const std::uint16_t* const of_literal = literal->integers.data();
  const std::uint16_t* const emit = match->integers.data() + ReadMatch::kEmit;
  const Variables at{code.integers[ReadCode::kCode], emit[EmitMatch::kLength], emit[EmitMatch::kOld],
                     emit[EmitMatch::kPointer]};
  // The literal is the lower octet of the code, the distance all of it; and both go on with the next code.
  if (of_literal[EmitOctet::kOutput] != at.code + 1 || of_literal[EmitOctet::kFrom] != at.code + 1 ||
      of_literal[EmitOctet::kPointer] != at.pointer || of_literal[EmitOctet::kNext] != code.pc ||
      emit[EmitMatch::kOffset] != at.code || emit[EmitMatch::kNext] != code.pc || !at.are_apart()) {
    return false;
  }
  const auto words = at.all();
  // All text goes behind the words, the registers and the code; so these stay as they are.
  const std::uint32_t words_end = std::max(*std::ranges::max_element(words), std::uint32_t{kInputBitOrder}) + 2;
  const std::uint32_t text_begin = mutant("sigcomp-codes-over-the-code") ? words_end : std::max(words_end, code_.end());
  if (words_end > size || std::ranges::any_of(words, [this](std::uint32_t word) { return code_.has(word, 2); }) ||
      ((load16(memory + kInputBitOrder) != 0 || input_.place().p != 0) && !mutant("sigcomp-codes-of-any-bit-order"))) {
    return false;
  }

  const CopyBounds bounds{load16(memory + kByteCopyLeft), load16(memory + kByteCopyRight)};
  // As values of their own, which no octet that is written can be part of.
  const Set first(&code.integers[ReadCode::kBits]);
  const Set second(&code.integers[ReadCode::kBits + ReadCode::kSet]);
  const std::uint16_t first_literal = code.integers[ReadCode::kFirst];
  const unsigned length_bits = match->integers[ReadMatch::kBits];
  const std::uint32_t added = match->integers[ReadMatch::kAdded];
  // It takes input all the time, so it need not pause as often as other loops; but work has its bound.
  const std::uint64_t done = work_ + position.used() - position.begun;
  const std::uint64_t allowed = run.most_work == 0 ? position.reserve : run.most_work - std::min(run.most_work, done);
  const std::uint64_t lent = std::min(position.reserve, allowed);
  const std::uint64_t before = position.spare + lent;
  Input input = input_;
  std::uint64_t spare = before;
  std::uint16_t to = load16(memory + at.pointer);
  std::uint8_t* const output = output_.get();
  std::size_t written = output_length_;
  for (;;) {
    const std::uint32_t ahead = input.ahead();
    unsigned taken = first.bits;
    std::uint32_t bits = ahead >> (32 - taken);
    std::uint16_t value = first.stands_for(bits);
    if (!first.has(bits)) {
      taken += second.bits;
      bits = ahead >> (32 - taken);
      value = second.stands_for(bits);
      if (!second.has(bits) && !mutant("sigcomp-codes-that-are-none")) break;
    }
    if (value >= first_literal + (mutant("sigcomp-codes-first-literal-a-match") ? 1 : 0)) {
      if (taken > input.bits_left() || spare < kOfCode + kOfLiteral || to < text_begin || to >= size ||
          written == kMostOutput) {
        break;
      }
      spare -= kOfCode + kOfLiteral - (mutant("sigcomp-codes-literals-cheaper") ? 1 : 0);
      input.skip(taken);
      store16(memory + at.code, value);
      const auto octet = static_cast<std::uint8_t>(value);
      output[written++] = octet;
      memory[to] = octet;
      to = bounds.next(to);
    } else {
      const std::uint32_t read = ahead << taken >> (32 - length_bits);
      taken += length_bits;
      const std::uint32_t length = static_cast<std::uint16_t>(read + added);
      const std::uint16_t from = bounds.before(to, value);
      const std::uint64_t cost = kOfCode + kOfMatch + 2 * std::uint64_t{length};
      if (taken > input.bits_left() || spare < cost || to < text_begin || length == 0 ||
          ((length > bounds.run(from) || length > bounds.run(to)) && !mutant("sigcomp-codes-leave-the-ring")) ||
          from + length > size || to + length > size || length > kMostOutput - written) {
        break;
      }
      spare -= cost;
      input.skip(taken);
      store16(memory + at.code, value);
      if (!mutant("sigcomp-codes-leave-no-words")) {
        store16(memory + at.length, static_cast<std::uint16_t>(length));
        store16(memory + at.old, to);
      }
      copy_match(from, length, to, output + written);
      written += length;
      to = bounds.next(static_cast<std::uint16_t>(to + length - 1));
    }
    store16(memory + at.pointer, to);
  }
  if (spare == before) return false;
  has_output_ = true;
  output_length_ = written;
  const unsigned per_bit = mutant("sigcomp-codes-grant-twice") ? 2 * run.cycles_per_bit : run.cycles_per_bit;
  const std::uint64_t granted = (input_.bits_left() - input.bits_left()) * per_bit;
  const std::uint64_t given_back = std::min(spare, lent);
  position.spare = spare - given_back;
  position.reserve = position.reserve - lent + given_back + granted;
  position.available += granted;
  input_ = input;
  return true;
}

}  // namespace headroom::sigcomp::udvm
