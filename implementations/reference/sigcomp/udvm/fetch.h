// SPDX-License-Identifier: Apache-2.0
//
// Classes by which the interpreter reads operands (RFC 3320 8.5) and words of the memory.
#pragma once

#include "sigcomp/message/reason.h"
#include "sigcomp/udvm/code.h"
#include "sigcomp/udvm/memory.h"
#include "sigcomp/udvm/operand.h"

// The interpreter is fast only if a Fetch lives in registers, which requires that all its functions are inlined. With
// sanitizers they are not inlined: the sanitizers' checks add so much code that compiling would take half a minute.
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

// True if the word at `address` begins in the last octet of the memory and ends in the first: "the arithmetic is modulo
// 2^16" (8.3), which is visible only in a memory of 65536 octets.
[[nodiscard]] inline bool wraps_at(std::uint32_t address, std::uint32_t size) noexcept {
  return size == kMostMemory && address == kMostMemory - 1;
}
// True if a memory of `size` octets has a word at `address`.
[[nodiscard]] inline bool is_word(std::uint32_t address, std::uint32_t size) noexcept {
  return address + 1 < size || wraps_at(address, size);
}

// Words reads and writes words of the memory. An error is stored in `trouble`, which the caller checks once all
// operands have been read; until then a word that cannot be read counts as 0.
class Words {
 public:
  // `memory` has `size` octets, followed by the padding of Memory.
  Words(std::uint8_t* memory, std::uint32_t size, Code& code) noexcept : memory_(memory), size_(size), code_(code) {}

  Reason trouble = Reason::kNone;

  HEADROOM_ALWAYS_INLINE [[nodiscard]] bool good() const noexcept { return trouble == Reason::kNone; }

  // Returns memory[address].
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

// Fetch reads the operands of a decoded instruction in order.
class Fetch : public Words {
 public:
  // Begins with the operand number `next`.
  Fetch(const Instruction& instruction, std::uint8_t* memory, std::uint32_t size, Code& code,
        std::uint32_t next = 0) noexcept
      : Words(memory, size, code), instruction_(instruction), next_(next), end_(instruction.end) {
    trouble = instruction.trouble;
  }

  // Returns the address after the instruction. If not all operands are decoded, it is the address after the decoded
  // ones until set_end() corrects it.
  [[nodiscard]] std::uint32_t end() const noexcept { return end_; }
  void set_end(std::uint32_t end) noexcept { end_ = end; }

  HEADROOM_ALWAYS_INLINE std::uint16_t literal() noexcept { return instruction_.integers[next_++]; }
  // Returns the address of the operand's value; word() reads the value.
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
  // Returns the remaining operands if all of them are decoded and none has its value in the memory; nullptr otherwise.
  [[nodiscard]] const std::uint16_t* values() const noexcept {
    return instruction_.is_complete && instruction_.in_memory >> next_ == 0 ? &instruction_.integers[next_] : nullptr;
  }

 private:
  const Instruction& instruction_;
  std::uint32_t next_;
  std::uint32_t end_;
};

// Values reads operands whose values are known already.
class Values {
 public:
  explicit Values(const std::uint16_t* next) noexcept : next_(next) {}
  Reason trouble = Reason::kNone;
  [[nodiscard]] bool good() const noexcept { return trouble == Reason::kNone; }
  std::uint16_t multitype() noexcept { return *next_++; }

 private:
  const std::uint16_t* next_;
};

// FetchFromMemory reads operands directly from the memory from address `end` on, for instructions with very many
// operands. The octets after the memory are zero and readable, so an operand is read before its end is checked.
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
  // Skips an operand without reading its value. REQUIRES: the caller checks good() from time to time, as only a limited
  // number of octets after the memory are readable.
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
