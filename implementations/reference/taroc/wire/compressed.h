// SPDX-License-Identifier: Apache-2.0
//
// The COMPRESSED_TCP header of 7.3.2: layout only. compressor.h and decompressor.h define the meaning of the fields.
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

// The lengths of C_WIN, C_ACK, C_SEQ and C_IP_ID in bits, by PT (7.3.2.1).
struct WasiLengths {
  std::uint8_t window, acknowledgement, sequence, packet_id;
};
inline constexpr std::array<WasiLengths, 4> kWasiLengths = {
    {{10, 11, 11, 3}, {14, 15, 15, 7}, {16, 19, 19, 11}, {16, 23, 23, 15}}};

// The header before the options. Each field of W, A, S and I holds the LSBs that the PT defines, or 0 if its flag is
// clear.
struct Header {
  std::uint8_t cid = 0, flags = 0;
  std::uint16_t checksum = 0;  // the TCP checksum, sent uncompressed
  std::uint8_t r_octet = 0;    // Reserved, and bits 6 and 7 of the TOS or traffic class (RFC 2507, 6 a)
  std::uint16_t urgent = 0;    // the urgent pointer, "absolute value" (RFC 2507, 7.12.1)
  std::uint8_t pt = 0;
  std::uint32_t window = 0, acknowledgement = 0, sequence = 0, packet_id = 0;
};

// The LSBs of a time stamp (7.3.2.2, V): 15, 22, 29 or 32 bits.
struct Lsb {
  std::uint32_t value = 0;
  std::uint8_t bits = 0;
};

// A SACK block: `offset` is the distance from the acknowledgement number to the left edge, `size` the distance from the
// left to the right edge, in octets.
struct SackBlock {
  std::uint16_t offset = 0, size = 0;
};
inline constexpr std::size_t kMostSackBlocks = 3;  // SA is two bits

// The Options field. Other options follow uncompressed; the context determines their length.
struct Options {
  bool has_value = false, has_echo = false;  // V and E
  Lsb value, echo;
  std::uint8_t blocks = 0;  // SA
  std::array<SackBlock, kMostSackBlocks> block{};
};

// The most octets of a header before the options: CID, flags, checksum, R-octet, urgent pointer in three octets, and
// WASI. The longest WASI has 79 bits; the draft's table has an octet too many for it.
inline constexpr std::size_t kLongestFront = 1 + 1 + 2 + 1 + 3 + 10;
// The most octets of the Options field: V, E and SA; two time stamps of five octets; three blocks of two times three
// octets.
inline constexpr std::size_t kLongestOptions = 1 + 2 * 5 + kMostSackBlocks * 2 * 3;
inline constexpr std::size_t kLongestHeader = kLongestFront + kLongestOptions + kMostOptions;

// Returns the smallest number of LSBs, of those that a time stamp can have, that is at least `needed`.
[[nodiscard]] std::uint8_t timestamp_bits(unsigned needed) noexcept;

// Both functions write at `out` and return the end. REQUIRES: room for kLongestFront or kLongestOptions octets.
[[nodiscard]] std::uint8_t* write(const Header& header, std::uint8_t* out) noexcept;
[[nodiscard]] std::uint8_t* write(const Options& options, std::uint8_t* out) noexcept;

template <typename Part>
struct Parsed {
  Part part;
  std::size_t length;  // octets
};

// Both functions read from the start of `octets`. They return nothing if the octets are truncated, if padding is not
// zero, or if the first four bits of a time stamp are ones. Bits to which the draft gives no meaning are ignored.
[[nodiscard]] std::optional<Parsed<Header>> parse_header(Octets octets) noexcept;
[[nodiscard]] std::optional<Parsed<Options>> parse_options(Octets octets) noexcept;

}  // namespace headroom::taroc::wire
