// SPDX-License-Identifier: Apache-2.0
//
// The SNDU (RFC 4326, 4 and 5), and the extension headers of RFC 5163.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headroom::ule::wire {

using Npa = std::array<std::uint8_t, 6>;  // Network Point of Attachment
inline constexpr Npa kBroadcast = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

inline constexpr std::size_t kBaseHeader = 4;  // D, Length, Type
inline constexpr std::size_t kNpaOctets = 6;
inline constexpr std::size_t kCrcOctets = 4;
inline constexpr std::uint16_t kEndIndicator = 0xFFFF;
// The largest SNDU Length, "counted from the byte following the Type field" (4.2): 15 bits.
inline constexpr std::size_t kLargestLength = 0x7FFF;
inline constexpr std::size_t kLargestSndu = kBaseHeader + kLargestLength;

// Values of the Type field: next headers below 1536 (0x600), EtherTypes from there on (4.4).
inline constexpr std::uint16_t kFirstEtherType = 0x0600;
inline constexpr std::uint16_t kTypeTest = 0x0000;       // 5.1
inline constexpr std::uint16_t kTypeBridged = 0x0001;    // 5.2
inline constexpr std::uint16_t kTypeTsConcat = 0x0002;   // RFC 5163, 3.1
inline constexpr std::uint16_t kTypePduConcat = 0x0003;  // RFC 5163, 3.2
inline constexpr std::uint8_t kHTypePadding = 0x00;      // H-Type of an optional extension header (5.3)
inline constexpr std::uint8_t kHTypeTimeStamp = 0x01;    // RFC 5163, 3.3
inline constexpr std::uint16_t kTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kTypeIpv6 = 0x86DD;

inline constexpr std::size_t kMacHeader = 14;  // header of a bridged frame: two addresses, EtherType or LLC length

[[nodiscard]] constexpr std::uint16_t read16(const std::uint8_t* p) noexcept {
  return static_cast<std::uint16_t>(p[0] << 8 | p[1]);
}
constexpr void write16(std::uint8_t* p, std::uint32_t value) noexcept {
  p[0] = static_cast<std::uint8_t>(value >> 8);
  p[1] = static_cast<std::uint8_t>(value);
}
constexpr void write32(std::uint8_t* p, std::uint32_t value) noexcept {
  write16(p, value >> 16);
  write16(p + 2, value);
}

// Returns the H-LEN of a Type below 1536: half the length of an optional extension header in octets; 0 for a mandatory
// extension header (5).
[[nodiscard]] constexpr unsigned h_len(std::uint16_t type) noexcept { return type >> 8; }

// The content of an SNDU after its header and its extension headers.
struct Content {
  enum class Kind : std::uint8_t {
    pdu,           // a PDU of `type`, an EtherType
    bridged,       // a MAC frame without its frame check sequence (5.2)
    ts_packets,    // TS packets (RFC 5163, 3.1)
    pdus,          // PDUs of `type` (RFC 5163, 3.2)
    test,          // a Test SNDU (5.1), which is not passed on
    unknown_type,  // unknown mandatory extension header: "MUST be discarded" (7.2)
    too_short,     // shorter than its headers require
  };
  Kind kind = Kind::too_short;
  std::uint16_t type = 0;
  std::span<const std::uint8_t> octets{};  // without the CRC
};

// Walks the chain of extension headers. `type` is the Type of the base header, `octets` is what follows the base header
// and the NPA address, without the CRC. Optional extension headers are skipped, even unknown ones, because H-LEN gives
// their length.
[[nodiscard]] Content content_of(std::uint16_t type, std::span<const std::uint8_t> octets) noexcept;

// Returns the next PDU of a PDU-Concat extension, and removes the PDU and its length from `rest`. If the length is 0 or
// goes beyond the end, the result is empty and `rest` unchanged.
[[nodiscard]] std::span<const std::uint8_t> next_pdu(std::span<const std::uint8_t>& rest) noexcept;
// True if "the sum of the Lengths of all processed PDUs equals the Length" (RFC 5163, 3.2).
[[nodiscard]] bool are_whole_pdus(std::span<const std::uint8_t> octets) noexcept;

// True if a bridged frame has the length that it states: "The Receiver MUST check this length" of an LLC frame (5.2).
[[nodiscard]] bool is_whole_frame(std::span<const std::uint8_t> frame) noexcept;

// Returns the NPA address for an IP packet (4.5): the address of its multicast group (RFC 1112, 6.4; RFC 2464, 7); all
// ones for the IPv4 limited broadcast address and the subnetwork broadcast addresses in `broadcasts`; otherwise
// `unicast`.
[[nodiscard]] Npa npa_of(std::uint16_t type, std::span<const std::uint8_t> pdu, const Npa& unicast,
                         std::span<const std::uint32_t> broadcasts = {}) noexcept;

}  // namespace headroom::ule::wire
