// SPDX-License-Identifier: Apache-2.0
//
// The decompressor's fast path: a UO-0 or R-0 packet (RFC 3095 5.7.1, 5.11.3) for a context in Full Context state with
// one IP header. Its result and its effect on the context equal those of the general path; tests compare both paths
// packet by packet.
#pragma once

#include <cstdint>

#include "headroom.h"
#include "rohc/v1/decompressor/context.h"
#include "rohc/v1/header/describe_layout.h"
#include "rohc/v1/header/predicted.h"

namespace headroom::rohc {

// Returns a time between packets in the unit of DecompressorContext::interval, 1,024 ns, which needs no division.
[[nodiscard]] constexpr std::uint64_t interval_units(std::uint64_t elapsed_ns) noexcept { return elapsed_ns / 1024; }

// Returns the moving average of the interval with weight 1/8.
[[nodiscard]] inline std::uint32_t average_interval(std::uint32_t average, std::uint64_t elapsed_ns) noexcept {
  const auto elapsed = static_cast<std::uint32_t>(interval_units(elapsed_ns));
  return average == 0 ? elapsed : average - average / 8 + elapsed / 8;
}

namespace fast {

// The fields of a header that change from packet to packet.
struct ChangedFields {
  std::uint16_t sn;
  std::uint32_t ts;
  bool marker;
  std::uint16_t id;  // restore() fills it in
};

// Restores the packet from context `c` and `changed`; `rest` begins with the fields that are sent uncompressed. Calls
// `verify` with the CRC-DYNAMIC octets before writing anything. Returns false, with `packet` unchanged, if the packet
// cannot be restored. kKnown: `l` is a compile-time constant.
template <bool kKnown, typename Verify>
[[gnu::always_inline]] inline bool restore(const Layout& l, const DecompressorContext& c, headroom_packet& packet,
                                           Octets rest, ChangedFields& changed, Verify&& verify) noexcept {
  // If the layout is not known at compile time, branch-free code handles an IP-ID that may be absent.
  const bool has_id = !kKnown || l.is_ipv4();
  const std::uint32_t id_octets = has_id ? c.id_octets : 0U;
  const std::uint32_t tail = id_octets + c.udp_checksum_octets;
  if (rest.size() < tail) return false;
  // Reads IP-ID, Checksum Coverage and UDP checksum unconditionally and masks absent fields, because a branch would be
  // hard to predict.
  std::uint64_t tail_octets;
  if (rest.size() >= sizeof tail_octets) [[likely]] {
    tail_octets = wire::load_little64(rest.data());
  } else {
    std::uint8_t padded[sizeof tail_octets] = {};
    std::memcpy(padded, rest.data(), tail);
    tail_octets = wire::load_little64(padded);
  }
  const std::uint32_t udp_mask = 0U - std::uint32_t{c.udp_checksum_octets != 0};
  const auto payload = static_cast<std::uint32_t>(rest.size() - tail);
  const std::uint32_t length = l.header + payload;
  if (packet.out_capacity < kImageSize || packet.out_capacity < length || length - l.length_adds > 0xffff) return false;

  // Length or Checksum Coverage, and checksum, in the restored header: inferred, sent, or from the pattern.
  const std::uint32_t udp =
      (wire::swap16(static_cast<std::uint16_t>(length - l.udp)) & l.udp_length_mask) |
      ((static_cast<std::uint32_t>(tail_octets >> (8U * id_octets)) & udp_mask) << l.udp_tail_shift) |
      wire::load_little32(c.pattern.data() + l.udp_length_at);

  const std::uint16_t sn = changed.sn;
  const std::uint16_t ip_length = wire::swap16(static_cast<std::uint16_t>(length - l.length_adds));
  DynamicOctets dynamic;
  dynamic.ip = ip_length;
  if (has_id) {
    const auto id_mask = static_cast<std::uint16_t>(0U - (id_octets != 0));
    const auto predicted_id = static_cast<std::uint16_t>(c.id_base + (sn & c.id_sn_mask));
    changed.id = static_cast<std::uint16_t>((wire::swap16(static_cast<std::uint16_t>(tail_octets)) & id_mask) |
                                            (rotate16(predicted_id, c.id_rotation) & ~id_mask));
    const std::uint16_t ip_id = wire::swap16(changed.id);
    dynamic.ip |= std::uint32_t{ip_id} << 16;
    dynamic.ip_checksum = ipv4_checksum(c.ipv4_sum, ip_length, ip_id);
  }
  dynamic.udp = udp;
  const std::uint8_t marker = changed.marker ? 0x80 : 0;
  dynamic.rtp = (c.pattern[l.fold_sn_at + 1U] | marker) | std::uint64_t{wire::swap16(sn)} << 8 |
                std::uint64_t{__builtin_bswap32(changed.ts)} << 24;
  if (!verify(dynamic)) return false;

  std::uint8_t* out = packet.out;
  std::memcpy(out, c.pattern.data(), kImageSize);
  wire::store16(out + l.length_at, static_cast<std::uint16_t>(length - l.length_adds));
  if (has_id) {
    wire::store16(out + l.id_at, changed.id);
    wire::store16(out + l.ip_checksum_at, wire::swap16(dynamic.ip_checksum));
  }
  wire::store_little32(out + l.udp_length_at, udp);
  if (changed.marker) out[l.rtp + 1U] |= 0x80;
  wire::store16(out + l.sn_at, sn);
  wire::store32(out + l.ts_at, changed.ts);
  copy_payload(out + l.header, rest.data() + tail, payload);
  packet.out_length = length;
  return true;
}

// See decompress_type_0.
template <bool kReliable, bool kKnown>
[[gnu::always_inline]] inline bool decompress(const Layout& l, DecompressorContext& c, headroom_packet& packet,
                                              std::uint8_t octet, Octets rest, std::uint64_t now_ns) noexcept {
  // W-LSB with 4 or 6 bits (4.5.1): the interpretation interval of both widths begins sn_low after the reference.
  const auto low = static_cast<std::uint16_t>(c.sn + c.sn_low);
  const auto sn = static_cast<std::uint16_t>(kReliable ? low + ((unsigned{octet} - low) & 63U)
                                                       : low + ((static_cast<unsigned>(octet >> 3) - low) & 15U));
  const auto step = static_cast<std::int16_t>(sn - c.sn);
  ChangedFields changed{sn, c.ts + c.ts_stride * static_cast<std::uint32_t>(std::int32_t{step}), false, 0};
  const auto verify = [&](const DynamicOctets& dynamic) {
    return kReliable || crc3_of(l, c.crc3_static, dynamic) == (octet & 7);
  };
  if (!restore<kKnown>(l, c, packet, rest, changed, verify)) return false;

  if (kReliable) {  // "R-0 packets do not update any part of the context"; but a sequence of updates ends here
    c.acks_held = 0;
    return true;
  }
  if (step == 1) c.interval = average_interval(c.interval, now_ns - c.arrived_ns);
  c.arrived_ns = now_ns;
  c.previous_sn = c.sn;
  c.sn = sn;
  c.ts = changed.ts;
  if (!kKnown || l.is_ipv4()) c.last_id = changed.id;
  return true;
}

}  // namespace fast

// Decompresses a type 0 packet: `octet` is its first octet, `rest` the octets after the CID. Returns true on success.
// Otherwise changes nothing, and the general path determines the reason. REQUIRES: c.fast and octet < 0x80; with
// kReliable, for R-0, c.fast_reliable and octet < 0x40. Not inlined, because the loop over a burst would run out of
// registers.
template <bool kReliable = false>
[[nodiscard, gnu::noinline]] bool decompress_type_0(DecompressorContext& c, headroom_packet& packet, std::uint8_t octet,
                                                    Octets rest, std::uint64_t now_ns) noexcept {
  switch (c.shape) {
    case Shape::kRtpIpv4:
      return fast::decompress<kReliable, true>(kLayoutOf<Shape::kRtpIpv4>, c, packet, octet, rest, now_ns);
    case Shape::kRtpIpv6:
      return fast::decompress<kReliable, true>(kLayoutOf<Shape::kRtpIpv6>, c, packet, octet, rest, now_ns);
    default:
      return fast::decompress<kReliable, false>(layout_of(c.shape), c, packet, octet, rest, now_ns);
  }
}

}  // namespace headroom::rohc
