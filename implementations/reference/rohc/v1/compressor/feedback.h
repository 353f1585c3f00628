// SPDX-License-Identifier: Apache-2.0
//
// Applies feedback to a flow: RFC 3095 5.3.1.3, 5.4.1.1, 5.6 and 5.7.6, RFC 3843 3.7, RFC 4815 3.2 and 8.11.
#pragma once

#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/wire/feedback.h"

namespace headroom::rohc {

// Returns the whole SN for its `width` least significant bits: the SN of the most recent header sent with these bits
// (5.7.6.1).
[[nodiscard]] constexpr std::uint16_t acknowledged_sn(std::uint16_t last_sent, std::uint32_t bits,
                                                      unsigned width) noexcept {
  const std::uint32_t mask = width >= 16 ? 0xffffU : (1U << width) - 1;
  return static_cast<std::uint16_t>(last_sent - ((last_sent - bits) & mask));
}

// Starts C_TRANS = P for packets: they carry the mode, and types 0 and 1 are not used, until one of these packets is
// acknowledged.
void tell_mode_until_acked(Flow flow) noexcept;

// Records a packet sent while tell_mode_until_acked() is in force. An ACK counts only for a packet that carried the
// mode; IR and IR-DYN packets carry the mode in profile RTP alone. If the SN does not identify the packet (the SN went
// back), the next packet counts.
void note_mode_told(Flow flow, std::uint16_t sn, wire::PacketType type) noexcept;

// REQUIRES: the context belongs to a flow. `feedback` has passed its CRC if it has one.
void apply_feedback(Flow flow, const wire::Feedback& feedback, std::uint32_t now_ms) noexcept;

}  // namespace headroom::rohc
