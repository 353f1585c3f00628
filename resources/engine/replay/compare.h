// SPDX-License-Identifier: Apache-2.0
//
// The expected output of a decompressor, and the comparison with its actual output.
#ifndef HEADROOM_REPLAY_COMPARE_H
#define HEADROOM_REPLAY_COMPARE_H

#include <cstdint>
#include <optional>
#include <vector>

#include "base/octets.h"

namespace headroom::replay {

// Returns the original with the bits flipped that were flipped on the link within its payload. `header` is the result
// of sim::header_on_link for it.
[[nodiscard]] Octets with_flipped_payload(OctetView original, std::size_t link_length, std::uint32_t header,
                                          const std::vector<std::uint32_t>& flipped);

// Returns the first octet in which two packets differ, counting a missing octet as different, or nothing if they are
// equal.
[[nodiscard]] std::optional<std::size_t> first_difference(OctetView a, OctetView b) noexcept;

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_COMPARE_H
