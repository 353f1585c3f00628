// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/write.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "mutants.h"
#include "rohc/framework/wire/crc.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/header/crc_coverage.h"
#include "rohc/v1/wire/base_header.h"
#include "rohc/v1/wire/chain.h"

namespace headroom::rohc {
namespace {

using wire::PacketType;

bool ends_with_ip(const PacketFields& f) noexcept {
  const std::uint8_t next = f.lists != nullptr && f.lists->extra_count != 0 ? f.lists->last_next
                            : f.chain.layout().is_ipv4()                    ? f.inner[9]
                                                                            : f.inner[6];
  return is_ip(next);
}

// --- Chains (5.7.7) --------------------------------------------------------------------------------------------------

void write_static_chain(Flow flow, const PacketFields& f, wire::Writer& out) noexcept {
  const Layout& l = flow.layout();
  if (f.outer != nullptr) wire::write_ip_static(out, f.outer, false);
  // Where more IP follows, the chain must say that it ends here (RFC 3843 3.1).
  const bool ends = flow.traits().ends_at_ip && ends_with_ip(f);
  const bool extras = f.lists != nullptr && f.lists->extra_count != 0;
  wire::write_ip_static(out, f.inner, ends && !extras && !mutant("chain-end-not-told"));
  if (extras) write_extras_static(f, ends, out);
  if (l.has_udp()) wire::write_udp_static(out, f.inner + l.udp);  // also UDP-Lite (RFC 4019 5.2.1)
  if (l.has_esp()) wire::write_esp_static(out, f.inner + l.esp);
  if (l.has_rtp() && !mutant("ir-without-rtp-static")) wire::write_rtp_static(out, f.inner + l.rtp);
}

wire::RtpExtras extras_of(Flow flow, const PacketFields& f) noexcept {
  wire::RtpExtras e;
  e.rtp_extension = (f.inner[flow.layout().rtp] & 0x10) != 0;
  e.mode = mutant("chain-says-u-mode") ? wire::Mode::kUnidirectional : flow.c.mode;
  e.ts_stride = flow.c.ts_stride;
  if (mutant("rtp-extension-bit-not-in-chain")) e.rtp_extension = false;
  if (mutant("ts-stride-not-in-chain")) e.ts_stride = 0;
  e.time_stride = flow.timer != nullptr ? flow.timer->time_stride : 0;
  e.has_time_stride = flow.timer != nullptr && flow.timer->ever_told;
  e.present = e.rtp_extension || e.ts_stride != 0 || e.has_time_stride || e.mode != wire::Mode::kUnidirectional ||
              flow.h.mode_left != 0;
  return e;
}

void write_dynamic_chain(Flow flow, const PacketFields& f, wire::Writer& out) noexcept {
  const Layout& l = flow.layout();
  const ProfileTraits traits = flow.traits();
  ListRoom room;
  if (f.outer != nullptr)
    wire::write_ip_dynamic(out, f.outer, ip_id_flags(flow.tunnel->id_behaviour), traits.constant_ip_id,
                           chain_list(flow, f, WhichList::kOuter, room));
  wire::write_ip_dynamic(out, f.inner, ip_id_flags(flow.h.id_behaviour), traits.constant_ip_id,
                         chain_list(flow, f, WhichList::kInner, room));
  write_extras_dynamic(f, out);
  if (l.has_coverage()) {
    wire::write_udp_lite_dynamic(out, f.inner + l.udp);
  } else if (l.has_udp()) {
    wire::write_udp_dynamic(out, f.inner + l.udp);
  }
  if (traits.rtp) {
    wire::write_rtp_dynamic(out, f.inner + l.rtp, extras_of(flow, f), chain_list(flow, f, WhichList::kCsrc, room));
  } else if (l.has_esp()) {
    wire::write_esp_dynamic(out, f.inner + l.esp);
  } else {
    out.two(f.sn);  // 5.11.1, RFC 3843 3.5
  }
}

// First octet, profile and a place for the CRC; returns where that is.
std::size_t write_ir_start(Flow flow, std::uint8_t type, wire::Writer& out) noexcept {
  wire::write_first_octet(out, flow.c.cid_octets, type);
  out.octet(static_cast<std::uint8_t>(flow.c.profile));
  out.octet(0);
  return out.size() - 1;
}

// "Calculated over the entire IR or IR-DYN packet, excluding Payload and including CID or any Add-CID octet" with the
// CRC field zero (5.9.1).
void fill_crc8(wire::Writer& out, std::size_t from, std::size_t crc_at) noexcept {
  if (out.ok())
    out.begin()[crc_at] = wire::crc8(out.written().subspan(from + (mutant("crc8-without-first-octet") ? 1 : 0)));
}

// --- Compressed headers
// ------------------------------------------------------------------------------------------------

// The IP-ID that compressed headers carry: "the innermost IPv4 header whose corresponding RND flag is not 1" (5.7).
enum class CompressedId : std::uint8_t { kNone, kInner, kOuter };

bool is_compressed(IpIdBehaviour b) noexcept { return b != IpIdBehaviour::kNone && b != IpIdBehaviour::kRandom; }

CompressedId compressed_id_of(Flow flow) noexcept {
  if (is_compressed(flow.h.id_behaviour)) return CompressedId::kInner;
  if (flow.tunnel != nullptr && is_compressed(flow.tunnel->id_behaviour)) return CompressedId::kOuter;
  return CompressedId::kNone;
}

// Largest distance of an offset from those in the window, and whether it differs from any.
struct OffsetNeed {
  bool bits = false;
  std::uint32_t distance = 0;
};

OffsetNeed offset_need(Flow flow, std::uint16_t offset, bool outer) noexcept {
  OffsetNeed need;
  each_reference(flow, [&](const Reference& r, std::uint16_t outer_offset, Known all) {
    const bool known = all == Known::kAll;
    const auto distance = static_cast<std::uint16_t>(offset - (outer ? outer_offset : r.id_offset));
    need.bits |= distance != 0 || !known;
    need.distance = std::max<std::uint32_t>(need.distance, known ? distance : 0xffff);
  });
  return need;
}

OffsetNeed inner_need(Flow flow, const PacketFields& f) noexcept {
  if (!is_counter(flow.h.id_behaviour)) return {};
  return offset_need(flow, id_offset(flow.h.id_behaviour, f.inner_id, f.sn), false);
}

OffsetNeed outer_need(Flow flow, const PacketFields& f) noexcept {
  if (flow.tunnel == nullptr || !is_counter(flow.tunnel->id_behaviour)) return {};
  return offset_need(flow, id_offset(flow.tunnel->id_behaviour, f.outer_id, f.sn), true);
}

void need_ids(Flow flow, const PacketFields& f, Needs& n) noexcept {
  const CompressedId which = compressed_id_of(flow);
  OffsetNeed base = which == CompressedId::kOuter ? outer_need(flow, f) : inner_need(flow, f);
  OffsetNeed second = which == CompressedId::kInner ? outer_need(flow, f) : OffsetNeed{};
  if (flow.h.id_left != 0) {  // references are of another kind of offset: a whole IP-ID is needed
    const auto whole = [](bool counter) { return counter ? OffsetNeed{true, 0xffff} : OffsetNeed{}; };
    const bool outer = flow.tunnel != nullptr && is_counter(flow.tunnel->id_behaviour);
    base = whole(which == CompressedId::kOuter ? outer : is_counter(flow.h.id_behaviour));
    second = whole(which == CompressedId::kInner && outer);
  }
  n.t_bit = which != CompressedId::kNone;
  n.id_bits = base.bits;
  n.id_distance = base.distance;
  n.outer_id_bits = second.bits;
  n.outer_id_distance = second.distance;
}

void need_timestamp(Flow flow, const PacketFields& f, Needs& n) noexcept {
  const std::uint32_t stride = flow.c.ts_stride;
  const FlowHistory& h = flow.h;
  n.ts_unscaled = stride == 0 || h.unscaled_left != 0 || h.stride_left != 0;
  Span scaled;
  Span unscaled;
  bool line = true;
  bool first = true;
  each_reference(flow, [&](const Reference& r, std::uint16_t, Known what) {
    const bool known = what != Known::kSn;
    const std::int32_t distance = known ? static_cast<std::int32_t>(f.ts - r.ts) : INT32_MIN;
    unscaled.add(distance, first);
    n.ts_unscaled |= !known;
    if (stride != 0) {
      const std::int32_t packets = static_cast<std::int16_t>(f.sn - r.sn);
      line &= f.ts - r.ts == stride * static_cast<std::uint32_t>(packets);
      // A stride has 29 bits at most (4.5.6), and dividing 64 bits takes far longer than 32.
      const auto divisor = static_cast<std::int32_t>(stride);
      n.ts_unscaled |= distance % divisor != 0;
      scaled.add(distance / divisor, first);
    }
    first = false;
  });
  if (flow.timer != nullptr) need_clock(flow, f, n);
  n.ts_bits = n.ts_unscaled || !line;
  n.ts = n.ts_unscaled ? unscaled : scaled;
}

// A value's bits split over base header and extension, the more significant ones first (4.5.7).
void split(std::uint32_t value, unsigned extension_width, wire::Bits& base, wire::Bits& extension) noexcept {
  base.value = extension_width >= 32 ? 0 : value >> extension_width;
  extension.value = extension_width >= 32 ? value : value & ((1U << extension_width) - 1);
  extension.width = static_cast<std::uint8_t>(extension_width);
}

void fill_ip_update(wire::IpHeaderUpdate& u, const std::uint8_t* header, IpIdBehaviour b, bool fields) noexcept {
  u.present = true;
  u.has_tos = fields && !mutant("tos-change-not-sent");
  u.has_ttl = fields && !mutant("ttl-change-not-sent");
  const bool ipv4 = header[0] >> 4 == 4;
  u.tos = ipv4 ? header[1] : static_cast<std::uint8_t>(header[0] << 4 | header[1] >> 4);
  u.ttl = ipv4 ? header[8] : header[7];
  u.df = ipv4 && (header[6] & 0x40) != 0 && !mutant("df-not-sent");
  // IPv6 has no IP-ID: its flags mean nothing and are sent as zero, which even a strict decompressor takes.
  const wire::IpIdFlags id = ip_id_flags(b);
  u.nbo = ipv4 && id.nbo != mutant("nbo-reversed");
  u.rnd = ipv4 && id.rnd;
}

void fill_rtp_update(Flow flow, const PacketFields& f, wire::RtpHeaderUpdate& u) noexcept {
  const std::uint8_t* rtp = f.inner + flow.layout().rtp;
  u.present = true;
  u.mode = mutant("extension-3-says-u-mode") ? wire::Mode::kUnidirectional : flow.c.mode;
  u.marker = f.marker != mutant("markers-disagree");  // both M bits must agree (RFC 4815 8.4)
  u.rtp_extension = (rtp[0] & 0x10) != 0;
  u.padding = (rtp[0] & 0x20) != 0 && !mutant("rtp-padding-not-sent");
  u.payload_type = rtp[1] & 0x7f;
  // "If R-PT = 0, context(R-P) is updated to zero" (RFC 4815 6.4): padding needs the octet even when the type is known.
  u.has_payload_type = u.padding || (flow.h.changed & kChangedRtp) != 0;
  u.has_ts_stride = flow.h.stride_left != 0 && !mutant("ts-stride-not-sent");
  u.ts_stride = flow.c.ts_stride;
  u.has_time_stride = flow.h.time_left != 0;
  u.time_stride = flow.timer != nullptr ? flow.timer->time_stride : 0;
}

// Where the lists of one extension 3 are written.
struct ExtensionLists {
  ListRoom outer;
  ListRoom inner;
  ListRoom csrc;
};

// Current flags and fields, if no other change needs them.
void fill_list(wire::IpHeaderUpdate& u, const std::uint8_t* header, IpIdBehaviour b, Octets list) noexcept {
  if (list.empty()) return;
  if (!u.present) fill_ip_update(u, header, b, false);
  u.has_extension_headers = true;
  u.extension_headers = list;
}

void fill_extension_3(Flow flow, const PacketFields& f, const Choice& choice, bool ts_unscaled, ExtensionLists& lists,
                      wire::Extension& e) noexcept {
  const FlowHistory& h = flow.h;
  const bool rtp = flow.traits().rtp;
  const unsigned changed = h.pattern_left != 0 ? h.changed : 0U;
  e.tsc = ts_unscaled == mutant("tsc-reversed");
  e.mode = flow.c.mode;
  if (flow.tunnel != nullptr && ((changed & kChangedOuter) != 0 || h.id_left != 0 || choice.outer_id_field)) {
    fill_ip_update(e.outer, f.outer, flow.tunnel->id_behaviour, (changed & kChangedOuter) != 0);
    if (choice.outer_id_field) {
      e.outer.has_id = true;
      e.outer.id = id_offset(flow.tunnel->id_behaviour, f.outer_id, f.sn);
    }
  }
  if (flow.tunnel != nullptr)
    fill_list(e.outer, f.outer, flow.tunnel->id_behaviour, extension_list(flow, f, WhichList::kOuter, lists.outer));
  if ((changed & kChangedInner) != 0 || h.id_left != 0 || (rtp && e.outer.present)) {
    fill_ip_update(e.inner, f.inner, h.id_behaviour, (changed & kChangedInner) != 0);
  }
  fill_list(e.inner, f.inner, h.id_behaviour, extension_list(flow, f, WhichList::kInner, lists.inner));
  const Octets csrc = rtp ? extension_list(flow, f, WhichList::kCsrc, lists.csrc) : Octets{};
  if (rtp &&
      ((changed & kChangedRtp) != 0 || h.stride_left != 0 || h.time_left != 0 || h.mode_left != 0 || !csrc.empty())) {
    fill_rtp_update(flow, f, e.rtp);
    e.rtp.has_csrc = !csrc.empty();
    e.rtp.csrc = csrc;
  }
}

// Fields after base header and extension, in the order of the original headers (5.7; RFC 3843 3.6).
void write_tail(Flow flow, const PacketFields& f, bool extension_3, wire::Cce cce, wire::Writer& out) noexcept {
  if (flow.tunnel != nullptr && flow.tunnel->id_behaviour == IpIdBehaviour::kRandom) out.two(f.outer_id);
  write_as_is_fields(flow, f, WhichList::kOuter, extension_3, out);
  if (flow.h.id_behaviour == IpIdBehaviour::kRandom && !mutant("random-ip-id-not-sent")) out.two(f.inner_id);
  write_as_is_fields(flow, f, WhichList::kInner, extension_3, out);
  const Layout& l = flow.layout();
  const bool late = mutant("coverage-behind-checksum");
  const auto write_coverage = [&] {
    if (cce != wire::Cce::kNone || l.coverage == Coverage::kSent) out.octets({f.inner + l.udp_length_at, 2});
  };
  if (!late) write_coverage();
  if (flow.c.udp_checksum_octets != 0 && !mutant("udp-checksum-not-sent"))
    out.octets({f.inner + flow.layout().udp_checksum_at, 2});
  if (late) write_coverage();
  write_extras_dynamic(f, out);
}

std::uint8_t crc_of(Flow flow, const PacketFields& f, bool short_crc) noexcept {
  const Layout& l = flow.layout();
  if (f.lists != nullptr)
    return short_crc ? listed_crc3(f.packet, *f.lists, f.chain.outer_version, l)
                     : listed_crc7(f.packet, *f.lists, f.chain.outer_version, l);
  return short_crc ? finish_crc3(flow.c.crc3_static, f.outer, f.chain.outer_version, f.inner, l)
                   : finish_crc7(flow.h.crc7_static, f.outer, f.chain.outer_version, f.inner, l);
}

}  // namespace

void write_ir(Flow flow, const PacketFields& f, wire::Writer& out) noexcept {
  const std::size_t from = out.size();
  const std::uint8_t dynamic_chain_present = mutant("ir-denies-dynamic-chain") ? 0 : 1;
  const std::size_t crc_at = write_ir_start(flow, wire::kIrType | dynamic_chain_present, out);
  write_static_chain(flow, f, out);
  write_dynamic_chain(flow, f, out);
  fill_crc8(out, from, crc_at);
}

void write_ir_dyn(Flow flow, const PacketFields& f, wire::Writer& out) noexcept {
  const std::size_t from = out.size();
  const std::size_t crc_at = write_ir_start(flow, wire::kIrDynType, out);
  write_dynamic_chain(flow, f, out);
  fill_crc8(out, from, crc_at);
}

Needs needs_of(Flow flow, const PacketFields& f) noexcept {
  const FlowHistory& h = flow.h;
  const ProfileTraits traits = flow.traits();
  Needs n;
  n.format = format_of(traits);
  n.generated_sn = !traits.sn_in_packet();
  bool first = true;
  each_reference(flow, [&](const Reference& r, std::uint16_t, Known known) {
    // An ESP Sequence Number may be further away than 16 bits tell.
    const bool half = !traits.esp() || mutant("esp-sn-distance-of-sixteen-bits");
    const std::int32_t distance = half                  ? static_cast<std::int16_t>(f.sn - r.sn)
                                  : known == Known::kSn ? INT32_MIN
                                                        : static_cast<std::int32_t>(f.ts - r.ts);
    n.sn.add(distance, std::exchange(first, false));
  });
  if (traits.rtp) need_timestamp(flow, f, n);
  need_ids(flow, f, n);
  n.marker = f.marker;
  n.long_crc = h.long_crc_left != 0 || h.transition_pending || h.mode_left == kUntilAcked;
  n.extension_3 = h.pattern_left != 0 || h.id_left != 0 || h.stride_left != 0 || h.time_left != 0 || h.mode_left != 0 ||
                  h.lists_left != 0;
  if (mutant("type-0-during-transition") && h.transition_pending) n.extension_3 = n.long_crc = false;
  return n;
}

void write_compressed(Flow flow, const PacketFields& f, const Choice& choice, bool ts_unscaled,
                      wire::Writer& out) noexcept {
  const wire::Format format = format_of(flow.traits());
  wire::BaseHeader base;
  base.type = choice.type;
  base.marker = f.marker && !mutant("marker-not-sent");
  base.extension = choice.extension >= 0;

  ExtensionLists lists;
  wire::Extension extension;
  wire::ExtensionWidths widths{0, 0, 0, 0};
  if (choice.extension == 3) {
    extension.kind = 3;
    widths = {static_cast<std::uint8_t>(choice.sn_octet ? 8 : 0), choice.ts_width,
              static_cast<std::uint8_t>(choice.id_field ? 16 : 0), 0};
    fill_extension_3(flow, f, choice, ts_unscaled, lists, extension);
  } else if (choice.extension >= 0) {
    extension.kind = static_cast<std::uint8_t>(choice.extension);
    widths = wire::extension_widths(format, wire::t_field_of(choice.type), extension.kind);
  }

  const std::uint32_t ts = ts_unscaled || flow.c.ts_stride == 0 ? f.ts : f.ts / flow.c.ts_stride;
  const bool outer_is_base = compressed_id_of(flow) == CompressedId::kOuter;
  const std::uint16_t outer_offset =
      flow.tunnel != nullptr ? id_offset(flow.tunnel->id_behaviour, f.outer_id, f.sn) : std::uint16_t{0};
  const std::uint16_t inner_offset =
      is_counter(flow.h.id_behaviour)
          ? id_offset(flow.h.id_behaviour, f.inner_id, mutant("ip-id-without-offset") ? std::uint16_t{0} : f.sn)
          : std::uint16_t{0};
  split(f.sn, widths.sn, base.sn, extension.sn);
  split(ts, widths.ts, base.ts, extension.ts);
  split(outer_is_base ? outer_offset : inner_offset, widths.id, base.id, extension.id);
  extension.outer_id = {outer_offset, widths.outer_id};

  const bool short_crc = choice.type == PacketType::kUo0 || choice.type == PacketType::kUo1 ||
                         choice.type == PacketType::kUo1Id || choice.type == PacketType::kUo1Ts;
  // R-0 and R-1* have no place for one: what is written here goes nowhere.
  base.crc = crc_of(flow, f, short_crc);

  if (choice.cce == wire::Cce::kNone) {
    wire::write_base_header(out, flow.c.cid_octets, format, base);
  } else {  // "the substituted identifier is then moved to the first octet of the remainder" (RFC 4019 5.3.2)
    const wire::Cce cce = mutant("cce-always-once") ? wire::Cce::kOnce : choice.cce;
    wire::write_first_octet(out, flow.c.cid_octets, wire::octet_of(cce));
    wire::write_base_header(out, {}, format, base);
  }
  if (base.extension) wire::write_extension(out, format, wire::t_field_of(choice.type), extension);
  write_tail(flow, f, choice.extension == 3, choice.cce, out);
}

void count_sent(Flow flow, PacketType type, bool told_ts) noexcept {
  FlowHistory& h = flow.h;
  if (flow.in_reliable_mode() && !mutant("r-mode-change-told-a-few-times")) return;
  const auto told = [](std::uint8_t& left) { left = static_cast<std::uint8_t>(left - (left != 0)); };
  const bool ir = type == PacketType::kIr;
  const bool chain = ir || type == PacketType::kIrDyn;
  const bool long_crc =
      chain || type == PacketType::kUor2 || type == PacketType::kUor2Id || type == PacketType::kUor2Ts;
  if (ir) told(h.ir_left);
  if (chain) told(h.ir_dyn_left);
  // Extension 3 carries all of these whenever there is one of them left.
  told(h.pattern_left);
  told(h.id_left);
  told(h.time_left);
  if (told_ts) {
    told(h.stride_left);
    told(h.unscaled_left);
  }
  if (long_crc) told(h.long_crc_left);
  if (h.mode_left != kUntilAcked) told(h.mode_left);
  if (h.pattern_left == 0 && h.reminders_left == 0) h.changed = 0;
  if (flow.lists != nullptr) count_lists_sent(flow, chain);
}

}  // namespace headroom::rohc
