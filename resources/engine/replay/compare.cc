// SPDX-License-Identifier: Apache-2.0
#include "replay/compare.h"

#include <algorithm>

namespace headroom::replay {

Octets with_flipped_payload(OctetView original, std::size_t link_length, std::uint32_t header,
                            const std::vector<std::uint32_t>& flipped) {
  Octets result(original.begin(), original.end());
  for (const std::uint32_t bit : flipped) {
    const std::size_t octet = bit / 8;
    if (octet < header || octet >= link_length) continue;
    const std::size_t from_end = link_length - octet;
    if (from_end > result.size()) continue;
    std::uint8_t& target = result[result.size() - from_end];
    target = static_cast<std::uint8_t>(target ^ (0x80u >> (bit % 8)));
  }
  return result;
}

std::optional<std::size_t> first_difference(OctetView a, OctetView b) noexcept {
  const std::size_t shorter = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shorter; ++i) {
    if (a[i] != b[i]) return i;
  }
  if (a.size() != b.size()) return shorter;
  return std::nullopt;
}

}  // namespace headroom::replay
