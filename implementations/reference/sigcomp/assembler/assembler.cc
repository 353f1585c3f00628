// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/assembler/assembler.h"

#include <algorithm>
#include <unordered_map>

#include "sigcomp/assembler/encode.h"
#include "sigcomp/message/header.h"
#include "sigcomp/udvm/memory.h"

namespace headroom::sigcomp::assembler {
namespace {

using udvm::OperandKind;

constexpr std::size_t kMostImage = udvm::kMostMemory;
constexpr std::size_t kUsefulValues = 32;
// Addresses depend on the lengths of operands and the other way round. The first passes let lengths follow freely;
// should they swing, they may only grow afterwards, which comes to an end.
constexpr unsigned kFreePasses = 8;
constexpr unsigned kMostPasses = 64;

// Lays the statements out, again and again, until addresses and names are what they were in the pass before.
class Layout {
 public:
  explicit Layout(const Source& source) : source_(source) {}

  std::variant<Program, SourceError> run() {
    if (auto error = collect_names()) return *error;
    for (unsigned pass = 0; pass < kMostPasses; ++pass) {
      lay_out(pass);
      if (error_) return *error_;
      if (settled()) {
        // What was wrong only for as long as addresses were not known does not count; now they are.
        strict_ = true;
        lay_out(pass);
        if (error_) return *error_;
        return std::move(program_);
      }
      last_image_ = program_.image;
      last_names_ = names_;
    }
    return SourceError{{}, "the addresses do not settle: a directive's size depends on what comes behind it"};
  }

 private:
  using Value = std::optional<std::int64_t>;  // nothing: not known (yet)

  std::optional<SourceError> collect_names() {
    for (const Statement& s : source_.statements) {
      const std::string* name = nullptr;
      if (const auto* label = std::get_if<Label>(&s.what)) name = &label->name;
      if (const auto* set = std::get_if<Set>(&s.what)) name = &set->name;
      if (name != nullptr && !names_.try_emplace(*name, Value{}).second) {
        return SourceError{s.at, "\"" + *name + "\" has a value already"};
      }
    }
    return {};
  }
  [[nodiscard]] bool settled() const { return program_.image == last_image_ && names_ == last_names_; }

  void mistake(Position at, std::string sentence) {
    if (!error_) error_ = SourceError{at, std::move(sentence)};
  }

  // ---- Expressions

  Value evaluate(std::size_t index) {
    const Expression& e = source_.expressions[index];
    switch (e.kind) {
      case Expression::Kind::kNumber:
        return e.number;
      case Expression::Kind::kHere:
        return static_cast<std::int64_t>(here_);
      case Expression::Kind::kFailure:
        return closest_failure(e.at);
      case Expression::Kind::kName:
        if (const auto at = names_.find(e.name); at != names_.end()) {
          if (!at->second && strict_) mistake(e.at, "\"" + e.name + "\" depends on itself");
          return at->second;
        }
        mistake(e.at, "\"" + e.name + "\" has no value: neither a label nor set");
        return {};
      case Expression::Kind::kOperation:
        break;
    }
    const Value left = evaluate(e.left);
    const Value right = evaluate(e.right);
    return left && right ? operate(e, *left, *right) : Value{};
  }

  Value operate(const Expression& e, std::int64_t a, std::int64_t b) {
    const std::string& sign = e.operation;
    // So that no operation can leave 64 bits.
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    if (a > kMost || a < -kMost || b > kMost || b < -kMost) {
      if (strict_) mistake(e.at, "a number in this expression has more than 31 bits");
      return {};
    }
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (sign == "&") return a & b;
    if (sign == "|") return a | b;
    if (sign == "^") return a ^ b;
    if (sign == "~") return ~(a ^ b) & 0xffff;
    if (sign == "<<" || sign == ">>") {
      if (b < 0 || b > 31) {
        if (strict_) mistake(e.at, "a shift is by 0 to 31 bits");
        return {};
      }
      return sign == "<<" ? a * (std::int64_t{1} << b) : a >> b;
    }
    if (b == 0) {
      if (strict_) mistake(e.at, "a division by zero");
      return {};
    }
    return sign == "/" ? a / b : a % b;
  }

  // "the location of the closest DECOMPRESSION-FAILURE (i.e. the closest zero byte)", in the image of the last pass.
  // All those in appendix A of RFC 4464 are before the instruction, even where one after it would be closer.
  Value closest_failure(Position at) {
    const std::size_t here = std::min(here_, last_image_.size());
    const std::size_t before = here < zero_before_.size() ? zero_before_[here] : kNoZero;
    const std::size_t behind = here < zero_behind_.size() ? zero_behind_[here] : kNoZero;
    if (before == kNoZero && behind == kNoZero) {
      if (strict_) mistake(at, "there is no zero that \"!\" could mean");
      return {};
    }
    return static_cast<std::int64_t>(before != kNoZero ? before : behind);
  }

