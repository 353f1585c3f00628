// SPDX-License-Identifier: Apache-2.0
//
// The layout of CID, generation and data in non-TCP headers: RFC 2507, 5.3.2, and 6 c) and d).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "iphc/wire/octets.h"

namespace headroom::iphc::wire {

// The bits of the octet with the generation.
inline constexpr std::uint8_t kLargeCid = 0x80, kHasData = 0x40, kGenerationBits = 0x3F;
inline constexpr std::uint32_t kMostSmallCid = 255;
// The most octets of a front: CID of 16 bits, generation, data.
inline constexpr std::size_t kLongestNonTcpFront = 4;

struct NonTcpFront {
  std::uint32_t cid = 0;
  std::uint8_t generation = 0;
};

// Writes the front of a compressed header without data, with the shortest sufficient CID, and returns its end.
[[nodiscard]] inline std::uint8_t* write_non_tcp_front(const NonTcpFront& front, std::uint8_t* at) noexcept {
  const bool is_large = front.cid > kMostSmallCid;
  *at++ = static_cast<std::uint8_t>(is_large ? front.cid >> 8 : front.cid);
  *at++ = static_cast<std::uint8_t>((is_large ? kLargeCid : 0) | front.generation);
  if (is_large) *at++ = static_cast<std::uint8_t>(front.cid);
  return at;
}

// Reads the front of a compressed header. Skips the data, which only schemes on top of UDP use (section 12). Returns
// false if the front is truncated.
[[nodiscard]] inline bool read_non_tcp_front(Reader& reader, NonTcpFront& front) noexcept {
  const std::uint8_t* const at = reader.take(2);
  if (at == nullptr) return false;
  front = {at[0], static_cast<std::uint8_t>(at[1] & kGenerationBits)};
  if ((at[1] & kLargeCid) != 0) {
    const std::uint8_t* const low = reader.take(1);
    if (low == nullptr) return false;
    front.cid = front.cid << 8 | *low;
  }
  return (at[1] & kHasData) == 0 || reader.take(1) != nullptr;
}

// Writes CID and generation into the length fields of a full header, whose offsets in the packet length_fields()
// returns. A CID of 16 bits needs both fields. REQUIRES: fields.first != 0; fields.second != 0 if the CID is above
// kMostSmallCid.
inline void write_non_tcp_fields(const NonTcpFront& front, std::pair<std::size_t, std::size_t> fields,
                                 std::uint8_t* packet) noexcept {
  const bool is_large = front.cid > kMostSmallCid;
  packet[fields.first] = static_cast<std::uint8_t>((is_large ? kLargeCid : 0) | front.generation);
  packet[fields.first + 1] = is_large ? std::uint8_t{0} : static_cast<std::uint8_t>(front.cid);
  if (fields.second != 0) store16(packet + fields.second, is_large ? front.cid : 0);
}

// Reads CID and generation from the length fields. Returns false for a CID of 16 bits without a second length field.
[[nodiscard]] inline bool read_non_tcp_fields(const std::uint8_t* packet, std::pair<std::size_t, std::size_t> fields,
                                              NonTcpFront& front) noexcept {
  const std::uint8_t octet = packet[fields.first];
  front = {packet[fields.first + 1], static_cast<std::uint8_t>(octet & kGenerationBits)};
  if ((octet & kLargeCid) == 0) return true;
  if (fields.second != 0) front.cid = load16(packet + fields.second);
  return fields.second != 0;
}

}  // namespace headroom::iphc::wire
