// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/decompressor/initialise.h"

#include <algorithm>
#include <array>

#include "mutants.h"
#include "rohc/framework/channel.h"
#include "rohc/v1/header/chain.h"

namespace headroom::rohc {
namespace {

using wire::ChainStatus;

// A context without anything in it (the initial values are those of 5.7.5.2).
ContextCopy new_context(wire::Profile profile) noexcept {
  ContextCopy copy{};
  copy.c.profile = profile;
  copy.c.ts_stride = 1;
  copy.c.mode = wire::Mode::kUnidirectional;
  return copy;
}

// "This field identifies the type of the following header" (5.7.7), but each part says its version itself, too. Where
// the two disagree, as in packets whose Next Header says IPv6 before an IPv4 header, the part is believed: the packet
// comes out as it went in.

// Third and further IP headers (RFC 3843 3.2). The other profiles' compressed headers have no place for them.
ChainStatus read_extras_static(wire::Reader& in, ProfileTraits traits, wire::IpStatic second,
                               ContextCopy& copy) noexcept {
  if (copy.c.lists != ListUse::kNone) copy.lists->extra_count = 0;
  wire::IpStatic ip = second;
  while (!ip.ends && is_ip(ip.next)) {
    if (!traits.ends_at_ip || copy.lists == nullptr) return ChainStatus::kUnsupported;
    DecompressorLists& lists = lists_of(copy);
    if (lists.extra_count == kMaxExtraIps) return ChainStatus::kUnsupported;
    ip = wire::read_ip_static(in, lists.extras[lists.extra_count++]);
    if (ip.status != ChainStatus::kOk) return ChainStatus::kMalformed;
  }
  return ChainStatus::kOk;
}

// One or two IP headers and what the profile has after them -> patterns, shape, tunnel. Dynamic octets of the patterns
// are 0.
ChainStatus read_static_chain(wire::Reader& in, ProfileTraits traits, ContextCopy& copy) noexcept {
  std::array<std::uint8_t, kImageSize> first{};
  Image inner{};
  wire::IpStatic ip = wire::read_ip_static(in, first);
  if (ip.status != ChainStatus::kOk || (ip.ends && !traits.ends_at_ip)) return ChainStatus::kMalformed;
  copy.c.tunnel = !ip.ends && is_ip(ip.next);
  if (copy.c.tunnel) {
    copy.tunnel.pattern = first;
    copy.tunnel.version = ip.version;
    ip = wire::read_ip_static(in, inner);
    if (ip.status != ChainStatus::kOk || (ip.ends && !traits.ends_at_ip)) return ChainStatus::kMalformed;
    const ChainStatus extras = read_extras_static(in, traits, ip, copy);
    if (extras != ChainStatus::kOk) return extras;
  } else {
    inner = first;
    if (copy.c.lists != ListUse::kNone) copy.lists->extra_count = 0;
  }
  copy.c.shape = shape_for(ip.version, traits.transport);
  const Layout& l = layout_of(copy.c.shape);
  // "MUST end with the static parts of" an RTP, a UDP or an ESP header (5.7.7.2).
  const std::uint8_t udp = l.has_coverage() ? kProtocolUdpLite : kProtocolUdp;
  if (l.has_udp() && (ip.next != udp || wire::read_udp_static(in, inner.data() + l.udp) != ChainStatus::kOk)) {
    return ChainStatus::kMalformed;
  }
  if (l.has_coverage()) copy.c.udp_checksum_octets = 2;  // always sent, whatever the dynamic part says
  if (l.has_esp() && (ip.next != kProtocolEsp || wire::read_esp_static(in, inner.data() + l.esp) != ChainStatus::kOk)) {
    return ChainStatus::kMalformed;
  }
  if (l.has_rtp() && wire::read_rtp_static(in, inner.data() + l.rtp) != ChainStatus::kOk)
    return ChainStatus::kMalformed;
  copy.c.pattern = inner;
  return ChainStatus::kOk;
}

// Dynamic octets out of a header that read_..._dynamic() has filled in, into the reference; they are no part of the
// pattern.
std::uint16_t take_id(std::uint8_t* header, unsigned version) noexcept {
  if (version != 4) return 0;
  const std::uint16_t id = wire::load16(header + 4);
  wire::store16(header + 4, 0);
  return id;
}

// A place for the list of a dynamic part, if there may be lists.
wire::ChainList* place_for(const ContextCopy& copy, wire::ChainList& list) noexcept {
  list = {};
  return copy.lists != nullptr ? &list : nullptr;
}

// Applies a list of a dynamic chain. Without items, nothing needs to be done in a context that has no lists.
template <typename Member>
ChainStatus take_list(ContextCopy& copy, const wire::ChainList& list, Member member) noexcept {
  if (list.octets.empty() && copy.c.lists == ListUse::kNone) return ChainStatus::kOk;
  return apply_chain_list(list.octets, lists_of(copy).*member);
}

// The dynamic parts of third and further IP headers. One with extension headers of its own is beyond what is kept.
ChainStatus read_extras(wire::Reader& in, ContextCopy& copy) noexcept {
  const unsigned count = copy.c.lists != ListUse::kNone ? copy.lists->extra_count : 0U;
  return count == 0 ? ChainStatus::kOk : read_extras_dynamic(in, *copy.lists);
}

ChainStatus read_rtp(wire::Reader& in, Initialisation& result) noexcept {
  DecompressorContext& c = result.after.c;
  const Layout& l = layout_of(c.shape);
  std::uint8_t* rtp = c.pattern.data() + l.rtp;
  wire::RtpExtras extras;
  wire::ChainList csrc;
  const ChainStatus status = wire::read_rtp_dynamic(in, rtp, extras, place_for(result.after, csrc));
  if (status != ChainStatus::kOk) return status;
  const ChainStatus listed = take_list(result.after, csrc, &DecompressorLists::csrc);
  if (listed != ChainStatus::kOk) return listed;
  if (extras.time_stride > kLongestTimeStride) return ChainStatus::kUnsupported;
  if (extras.has_time_stride) c.time_stride = static_cast<std::uint16_t>(extras.time_stride);
  result.marker = (rtp[1] & 0x80) != 0;
  rtp[1] &= 0x7f;
  c.sn = wire::load16(rtp + 2);
  c.ts = wire::load32(rtp + 4);
  std::fill_n(rtp + 2, 6, std::uint8_t{0});
  if (extras.ts_stride != 0 && !mutant("ts-stride-of-chain-ignored")) c.ts_stride = extras.ts_stride;
  result.has_mode = extras.present;
  result.mode = extras.mode;
  return ChainStatus::kOk;
}

// What the Checksum Coverage makes of context(CFP) and context(CFI) depends on the payload's length, see finish().
ChainStatus read_udp(wire::Reader& in, Initialisation& result) noexcept {
  DecompressorContext& c = result.after.c;
  const Layout& l = layout_of(c.shape);
  std::uint8_t* udp = c.pattern.data() + l.udp;
  const ChainStatus status = l.has_coverage() ? wire::read_udp_lite_dynamic(in, udp) : wire::read_udp_dynamic(in, udp);
  if (status != ChainStatus::kOk) return status;
  if (l.has_coverage()) result.coverage = wire::load16(udp + 4);
  result.udp_checksum = wire::load16(udp + 6);
  std::fill_n(udp + 4, 4, std::uint8_t{0});
  c.udp_checksum_octets = result.udp_checksum != 0 ? 2 : 0;
  return ChainStatus::kOk;
}

ChainStatus read_esp(wire::Reader& in, DecompressorContext& c) noexcept {
  std::uint8_t* esp = c.pattern.data() + layout_of(c.shape).esp;
  if (wire::read_esp_dynamic(in, esp) != ChainStatus::kOk) return ChainStatus::kMalformed;
  c.ts = wire::load32(esp + 4);
  c.sn = static_cast<std::uint16_t>(c.ts);
  c.ts_stride = 1;
  std::fill_n(esp + 4, 4, std::uint8_t{0});
  return ChainStatus::kOk;
}

ChainStatus read_dynamic_chain(wire::Reader& in, Initialisation& result) noexcept {
  DecompressorContext& c = result.after.c;
  DecompressorTunnel& t = result.after.tunnel;
  const Layout& l = layout_of(c.shape);
  wire::ChainList list;
  if (c.tunnel) {
    ChainStatus status =
        wire::read_ip_dynamic(in, t.version, t.pattern.data(), t.id_flags, place_for(result.after, list));
    if (status == ChainStatus::kOk) status = take_list(result.after, list, &DecompressorLists::outer);
    if (status != ChainStatus::kOk) return status;
    t.last_id = take_id(t.pattern.data(), t.version);
  }
  ChainStatus status =
      wire::read_ip_dynamic(in, l.ip_version, c.pattern.data(), c.id_flags, place_for(result.after, list));
  if (status == ChainStatus::kOk) status = take_list(result.after, list, &DecompressorLists::inner);
  if (status == ChainStatus::kOk) status = read_extras(in, result.after);
  if (status != ChainStatus::kOk) return status;
  c.last_id = take_id(c.pattern.data(), l.ip_version);
  if (l.has_udp()) {
    if (const ChainStatus udp = read_udp(in, result); udp != ChainStatus::kOk) return udp;
  }
  if (l.has_rtp()) return read_rtp(in, result);
  if (l.has_esp()) return read_esp(in, c);
  c.sn = in.two();
  return in.ok() ? ChainStatus::kOk : ChainStatus::kMalformed;
}

// "An IR without a dynamic chain simply updates the static part of the context, while the rest of the context is left
// unchanged" (RFC 4815 6.3): puts back what read_static_chain() cleared.
void keep_dynamic_part(const ContextCopy& before, ContextCopy& after) noexcept {
  const auto merge = [](const Image& definition, const Image& old, Image& now) {
    for (std::size_t i = 0; i < kImageSize; ++i) {
      now[i] = static_cast<std::uint8_t>((now[i] & definition[i]) | (old[i] & ~definition[i]));
    }
  };
  after.c.shape = before.c.shape;  // of the same headers: with what is known of a Checksum Coverage
  after.c.udp_checksum_octets = before.c.udp_checksum_octets;
  merge(layout_of(after.c.shape).definition_mask, before.c.pattern, after.c.pattern);
  if (after.c.tunnel)
    merge(ip_layout(after.tunnel.version).definition_mask, before.tunnel.pattern, after.tunnel.pattern);
}

// The third and further IP headers, before an IR that may make them anew.
struct Extras {
  unsigned count = 0;
  std::array<std::array<std::uint8_t, kIpv6Header>, kMaxExtraIps> headers;
};

Extras extras_of(const ContextCopy& copy) noexcept {
  Extras extras;
  if (copy.c.lists == ListUse::kNone) return extras;
  extras.count = copy.lists->extra_count;
  std::copy_n(copy.lists->extras.begin(), extras.count, extras.headers.begin());
  return extras;
}

bool same_extras(const Extras& before, const ContextCopy& after) noexcept {
  const unsigned count = after.c.lists != ListUse::kNone ? after.lists->extra_count : 0U;
  if (before.count != count) return false;
  for (unsigned i = 0; i < count; ++i) {
    if (before.headers[i][0] >> 4 != after.lists->extras[i][0] >> 4) return false;
  }
  return true;
}

bool same_chain(const ContextCopy& a, const ContextCopy& b) noexcept {
  return same_headers(a.c.shape, b.c.shape) && a.c.tunnel == b.c.tunnel &&
         (!a.c.tunnel || a.tunnel.version == b.tunnel.version);
}

// The static parts of both belong to one flow: addresses, ports, SSRC.
bool same_flow(const ContextCopy& a, const ContextCopy& b) noexcept {
  if (!same_chain(a, b)) return false;
  const Layout& l = layout_of(b.c.shape);
  if (!masked_equal(a.c.pattern.data(), l.definition_mask, b.c.pattern, l.header)) return false;
  if (!b.c.tunnel) return true;
  const Layout& outer = ip_layout(b.tunnel.version);
  return masked_equal(a.tunnel.pattern.data(), outer.definition_mask, b.tunnel.pattern, outer.header);
}

// Another flow has come to the CID. "IR packets do not clear the whole context" (RFC 4815 6.3), and TS_STRIDE and
// TIME_STRIDE need not be in the chain. But a compressor that does not send them can only mean the initial values
// (5.7.5.2): "undesired side effects from interactions between old and new context data" (RFC 4815 7.2) would be what
// those of the former flow have.
void begin_strides(DecompressorContext& c) noexcept {
  c.ts_stride = 1;
  c.time_stride = 0;
}

void finish(wire::Reader& in, std::size_t total, Initialisation& result) noexcept {
  result.header_octets = total - in.remaining();
  ContextCopy& after = result.after;
  if (after.c.lists != ListUse::kNone) {
    // A list of headers that the chain does not have may be left from another flow with this CID.
    if (!after.c.tunnel) after.lists->outer.now.count = 0;
    if (!traits_of(after.c.profile).rtp) after.lists->csrc.count = 0;
    if (result.has_dynamic) after.lists->sn = after.c.sn;
    after.c.lists = after.lists->empty() ? ListUse::kIdle : ListUse::kActive;
  }
  // RFC 4019 5.2.2. context(CFP) is nonzero if the field "differs from the length of the UDP-Lite packet, for any one
  // IR or IR-DYN packet": taken by each for itself, like context(CFI), for that needs no memory of packets that were
  // lost.
  if (result.coverage && !mutant("ir-decides-no-coverage")) {
    DecompressorContext& c = result.after.c;
    const std::size_t csrc_octets = c.lists != ListUse::kNone ? 4U * result.after.lists->csrc.count : 0U;
    set_coverage(c, coverage_for(layout_of(c.shape), *result.coverage, in.remaining() + csrc_octets, Coverage::kSent),
                 0);
  }
  if (result.status == ChainStatus::kOk) derive_from_pattern(result.after);
}

}  // namespace

Initialisation read_ir(const ContextCopy& before, wire::Profile profile, bool dynamic, Octets chains) noexcept {
  Initialisation result;
  const bool known = before.c.profile == profile;
  result.after = known ? before : new_context(profile);
  result.after.lists = before.lists;
  const Extras extras = dynamic ? Extras{} : extras_of(result.after);
  result.has_static = true;
  result.has_dynamic = dynamic;
  wire::Reader in(chains);
  const ProfileTraits traits = traits_of(profile);
  result.status = read_static_chain(in, traits, result.after);
  if (known && traits.rtp && dynamic && !same_flow(before, result.after)) begin_strides(result.after.c);
  if (result.status == ChainStatus::kOk && dynamic) result.status = read_dynamic_chain(in, result);
  if (result.status == ChainStatus::kOk && !dynamic) {
    result.keeps_dynamic = known && same_chain(before, result.after) && same_extras(extras, result.after);
    if (result.keeps_dynamic && !mutant("static-ir-clears-dynamic-part")) keep_dynamic_part(before, result.after);
  }
  finish(in, chains.size(), result);
  return result;
}

Initialisation read_ir_dyn(const ContextCopy& before, wire::Profile profile, Octets chain) noexcept {
  Initialisation result;
  result.has_dynamic = true;
  result.after = before;
  const ProfileTraits traits = traits_of(profile);
  DecompressorContext& c = result.after.c;
  if (profile != before.c.profile) {
    const Layout& old = layout_of(c.shape);
    if (!is_prefix(traits.transport, old.transport)) return result;
    c.shape = shape_for(old.ip_version, traits.transport);
    const Layout& now = layout_of(c.shape);
    std::fill(c.pattern.begin() + now.header, c.pattern.end(), std::uint8_t{0});
    if (!traits.udp) c.udp_checksum_octets = 0;
    c.profile = profile;
    c.mode = wire::Mode::kUnidirectional;  // "MUST start operation in the initial mode" (RFC 4815 7.2.2)
    c.transition = Transition::kDone;
  }
  wire::Reader in(chain);
  result.status = read_dynamic_chain(in, result);
  finish(in, chain.size(), result);
  return result;
}

}  // namespace headroom::rohc
