// SPDX-License-Identifier: Apache-2.0
//
// What must come out of a decompressor, and whether it did.
#ifndef HEADROOM_REPLAY_COMPARE_H
#define HEADROOM_REPLAY_COMPARE_H

#include <cstdint>
#include <optional>
#include <vector>

#include "base/octets.h"
#include "headroom.h"
#include "traffic/source.h"

namespace headroom::replay {

// How many octets at the end of both are equal.
[[nodiscard]] std::size_t common_suffix(OctetView a, OctetView b) noexcept;

// Octets at the front of a link packet that are header (feedback and padding in front of it included): what is left of
// it when the payload of the original is taken away. The length of the payload is what the compressor's detail says,
// else what the source says, else what both packets have in common at their ends. `detail` may be nullptr.
[[nodiscard]] std::uint32_t header_on_link(OctetView link, const SourcePacket& original,
                                           const headroom_detail* detail) noexcept;

// The original with those of the bits `flipped` on the link that lie in its payload flipped as well. `header` is
// header_on_link of it.
[[nodiscard]] Octets with_flipped_payload(OctetView original, std::size_t link_length, std::uint32_t header,
                                          const std::vector<std::uint32_t>& flipped);

// The first octet in which two packets differ, counting a missing octet as different; nothing when they are equal.
[[nodiscard]] std::optional<std::size_t> first_difference(OctetView a, OctetView b) noexcept;

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_COMPARE_H
