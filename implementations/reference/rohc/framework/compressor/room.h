// SPDX-License-Identifier: Apache-2.0
//
// The room that a caller leaves for a compressed packet.
#pragma once

#include <cstdint>

#include "headroom.h"

namespace headroom::rohc {

// Octets by which a compressed packet can be longer than the packet it stands for: an IR packet with all lists is. The
// rest of HEADROOM_EXPANSION is for feedback.
inline constexpr std::uint32_t kMostExpansion = HEADROOM_EXPANSION / 2;

[[nodiscard]] constexpr bool may_not_fit(const headroom_packet& packet) noexcept {
  return packet.out_capacity < packet.in_length + std::uint64_t{kMostExpansion};
}

}  // namespace headroom::rohc
