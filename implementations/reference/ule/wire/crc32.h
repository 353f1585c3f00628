// SPDX-License-Identifier: Apache-2.0
//
// The CRC-32 of an SNDU (RFC 4326, 4.6): generator 0x104C11DB7, initial register all ones, octets and bits in the order
// of transmission, result not inverted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace headroom::ule::wire {

// The way in which the CRC is computed. All kernels but `none` give the same value.
enum class CrcKernel : std::uint8_t {
  table,              // 1 octet per step
  slice_by_8,         // 8 octets per step, with eight tables
  carry_less,         // 64 octets per step, with PCLMULQDQ
  wide_carry_less,    // 128 octets per step, with VPCLMULQDQ and AVX2
  widest_carry_less,  // 256 octets per step, with VPCLMULQDQ and AVX-512
  none                // leaves the register unchanged: a baseline for benchmarks that no configuration can choose
};
inline constexpr std::array<std::string_view, 5> kCrcKernelNames = {"table", "slice-by-8", "pclmulqdq", "vpclmulqdq",
                                                                    "vpclmulqdq-512"};

// True if this processor has the instructions that the kernel needs. Always false for `none`.
[[nodiscard]] bool is_offered(CrcKernel kernel) noexcept;
// Returns the fastest kernel that this processor offers.
[[nodiscard]] CrcKernel best_kernel() noexcept;

inline constexpr std::uint32_t kCrcAtFirst = 0xFFFFFFFF;

// Returns the register after the octets, which is the CRC of a message that ends there. `r` is the register before the
// octets, so a message may come in parts. REQUIRES: the kernel is offered, or `none`.
[[nodiscard]] std::uint32_t crc32(CrcKernel kernel, std::span<const std::uint8_t> octets,
                                  std::uint32_t r = kCrcAtFirst) noexcept;

}  // namespace headroom::ule::wire
