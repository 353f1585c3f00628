// SPDX-License-Identifier: Apache-2.0
//
// Least significant bits encoding, RFC 3095 4.5.1, and the interpretation offsets p that 5.7, 5.11 and RFC 4815 4.3
// give to the fields.
#pragma once

#include <cstdint>

namespace headroom::rohc {

// p for the SN of profiles whose SN is taken from the packet: "p = 1 if bits(SN) <= 4, 2^(bits(SN)-5) - 1 otherwise"
// (RFC 3095 5.7).
[[nodiscard]] constexpr std::int32_t p_of_packet_sn(unsigned bits) noexcept {
  return bits <= 4 ? 1 : (std::int32_t{1} << (bits - 5)) - 1;
}

// p for an SN that the compressor generates: always -1 (RFC 3095 5.11).
[[nodiscard]] constexpr std::int32_t p_of_generated_sn(unsigned) noexcept { return -1; }

// p for the RTP timestamp without timer-based compression: 2^(bits-2) - 1 (RFC 3095 5.7, RFC 4815 4.3). With fewer than
// two bits the formula has no integral value; no format sends so few.
[[nodiscard]] constexpr std::int64_t p_of_timestamp(unsigned bits) noexcept {
  return bits < 2 ? 0 : (std::int64_t{1} << (bits - 2)) - 1;
}

// p for the RTP timestamp with timer-based compression: 2^(bits-1) - 1 (RFC 3095 4.5.4, RFC 4815 4.3).
[[nodiscard]] constexpr std::int64_t p_of_timed_timestamp(unsigned bits) noexcept {
  return bits < 1 ? 0 : (std::int64_t{1} << (bits - 1)) - 1;
}

// p for the offset of the IP-ID: 0 (RFC 3095 4.5.5).
inline constexpr std::int32_t kOffsetP = 0;

// The value in the interpretation interval [reference - p, reference + 2^bits - 1 - p] whose `bits` least significant
// bits are `lsb`. All arithmetic is modulo 2^32; a caller with a narrower field truncates the result. REQUIRES: bits
// <= 32.
[[nodiscard]] constexpr std::uint32_t lsb_decode(std::uint32_t lsb, unsigned bits, std::uint32_t reference,
                                                 std::int64_t p) noexcept {
  const std::uint32_t mask = bits >= 32 ? 0xffffffffU : (std::uint32_t{1} << bits) - 1;
  const std::uint32_t low = reference - static_cast<std::uint32_t>(p);
  return low + ((lsb - low) & mask);
}

// True when a value that lies `distance` after the reference is inside the interpretation interval of `bits` bits.
[[nodiscard]] constexpr bool lsb_covers(std::int64_t distance, unsigned bits, std::int64_t p) noexcept {
  return distance >= -p && distance <= (std::int64_t{1} << bits) - 1 - p;
}

}  // namespace headroom::rohc
