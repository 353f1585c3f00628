// SPDX-License-Identifier: Apache-2.0
//
// Fields with the same encoding in several chains (RFC 6846, 8.2): fl_enc, ip_id_enc_dyn, and the offsets of GRE's
// optional fields.
#pragma once

#include <bit>
#include <cstring>

#include "rohc/tcp/wire/headers.h"

namespace headroom::rohc::tcp::chain {

inline constexpr std::uint8_t kFlowLabelFollows = 0x10;  // discriminator of fl_non_zero, after three bits
inline constexpr std::uint8_t kGreC = 0x80, kGreK = 0x20, kGreS = 0x10;

inline void copy(Writer& out, const std::uint8_t* p, std::size_t count) noexcept { out.octets({p, count}); }
inline void copy(Reader& in, std::uint8_t* p, std::size_t count) noexcept {
  if (const std::uint8_t* from = in.take(count)) std::memcpy(p, from, count);
}

[[nodiscard]] inline std::uint32_t flow_label(const std::uint8_t* p) noexcept { return load32(p) & 0xfffff; }

// Writes fl_enc after three bits, which `above` holds.
inline void write_flow_label(Writer& out, std::uint8_t above, std::uint32_t label) noexcept {
  if (label == 0) {
    out.octet(above);
  } else {
    out.octet(static_cast<std::uint8_t>(above | kFlowLabelFollows | label >> 16));
    out.two(static_cast<std::uint16_t>(label));
  }
}

// Reads fl_enc into an IPv6 header without changing the traffic class; `first` is the octet with the discriminator.
[[nodiscard]] inline bool read_flow_label(Reader& in, std::uint8_t first, std::uint8_t* p) noexcept {
  std::uint32_t label = 0;
  if ((first & kFlowLabelFollows) != 0) {
    label = (first & 0x0fU) << 16;
    label |= in.two();
  } else if ((first & 0x0f) != 0) {
    return false;  // reserved
  }
  store32(p, (load32(p) & 0xfff00000) | label);
  return true;
}

// Returns the length of a GRE header with its optional fields, in octets.
[[nodiscard]] inline std::size_t gre_length(std::uint8_t flags) noexcept {
  return 4 + 4 * static_cast<std::size_t>(std::popcount(static_cast<unsigned>(flags & (kGreC | kGreK | kGreS))));
}
[[nodiscard]] inline std::size_t gre_key_place(const std::uint8_t* p) noexcept { return (p[0] & kGreC) != 0 ? 8 : 4; }
[[nodiscard]] inline std::size_t gre_number_place(const std::uint8_t* p) noexcept {
  return gre_key_place(p) + ((p[0] & kGreK) != 0 ? 4 : 0);
}

// Writes the IP-ID of dynamic and replicate items, or nothing if the IP-ID is always 0.
inline void write_ip_id(Writer& out, const Header& h, const std::uint8_t* p) noexcept {
  if (h.ip_id != IpIdBehaviour::kZero) out.two(load16(p + ipv4::kId));
}
// "A compressor MUST NOT assign either the sequential (NBO) or the sequential byte-swapped behavior to tunneling
// headers" (6.1.2). Returns false for such an item, which is malformed.
[[nodiscard]] inline bool read_ip_id(Reader& in, Header& h, bool innermost, unsigned behaviour,
                                     std::uint8_t* p) noexcept {
  h.ip_id = static_cast<IpIdBehaviour>(behaviour);
  store16(p + ipv4::kId, h.ip_id != IpIdBehaviour::kZero ? in.two() : std::uint16_t{0});
  return innermost || !is_sequential(h.ip_id);
}
[[nodiscard]] inline unsigned df_of(const std::uint8_t* p) noexcept { return p[ipv4::kFragment] >> 6 & 1U; }
inline void set_df(std::uint8_t* p, unsigned df) noexcept {
  store16(p + ipv4::kFragment, static_cast<std::uint16_t>(df << 14));
}

}  // namespace headroom::rohc::tcp::chain
