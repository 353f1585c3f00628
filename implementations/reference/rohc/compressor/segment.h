// SPDX-License-Identifier: Apache-2.0
//
// Cutting a packet that is too long for the link into segments (RFC 3095 5.2.5, RFC 5795 5.2.5).
#pragma once

#include <cstdint>
#include <span>

#include "rohc/compressor/config.h"
#include "rohc/wire/octets.h"

namespace headroom::rohc {

// The largest link packet that the configuration allows: a size of PACKET_SIZES_ALLOWED where there are such. 0: any.
[[nodiscard]] std::uint32_t largest_link_packet(const CompressorConfig& config) noexcept;

// The sizes that link packets may have. REQUIRES: `largest` >= 2; `allowed` is empty (any size up to `largest`) or
// ascending and ends at or above `largest`, which is one of them.
struct LinkSizes {
  std::size_t largest;
  std::span<const std::uint16_t> allowed;
};

// `room` begins with `feedback` octets of feedback and `packet` octets of a ROHC packet without padding. Puts the link
// packets there as headroom.h has it for HEADROOM_SEGMENTS: the feedback in front of the first segment, each link
// packet as long as the largest but for the last one, which is padded where its size is not allowed. Returns the octets
// that it takes; 0, and nothing has changed, when there is no room for them or for a segment behind the feedback.
[[nodiscard]] std::size_t cut_into_segments(std::span<std::uint8_t> room, std::size_t feedback, std::size_t packet,
                                            const LinkSizes& sizes) noexcept;

}  // namespace headroom::rohc
