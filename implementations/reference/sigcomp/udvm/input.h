// SPDX-License-Identifier: Apache-2.0
//
// Input is the compressed data that the dispatcher passes to the UDVM: RFC 3320 8.2, and RFC 4896 3.1, by which a
// request that cannot be met takes nothing.
#pragma once

#include <optional>

#include "mutants.h"
#include "sigcomp/octets.h"

namespace headroom::sigcomp::udvm {

inline constexpr unsigned kMostBits = 16;  // RFC 3320 9.4.3, 9.4.4

// The flags of the register input_bit_order.
inline constexpr unsigned kPBit = 1;
inline constexpr unsigned kHBit = 2;
inline constexpr unsigned kFBit = 4;
inline constexpr unsigned kMostBitOrder = 7;  // "Decompression failure occurs if … does not lie between 0 and 7"

class Input {
 public:
  explicit Input(Octets octets = {}) noexcept : octets_(octets), end_(8 * octets.size()) {}

  // The position in the data, and the order in which bits are passed.
  struct Place {
    std::size_t bits = 0;
    unsigned p = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  [[nodiscard]] Place place() const noexcept { return {at_, p_}; }

  [[nodiscard]] std::size_t bits_left() const noexcept { return end_ - at_; }

  // Discards the rest of a partly read octet: "any fraction of a byte still held by the dispatcher MUST be discarded".
  void discard_fraction() noexcept { at_ = (at_ + 7) & ~std::size_t{7}; }

  // Sets the P-bit, as INPUT-BITS and INPUT-HUFFMAN do first: the rest of a partly read octet is discarded if the P-bit
  // has changed since the last INPUT instruction, "even if the INPUT instruction requests zero bits".
  void set_p(unsigned p) noexcept {
    if (p != p_ && !mutant("sigcomp-p-bit-keeps-fraction")) discard_fraction();
    p_ = p;
  }

  // Discards the rest of a partly read octet, and takes `count` octets. Returns nothing, and takes no octets, if there
  // are fewer.
  [[nodiscard]] std::optional<Octets> bytes(std::size_t count) noexcept {
    discard_fraction();
    if (8 * count > bits_left()) return {};
    const Octets taken = octets_.subspan(at_ / 8, count);
    at_ += 8 * count;
    return taken;
  }

  // Returns the next 32 bits without taking them, the first one as the most significant bit, and zeros after the end
  // of the data. REQUIRES: P = 0.
  [[nodiscard]] std::uint32_t ahead() const noexcept {
    const std::size_t first = at_ / 8;
    std::uint64_t window = 0;
    if (first + 8 <= octets_.size()) [[likely]] {
      for (std::size_t i = 0; i < 8; ++i) window = window << 8 | octets_[first + i];
    } else {
      for (std::size_t i = 0; first + i < octets_.size(); ++i)
        window |= std::uint64_t{octets_[first + i]} << (56 - 8 * i);
    }
    return static_cast<std::uint32_t>(window << at_ % 8 >> 32);
  }
  // Takes `count` bits. REQUIRES: count <= bits_left().
  void skip(unsigned count) noexcept { at_ += count; }

  // Takes `count` bits and returns them as an integer. The first bit is the most significant one, or the least
  // significant one with `lsb_first` (the F- or the H-bit). REQUIRES: count <= 16 and count <= bits_left().
  [[nodiscard]] std::uint16_t bits(unsigned count, bool lsb_first) noexcept {
    const std::size_t first = at_ / 8;
    const auto skip = static_cast<unsigned>(at_ % 8);
    at_ += count;
    // The three octets that may contain the bits, arranged so that the octet that is passed first holds the bits that
    // are passed first.
    std::uint32_t window = 0;
    if (first + 3 <= octets_.size()) [[likely]] {
      const std::uint8_t* const octet = octets_.data() + first;
      window = p_ != 0 ? static_cast<std::uint32_t>(octet[0] | octet[1] << 8 | octet[2] << 16)
                       : static_cast<std::uint32_t>(octet[0] << 16 | octet[1] << 8 | octet[2]);
    } else {
      for (std::size_t i = 0; first + i < octets_.size(); ++i) {
        const std::uint32_t octet = octets_[first + i];
        window |= p_ != 0 ? octet << 8 * i : octet << 8 * (2 - i);
      }
    }
    const std::uint32_t mask = (std::uint32_t{1} << count) - 1;
    const std::uint32_t value = p_ != 0 ? window >> skip & mask : window >> (24 - skip - count) & mask;
    // With P = 0 the bit passed first is the most significant of `value`, with P = 1 the least significant.
    return static_cast<std::uint16_t>((p_ != 0) == lsb_first ? value : reversed(value, count));
  }

 private:
  [[nodiscard]] static std::uint32_t reversed(std::uint32_t value, unsigned count) noexcept {
    value = (value & 0x5555) << 1 | (value >> 1 & 0x5555);
    value = (value & 0x3333) << 2 | (value >> 2 & 0x3333);
    value = (value & 0x0f0f) << 4 | (value >> 4 & 0x0f0f);
    value = (value & 0x00ff) << 8 | (value >> 8 & 0x00ff);
    return value >> (16 - count);
  }

  Octets octets_;
  std::size_t at_ = 0;  // number of bits that have been passed or discarded
  std::size_t end_;
  unsigned p_ = 0;
};

}  // namespace headroom::sigcomp::udvm
