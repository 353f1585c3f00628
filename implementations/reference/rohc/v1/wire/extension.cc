// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/wire/extension.h"

#include "rohc/framework/wire/sdvl.h"
#include "rohc/v1/wire/list.h"

namespace headroom::rohc::wire {
namespace {

constexpr unsigned flag(bool set, unsigned bit) noexcept { return set ? 0x80U >> bit : 0U; }
constexpr bool has(std::uint8_t octet, unsigned bit) noexcept { return (octet & 0x80U >> bit) != 0; }

// Inner and outer IP header flags; `last` is the eighth bit: ip2 (inner, RTP) or I2 (outer).
void write_ip_flags(Writer& out, const IpHeaderUpdate& u, bool last) noexcept {
  out.octet(static_cast<std::uint8_t>(flag(u.has_tos, 0) | flag(u.has_ttl, 1) | flag(u.df, 2) |
                                      flag(u.has_protocol, 3) | flag(u.has_extension_headers, 4) | flag(u.nbo, 5) |
                                      flag(u.rnd, 6) | flag(last, 7)));
}

IpHeaderUpdate read_ip_flags(std::uint8_t octet) noexcept {
  IpHeaderUpdate u;
  u.present = true;
  u.has_tos = has(octet, 0);
  u.has_ttl = has(octet, 1);
  u.df = has(octet, 2);
  u.has_protocol = has(octet, 3);
  u.has_extension_headers = has(octet, 4);
  u.nbo = has(octet, 5);
  u.rnd = has(octet, 6);
  return u;
}

void write_ip_fields(Writer& out, const IpHeaderUpdate& u) noexcept {
  if (u.has_tos) out.octet(u.tos);
  if (u.has_ttl) out.octet(u.ttl);
  if (u.has_protocol) out.octet(u.protocol);
  if (u.has_extension_headers) out.octets(u.extension_headers);
}

bool read_ip_fields(Reader& in, IpHeaderUpdate& u) noexcept {
  if (u.has_tos) u.tos = in.octet();
  if (u.has_ttl) u.ttl = in.octet();
  if (u.has_protocol) u.protocol = in.octet();
  if (!u.has_extension_headers) return true;
  const Octets start = in.rest();
  ExtensionHeadersField field;
  if (!read_extension_headers(in, field)) return false;
  u.extension_headers = start.first(start.size() - in.remaining());
  return true;
}

void write_rtp_update(Writer& out, const RtpHeaderUpdate& u) noexcept {
  out.octet(static_cast<std::uint8_t>(static_cast<unsigned>(u.mode) << 6 | flag(u.has_payload_type, 2) |
                                      flag(u.marker, 3) | flag(u.rtp_extension, 4) | flag(u.has_csrc, 5) |
                                      flag(u.has_ts_stride, 6) | flag(u.has_time_stride, 7)));
  if (u.has_payload_type) out.octet(static_cast<std::uint8_t>(flag(u.padding, 0) | u.payload_type));
  if (u.has_csrc) out.octets(u.csrc);
  if (u.has_ts_stride) write_sdvl(out, u.ts_stride, sdvl_width(u.ts_stride));
  if (u.has_time_stride) write_sdvl(out, u.time_stride, sdvl_width(u.time_stride));
}

bool read_rtp_update(Reader& in, RtpHeaderUpdate& u) noexcept {
  const std::uint8_t flags = in.octet();
  u.present = true;
  u.mode = static_cast<Mode>(flags >> 6);
  u.has_payload_type = has(flags, 2);
  u.marker = has(flags, 3);
  u.rtp_extension = has(flags, 4);
  u.has_csrc = has(flags, 5);
  u.has_ts_stride = has(flags, 6);
  u.has_time_stride = has(flags, 7);
  if (u.has_payload_type) {
    const std::uint8_t octet = in.octet();
    u.padding = has(octet, 0);
    u.payload_type = octet & 0x7f;
  }
  if (u.has_csrc) {
    const Octets start = in.rest();
    CompressedList list;
    if (!read_list(in, ListKind::kCsrc, list)) return false;
    u.csrc = start.first(start.size() - in.remaining());
  }
  if (u.has_ts_stride) u.ts_stride = read_sdvl(in).value;
  if (u.has_time_stride) u.time_stride = read_sdvl(in).value;
  return true;
}

// 11 S R-TS Tsc I ip rtp (5.7.5), or 11 S Mode I ip ip2 (5.11.4).
void write_extension_3(Writer& out, Format format, const Extension& e) noexcept {
  const bool sn = e.sn.width != 0;
  const bool ts = e.ts.width != 0;
  const bool id = e.id.width != 0;
  const bool rtp = format == Format::kRtp;
  const bool inner = e.inner.present;
  unsigned flags = 0xc0U | flag(sn, 2) | flag(id, 5) | flag(inner, 6);
  flags |= rtp ? flag(ts, 3) | flag(e.tsc, 4) | flag(e.rtp.present, 7)
               : static_cast<unsigned>(e.mode) << 3 | flag(e.outer.present, 7);
  out.octet(static_cast<std::uint8_t>(flags));
  if (inner) write_ip_flags(out, e.inner, rtp && e.outer.present);
  if (e.outer.present) write_ip_flags(out, e.outer, e.outer.has_id);
  if (sn) out.octet(static_cast<std::uint8_t>(e.sn.value));
  if (ts && rtp) write_sdvl(out, e.ts.value, e.ts.width);
  if (inner) write_ip_fields(out, e.inner);
  if (id) out.two(static_cast<std::uint16_t>(e.id.value));
  if (e.outer.present) {
    write_ip_fields(out, e.outer);
    if (e.outer.has_id) out.two(e.outer.id);
  }
  if (rtp && e.rtp.present) write_rtp_update(out, e.rtp);
}

std::optional<Extension> read_extension_3(Reader& in, Format format) noexcept {
  Extension e;
  e.kind = 3;
  const bool rtp = format == Format::kRtp;
  const std::uint8_t flags = in.octet();
  const bool ts = rtp && has(flags, 3);
  bool outer = false;
  if (has(flags, 6)) {
    const std::uint8_t octet = in.octet();
    e.inner = read_ip_flags(octet);
    outer = rtp && has(octet, 7);  // without RTP this bit is reserved
  }
  if (rtp) {
    e.tsc = has(flags, 4);
  } else {
    e.mode = static_cast<Mode>(flags >> 3 & 3);
    outer = has(flags, 7);
  }
  if (outer) {
    const std::uint8_t octet = in.octet();
    e.outer = read_ip_flags(octet);
    e.outer.has_id = has(octet, 7);
  }
  if (has(flags, 2)) e.sn = {in.octet(), 8};
  if (ts) {
    const Sdvl v = read_sdvl(in);
    e.ts = {v.value, v.width};
  }
  if (!read_ip_fields(in, e.inner)) return std::nullopt;
  if (has(flags, 5)) e.id = {in.two(), 16};
  if (!read_ip_fields(in, e.outer)) return std::nullopt;
  if (e.outer.has_id) e.outer.id = in.two();
  if (rtp && has(flags, 7) && !read_rtp_update(in, e.rtp)) return std::nullopt;
  if (!in.ok()) return std::nullopt;
  return e;
}

}  // namespace

void write_extension(Writer& out, Format format, TField t, const Extension& e) noexcept {
  if (e.kind == 3) {
    write_extension_3(out, format, e);
    return;
  }
  // All three are kk SSS and then the +T field, most significant bits first, then the -T field.
  std::uint32_t tail = 0;  // bits after the first five of the first octet
  if (format == Format::kUdp) {
    tail = e.kind == 2 ? low(e.outer_id, 11) << 8 | low(e.id, 8) : low(e.id, e.kind == 1 ? 11 : 3);
  } else {
    const ExtensionWidths w = extension_widths(format, t, e.kind);
    switch (t) {
      case TField::kPlusTs:
        tail = low(e.ts, w.ts) << w.id | low(e.id, w.id);
        break;
      case TField::kPlusId:
        tail = low(e.id, w.id) << w.ts | low(e.ts, w.ts);
        break;
      default:
        tail = low(e.ts, w.ts);
        break;
    }
  }
  const unsigned head = static_cast<unsigned>(e.kind) << 6 | low(e.sn, 3) << 3;
  out.octet(static_cast<std::uint8_t>(head | (tail >> (8U * e.kind) & 7)));
  if (e.kind == 2) out.octet(static_cast<std::uint8_t>(tail >> 8));
  if (e.kind >= 1) out.octet(static_cast<std::uint8_t>(tail));
}

std::optional<Extension> read_extension(Reader& in, Format format, TField t) noexcept {
  const unsigned kind = in.peek() >> 6;
  if (kind == 3) return read_extension_3(in, format);
  Extension e;
  e.kind = static_cast<std::uint8_t>(kind);
  const std::uint8_t head = in.octet();
  std::uint32_t tail = head & 7;
  for (unsigned i = 0; i < kind; ++i) tail = tail << 8 | in.octet();
  if (!in.ok()) return std::nullopt;
  const ExtensionWidths w = extension_widths(format, t, kind);
  const auto cut = [](std::uint32_t value, unsigned width) -> Bits {
    return {value & ((1U << width) - 1), static_cast<std::uint8_t>(width)};
  };
  e.sn = cut(head >> 3, 3);
  if (format == Format::kUdp) {
    e.id = cut(tail, w.id);
    e.outer_id = cut(tail >> w.id, w.outer_id);
  } else if (t == TField::kPlusId) {
    e.id = cut(tail >> w.ts, w.id);
    e.ts = cut(tail, w.ts);
  } else {
    e.ts = cut(tail >> w.id, w.ts);
    e.id = cut(tail, w.id);
  }
  return e;
}

}  // namespace headroom::rohc::wire
