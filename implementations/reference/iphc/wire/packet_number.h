// SPDX-License-Identifier: Apache-2.0
//
// Packet sequence numbers: RFC 2507, 11.2. "The packet sequence number zero MUST be skipped over."
#pragma once

#include <cstdint>

namespace headroom::iphc::wire {

inline constexpr std::int32_t kNumbers = 65535;  // 1 .. 65535

[[nodiscard]] constexpr std::uint16_t next_number(std::uint16_t number) noexcept {
  return number == kNumbers ? std::uint16_t{1} : static_cast<std::uint16_t>(number + 1);
}

// Returns the number of packets from one number to another; negative if `to` comes before `from`. "The window should be
// no larger than half of the sequence number space."
[[nodiscard]] constexpr std::int32_t distance(std::uint16_t from, std::uint16_t to) noexcept {
  const std::int32_t ahead = (to - from + kNumbers) % kNumbers;
  return ahead > kNumbers / 2 ? ahead - kNumbers : ahead;
}

// Returns the number with these low bits that is nearest to `near`: "only the least significant octet of the packet
// sequence number can be placed in such full headers".
[[nodiscard]] constexpr std::uint16_t nearest_number(std::uint16_t near, std::uint8_t low) noexcept {
  const auto guess = static_cast<std::uint16_t>((near & 0xFF00) | low);
  std::uint16_t best = guess;
  for (const std::int32_t step : {-0x100, 0x100}) {
    const auto other = static_cast<std::uint16_t>(guess + step);
    const auto away = [&](std::uint16_t number) {
      const std::int32_t d = distance(near, number);
      return d < 0 ? -d : d;
    };
    if (other != 0 && (best == 0 || away(other) < away(best))) best = other;
  }
  return best;
}

}  // namespace headroom::iphc::wire
