// SPDX-License-Identifier: Apache-2.0
//
// Habits of the compressor (habit.h) that take more than one line.
#pragma once

#include <cstdint>

#include "habit.h"

namespace headroom {

// Maps a context's number on its channel to its CID on the link, and the CID back to the number: each mapping is its
// own inverse.
constexpr std::uint32_t cid_by_habit(std::uint32_t number, std::uint32_t max_cid) noexcept {
  if (number > max_cid) return number;  // possible for a CID from feedback
  if (habit("highest-cids")) return max_cid - number;
  if (!habit("hashed-cids")) return number;
  std::uint32_t other = number;
  for (std::uint32_t bit = 1; bit != 0 && bit <= max_cid; bit <<= 1) other ^= bit & 0x2a5bU;
  return other <= max_cid ? other : number;
}

}  // namespace headroom
