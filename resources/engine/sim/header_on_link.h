// SPDX-License-Identifier: Apache-2.0
//
// The header of a link packet, to which a link may do other things than to its payload.
#ifndef HEADROOM_SIM_HEADER_ON_LINK_H
#define HEADROOM_SIM_HEADER_ON_LINK_H

#include <cstddef>
#include <cstdint>

#include "base/octets.h"
#include "headroom.h"
#include "traffic/source.h"

namespace headroom::sim {

// Octets at the front of a link packet that are header (feedback and padding in front of it included): what is left of
// it when the payload of the original is taken away. The length of the payload is what the compressor's detail says,
// else what `header_length` says, else what both packets have in common at their ends. `header_length` may be
// kUnknownLength, `detail` nullptr.
[[nodiscard]] std::uint32_t header_on_link(OctetView link, OctetView original, std::uint32_t header_length,
                                           const headroom_detail* detail) noexcept;

}  // namespace headroom::sim

#endif  // HEADROOM_SIM_HEADER_ON_LINK_H
