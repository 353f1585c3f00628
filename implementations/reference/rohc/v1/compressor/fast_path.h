// SPDX-License-Identifier: Apache-2.0
//
// The compressor's fast path: a packet that equals its context's prediction exactly is sent as UO-0, or in R-mode as
// R-0 (RFC 3095 5.7.1, 5.11.3).
//
// All differences from the prediction are collected in one word, which must be zero: the full comparison with the
// pattern (necessary, because tags of the flow table collide), lengths, checksums, SN, TS, IP-ID and due refreshes. The
// fast path makes the same octets as the general path, and catch_up() of the W-LSB window accounts for its effect on
// the context; tests compare both paths packet by packet.
#pragma once

#include <cstdint>

#include "headroom.h"
#include "rohc/v1/compressor/context.h"
#include "rohc/v1/header/describe_layout.h"
#include "rohc/v1/header/predicted.h"

namespace headroom::rohc {

// The most octets that the fast path writes for a UO-0 header: Add-CID or large CID, base header, IP-ID, UDP checksum
// and UDP-Lite Checksum Coverage, rounded up to whole stores. There is no outer header.
inline constexpr std::uint32_t kFastHeaderRoom = 10;

namespace fast {

// Compares the header under `mask` with the pattern; returns 0 if they are equal. Compares words of eight octets; with
// a known layout the last word ends at the header's end and may overlap the word before.
template <bool kKnown>
[[gnu::always_inline]] inline std::uint64_t differences(const Layout& l, const Image& mask, const std::uint8_t* header,
                                                        const Image& pattern) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const std::size_t size = kKnown ? l.header : kImageSize;
  std::uint64_t different = 0;
  const auto compare = [&](std::size_t at) {
    std::uint64_t header_word, mask_word, pattern_word;
    std::memcpy(&header_word, header + at, kWord);
    std::memcpy(&mask_word, mask.data() + at, kWord);
    std::memcpy(&pattern_word, pattern.data() + at, kWord);
    different |= (header_word & mask_word) ^ pattern_word;
  };
#pragma GCC unroll 8
  for (std::size_t at = 0; at + kWord <= size; at += kWord) compare(at);
  if (size % kWord != 0) compare(size - kWord);
  return different;
}

// See compress_predicted. kKnown: `l` is a compile-time constant.
template <bool kReliable, bool kKnown>
[[gnu::always_inline]] inline bool compress(const Layout& l, CompressorContext& c, headroom_packet& packet,
                                            std::uint32_t now_ms) noexcept {
  const std::uint32_t length = packet.in_length;
  const std::uint8_t* h = packet.in;
  alignas(16) Image padded;
  if (kKnown && length < l.header) [[unlikely]]
    return false;
  if (!kKnown && length < kImageSize) [[unlikely]] {
    padded = {};
    std::memcpy(padded.data(), h, length);
    h = padded.data();
  }
  // If the layout is not known at compile time, branch-free code handles an IP-ID that may be absent.
  const bool has_id = !kKnown || l.is_ipv4();

  std::uint64_t different = differences<kKnown>(l, l.pattern_mask, h, c.pattern);

  const auto sn = static_cast<std::uint16_t>(c.sn + 1);
  const std::uint32_t ts = c.ts + c.ts_stride;  // a wraparound may change TS_OFFSET: below, it is not for the fast path
  different |= (wire::load16(h + l.sn_at) ^ sn) & l.sn_mask;
  different |= (wire::load32(h + l.ts_at) ^ ts) & l.sn_mask;

  std::uint16_t id = 0;
  bool may_count = false;
  if (has_id) {
    id = wire::load16(h + l.id_at);
    const auto predicted_id = static_cast<std::uint16_t>(c.id_base + (sn & c.id_sn_mask));
    different |= static_cast<unsigned>(rotate16(id, c.id_rotation) ^ predicted_id) & c.id_mask;
    const auto id_step = static_cast<std::uint16_t>(id - c.last_id - c.id_near_from);
    const auto swapped_step = static_cast<std::uint16_t>(wire::swap16(id) - wire::swap16(c.last_id) - c.id_near_from);
    may_count = (id_step < c.id_near) | (swapped_step < c.id_near);
  }

  DynamicOctets dynamic;
  dynamic.ip = wire::load_little32(h + l.length_at);
  dynamic.udp = wire::load_little32(h + l.udp_length_at);
  dynamic.rtp = wire::load_little64(h + l.fold_sn_at) >> 8;
  if (has_id) {
    dynamic.ip_checksum = wire::load_little16(h + l.ip_checksum_at);
    const std::uint16_t checksum =
        ipv4_checksum(c.ipv4_sum, static_cast<std::uint16_t>(dynamic.ip), static_cast<std::uint16_t>(dynamic.ip >> 16));
    different |= (checksum ^ dynamic.ip_checksum) & l.ipv4_mask;
  }
  different |= (wire::load16(h + l.length_at) + l.length_adds) ^ length;
  different |= (wire::load16(h + l.udp_length_at) ^ (length - l.udp)) & l.udp_length_mask;
  const bool has_checksum = (wire::load_little16(h + l.udp_checksum_at) & l.udp_mask) != 0;
  different |= static_cast<unsigned>(has_checksum != (c.udp_checksum_octets != 0));

  const bool blocked = !(kReliable ? c.fast_reliable : c.fast) | (length < l.header) | (c.refresh_countdown == 0) |
                       (now_ms >= c.refresh_at_ms) | (ts < c.ts) | may_count |
                       (packet.out_capacity < length + kFastHeaderRoom);
  if ((different | blocked) != 0) return false;
  if (!kKnown && c.may_carry_rtp && may_be_rtp(packet.in + l.header, length - l.header)) return false;

  const auto octet =
      static_cast<std::uint8_t>(kReliable ? sn & 63U : (sn & 15U) << 3 | crc3_of(l, c.crc3_static, dynamic));
  std::uint8_t* out = packet.out;
  *out = c.cid_octets.before;
  out += c.cid_octets.before_count;
  *out++ = octet;
  std::memcpy(out, c.cid_octets.after, 2);
  out += c.cid_octets.after_count;
  if (has_id) {
    std::memcpy(out, h + l.id_at, 2);
    out += c.id_octets;
  }
  std::memcpy(out, h + l.udp_tail_at, 4);
  out += c.udp_checksum_octets;
  const std::uint32_t payload = length - l.header;
  copy_payload(out, packet.in + l.header, payload);
  packet.out_length = static_cast<std::uint32_t>(out - packet.out) + payload;

  c.sn = sn;
  c.ts = ts;
  c.fast_run = static_cast<std::uint8_t>(c.fast_run + (c.fast_run != 255));
  if (has_id) c.last_id = id;
  c.refresh_countdown = static_cast<std::uint16_t>(c.refresh_countdown - c.refresh_step);
  c.last_used_ms = now_ms;
  return true;
}

// Returns the pattern's mask without the marker bit. REQUIRES: l.has_rtp().
[[nodiscard]] constexpr Image mask_without_marker(const Layout& l) noexcept {
  Image mask = l.pattern_mask;
  mask[l.rtp + 1U] = 0x7f;
  return mask;
}

// See continues_flow.
template <Shape kShape>
[[nodiscard]] inline bool continues_flow(const CompressorContext& c, const headroom_packet& packet) noexcept {
  static constexpr Layout kLayout = kLayoutOf<kShape>;
  static constexpr Image kMask = mask_without_marker(kLayout);
  const Layout& l = kLayout;
  const std::uint8_t* h = packet.in;
  const std::uint32_t length = packet.in_length;
  if (length < l.header || !may_be_rtp(h + l.rtp, length - l.rtp)) return false;
  std::uint64_t different = differences<true>(l, kMask, h, c.pattern);
  different |= (wire::load16(h + l.length_at) + std::uint32_t{l.length_adds}) ^ length;
  different |= wire::load16(h + l.udp_length_at) ^ (length - l.udp);
  if (l.is_ipv4()) {
    const std::uint16_t sum =
        ipv4_checksum(c.ipv4_sum, wire::load_little16(h + l.length_at), wire::load_little16(h + l.id_at));
    different |= static_cast<unsigned>(sum ^ wire::load_little16(h + l.ip_checksum_at));
  }
  return different == 0;
}

}  // namespace fast

