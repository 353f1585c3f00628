// SPDX-License-Identifier: Apache-2.0
//
// How the interpreter reads operands (RFC 3320 8.5) and words of the memory.
#pragma once

#include "sigcomp/message/reason.h"
#include "sigcomp/udvm/code.h"
#include "sigcomp/udvm/memory.h"
#include "sigcomp/udvm/operand.h"

// The interpreter is fast as long as a Fetch lives in registers, which takes inlining of all that it does. Not with
// sanitizers, whose checks would make so much code of it that compiling takes half a minute.
#if defined(__SANITIZE_ADDRESS__)
#define HEADROOM_ALWAYS_INLINE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEADROOM_ALWAYS_INLINE
#endif
#endif
#ifndef HEADROOM_ALWAYS_INLINE
#define HEADROOM_ALWAYS_INLINE [[gnu::always_inline]]
#endif

namespace headroom::sigcomp::udvm {

// Whether the word at `address` begins in the last octet and ends in the first: "the arithmetic is modulo 2^16" (8.3),
// which only a memory of 65536 octets lets one see.
[[nodiscard]] inline bool wraps_at(std::uint32_t address, std::uint32_t size) noexcept {
  return size == kMostMemory && address == kMostMemory - 1;
}
// Whether there is a word at `address` in a memory of `size` octets.
[[nodiscard]] inline bool is_word(std::uint32_t address, std::uint32_t size) noexcept {
  return address + 1 < size || wraps_at(address, size);
}

// Words in the memory. What goes wrong is kept in `trouble` and asked for once, when all operands have been read; until
// then a bad one counts as 0.
class Words {
 public:
  // `memory` has `size` octets and the padding of Memory.
  Words(std::uint8_t* memory, std::uint32_t size, Code& code) noexcept : memory_(memory), size_(size), code_(code) {}

  Reason trouble = Reason::kNone;

  HEADROOM_ALWAYS_INLINE [[nodiscard]] bool good() const noexcept { return trouble == Reason::kNone; }

  // memory[address]
  HEADROOM_ALWAYS_INLINE [[nodiscard]] std::uint16_t word(std::uint32_t address) noexcept {
    if (address + 1 < size_) [[likely]]
      return load16(memory_ + address);
    if (wraps(address)) return static_cast<std::uint16_t>(memory_[address] << 8 | memory_[0]);
    if (trouble == Reason::kNone) trouble = Reason::kSegfault;
    return 0;
  }
  HEADROOM_ALWAYS_INLINE void store(std::uint32_t address, std::uint16_t value) noexcept {
    if (address + 1 < size_) [[likely]] {
      store16(memory_ + address, value);
      code_.written(address, 2);
    } else if (wraps(address)) {
      memory_[address] = static_cast<std::uint8_t>(value >> 8);
      memory_[0] = static_cast<std::uint8_t>(value);
      code_.written(address, 1);
      code_.written(0, 1);
    } else {
      trouble = Reason::kSegfault;
    }
  }

  HEADROOM_ALWAYS_INLINE [[nodiscard]] CopyBounds bounds() noexcept {
    return {word(kByteCopyLeft), word(kByteCopyRight)};
  }

 protected:
  std::uint8_t* memory_;
  std::uint32_t size_;
  Code& code_;

 private:
  [[nodiscard]] bool wraps(std::uint32_t address) const noexcept { return wraps_at(address, size_); }
};

// The operands of an instruction that has been taken apart, one after another.
class Fetch : public Words {
 public:
  // From the operand with the number `next` on.
  Fetch(const Instruction& instruction, std::uint8_t* memory, std::uint32_t size, Code& code,
        std::uint32_t next = 0) noexcept
      : Words(memory, size, code), instruction_(instruction), next_(next), end_(instruction.end) {
    trouble = instruction.trouble;
  }

  // The address behind the instruction; with operands that are not all here, behind those that are, until it is set.
  [[nodiscard]] std::uint32_t end() const noexcept { return end_; }
  void set_end(std::uint32_t end) noexcept { end_ = end; }

  HEADROOM_ALWAYS_INLINE std::uint16_t literal() noexcept { return instruction_.integers[next_++]; }
  // Where the operand's value is; word() gets it.
  HEADROOM_ALWAYS_INLINE std::uint16_t reference() noexcept { return instruction_.integers[next_++]; }
  HEADROOM_ALWAYS_INLINE std::uint16_t multitype() noexcept {
    const std::uint32_t i = next_++;
    const std::uint16_t value = instruction_.integers[i];
    return (instruction_.in_memory >> i & 1) != 0 ? word(value) : value;
  }
  // "operand_value = (memory_address_of_instruction + D) modulo 2^16"
  HEADROOM_ALWAYS_INLINE std::uint16_t address(std::uint32_t pc) noexcept {
    return static_cast<std::uint16_t>(pc + multitype());
  }
  // What is left, where all of it is here and no value in the memory; nullptr otherwise.
  [[nodiscard]] const std::uint16_t* values() const noexcept {
    return instruction_.is_complete && instruction_.in_memory >> next_ == 0 ? &instruction_.integers[next_] : nullptr;
  }

 private:
  const Instruction& instruction_;
  std::uint32_t next_;
  std::uint32_t end_;
};

// Operands whose values are known.
class Values {
 public:
  explicit Values(const std::uint16_t* next) noexcept : next_(next) {}
  Reason trouble = Reason::kNone;
  [[nodiscard]] bool good() const noexcept { return trouble == Reason::kNone; }
  std::uint16_t multitype() noexcept { return *next_++; }

 private:
  const std::uint16_t* next_;
};

// Operands as they lie in the memory from `end` on: of the instructions that have very many. The octets behind the
// memory are zero and readable, so an operand is read first and then found to end beyond the memory.
class FetchFromMemory : public Words {
 public:
  FetchFromMemory(std::uint8_t* memory, std::uint32_t size, Code& code, std::uint32_t end) noexcept
      : Words(memory, size, code), end_(end) {}

  [[nodiscard]] bool good() noexcept {
    if (end_ > size_ && trouble == Reason::kNone) trouble = Reason::kSegfault;
    return trouble == Reason::kNone;
  }
  [[nodiscard]] std::uint32_t end() const noexcept { return end_; }

  std::uint16_t multitype() noexcept {
    const Encoding& e = kMultitypeEncodings[memory_[end_]];
    const std::uint16_t value = integer(e);
    return e.in_memory ? word(value) : value;
  }
  std::uint16_t address(std::uint32_t pc) noexcept { return static_cast<std::uint16_t>(pc + multitype()); }
  // Passes over an operand without a look at its value. good() is to be asked now and then, since only so many octets
  // behind the memory are readable.
  void skip_multitype() noexcept { integer(kMultitypeEncodings[memory_[end_]]); }

 private:
  std::uint16_t integer(const Encoding& e) noexcept {
    if (!e.valid()) [[unlikely]] {
      if (trouble == Reason::kNone) trouble = Reason::kInvalidOperand;
      ++end_;
      return 0;
    }
    const std::uint16_t value = integer_of(e, memory_ + end_);
    end_ += e.length;
    return value;
  }

  std::uint32_t end_;
};

}  // namespace headroom::sigcomp::udvm
