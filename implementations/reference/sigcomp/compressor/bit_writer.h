// SPDX-License-Identifier: Apache-2.0
//
// BitWriter packs bits into octets in the order in which INPUT-BITS and INPUT-HUFFMAN read them (RFC 3320 8.2).
#pragma once

#include <cstdint>
#include <span>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

enum class BitOrder {
  kMostSignificantFirst,   // input_bit_order 0
  kLeastSignificantFirst,  // P-bit set; numbers begin with the least significant bit, too (F-bit set)
};

// Writes into room that the caller owns. Octets beyond the room are dropped, and full() is then true.
template <BitOrder kOrder>
class BitWriter {
 public:
  explicit BitWriter(std::span<std::uint8_t> room) noexcept : room_(room) {}

  // Appends the low `count` bits of `value`. REQUIRES: count <= 24; with kLeastSignificantFirst all other bits of
  // `value` are 0.
  void put(std::uint32_t value, unsigned count) noexcept {
    if constexpr (kOrder == BitOrder::kMostSignificantFirst) {
      held_ = held_ << count | (value & ((std::uint32_t{1} << count) - 1));
    } else {
      held_ |= std::uint64_t{value} << bits_;
    }
    bits_ += count;
    while (bits_ >= 8) take();
  }

  // Fills the last octet with zeros. Returns the number of octets written, or one more than the room has if the room
  // was too small.
  std::size_t finish() noexcept {
    if (bits_ != 0) put(0, 8 - bits_);
    return full_ ? room_.size() + 1 : at_;
  }

  [[nodiscard]] bool full() const noexcept { return full_; }

 private:
  void take() noexcept {
    bits_ -= 8;
    std::uint8_t octet;
    if constexpr (kOrder == BitOrder::kMostSignificantFirst) {
      octet = static_cast<std::uint8_t>(held_ >> bits_);
    } else {
      octet = static_cast<std::uint8_t>(held_);
      held_ >>= 8;
    }
    if (at_ == room_.size()) {
      full_ = true;
    } else {
      room_[at_++] = octet;
    }
  }

  std::span<std::uint8_t> room_;
  std::size_t at_ = 0;
  std::uint64_t held_ = 0;
  unsigned bits_ = 0;  // number of bits in held_ that are not in an octet yet
  bool full_ = false;
};

}  // namespace headroom::sigcomp
