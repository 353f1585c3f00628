// SPDX-License-Identifier: Apache-2.0
//
// The room for a compressed packet in the caller's output buffer.
#pragma once

#include <cstdint>

#include "headroom.h"

namespace headroom::rohc {

// The most octets by which a compressed packet, such as an IR packet with all lists, can be longer than the original
// packet. The rest of HEADROOM_EXPANSION is for feedback.
inline constexpr std::uint32_t kMostExpansion = HEADROOM_EXPANSION / 2;

[[nodiscard]] constexpr bool may_not_fit(const headroom_packet& packet) noexcept {
  return packet.out_capacity < packet.in_length + std::uint64_t{kMostExpansion};
}

}  // namespace headroom::rohc
