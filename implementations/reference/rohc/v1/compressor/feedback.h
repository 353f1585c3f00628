// SPDX-License-Identifier: Apache-2.0
//
// What feedback does to a flow: RFC 3095 5.3.1.3, 5.4.1.1, 5.6 and 5.7.6, RFC 3843 3.7, RFC 4815 3.2 and 8.11.
#pragma once

#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/wire/feedback.h"

namespace headroom::rohc {

// The whole SN that `width` least significant bits stand for: that of the most recent header sent with such bits
// (5.7.6.1).
[[nodiscard]] constexpr std::uint16_t acknowledged_sn(std::uint16_t last_sent, std::uint32_t bits,
                                                      unsigned width) noexcept {
  const std::uint32_t mask = width >= 16 ? 0xffffU : (1U << width) - 1;
  return static_cast<std::uint16_t>(last_sent - ((last_sent - bits) & mask));
}

// C_TRANS = P, as far as packets are concerned: they carry the mode, and types 0 and 1 are not used, until one of them
// is acknowledged.
void tell_mode_until_acked(Flow flow) noexcept;

// Notes that a packet has been sent while tell_mode_until_acked() is in force: an ACK counts only for one that carried
// the mode, which IR and IR-DYN packets do in profile RTP alone. Where the SN does not say which packet was meant (it
// went back), the next one counts.
void note_mode_told(Flow flow, std::uint16_t sn, wire::PacketType type) noexcept;

// REQUIRES: the context belongs to a flow. `feedback` has passed its CRC if it has one.
void apply_feedback(Flow flow, const wire::Feedback& feedback, std::uint32_t now_ms) noexcept;

}  // namespace headroom::rohc
