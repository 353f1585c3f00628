// SPDX-License-Identifier: Apache-2.0
//
// The header of a link packet, which a link may treat in another way than the payload.
#ifndef HEADROOM_SIM_HEADER_ON_LINK_H
#define HEADROOM_SIM_HEADER_ON_LINK_H

#include <cstddef>
#include <cstdint>

#include "base/octets.h"
#include "headroom.h"
#include "traffic/source.h"

namespace headroom::sim {

// Returns the octets of header at the front of a link packet (including feedback and padding in front of it): its
// length without the payload of the original. The length of the payload follows from the compressor's detail; if that
// is not known, from `header_length`; otherwise it is the common end of both packets. `header_length` may be
// kUnknownLength, `detail` nullptr.
[[nodiscard]] std::uint32_t header_on_link(OctetView link, OctetView original, std::uint32_t header_length,
                                           const headroom_detail* detail) noexcept;

}  // namespace headroom::sim

#endif  // HEADROOM_SIM_HEADER_ON_LINK_H
