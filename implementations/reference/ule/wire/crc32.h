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

// How it is computed. All give the same value.
enum class CrcKernel : std::uint8_t {
  table,           // an octet a step
  slice_by_8,      // eight octets a step, with eight tables
  carry_less,      // 64 octets a step, with PCLMULQDQ
  wide_carry_less  // 128 octets a step, with VPCLMULQDQ
};
inline constexpr std::array<std::string_view, 4> kCrcKernelNames = {"table", "slice-by-8", "pclmulqdq", "vpclmulqdq"};

// Whether this processor has what the kernel needs.
[[nodiscard]] bool is_offered(CrcKernel kernel) noexcept;
// The fastest of those offered.
[[nodiscard]] CrcKernel best_kernel() noexcept;

// REQUIRES: the kernel is offered.
[[nodiscard]] std::uint32_t crc32(CrcKernel kernel, std::span<const std::uint8_t> octets) noexcept;

}  // namespace headroom::ule::wire
