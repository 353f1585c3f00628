// SPDX-License-Identifier: Apache-2.0
//
// Packet types 0, 1 and 2: RFC 3095 5.7.1 to 5.7.4 (RTP) and 5.11.3 (UDP, also IP: RFC 3843 3.6). Types 0 and 1 have
// different formats in R-mode; no bit of a packet distinguishes them from the formats of U- and O-mode.
//
// This file defines only the positions of the bits. The encodings and contexts define their meaning.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/framework/wire/cid.h"
#include "rohc/framework/wire/octets.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc::wire {

// The bits of a field in a packet: the `width` least significant bits of `value`. Width 0: the field is absent.
struct Bits {
  std::uint32_t value = 0;
  std::uint8_t width = 0;

  // Returns this field followed by less significant bits from an extension (RFC 3095 4.5.7). Bits beyond 32 are dropped
  // at the most significant end, where they can only be padding.
  [[nodiscard]] constexpr Bits followed_by(Bits low) const noexcept {
    const std::uint64_t joined = std::uint64_t{value} << low.width | low.value;
    return {static_cast<std::uint32_t>(joined), static_cast<std::uint8_t>(width + low.width)};
  }
};
// Returns the `width` least significant bits of a field. REQUIRES: width < 32.
[[nodiscard]] constexpr unsigned low(Bits field, unsigned width) noexcept { return field.value & ((1U << width) - 1); }

struct BaseHeader {
  PacketType type = PacketType::kUnknown;
  Bits sn;
  Bits ts;
  Bits id;
  bool marker = false;
  bool extension = false;  // X
  std::uint8_t crc = 0;
  std::uint8_t crc_width = 0;  // 3 or 7; 0: R-0 and R-1* have none
};

// Returns the octets of a base header without CID.
[[nodiscard]] constexpr std::size_t base_header_octets(Format format, PacketType type) noexcept {
  switch (type) {
    case PacketType::kUo0:
    case PacketType::kR0:
      return 1;
    case PacketType::kUor2:
      return format == Format::kUdp ? 2 : 3;
    case PacketType::kUor2Id:
    case PacketType::kUor2Ts:
      return 3;
    default:
      return 2;
  }
}

// Appends the header with its CID. Values are truncated to the width of their field in the format. The extension flag
// is ignored for types without an X bit.
void write_base_header(Writer& out, const CidOctets& cid, Format format, const BaseHeader& header) noexcept;

// Reads a header with the first octet `first`; `in` begins after the CID. `t_bit`: true if the formats with a T bit are
// in use, that is, the context has an IPv4 header with RND = 0 (RFC 3095 5.7.3); ignored for Format::kUdp. `reliable`:
// true if types 0 and 1 have the formats of R-mode. Returns nothing if `first` starts none of these types or the packet
// is too short.
[[nodiscard]] std::optional<BaseHeader> read_base_header(std::uint8_t first, Reader& in, Format format, bool t_bit,
                                                         bool reliable = false) noexcept;

}  // namespace headroom::rohc::wire
