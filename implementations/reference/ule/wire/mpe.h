// SPDX-License-Identifier: Apache-2.0
//
// The datagram_section of Multiprotocol Encapsulation: ETSI EN 301 192, 7.1, in the syntax of private sections (ISO/IEC
// 13818-1, 2.4.4.10).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ule/wire/sndu.h"

namespace headroom::ule::wire {

inline constexpr std::uint8_t kTableDatagram = 0x3E;  // table_id: DSM-CC sections with private data
inline constexpr std::uint8_t kTableStuffing = 0xFF;  // after the last section of a TS packet
inline constexpr std::size_t kSectionPrefix = 3;      // table_id to section_length, which counts the octets that follow
inline constexpr std::size_t kSectionHeader = 12;     // up to MAC_address_1
inline constexpr std::size_t kLargestSection = 4096;  // octets; section_length is at most 4093
inline constexpr std::size_t kLlcSnap = 8;            // LLC AA AA 03, OUI of zeros, EtherType
// A section may begin with the last octet of a TS packet, after a pointer_field (ISO/IEC 13818-1, 2.4.4.2).
inline constexpr std::uint8_t kLargestPointerField = 182;

// The fields and the content of a datagram_section.
struct DatagramSection {
  Npa mac{};
  bool has_llc_snap = false;
  bool is_whole = false;      // section 0 of 0, and current: no other section has a part of the datagram
  bool is_scrambled = false;  // True if the payload or the address is scrambled
  std::span<const std::uint8_t> content{};
};

// Returns the length in octets of the section at `section`. REQUIRES: kSectionPrefix octets.
[[nodiscard]] constexpr std::size_t section_octets(const std::uint8_t* section) noexcept {
  return kSectionPrefix + (read16(section + 1) & 0x0FFFU);
}

// Writes a section header of kSectionHeader octets. `octets` is the length of the section with its CRC-32. REQUIRES:
// octets <= kLargestSection.
void write_section_header(std::uint8_t* at, std::size_t octets, const Npa& mac, bool has_llc_snap) noexcept;

// Reads a section whose CRC-32 has been checked and removed. Returns nothing if the section is no datagram_section, or
// of a kind that has a checksum in place of a CRC-32.
[[nodiscard]] std::optional<DatagramSection> read_section(std::span<const std::uint8_t> section) noexcept;

void write_llc_snap(std::uint8_t* at, std::uint16_t type) noexcept;
// Returns the EtherType, or nothing if the octets do not begin with LLC/SNAP with an EtherType.
[[nodiscard]] std::optional<std::uint16_t> read_llc_snap(std::span<const std::uint8_t> octets) noexcept;

// Returns the length of an IP packet in octets, as its own length fields say; stuffing may follow it. Returns 0 if the
// octets are no IP packet, or not all of one.
[[nodiscard]] std::size_t ip_octets(std::span<const std::uint8_t> octets) noexcept;

}  // namespace headroom::ule::wire
