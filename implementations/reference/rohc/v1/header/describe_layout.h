// SPDX-License-Identifier: Apache-2.0
//
// Computes the layout of each shape at compile time, for the fast paths, which have specialised code for the most
// frequent shapes (predicted.h). All other code uses the table in layout.h.
#pragma once

#include "rohc/framework/wire/crc.h"
#include "rohc/v1/header/layout.h"

namespace headroom::rohc {
namespace layout {

constexpr void fill(Image& mask, std::size_t from, std::size_t to, std::uint8_t value = 0xff) {
  for (std::size_t i = from; i < to; ++i) mask[i] = value;
}

// RFC 791 3.1. Options are absent, so the first octet is always 0x45; flags and offset are 0 but for DF.
constexpr void describe_ipv4(Layout& l) {
  l.ip_version = 4;
  l.header = kIpv4Header;
  l.ipv4_mask = 0xffffffff;
  l.fold_ip_mask = 0xffffffff;
  l.length_at = 2;
  l.length_adds = 0;
  l.id_at = 4;
  l.ip_checksum_at = 10;
  fill(l.pattern_mask, 0, 2);    // version, IHL, TOS
  fill(l.pattern_mask, 6, 10);   // flags, offset, TTL, protocol
  fill(l.pattern_mask, 12, 20);  // addresses
  fill(l.definition_mask, 0, 1);
  fill(l.definition_mask, 9, 10);
  fill(l.definition_mask, 12, 20);
}

// RFC 8200 3.
constexpr void describe_ipv6(Layout& l) {
  l.ip_version = 6;
  l.header = kIpv6Header;
  l.length_at = 4;
  l.length_adds = kIpv6Header;
  fill(l.pattern_mask, 0, 4);   // version, traffic class, flow label
  fill(l.pattern_mask, 6, 40);  // next header, hop limit, addresses
  fill(l.definition_mask, 0, 1, 0xf0);
  fill(l.definition_mask, 1, 2, 0x0f);
  fill(l.definition_mask, 2, 4);
  fill(l.definition_mask, 6, 7);
  fill(l.definition_mask, 8, 40);
}

// RFC 768, RFC 3828 3.1.
constexpr void describe_udp(Layout& l) {
  l.udp = l.header;
  l.udp_mask = 0xffffffff;
  l.udp_length_at = static_cast<std::uint8_t>(l.udp + 4);
  l.udp_checksum_at = static_cast<std::uint8_t>(l.udp + 6);
  fill(l.pattern_mask, l.udp, l.udp + 4U);
  fill(l.definition_mask, l.udp, l.udp + 4U);
  l.header = static_cast<std::uint8_t>(l.header + kUdpHeader);
  l.udp_tail_at = l.coverage == Coverage::kSent ? l.udp_length_at : l.udp_checksum_at;
  l.udp_tail_shift = l.coverage == Coverage::kSent ? 0 : 16;
  l.udp_length_mask = l.coverage == Coverage::kInferred ? 0xffffffff : 0;
  if (l.coverage == Coverage::kFixed) fill(l.pattern_mask, l.udp_length_at, l.udp_length_at + 2U);
}

// RFC 4303 2.1, 2.2. "The ESP sequence number is the only element" that is dynamic (RFC 3095 5.12.1).
constexpr void describe_esp(Layout& l) {
  l.esp = l.header;
  l.sn_mask = 0xffffffff;
  l.ts_at = static_cast<std::uint8_t>(l.esp + 4);
  l.sn_at = static_cast<std::uint8_t>(l.esp + 6);
  l.fold_sn_at = l.esp;
  l.fold_sn_mask = 0x00ffffffff000000U;  // octets 4 to 7 of the header
  fill(l.pattern_mask, l.esp, l.esp + 4U);
  fill(l.definition_mask, l.esp, l.esp + 4U);
  l.header = static_cast<std::uint8_t>(l.header + kEspHeader);
}

// RFC 3550 5.1: V, P, X and CC; M and PT; SN; TS; SSRC.
constexpr void describe_rtp(Layout& l) {
  l.rtp = l.header;
  l.sn_mask = 0xffffffff;
  l.fold_sn_at = l.rtp;
  l.fold_sn_mask = ~std::uint64_t{0};
  l.sn_at = static_cast<std::uint8_t>(l.rtp + 2);
  l.ts_at = static_cast<std::uint8_t>(l.rtp + 4);
  fill(l.pattern_mask, l.rtp, l.rtp + 2U);
  fill(l.pattern_mask, l.rtp + 8U, l.rtp + 12U);
  fill(l.definition_mask, l.rtp, l.rtp + 1U, 0xcf);
  fill(l.definition_mask, l.rtp + 8U, l.rtp + 12U);
  l.header = static_cast<std::uint8_t>(l.header + kRtpHeader);
}

// The CRC-DYNAMIC octets counted from the end of the message, by header: RTP 7 (M and PT, SN, TS), ESP 4, UDP and
// UDP-Lite 4, IPv4 checksum 2 and length with IP-ID 4, IPv6 length 2 (RFC 3095 5.7.7.3 to 5.7.7.7, RFC 4019 5.2.1).
constexpr void describe_fold(Layout& l) {
  unsigned bits = l.has_rtp() ? 56U : l.has_esp() ? 32U : 0U;
  bits += l.has_udp() ? 32U : 0U;
  l.fold_udp = static_cast<std::uint8_t>(wire::Crc3Fold::shift_for(bits));
  bits += l.is_ipv4() ? 16U : 0U;
  l.fold_ip_checksum = static_cast<std::uint8_t>(wire::Crc3Fold::shift_for(bits));
  bits += l.is_ipv4() ? 32U : 16U;
  l.fold_ip = static_cast<std::uint8_t>(wire::Crc3Fold::shift_for(bits));
}

constexpr Layout describe(unsigned ip_version, Transport transport, Coverage coverage) {
  Layout l;
  l.transport = transport;
  l.coverage = coverage;
  if (ip_version == 4) {
    describe_ipv4(l);
  } else {
    describe_ipv6(l);
  }
  if (transport == Transport::kEsp) {
    describe_esp(l);
  } else if (transport != Transport::kNone) {
    describe_udp(l);
  }
  if (without_rtp(transport) != transport) describe_rtp(l);
  describe_fold(l);
  return l;
}

constexpr std::array<Layout, kShapeCount> describe_all() {
  std::array<Layout, kShapeCount> layouts{};
  for (const unsigned version : {4U, 6U}) {
    for (const Transport t : {Transport::kNone, Transport::kUdp, Transport::kRtp, Transport::kEsp, Transport::kUdpLite,
                              Transport::kRtpUdpLite}) {
      // Without UDP-Lite all three values have the same shape, and the last layout stays.
      for (const Coverage c : {Coverage::kFixed, Coverage::kSent, Coverage::kInferred})
        layouts[static_cast<std::size_t>(shape_for(version, t, c))] = describe(version, t, c);
    }
  }
  return layouts;
}

}  // namespace layout

// kLayouts[shape] as a compile-time constant.
template <Shape kShape>
inline constexpr Layout kLayoutOf = layout::describe_all()[static_cast<std::size_t>(kShape)];

}  // namespace headroom::rohc
