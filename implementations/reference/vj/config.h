// SPDX-License-Identifier: Apache-2.0
//
// The parameters on which the two sides agree: RFC 1144, 5.1, with the names of RFC 1332, 4.1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace headroom::vj {

// The types of link packets: protocol numbers of PPP (RFC 1332, 3.2).
inline constexpr std::uint16_t kTypeIp = 0x0021, kTypeCompressed = 0x002D, kTypeUncompressed = 0x002F;

// The type of a link packet in details.
enum class PacketType : std::uint8_t { ip, uncompressed, compressed };
inline constexpr std::array<std::string_view, 3> kPacketTypeNames = {"IP", "UNCOMPRESSED_TCP", "COMPRESSED_TCP"};

inline constexpr std::uint32_t kMostSlots = 256;  // "0 < N <= 256" (note 24)

struct Config {
  std::uint32_t channels = 1;
  std::uint32_t slots = 16;      // Max-Slot-Id + 1; "both sides should assume sixteen" (5.1)
  bool compress_slot_id = true;  // Comp-Slot-Id: true if C may be clear
};

}  // namespace headroom::vj