  // For each address of the last image, and the one after it: the closest zero before it and from it on.
  void find_zeros() {
    const std::size_t size = last_image_.size();
    zero_before_.assign(size + 1, kNoZero);
    zero_behind_.assign(size + 1, kNoZero);
    std::vector<bool> usable(size);
    bool readonly = true;  // without any directive, "any address containing zero can be used"
    auto next = last_readonly_.begin();
    for (std::size_t i = 0; i < size; ++i) {
      for (; next != last_readonly_.end() && next->first <= i; ++next) readonly = next->second;
      usable[i] = readonly && i >= kUsefulValues && last_image_[i] == 0;
      zero_before_[i + 1] = usable[i] ? i : zero_before_[i];
    }
    for (std::size_t i = size; i-- > 0;) zero_behind_[i] = usable[i] ? i : zero_behind_[i + 1];
  }

  // ---- One pass

  void lay_out(unsigned pass) {
    last_readonly_ = std::move(readonly_);
    readonly_.clear();
    program_ = {};
    find_zeros();
    has_start_ = start_is_said_ = false;
    next_operand_ = 0;
    monotone_ = pass >= kFreePasses;
    for (const Statement& s : source_.statements) {
      here_ = program_.image.size();
      std::visit([&](const auto& what) { place(s, what); }, s.what);
      if (!error_ && program_.image.size() > kMostImage) {
        mistake(s.at, "the memory of the UDVM ends at address 65535; this is beyond it");
      }
      if (error_) return;
    }
    for (const auto& [name, value] : names_) program_.names.emplace(name, value.value_or(0));
  }

  void append(std::uint8_t octet, bool is_padding = false) {
    program_.image.push_back(octet);
    program_.is_padding.push_back(is_padding);
  }

  void place(const Statement&, const Label& label) { names_[label.name] = static_cast<std::int64_t>(here_); }
  void place(const Statement&, const Set& set) { names_[set.name] = evaluate(set.expression); }
  void place(const Statement&, const ReadOnly& readonly) { readonly_.emplace_back(here_, readonly.on); }

  void place(const Statement& s, const Start& start) {
    const Value address = evaluate(start.expression);
    if (start_is_said_) return mistake(s.at, "start is set already");
    start_is_said_ = has_start_ = true;
    if (strict_ && address && (*address < 0 || *address >= static_cast<std::int64_t>(kMostImage))) {
      return mistake(s.at,
                     "execution cannot start at " + std::to_string(*address) + "; there are addresses 0 to 65535");
    }
    program_.start = static_cast<std::uint16_t>(address.value_or(0));
  }

  void place(const Statement& s, const Padding& padding) {
    const Value wanted = evaluate(padding.expression);
    if (!wanted) return;
    const auto here = static_cast<std::int64_t>(here_);
    std::int64_t count = *wanted;
    if (padding.kind == Padding::Kind::kAt) {
      count -= here;
      // In a pass before the last, what comes before may yet shrink.
      if (count < 0 && !strict_) return;
      if (count < 0) return mistake(s.at, "address " + std::to_string(*wanted) + " has been passed already");
    } else if (padding.kind == Padding::Kind::kAlign) {
      if (*wanted <= 0 && !strict_) return;
      if (*wanted <= 0) return mistake(s.at, "align needs a positive number");
      count = (*wanted - (here % *wanted)) % *wanted;
    }
    if (count < 0 || count > static_cast<std::int64_t>(kMostImage)) {
      if (!strict_) return;
      return mistake(s.at, "so much padding does not fit into the memory of the UDVM");
    }
    for (; count > 0; --count) append(0, true);
  }

  void place(const Statement& s, const Data& data) {
    const std::int64_t most = data.octets == 1 ? 0xff : 0xffff;
    for (const std::size_t expression : data.expressions) {
      const Value value = evaluate(expression);
      if (strict_ && value && (*value < 0 || *value > most)) {
        return mistake(s.at, std::to_string(*value) + " does not lie between 0 and " + std::to_string(most));
      }
      if (data.octets == 2) append(static_cast<std::uint8_t>(value.value_or(0) >> 8));
      append(static_cast<std::uint8_t>(value.value_or(0)));
    }
  }

  // ---- Instructions

  void place(const Statement& s, const Instruction& instruction) {
    const udvm::Signature& signature = udvm::signatures()[instruction.opcode];
    const std::size_t fixed = signature.operands.size();
    const std::size_t given = instruction.operands.size();
    const std::size_t set = signature.repeated.size();
    if (given < fixed || (set == 0 ? given > fixed : (given - fixed) % set != 0)) {
      return mistake(s.at, std::string(signature.mnemonic) + " has " + std::to_string(given) + " operands; it wants " +
                               std::to_string(fixed) + (set == 0 ? "" : " and so many sets as the literal says"));
    }
    if (!has_start_) {
      has_start_ = true;
      program_.start = static_cast<std::uint16_t>(here_);
    }
    append(instruction.opcode);
    for (std::size_t i = 0; i < given && !error_; ++i) {
      const char kind = i < fixed ? signature.operands[i] : signature.repeated[(i - fixed) % set];
      const bool counts = set != 0 && i == signature.counted_by;
      place_operand(instruction.operands[i], static_cast<OperandKind>(kind),
                    counts ? std::optional((given - fixed) / set) : std::nullopt);
    }
  }

