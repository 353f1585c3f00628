// SPDX-License-Identifier: Apache-2.0
//
// The MPEG-2 TS packet as ULE uses it: RFC 4326, 6 and 7, based on ISO/IEC 13818-1, 2.4.3.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mutants.h"

namespace headroom::ule::wire {

inline constexpr std::size_t kTsOctets = 188;
inline constexpr std::size_t kTsHeader = 4;
inline constexpr std::size_t kTsPayload = kTsOctets - kTsHeader;
inline constexpr std::uint8_t kSyncOctet = 0x47;
inline constexpr std::uint16_t kNullPid = 0x1FFF;
// The largest Payload Pointer: "It is illegal to receive a Payload Pointer value greater than 181" (7), because two
// octets of an SNDU must fit after it.
inline constexpr std::uint8_t kLargestPayloadPointer = 181;

struct TsHeader {
  bool transport_error = false;     // transport_error_indicator
  bool payload_unit_start = false;  // PUSI
  std::uint16_t pid = 0;
  bool scrambled = false;
  std::uint8_t continuity_counter = 0;
  bool payload_alone = false;  // adaptation_field_control 01: payload without adaptation field
};

inline void write_ts_header(std::uint8_t* packet, std::uint16_t pid, bool payload_unit_start,
                            std::uint8_t continuity_counter) noexcept {
  packet[0] = kSyncOctet;
  packet[1] = static_cast<std::uint8_t>((payload_unit_start ? 0x40U : 0U) | pid >> 8);
  packet[2] = static_cast<std::uint8_t>(pid);
  const unsigned control = mutant("ule-adaptation-field-announced") ? 0x30U : 0x10U;  // payload alone
  packet[3] = static_cast<std::uint8_t>(control | (continuity_counter & 0x0FU));
}

// Reads the header of a TS packet. Returns nothing if the octets are no TS packet: wrong length, or no sync octet.
[[nodiscard]] inline std::optional<TsHeader> read_ts_header(std::span<const std::uint8_t> packet) noexcept {
  if (packet.size() != kTsOctets || packet[0] != kSyncOctet) return std::nullopt;
  TsHeader header;
  header.transport_error = (packet[1] & 0x80U) != 0;
  header.payload_unit_start = (packet[1] & 0x40U) != 0;
  header.pid = static_cast<std::uint16_t>((packet[1] & 0x1FU) << 8 | packet[2]);
  header.scrambled = (packet[3] & 0xC0U) != 0;
  header.continuity_counter = packet[3] & 0x0FU;
  header.payload_alone = (packet[3] >> 4 & 3U) == 1;
  return header;
}

}  // namespace headroom::ule::wire
