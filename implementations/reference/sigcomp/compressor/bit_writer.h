// SPDX-License-Identifier: Apache-2.0
//
// Bits into octets, the most significant first: what INPUT-BITS and INPUT-HUFFMAN read with input_bit_order 0 (RFC 3320
// 8.2).
#pragma once

#include <cstdint>
#include <span>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

// Writes into room that belongs to the caller; what there is no room for is dropped, and full() tells.
class BitWriter {
 public:
  explicit BitWriter(std::span<std::uint8_t> room) noexcept : room_(room) {}

  // The low `count` bits of `value`. REQUIRES: count <= 24.
  void put(std::uint32_t value, unsigned count) noexcept {
    held_ = held_ << count | (value & ((std::uint32_t{1} << count) - 1));
    bits_ += count;
    while (bits_ >= 8) {
      bits_ -= 8;
      octet(static_cast<std::uint8_t>(held_ >> bits_));
    }
  }

  // Fills the last octet with zeros and returns how many octets there are.
  std::size_t finish() noexcept {
    if (bits_ != 0) octet(static_cast<std::uint8_t>(held_ << (8 - bits_)));
    bits_ = 0;
    return at_;
  }

  [[nodiscard]] bool full() const noexcept { return full_; }

 private:
  void octet(std::uint8_t value) noexcept {
    if (at_ == room_.size()) {
      full_ = true;
    } else {
      room_[at_++] = value;
    }
  }

  std::span<std::uint8_t> room_;
  std::size_t at_ = 0;
  std::uint64_t held_ = 0;
  unsigned bits_ = 0;  // of held_, that are not in an octet yet
  bool full_ = false;
};

}  // namespace headroom::sigcomp
