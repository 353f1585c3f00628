// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/udvm/code.h"

#include <algorithm>

#include "sigcomp/udvm/opcode.h"
#include "sigcomp/udvm/operand.h"

namespace headroom::sigcomp::udvm {
namespace {

// Appends the operand at instruction.end; false when it is none. REQUIRES: three octets can be read there.
bool append(Instruction& instruction, std::uint32_t& count, const std::uint8_t* memory, char kind) noexcept {
  const Encodings& encodings = kind == static_cast<char>(OperandKind::kLiteral)     ? kLiteralEncodings
                               : kind == static_cast<char>(OperandKind::kReference) ? kReferenceEncodings
                                                                                    : kMultitypeEncodings;
  const Encoding& e = encodings[memory[instruction.end]];
  if (!e.valid()) return false;
  instruction.integers[count] = integer_of(e, memory + instruction.end);
  if (e.in_memory) instruction.in_memory = static_cast<std::uint16_t>(instruction.in_memory | 1U << count);
  instruction.end += e.length;
  ++count;
  return true;
}

void append_repeated(Instruction& instruction, std::uint32_t count, const std::uint8_t* memory, std::uint32_t size,
                     const Signature& signature) noexcept {
  const std::uint64_t all = std::uint64_t{instruction.integers[signature.counted_by]} * signature.repeated.size();
  const Instruction without = instruction;
  instruction.is_complete = count + all <= Instruction::kMostOperands;
  for (std::uint64_t i = 0; i < all && instruction.is_complete; ++i) {
    instruction.is_complete = append(instruction, count, memory, signature.repeated[i % signature.repeated.size()]);
  }
  if (instruction.is_complete && instruction.end <= size) return;
  instruction = without;
  instruction.is_complete = false;
}

}  // namespace

void Code::begin(const std::uint8_t* memory, std::uint32_t size, bool keep) noexcept {
  if (!keep) {
    forget();
    forgotten_ = kMostForgotten;
    return;
  }
  forgotten_ = 0;
  if (last_ <= size && std::memcmp(decoded_.data() + first_, memory + first_, last_ - first_) == 0) return;
  forget();
}

void Code::forget() noexcept {
  std::memset(is_code_.data() + first_, 0, last_ - first_);
  first_ = last_ = 0;
  ++forgotten_;
  if (++version_ != 0) return;
  kept_ = {};
  version_ = 1;
}

void Code::look(std::uint32_t address, std::uint32_t length) noexcept {
  const std::uint32_t from = std::max(address, first_);
  const std::uint32_t to = std::min(address + length, last_);
  if (std::memchr(is_code_.data() + from, 1, to - from) != nullptr) forget();
}

const Instruction& Code::decode(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept {
  const bool is_kept = forgotten_ < kMostForgotten;
  Instruction& instruction = is_kept ? kept_[pc % kKept] : passing_;
  instruction.version = 0;
  instruction.pc = static_cast<std::uint16_t>(pc);
  instruction.end = pc + 1;
  instruction.in_memory = 0;
  instruction.opcode = memory[pc];
  instruction.is_complete = true;
  instruction.trouble = Reason::kNone;
  instruction.integers.fill(0);
  const Signature* const signature = signature_of(instruction.opcode);
  if (signature == nullptr) return instruction;
  std::uint32_t count = 0;
  for (const char kind : signature->operands) {
    if (append(instruction, count, memory, kind)) continue;
    instruction.trouble = Reason::kInvalidOperand;
    return instruction;
  }
  if (instruction.end > size) {
    instruction.trouble = Reason::kSegfault;
    return instruction;
  }
  if (!signature->repeated.empty()) append_repeated(instruction, count, memory, size, *signature);
  if (is_kept) {
    instruction.version = version_;
    keep(memory, instruction);
  }
  return instruction;
}

void Code::keep(const std::uint8_t* memory, const Instruction& instruction) noexcept {
  std::memset(is_code_.data() + instruction.pc, 1, instruction.end - instruction.pc);
  const bool is_first = first_ == last_;
  first_ = is_first ? instruction.pc : std::min<std::uint32_t>(first_, instruction.pc);
  last_ = std::max(last_, instruction.end);
  std::memcpy(decoded_.data() + first_, memory + first_, last_ - first_);
}

}  // namespace headroom::sigcomp::udvm
