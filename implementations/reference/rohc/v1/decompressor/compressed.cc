// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/decompressor/compressed.h"

#include <algorithm>

#include "mutants.h"
#include "rohc/framework/channel.h"
#include "rohc/v1/encoding/lsb.h"
#include "rohc/v1/header/crc_coverage.h"

namespace headroom::rohc {
namespace {

using wire::PacketType;

// RND and NBO of both IP headers, as they are for the packet at hand.
struct IdFlags {
  bool inner_ipv4 = false;
  bool outer_ipv4 = false;
  wire::IpIdFlags inner;
  wire::IpIdFlags outer;

  [[nodiscard]] bool inner_compressed() const noexcept { return inner_ipv4 && !inner.rnd; }
  [[nodiscard]] bool outer_compressed() const noexcept { return outer_ipv4 && !outer.rnd; }
  // The formats with a T bit are those for contexts with an IPv4 header whose RND is 0 (5.7.3).
  [[nodiscard]] bool t_bit() const noexcept { return inner_compressed() || outer_compressed(); }
};

IdFlags flags_of(const DecompressorContext& c, const DecompressorTunnel& t) noexcept {
  return {layout_of(c.shape).is_ipv4(), c.tunnel && t.version == 4, c.id_flags, t.id_flags};
}

void apply_flags(const wire::Extension& e, IdFlags& flags) noexcept {
  if (e.inner.present) {
    flags.inner.rnd = e.inner.rnd;
    flags.inner.nbo = e.inner.nbo;
  }
  if (e.outer.present) {
    flags.outer.rnd = e.outer.rnd;
    flags.outer.nbo = e.outer.nbo;
  }
}

// Base header and extension. With extension 3 the flags in it decide how the packet is to be read (RFC 4815 8.3).
bool read_base_and_extension(std::uint8_t first, wire::Reader& in, wire::Format format, bool reliable, IdFlags& flags,
                             CompressedHeader& h) noexcept {
  const Octets start = in.rest();
  const bool t_bit = flags.t_bit();
  auto base = wire::read_base_header(first, in, format, t_bit, reliable);
  if (!base) return false;
  h.base = *base;
  if (!h.base.extension) return true;
  const auto extension = wire::read_extension(in, format, wire::t_field_of(h.base.type));
  if (!extension) return false;
  h.extension = *extension;
  if (extension->kind != 3) return true;
  apply_flags(*extension, flags);
  if (format == wire::Format::kRtp && flags.t_bit() != t_bit) {
    wire::Reader again(start);
    base = wire::read_base_header(first, again, format, flags.t_bit(), reliable);
    if (!base || !base->extension) return false;
    h.base = *base;
  }
  return true;
}

// TOS, TTL and DF in a pattern. `protocol_may_change`: only where nothing after the IP header is compressed.
bool apply_ip_update(const wire::IpHeaderUpdate& u, unsigned version, bool protocol_may_change,
                     std::uint8_t* h) noexcept {
  if (!u.present) return true;
  if (version == 4) {
    if (u.has_tos) h[1] = u.tos;
    if (u.has_ttl) h[8] = u.ttl;
    h[6] = static_cast<std::uint8_t>((h[6] & 0xbf) | (u.df ? 0x40 : 0));
  } else {
    if (u.has_tos) {
      h[0] = static_cast<std::uint8_t>(0x60 | u.tos >> 4);
      h[1] = static_cast<std::uint8_t>(u.tos << 4 | (h[1] & 0x0f));
    }
    if (u.has_ttl) h[7] = u.ttl;
  }
  if (u.has_protocol) {
    std::uint8_t& protocol = h[version == 4 ? 9 : 6];
    if (!protocol_may_change && protocol != u.protocol) return false;
    protocol = u.protocol;
  }
  return true;
}

bool apply_extension_3(const CompressedHeader& h, Decoded& d) noexcept {
  const wire::Extension& e = h.extension;
  DecompressorContext& c = d.header.c;
  DecompressorTunnel& t = d.header.tunnel;
  const ProfileTraits traits = traits_of(c.profile);
  const Layout& l = layout_of(c.shape);
  if (e.outer.present && !c.tunnel) return false;
  if (!apply_ip_update(e.inner, l.ip_version, !l.has_udp(), c.pattern.data())) return false;
  if (c.tunnel && !apply_ip_update(e.outer, t.version, false, t.pattern.data())) return false;
  if (!traits.rtp) {
    d.mode = e.mode;
    d.has_mode = true;
    return true;
  }
  if (!e.rtp.present) return true;
  // "If the two M field values of such a packet are not identical, the packet MUST be discarded" (RFC 4815 8.4).
  const bool base_has_marker = h.base.type != PacketType::kUo1Id;
  if (base_has_marker && e.rtp.marker != h.base.marker && !mutant("disagreeing-markers-accepted")) return false;
  d.marker = e.rtp.marker;
  std::uint8_t* rtp = c.pattern.data() + l.rtp;
  rtp[0] = static_cast<std::uint8_t>((rtp[0] & 0xcf) |
                                     (e.rtp.rtp_extension && !mutant("rtp-extension-bit-ignored") ? 0x10 : 0) |
                                     (e.rtp.padding ? 0x20 : 0));
  if (e.rtp.has_payload_type) rtp[1] = e.rtp.payload_type;
  if (e.rtp.has_time_stride && e.rtp.time_stride > kLongestTimeStride) return false;
  d.mode = e.rtp.mode;
  d.has_mode = !mutant("mode-of-extension-3-ignored");
  return true;
}

// (a_n - a_ref) / TIME_STRIDE of 4.5.4. REQUIRES: time_stride is not 0.
std::uint64_t strides_since(std::uint64_t arrived_ns, const DecompressorContext& c) noexcept {
  constexpr std::uint64_t kMillisecond = 1'000'000;
  return (arrived_ns - c.arrived_ns) / (c.time_stride * kMillisecond);
}

// The scaled TS that bits are relative to, and their p: the reference's, or with timer-based compression "T_approx =
// T_ref + (a_n - a_ref) / TIME_STRIDE" (4.5.4, RFC 4815 4.3).
std::uint32_t decode_scaled(wire::Bits bits, std::uint64_t arrived_ns, const DecompressorContext& c) noexcept {
  const unsigned width = std::min<unsigned>(bits.width, 32);
  const std::uint32_t reference = c.ts / c.ts_stride;
  if (c.time_stride == 0) return lsb_decode(bits.value, width, reference, p_of_timestamp(bits.width));
  return lsb_decode(
      bits.value, width, reference + static_cast<std::uint32_t>(strides_since(arrived_ns, c)),
      mutant("timer-interval-as-without-clock") ? p_of_timestamp(bits.width) : p_of_timed_timestamp(bits.width));
}

void take_time_stride(const CompressedHeader& h, DecompressorContext& c) noexcept {
  const bool told = h.has_extension_3() && h.extension.rtp.has_time_stride;
  if (told && !mutant("time-stride-of-extension-3-ignored"))
    c.time_stride = static_cast<std::uint16_t>(h.extension.rtp.time_stride);
}

// RFC 3095 4.5.3, RFC 4815 4. The offset is always that of the reference, so a wraparound of the reference updates it.
bool decode_timestamp(const CompressedHeader& h, std::uint16_t reference_sn, DecompressorContext& c) noexcept {
  const wire::Bits bits = h.ts();
  const bool scaled = !h.has_extension_3() || h.extension.tsc;
  if (mutant("time-stride-used-at-once")) take_time_stride(h, c);
  if (bits.width == 0) {
    if (!scaled) return false;  // "the decompressor MUST discard the packet" (RFC 4815 4.2)
    std::int32_t packets = static_cast<std::int16_t>(c.sn - reference_sn);
    if (mutant("timer-without-ts-bits-by-clock") && c.time_stride != 0)
      packets = static_cast<std::int32_t>(strides_since(h.arrived_ns, c));
    c.ts += c.ts_stride * static_cast<std::uint32_t>(packets);
  } else if (scaled) {
    if (c.ts_stride == 0) return false;
    const std::uint32_t offset = mutant("ts-offset-forgotten") ? 0 : c.ts % c.ts_stride;
    c.ts = decode_scaled(bits, h.arrived_ns, c) * c.ts_stride + offset;
  } else {
    c.ts = lsb_decode(bits.value, std::min<unsigned>(bits.width, 32), c.ts, p_of_timestamp(bits.width));
  }
  // TS_STRIDE and TIME_STRIDE "are not used for decompression of the RTP TS field for this packet type" (RFC
  // 4815 8.11).
  take_time_stride(h, c);
  // With Tsc = 1 "field(TS_STRIDE) MUST be ignored and discarded" (RFC 4815 4.6).
  if (h.has_extension_3() && h.extension.rtp.has_ts_stride && (!scaled || mutant("ts-stride-taken-with-tsc")))
    c.ts_stride = h.extension.rtp.ts_stride;
  return true;
}

std::uint16_t swapped_unless(bool nbo, std::uint16_t id) noexcept {
  return nbo || mutant("nbo-ignored") ? id : wire::swap16(id);
}

// Offset IP-ID encoding (4.5.5) with `bits` from the packet, none for "the same offset".
std::uint16_t decode_id(wire::Bits bits, wire::IpIdFlags flags, std::uint16_t last_id, std::uint16_t reference_sn,
                        std::uint16_t sn) noexcept {
  if (flags.sid && !mutant("sid-ignored")) return last_id;  // constant (RFC 3843 3.3)
  const auto reference = static_cast<std::uint16_t>(swapped_unless(flags.nbo, last_id) - reference_sn);
  const auto offset =
      bits.width == 0
          ? reference
          : static_cast<std::uint16_t>(lsb_decode(bits.value, std::min<unsigned>(bits.width, 16), reference, kOffsetP));
  return swapped_unless(flags.nbo, static_cast<std::uint16_t>(offset + sn));
}

void decode_ids(const CompressedHeader& h, const IdFlags& flags, std::uint16_t reference_sn,
                ContextCopy& copy) noexcept {
  const std::uint16_t sn = copy.c.sn;
  // Base header and I carry the IP-ID of "the innermost IPv4 header whose corresponding RND flag is not 1" (5.7).
  wire::Bits outer_bits = h.base.extension ? h.extension.outer_id : wire::Bits{};
  if (h.has_extension_3() && h.extension.outer.has_id) outer_bits = {h.extension.outer.id, 16};
  if (!flags.inner_compressed()) outer_bits = h.id();
  if (flags.inner_compressed()) {
    copy.c.last_id = decode_id(h.id(), flags.inner, copy.c.last_id, reference_sn, sn);
  } else if (flags.inner_ipv4) {
    copy.c.last_id = h.inner_id;
  }
  if (flags.outer_compressed()) {
    copy.tunnel.last_id = decode_id(outer_bits, flags.outer, copy.tunnel.last_id, reference_sn, sn);
  } else if (flags.outer_ipv4) {
    copy.tunnel.last_id = h.outer_id;
  }
}

bool has_coverage(const DecompressorContext& c) noexcept { return layout_of(c.shape).has_coverage(); }

// RFC 4019 5.3.2.1 to 5.3.2.3: what the CCE packet `h` leaves of context(CFP), context(CFI) and context(Checksum
// Coverage).
void update_coverage(const CompressedHeader& h, DecompressorContext& c) noexcept {
  const std::size_t csrc_octets = h.list_use == ListUse::kActive ? 4U * h.lists->csrc.count : 0U;
  const bool once_kept = h.cce == wire::Cce::kOnce && mutant("cce-once-kept");
  if (h.cce == wire::Cce::kOn || once_kept) set_coverage(c, Coverage::kSent, 0);
  if (h.cce == wire::Cce::kOff) {
    const Coverage way =
        coverage_for(layout_of(c.shape), *h.coverage, h.payload.size() + csrc_octets, Coverage::kFixed);
    set_coverage(c, mutant("cce-off-always-fixed") ? Coverage::kFixed : way, *h.coverage);
  }
}

// The lists as they are in this packet. Where neither the context nor the packet has any, nothing is copied.
bool apply_lists(const DecompressorContext& c, ListPlaces lists, CompressedHeader& h) noexcept {
  const wire::Extension& e = h.extension;
  const bool third = h.has_extension_3();
  const bool inner = third && e.inner.has_extension_headers;
  const bool outer = third && e.outer.has_extension_headers;
  const bool csrc = third && e.rtp.has_csrc;
  const bool told = inner || outer || csrc;
  h.list_use = c.lists;
  if (!told && c.lists != ListUse::kActive) return true;
  if (lists.copy == nullptr) return false;
  h.lists = lists.copy;
  if (c.lists == ListUse::kNone) {
    *lists.copy = DecompressorLists{};
    lists.copy->sn = c.sn;
  } else {
    *lists.copy = *lists.context;
  }
  h.list_use = ListUse::kActive;
  using wire::ChainStatus;
  if (outer && (!c.tunnel || apply_field(e.outer.extension_headers, h.lists->outer) != ChainStatus::kOk)) return false;
  if (inner && apply_field(e.inner.extension_headers, h.lists->inner) != ChainStatus::kOk) return false;
  if (!csrc) return true;
  wire::Reader in(e.rtp.csrc);
  wire::CompressedList list;
  return wire::read_list(in, wire::ListKind::kCsrc, list) && apply_list(list, h.lists->csrc) == ChainStatus::kOk;
}

bool keeps_only_numbers(const CompressedHeader& h) noexcept {
  return h.base.type == PacketType::kUo1Id && h.has_extension_3();
}

}  // namespace

std::uint8_t type_octet(const DecompressorContext& c, std::uint8_t first, Octets rest) noexcept {
  const bool cce = has_coverage(c) && wire::cce_of(first) != wire::Cce::kNone;
  return cce && !rest.empty() ? rest[0] : first;
}

std::optional<CompressedHeader> read_compressed(const DecompressorContext& c, const DecompressorTunnel& tunnel,
                                                ListPlaces lists, std::uint8_t first, Octets rest) noexcept {
  CompressedHeader h;
  IdFlags flags = flags_of(c, tunnel);
  wire::Reader in(rest);
  if (has_coverage(c)) h.cce = wire::cce_of(first);
  if (h.cce != wire::Cce::kNone) first = in.octet();
  if (!read_base_and_extension(first, in, format_of(traits_of(c.profile)), c.reads_reliable(), flags, h))
    return std::nullopt;
  if (!apply_lists(c, lists, h)) return std::nullopt;
  const bool listed = h.list_use == ListUse::kActive;
  if (flags.outer_ipv4 && flags.outer.rnd) h.outer_id = in.two();
  if (listed) read_as_is_fields(in, h.lists->outer);
  if (flags.inner_ipv4 && flags.inner.rnd) h.inner_id = in.two();
  if (listed) read_as_is_fields(in, h.lists->inner);
  // "CCE(ON) and CCE(OFF) MUST NOT be used to extend R-0 and R-1* headers" (RFC 4019 5.3.2): these have no CRC.
  const bool updates = h.cce == wire::Cce::kOn || h.cce == wire::Cce::kOff;
  if (updates && h.base.crc_width == 0) return std::nullopt;
  if (h.cce != wire::Cce::kNone || c.udp_checksum_octets == 4) h.coverage = in.two();
  if (c.udp_checksum_octets != 0) h.udp_checksum = in.two();
  if (listed && read_extras_dynamic(in, *h.lists) != wire::ChainStatus::kOk) return std::nullopt;
  if (!in.ok()) return std::nullopt;
  h.payload = in.rest();
  return h;
}

bool decode(const DecompressorContext& c, const DecompressorTunnel& tunnel, const CompressedHeader& h,
            std::uint16_t reference_sn, Decoded& d) noexcept {
  d.header.c = c;
  if (c.tunnel) d.header.tunnel = tunnel;
  d.header.lists = h.lists;
  d.header.in_compressed_header = true;
  d.header.c.lists = h.lists != nullptr ? h.list_use : c.lists;
  d.marker = h.base.marker;
  d.has_mode = false;
  const ProfileTraits traits = traits_of(c.profile);
  const bool rtp = traits.rtp;
  const wire::Bits sn = h.sn();
  const bool from_packet = traits.sn_in_packet() && !(traits.esp() && mutant("esp-sn-as-if-generated"));
  d.header.c.sn = static_cast<std::uint16_t>(lsb_decode(sn.value, sn.width, reference_sn,
                                                        mutant("sn-interval-from-reference") ? 0
                                                        : from_packet                        ? p_of_packet_sn(sn.width)
                                                                      : p_of_generated_sn(sn.width)));
  IdFlags flags = flags_of(c, tunnel);
  if (h.has_extension_3()) {
    if (!apply_extension_3(h, d)) return false;
    apply_flags(h.extension, flags);
    d.header.c.id_flags = flags.inner;
    if (c.tunnel) d.header.tunnel.id_flags = flags.outer;
    derive_from_pattern(d.header);
  }
  // TS and IP-ID lie on a line through the reference header, whichever SN is tried: c.sn belongs to c.ts and c.last_id.
  if (rtp && !decode_timestamp(h, c.sn, d.header.c)) return false;
  // The bits of an ESP Sequence Number are fewer than 16, so the whole number moves as its low half does.
  if (traits.esp())
    d.header.c.ts += static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(d.header.c.sn - c.sn)});
  if (traits.esp() && mutant("esp-carry-lost")) d.header.c.ts = (c.ts & 0xffff0000U) | d.header.c.sn;
  decode_ids(h, flags, c.sn, d.header);
  d.header.sent_in_r_mode = d.has_mode && d.mode == wire::Mode::kReliable;
  return true;
}

