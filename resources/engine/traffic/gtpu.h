// SPDX-License-Identifier: Apache-2.0
//
// The header of a G-PDU (TS 29.281, 5.1) with its PDU session container (5.2.2.7; TS 38.415, 5.5.2).
#ifndef HEADROOM_TRAFFIC_GTPU_H
#define HEADROOM_TRAFFIC_GTPU_H

#include <cstddef>
#include <cstdint>

#include "traffic/profile.h"

namespace headroom::traffic {

struct GtpuFields {
  std::uint32_t teid = 0;
  std::uint16_t sequence = 0;  // written where the header has one
  bool uplink = true;
  std::size_t length_with_payload = 0;  // octets from the first of this header on
};

// Octets of the header, its optional fields and extension header included.
[[nodiscard]] std::size_t gtpu_length(const Gtpu& gtpu) noexcept;

// REQUIRES: `header` points to gtpu_length(gtpu) octets that are zero.
void write_gtpu(const Gtpu& gtpu, const GtpuFields& fields, std::uint8_t* header) noexcept;

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_GTPU_H
