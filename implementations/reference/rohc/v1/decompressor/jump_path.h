// SPDX-License-Identifier: Apache-2.0
//
// The decompressor's path for packets after silence: packets of RTP flows with TS bits and possibly a marker that
// otherwise equal the prediction. Their types are 1 and 2, without extension or with extension 0 (RFC 3095 5.7.3 to
// 5.7.5): the first packet after each silence, and the packets after it until the compressor has no reference from
// before the silence. As on the fast path, result and effect equal those of the general path, and tests compare both
// paths packet by packet.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/v1/decompressor/fast_path.h"
#include "rohc/v1/encoding/lsb.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc::jump {

// A header as received, and the octets after it.
struct Header {
  wire::PacketType type;
  bool marker;
  std::uint8_t sn_bits;
  std::uint8_t ts_bits;  // of TS_SCALED
  std::uint8_t crc_bits;
  std::uint8_t crc;
  std::uint32_t sn;
  std::uint32_t ts;
  Octets rest;
};

// Reads a header. `first` and `rest`: as for decompress_jump; `t_bit`: true if the formats with a T bit are in use.
// Returns nothing for all other types and extensions, and if the packet is truncated.
[[nodiscard]] inline std::optional<Header> read(std::uint8_t first, Octets rest, bool t_bit) noexcept {
  using wire::PacketType;
  if (rest.size() < 3) return std::nullopt;  // requires an octet of payload; the general path handles shorter packets
  const std::uint8_t second = rest[0];
  Header h;
  if (first < 0xc0) {                                       // 10 TS(6) | M SN(4) CRC(3), or 10 T TS(5) | M SN(4) CRC(3)
    if (t_bit && (first & 0x20) == 0) return std::nullopt;  // UO-1-ID
    h.type = t_bit ? PacketType::kUo1Ts : PacketType::kUo1;
    h.ts_bits = t_bit ? 5 : 6;
    h.ts = first & (t_bit ? 0x1fU : 0x3fU);
    h.marker = (second & 0x80) != 0;
    h.sn_bits = 4;
    h.sn = second >> 3 & 0xfU;
    h.crc_bits = 3;
    h.crc = second & 7;
    h.rest = rest.subspan(1);
    return h;
  }
  // 110 TS(5) | TS(1) M SN(6) | X CRC(7), or 110 TS(5) | T M SN(6) | X CRC(7)
  if (t_bit && (second & 0x80) == 0) return std::nullopt;  // UOR-2-ID
  h.type = t_bit ? PacketType::kUor2Ts : PacketType::kUor2;
  h.ts_bits = t_bit ? 5 : 6;
  h.ts = t_bit ? first & 0x1fU : (first & 0x1fU) << 1 | second >> 7;
  h.marker = (second & 0x40) != 0;
  h.sn_bits = 6;
  h.sn = second & 0x3fU;
  h.crc_bits = 7;
  h.crc = rest[1] & 0x7f;
  if (rest[1] < 0x80) {
    h.rest = rest.subspan(2);
    return h;
  }
  const std::uint8_t extension = rest[2];  // 00 SN(3) TS(3)
  if (extension >= 0x40) return std::nullopt;
  h.ts_bits = static_cast<std::uint8_t>(h.ts_bits + 3);
  h.ts = h.ts << 3 | (extension & 7U);
  h.sn_bits = 9;
  h.sn = h.sn << 3 | extension >> 3;
  h.rest = rest.subspan(3);
  return h;
}

// Decompresses the packet and updates the context. Returns false, without any change, if the packet does not verify.
template <Shape kShape>
[[nodiscard]] bool decompress(DecompressorContext& c, headroom_packet& packet, const Header& h,
                              std::uint64_t now_ns) noexcept {
  static constexpr Layout kLayout = kLayoutOf<kShape>;
  const Layout& l = kLayout;
  const auto sn = static_cast<std::uint16_t>(lsb_decode(h.sn, h.sn_bits, c.sn, p_of_packet_sn(h.sn_bits)));
  // "scaled" by TS_STRIDE, with the offset of the reference (4.5.3, RFC 4815 4).
  const std::uint32_t scaled = lsb_decode(h.ts, h.ts_bits, c.ts / c.ts_stride, p_of_timestamp(h.ts_bits));
  fast::ChangedFields changed{sn, scaled * c.ts_stride + c.ts % c.ts_stride, h.marker, 0};
  const auto verify = [&](const DynamicOctets& dynamic) {
    const std::uint8_t crc = h.crc_bits == 3 ? crc3_of(l, c.crc3_static, dynamic) : crc7_of(l, c.crc7_static, dynamic);
    return crc == h.crc;
  };
  if (!fast::restore<true>(l, c, packet, h.rest, changed, verify)) return false;

  // A silence does not count as time between packets.
  const bool measurable =
      static_cast<std::int16_t>(sn - c.sn) == 1 && (c.ts_stride == 1 || changed.ts - c.ts <= c.ts_stride);
  if (measurable) c.interval = average_interval(c.interval, now_ns - c.arrived_ns);
  c.arrived_ns = now_ns;
  c.previous_sn = c.sn;
  c.sn = sn;
  c.ts = changed.ts;
  if (l.is_ipv4()) c.last_id = changed.id;
  return true;
}

}  // namespace headroom::rohc::jump