// True if `packet` belongs to the flow of context `c` and its pattern, marker excepted, has not changed: profile_for
// and find_flow would then return the same results as for the flow's last packet. Supports RTP flows with one IP header
// and without lists; for other flows the result is false, which means unknown.
[[nodiscard]] inline bool continues_flow(const CompressorContext& c, const headroom_packet& packet) noexcept {
  if (c.state == CompressorState::kUnused || c.tunnel || c.lists != ListUse::kNone) return false;
  switch (c.shape) {
    case Shape::kRtpIpv4:
      return fast::continues_flow<Shape::kRtpIpv4>(c, packet);
    case Shape::kRtpIpv6:
      return fast::continues_flow<Shape::kRtpIpv6>(c, packet);
    default:
      return false;
  }
}

// Compresses `packet` with context `c` if the packet equals the prediction: fills `out` and `out_length` and returns
// true. Otherwise changes nothing and returns false. kReliable: sends R-0. REQUIRES: packet.in_length > 0. Not inlined,
// because the loop over a burst would run out of registers.
template <bool kReliable = false>
[[nodiscard, gnu::noinline]] bool compress_predicted(CompressorContext& c, headroom_packet& packet,
                                                     std::uint32_t now_ms) noexcept {
  switch (c.shape) {
    case Shape::kRtpIpv4:
      return fast::compress<kReliable, true>(kLayoutOf<Shape::kRtpIpv4>, c, packet, now_ms);
    case Shape::kRtpIpv6:
      return fast::compress<kReliable, true>(kLayoutOf<Shape::kRtpIpv6>, c, packet, now_ms);
    default:
      return fast::compress<kReliable, false>(layout_of(c.shape), c, packet, now_ms);
  }
}

}  // namespace headroom::rohc
