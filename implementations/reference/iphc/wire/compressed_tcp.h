// SPDX-License-Identifier: Apache-2.0
//
// The header of COMPRESSED_TCP: RFC 2507, 6 a). This file defines only the layout. The header consists of a front, the
// RANDOM fields of the chain, the changes, and TCP options; compressor.h and decompressor.h combine the parts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "iphc/wire/octets.h"

namespace headroom::iphc::wire {

// The second octet. "The latter flags (IPSAWU) have the same meaning as in [RFC-1144]."
inline constexpr std::uint8_t kU = 0x01, kW = 0x02, kA = 0x04, kS = 0x08, kP = 0x10, kI = 0x20, kO = 0x40, kR = 0x80;
inline constexpr std::uint8_t kSawu = kS | kA | kW | kU;

// Two combinations of S, A, W and U that stand for frequent changes (RFC 1144, 3.2.2).
inline constexpr std::uint8_t kEchoed = kS | kW | kU;   // sequence and acknowledgement number grew by the last data
inline constexpr std::uint8_t kUnidirectional = kSawu;  // the sequence number alone grew by the last data

// The most octets of a front: CID, flags, checksum, packet sequence number.
inline constexpr std::size_t kLongestFront = 6;
// The most octets of the changes: the R-octet, and five changes of three octets.
inline constexpr std::size_t kLongestChanges = 1 + 5 * 3;

// The content of a compressed header without RANDOM fields and options.
struct Changes {
  std::uint8_t cid = 0;
  std::uint8_t flags = 0;
  std::uint8_t r_octet = 0;    // if the flags have R: the reserved field, and two bits of the traffic class
  std::uint16_t checksum = 0;  // the TCP checksum, sent uncompressed
  std::uint16_t number = 0;    // packet sequence number (11.2), on links that reorder
  std::uint16_t urgent = 0;    // the urgent pointer itself
  std::uint16_t window = 0;
  std::uint16_t acknowledgement = 0;
  std::uint16_t sequence = 0;
  std::uint16_t identification = 1;  // of IPv4; 1 if the flags do not have I (RFC 1144, 3.2.2)

  [[nodiscard]] std::uint8_t sawu() const noexcept { return flags & kSawu; }
  [[nodiscard]] bool is_special() const noexcept { return sawu() == kEchoed || sawu() == kUnidirectional; }
};

// Writes the front and returns its end. `numbered`: true to write a packet sequence number, "immediately after the TCP
// Checksum". REQUIRES: room for kLongestFront.
[[nodiscard]] std::uint8_t* write_front(const Changes& changes, bool numbered, std::uint8_t* at) noexcept;
// Writes the R-octet and the changes that the flags indicate, and returns their end. REQUIRES: room for
// kLongestChanges.
[[nodiscard]] std::uint8_t* write_changes(const Changes& changes, std::uint8_t* at) noexcept;

// Read the front and the changes. Return false if the packet is truncated.
[[nodiscard]] bool read_front(Reader& reader, bool numbered, Changes& changes) noexcept;
[[nodiscard]] bool read_changes(Reader& reader, Changes& changes) noexcept;

}  // namespace headroom::iphc::wire
