// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/observe.h"

#include <algorithm>
#include <cstdlib>

#include "habit.h"
#include "mutants.h"
#include "rohc/framework/wire/sdvl.h"
#include "rohc/v1/compressor/coverage.h"
#include "rohc/v1/compressor/fast_path.h"
#include "rohc/v1/compressor/refresh.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/compressor/window.h"
#include "rohc/v1/header/crc_coverage.h"

namespace headroom::rohc {
namespace {

// --- Pattern fields -------------------------------------------------------------------------------------------------

// The innermost headers as the pattern has them: dynamic fields and marker cleared.
Image pattern_of(const PacketFields& f, const Layout& l) noexcept {
  Image image;
  masked_copy(f.inner, l.pattern_mask, l.header, image);
  if (l.has_rtp()) image[l.rtp + 1U] &= 0x7f;
  return image;
}

void take_static_crc(Flow flow, const PacketFields& f) noexcept {
  const Layout& l = flow.layout();
  const StaticCrc crc = f.lists != nullptr ? listed_static_crc(f.packet, *f.lists, f.chain.outer_version, l)
                                           : static_crc(f.outer, f.chain.outer_version, f.inner, l);
  flow.c.crc3_static = crc.crc3;
  flow.h.crc7_static = crc.crc7;
}

void take_pattern(Flow flow, const PacketFields& f, const Image& image) noexcept {
  const Layout& l = flow.layout();
  const std::uint16_t coverage = wire::load16(flow.c.pattern.data() + l.udp_length_at);
  flow.c.pattern = image;
  // The packet at hand need not have the value that is agreed upon.
  if (l.coverage == Coverage::kFixed) wire::store16(flow.c.pattern.data() + l.udp_length_at, coverage);
  flow.c.ipv4_sum = l.is_ipv4() ? ipv4_sum(image.data()) : std::uint16_t{0};
  take_static_crc(flow, f);
}

void note_change(Flow flow, std::uint16_t sn) noexcept { flow.h.changed_since_sn = sn; }

// A decompressor that missed a change could not tell by a CRC whose register is the same as before: use the other one
// for a while (5.9.2, note).
void beware_of_equal_crc(Flow flow, std::uint8_t old_crc3) noexcept {
  if (flow.c.crc3_static == old_crc3) flow.h.long_crc_left = static_cast<std::uint8_t>(2 * flow.repeats());
}

void observe_pattern(Flow flow, const PacketFields& f) noexcept {
  const Layout& l = flow.layout();
  const Image image = pattern_of(f, l);
  const auto differs = [&](std::size_t from, std::size_t to) {
    return !std::equal(image.data() + from, image.data() + to, flow.c.pattern.data() + from);
  };
  unsigned changed = 0;
  if (differs(0, l.has_udp() ? l.udp : l.header)) changed |= kChangedInner;
  if (l.has_rtp() && differs(l.rtp, l.header)) changed |= kChangedRtp;
  if (f.outer != nullptr) {
    const Layout& outer = ip_layout(f.chain.outer_version);
    if (!masked_equal(f.outer, outer.pattern_mask, flow.tunnel->pattern, outer.header)) {
      changed |= kChangedOuter;
      masked_copy(f.outer, outer.pattern_mask, outer.header, flow.tunnel->pattern);
    }
  }
  if (changed == 0) return;
  const std::uint8_t old_crc3 = flow.c.crc3_static;
  take_pattern(flow, f, image);
  flow.h.changed = static_cast<std::uint8_t>(flow.h.changed | changed);
  flow.h.pattern_left = mutant("change-told-once") ? 1 : flow.repeats();
  beware_of_equal_crc(flow, old_crc3);
  begin_reminders(flow);
  note_change(flow, f.sn);
}

void observe_list_changes(Flow flow, const PacketFields& f) noexcept {
  if (flow.lists == nullptr || !observe_lists(flow, f)) return;
  const std::uint8_t old_crc3 = flow.c.crc3_static;
  take_static_crc(flow, f);
  beware_of_equal_crc(flow, old_crc3);
  begin_reminders(flow);
  note_change(flow, f.sn);
}

// --- UDP checksum ---------------------------------------------------------------------------------------------------

// "Context(UDP Checksum) is updated only by IR or IR-DYN headers", and its being zero decides whether compressed
// headers carry the field (5.7). A change in either direction therefore takes a series of IR-DYN packets. That of
// UDP-Lite is always sent (RFC 4019 5.1).
void observe_udp_checksum(Flow flow, const PacketFields& f) noexcept {
  const Layout& l = flow.layout();
  if (!l.has_udp() || l.has_coverage()) return;
  const std::uint8_t octets = wire::load16(f.inner + l.udp_checksum_at) != 0 ? 2 : 0;
  if (octets == flow.c.udp_checksum_octets) return;
  flow.c.udp_checksum_octets = octets;
  if (!mutant("udp-checksum-change-not-told")) flow.h.ir_dyn_left = flow.repeats();
  note_change(flow, f.sn);
}

// --- IP-ID ----------------------------------------------------------------------------------------------------------

// How often in a row another behaviour must show before it is believed.
constexpr std::uint8_t kVotesForRandom = 2;
constexpr std::uint8_t kVotesForOrder = 3;

IpIdBehaviour classify(std::uint16_t last, std::uint16_t id, unsigned packets, std::uint16_t largest_step) noexcept {
  const unsigned reach = std::min(0x4000U, std::max(1U, packets) * largest_step);
  const auto step = static_cast<std::uint16_t>(id - last);
  const auto swapped_step = static_cast<std::uint16_t>(wire::swap16(id) - wire::swap16(last));
  if (step == 0) return IpIdBehaviour::kConstant;
  if (std::min(step, swapped_step) > reach) return IpIdBehaviour::kRandom;
  return step <= swapped_step ? IpIdBehaviour::kSequential : IpIdBehaviour::kSwapped;
}

struct IpIdState {
  IpIdBehaviour& behaviour;
  IpIdBehaviour& candidate;
  std::uint8_t& votes;
};

// True if the behaviour has changed.
bool observe_ip_id(IpIdState state, IpIdBehaviour seen, bool constant_ip_id) noexcept {
  // Without SID a constant IP-ID costs a full offset each time: as it is, two octets are less.
  if (seen == IpIdBehaviour::kConstant && !constant_ip_id) seen = IpIdBehaviour::kRandom;
  if (seen == state.behaviour) {
    state.votes = 0;
    return false;
  }
  state.votes = seen == state.candidate ? static_cast<std::uint8_t>(std::min(255, state.votes + 1)) : std::uint8_t{1};
  state.candidate = seen;
  // Constant means not sent at all: one other value ends it. Counters can carry any value, if at a price.
  const bool at_once = state.behaviour == IpIdBehaviour::kConstant;
  if (!at_once && state.votes < (seen == IpIdBehaviour::kRandom ? kVotesForRandom : kVotesForOrder)) return false;
  state.behaviour = seen;
  state.votes = 0;
  return true;
}

// Extension 3 can carry RND and NBO; only IR and IR-DYN can carry SID (RFC 3843 3.3).
void note_id_change(Flow flow, IpIdBehaviour before, IpIdBehaviour after, std::uint16_t sn) noexcept {
  const bool sid = before == IpIdBehaviour::kConstant || after == IpIdBehaviour::kConstant;
  if (sid) {
    flow.h.ir_dyn_left = flow.repeats();
  } else {
    flow.h.id_left = flow.repeats();
  }
  note_change(flow, sn);
}

void observe_ip_ids(Flow flow, const PacketFields& f, unsigned packets) noexcept {
  const bool constant_ip_id = flow.traits().constant_ip_id;
  if (flow.h.id_behaviour != IpIdBehaviour::kNone) {
    const IpIdBehaviour before = flow.h.id_behaviour;
    const IpIdBehaviour seen = classify(flow.c.last_id, f.inner_id, packets, flow.config.ip_id_largest_step);
    if (observe_ip_id({flow.h.id_behaviour, flow.h.id_candidate, flow.h.id_votes}, seen, constant_ip_id)) {
      note_id_change(flow, before, flow.h.id_behaviour, f.sn);
    }
  }
  if (f.chain.outer_version == 4) {
    TunnelContext& t = *flow.tunnel;
    const IpIdBehaviour before = t.id_behaviour;
    const IpIdBehaviour seen = classify(t.last_id, f.outer_id, packets, flow.config.ip_id_largest_step);
    if (observe_ip_id({t.id_behaviour, t.id_candidate, t.id_votes}, seen, constant_ip_id)) {
      note_id_change(flow, before, t.id_behaviour, f.sn);
    }
  }
}

// --- RTP timestamp ---------------------------------------------------------------------------------------------------

void adopt_stride(Flow flow, std::uint32_t stride, std::uint16_t sn) noexcept {
  flow.c.ts_stride = stride;
  flow.h.stride_left = flow.repeats();
  flow.h.unscaled_left = flow.repeats();
  flow.h.stride_provisional = true;
  flow.h.stride_votes = 0;
  note_change(flow, sn);
}

// TS_OFFSET is no longer what it was: an unscaled TS must tell (RFC 4815 4.5, and 4.4.3 for a wraparound).
void offset_changed(Flow flow, std::uint16_t sn) noexcept {
  if (!mutant("ts-offset-not-told")) flow.h.unscaled_left = flow.repeats();
  note_change(flow, sn);
}

// The stride that would explain `step` over `packets`, or 0.
std::uint32_t stride_from(std::uint32_t step, std::int32_t packets) noexcept {
  constexpr std::uint32_t kLargest = (1U << 29) - 1;  // what TS_STRIDE can carry (4.5.6)
  const std::uint32_t candidate = packets > 1 && step % static_cast<std::uint32_t>(packets) == 0
                                      ? step / static_cast<std::uint32_t>(packets)
                                      : step;
  return candidate <= kLargest ? candidate : 0;
}

void observe_timestamp(Flow flow, const PacketFields& f, std::int32_t packets) noexcept {
  CompressorContext& c = flow.c;
  FlowHistory& h = flow.h;
  const std::uint32_t step = f.ts - c.ts;
  const bool wrapped =
      (f.ts < c.ts) == (static_cast<std::int32_t>(step) > 0) && step != 0 && !mutant("ts-wraparound-not-told");
  const bool power_of_two = (c.ts_stride & (c.ts_stride - 1)) == 0;
  if (c.ts_stride != 0 && step == c.ts_stride * static_cast<std::uint32_t>(packets)) {  // on the line
    h.stride_provisional = false;
    h.stride_votes = 0;
    if (wrapped && !power_of_two) offset_changed(flow, f.sn);
    return;
  }
  if (step == 0) {  // several packets with one timestamp: says nothing of the stride, but scaling needs some
    if (c.ts_stride == 0) adopt_stride(flow, 1, f.sn);
    return;
  }
  const std::uint32_t candidate = stride_from(step, packets);
  const bool multiple =
      c.ts_stride > 1 && static_cast<std::int32_t>(step) % static_cast<std::int32_t>(c.ts_stride) == 0;
  if (multiple) {
    if (wrapped && !power_of_two) offset_changed(flow, f.sn);
    return;
  }
  const bool plausible = candidate != 0;
  if (plausible && (c.ts_stride <= 1 || (h.stride_provisional && c.ts_stride % candidate == 0))) {
    adopt_stride(flow, candidate, f.sn);
    return;
  }
  h.stride_votes = candidate == h.stride_candidate ? static_cast<std::uint8_t>(h.stride_votes + 1) : std::uint8_t{1};
  h.stride_candidate = candidate;
  if (plausible && h.stride_votes >= 2) {
    adopt_stride(flow, candidate, f.sn);
  } else {
    offset_changed(flow, f.sn);
  }
}

bool on_line(Flow flow, const Reference& r, std::uint16_t sn, std::uint32_t ts) noexcept {
  const std::int32_t packets = static_cast<std::int16_t>(sn - r.sn);
  return ts - r.ts == flow.c.ts_stride * static_cast<std::uint32_t>(packets);
}

// After an IP header where the chain ends there may be a header that could not be compressed this time, but can be the
// next time; it is then another flow's packet.
bool may_carry_more(Flow flow, const PacketFields& f) noexcept {
  const Layout& l = flow.layout();
  if (l.transport != Transport::kNone) return false;
  const std::uint8_t next = l.is_ipv4() ? f.inner[9] : f.inner[6];
  const ProfileSet& enabled = flow.config.channel.profiles;
  return is_ip(next) || is_extension_header(next) || (next == kProtocolUdp && (enabled.udp || enabled.rtp)) ||
         (next == kProtocolEsp && enabled.esp) ||
         (next == kProtocolUdpLite && (enabled.udp_lite || enabled.rtp_udp_lite));
}

// The next packets, if as predicted, can be UO-0 whichever reference the decompressor uses, until all references are
// such packets.
bool next_is_predictable(Flow flow) noexcept {
  const FlowHistory& h = flow.h;
  const bool from_packet = flow.traits().sn_in_packet();
  if (h.reference_count == 0 || (from_packet && flow.c.ts_stride == 0)) return false;
  const bool offset = h.id_behaviour == IpIdBehaviour::kSequential || h.id_behaviour == IpIdBehaviour::kSwapped;
  const auto next = static_cast<std::uint16_t>(flow.c.sn + 1);
  const std::int32_t p = from_packet ? p_of_packet_sn(4) : p_of_generated_sn(4);
  for (unsigned age = 0; age < h.reference_count; ++age) {
    const Reference& r = reference(h, age);
    // A reference stays until as many packets as the window is wide have followed it; the distance grows meanwhile.
    const std::int32_t distance = static_cast<std::int16_t>(next - r.sn);
    const auto further = static_cast<std::int32_t>(flow.repeats() - age - 1);
    if (!lsb_covers(distance, 4, p) || !lsb_covers(distance + further, 4, p)) return false;
    if (from_packet && !on_line(flow, r, flow.c.sn, flow.c.ts)) return false;
    if (offset && r.id_offset != flow.c.id_base) return false;
  }
  return true;
}

}  // namespace

bool has_news(const FlowHistory& h) noexcept {
  return (h.ir_left | h.ir_dyn_left | h.pattern_left | h.id_left | h.stride_left | h.unscaled_left | h.time_left |
          h.long_crc_left | h.mode_left | h.coverage_left | h.lists_left) != 0 ||
         h.transition_pending;
}

void begin_flow(Flow flow, const PacketFields& f) noexcept {
  const Layout& l = flow.layout();
  take_pattern(flow, f, pattern_of(f, l));
  const bool checksum = l.has_udp() && wire::load16(f.inner + l.udp_checksum_at) != 0;
  flow.c.udp_checksum_octets = checksum ? 2 : 0;
  begin_coverage(flow, f);
  flow.c.ts_stride = l.has_esp() ? 1 : 0;
  flow.c.sn = static_cast<std::uint16_t>(f.sn - 1);
  flow.c.ts = f.ts;
  flow.c.last_id = f.inner_id;
  flow.h.id_behaviour = l.is_ipv4() ? IpIdBehaviour::kSequential : IpIdBehaviour::kNone;
  flow.h.ir_left = mutant("one-ir-only") || habit("one-ir") ? 1 : habit("fifty-irs") ? 50 : flow.repeats();
  flow.h.changed_since_sn = f.sn;
  flow.h.mode_since_sn = static_cast<std::uint16_t>(f.sn - 0x4000);  // long ago
  if (flow.tunnel != nullptr) {
    TunnelContext& t = *flow.tunnel;
    const Layout& outer = ip_layout(f.chain.outer_version);
    masked_copy(f.outer, outer.pattern_mask, outer.header, t.pattern);
    t.version = f.chain.outer_version;
    t.last_id = f.outer_id;
    t.id_behaviour = t.version == 4 ? IpIdBehaviour::kSequential : IpIdBehaviour::kNone;
  }
  observe_list_changes(flow, f);
  if (flow.h.stale_static) begin_reminders(flow);
}

void observe(Flow flow, const PacketFields& f) noexcept {
  const std::int32_t packets = static_cast<std::int16_t>(f.sn - flow.c.sn);
  if (!f.same_pattern) observe_pattern(flow, f);
  observe_list_changes(flow, f);
  observe_udp_checksum(flow, f);
  observe_coverage(flow, f);
  observe_ip_ids(flow, f, static_cast<unsigned>(std::abs(packets)));
  if (flow.traits().rtp) observe_timestamp(flow, f, packets);
}

void predict(Flow flow, const PacketFields& f) noexcept {
  CompressorContext& c = flow.c;
  c.sn = f.sn;
  c.ts = f.ts;
  c.last_id = f.inner_id;
  const IpIdBehaviour b = flow.h.id_behaviour;
  c.id_rotation = b == IpIdBehaviour::kSwapped ? 8 : 0;
  c.id_octets = b == IpIdBehaviour::kRandom ? 2 : 0;
  c.id_sn_mask = b == IpIdBehaviour::kConstant ? 0 : 0xffff;
  c.id_mask = b == IpIdBehaviour::kRandom || b == IpIdBehaviour::kNone ? 0 : 0xffff;
  c.id_base = static_cast<std::uint16_t>(rotate16(f.inner_id, c.id_rotation) - (c.sn & c.id_sn_mask));
  // With SID the last value itself may be the beginning of another behaviour.
  c.id_near_from = flow.traits().constant_ip_id ? 0 : 1;
  c.id_near = b == IpIdBehaviour::kRandom
                  ? static_cast<std::uint16_t>(flow.config.ip_id_largest_step + 1 - c.id_near_from)
                  : std::uint16_t{0};
  if (flow.tunnel != nullptr) {
    TunnelContext& t = *flow.tunnel;
    t.last_id = f.outer_id;
    t.id_base = id_offset(t.id_behaviour, f.outer_id, f.sn);
  }
  // What an irregular Checksum Coverage may turn into, only the general path sees.
  const bool irregular = flow.layout().coverage == Coverage::kSent;
  const bool timed = flow.traits().rtp && flow.clock_ms != 0;  // each packet's arrival counts
  const bool plain = !irregular && !flow.h.on_probation && flow.tunnel == nullptr && !timed &&
                     c.lists != ListUse::kActive && !may_carry_more(flow, f) && !has_news(flow.h);
  const bool reliable = flow.in_reliable_mode();
  c.fast = plain && !reliable && next_is_predictable(flow);
  c.fast_reliable = plain && reliable && predictable_packets(flow) != 0;
}

}  // namespace headroom::rohc
