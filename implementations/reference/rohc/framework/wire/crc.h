// SPDX-License-Identifier: Apache-2.0
//
// The CRCs of ROHC: RFC 3095 5.9 (polynomials and coverage), RFC 4815 2.1 and Appendix A (bit order: the least
// significant bit of each octet goes in first), RFC 5795 5.3.1.
//
// Every function takes the state of the register and returns the new state, so that a computation over CRC-STATIC
// octets can be stored in the context and continued over the CRC-DYNAMIC octets (RFC 3095 5.9.2).
#pragma once

#include <array>
#include <cstdint>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc::wire {

inline constexpr std::uint8_t kCrc3Initial = 0x07;  // "The initial content of the CRC register is preset to all 1's"
inline constexpr std::uint8_t kCrc7Initial = 0x7f;
inline constexpr std::uint8_t kCrc8Initial = 0xff;
inline constexpr std::uint32_t kCrc32Initial = 0xffffffffU;

// Polynomials with the coefficient of x^0 as the most significant bit of the register's width, as the algorithm shifts
// right.
inline constexpr std::uint8_t kCrc3Polynomial = 0x06;  // 1 + x + x^3
inline constexpr std::uint8_t kCrc7Polynomial = 0x79;  // 1 + x + x^2 + x^3 + x^6 + x^7
inline constexpr std::uint8_t kCrc8Polynomial = 0xe0;  // 1 + x + x^2 + x^8
inline constexpr std::uint32_t kCrc32Polynomial = 0xedb88320U;

[[nodiscard]] std::uint8_t crc3(Octets octets, std::uint8_t state = kCrc3Initial) noexcept;
[[nodiscard]] std::uint8_t crc7(Octets octets, std::uint8_t state = kCrc7Initial) noexcept;
[[nodiscard]] std::uint8_t crc8(Octets octets, std::uint8_t state = kCrc8Initial) noexcept;
// Returns the state of the register. The FCS-32 in a segment is the complement of this state, least significant octet
// first (RFC 1662 C.3).
[[nodiscard]] std::uint32_t crc32(Octets octets, std::uint32_t state = kCrc32Initial) noexcept;

// CRC-3 by folding. The generator 1 + x + x^3 divides x^7 + 1, so bits of a message that are 7 apart have the same
// effect: the message can be folded into 7 bits by exclusive-or, in any grouping, and looked up once. A caller places
// pieces of the message in one 63-bit word, each shifted so that its bits keep their index modulo 7; indices count
// backwards from the end of the message, whose last bit has index -1, that is 6.
class Crc3Fold {
 public:
  // Returns the CRC-3 of a folded message. Bit i of `folded` stands for message bits with index i modulo 7; bit 63 must
  // be 0.
  [[nodiscard]] static std::uint8_t finish(std::uint64_t folded) noexcept {
    folded ^= (folded >> 21) ^ (folded >> 42);
    folded &= 0x1fffff;
    return kTable[(folded ^ (folded >> 7) ^ (folded >> 14)) & 0x7f];
  }

  // Returns the left shift, 0 to 6 bits, of a piece of the message whose first bit lies `bits` bits before the
  // message's end.
  [[nodiscard]] static constexpr unsigned shift_for(unsigned bits) noexcept { return (7 - bits % 7) % 7; }

 private:
  static const std::array<std::uint8_t, 128> kTable;
};

}  // namespace headroom::rohc::wire
