// SPDX-License-Identifier: Apache-2.0
#include "rohc/compressor/choose.h"

#include <span>

#include "rohc/encoding/lsb.h"

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

constexpr bool is_type_2(PacketType t) noexcept {
  return t == PacketType::kUor2 || t == PacketType::kUor2Id || t == PacketType::kUor2Ts;
}

// Bits of the base headers (5.7.1, 5.7.3, 5.7.4, 5.11.3).
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
    default:
      return {type, -1, 6, 5, 0, 0, true};
  }
}

constexpr FormatRow row(wire::Format format, PacketType type, int extension = -1) noexcept {
  FormatRow r = base_row(format, type);
  if (extension < 0) return r;
  const wire::ExtensionWidths w = wire::extension_widths(format, wire::t_field_of(type), static_cast<unsigned>(extension));
  r.extension = static_cast<std::int8_t>(extension);
  r.sn = static_cast<std::uint8_t>(r.sn + w.sn);
  r.ts = static_cast<std::uint8_t>(r.ts + w.ts);
  r.id = static_cast<std::uint8_t>(r.id + w.id);
  r.outer_id = w.outer_id;
  return r;
}

constexpr auto kR = wire::Format::kRtp;
constexpr auto kU = wire::Format::kUdp;

// RTP, formats with T bit, by length. Among equally long ones those with the longer CRC come first.
constexpr FormatRow kRtpWithT[] = {
    row(kR, PacketType::kUo0),       row(kR, PacketType::kUo1Ts),     row(kR, PacketType::kUo1Id),     row(kR, PacketType::kUor2Ts),
    row(kR, PacketType::kUor2Id),    row(kR, PacketType::kUo1Id, 0),  row(kR, PacketType::kUor2Ts, 0), row(kR, PacketType::kUor2Id, 0),
    row(kR, PacketType::kUo1Id, 1),  row(kR, PacketType::kUor2Ts, 1), row(kR, PacketType::kUor2Id, 1), row(kR, PacketType::kUo1Id, 2),
    row(kR, PacketType::kUor2Ts, 2), row(kR, PacketType::kUor2Id, 2),
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

std::span<const FormatRow> rows_for(const Needs& n) noexcept {
  if (n.format == wire::Format::kUdp) return kUdp;
  if (n.t_bit) return kRtpWithT;
  return kRtpWithoutT;
}

bool sn_fits(const Needs& n, unsigned bits) noexcept {
  return n.sn.covered_by(bits, n.generated_sn ? p_of_generated_sn(bits) : p_of_packet_sn(bits));
}

bool ts_fits(const Needs& n, unsigned bits) noexcept { return bits >= 32 || n.ts.covered_by(bits, p_of_timestamp(bits)); }

bool offset_fits(std::uint32_t distance, unsigned bits) noexcept { return bits >= 16 || distance >> bits == 0; }

// Bits that are there must be right even where none are needed, for the decompressor will use them.
bool row_serves(const FormatRow& r, const Needs& n) noexcept {
  if (n.marker && !r.marker) return false;
  if (n.long_crc && !is_type_2(r.type)) return false;
  if (!sn_fits(n, r.sn)) return false;
  if (r.ts == 0 ? n.ts_bits : n.ts_unscaled || !ts_fits(n, r.ts)) return false;
  if (r.id == 0 ? n.id_bits : !offset_fits(n.id_distance, r.id)) return false;
  return r.outer_id == 0 ? !n.outer_id_bits : offset_fits(n.outer_id_distance, r.outer_id);
}

// The smallest self-describing width that, after `base` bits, carries the TS. Four octets and three base bits carry any (5.7, TS).
std::uint8_t ts_width_for(const Needs& n, unsigned base) noexcept {
  for (const unsigned width : wire::kSdvlBits) {
    if (ts_fits(n, base + width)) return static_cast<std::uint8_t>(width);
  }
  return 0;
}

std::optional<Choice> choose_extension_3(const Needs& n) noexcept {
  Choice choice;
  choice.extension = 3;
  const bool rtp = n.format == wire::Format::kRtp;
  unsigned sn_bits = 6;
  unsigned ts_bits = 0;
  unsigned id_bits = 0;
  if (!rtp) {
    choice.type = PacketType::kUor2;
    sn_bits = 5;
  } else if (!n.t_bit) {
    choice.type = PacketType::kUor2;
    ts_bits = 6;
  } else if (n.ts_bits) {
    choice.type = PacketType::kUor2Ts;
    ts_bits = 5;
  } else {
    choice.type = PacketType::kUor2Id;
    id_bits = 5;
  }
  if (!sn_fits(n, sn_bits)) {
    if (!sn_fits(n, sn_bits + 8)) return std::nullopt;
    choice.sn_octet = true;
  }
  // With Tsc = 0 there must be bits of TS in the extension: those of the base header alone would be too few to be of use.
  if (rtp && (n.ts_unscaled || (ts_bits != 0 && !ts_fits(n, ts_bits)))) {
    choice.ts_width = ts_width_for(n, ts_bits);
    if (choice.ts_width == 0) return std::nullopt;
  }
  choice.id_field = id_bits != 0 ? !offset_fits(n.id_distance, id_bits) : n.id_bits;
  choice.outer_id_field = n.outer_id_bits;
  return choice;
}

}  // namespace

std::optional<Choice> choose(const Needs& needs) noexcept {
  if (!needs.extension_3) {
    for (const FormatRow& r : rows_for(needs)) {
      if (row_serves(r, needs)) {
        Choice choice;
        choice.type = r.type;
        choice.extension = r.extension;
        return choice;
      }
    }
  }
  return choose_extension_3(needs);
}

}  // namespace headroom::rohc
