// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/assembler/disassembler.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "sigcomp/assembler/encode.h"
#include "sigcomp/udvm/decode.h"

namespace headroom::sigcomp::assembler {
namespace {

using udvm::Decoded;
using udvm::DecodedOperand;
using udvm::Opcode;
using udvm::OperandKind;

constexpr std::size_t kMostOperands = 512;  // of one instruction; a longer one is data
constexpr std::size_t kMostTraced = 24;     // operands that the tracer prints
constexpr std::size_t kOctetsPerLine = 12;
constexpr std::size_t kAddressColumn = 48;

std::uint16_t target_of(std::uint16_t pc, const DecodedOperand& operand) {
  return static_cast<std::uint16_t>(pc + operand.integer);
}
bool is_fixed_address(const DecodedOperand& operand) {
  return operand.kind == OperandKind::kAddress && !operand.in_memory;
}

class Disassembler {
 public:
  Disassembler(Octets code, std::uint16_t origin) : memory_(origin), origin_(origin) {
    memory_.insert(memory_.end(), code.begin(), code.end());
  }

  std::string run(std::uint16_t start) {
    explore(start);
    write(start);
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool goes_on(const Decoded& decoded) const {
    switch (static_cast<Opcode>(decoded.opcode)) {
      case Opcode::kDecompressionFailure:
      case Opcode::kJump:
      case Opcode::kCompare:
      case Opcode::kSwitch:
      case Opcode::kReturn:
      case Opcode::kEndMessage:
        return false;
      default:
        return true;
    }
  }

  // Finds the instructions. Where two would overlap, the one found first stays.
  void explore(std::uint16_t start) {
    std::vector<std::uint32_t> waiting = {start};
    while (!waiting.empty()) {
      const std::uint32_t at = waiting.back();
      waiting.pop_back();
      if (at < origin_ || at >= memory_.size() || instructions_.contains(at) || overlaps(at, 1)) continue;
      const auto pc = static_cast<std::uint16_t>(at);
      auto decoded = udvm::decode(memory_, pc, kMostOperands);
      if (!decoded || !decoded->is_complete || overlaps(at, decoded->length)) continue;
      for (const DecodedOperand& operand : decoded->operands) {
        if (is_fixed_address(operand)) waiting.push_back(target_of(pc, operand));
      }
      if (goes_on(*decoded)) waiting.push_back(at + decoded->length);
      instructions_.emplace(at, std::move(*decoded));
    }
  }
  [[nodiscard]] bool overlaps(std::uint32_t at, std::uint32_t length) const {
    const auto next = instructions_.lower_bound(at);
    if (next != instructions_.end() && next->first < at + length) return true;
    return next != instructions_.begin() && std::prev(next)->first + std::prev(next)->second.length > at;
  }

  // ---- Writing

  // The octets from `at` on, zeros after the end.
  [[nodiscard]] bool is_shortest(std::uint32_t at, const Decoded& decoded) const {
    std::vector<std::uint8_t> octets = {decoded.opcode};
    for (const DecodedOperand& o : decoded.operands) encode_operand(o.kind, o.in_memory, o.integer, 1, octets);
    if (octets.size() != decoded.length) return false;
    for (std::uint32_t i = 0; i < decoded.length; ++i) {
      const std::uint8_t there = at + i < memory_.size() ? memory_[at + i] : std::uint8_t{0};
      if (octets[i] != there) return false;
    }
    return true;
  }

  [[nodiscard]] std::string instruction_text(std::uint16_t pc, const Decoded& decoded) const {
    std::string text(udvm::signature_of(decoded.opcode)->mnemonic);
    const char* separator = " (";
    for (const DecodedOperand& operand : decoded.operands) {
      text += separator;
      separator = ", ";
      if (operand.in_memory) text += "$";
      text += std::to_string(is_fixed_address(operand) ? target_of(pc, operand) : operand.integer);
    }
    return decoded.operands.empty() ? text : text + ")";
  }

  void line(const std::string& text) { text_ += text + "\n"; }

  void data(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t at = from; at < to; at += kOctetsPerLine) {
      std::string text = "byte (";
      for (std::uint32_t i = at; i < std::min<std::uint32_t>(to, at + kOctetsPerLine); ++i) {
        if (i != at) text += ", ";
        char octet[8];
        std::snprintf(octet, sizeof octet, "0x%02x", memory_[i]);
        text += octet;
      }
      line(text + ")");
    }
  }

  // The address of the first instruction that is not written as data; nothing if there is none.
  [[nodiscard]] std::optional<std::uint32_t> first_written() const {
    for (const auto& [from, decoded] : instructions_) {
      if (is_shortest(from, decoded)) return from;
    }
    return {};
  }

  void write(std::uint16_t start) {
    const auto end = static_cast<std::uint32_t>(memory_.size());
    if (first_written() != start) line("start (" + std::to_string(start) + ")");
    if (origin_ > 0) line("at (" + std::to_string(origin_) + ")");
    std::uint32_t at = origin_;
    for (const auto& [from, decoded] : instructions_) {
      data(at, from);
      std::string text = instruction_text(static_cast<std::uint16_t>(from), decoded);
      if (text.size() < kAddressColumn) text.resize(kAddressColumn, ' ');
      text += " ; at " + std::to_string(from);
      at = std::min(from + decoded.length, end);
      if (is_shortest(from, decoded)) {
        line(text);
      } else {
        line("; " + text);
        data(from, at);
      }
    }
    data(at, end);
  }

  std::vector<std::uint8_t> memory_;
  std::uint32_t origin_;
  std::map<std::uint32_t, Decoded> instructions_;
  std::string text_;
};

}  // namespace

std::string disassemble(Octets code, std::uint16_t origin, std::uint16_t start) {
  return Disassembler(code, origin).run(start);
}

void TracePrinter::instruction(const udvm::Memory& memory, std::uint16_t pc, std::uint64_t cycles) {
  char head[48];
  std::snprintf(head, sizeof head, "%10llu %5u  ", static_cast<unsigned long long>(cycles), static_cast<unsigned>(pc));
  const auto decoded = udvm::decode(memory.octets(), pc, kMostTraced);
  if (!decoded) {
    print_(head + std::string("no instruction: octet ") + std::to_string(memory.data()[pc]));
    return;
  }
  std::string text(udvm::signature_of(decoded->opcode)->mnemonic);
  const char* separator = " (";
  for (const DecodedOperand& operand : decoded->operands) {
    text += separator;
    separator = ", ";
    if (!operand.in_memory) {
      text += std::to_string(is_fixed_address(operand) ? target_of(pc, operand) : operand.integer);
      continue;
    }
    text += (operand.kind == OperandKind::kReference ? "$[" : "[") + std::to_string(operand.integer) + "]=";
    const bool is_there = operand.integer + 1U < memory.size();
    text += is_there ? std::to_string(load16(memory.data() + operand.integer)) : "beyond memory";
  }
  if (!decoded->is_complete) text += ", …";
  if (!decoded->operands.empty()) text += ")";
  print_(head + text);
}

}  // namespace headroom::sigcomp::assembler
