// SPDX-License-Identifier: Apache-2.0
//
// How the interpreter reads operands (RFC 3320 8.5) and words of the memory.
#pragma once

#include "sigcomp/message/reason.h"
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

// Words in the memory and operands of one instruction. What goes wrong is kept in `trouble` and asked for once, when
// all operands have been read; until then a bad one counts as 0. The octets behind the memory are zero and readable, so
// an instruction of fixed length is read first and then found to end beyond the memory.
class Fetch {
 public:
  // `memory` has `size` octets and the padding of Memory.
  Fetch(std::uint8_t* memory, std::uint32_t size, std::uint32_t at) noexcept : memory_(memory), size_(size), at_(at) {}

  Reason trouble = Reason::kNone;

  // The address behind the operands read so far.
  [[nodiscard]] std::uint32_t at() const noexcept { return at_; }
  void go_back(std::uint32_t at) noexcept { at_ = at; }

  HEADROOM_ALWAYS_INLINE [[nodiscard]] bool good() noexcept {
    if (at_ > size_ && trouble == Reason::kNone) trouble = Reason::kSegfault;
    return trouble == Reason::kNone;
  }

  // memory[address]
  HEADROOM_ALWAYS_INLINE [[nodiscard]] std::uint16_t word(std::uint32_t address) noexcept {
    if (address + 1 < size_) [[likely]]
      return load16(memory_ + address);
    if (wraps(address)) return static_cast<std::uint16_t>(memory_[address] << 8 | memory_[0]);
    trouble = Reason::kSegfault;
    return 0;
  }
  HEADROOM_ALWAYS_INLINE void store(std::uint32_t address, std::uint16_t value) noexcept {
    if (address + 1 < size_) [[likely]] {
      store16(memory_ + address, value);
    } else if (wraps(address)) {
      memory_[address] = static_cast<std::uint8_t>(value >> 8);
      memory_[0] = static_cast<std::uint8_t>(value);
    } else {
      trouble = Reason::kSegfault;
    }
  }

  HEADROOM_ALWAYS_INLINE std::uint16_t literal() noexcept { return integer(kLiteralEncodings[memory_[at_]]); }
  // Where the operand's value is; word() gets it.
  HEADROOM_ALWAYS_INLINE std::uint16_t reference() noexcept { return integer(kReferenceEncodings[memory_[at_]]); }
  HEADROOM_ALWAYS_INLINE std::uint16_t multitype() noexcept {
    const Encoding& e = kMultitypeEncodings[memory_[at_]];
    const std::uint16_t value = integer(e);
    return e.in_memory ? word(value) : value;
  }
  // "operand_value = (memory_address_of_instruction + D) modulo 2^16"
  HEADROOM_ALWAYS_INLINE std::uint16_t address(std::uint32_t pc) noexcept {
    return static_cast<std::uint16_t>(pc + multitype());
  }

  // Passes over a multitype operand without a look at its value. An instruction with many operands asks good() now and
  // then, since only so many octets behind the memory are readable.
  void skip_multitype() noexcept { integer(kMultitypeEncodings[memory_[at_]]); }

  HEADROOM_ALWAYS_INLINE [[nodiscard]] CopyBounds bounds() noexcept {
    return {word(kByteCopyLeft), word(kByteCopyRight)};
  }

 private:
  // "the arithmetic is modulo 2^16" (8.3), which only a memory of 65536 octets lets one see.
  [[nodiscard]] bool wraps(std::uint32_t address) const noexcept {
    return size_ == kMostMemory && address == kMostMemory - 1;
  }
  HEADROOM_ALWAYS_INLINE std::uint16_t integer(const Encoding& e) noexcept {
    if (!e.valid()) [[unlikely]] {
      trouble = Reason::kInvalidOperand;
      ++at_;
      return 0;
    }
    const std::uint16_t value = integer_of(e, memory_ + at_);
    at_ += e.length;
    return value;
  }

  std::uint8_t* memory_;
  std::uint32_t size_;
  std::uint32_t at_;
};

}  // namespace headroom::sigcomp::udvm
