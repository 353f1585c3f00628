// SPDX-License-Identifier: Apache-2.0
#include "rohc/tcp/decompressor/decompressor.h"

#include "mutants.h"
#include "rohc/framework/wire/feedback_element.h"

namespace headroom::rohc::tcp {
namespace {

bool is_ir_type(PacketType type) noexcept {
  return type == PacketType::kIr || type == PacketType::kIrDyn || type == PacketType::kIrCr;
}

std::int32_t status_of(Status status, State before) noexcept {
  switch (status) {
    case Status::kOk:
      return HEADROOM_OK;
    case Status::kCrc:
    case Status::kChecksum:
      return HEADROOM_ERR_CRC;
    case Status::kNoContext:
      return before == State::kNoContext ? HEADROOM_ERR_NO_CONTEXT : HEADROOM_ERR_STATE;
    case Status::kNoBase:
      return HEADROOM_ERR_NO_CONTEXT;
    case Status::kTooLong:
      return HEADROOM_ERR_UNSUPPORTED;
    case Status::kNoSpace:
      return HEADROOM_ERR_NO_SPACE;
    case Status::kMalformed:
    case Status::kUnknownItem:
      break;
  }
  return HEADROOM_ERR_MALFORMED;
}

Event event_of(State before, State after) noexcept {
  if (before == State::kNoContext && after != State::kNoContext) return Event::kEstablished;
  if (before == State::kFullContext && after == State::kStaticContext) return Event::kDynamicDamage;
  if (before != State::kNoContext && after == State::kNoContext) return Event::kStaticDamage;
  return Event::kNone;
}

}  // namespace

Decompressor::Decompressor(const RestorerConfig& config, Owners<DecompressorFamily>& owners,
                           FeedbackQueue& own_feedback, ArrivalCounters& counters)
    : config_(config),
      owners_(owners),
      own_feedback_(own_feedback),
      counters_(counters),
      slots_(config.channel.contexts()),
      fresh_(config.context) {}

void Decompressor::drop(std::uint32_t index) noexcept {
  slots_[index].used = false;
  --in_use_;
}

void Decompressor::decompress(const Framed& framed, std::uint32_t index, headroom_packet& packet, std::uint64_t,
                              headroom_detail* detail) noexcept {
  LinkPacket link{framed.header, 0, 0, config_.channel.large_cids};
  const auto cid = static_cast<std::uint8_t>(framed.header.size() - framed.rest.size() - 1);
  (link.large_cids ? link.after : link.before) = cid;
  decompress(link, index, packet, detail);
}

void Decompressor::decompress(const Lookahead& lookahead, headroom_packet& packet, headroom_detail* detail) noexcept {
  LinkPacket link{{packet.in, packet.in_length}, 0, 0, config_.channel.large_cids};
  (link.large_cids ? link.after : link.before) = static_cast<std::uint8_t>(lookahead.before_rest - 1);
  packet.out_length = 0;
  decompress(link, lookahead.context, packet, detail);
}

void Decompressor::decompress(const LinkPacket& link, std::uint32_t index, headroom_packet& packet,
                              headroom_detail* detail) noexcept {
  Slot& slot = slots_[index];
  const bool own = slot.used;
  if (!own) fresh_ = DecompressorContext(config_.context);
  DecompressorContext& context = own ? slot.context : fresh_;
  const State before = context.state();
  const DecompressorContext* const base = DecompressorContext::is_ir_cr(link) ? base_of(link, index) : nullptr;
  const Decompressed result = context.decompress(link, {packet.out, packet.out_capacity}, base);
  packet.status = status_of(result.status, before);
  const bool ok = result.status == Status::kOk;
  const bool rejected = ok && !own && !has_room_for(index);
  if (ok && !rejected) {
    packet.out_length = result.length;
    if (!own) {
      owners_.take(index, *this);
      slot.used = true;
      slot.context = fresh_;
      slot.nacks_held = slot.acks_held = 0;
      ++in_use_;
    }
  }
  const State after = context.state();
  if (rejected) {
    packet.status = HEADROOM_ERR_NO_CONTEXT;
    reject(index);
  } else if (result.due_feedback != DueFeedback::kNone) {
    answer(index, slot.used ? slot.context : context, result, before != after);
  }
  const Event event = rejected ? Event::kNone : event_of(before, after);
  ++packets_[static_cast<std::size_t>(result.type)];
  ++events_[static_cast<std::size_t>(event)];
  counters_.tally(packet.status);
  if (detail == nullptr) return;
  *detail = {};
  detail->packet_type = name_of(result.type);
  detail->event = static_cast<std::uint8_t>(event);
  detail->plain_header = result.plain_header;
  detail->compressed_header = result.compressed_header;
  detail->cid = index % config_.channel.contexts_per_channel();
  detail->profile = slot.used ? kProfileOctet : std::uint16_t{0xffff};
  detail->state = static_cast<std::uint8_t>(slot.used ? after : State::kNoContext);
}

// The base context that an IR-CR packet names, if this family has it.
const DecompressorContext* Decompressor::base_of(const LinkPacket& link, std::uint32_t index) const noexcept {
  const ChannelParameters& c = config_.channel;
  const auto base = DecompressorContext::base_of(link);
  if (!base || base->is_own || base->cid > c.max_cid) return nullptr;
  const std::uint32_t place = c.index_of(index / c.contexts_per_channel(), base->cid);
  return slots_[place].used ? &slots_[place].context : nullptr;
}

bool Decompressor::has_room_for(std::uint32_t index) const noexcept {
  return config_.most_contexts == 0 || owners_.of(index) != nullptr || owners_.in_use() < config_.most_contexts;
}

bool Decompressor::is_turn(std::uint8_t& held, std::uint32_t every) noexcept {
  const bool turn = held == 0;
  held = static_cast<std::uint8_t>((held + 1U) % every);
  return turn;
}

void Decompressor::answer(std::uint32_t index, const DecompressorContext& context, const Decompressed& result,
                          bool at_once) noexcept {
  if (!config_.feedback) return;
  Slot& slot = slots_[index];
  // What another family's context makes of a damaged IR packet is not this one's to say.
  if (!slot.used && owners_.of(index) != nullptr && result.status != Status::kNoContext) return;
  if (result.due_feedback == DueFeedback::kAck) {
    if (!is_ir_type(result.type) && !is_turn(slot.acks_held, config_.ack_every)) return;
    ++counters_.acks;
  } else {
    if (at_once) slot.nacks_held = 0;
    if (!is_turn(slot.nacks_held, config_.nack_every)) return;
    ++(result.due_feedback == DueFeedback::kNack ? counters_.nacks : counters_.static_nacks);
  }
  Feedback f = context.feedback_for(result.due_feedback);
  if (config_.msn_option && f.msn_valid) f.msn_bits = 16;
  send(index, f, static_cast<std::uint16_t>(context.msn() + (mutant("tcp-msn-of-the-next-packet") ? 1 : 0)));
}

void Decompressor::reject(std::uint32_t index) noexcept {
  if (!config_.feedback || !is_turn(slots_[index].nacks_held, config_.nack_every)) return;
  Feedback f;
  f.ack = AckType::kStaticNack;
  f.msn_valid = false;
  f.reject = true;
  send(index, f, 0);
  ++counters_.rejects;
}

void Decompressor::send(std::uint32_t index, const Feedback& f, std::uint16_t msn) noexcept {
  const std::uint32_t per_channel = config_.channel.contexts_per_channel();
  std::array<std::uint8_t, 2> cid_room;
  std::array<std::uint8_t, kMostFeedback + 2> data_room;
  std::array<std::uint8_t, kMostFeedback + 4> element_room;
  Writer cid(cid_room), data(data_room), element(element_room);
  wire::write_feedback_cid(cid, config_.channel.large_cids, index % per_channel);
  write_feedback(data, cid.written(), f, msn);
  wire::write_feedback_element(element, data.written());
  own_feedback_.put(index / per_channel, element.written());
}

}  // namespace headroom::rohc::tcp
