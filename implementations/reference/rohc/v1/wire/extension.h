// SPDX-License-Identifier: Apache-2.0
//
// Extensions 0 to 3 of the base headers: RFC 3095 5.7.5 (RTP) and 5.11.4 (UDP and similar profiles).
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/framework/wire/octets.h"
#include "rohc/v1/wire/base_header.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc::wire {

// Flags and fields of one IP header in extension 3. A `has_` flag means that the field is present; `df`, `nbo` and
// `rnd` are valid if the flags octet is present.
struct IpHeaderUpdate {
  bool present = false;  // the flags octet is present: ip (inner) or ip2 (outer)
  bool has_tos = false;
  bool has_ttl = false;
  bool has_protocol = false;
  bool has_extension_headers = false;  // IPX
  bool df = false;
  bool nbo = false;
  bool rnd = false;
  bool has_id = false;  // I2; outer header only
  std::uint8_t tos = 0;
  std::uint8_t ttl = 0;
  std::uint8_t protocol = 0;
  Octets extension_headers;  // the field of 5.8.5.1, as wire/list.h writes and reads it
  std::uint16_t id = 0;
};

// RTP header flags and fields of extension 3.
struct RtpHeaderUpdate {
  bool present = false;
  Mode mode = Mode::kCancel;
  bool has_payload_type = false;  // R-PT
  bool marker = false;
  bool rtp_extension = false;  // R-X
  bool has_csrc = false;
  bool has_ts_stride = false;    // TSS
  bool has_time_stride = false;  // TIS
  bool padding = false;          // R-P
  std::uint8_t payload_type = 0;
  Octets csrc;  // the compressed CSRC list, as wire/list.h writes and reads it
  std::uint32_t ts_stride = 0;
  std::uint32_t time_stride = 0;
};

struct Extension {
  std::uint8_t kind = 0;  // 0 to 3

  // The bits that the extension adds to the fields of the base header. In extension 3 `sn` has 0 or 8 bits, `ts` 0, 7,
  // 14, 21 or 29 bits, and `id` 0 or 16 bits.
  Bits sn;
  Bits ts;
  Bits id;
  Bits outer_id;  // IP-ID2 of extension 2 without RTP

  // The following members are for extension 3 only.
  bool tsc = true;            // TS is scaled (Tsc)
  Mode mode = Mode::kCancel;  // without RTP: the Mode field of the first octet
  IpHeaderUpdate inner;
  IpHeaderUpdate outer;
  RtpHeaderUpdate rtp;
};

// The meaning of the fields +T and -T in extensions 0 to 2 (RFC 3095 5.7.5): TS and IP-ID if the T bit is 1, IP-ID and
// TS if the T bit is 0, and both TS without a T bit.
enum class TField : std::uint8_t { kBothTs, kPlusTs, kPlusId };

[[nodiscard]] constexpr TField t_field_of(PacketType type) noexcept {
  switch (type) {
    case PacketType::kUo1Id:
    case PacketType::kUor2Id:
    case PacketType::kR1Id:
      return TField::kPlusId;
    case PacketType::kUo1Ts:
    case PacketType::kUor2Ts:
    case PacketType::kR1Ts:
      return TField::kPlusTs;
    default:
      return TField::kBothTs;
  }
}

// The widths of the fields of extensions 0 to 2 in bits.
struct ExtensionWidths {
  std::uint8_t sn;
  std::uint8_t ts;
  std::uint8_t id;
  std::uint8_t outer_id;
};
// REQUIRES: kind <= 2.
[[nodiscard]] constexpr ExtensionWidths extension_widths(Format format, TField t, unsigned kind) noexcept {
  constexpr std::uint8_t kPlus[] = {3, 3, 11};  // +T in extensions 0, 1, 2
  constexpr std::uint8_t kMinus[] = {0, 8, 8};  // -T
  if (format == Format::kUdp) {                 // IP-ID 3; IP-ID 11; IP-ID2 11 and IP-ID 8
    constexpr std::uint8_t kId[] = {3, 11, 8};
    constexpr std::uint8_t kOuter[] = {0, 0, 11};
    return {3, 0, kId[kind], kOuter[kind]};
  }
  switch (t) {
    case TField::kPlusTs:
      return {3, kPlus[kind], kMinus[kind], 0};
    case TField::kPlusId:
      return {3, kMinus[kind], kPlus[kind], 0};
    default:
      return {3, static_cast<std::uint8_t>(kPlus[kind] + kMinus[kind]), 0, 0};
  }
}

// The most octets of an extension 3 without lists: flags 3, SN 1, TS 4, inner 3, IP-ID 2, outer 5, RTP 2 + 4 + 4.
inline constexpr std::size_t kMaxExtensionOctets = 28;

// REQUIRES: with Format::kRtp, `outer.present` implies `inner.present`, because ip2 is one of the inner flags.
void write_extension(Writer& out, Format format, TField t, const Extension& extension) noexcept;

// Reads an extension. Returns nothing if the extension is truncated or contains a malformed list. Lists are not copied
// but refer to the input.
[[nodiscard]] std::optional<Extension> read_extension(Reader& in, Format format, TField t) noexcept;

}  // namespace headroom::rohc::wire
