// SPDX-License-Identifier: Apache-2.0
//
// The execution of idioms (idiom.h) in cases where no instruction of an idiom can fail.
#pragma once

#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "sigcomp/udvm/fetch.h"
#include "sigcomp/udvm/idiom.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::udvm {

HEADROOM_ALWAYS_INLINE inline bool Udvm::emit_octet(const Instruction& i, std::uint64_t& spare) noexcept {
  using E = EmitOctet;
  constexpr std::uint64_t kCost = 2 + 2 + 1;
  const std::uint32_t size = memory_.size();
  const std::uint32_t pointer = i.integers[E::kPointer];
  if (kCost > spare || size < kLeastMemory || pointer + 1 >= size) return false;
  std::uint8_t* const memory = memory_.data();
  const std::uint16_t to = load16(memory + pointer);
  const CopyBounds bounds{load16(memory + kByteCopyLeft), load16(memory + kByteCopyRight)};
  if (std::max({to, i.integers[E::kOutput], i.integers[E::kFrom], i.integers[E::kNext]}) >= size ||
      output_length_ == kMostOutput || code_.has(to, 1) || code_.has(pointer, 2)) {
    return false;
  }
  spare -= kCost;
  has_output_ = true;
  output_[output_length_++] = memory[i.integers[E::kOutput]];
  memory[to] = memory[i.integers[E::kFrom]];
  store16(memory + pointer,
          mutant("sigcomp-idiom-leaves-the-ring") ? static_cast<std::uint16_t>(to + 1) : bounds.next(to));
  return true;
}

// Executes COPY-OFFSET and OUTPUT of a match. REQUIRES: source and destination each lie in one piece within the memory
// and contain no code; `output` has room for `length` octets, and kShort more octets that may be overwritten.
HEADROOM_ALWAYS_INLINE inline void Udvm::copy_match(std::uint32_t from, std::uint32_t length, std::uint32_t to,
                                                    std::uint8_t* output) noexcept {
  std::uint8_t* const memory = memory_.data();
  if (length <= kShort && (from > to || to - from >= kShort || mutant("sigcomp-idiom-without-overlap"))) [[likely]] {
    // Always copies kShort octets, so that the time does not depend on the length; the octets after the match are
    // restored.
    using Piece = std::array<std::uint8_t, kShort>;
    Piece piece;
    Piece behind;
    std::memcpy(&piece, memory + from, kShort);
    std::memcpy(&behind, memory + to + length, kShort);
    std::memcpy(memory + to, &piece, kShort);
    std::memcpy(memory + to + length, &behind, kShort);
    std::memcpy(output, &piece, kShort);
  } else {
    memory_.copy_piece(from, length, to);
    std::memcpy(output, memory + to, length);
  }
}

HEADROOM_ALWAYS_INLINE inline bool Udvm::emit_match(const Instruction& i, std::uint64_t& spare) noexcept {
  using E = EmitMatch;
  const std::uint32_t size = memory_.size();
  const std::uint32_t old = i.integers[E::kOld];
  const std::uint32_t pointer = i.integers[E::kPointer];
  const std::uint32_t words = std::max({old, pointer, std::uint32_t{i.integers[E::kLength]},
                                        std::uint32_t{i.integers[E::kOffset]}, std::uint32_t{kLeastMemory - 2}});
  if (words + 1 >= size) return false;
  std::uint8_t* const memory = memory_.data();
  const CopyBounds bounds{load16(memory + kByteCopyLeft), load16(memory + kByteCopyRight)};
  const std::uint16_t to = load16(memory + pointer);
  const std::uint32_t length = load16(memory + i.integers[E::kLength]);
  const std::uint16_t from = bounds.before(to, load16(memory + i.integers[E::kOffset]));
  const std::uint64_t cost = 1 + (1 + length) + (1 + length) + (mutant("sigcomp-idiom-jumps-free") ? 0 : 1);
  // Source and destination must each be one piece, and the destination must lie after everything that the instructions
  // read.
  if (cost > spare || length == 0 || length > bounds.run(from) || length > bounds.run(to) || from + length > size ||
      to + length > size || to <= words + 1 || i.integers[E::kNext] >= size || length > kMostOutput - output_length_ ||
      code_.has(to, length) || code_.has(old, 2) || code_.has(pointer, 2)) {
    return false;
  }
  spare -= cost;
  has_output_ = true;
  store16(memory + old, to);
  copy_match(from, length, to, output_.get() + output_length_);
  output_length_ += length;
  store16(memory + pointer, bounds.next(static_cast<std::uint16_t>(to + length - 1)));
  return true;
}

}  // namespace headroom::sigcomp::udvm
