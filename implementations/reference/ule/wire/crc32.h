// SPDX-License-Identifier: Apache-2.0
//
// The CRC-32 of an SNDU, RFC 4326, 4.6: generator 0x104C11DB7, register at first all ones, octets and bits in the order
// in which they are sent, nothing inverted at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headroom::ule::wire {

// How it is computed. All but `none` give the same value.
enum class CrcKernel : std::uint8_t {
  table,              // an octet a step
  slice_by_8,         // eight octets a step, with eight tables
  carry_less,         // 64 octets a step, with PCLMULQDQ
  wide_carry_less,    // 128 octets a step, with VPCLMULQDQ and AVX2
  widest_carry_less,  // 256 octets a step, with VPCLMULQDQ and AVX-512
  none                // the register stays as it is: what a benchmark compares with, and no configuration can choose
};
inline constexpr std::array<std::string_view, 5> kCrcKernelNames = {"table", "slice-by-8", "pclmulqdq", "vpclmulqdq",
                                                                    "vpclmulqdq-512"};

// Whether this processor has what the kernel needs. Never of `none`.
[[nodiscard]] bool is_offered(CrcKernel kernel) noexcept;
// The fastest of those offered.
[[nodiscard]] CrcKernel best_kernel() noexcept;

inline constexpr std::uint32_t kCrcAtFirst = 0xFFFFFFFF;

// The register behind the octets, which is the CRC of a message that ends there. `r` is the register in front of them:
// a message may come in parts. REQUIRES: the kernel is offered, or `none`.
[[nodiscard]] std::uint32_t crc32(CrcKernel kernel, std::span<const std::uint8_t> octets,
                                  std::uint32_t r = kCrcAtFirst) noexcept;

}  // namespace headroom::ule::wire
