// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/jump.h"

#include <array>
#include <cstring>

#include "rohc/v1/compressor/window.h"
#include "rohc/v1/encoding/lsb.h"
#include "rohc/v1/header/predicted.h"

namespace headroom::rohc {
namespace {

using wire::PacketType;

// A header and the bits that it has for SN and scaled TS.
struct Format {
  PacketType type;
  bool extension;  // extension 0
  std::uint8_t sn_bits;
  std::uint8_t ts_bits;
};

// Those of choose() that carry a TS and the marker, in the same order: smallest first.
constexpr Format kWithT[] = {
    {PacketType::kUo1Ts, false, 4, 5}, {PacketType::kUor2Ts, false, 6, 5}, {PacketType::kUor2Ts, true, 9, 8}};
constexpr Format kWithoutT[] = {
    {PacketType::kUo1, false, 4, 6}, {PacketType::kUor2, false, 6, 6}, {PacketType::kUor2, true, 9, 9}};

// Returns nullptr if none of the formats serves, if the TS is not whole strides away from each reference, if the packet
// is on one line with all references and needs no TS, or if an IP-ID needs bits.
const Format* choose_format(const Flow& flow, const PacketFields& f, bool t_bit) noexcept {
  const FlowHistory& h = flow.h;
  const auto stride = static_cast<std::int32_t>(flow.c.ts_stride);  // of 29 bits at most (4.5.6)
  const bool counter = is_counter(h.id_behaviour);
  const std::uint16_t offset = id_offset(h.id_behaviour, f.inner_id, f.sn);
  Span sns, strides;
  bool line = true;
  for (unsigned age = 0; age < h.reference_count; ++age) {
    const Reference& r = reference(h, age);
    const auto distance = static_cast<std::int32_t>(f.ts - r.ts);
    if (distance % stride != 0 || (counter && r.id_offset != offset)) return nullptr;
    const std::int32_t packets = static_cast<std::int16_t>(f.sn - r.sn);
    line &= f.ts - r.ts == flow.c.ts_stride * static_cast<std::uint32_t>(packets);
    sns.add(packets, age == 0);
    strides.add(distance / stride, age == 0);
  }
  if (line) return nullptr;
  for (const Format& format : t_bit ? kWithT : kWithoutT) {
    const bool serves = sns.covered_by(format.sn_bits, p_of_packet_sn(format.sn_bits)) &&
                        strides.covered_by(format.ts_bits, p_of_timestamp(format.ts_bits));
    if (serves) return &format;
  }
  return nullptr;
}

std::uint8_t crc_of(const Flow& flow, const PacketFields& f, const Layout& l, bool short_crc) noexcept {
  DynamicOctets dynamic;
  dynamic.ip = wire::load_little32(f.inner + l.length_at);
  dynamic.ip_checksum = l.is_ipv4() ? wire::load_little16(f.inner + l.ip_checksum_at) : std::uint16_t{0};
  dynamic.udp = wire::load_little32(f.inner + l.udp_length_at);
  dynamic.rtp = wire::load_little64(f.inner + l.fold_sn_at) >> 8;
  return short_crc ? crc3_of(l, flow.c.crc3_static, dynamic) : crc7_of(l, flow.h.crc7_static, dynamic);
}

}  // namespace

std::optional<PacketType> write_jump(const Flow& flow, const PacketFields& f, wire::Writer& out) noexcept {
  // Of such a flow the shape is that of RTP after one IP header, and nothing has a Checksum Coverage or lists.
  if (!f.same_pattern || flow.in_reliable_mode() || flow.timer != nullptr || flow.c.ts_stride == 0) return std::nullopt;
  const IpIdBehaviour id = flow.h.id_behaviour;
  const bool t_bit = id != IpIdBehaviour::kNone && id != IpIdBehaviour::kRandom;
  const Format* const format = choose_format(flow, f, t_bit);
  if (format == nullptr) return std::nullopt;

  const Layout& l = flow.layout();
  const std::uint32_t ts = f.ts / flow.c.ts_stride;
  const unsigned extension_bits = format->extension ? 3 : 0;  // of either
  const std::uint32_t base_ts = ts >> extension_bits;
  const std::uint32_t base_sn = std::uint32_t{f.sn} >> extension_bits;
  const auto octet = [](std::uint32_t v) { return static_cast<std::uint8_t>(v); };
  std::array<std::uint8_t, 16> header;  // 3 of CID, 4, and 4 as they are
  std::uint8_t* end = header.data();
  const wire::CidOctets& cid = flow.c.cid_octets;
  *end = cid.before;
  end += cid.before_count;
  std::uint8_t* const first = end++;
  end[0] = cid.after[0];
  end[1] = cid.after[1];
  end += cid.after_count;
  if (format->sn_bits == 4) {  // 10 TS(6) | M SN(4) CRC(3), or 10 T=1 TS(5) | M SN(4) CRC(3)
    *first = octet(0x80U | (t_bit ? 0x20U | (base_ts & 0x1fU) : base_ts & 0x3fU));
    *end++ = octet((f.marker ? 0x80U : 0U) | (base_sn & 0xfU) << 3 | crc_of(flow, f, l, true));
  } else {  // 110 TS(5) | TS(1) M SN(6) | X CRC(7), or 110 TS(5) | T=1 M SN(6) | X CRC(7)
    *first = octet(0xc0U | ((t_bit ? base_ts : base_ts >> 1) & 0x1fU));
    *end++ = octet((t_bit ? 0x80U : (base_ts & 1U) << 7) | (f.marker ? 0x40U : 0U) | (base_sn & 0x3fU));
    *end++ = octet((format->extension ? 0x80U : 0U) | crc_of(flow, f, l, false));
    if (format->extension) *end++ = octet((f.sn & 7U) << 3 | (ts & 7U));  // 00 SN(3) TS(3)
  }
  if (id == IpIdBehaviour::kRandom) {
    wire::store16(end, f.inner_id);
    end += 2;
  }
  if (flow.c.udp_checksum_octets != 0) {
    std::memcpy(end, f.inner + l.udp_checksum_at, 2);
    end += 2;
  }
  out.octets({header.data(), static_cast<std::size_t>(end - header.data())});
  return format->type;
}

}  // namespace headroom::rohc
