// SPDX-License-Identifier: Apache-2.0
//
// What must come out of a decompressor, and whether it did.
#ifndef HEADROOM_REPLAY_COMPARE_H
#define HEADROOM_REPLAY_COMPARE_H

#include <cstdint>
#include <optional>
#include <vector>

#include "base/octets.h"

namespace headroom::replay {

// The original with those of the bits `flipped` on the link that lie in its payload flipped as well. `header` is
// sim::header_on_link of it.
[[nodiscard]] Octets with_flipped_payload(OctetView original, std::size_t link_length, std::uint32_t header,
                                          const std::vector<std::uint32_t>& flipped);

// The first octet in which two packets differ, counting a missing octet as different; nothing when they are equal.
[[nodiscard]] std::optional<std::size_t> first_difference(OctetView a, OctetView b) noexcept;

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_COMPARE_H
