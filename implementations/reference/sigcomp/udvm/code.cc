// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/udvm/code.h"

#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "sigcomp/udvm/fetch.h"
#include "sigcomp/udvm/idiom.h"

namespace headroom::sigcomp::udvm {
namespace {

void append_repeated(Instruction& instruction, std::uint32_t count, const std::uint8_t* memory, std::uint32_t size,
                     const Signature& signature) noexcept {
  const std::uint64_t all = std::uint64_t{instruction.integers[signature.counted_by]} * signature.repeated.size();
  const Instruction without = instruction;
  instruction.is_complete = count + all <= Instruction::kMostOperands;
  for (std::uint64_t i = 0; i < all && instruction.is_complete; ++i) {
    instruction.is_complete =
        append_operand(instruction, count, memory, signature.repeated[i % signature.repeated.size()]);
  }
  if (instruction.is_complete && instruction.end <= size) return;
  instruction = without;
  instruction.is_complete = false;
}

// True if the value of one of the first `count` operands is nowhere in the memory. Operands are decoded "in sequence"
// (RFC 3320 8.5), so it is what is wrong before any operand that is none.
bool lies_beyond(const Instruction& instruction, std::uint32_t count, std::uint32_t size) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    if ((instruction.in_memory >> i & 1) != 0 && !is_word(instruction.integers[i], size)) return true;
  }
  return false;
}

}  // namespace

void Code::begin(bool keep) noexcept {
  keep_ = keep;
  look_ups_ = 0;
  std::memset(is_code_.data() + first_, 0, last_ - first_);
  first_ = last_ = 0;
  renew();
}

void Code::renew() noexcept {
  if (++version_ != 0) return;
  for (Instruction& instruction : kept_) instruction.version = 0;
  version_ = 1;
}

// Octets stay marked when the program overwrites them: another look at a few instructions is all that it costs.
void Code::look(std::uint32_t address, std::uint32_t length) noexcept {
  const std::uint32_t from = std::max(address, first_);
  const std::uint32_t to = std::min(address + length, last_);
  if (mutant("sigcomp-written-code-unseen")) return;
  if (std::memchr(is_code_.data() + from, 1, to - from) != nullptr) renew();
}

// One without all of its operands fits where these have changed, too: they are read from the memory.
bool Code::is_same(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) const noexcept {
  const Source& source = sources_[pc % kKept];
  return keep_ && kept_[pc % kKept].pc == pc && source.length != 0 && pc + source.length <= size &&
         std::memcmp(source.octets.data(), memory + pc, source.length) == 0;
}

Instruction& Code::renewed(std::uint32_t pc) noexcept {
  const Source& source = sources_[pc % kKept];
  std::memset(is_code_.data() + pc, 1, source.length);
  first_ = first_ == last_ ? pc : std::min(first_, pc);
  last_ = std::max(last_, pc + source.length);
  Instruction& kept = kept_[pc % kKept];
  kept.version = version_;
  return kept;
}

const Instruction* Code::known(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept {
  const Instruction& kept = kept_[pc % kKept];
  if (kept.pc == pc && kept.version == version_) return &kept;
  if (!is_same(memory, size, pc)) return nullptr;
  ++look_ups_;
  return &renewed(pc);
}

Instruction& Code::look_up(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept {
  ++look_ups_;
  if (is_same(memory, size, pc)) return renewed(pc);
  if (!decode(memory, size, pc) || !keep_) return passing_;
  const std::uint32_t end = recognise(passing_, memory, size);
  kept_[pc % kKept] = passing_;
  Source& source = sources_[pc % kKept];
  source.length = end - pc;
  std::memcpy(source.octets.data(), memory + pc, source.length);
  return renewed(pc);
}

bool Code::decode(const std::uint8_t* memory, std::uint32_t size, std::uint32_t pc) noexcept {
  Instruction& instruction = passing_;
  instruction = {};
  instruction.follower = &passing_;  // which is never of the version at hand
  instruction.pc = static_cast<std::uint16_t>(pc);
  instruction.end = pc + 1;
  instruction.opcode = memory[pc];
  instruction.action = kNoAction;
  const Signature* const signature = signature_of(instruction.opcode);
  if (signature == nullptr) return false;
  instruction.action = instruction.opcode;
  std::uint32_t count = 0;
  for (const char kind : signature->operands) {
    if (append_operand(instruction, count, memory, kind)) continue;
    instruction.trouble = lies_beyond(instruction, count, size) ? Reason::kSegfault : Reason::kInvalidOperand;
    return false;
  }
  if (instruction.end > size) {
    instruction.trouble = Reason::kSegfault;
    return false;
  }
  if (!signature->repeated.empty()) append_repeated(instruction, count, memory, size, *signature);
  return true;
}

}  // namespace headroom::sigcomp::udvm
