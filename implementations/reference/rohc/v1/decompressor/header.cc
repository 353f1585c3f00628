// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/decompressor/header.h"

#include <cstring>

#include "mutants.h"
#include "rohc/framework/channel.h"
#include "rohc/v1/encoding/lsb.h"
#include "rohc/v1/header/chain.h"
#include "rohc/v1/header/crc_coverage.h"
#include "rohc/v1/header/predicted.h"

namespace headroom::rohc {

bool complete_ip(std::uint8_t* h, const Layout& l, std::size_t length, std::uint16_t id) noexcept {
  if (length - l.length_adds > 0xffff) return false;
  wire::store16(h + l.length_at, static_cast<std::uint16_t>(length - l.length_adds));
  if (!l.is_ipv4()) return true;
  wire::store16(h + l.id_at, id);
  wire::store16(h + l.ip_checksum_at, 0);
  wire::store16(h + l.ip_checksum_at, wire::swap16(static_cast<std::uint16_t>(~ipv4_sum(h))));
  return true;
}

void derive_from_pattern(ContextCopy& copy) noexcept {
  DecompressorContext& c = copy.c;
  const Layout& l = layout_of(c.shape);
  c.ipv4_sum = l.is_ipv4() ? ipv4_sum(c.pattern.data()) : std::uint16_t{0};
  const StaticCrc crc =
      static_crc(c.tunnel ? copy.tunnel.pattern.data() : nullptr, copy.tunnel.version, c.pattern.data(), l);
  c.crc3_static = crc.crc3;
  c.crc7_static = crc.crc7;
}

void derive_prediction(DecompressorContext& c) noexcept {
  const bool ipv4 = layout_of(c.shape).is_ipv4();
  const bool rnd = ipv4 && c.id_flags.rnd;
  const bool constant = ipv4 && c.id_flags.sid;
  c.id_rotation = ipv4 && !c.id_flags.nbo && !constant ? 8 : 0;
  c.id_octets = rnd ? 2 : 0;
  c.id_sn_mask = constant ? 0 : 0xffff;
  c.id_base = static_cast<std::uint16_t>(rotate16(c.last_id, c.id_rotation) - (c.sn & c.id_sn_mask));
  const std::int32_t p = traits_of(c.profile).sn_in_packet() ? p_of_packet_sn(4) : p_of_generated_sn(4);
  c.sn_low = static_cast<std::uint16_t>(-p);
}

void set_coverage(DecompressorContext& c, Coverage way, std::uint16_t value) noexcept {
  c.shape = with_coverage(c.shape, way);
  c.udp_checksum_octets = way == Coverage::kSent ? 4 : 2;
  wire::store16(c.pattern.data() + layout_of(c.shape).udp_length_at,
                way == Coverage::kFixed ? value : std::uint16_t{0});
}

Coverage coverage_for(const Layout& l, std::uint16_t value, std::size_t payload, Coverage otherwise) noexcept {
  return value == l.header - l.udp + payload ? Coverage::kInferred : otherwise;
}

bool restore_core(const ContextCopy& copy, bool marker, std::uint16_t udp_checksum, std::size_t payload,
                  RestoredHeader& header, std::optional<std::uint16_t> coverage) noexcept {
  const DecompressorContext& c = copy.c;
  const Layout& l = layout_of(c.shape);
  std::uint8_t* inner = header.octets.data();
  if (c.tunnel) {
    const Layout& outer = ip_layout(copy.tunnel.version);
    std::memcpy(inner, copy.tunnel.pattern.data(), outer.header);
    if (!complete_ip(inner, outer, std::size_t{outer.header} + l.header + payload, copy.tunnel.last_id)) return false;
    inner += outer.header;
  }
  std::memcpy(inner, c.pattern.data(), l.header);
  if (!complete_ip(inner, l, l.header + payload, c.last_id)) return false;
  if (l.has_udp()) {
    const std::size_t udp_length = l.header - l.udp + payload;
    if (udp_length > 0xffff) return false;
    const std::size_t too_many =
        l.has_coverage() && mutant("coverage-inferred-with-ip-header") ? l.udp : std::size_t{0};
    if (l.coverage == Coverage::kInferred)
      wire::store16(inner + l.udp_length_at, static_cast<std::uint16_t>(udp_length + too_many));
    if (coverage && l.has_coverage()) wire::store16(inner + l.udp_length_at, *coverage);
    wire::store16(inner + l.udp_checksum_at, udp_checksum);
  }
  if (l.has_rtp()) {
    if (marker) inner[l.rtp + 1] |= 0x80;
    wire::store16(inner + l.sn_at, c.sn);
    wire::store32(inner + l.ts_at, c.ts);
  }
  if (l.has_esp()) wire::store32(inner + l.ts_at, c.ts);
  header.size = static_cast<std::size_t>(inner - header.octets.data()) + l.header;
  return true;
}

}  // namespace headroom::rohc
