// SPDX-License-Identifier: Apache-2.0
//
// The compressed header of RFC 1144, 3.2.2 (figure 5): a change mask, the connection number, the TCP checksum, and the
// fields that changed. This file defines only the layout; compressor.h and decompressor.h define the meaning of a
// change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mutants.h"

namespace headroom::vj::wire {

using Octets = std::span<const std::uint8_t>;

// The change mask. The highest bit is free, and "ignored" (B.1).
inline constexpr std::uint8_t kU = 0x01, kW = 0x02, kA = 0x04, kS = 0x08, kP = 0x10, kI = 0x20, kC = 0x40;
inline constexpr std::uint8_t kFree = 0x80;
inline constexpr std::uint8_t kSawu = kS | kA | kW | kU;

// Two combinations of S, A, W and U that stand for frequent changes instead of changes of the four fields.
inline constexpr std::uint8_t kEchoed = kS | kW | kU;   // sequence number and acknowledgement grew by the last data
inline constexpr std::uint8_t kUnidirectional = kSawu;  // the sequence number alone grew by the last data

// The most octets of a header: mask, connection number, checksum, and five changes of three octets.
inline constexpr std::size_t kLongestHeader = 1 + 1 + 2 + 5 * 3;

// The content of a compressed header. Changes that the mask does not indicate are 0, except the packet ID, which is 1
// (3.2.2).
struct Changes {
  std::uint8_t mask = 0;
  std::uint8_t connection = 0;  // if the mask has C
  std::uint16_t checksum = 0;   // the TCP checksum, sent uncompressed
  std::uint16_t urgent = 0;     // the urgent pointer itself
  std::uint16_t window = 0;
  std::uint16_t acknowledgement = 0;
  std::uint16_t sequence = 0;
  std::uint16_t packet_id = 1;

  [[nodiscard]] std::uint8_t sawu() const noexcept { return mask & kSawu; }
  [[nodiscard]] bool special() const noexcept { return sawu() == kEchoed || sawu() == kUnidirectional; }
};

// Writes a change and returns its end. Values 1 .. 255 take one octet, others three: 0, then the value, most
// significant octet first.
[[nodiscard]] inline std::uint8_t* write_change(std::uint8_t* at, std::uint16_t value) noexcept {
  if (value != 0 && value < (mutant("vj-change-of-255-in-three-octets") ? 255 : 256)) {
    *at = static_cast<std::uint8_t>(value);
    return at + 1;
  }
  at[0] = 0;
  at[1] = static_cast<std::uint8_t>(value >> 8);
  at[2] = static_cast<std::uint8_t>(value);
  return at + 3;
}

// Writes a compressed header and returns its length in octets. REQUIRES: room for kLongestHeader.
[[nodiscard]] std::size_t write(const Changes& changes, std::uint8_t* out) noexcept;

struct Parsed {
  Changes changes;
  std::size_t length;  // octets of header
};

// Reads the header at the start of a packet. Returns nothing if the packet is truncated.
[[nodiscard]] std::optional<Parsed> parse(Octets packet) noexcept;

}  // namespace headroom::vj::wire
