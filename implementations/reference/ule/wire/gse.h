// SPDX-License-Identifier: Apache-2.0
//
// The BBFRAME of DVB-S2 (ETSI EN 302 307-1, 5.1.6) that carries GSE, and the GSE packet (ETSI TS 102 606-1, 4.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "ule/wire/sndu.h"

namespace headroom::ule::wire {

inline constexpr std::size_t kBbHeader = 10;
// The length of the longest BBFRAME in octets: a normal FECFRAME of rate 9/10, 58,192 bits.
inline constexpr std::size_t kLargestBbFrame = 7274;

// The fields of a BBHEADER that matter for GSE.
struct BbHeader {
  bool is_gse = false;                   // a generic continuous stream, without ISSY and null-packet deletion
  std::optional<std::uint8_t> stream{};  // input stream identifier, if there are several streams
  std::size_t data_octets = 0;           // octets of the data field; padding of the BBFRAME follows
};

// Returns the CRC-8 of a BBHEADER (5.1.4): generator x^8 + x^7 + x^6 + x^4 + x^2 + 1, initial register 0.
[[nodiscard]] std::uint8_t crc8(std::span<const std::uint8_t> octets) noexcept;

// Writes a BBHEADER of kBbHeader octets. REQUIRES: data_octets < 8192.
void write_bb_header(std::uint8_t* at, std::size_t data_octets, std::optional<std::uint8_t> stream) noexcept;

// Reads the header of a BBFRAME. Returns nothing if the frame is too short or the CRC-8 is wrong. `is_gse` is also
// false if the data field is longer than the BBFRAME, or not of whole octets.
[[nodiscard]] std::optional<BbHeader> read_bb_header(std::span<const std::uint8_t> frame) noexcept;

// Label Type Indicator
enum class LabelType : std::uint8_t { six_octets, three_octets, broadcast, re_use };

inline constexpr std::size_t kGseFixed = 2;  // Start, End, Label Type, GSE Length, which counts the octets that follow
inline constexpr std::size_t kLargestGseLength = 0x0FFF;
inline constexpr std::size_t kFragId = 1;        // octets of the Frag ID of a fragment
inline constexpr std::size_t kTotalLength = 2;   // octets of the Total Length of the first fragment
inline constexpr std::size_t kProtocolType = 2;  // octets of the Protocol Type of a first fragment or a whole PDU
// Total Length counts Protocol Type, label, extension headers and PDU.
inline constexpr std::size_t kLargestTotalLength = 0xFFFF;

[[nodiscard]] constexpr std::size_t label_octets(LabelType type) noexcept {
  return type == LabelType::six_octets ? 6 : type == LabelType::three_octets ? 3 : 0;
}

struct GsePacket {
  bool start = false, end = false;
  LabelType label_type = LabelType::re_use;  // always re_use in later fragments
  std::uint8_t frag_id = 0;                  // Frag ID of a fragment
  std::uint16_t total_length = 0;            // of the first fragment
  std::uint16_t type = 0;                    // Protocol Type, with `start`
  std::span<const std::uint8_t> label{};
  std::span<const std::uint8_t> data{};  // the last fragment includes the CRC-32
};

// Writes the header of a packet with packet.data.size() octets. Returns the end of the header, where the octets are to
// be put. REQUIRES: GSE Length does not exceed kLargestGseLength.
std::uint8_t* write_gse_header(std::uint8_t* at, const GsePacket& packet) noexcept;

// Returns the next packet of a data field and removes it from `rest`. Returns nothing if only padding is left (`rest`
// is then empty), or the rest is not a packet (`rest` is then unchanged).
[[nodiscard]] std::optional<GsePacket> next_gse_packet(std::span<const std::uint8_t>& rest) noexcept;

}  // namespace headroom::ule::wire
