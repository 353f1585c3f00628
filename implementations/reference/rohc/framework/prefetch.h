// SPDX-License-Identifier: Apache-2.0
//
// Prefetches memory of a few cache lines for writing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headroom::rohc {

inline void prefetch_octets(const void* first, const void* end) noexcept {
  constexpr std::size_t kLine = 64;
  const auto* const begin = static_cast<const std::uint8_t*>(first);
  const auto size = static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - begin);
  for (std::size_t at = 0; at < size; at += kLine) __builtin_prefetch(begin + at, 1);
}

}  // namespace headroom::rohc
