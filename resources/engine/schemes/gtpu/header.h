// SPDX-License-Identifier: Apache-2.0
//
// The header of a G-PDU (TS 29.281, 5.1) with its PDU session container (5.2.2.7; TS 38.415, 5.5.2).
#ifndef HEADROOM_SCHEMES_GTPU_HEADER_H
#define HEADROOM_SCHEMES_GTPU_HEADER_H

#include "traffic/tunnel.h"

namespace headroom::gtpu {

extern const traffic::TunnelFormat kGPdu;

// Returns the user's packet in a G-PDU, or nothing for messages of the path, fragments of the outer packet and damaged
// packets.
[[nodiscard]] std::optional<traffic::UserPacket> user_packet_of(OctetView packet) noexcept;

}  // namespace headroom::gtpu

#endif  // HEADROOM_SCHEMES_GTPU_HEADER_H
