// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/udvm/idiom.h"

#include <cstdlib>
#include <initializer_list>

#include "sigcomp/udvm/input.h"
#include "sigcomp/udvm/memory.h"

namespace headroom::sigcomp::udvm {
namespace {

// Appends the operands of these instructions, which have none that are repeated: false when there are others. Of
// addresses, what they amount to.
bool append(Instruction& all, std::uint32_t count, const std::uint8_t* memory, std::uint32_t size,
            std::initializer_list<Opcode> opcodes) noexcept {
  for (const Opcode opcode : opcodes) {
    const std::uint32_t pc = all.end;
    if (pc >= size || memory[pc] != static_cast<std::uint8_t>(opcode)) return false;
    ++all.end;
    for (const char kind : signature_of(memory[pc])->operands) {
      if (!append_operand(all, count, memory, kind)) return false;
      // "memory_address_of_instruction + D) modulo 2^16"
      if (kind == static_cast<char>(OperandKind::kAddress)) all.integers[count - 1] += static_cast<std::uint16_t>(pc);
    }
    if (all.end > size) return false;
  }
  return true;
}

bool apart(std::uint16_t word, std::uint16_t other) noexcept { return std::abs(word - other) >= 2; }

// True if a word is none of the registers that byte copying looks at.
bool no_bound(std::uint16_t word) noexcept { return word + 1 < kByteCopyLeft || word > kByteCopyRight + 1; }

bool is_emit_octet(const Instruction& i) noexcept {
  using E = EmitOctet;
  return i.in_memory == 1U << E::kPointer && i.integers[E::kOutputLength] == 1 && i.integers[E::kLength] == 1;
}

// The operands are those from the one with the number `first` on.
bool is_emit_match(const Instruction& i, std::uint32_t first = 0) noexcept {
  using E = EmitMatch;
  constexpr unsigned kInMemory = 1U << E::kLoaded | 1U << E::kOffset | 1U << E::kLength | 1U << E::kPointer |
                                 1U << E::kOutput | 1U << E::kOutputLength;
  const std::uint16_t* const word = i.integers.data() + first;
  const std::uint16_t old = word[E::kOld], pointer = word[E::kPointer], length = word[E::kLength];
  return i.in_memory >> first == kInMemory && word[E::kLoaded] == pointer && word[E::kOutput] == old &&
         word[E::kOutputLength] == length && apart(old, pointer) && apart(old, length) && apart(pointer, length) &&
         apart(old, word[E::kOffset]) && no_bound(old) && no_bound(pointer);
}

bool is_read_code(const Instruction& i) noexcept {
  using C = ReadCode;
  const auto& value = i.integers;
  const std::uint16_t* const second = value.data() + C::kSet;
  return i.in_memory == 1U << C::kCompared && value[C::kCompared] == value[C::kCode] && value[C::kBits] != 0 &&
         second[C::kBits] != 0 && value[C::kBits] + second[C::kBits] <= static_cast<int>(kMostBits) &&
         value[C::kLower] <= value[C::kUpper] && second[C::kLower] <= second[C::kUpper] &&
         value[C::kEqual] == value[C::kLiteral];
}

bool is_read_match(const Instruction& i) noexcept {
  using M = ReadMatch;
  constexpr unsigned kBeforeEmit = (1U << M::kEmit) - 1;
  const std::uint16_t length = i.integers[M::kRead];
  return (i.in_memory & kBeforeEmit) == 1U << M::kSum && i.integers[M::kSum] == length &&
         i.integers[M::kEmit + EmitMatch::kLength] == length && i.integers[M::kBits] != 0 &&
         i.integers[M::kBits] <= kMostBits && is_emit_match(i, M::kEmit);
}

}  // namespace

std::uint32_t recognise(Instruction& instruction, const std::uint8_t* memory, std::uint32_t size) noexcept {
  Instruction all = instruction;
  if (instruction.opcode == static_cast<std::uint8_t>(Opcode::kOutput) &&
      append(all, EmitOctet::kFrom, memory, size, {Opcode::kCopyLiteral, Opcode::kJump}) && is_emit_octet(all)) {
    all.action = kEmitOctet;
  } else if (instruction.opcode == static_cast<std::uint8_t>(Opcode::kLoad)) {
    if (append(all, EmitMatch::kOffset, memory, size, {Opcode::kCopyOffset, Opcode::kOutput, Opcode::kJump}) &&
        is_emit_match(all)) {
      all.action = kEmitMatch;
    }
  } else if (instruction.opcode == static_cast<std::uint8_t>(Opcode::kInputHuffman)) {
    if (instruction.is_complete && instruction.integers[ReadCode::kSets] == 2 &&
        append(all, ReadCode::kCompared, memory, size, {Opcode::kCompare}) && is_read_code(all)) {
      all.action = kReadCode;
    }
  } else if (instruction.opcode == static_cast<std::uint8_t>(Opcode::kInputBits)) {
    if (append(all, ReadMatch::kSum, memory, size,
               {Opcode::kAdd, Opcode::kLoad, Opcode::kCopyOffset, Opcode::kOutput, Opcode::kJump}) &&
        is_read_match(all)) {
      all.action = kReadMatch;
    }
  }
  if (all.action == all.opcode) return instruction.end;
  const std::uint32_t end = all.end;
  all.end = instruction.end;
  instruction = all;
  return end;
}

}  // namespace headroom::sigcomp::udvm
