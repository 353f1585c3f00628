// SPDX-License-Identifier: Apache-2.0
//
// The general path: any packet that is not exactly what its context predicts.
#include <algorithm>
#include <optional>

#include "habit.h"
#include "mutants.h"
#include "rohc/framework/compressor/room.h"
#include "rohc/v1/compressor/choose.h"
#include "rohc/v1/compressor/classify.h"
#include "rohc/v1/compressor/compressor.h"
#include "rohc/v1/compressor/coverage.h"
#include "rohc/v1/compressor/fast_path.h"
#include "rohc/v1/compressor/feedback.h"
#include "rohc/v1/compressor/jump.h"
#include "rohc/v1/compressor/observe.h"
#include "rohc/v1/compressor/profile.h"
#include "rohc/v1/compressor/refresh.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/compressor/uncompressed.h"
#include "rohc/v1/compressor/window.h"
#include "rohc/v1/compressor/write.h"

namespace headroom::rohc::v1 {
namespace {

using wire::PacketType;
using wire::Profile;

constexpr Octets input_of(const headroom_packet& p) noexcept { return {p.in, p.in_length}; }

// Learns from a further packet of a flow.
void go_on(const Flow& flow, PacketFields& f, std::uint32_t now) noexcept {
  catch_up_coverage(flow);
  catch_up_reliably(flow);
  catch_up_arrivals(flow);
  catch_up(flow.c, flow.h, flow.repeats());
  if (!flow.traits().sn_in_packet()) f.sn = static_cast<std::uint16_t>(flow.c.sn + (mutant("sn-by-two") ? 2 : 1));
  observe(flow, f);
  if (flow.timer != nullptr && flow.traits().rtp) observe_clock(flow, f);
  apply_refreshes(flow, now);
}

// What a header that has been written says.
struct Said {
  PacketType type = PacketType::kUnknown;
  wire::Cce cce = wire::Cce::kNone;
  bool chain = false;    // an IR or IR-DYN packet
  bool told_ts = false;  // an unscaled TS
};

// Chooses the smallest header that serves and writes it. None where only IR-DYN would do and there is no payload.
std::optional<Said> write_header(const Flow& flow, const PacketFields& f, wire::Writer& out) noexcept {
  FlowHistory& h = flow.h;
  // IR-DYN packets on a static part of another flow would pass for whole (5.7.7.2, note).
  if (h.stale_static && h.ir_dyn_left != 0) h.ir_left = std::max<std::uint8_t>(h.ir_left, 1);
  if (h.ir_left != 0) {
    flow.c.state = CompressorState::kIr;
    if (f.payload.empty()) return std::nullopt;
    write_ir(flow, f, out);
    return Said{PacketType::kIr, wire::Cce::kNone, true, true};
  }
  const bool news = has_news(h);
  flow.c.state = news ? CompressorState::kFo : CompressorState::kSo;
  if (!news) {
    if (const auto type = write_jump(flow, f, out)) return Said{*type, wire::Cce::kNone, false, false};
  }
  Needs needs;
  std::optional<Choice> choice;
  if (h.ir_dyn_left == 0) {
    needs = needs_of(flow, f);
    if (flow.in_reliable_mode()) plan_update(flow, f, needs);
    choice = choose(needs);
  }
  if (!choice) {
    if (f.payload.empty()) return std::nullopt;
    flow.c.state = CompressorState::kFo;
    write_ir_dyn(flow, f, out);
    return Said{PacketType::kIrDyn, wire::Cce::kNone, true, true};
  }
  choice->cce = choose_cce(flow, f);
  write_compressed(flow, f, *choice, needs.ts_unscaled, out);
  // "In the SO state, R-0* packets will be sent" (5.5.1.2).
  const bool second_order = choice->type == PacketType::kR0 || choice->type == PacketType::kR0Crc;
  if (flow.in_reliable_mode() && flow.c.state == CompressorState::kSo && !second_order)
    flow.c.state = CompressorState::kFo;
  return Said{choice->type, choice->cce, false, needs.ts_unscaled && needs.ts_bits && choice->extension == 3};
}

// Takes what has been written for sent: what is left to tell, references, what the fast path predicts.
void note_sent(const Flow& flow, const PacketFields& f, const Said& said) noexcept {
  FlowHistory& h = flow.h;
  count_sent(flow, said.type, said.told_ts);
  coverage_sent(flow, f, said.cce, said.chain);
  if (h.mode_left == kUntilAcked) note_mode_told(flow, f.sn, said.type);
  if (flow.in_reliable_mode()) {
    count_reliably(flow, f, said.type);
  } else {
    add_reference(h, {f.ts, f.sn, id_offset(h.id_behaviour, f.inner_id, f.sn)}, flow.repeats());
    if (flow.timer != nullptr) note_arrival(flow, f);
    if (flow.tunnel != nullptr)
      flow.tunnel->id_offsets[h.newest] = id_offset(flow.tunnel->id_behaviour, f.outer_id, f.sn);
  }
  predict(flow, f);
  load_refreshes(flow);
}

}  // namespace

void Compressor::compress(headroom_packet& packet, std::uint32_t now, std::uint32_t guess,
                          headroom_detail* detail) noexcept {
  const Outcome outcome = compress_generally(packet, now, guess);
  if (detail != nullptr) fill_detail(*detail, outcome);
}

Compressor::Outcome Compressor::compress_generally(headroom_packet& packet, std::uint32_t now,
                                                   std::uint32_t guess) noexcept {
  packet.out_length = 0;
  if (guess != kNoContext) prefetch_history(guess);
  if (guess != kNoContext && continues_flow(contexts_[guess], packet)) {
    HeaderChain chain;
    chain.shape = contexts_[guess].shape;
    chain.octets = chain.layout().header;
    Headers headers{input_of(packet), chain, nullptr};
    headers.same_pattern = true;
    Undo* const undo = may_not_fit(packet) ? &undo_ : nullptr;
    if (undo != nullptr) keep_context(guess, *undo);
    return compress_as({guess, false, 0}, headers, packet, now, undo);
  }
  const auto fail = [&](std::int32_t status) {
    packet.status = status;
    Outcome outcome;
    outcome.status = status;
    return outcome;
  };
  if (packet.channel >= config_.channel.channels) return fail(HEADROOM_ERR_CHANNEL);
  if (packet.in_length == 0) return fail(HEADROOM_ERR_MALFORMED);

  const Octets octets = input_of(packet);
  HeaderChain chain;
  ListedHeaders listed;
  Profile profile = profile_for(config_.channel.profiles, look_.rtp_ports(), octets, chain, listed);
  if (profile == Profile::kUncompressed) return send_uncompressed(packet, now);

  Headers headers{octets, chain, chain.listed ? &listed : nullptr};
  std::uint64_t hash = hash_of(headers, packet.channel);
  const FoundFlow found = find_flow(hash, packet.channel, headers, profile, now);
  std::uint32_t index = found.index;
  const bool is_new = index == kNoContext;
  // An IR packet without payload delivers nothing (5.7.7): such a packet cannot begin a flow.
  if (is_new && headers.size() == octets.size()) return send_uncompressed(packet, now);
  if (is_new && !pool_.takes_flows(packet.channel, now)) return send_uncompressed(packet, now);
  Undo* const undo = may_not_fit(packet) ? &undo_ : nullptr;
  if (is_new) {
    index = start_flow(hash, packet.channel, chain, profile, now, found.ended, undo);
  } else if (undo != nullptr) {
    keep_context(index, *undo);
  }
  return compress_as({index, is_new, hash}, headers, packet, now, undo);
}

// A packet of a flow that has its context. With `undo`, that is put back should there be no room.
Compressor::Outcome Compressor::compress_as(const KnownFlow& known, const Headers& headers, headroom_packet& packet,
                                            std::uint32_t now, const Undo* undo) noexcept {
  Outcome outcome;
  outcome.context = known.index;
  compress_in_context(known, headers, packet, now, outcome);
  if (outcome.status != HEADROOM_ERR_NO_SPACE || undo == nullptr) return outcome;
  take_back(*undo);
  if (known.is_new) outcome.context = kNoContext;
  return outcome;
}

void Compressor::compress_in_context(const KnownFlow& known, const Headers& headers, headroom_packet& packet,
                                     std::uint32_t now, Outcome& outcome) noexcept {
  if (headers.listed != nullptr) begin_lists(known.index);
  const Flow flow = flow_at(known.index);
  PacketFields f = fields_of(headers, now);
  if (known.is_new) {
    flow.c.may_carry_rtp =
        may_carry_rtp(config_.channel.profiles, look_.rtp_ports(), flow.c.profile, f.inner + flow.layout().udp);
    if (!flow.traits().sn_in_packet())
      f.sn = mutant("sn-starts-at-zero") ? 0 : static_cast<std::uint16_t>(mix(known.hash ^ counters_.new_flows));
    if (habit("sn-near-end") && !flow.traits().sn_in_packet()) f.sn |= 0xff00U;
    begin_flow(flow, f);
    if (flow.traits().rtp) begin_probation(known.index);
  } else {
    if (flow.h.rejected_until_ms != 0 && now < flow.h.rejected_until_ms) {
      outcome = send_uncompressed(packet, now);
      return;
    }
    if (flow.h.on_probation && f.sn == static_cast<std::uint16_t>(flow.c.sn + 1)) end_probation(known.index);
    go_on(flow, f, now);
  }
  if (flow.in_reliable_mode()) prepare_reliably(flow, f);
  flow.c.last_used_ms = now;
  if (compress_flow(flow, f, packet, outcome)) {
    packet.status = outcome.status;
  } else {
    outcome = send_uncompressed(packet, now);
  }
}

PacketFields Compressor::fields_of(const Headers& headers, std::uint32_t now) noexcept {
  PacketFields f = rohc::fields_of(headers.core(), headers.chain);
  f.arrived_ms = now;
  f.same_pattern = headers.same_pattern;
  if (headers.listed != nullptr) {
    f.lists = headers.listed;
    f.packet = headers.packet.data();
    f.payload = headers.packet.subspan(headers.listed->octets);
  }
  return f;
}

// False if the packet has to go uncompressed.
bool Compressor::compress_flow(Flow flow, const PacketFields& f, headroom_packet& packet, Outcome& outcome) noexcept {
  wire::Writer out({packet.out, packet.out_capacity});
  flow.c.fast = false;
  flow.c.fast_reliable = false;
  const std::optional<Said> said = write_header(flow, f, out);
  if (!said) return false;
  outcome.type = said->type;
  const std::size_t header = out.size();
  out.octets(f.payload);
  if (!out.ok()) {
    outcome.status = HEADROOM_ERR_NO_SPACE;
    return true;
  }

  packet.out_length = static_cast<std::uint32_t>(out.size());
  outcome.state = flow.c.state;
  outcome.plain_header = f.lists != nullptr ? f.lists->octets : f.chain.octets;
  outcome.compressed_header = static_cast<std::uint16_t>(header);
  ++counters_.packets[static_cast<std::size_t>(said->type)];
  if (said->cce != wire::Cce::kNone) ++counters_.cce[static_cast<std::size_t>(said->cce)];
  note_sent(flow, f, *said);
  return true;
}

Compressor::Outcome Compressor::send_uncompressed(headroom_packet& packet, std::uint32_t now) noexcept {
  Channel& channel = channels_[packet.channel];
  const bool is_new = channel.uncompressed == kNoContext;
  Undo* const undo = may_not_fit(packet) ? &uncompressed_undo_ : nullptr;
  if (is_new) {
    const std::uint32_t index = acquire_context(packet.channel, Profile::kUncompressed, kNoContext, undo);
    reset_context(index, Profile::kUncompressed, now);
    channel.uncompressed = index;
    histories_[index].ir_left = static_cast<std::uint8_t>(config_.repeats);
  } else if (undo != nullptr) {
    keep_context(channel.uncompressed, *undo);
  }
  const Flow flow = flow_at(channel.uncompressed);
  flow.c.last_used_ms = now;
  if (!is_new) apply_refreshes(flow, now);

  Outcome outcome;
  outcome.context = channel.uncompressed;
  const Uncompressed sent = write_uncompressed(flow, input_of(packet), {packet.out, packet.out_capacity});
  load_refreshes(flow);
  packet.out_length = static_cast<std::uint32_t>(sent.octets);
  outcome.status = sent.octets != 0 ? HEADROOM_OK : HEADROOM_ERR_NO_SPACE;
  packet.status = outcome.status;
  if (sent.octets == 0) {
    if (undo != nullptr) take_back(*undo);
    if (is_new) outcome.context = kNoContext;
    return outcome;
  }
  outcome.type = sent.type;
  outcome.state = flow.c.state;
  outcome.compressed_header = static_cast<std::uint16_t>(sent.octets - packet.in_length);
  ++counters_.packets[static_cast<std::size_t>(sent.type)];
  ++counters_.uncompressed;
  return outcome;
}

}  // namespace headroom::rohc::v1
