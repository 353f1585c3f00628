// SPDX-License-Identifier: Apache-2.0
//
// SigComp parameters: RFC 3320 3.3.1 and 3.3.2, and the octet that encodes three of them in figure 13.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace headroom::sigcomp {

inline constexpr std::uint32_t kLeastMemory =
    2048;  // octets of decompression memory, and of state memory unless that is 0
inline constexpr std::uint32_t kMostParameter = 131072;
inline constexpr std::uint16_t kLeastCyclesPerBit = 16;
inline constexpr std::uint16_t kMostCyclesPerBit = 128;
inline constexpr std::uint8_t kVersionBasic = 1;     // RFC 3320
inline constexpr std::uint8_t kVersionWithNack = 2;  // RFC 4077 2.4

struct Parameters {
  std::uint16_t cycles_per_bit = kLeastCyclesPerBit;
  std::uint32_t decompression_memory_size = kLeastMemory;
  std::uint32_t state_memory_size = 0;
  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// The minimum that every SIP/SigComp endpoint offers (RFC 5049 chapter 4).
inline constexpr Parameters kLeastForSip = {16, 8192, 2048};

[[nodiscard]] constexpr bool is_cycles_per_bit(std::uint32_t value) noexcept {
  return std::has_single_bit(value) && value >= kLeastCyclesPerBit && value <= kMostCyclesPerBit;
}
[[nodiscard]] constexpr bool is_memory_size(std::uint32_t value) noexcept {
  return std::has_single_bit(value) && value >= kLeastMemory && value <= kMostParameter;
}

// True if each parameter has a value of the "limited set" (3.3.1).
[[nodiscard]] constexpr bool are_valid(const Parameters& p) noexcept {
  return is_cycles_per_bit(p.cycles_per_bit) && is_memory_size(p.decompression_memory_size) &&
         (p.state_memory_size == 0 || is_memory_size(p.state_memory_size));
}

// Returns the octet |cpb|dms|sms| of figure 13. REQUIRES: are_valid(p).
[[nodiscard]] constexpr std::uint8_t encode(const Parameters& p) noexcept {
  const auto size = [](std::uint32_t value) { return value == 0 ? 0 : std::countr_zero(value) - 10; };
  return static_cast<std::uint8_t>((std::countr_zero(static_cast<unsigned>(p.cycles_per_bit)) - 4) << 6 |
                                   size(p.decompression_memory_size) << 3 | size(p.state_memory_size));
}

// Returns the parameters that an octet of figure 13 encodes. Returns nothing for 0, "if the three parameters are not
// included", and for a decompression_memory_size of 0, which "cannot be used".
[[nodiscard]] constexpr std::optional<Parameters> decode_parameters(std::uint8_t octet) noexcept {
  const unsigned dms = octet >> 3 & 7U;
  const unsigned sms = octet & 7U;
  if (dms == 0) return {};
  return Parameters{static_cast<std::uint16_t>(16U << (octet >> 6)), 1024U << dms, sms == 0 ? 0 : 1024U << sms};
}

}  // namespace headroom::sigcomp