  // `count`: what the literal says that counts the operands after it.
  void place_operand(const Operand& operand, OperandKind kind, std::optional<std::size_t> count) {
    std::size_t& length = operand_length();
    if (operand.blank && !count) return mistake(operand.at, "only the literal that counts operands can be left blank");
    if (operand.in_memory && kind == OperandKind::kLiteral) return mistake(operand.at, "a literal takes no \"$\"");
    if (!operand.blank && !operand.in_memory && kind == OperandKind::kReference) {
      return mistake(operand.at, "a reference wants a \"$\"");
    }
    const Value value = operand.blank ? Value(static_cast<std::int64_t>(*count)) : evaluate(operand.expression);
    if (error_) return;
    if (strict_ && value && (*value < 0 || *value > 0xffff)) {
      return mistake(operand.at, std::to_string(*value) + " does not lie between 0 and 65535");
    }
    if (strict_ && value && count && *value != static_cast<std::int64_t>(*count)) {
      return mistake(operand.at, "the literal says " + std::to_string(*value) + ", but there are " +
                                     std::to_string(*count) + " behind it");
    }
    // A value that is not known yet: as short as can be, so that lengths grow towards what they will be.
    auto integer = static_cast<std::uint16_t>(value.value_or(0));
    if (value && kind == OperandKind::kAddress && !operand.in_memory)
      integer = static_cast<std::uint16_t>(integer - here_);
    std::vector<std::uint8_t> octets;
    encode_operand(kind, operand.in_memory || kind == OperandKind::kReference, integer, monotone_ ? length : 1, octets);
    length = octets.size();
    for (const std::uint8_t octet : octets) append(octet);
  }

  // How long the operand was in the pass before.
  std::size_t& operand_length() {
    if (next_operand_ == lengths_.size()) lengths_.push_back(1);
    return lengths_[next_operand_++];
  }

  const Source& source_;
  std::map<std::string, Value> names_;
  std::map<std::string, Value> last_names_;
  std::vector<std::uint8_t> last_image_;
  std::vector<std::pair<std::size_t, bool>> readonly_;
  std::vector<std::pair<std::size_t, bool>> last_readonly_;
  static constexpr std::size_t kNoZero = kMostImage;
  std::vector<std::size_t> zero_before_;
  std::vector<std::size_t> zero_behind_;
  std::vector<std::size_t> lengths_;
  std::size_t next_operand_ = 0;
  std::size_t here_ = 0;  // where the statement stands
  bool has_start_ = false;
  bool start_is_said_ = false;
  bool monotone_ = false;
  bool strict_ = false;  // the last pass
  Program program_;
  std::optional<SourceError> error_;
};

}  // namespace

std::variant<Program, SourceError> assemble(std::string_view text) {
  auto source = read_source(text);
  if (auto* error = std::get_if<SourceError>(&source)) return *error;
  return Layout(std::get<Source>(source)).run();
}

Octets code_of(const Program& program) {
  Octets code = Octets(program.image).subspan(std::min<std::size_t>(program.start, program.image.size()));
  while (code.size() > 1 && code.back() == 0) code = code.first(code.size() - 1);
  return code;
}

std::variant<std::vector<std::uint8_t>, std::string> upload(const Program& program, Octets input) {
  const Octets code = code_of(program);
  if (program.start % 64 != 0 || program.start < 128 || program.start > 1024) {
    return "the first instruction is at address " + std::to_string(program.start) +
           "; a message can upload to multiples of 64 from 128 to 1024 only" +
           (program.start < 128 ? ": \"at (128)\" in front of it moves it there" : "");
  }
  if (code.empty()) return "there is no octet of bytecode at or behind the start";
  if (code.size() > kMostCode) {
    return "the bytecode has " + std::to_string(code.size()) + " octets; a message can upload 4095";
  }
  for (std::size_t i = 0; i < program.start; ++i) {
    if (!program.is_padding[i] && (i < kUsefulValues || program.image[i] != 0)) {
      return "there is data at address " + std::to_string(i) + ", before the first instruction";
    }
  }
  std::vector<std::uint8_t> message = {kPrefix, static_cast<std::uint8_t>(code.size() >> 4),
                                       static_cast<std::uint8_t>(code.size() << 4 | (program.start / 64U - 1U))};
  message.insert(message.end(), code.begin(), code.end());
  message.insert(message.end(), input.begin(), input.end());
  return message;
}

}  // namespace headroom::sigcomp::assembler