bool verify(const Decoded& d, const CompressedHeader& h, const RestoredHeader& restored) noexcept {
  if (is_without_crc(h)) return true;
  const DecompressorContext& c = d.header.c;
  const Layout& l = layout_of(c.shape);
  if (c.lists == ListUse::kActive) {
    const unsigned outer_version = c.tunnel ? d.header.tunnel.version : 0U;
    const std::uint8_t* octets = restored.octets.data();
    const std::uint8_t crc = h.base.crc_width == 3 ? listed_crc3(octets, restored.listed, outer_version, l)
                                                   : listed_crc7(octets, restored.listed, outer_version, l);
    return crc == h.base.crc || mutant("crc-not-checked");
  }
  const std::uint8_t* outer = outer_of(restored, c);
  const std::uint8_t* inner = inner_of(restored, c);
  const unsigned version = d.header.tunnel.version;
  const std::uint8_t crc = h.base.crc_width == 3 ? finish_crc3(c.crc3_static, outer, version, inner, l)
                                                 : finish_crc7(c.crc7_static, outer, version, inner, l);
  return crc == h.base.crc || mutant("crc-not-checked");
}

void keep_context(const DecompressorContext& before, const DecompressorTunnel& tunnel_before,
                  const DecompressorLists& lists_before, const CompressedHeader& h, Decoded& d) noexcept {
  if (!keeps_only_numbers(h) || mutant("uo-1-id-keeps-extension-3")) {
    update_coverage(h, d.header.c);
    return;
  }
  ContextCopy kept{before, tunnel_before, d.header.lists, true};
  if (kept.lists != nullptr) {
    const DecompressorLists none{};
    keep_tables_and_sequences(before.lists != ListUse::kNone ? lists_before : none, d.header.c.sn, *kept.lists);
    kept.c.lists = ListUse::kActive;
  }
  kept.c.sn = d.header.c.sn;
  kept.c.ts = d.header.c.ts;
  kept.c.last_id = d.header.c.last_id;
  kept.tunnel.last_id = d.header.tunnel.last_id;
  update_coverage(h, kept.c);
  d.header = kept;
  d.has_mode = false;
}

}  // namespace headroom::rohc
