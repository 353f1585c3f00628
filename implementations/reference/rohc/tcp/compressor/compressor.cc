// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/compressor/compressor.h"

#include <algorithm>
#include <bit>

#include "rohc/framework/habits.h"

namespace headroom::rohc::tcp {
namespace {

// Places for base contexts: where two pairs of hosts meet, the later one has it.
constexpr std::size_t kBasesPerContext = 4, kMostBases = 65'536;

std::span<std::uint8_t> room_of(const headroom_packet& p) noexcept { return {p.out, p.out_capacity}; }

// Of RFC 3095's names for a compressor's states, the one that tells what a packet still has to bring.
std::uint8_t state_of(PacketType type) noexcept {
  constexpr std::uint8_t kIrState = 1, kFoState = 2, kSoState = 3;
  if (type == PacketType::kIr || type == PacketType::kIrCr) return kIrState;
  return type == PacketType::kIrDyn || type == type_of(Format::kCommon) ? kFoState : kSoState;
}

}  // namespace

Compressor::Compressor(const FlowsConfig& config, ContextPool& pool, FlowCounters& counters)
    : config_(config),
      pool_(pool),
      counters_(counters),
      hash_(config.seed),
      slots_(config.channel.contexts()),
      fresh_(config.context, {}, false, 0, 0),
      bases_(std::bit_ceil(std::min(kBasesPerContext * config.channel.contexts(), kMostBases)), kNoContext) {}

void Compressor::worths_of(std::uint32_t first, wire::Profile, std::span<Worth> worths) const noexcept {
  for (std::size_t i = 0; i < worths.size(); ++i) worths[i] = worth(0, slots_[first + i].flow.last_used_ms);
}

void Compressor::drop(std::uint32_t index) noexcept {
  Slot& slot = slots_[index];
  pool_.table().erase(slot.flow.hash, index);
  slot.flow.used = false;
  slot.context.forget();
  --in_use_;
}

void Compressor::prefetch(std::uint32_t index) const noexcept {
  __builtin_prefetch(&slots_[index], 1);
  slots_[index].context.prefetch();
}

// As QuickLook of the packets with one IP header that it knows, so that its guess is right.
std::uint64_t Compressor::hash_of(const Layout& layout, const std::uint8_t* octets, std::uint32_t channel,
                                  bool with_ports) const noexcept {
  std::uint64_t begun = hash_.begin(channel);
  const std::uint32_t ports = with_ports ? wire::load_little32(octets + layout.tcp().at) : 0;
  for (unsigned i = 0; i < layout.count; ++i) {
    const Header& h = layout.headers[i];
    if (!is_ip(h.kind)) continue;
    const bool inner = i == layout.innermost;
    const std::uint64_t hash =
        hash_.of(flow_words(octets + h.at, h.kind == HeaderKind::kIpv4 ? 4 : 6, inner ? ports : 0), begun);
    if (inner) return hash;
    begun = hash_.go_on(channel, hash);
  }
  return begun;
}

bool Compressor::is_flow(std::uint32_t index, std::uint32_t channel, const Layout& layout,
                         const std::uint8_t* octets) const noexcept {
  const std::uint32_t number = index - config_.channel.index_of(channel, 0);
  return number < config_.channel.contexts_per_channel() && slots_[index].flow.used &&
         slots_[index].context.is_same_flow(layout, octets);
}

bool Compressor::is_due(const Slot& slot, std::uint32_t now) const noexcept {
  const auto is_over = [now](std::uint32_t period, std::uint32_t since) {
    return period != 0 && now - since >= period;
  };
  return !slot.context.has_feedback() &&
         (is_over(config_.ir_refresh_ms, slot.flow.ir_ms) || is_over(config_.ir_dyn_refresh_ms, slot.flow.ir_dyn_ms));
}

void Compressor::refresh(Slot& slot, std::uint32_t now) const noexcept {
  if (!is_due(slot, now)) return;
  slot.context.refresh(config_.ir_refresh_ms != 0 && now - slot.flow.ir_ms >= config_.ir_refresh_ms);
}

const CompressorContext* Compressor::base_of(const Flow& flow) const noexcept {
  if (!flow.young || flow.base == kNoContext || !slots_[flow.base].flow.used) return nullptr;
  return &slots_[flow.base].context;
}

bool Compressor::compress_fast(std::uint32_t index, headroom_packet& packet, std::uint32_t now,
                               headroom_detail* detail) noexcept {
  Slot& slot = slots_[index];
  if (slot.flow.rejected_until_ms != 0 || is_due(slot, now)) return false;
  Compressed result;
  if (!slot.context.compress_predicted({packet.in, packet.in_length}, room_of(packet), result)) return false;
  ++fast_;
  finish(index, result, packet, now, detail);
  return true;
}

bool Compressor::compress(headroom_packet& packet, std::uint32_t now, std::uint32_t guess,
                          headroom_detail* detail) noexcept {
  const Octets octets{packet.in, packet.in_length};
  Layout layout;
  if (packet.channel >= config_.channel.channels || find_headers(octets, layout) != Unfit::kNone) return false;
  std::uint32_t index = guess;
  if (guess == kNoContext || !is_flow(guess, packet.channel, layout, packet.in)) {
    const std::uint64_t hash = hash_of(layout, packet.in, packet.channel, true);
    index = pool_.table().find(
        hash, [&](std::uint32_t candidate) { return is_flow(candidate, packet.channel, layout, packet.in); });
    if (index == kNoContext) return start_flow(packet, layout, hash, now, detail);
  }
  Slot& slot = slots_[index];
  if (slot.flow.rejected_until_ms != 0) {
    if (now < slot.flow.rejected_until_ms) return false;
    slot.flow.rejected_until_ms = 0;
  }
  refresh(slot, now);
  const Compressed result = slot.context.compress(octets, layout, room_of(packet), base_of(slot.flow));
  if (result.unfit != Unfit::kNone) return false;
  finish(index, result, packet, now, detail);
  return true;
}

// A flow gets a CID only if the profile can carry its first packet.
bool Compressor::start_flow(headroom_packet& packet, const Layout& layout, std::uint64_t hash, std::uint32_t now,
                            headroom_detail* detail) noexcept {
  if (!pool_.takes_flows(packet.channel, now)) return false;
  const std::uint32_t index = pool_.choose(packet.channel, wire::Profile::kTcp);
  Slot& slot = slots_[index];
  if (slot.flow.had_flow) {
    fresh_ = slot.context;
    fresh_.forget();
  } else {
    const ChannelParameters& c = config_.channel;
    const std::uint32_t cid = cid_by_habit(index % c.contexts_per_channel(), c.max_cid);
    fresh_ = CompressorContext(config_.context, wire::make_cid_octets(c.large_cids, cid), c.large_cids, cid,
                               static_cast<std::uint16_t>(mix(hash ^ counters_.new_flows)));
  }
  Flow start;
  start.used = start.had_flow = start.young = true;
  start.ir_ms = start.ir_dyn_ms = now;
  start.hash = hash;
  start.addresses_hash = hash_of(layout, packet.in, packet.channel, false);
  start.base = place_of(start);
  const bool elsewhere =
      start.base != kNoContext && start.base / config_.channel.contexts_per_channel() != packet.channel;
  if (elsewhere || start.base == index) start.base = kNoContext;
  const Compressed result = fresh_.compress({packet.in, packet.in_length}, layout, room_of(packet), base_of(start));
  if (result.unfit != Unfit::kNone) return false;
  if (result.no_space) {
    finish(kNoContext, result, packet, now, detail);
    return true;
  }
  if (pool_.take(index, *this)) ++counters_.replaced_flows;
  ++in_use_;
  ++counters_.new_flows;
  slot.flow = start;
  slot.context = fresh_;
  pool_.insert(hash, index);
  finish(index, result, packet, now, detail);
  return true;
}

void Compressor::finish(std::uint32_t index, const Compressed& result, headroom_packet& packet, std::uint32_t now,
                        headroom_detail* detail) noexcept {
  packet.status = result.no_space ? HEADROOM_ERR_NO_SPACE : HEADROOM_OK;
  packet.out_length = result.no_space ? 0 : result.length;
  if (!result.no_space) {
    Slot& slot = slots_[index];
    slot.flow.last_used_ms = now;
    const bool ir = result.type == PacketType::kIr;
    if (ir || result.type == PacketType::kIrDyn) slot.flow.ir_dyn_ms = now;
    if (ir) slot.flow.ir_ms = now;
    slot.flow.young = slot.flow.young && (ir || result.type == PacketType::kIrCr);
    ++packets_[static_cast<std::size_t>(result.type)];
  }
  if (detail == nullptr) return;
  *detail = {};
  detail->packet_type = name_of(result.no_space ? PacketType::kUnknown : result.type);
  detail->plain_header = result.no_space ? 0 : result.plain_header;
  detail->compressed_header = result.no_space ? 0 : result.compressed_header;
  detail->state = state_of(result.type);
  if (index == kNoContext) {
    detail->cid = 0xffffffffU;
    detail->profile = 0xffff;
    detail->mode = 255;
    return;
  }
  detail->cid = index % config_.channel.contexts_per_channel();
  detail->profile = kProfileOctet;  // modes are RFC 3095's: 0 is none
}

bool Compressor::take_feedback(std::uint32_t index, const wire::FeedbackData& data, std::uint32_t now) noexcept {
  const auto f = read_feedback(data.all, data.all.size() - data.feedback.size());
  if (!f) return false;
  Slot& slot = slots_[index];
  const AckType meaning = f->meaning();
  counters_.acks += meaning == AckType::kAck ? 1U : 0U;
  counters_.nacks += meaning == AckType::kNack ? 1U : 0U;
  counters_.static_nacks += meaning == AckType::kStaticNack ? 1U : 0U;
  counters_.rejects += f->reject || f->context_memory ? 1U : 0U;
  if (f->reject || f->context_memory) {
    // No more flows for a while (8.3.2.1), and this one as another profile has it (8.3.2.4). Then it begins anew.
    slot.flow.rejected_until_ms = std::max<std::uint32_t>(1, now + config_.reject_hold_ms);
    slot.context.reinitialize();
    if (f->reject) pool_.refuse_flows(index / config_.channel.contexts_per_channel(), slot.flow.rejected_until_ms);
    return true;
  }
  if (meaning == AckType::kStaticNack && slot.context.is_replica() && slot.flow.base != kNoContext)
    slots_[slot.flow.base].context.distrust();
  slot.context.feedback(*f);
  if (slot.context.is_base()) place_of(slot.flow) = index;
  return true;
}

template <typename Action>
void Compressor::for_each_used(Action&& action) noexcept {
  for (std::uint32_t channel = 0; channel < config_.channel.channels; ++channel)
    for (std::uint32_t number = 0; number < pool_.fresh(channel); ++number)
      if (Slot& slot = slots_[config_.channel.index_of(channel, number)]; slot.flow.used) action(slot);
}

void Compressor::reinitialize() noexcept {
  for_each_used([](Slot& slot) { slot.context.reinitialize(); });
}

void Compressor::move_epoch(std::uint32_t ms) noexcept {
  for_each_used([ms](Slot& slot) {
    for (std::uint32_t* time : {&slot.flow.last_used_ms, &slot.flow.ir_ms, &slot.flow.ir_dyn_ms})
      *time -= std::min(*time, ms);
    if (slot.flow.rejected_until_ms != 0)
      slot.flow.rejected_until_ms =
          std::max<std::uint32_t>(1, slot.flow.rejected_until_ms - std::min(slot.flow.rejected_until_ms, ms));
  });
}

}  // namespace headroom::rohc::tcp
