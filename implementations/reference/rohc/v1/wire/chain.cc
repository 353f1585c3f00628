// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/wire/chain.h"

#include <algorithm>

#include "mutants.h"
#include "rohc/framework/wire/sdvl.h"
#include "rohc/v1/wire/list.h"

namespace headroom::rohc::wire {
namespace {

// A generic list (encoding type 0, 5.8.6.1) without items: ET = 0, GP = 0, PS = 0, CC = 0. It is there even when empty
// (RFC 4815 5.1).
constexpr std::uint8_t kEmptyList = 0;

ChainStatus read_generic_list(Reader& in, ListKind kind, ChainList* place) noexcept {
  const std::uint8_t* start = in.position();
  CompressedList list;
  if (!read_list(in, kind, list) || list.type != 0) return ChainStatus::kMalformed;
  if (list.xi_count == 0) return ChainStatus::kOk;
  for (unsigned i = 0; i < list.xi_count; ++i) {
    if (!list.xis[i].has_item) return ChainStatus::kMalformed;  // "with all header items present"
  }
  if (place == nullptr) return ChainStatus::kUnsupported;
  place->octets = {start, static_cast<std::size_t>(in.position() - start)};
  return ChainStatus::kOk;
}

void write_generic_list(Writer& out, Octets list) noexcept {
  if (list.empty()) {
    out.octet(kEmptyList);
  } else {
    out.octets(list);
  }
}

ChainStatus status_of(const Reader& in) noexcept { return in.ok() ? ChainStatus::kOk : ChainStatus::kMalformed; }

void copy(Reader& in, std::uint8_t* to, std::size_t count) noexcept {
  if (const std::uint8_t* from = in.take(count)) std::copy_n(from, count, to);
}

}  // namespace

void write_ip_static(Writer& out, const std::uint8_t* h, bool ends) noexcept {
  const unsigned version = h[0] >> 4;
  const unsigned top = version << 4 | (ends ? 0x80U : 0U);
  if (version == 4) {
    out.octet(static_cast<std::uint8_t>(top));
    out.octet(h[9]);
    out.octets({h + 12, 8});
  } else {
    out.octet(static_cast<std::uint8_t>(top | (h[1] & 0x0fU)));
    out.octets({h + 2, 2});
    out.octet(h[6]);
    out.octets({h + 8, 32});
  }
}

void write_udp_static(Writer& out, const std::uint8_t* h) noexcept { out.octets({h, 4}); }

void write_rtp_static(Writer& out, const std::uint8_t* h) noexcept { out.octets({h + 8, 4}); }

void write_esp_static(Writer& out, const std::uint8_t* h) noexcept {
  if (!mutant("esp-ir-without-spi")) out.octets({h, 4});
}

void write_ip_dynamic(Writer& out, const std::uint8_t* h, IpIdFlags id, bool constant_ip_id, Octets list) noexcept {
  if (h[0] >> 4 == 4) {
    out.octet(h[1]);
    out.octet(mutant("ttl-zero-in-chain") ? 0 : h[8]);
    out.octets({h + 4, 2});
    const bool df = (h[6] & 0x40) != 0;
    out.octet(static_cast<std::uint8_t>((df ? 0x80 : 0) | (id.rnd ? 0x40 : 0) | (id.nbo ? 0x20 : 0) |
                                        (constant_ip_id && id.sid ? 0x10 : 0)));
  } else {
    out.octet(static_cast<std::uint8_t>(h[0] << 4 | h[1] >> 4));
    out.octet(h[7]);
  }
  if (!mutant("ip-chain-without-list")) write_generic_list(out, list);
}

void write_udp_dynamic(Writer& out, const std::uint8_t* h) noexcept { out.octets({h + 6, 2}); }

void write_udp_lite_dynamic(Writer& out, const std::uint8_t* h) noexcept {
  if (mutant("coverage-not-in-chain")) return out.octets({h + 6, 2});
  out.octets({h + 4, 4});
}

void write_esp_dynamic(Writer& out, const std::uint8_t* h) noexcept {
  if (mutant("esp-sn-cut-in-chain")) return out.four(load32(h + 4) & 0xffffU);
  out.octets({h + 4, 4});
}

void write_rtp_dynamic(Writer& out, const std::uint8_t* h, const RtpExtras& extras, Octets list) noexcept {
  // V and P as they are; RX instead of X; CC, which must equal that of the list (RFC 4815 5.2).
  const unsigned cc = list.empty() || mutant("csrc-count-zero-in-chain") ? 0U : list[0] & 0x0fU;
  out.octet(static_cast<std::uint8_t>((h[0] & 0xe0U) | (extras.present ? 0x10U : 0U) | cc));
  out.octets({h + 1, 7});
  write_generic_list(out, list);
  if (!extras.present) return;
  const bool tis = extras.has_time_stride || extras.time_stride != 0;
  const bool tss = extras.ts_stride != 0;
  out.octet(static_cast<std::uint8_t>((extras.rtp_extension ? 0x10U : 0U) | static_cast<unsigned>(extras.mode) << 2 |
                                      (tis ? 2U : 0U) | (tss ? 1U : 0U)));
  if (tss) write_sdvl(out, extras.ts_stride, sdvl_width(extras.ts_stride));
  if (tis) write_sdvl(out, extras.time_stride, sdvl_width(extras.time_stride));
}

IpStatic read_ip_static(Reader& in, std::span<std::uint8_t> header) noexcept {
  IpStatic result;
  const std::uint8_t first = in.octet();
  const unsigned version = first >> 4 & 7;
  result.ends = (first & 0x80) != 0;
  if (!in.ok() || (version != 4 && version != 6)) return result;
  result.version = static_cast<std::uint8_t>(version);
  std::uint8_t* h = header.data();
  if (version == 4) {
    if (header.size() < kIpv4Header || (first & 0x0f) != 0) return result;
    std::fill_n(h, kIpv4Header, std::uint8_t{0});
    h[0] = 0x45;
    h[9] = in.octet();
    copy(in, h + 12, 8);
    result.next = h[9];
  } else {
    if (header.size() < kIpv6Header) return result;
    std::fill_n(h, kIpv6Header, std::uint8_t{0});
    h[0] = 0x60;
    h[1] = first & 0x0f;
    copy(in, h + 2, 2);
    h[6] = in.octet();
    copy(in, h + 8, 32);
    result.next = h[6];
  }
  result.status = status_of(in);
  return result;
}

ChainStatus read_udp_static(Reader& in, std::uint8_t* h) noexcept {
  std::fill_n(h, kUdpHeader, std::uint8_t{0});
  copy(in, h, 4);
  return status_of(in);
}

ChainStatus read_rtp_static(Reader& in, std::uint8_t* h) noexcept {
  std::fill_n(h, kRtpHeader, std::uint8_t{0});
  h[0] = 0x80;
  copy(in, h + 8, 4);
  return status_of(in);
}

ChainStatus read_esp_static(Reader& in, std::uint8_t* h) noexcept {
  std::fill_n(h, kEspHeader, std::uint8_t{0});
  copy(in, h, 4);
  return status_of(in);
}

ChainStatus read_ip_dynamic(Reader& in, unsigned version, std::uint8_t* h, IpIdFlags& id, ChainList* list) noexcept {
  if (version == 4) {
    h[1] = in.octet();
    h[8] = in.octet();
    copy(in, h + 4, 2);
    const std::uint8_t flags = in.octet();
    h[6] = (flags & 0x80) != 0 ? 0x40 : 0;
    id = {(flags & 0x40) != 0, (flags & 0x20) != 0, (flags & 0x10) != 0};
  } else {
    const std::uint8_t traffic_class = in.octet();
    h[0] = static_cast<std::uint8_t>(0x60 | traffic_class >> 4);
    h[1] = static_cast<std::uint8_t>(traffic_class << 4 | (h[1] & 0x0f));
    h[7] = in.octet();
    id = {};
  }
  return read_generic_list(in, ListKind::kHeaders, list);
}

ChainStatus read_udp_dynamic(Reader& in, std::uint8_t* h) noexcept {
  copy(in, h + 6, 2);
  return status_of(in);
}

ChainStatus read_udp_lite_dynamic(Reader& in, std::uint8_t* h) noexcept {
  copy(in, h + 4, 4);
  return status_of(in);
}

ChainStatus read_esp_dynamic(Reader& in, std::uint8_t* h) noexcept {
  copy(in, h + 4, 4);
  return status_of(in);
}

ChainStatus read_rtp_dynamic(Reader& in, std::uint8_t* h, RtpExtras& extras, ChainList* place) noexcept {
  const std::uint8_t first = in.octet();
  copy(in, h + 1, 7);
  if (!in.ok() || first >> 6 != 2) return ChainStatus::kMalformed;
  const ChainStatus list = read_generic_list(in, ListKind::kCsrc, place);
  if (list != ChainStatus::kOk) return list;
  extras = {};
  extras.present = (first & 0x10) != 0;
  if (extras.present) {
    const std::uint8_t flags = in.octet();
    extras.rtp_extension = (flags & 0x10) != 0;
    extras.mode = static_cast<Mode>(flags >> 2 & 3);
    if ((flags & 1) != 0) extras.ts_stride = read_sdvl(in).value;
    extras.has_time_stride = (flags & 2) != 0;
    if (extras.has_time_stride) extras.time_stride = read_sdvl(in).value;
  }
  // "If RX = 0, context(X) is updated to zero" (RFC 4815 6.5).
  h[0] = static_cast<std::uint8_t>(0x80 | (first & 0x20) | (extras.rtp_extension ? 0x10 : 0));
  return status_of(in);
}

}  // namespace headroom::rohc::wire
