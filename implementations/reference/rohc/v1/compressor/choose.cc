// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/choose.h"

#include <span>

#include "habit.h"
#include "mutants.h"
#include "rohc/framework/wire/sdvl.h"
#include "rohc/v1/encoding/lsb.h"
#include "rohc/v1/wire/base_header.h"

namespace headroom::rohc {
namespace {

using wire::PacketType;

// A base header without extension or with extension 0, 1 or 2, and the bits it has for each field.
struct FormatRow {
  PacketType type;
  std::int8_t extension;
  std::uint8_t sn;
  std::uint8_t ts;
  std::uint8_t id;
  std::uint8_t outer_id;
  bool marker;
};

constexpr bool is_type_0(PacketType t) noexcept {
  return t == PacketType::kUo0 || t == PacketType::kR0 || t == PacketType::kR0Crc;
}

// Bits of the base headers (5.7.1 to 5.7.4, 5.11.3).
constexpr FormatRow base_row(wire::Format format, PacketType type) noexcept {
  const bool rtp = format == wire::Format::kRtp;
  switch (type) {
    case PacketType::kUo0:
      return {type, -1, 4, 0, 0, 0, false};
    case PacketType::kUo1:
      return rtp ? FormatRow{type, -1, 4, 6, 0, 0, true} : FormatRow{type, -1, 5, 0, 6, 0, false};
    case PacketType::kUo1Id:
      return {type, -1, 4, 0, 5, 0, false};
    case PacketType::kUo1Ts:
      return {type, -1, 4, 5, 0, 0, true};
    case PacketType::kUor2:
      return rtp ? FormatRow{type, -1, 6, 6, 0, 0, true} : FormatRow{type, -1, 5, 0, 0, 0, false};
    case PacketType::kUor2Id:
      return {type, -1, 6, 0, 5, 0, true};
    case PacketType::kR0:
      return {type, -1, 6, 0, 0, 0, false};
    case PacketType::kR0Crc:
      return {type, -1, 7, 0, 0, 0, false};
    case PacketType::kR1:
      return rtp ? FormatRow{type, -1, 6, 6, 0, 0, true} : FormatRow{type, -1, 6, 0, 7, 0, false};
    case PacketType::kR1Id:
      return {type, -1, 6, 0, 5, 0, true};
    default:  // kUor2Ts, kR1Ts
      return {type, -1, 6, 5, 0, 0, true};
  }
}

constexpr FormatRow row(wire::Format format, PacketType type, int extension = -1) noexcept {
  FormatRow r = base_row(format, type);
  if (extension < 0) return r;
  const wire::ExtensionWidths w =
      wire::extension_widths(format, wire::t_field_of(type), static_cast<unsigned>(extension));
  r.extension = static_cast<std::int8_t>(extension);
  r.sn = static_cast<std::uint8_t>(r.sn + w.sn);
  r.ts = static_cast<std::uint8_t>(r.ts + w.ts);
  r.id = static_cast<std::uint8_t>(r.id + w.id);
  r.outer_id = w.outer_id;
  return r;
}

constexpr auto kR = wire::Format::kRtp;
constexpr auto kU = wire::Format::kUdp;

// RTP, formats with T bit, by length. Among equally long ones those with the longer CRC come first. UOR-2-ID with
// extension 1 has the bits of UOR-2-TS with extension 1 and is left out.
constexpr FormatRow kRtpWithT[] = {
    row(kR, PacketType::kUo0),       row(kR, PacketType::kUo1Ts),     row(kR, PacketType::kUo1Id),
    row(kR, PacketType::kUor2Ts),    row(kR, PacketType::kUor2Id),    row(kR, PacketType::kUo1Id, 0),
    row(kR, PacketType::kUor2Ts, 0), row(kR, PacketType::kUor2Id, 0), row(kR, PacketType::kUo1Id, 1),
    row(kR, PacketType::kUor2Ts, 1), row(kR, PacketType::kUo1Id, 2),  row(kR, PacketType::kUor2Ts, 2),
    row(kR, PacketType::kUor2Id, 2),
};

// RTP, no IPv4 header or all IP-IDs random.
constexpr FormatRow kRtpWithoutT[] = {
    row(kR, PacketType::kUo0),     row(kR, PacketType::kUo1),     row(kR, PacketType::kUor2),
    row(kR, PacketType::kUor2, 0), row(kR, PacketType::kUor2, 1), row(kR, PacketType::kUor2, 2),
};

// UDP and what is like it.
constexpr FormatRow kUdp[] = {
    row(kU, PacketType::kUo0),     row(kU, PacketType::kUo1),     row(kU, PacketType::kUor2),
    row(kU, PacketType::kUor2, 0), row(kU, PacketType::kUor2, 1), row(kU, PacketType::kUor2, 2),
};

// The same in R-mode. Among equally long ones those that update nothing come first: each update adds a
// reference from which later packets must be distinguishable until it is acknowledged (5.5.1.2).
constexpr FormatRow kReliableRtpWithT[] = {
    row(kR, PacketType::kR0),        row(kR, PacketType::kR1Ts),      row(kR, PacketType::kR1Id),
    row(kR, PacketType::kR0Crc),     row(kR, PacketType::kR1Ts, 0),   row(kR, PacketType::kR1Id, 0),
    row(kR, PacketType::kUor2Ts),    row(kR, PacketType::kUor2Id),    row(kR, PacketType::kR1Ts, 1),
    row(kR, PacketType::kUor2Ts, 0), row(kR, PacketType::kUor2Id, 0), row(kR, PacketType::kR1Ts, 2),
    row(kR, PacketType::kR1Id, 2),   row(kR, PacketType::kUor2Ts, 1), row(kR, PacketType::kUor2Ts, 2),
    row(kR, PacketType::kUor2Id, 2),
};
constexpr FormatRow kReliableRtpWithoutT[] = {
    row(kR, PacketType::kR0),      row(kR, PacketType::kR1),    row(kR, PacketType::kR0Crc),
    row(kR, PacketType::kR1, 0),   row(kR, PacketType::kUor2),  row(kR, PacketType::kR1, 1),
    row(kR, PacketType::kUor2, 0), row(kR, PacketType::kR1, 2), row(kR, PacketType::kUor2, 1),
    row(kR, PacketType::kUor2, 2),
};
constexpr FormatRow kReliableUdp[] = {
    row(kU, PacketType::kR0),      row(kU, PacketType::kR1),      row(kU, PacketType::kR0Crc),
    row(kU, PacketType::kUor2),    row(kU, PacketType::kR1, 0),   row(kU, PacketType::kUor2, 0),
    row(kU, PacketType::kR1, 1),   row(kU, PacketType::kUor2, 1), row(kU, PacketType::kR1, 2),
    row(kU, PacketType::kUor2, 2),
};

std::span<const FormatRow> rows_for(const Needs& n) noexcept {
  if (n.reliable) {
    if (n.format == wire::Format::kUdp) return kReliableUdp;
    if (n.t_bit) return kReliableRtpWithT;
    return kReliableRtpWithoutT;
  }
  if (n.format == wire::Format::kUdp) return kUdp;
  if (n.t_bit) return kRtpWithT;
  return kRtpWithoutT;
}

bool sn_fits(const Needs& n, unsigned bits) noexcept {
  const std::int32_t off = mutant("sn-interval-off-by-one") ? 1 : 0;
  return n.sn.covered_by(bits, (n.generated_sn ? p_of_generated_sn(bits) : p_of_packet_sn(bits)) - off);
}

bool ts_fits(const Needs& n, unsigned bits) noexcept {
  if (bits >= 32) return true;
  const std::int64_t off = mutant("ts-interval-off-by-one") ? 1 : 0;
  if (n.ts_timed && (n.ts_unscaled || !n.ts_jitter.covered_by(bits, p_of_timed_timestamp(bits)))) return false;
  return !n.ts_plain || n.ts.covered_by(bits, p_of_timestamp(bits) - off);
}

bool offset_fits(std::uint32_t distance, unsigned bits) noexcept {
  return bits >= 16 || distance >> (bits + (mutant("ip-id-bits-off-by-one") ? 1U : 0U)) == 0;
}

// Bits that are there must be right even where none are needed, for the decompressor will use them.
bool row_serves(const FormatRow& r, const Needs& n) noexcept {
  if (n.marker && !r.marker) return false;
  if (n.long_crc && !is_type_2(r.type)) return false;
  if (n.update && !wire::updates_in_r_mode(r.type)) return false;
  if ((habit("no-type-0") && is_type_0(r.type)) || (habit("type-2-only") && !is_type_2(r.type))) return false;
  if (!sn_fits(n, r.sn + (r.type == PacketType::kR0 && mutant("r-0-out-of-reach") ? 1U : 0U))) return false;
  if (r.ts == 0 ? n.ts_bits : n.ts_unscaled || !ts_fits(n, r.ts)) return false;
  if (r.id == 0 ? n.id_bits : !offset_fits(n.id_distance, r.id)) return false;
  return r.outer_id == 0 ? !n.outer_id_bits : offset_fits(n.outer_id_distance, r.outer_id);
}

// The smallest self-describing width that, after `base` bits, carries the TS. Four octets and three base bits carry any
// (5.7, TS).
std::uint8_t ts_width_for(const Needs& n, unsigned base) noexcept {
  for (const unsigned width : wire::kSdvlBits) {
    if (ts_fits(n, base + width)) return static_cast<std::uint8_t>(width);
  }
  return 0;
}

struct Sized {
  Choice choice;
  std::size_t octets = 0;  // of base header and extension
};

// Extension 3 on a base header of `type`, which has so many bits. Empty when it cannot serve.
std::optional<Sized> extension_3_on(PacketType type, const Needs& n) noexcept {
  const FormatRow base = base_row(n.format, type);
  const bool rtp = n.format == wire::Format::kRtp;
  Sized s;
  s.choice.type = type;
  s.choice.extension = 3;
  s.octets = wire::base_header_octets(n.format, type) + 1;
  if (!sn_fits(n, base.sn)) {
    if (!sn_fits(n, base.sn + 8U)) return std::nullopt;
    s.choice.sn_octet = true;
    s.octets += 1;
  }
  // With Tsc = 0 there must be bits of TS in the extension: those of the base header alone would be too few to be of
  // use.
  const bool needs_ts = n.ts_unscaled || (base.ts == 0 ? n.ts_bits : !ts_fits(n, base.ts));
  if (rtp && needs_ts) {
    s.choice.ts_width = ts_width_for(n, base.ts);
    if (s.choice.ts_width == 0) return std::nullopt;
    s.octets += wire::sdvl_octets(s.choice.ts_width);
  }
  s.choice.id_field = base.id != 0 ? !offset_fits(n.id_distance, base.id) : n.id_bits;
  s.octets += s.choice.id_field ? 2 : 0;
  s.choice.outer_id_field = n.outer_id_bits;
  s.octets += s.choice.outer_id_field ? (rtp ? 4 : 3) : 0;  // flags octets (ip2 stands among the inner flags) and IP-ID
  return s;
}

// Flags and fields besides SN, TS and IP-ID take the same room whatever the base header.
std::optional<Sized> choose_extension_3(const Needs& n) noexcept {
  const bool one = n.reliable && !n.update && !n.long_crc;  // on a type 1 of R-mode, which is an octet shorter
  if (n.format == wire::Format::kUdp || !n.t_bit) return extension_3_on(one ? PacketType::kR1 : PacketType::kUor2, n);
  const auto with_ts = extension_3_on(one ? PacketType::kR1Ts : PacketType::kUor2Ts, n);
  const auto with_id = extension_3_on(one ? PacketType::kR1Id : PacketType::kUor2Id, n);
  if (!with_ts || !with_id) return with_ts ? with_ts : with_id;
  const bool ts_first = n.ts_bits ? with_ts->octets <= with_id->octets : with_ts->octets < with_id->octets;
  return ts_first ? with_ts : with_id;
}

}  // namespace

std::optional<Choice> choose(const Needs& needs) noexcept {
  const FormatRow* found = nullptr;
  if (!needs.extension_3) {
    for (const FormatRow& r : rows_for(needs)) {
      if (!row_serves(r, needs)) continue;
      found = &r;
      break;
    }
  }
  // Extension 3 leaves out what an extension 2 must fill, so it can be shorter than that one only.
  if (found == nullptr || found->extension == 2) {
    const auto third = choose_extension_3(needs);
    if (found == nullptr) return third ? std::optional(third->choice) : std::nullopt;
    if (third && third->octets < wire::base_header_octets(needs.format, found->type) + 3) return third->choice;
  }
  Choice choice;
  choice.type = found->type;
  choice.extension = found->extension;
  return choice;
}

}  // namespace headroom::rohc
