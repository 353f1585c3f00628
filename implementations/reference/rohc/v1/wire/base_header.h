// SPDX-License-Identifier: Apache-2.0
//
// Packet types 0, 1 and 2: RFC 3095 5.7.1 to 5.7.4 (RTP) and 5.11.3 (UDP, also IP: RFC 3843 3.6). Types 0 and 1 of
// R-mode have formats of their own, which nothing in a packet tells apart from those of U- and O-mode.
//
// Only layouts live here: which bits are where. What the bits mean is for the encodings and the contexts.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/framework/wire/cid.h"
#include "rohc/framework/wire/octets.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc::wire {

// Bits of a field as they stand in a packet: the `width` least significant bits of `value`. Width 0: not there.
struct Bits {
  std::uint32_t value = 0;
  std::uint8_t width = 0;

  // This field followed by less significant bits from an extension (RFC 3095 4.5.7). What does not fit into 32 bits
  // falls off at the top, where it can only be padding.
  [[nodiscard]] constexpr Bits followed_by(Bits low) const noexcept {
    const std::uint64_t joined = std::uint64_t{value} << low.width | low.value;
    return {static_cast<std::uint32_t>(joined), static_cast<std::uint8_t>(width + low.width)};
  }
};
// The `width` least significant bits of a field. REQUIRES: width < 32.
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

// Octets of a base header without CID.
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

// Appends the header with its CID. Values are cut to the width that the format has for them. The extension flag of a
// type without an X bit is ignored.
void write_base_header(Writer& out, const CidOctets& cid, Format format, const BaseHeader& header) noexcept;

// Reads a header whose first octet (already taken from the packet, as is the CID) is `first`; `in` stands behind the
// CID. `t_bit`: the formats with a T bit are in use, that is, the context has an IPv4 header with RND = 0 (RFC
// 3095 5.7.3). Ignored for Format::kUdp. `reliable`: types 0 and 1 are those of R-mode. Empty when `first` starts none
// of these types or the packet is too short.
[[nodiscard]] std::optional<BaseHeader> read_base_header(std::uint8_t first, Reader& in, Format format, bool t_bit,
                                                         bool reliable = false) noexcept;

}  // namespace headroom::rohc::wire
