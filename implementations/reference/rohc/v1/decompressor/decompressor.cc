// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/decompressor/decompressor.h"

#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "rohc/framework/wire/crc.h"
#include "rohc/v1/decompressor/jump_path.h"

namespace headroom::rohc::v1 {
namespace {

using wire::PacketType;
using wire::Profile;

constexpr bool compresses(Profile p) noexcept {
  return p == Profile::kRtp || p == Profile::kUdp || p == Profile::kEsp || p == Profile::kIp ||
         p == Profile::kRtpUdpLite || p == Profile::kUdpLite;
}

// True when `after` is more than `before` some packets later: another pattern, or SN, TS and IP-ID on another line.
bool differs(const ContextCopy& before, const ContextCopy& after) noexcept {
  const DecompressorContext& b = before.c;
  const DecompressorContext& a = after.c;
  const auto same_flags = [](wire::IpIdFlags x, wire::IpIdFlags y) {
    return x.rnd == y.rnd && x.nbo == y.nbo && x.sid == y.sid;
  };
  const auto same_id = [&](std::uint16_t last, std::uint16_t now, wire::IpIdFlags flags) {
    if (flags.rnd) return true;
    if (flags.sid) return last == now;
    const auto value = [&](std::uint16_t id) { return flags.nbo ? id : wire::swap16(id); };
    return static_cast<std::uint16_t>(value(now) - a.sn) == static_cast<std::uint16_t>(value(last) - b.sn);
  };
  const std::int32_t packets = static_cast<std::int16_t>(a.sn - b.sn);
  if (a.profile != b.profile || a.shape != b.shape || a.tunnel != b.tunnel || a.pattern != b.pattern) return true;
  if (a.ts_stride != b.ts_stride || a.ts - b.ts != b.ts_stride * static_cast<std::uint32_t>(packets)) return true;
  if (a.udp_checksum_octets != b.udp_checksum_octets || !same_flags(a.id_flags, b.id_flags)) return true;
  if (layout_of(a.shape).is_ipv4() && !same_id(b.last_id, a.last_id, a.id_flags)) return true;
  if (!a.tunnel) return false;
  const DecompressorTunnel& t = after.tunnel;
  if (t.pattern != before.tunnel.pattern || !same_flags(t.id_flags, before.tunnel.id_flags)) return true;
  return t.version == 4 && !same_id(before.tunnel.last_id, t.last_id, t.id_flags);
}

std::int32_t status_of(wire::ChainStatus status) noexcept {
  return status == wire::ChainStatus::kUnsupported ? HEADROOM_ERR_UNSUPPORTED : HEADROOM_ERR_MALFORMED;
}

}  // namespace

Decompressor::Decompressor(const DecompressorConfig& config, Owners<DecompressorFamily>& owners,
                           FeedbackQueue& own_feedback, DecompressorCounters& counters)
    : config_(config),
      contexts_(config.channel.contexts()),
      tunnels_(config.channel.contexts()),
      observations_(config.observes() ? config.channel.contexts() : 1),
      lists_(config.channel.contexts(), Pages::kSmall),
      owners_(owners),
      own_feedback_(own_feedback),
      counters_(counters) {}

bool Decompressor::has_profile(std::uint8_t octet) const noexcept {
  const auto profile = static_cast<Profile>(octet);
  return profile == Profile::kUncompressed || (compresses(profile) && config_.channel.profiles.has(profile));
}

void Decompressor::decompress(const Framed& framed, std::uint32_t index, headroom_packet& packet, std::uint64_t now_ns,
                              headroom_detail* detail) noexcept {
  const Outcome outcome = decompress_generally(framed, index, packet, now_ns);
  packet.status = outcome.status;
  tally(outcome);
  if (detail != nullptr) fill_detail(*detail, outcome);
}

void Decompressor::drop(std::uint32_t index) noexcept {
  DecompressorContext& c = contexts_[index];
  if (!c.used) return;
  if (c.profile == Profile::kUncompressed) --uncompressed_in_use_;
  --in_use_;
  c = DecompressorContext{};
}

void Decompressor::begin_context(std::uint32_t index) noexcept {
  const DecompressorContext& c = contexts_[index];
  owners_.take(index, *this);
  if (!c.used) ++in_use_;
  if (c.used && c.profile == Profile::kUncompressed) --uncompressed_in_use_;
}

// False if the packet is not of that kind, or does not decompress: then nothing has happened.
bool Decompressor::decompress_jump(const Lookahead& lookahead, Octets rest, headroom_packet& packet,
                                   std::uint64_t now_ns, headroom_detail* detail) noexcept {
  DecompressorContext& c = contexts_[lookahead.context];
  const bool ipv4 = c.shape == Shape::kRtpIpv4;
  const bool known = ipv4 || c.shape == Shape::kRtpIpv6;
  if (!c.fast || !known || c.time_stride != 0 || c.ts_stride == 0) return false;
  const std::optional<jump::Header> header = jump::read(lookahead.first, rest, ipv4 && !c.id_flags.rnd);
  if (!header) return false;
  const bool done = ipv4 ? jump::decompress<Shape::kRtpIpv4>(c, packet, *header, now_ns)
                         : jump::decompress<Shape::kRtpIpv6>(c, packet, *header, now_ns);
  if (!done) return false;
  Outcome outcome;
  outcome.status = HEADROOM_OK;
  outcome.context = lookahead.context;
  outcome.type = header->type;
  outcome.plain_header = layout_of(c.shape).header;
  outcome.compressed_header = static_cast<std::uint16_t>(packet.in_length + outcome.plain_header - packet.out_length);
  outcome.sn_bits = header->sn_bits;
  succeeded(lookahead.context, outcome, false, wire::Mode::kCancel);
  packet.status = outcome.status;
  tally(outcome);
  if (detail != nullptr) fill_detail(*detail, outcome);
  return true;
}

void Decompressor::tally(const Outcome& outcome) noexcept {
  ++counters_.packets[static_cast<std::size_t>(outcome.type)];
  if (outcome.event != Event::kNone) ++counters_.events[static_cast<std::size_t>(outcome.event)];
  counters_.tally(outcome.status);
}

void Decompressor::fill_detail(headroom_detail& detail, const Outcome& outcome) const noexcept {
  detail = {};
  detail.packet_type = static_cast<std::uint8_t>(outcome.type);
  detail.event = static_cast<std::uint8_t>(outcome.event);
  detail.plain_header = outcome.plain_header;
  detail.compressed_header = outcome.compressed_header;
  const DecompressorContext& c = contexts_[outcome.context];
  detail.cid = cid_of(outcome.context);
  detail.profile = c.used ? static_cast<std::uint16_t>(c.profile) : std::uint16_t{0xffff};
  detail.mode = static_cast<std::uint8_t>(c.mode);
  detail.state = static_cast<std::uint8_t>(c.state);
}

Decompressor::Outcome Decompressor::decompress_generally(const Framed& framed, std::uint32_t index,
                                                         headroom_packet& packet, std::uint64_t now_ns) noexcept {
  Outcome outcome;
  outcome.context = index;
  const DecompressorContext& c = contexts_[index];
  if (wire::is_ir(framed.first)) {
    outcome.type = PacketType::kIr;
    const bool uncompressed =
        !framed.rest.empty() && framed.rest[0] == static_cast<std::uint8_t>(Profile::kUncompressed);
    if (uncompressed) {
      decompress_uncompressed_ir(framed, packet, outcome);
    } else {
      decompress_initialisation(framed, false, packet, now_ns, outcome);
    }
  } else if (framed.first == wire::kIrDynType) {
    outcome.type = PacketType::kIrDyn;
    decompress_initialisation(framed, true, packet, now_ns, outcome);
  } else if (!c.used) {
    outcome.status = HEADROOM_ERR_NO_CONTEXT;
    if (config_.nack_unknown_contexts) complain(outcome.context, wire::AckType::kStaticNack, false);
  } else if (c.profile == Profile::kUncompressed) {
    decompress_normal(framed, packet, outcome);
  } else {
    decompress_compressed(framed, packet, now_ns, outcome);
  }
  return outcome;
}

std::int32_t Decompressor::deliver(headroom_packet& packet, const RestoredHeader& header, Octets payload) noexcept {
  const std::size_t length = header.size + payload.size();
  if (packet.out_capacity < length) return HEADROOM_ERR_NO_SPACE;
  std::memcpy(packet.out, header.octets.data(), header.size);
  if (!payload.empty()) std::memcpy(packet.out + header.size, payload.data(), payload.size());
  packet.out_length = static_cast<std::uint32_t>(length);
  return HEADROOM_OK;
}

// --- Profile 0x0000 (5.10, RFC 5795 5.4)
// -----------------------------------------------------------------------------------

void Decompressor::decompress_uncompressed_ir(const Framed& framed, headroom_packet& packet,
                                              Outcome& outcome) noexcept {
  constexpr std::uint8_t kReserved = 1;  // "MUST be set to zero; otherwise, the decompressor MUST discard the packet"
  outcome.status = HEADROOM_ERR_MALFORMED;
  if (((framed.first & kReserved) != 0 && !mutant("reserved-bit-accepted")) || framed.rest.size() < 2) return;
  const std::size_t covered = framed.header.size() - framed.rest.size() + 1;  // through the Profile octet
  if (wire::crc8(framed.header.first(covered)) != framed.rest[1]) {
    outcome.status = HEADROOM_ERR_CRC;
    ++counters_.crc_mismatches[8];
    failed(outcome.context, outcome);
    return;
  }
  DecompressorContext& c = contexts_[outcome.context];
  if (!c.used || c.profile != Profile::kUncompressed) {
    begin_context(outcome.context);
    ++uncompressed_in_use_;
    c = DecompressorContext{};
    c.used = true;
    c.profile = Profile::kUncompressed;
    c.mode = std::min(wanted_mode(c), wire::Mode::kOptimistic);  // this profile has no R-mode (5.10.3)
    outcome.event = Event::kEstablished;
  }
  c.state = DecompressorState::kFc;
  const Octets payload = framed.rest.subspan(2);
  outcome.compressed_header = static_cast<std::uint16_t>(framed.header.size() - payload.size());
  outcome.status = payload.empty() ? HEADROOM_NOTHING : deliver(packet, {}, payload);
  if (config_.feedback && config_.mode != wire::Mode::kUnidirectional)
    send(outcome.context, wire::AckType::kAck, c.mode);
}

void Decompressor::decompress_normal(const Framed& framed, headroom_packet& packet, Outcome& outcome) noexcept {
  outcome.type = PacketType::kNormal;
  outcome.compressed_header = static_cast<std::uint16_t>(framed.header.size() - framed.rest.size() - 1);
  RestoredHeader first;
  first.octets[0] = framed.first;
  first.size = 1;
  outcome.status = deliver(packet, first, framed.rest);
}

// --- IR and IR-DYN (5.7.7)
// ---------------------------------------------------------------------------------------------

void Decompressor::decompress_initialisation(const Framed& framed, bool dynamic_only, headroom_packet& packet,
                                             std::uint64_t now_ns, Outcome& outcome) noexcept {
  const DecompressorContext& c = contexts_[outcome.context];
  outcome.status = HEADROOM_ERR_MALFORMED;
  if (framed.rest.size() < 2) return;
  const auto profile = static_cast<Profile>(framed.rest[0]);
  if (!compresses(profile) || !config_.channel.profiles.has(profile)) {
    outcome.status = HEADROOM_ERR_UNSUPPORTED;
    return;
  }
  if (dynamic_only && (!c.used || !compresses(c.profile) || c.state == DecompressorState::kNc)) {
    // "If the context has not been initialized by an IR packet, the packet MUST be discarded" (5.2.6, step 11).
    outcome.status = HEADROOM_ERR_NO_CONTEXT;
    if (c.used) complain(outcome.context, wire::AckType::kStaticNack, false);
    return;
  }
  const Octets chains = framed.rest.subspan(2);
  const ContextCopy before = copy_of(outcome.context);
  const Initialisation init =
      dynamic_only ? read_ir_dyn(before, profile, chains) : read_ir(before, profile, (framed.first & 1) != 0, chains);
  if (init.status == wire::ChainStatus::kUnsupported) {
    outcome.status = HEADROOM_ERR_UNSUPPORTED;
    complain_of_memory(outcome.context, profile);
    return;
  }
  // The CRC covers everything but the payload, with the CRC field as zero (5.9.1).
  const std::size_t before_crc = framed.header.size() - framed.rest.size() + 1;
  constexpr std::uint8_t kZero[] = {0};
  std::uint8_t crc = wire::crc8(framed.header.first(before_crc));
  crc = wire::crc8(kZero, crc);
  crc = wire::crc8(chains.first(init.header_octets), crc);
  if (init.status != wire::ChainStatus::kOk || (crc != framed.rest[1] && !mutant("ir-crc-not-checked"))) {
    outcome.status = init.status == wire::ChainStatus::kOk ? HEADROOM_ERR_CRC : status_of(init.status);
    counters_.crc_mismatches[8] += init.status == wire::ChainStatus::kOk ? 1 : 0;
    failed(outcome.context, outcome);
    return;
  }
  if (init.after.c.time_stride != 0 && config_.clock_ms == 0) {  // no CLOCK option was ever sent (RFC 4815 4.7)
    outcome.status = HEADROOM_ERR_UNSUPPORTED;
    refuse_clock(outcome.context);
    return;
  }
  if (!has_room_for(outcome.context)) {
    outcome.status = HEADROOM_ERR_NO_CONTEXT;
    reject(outcome.context);
    return;
  }
  outcome.compressed_header = static_cast<std::uint16_t>(before_crc + 1 + init.header_octets);
  accept_initialisation(init, packet, chains.subspan(init.header_octets), now_ns, outcome);
}

void Decompressor::accept_initialisation(const Initialisation& init, headroom_packet& packet, Octets payload,
                                         std::uint64_t now_ns, Outcome& outcome) noexcept {
  const std::uint32_t index = outcome.context;
  DecompressorContext& c = contexts_[index];
  const bool established = !c.used || c.state == DecompressorState::kNc;
  if (!init.has_dynamic) {
    begin_context(index);
    // Static part only: the dynamic part, if it is still that of the same headers, goes on.
    const DecompressorState state = c.state;
    const bool had_lists = c.lists != ListUse::kNone;
    const bool keeps = init.keeps_dynamic && c.used && state != DecompressorState::kNc;
    c = init.after.c;
    if (c.tunnel) tunnels_[index] = init.after.tunnel;
    keep_lists(index, init.after, had_lists);
    c.used = true;
    c.state = keeps ? state : DecompressorState::kSc;
    c.failures = keeps ? c.failures : 0;
    refresh_fast(c);
    outcome.event = established ? Event::kEstablished : Event::kNone;
    outcome.status =
        payload.empty() ? HEADROOM_NOTHING : HEADROOM_ERR_STATE;  // nothing says what the payload's header was
    return;
  }
  RestoredHeader restored;
  const bool fits = restore(init.after, init.marker, init.udp_checksum, payload.size(), restored, init.coverage);
  if (!fits) {
    outcome.status = HEADROOM_ERR_MALFORMED;
    return;
  }
  outcome.sn_bits = 16;
  outcome.new_pattern = c.used && differs({c, tunnel_of(index)}, init.after);
  if (is_overtaken(index, init.after)) {
    outcome.status = payload.empty() ? HEADROOM_NOTHING : deliver(packet, restored, payload);
    outcome.plain_header = static_cast<std::uint16_t>(restored.size);
    return;
  }
  begin_context(index);
  commit(index, init.after, init.after.c.sn, now_ns);
  c.used = true;
  if (established) outcome.event = Event::kEstablished;
  // "Cause a packet to be delivered to upper layers if and only if the payload is non-empty" (5.7.7).
  const bool nothing = payload.empty() && !mutant("empty-ir-delivered");
  outcome.status = nothing ? HEADROOM_NOTHING : deliver(packet, restored, payload);
  outcome.plain_header = static_cast<std::uint16_t>(restored.size);
  succeeded(index, outcome, init.has_mode, init.mode);
}

// --- Packet types 0, 1 and 2 (5.3.2.2)
// -------------------------------------------------------------------------------------

void Decompressor::decompress_compressed(const Framed& framed, headroom_packet& packet, std::uint64_t now_ns,
                                         Outcome& outcome) noexcept {
  const std::uint32_t index = outcome.context;
  DecompressorContext& c = contexts_[index];
  const std::uint8_t type = type_octet(c, framed.first, framed.rest);
  const bool type_2 = (type & 0xe0) == 0xc0;
  const bool reliable = c.reads_reliable();
  const bool updates = !reliable || type_2 || (type & 0xc0) == 0x40 /* R-0-CRC */ || mutant("r-0-updates-context");
  // 5.3.2.2.1: "In the No Context state only IR packets … when in the Static Context state, only packets carrying a 7-
  // or 8-bit CRC".
  if (c.state == DecompressorState::kNc) {
    outcome.status = HEADROOM_ERR_NO_CONTEXT;
    complain(index, wire::AckType::kStaticNack, false);
    return;
  }
  if (c.state == DecompressorState::kSc && !type_2 && !(reliable && updates) && !mutant("crc3-accepted-in-sc")) {
    outcome.status = HEADROOM_ERR_STATE;
    // "Feedback is never sent for packets not updating the context" in R-mode (5.5.2.2).
    if (!reliable) complain(index, wire::AckType::kNack, false);
    return;
  }
  auto header = read_compressed(c, tunnel_of(index), {&lists_[index], &lists_copy_}, framed.first, framed.rest);
  if (!header) {
    outcome.status = HEADROOM_ERR_MALFORMED;
    outcome.type = type_2 ? PacketType::kUor2 : reliable && updates ? PacketType::kR0Crc : PacketType::kUnknown;
    if (updates) failed(index, outcome);
    return;
  }
  header->arrived_ns = now_ns;
  outcome.type = header->base.type;
  if (header->sets_time_stride() && config_.clock_ms == 0) {
    outcome.status = HEADROOM_ERR_MALFORMED;
    refuse_clock(index);
    failed(index, outcome);
    return;
  }
  if (header->cce != wire::Cce::kNone) ++counters_.cce[static_cast<std::size_t>(header->cce)];
  outcome.compressed_header = static_cast<std::uint16_t>(framed.header.size() - header->payload.size());

  Decoded decoded;
  RestoredHeader restored;
  std::uint16_t previous_sn = c.sn;
  const Verdict verdict = attempt(*header, index, c.sn, decoded, restored);
  if (verdict != Verdict::kVerified) {
    // A context that is already under repair has had its second chance (5.3.2.2.4 f, 5.3.2.2.5).
    // In R-mode "no local repair is performed" (5.5.2.1).
    const bool may_repair = verdict == Verdict::kMismatch && c.state == DecompressorState::kFc && c.repairs == 0 &&
                            (!reliable || mutant("repairs-in-r-mode"));
    const Event repaired = may_repair ? repair(*header, index, now_ns, decoded, restored) : Event::kNone;
    if (repaired == Event::kNone) {
      outcome.status = verdict == Verdict::kMismatch ? HEADROOM_ERR_CRC : HEADROOM_ERR_MALFORMED;
      if (updates) failed(index, outcome);
      return;
    }
    outcome.event = repaired;
    if (repaired == Event::kRepairedReference) previous_sn = c.previous_sn;  // "ref -1 is not changed"
  }
  outcome.sn_bits = header->sn().width;
  if (updates) {
    if (is_overtaken(index, decoded.header)) {
      outcome.plain_header = static_cast<std::uint16_t>(restored.size);
      outcome.status = deliver(packet, restored, header->payload);
      return;
    }
    keep_context(c, tunnel_of(index), lists_[index], *header, decoded);
    // Without lists, for the place of their copy is that of `decoded`.
    outcome.new_pattern = reliable && differs({c, tunnel_of(index)}, decoded.header);
    if (!mutant("reference-not-updated")) commit(index, decoded.header, previous_sn, now_ns);
  }
  outcome.plain_header = static_cast<std::uint16_t>(restored.size);
  outcome.status = deliver(packet, restored, header->payload);
  const bool updates_mode = decoded.has_mode && type_2;
  succeeded(index, outcome, updates_mode, decoded.mode);
  if (outcome.status != HEADROOM_OK) packet.out_length = 0;
}

Decompressor::Verdict Decompressor::attempt(const CompressedHeader& header, std::uint32_t index,
                                            std::uint16_t reference_sn, Decoded& decoded,
                                            RestoredHeader& restored) noexcept {
  const DecompressorContext& c = contexts_[index];
  if (!decode(c, tunnel_of(index), header, reference_sn, decoded)) return Verdict::kContradiction;
  if (!restore(decoded.header, decoded.marker, header.udp_checksum, header.payload.size(), restored, header.coverage))
    return Verdict::kContradiction;
  if (verify(decoded, header, restored)) return Verdict::kVerified;
  ++counters_.crc_mismatches[header.base.crc_width];
  return Verdict::kMismatch;
}

}  // namespace headroom::rohc::v1
