// SPDX-License-Identifier: Apache-2.0
//
// The BBFRAME of DVB-S2 (ETSI EN 302 307-1, 5.1.6) as it carries GSE, and the GSE packet (ETSI TS 102 606-1, 4.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ule/wire/sndu.h"

namespace headroom::ule::wire {

inline constexpr std::size_t kBbHeader = 10;
// The longest BBFRAME: a normal FECFRAME of rate 9/10, of 58,192 bits.
inline constexpr std::size_t kLargestBbFrame = 7274;

// What a BBHEADER says of a data field with GSE packets.
struct BbHeader {
  bool is_gse = false;                   // a generic continuous stream, without ISSY and null-packet deletion
  std::optional<std::uint8_t> stream{};  // input stream identifier, where there are several
  std::size_t data_octets = 0;           // of the data field; what follows is padding of the BBFRAME
};

// CRC-8 of a BBHEADER (5.1.4): generator x^8 + x^7 + x^6 + x^4 + x^2 + 1, register at first 0.
[[nodiscard]] std::uint8_t crc8(std::span<const std::uint8_t> octets) noexcept;

// Writes kBbHeader octets. REQUIRES: data_octets < 8192.
void write_bb_header(std::uint8_t* at, std::size_t data_octets, std::optional<std::uint8_t> stream) noexcept;

// Reads the header of a BBFRAME. Nothing where it is too short or the CRC-8 is wrong. `is_gse` is false, too, where the
// data field is longer than the BBFRAME, or not of whole octets.
[[nodiscard]] std::optional<BbHeader> read_bb_header(std::span<const std::uint8_t> frame) noexcept;

// Label Type Indicator
enum class LabelType : std::uint8_t { six_octets, three_octets, broadcast, re_use };

inline constexpr std::size_t kGseFixed = 2;  // Start, End, Label Type, GSE Length, which counts what follows
inline constexpr std::size_t kLargestGseLength = 0x0FFF;
inline constexpr std::size_t kFragId = 1;        // of all but whole PDUs
inline constexpr std::size_t kTotalLength = 2;   // of the first fragment
inline constexpr std::size_t kProtocolType = 2;  // of the first fragment, and of a whole PDU
// Total Length counts Protocol Type, label, extension headers and PDU.
inline constexpr std::size_t kLargestTotalLength = 0xFFFF;

[[nodiscard]] constexpr std::size_t label_octets(LabelType type) noexcept {
  return type == LabelType::six_octets ? 6 : type == LabelType::three_octets ? 3 : 0;
}

struct GsePacket {
  bool start = false, end = false;
  LabelType label_type = LabelType::re_use;  // of later fragments there is no other
  std::uint8_t frag_id = 0;                  // of fragments
  std::uint16_t total_length = 0;            // of the first fragment
  std::uint16_t type = 0;                    // with `start`
  std::span<const std::uint8_t> label{};
  std::span<const std::uint8_t> data{};  // of the last fragment: with the CRC-32
};

// Writes the header of a packet with `packet.data.size()` octets behind it. Returns its end, where they are to stand.
// REQUIRES: GSE Length stays within kLargestGseLength.
std::uint8_t* write_gse_header(std::uint8_t* at, const GsePacket& packet) noexcept;

// The next packet of a data field, which it is removed from; nothing where what is left is padding, or no packet:
// `rest` is empty then, or as it was.
[[nodiscard]] std::optional<GsePacket> next_gse_packet(std::span<const std::uint8_t>& rest) noexcept;

}  // namespace headroom::ule::wire
