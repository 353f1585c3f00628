// SPDX-License-Identifier: Apache-2.0
//
// The interpretation offsets p of LSB encoding that RFC 3095 5.7 and 5.11 and RFC 4815 4.3 give to the fields.
#pragma once

#include <cstdint>

#include "rohc/framework/lsb.h"

namespace headroom::rohc {

// Returns p for the SN of profiles with the SN in the packet: "p = 1 if bits(SN) <= 4, 2^(bits(SN)-5) - 1 otherwise"
// (RFC 3095 5.7).
[[nodiscard]] constexpr std::int32_t p_of_packet_sn(unsigned bits) noexcept {
  return bits <= 4 ? 1 : (std::int32_t{1} << (bits - 5)) - 1;
}

// Returns p for an SN that the compressor generates: always -1 (RFC 3095 5.11).
[[nodiscard]] constexpr std::int32_t p_of_generated_sn(unsigned) noexcept { return -1; }

// Returns p for the RTP timestamp without timer-based compression: 2^(bits-2) - 1 (RFC 3095 5.7, RFC 4815 4.3). The
// formula has no integral value for fewer than two bits; every format sends more.
[[nodiscard]] constexpr std::int64_t p_of_timestamp(unsigned bits) noexcept {
  return bits < 2 ? 0 : (std::int64_t{1} << (bits - 2)) - 1;
}

// Returns p for the RTP timestamp with timer-based compression: 2^(bits-1) - 1 (RFC 3095 4.5.4, RFC 4815 4.3).
[[nodiscard]] constexpr std::int64_t p_of_timed_timestamp(unsigned bits) noexcept {
  return bits < 1 ? 0 : (std::int64_t{1} << (bits - 1)) - 1;
}

// p for the offset of the IP-ID: 0 (RFC 3095 4.5.5).
inline constexpr std::int32_t kOffsetP = 0;

}  // namespace headroom::rohc
