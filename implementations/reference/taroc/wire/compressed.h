// SPDX-License-Identifier: Apache-2.0
//
// The COMPRESSED_TCP header of 7.3.2: its layout only. What its fields mean is compressor.h's and decompressor.h's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "taroc/wire/header.h"

namespace headroom::taroc::wire {

// The flag octet: "R O I P S A W U".
inline constexpr std::uint8_t kU = 0x01, kW = 0x02, kA = 0x04, kS = 0x08, kP = 0x10, kI = 0x20, kO = 0x40, kR = 0x80;
inline constexpr std::uint8_t kWasi = kW | kA | kS | kI;

// Lengths in bits of C_WIN, C_ACK, C_SEQ and C_IP_ID, by PT (7.3.2.1).
struct WasiLengths {
  std::uint8_t window, acknowledgement, sequence, packet_id;
};
inline constexpr std::array<WasiLengths, 4> kWasiLengths = {
    {{10, 11, 11, 3}, {14, 15, 15, 7}, {16, 19, 19, 11}, {16, 23, 23, 15}}};

// Everything in front of the options. Of W, A, S and I each field holds as many LSBs as the PT has, and 0 where its
// flag is clear.
struct Header {
  std::uint8_t cid = 0, flags = 0;
  std::uint16_t checksum = 0;  // of TCP, as it is
  std::uint8_t r_octet = 0;    // Reserved, and bits 6 and 7 of the TOS or traffic class (RFC 2507, 6 a)
  std::uint16_t urgent = 0;    // the urgent pointer, "absolute value" (RFC 2507, 7.12.1)
  std::uint8_t pt = 0;
  std::uint32_t window = 0, acknowledgement = 0, sequence = 0, packet_id = 0;
};

// A time stamp's LSBs (7.3.2.2, V): 15, 22, 29 or 32 of them.
struct Lsb {
  std::uint32_t value = 0;
  std::uint8_t bits = 0;
};

// The changes of a SACK block: from the acknowledgement number to its left edge, and from there to its right edge.
struct SackBlock {
  std::uint16_t offset = 0, size = 0;
};
inline constexpr std::size_t kMostSackBlocks = 3;  // SA is two bits

// The Options field. Other options stand behind it, as they are; how many octets they have, the context knows.
struct Options {
  bool has_value = false, has_echo = false;  // V and E
  Lsb value, echo;
  std::uint8_t blocks = 0;  // SA
  std::array<SackBlock, kMostSackBlocks> block{};
};

// CID, flags, checksum, R-octet, urgent pointer in three octets; of WASI the longest has 79 bits, for which the draft's
// table has an octet too many.
inline constexpr std::size_t kLongestFront = 1 + 1 + 2 + 1 + 3 + 10;
// V, E and SA; two time stamps of five octets; three blocks of twice three.
inline constexpr std::size_t kLongestOptions = 1 + 2 * 5 + kMostSackBlocks * 2 * 3;
inline constexpr std::size_t kLongestHeader = kLongestFront + kLongestOptions + kMostOptions;

// The LSBs that a time stamp is sent with which needs so many: the fewest there are.
[[nodiscard]] std::uint8_t timestamp_bits(unsigned needed) noexcept;

// Both write from `out` on and return the end. REQUIRES: room for kLongestFront, kLongestOptions.
[[nodiscard]] std::uint8_t* write(const Header& header, std::uint8_t* out) noexcept;
[[nodiscard]] std::uint8_t* write(const Options& options, std::uint8_t* out) noexcept;

template <typename Part>
struct Parsed {
  Part part;
  std::size_t length;  // octets
};

// Reads what stands at the front of octets. Nothing where they end too early, where padding is not zero, and where the
// first four bits of a time stamp are ones. Bits that the draft gives no meaning are not looked at.
[[nodiscard]] std::optional<Parsed<Header>> parse_header(Octets octets) noexcept;
[[nodiscard]] std::optional<Parsed<Options>> parse_options(Octets octets) noexcept;

}  // namespace headroom::taroc::wire
