// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/feedback.h"

#include <algorithm>
#include <optional>

#include "mutants.h"
#include "rohc/v1/compressor/compressor.h"
#include "rohc/v1/compressor/coverage.h"
#include "rohc/v1/compressor/observe.h"
#include "rohc/v1/compressor/refresh.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/compressor/window.h"

namespace headroom::rohc {
namespace {

using wire::AckType;
using wire::Mode;

// True when `sn` is `since` or later, and no later than what was sent last. Also where the feedback at hand has begun
// R-mode: a source that counts anew leaves ACKs behind that seem to be for packets to come.
bool covers_since(Flow flow, std::uint16_t sn, std::uint16_t since) noexcept {
  const bool sent = static_cast<std::int16_t>(next_ackable_sn(flow) - sn) > 0;
  return sent && static_cast<std::int16_t>(sn - since) >= 0;
}

void set_mode(Flow flow, Mode mode, std::uint32_t now_ms) noexcept {
  if (flow.in_reliable_mode()) leave_reliable_mode(flow);
  if (mode == Mode::kReliable) enter_reliable_mode(flow);
  flow.c.mode = mode;
  start_refreshes(flow, now_ms);
  load_refreshes(flow);
}

// An ACK(U) in U-mode may come from a decompressor in O-mode whose ACK(O) was lost, and which requests U-mode again: it
// repeats the request until a packet carries the mode. The compressor cannot tell the two cases apart, so it sends the
// mode now and then.
void tell_mode(Flow flow) noexcept {
  constexpr std::uint16_t kPause = 256;  // packets
  FlowHistory& h = flow.h;
  if (static_cast<std::uint16_t>(flow.c.sn - h.mode_since_sn) < kPause) return;
  h.mode_since_sn = flow.c.sn;
  h.mode_left = flow.repeats();
}

// False but for mutants: transitions from and to R-mode, and to U-mode, wait for an ACK.
bool ends_at_once(Mode from, Mode to) noexcept {
  const bool reliable = to == Mode::kReliable;
  if (from == Mode::kUnidirectional) return reliable && mutant("u-to-r-ends-at-once");
  if (from == Mode::kOptimistic) return reliable ? mutant("o-to-r-ends-at-once") : mutant("transition-ends-at-once");
  return to == Mode::kOptimistic ? mutant("r-to-o-ends-at-once") : mutant("r-to-u-ends-at-once");
}

// The decompressor requests mode transitions, only by feedback that a CRC protects (5.6.1, RFC 4815 3.2).
// `sn` is the one acknowledged; empty if there is none or, in R-mode, no update had it.
void apply_mode(Flow flow, const wire::Feedback& f, std::optional<std::uint16_t> sn, std::uint32_t now_ms) noexcept {
  if ((!f.crc && !mutant("mode-change-without-crc")) || f.one || f.mode == Mode::kCancel) return;
  FlowHistory& h = flow.h;
  if (h.mode_left == kUntilAcked) {
    const bool answered = f.ack == AckType::kAck && sn && h.mode_told && f.mode == flow.c.mode &&
                          covers_since(flow, *sn, h.mode_since_sn);
    if (answered) {
      h.transition_pending = false;
      h.mode_left = 0;
    }
    // "New mode transition requests be ignored" while C_TRANS is P.
    if (answered || (h.transition_pending && !mutant("request-during-transition-followed"))) return;
  }
  if (f.mode == Mode::kUnidirectional && flow.c.mode == Mode::kUnidirectional) tell_mode(flow);
  if (f.mode == flow.c.mode || f.mode > flow.config.highest_mode) return;
  if (mutant("mode-requests-ignored")) return;
  if (f.mode == Mode::kOptimistic && !flow.in_reliable_mode()) {  // 5.6.2: at once
    set_mode(flow, Mode::kOptimistic, now_ms);
    return;
  }
  // "An ACK(R) or a NACK(R) feedback packet carrying a CRC is sent to initiate the mode transition", and only once a
  // packet has been decompressed (5.6.3).
  if (f.mode == Mode::kReliable && f.ack == AckType::kStaticNack) return;
  // From and to R-mode, and back to U-mode: a three-way handshake (5.6.3 to 5.6.6).
  const bool at_once = ends_at_once(flow.c.mode, f.mode);
  set_mode(flow, f.mode, now_ms);
  h.transition_pending = true;
  tell_mode_until_acked(flow);
  if (at_once) {
    h.transition_pending = false;
    h.mode_left = flow.repeats();
  }
}

// "The compressor knows that the decompressor has received the acknowledged packet and the transition to a higher
// compression state can be carried out immediately" (5.4.1.1.2).
void confirm(Flow flow, std::uint16_t sn) noexcept {
  FlowHistory& h = flow.h;
  acknowledge_reference(h, sn);
  if (flow.coverage != nullptr && covers_since(flow, sn, flow.coverage->told_since_sn)) h.coverage_left = 0;
  if (!covers_since(flow, sn, h.changed_since_sn) && !mutant("old-ack-believed")) return;
  h.ir_left = 0;
  h.ir_dyn_left = 0;
  h.pattern_left = 0;
  h.id_left = 0;
  h.stride_left = 0;
  h.unscaled_left = 0;
  h.time_left = 0;
  h.changed = 0;
  h.reminders_left = 0;
  h.stale_static = false;
  confirm_lists(flow);
}

// The packet that an ACK is for. In R-mode it must be an update that may still be in use; taking note of it is part of
// finding that out.
std::optional<std::uint16_t> acknowledged_packet(Flow flow, const wire::Feedback& f) noexcept {
  if (f.ack != AckType::kAck || !f.sn_valid) return std::nullopt;
  if (!flow.in_reliable_mode()) return acknowledged_sn(flow.c.sn, f.sn, f.sn_width);
  const ReliableWindow& w = *flow.reliable;
  std::uint16_t sn = acknowledged_sn(w.newest, f.sn, f.sn_width);
  if (mutant("ack-taken-for-the-newest") && w.run_count != 0) sn = w.runs[w.run_count - 1U].last_sn;
  return acknowledge_update(*flow.reliable, sn) ? std::optional(sn) : std::nullopt;
}

void apply_ack(Flow flow, const wire::Feedback& f, std::optional<std::uint16_t> sn, std::uint32_t now_ms) noexcept {
  if (flow.c.mode == Mode::kUnidirectional) {
    // "When receiving an ACK(U), the compressor should reduce the frequency of IR packets" (5.3.2.3).
    if (!f.one && f.mode == Mode::kUnidirectional && !flow.h.acked) {
      flow.h.acked = true;
      start_refreshes(flow, now_ms);
      load_refreshes(flow);
    }
    return;
  }
  if (!sn) return;
  confirm(flow, *sn);
  // The window is smaller now: the general path sees what that is good for.
  if (flow.in_reliable_mode()) {
    flow.c.fast_reliable = false;
    load_refreshes(flow);
  }
}

// "NACKs carry the SN of the latest packet successfully decompressed, and this information MAY be used … to determine
// what fields need to be updated" (5.4.1.1.1). A decompressor that has taken the IR-DYN packets of the last repair and
// fails again soon after must have a wrong static part: IR-DYN packets neither carry nor verify it (5.7.7.2, note), so
// another one would not help.
bool static_part_is_damaged(Flow flow, const wire::Feedback& f) noexcept {
  constexpr std::uint16_t kSoon = 64;  // packets
  const FlowHistory& h = flow.h;
  if (!h.repaired || !f.sn_valid) return false;
  const std::uint16_t sn = acknowledged_sn(flow.c.sn, f.sn, f.sn_width);
  return covers_since(flow, sn, h.repaired_since_sn) && static_cast<std::uint16_t>(sn - h.repaired_since_sn) < kSoon;
}

// LOSS "MAY be used by the compressor to adjust the size of the reference window used in U- and O-mode": so many
// packets lost in a row must not leave the decompressor with a reference outside of it. Smaller values later on, and
// those without the CRC that they SHOULD have, are ignored (5.7.6.9).
void apply_loss(Flow flow, const wire::Feedback& f) noexcept {
  if (!f.longest_loss || !f.crc) return;
  const auto wanted = static_cast<std::uint8_t>(std::min<unsigned>(*f.longest_loss + 1U, kMaxReferences));
  flow.h.loss_repeats = std::max(flow.h.loss_repeats, wanted);
}

// "The compressor MAY ignore decreasing Max_Jitter values" (5.7.6.8).
void apply_jitter(Flow flow, const wire::Feedback& f) noexcept {
  if (!f.max_jitter || !f.crc || flow.timer == nullptr) return;
  flow.timer->reported_jitter = std::max(flow.timer->reported_jitter, *f.max_jitter);
}

// "Any FEEDBACK packet carrying a REJECT option MUST also carry a CRC option" (5.7.6.4).
bool is_rejected(const wire::Feedback& f) noexcept { return f.reject && f.crc && !mutant("reject-ignored"); }

}  // namespace

void tell_mode_until_acked(Flow flow) noexcept {
  flow.h.mode_left = mutant("transition-not-told") ? 0 : kUntilAcked;
  flow.h.mode_told = false;
  flow.c.fast_reliable = false;
}

void note_mode_told(Flow flow, std::uint16_t sn, wire::PacketType type) noexcept {
  FlowHistory& h = flow.h;
  const bool in_chain = type == wire::PacketType::kIr || type == wire::PacketType::kIrDyn;
  const bool told = !in_chain || flow.traits().rtp;
  const std::uint16_t next = next_ackable_sn(flow);
  if (told && !h.mode_told) h.mode_since_sn = static_cast<std::int16_t>(sn - next) < 0 ? next : sn;
  h.mode_told = told;
}

void apply_feedback(Flow flow, const wire::Feedback& f, std::uint32_t now_ms) noexcept {
  FlowHistory& h = flow.h;
  if (flow.c.profile == wire::Profile::kUncompressed) {
    // "When feedback is received in any state, the compressor switches to Bidirectional mode" (5.10.3).
    if (flow.c.mode != Mode::kOptimistic) set_mode(flow, Mode::kOptimistic, now_ms);
    h.ir_left = 0;
    return;
  }
  catch_up_coverage(flow);
  catch_up_reliably(flow);
  catch_up_arrivals(flow);
  catch_up(flow.c, h, flow.repeats());
  apply_loss(flow, f);
  apply_jitter(flow, f);
  const std::uint8_t repeats = flow.repeats();
  if (is_rejected(f) || f.context_memory) {
    h.rejected_until_ms = std::max<std::uint32_t>(1, now_ms + flow.config.reject_hold_ms);
    // Packets after the pause start anew: no acknowledgement of an earlier packet counts.
    h.ir_left = repeats;
    h.changed_since_sn = next_ackable_sn(flow);
    flow.c.fast = flow.c.fast_reliable = false;
  }
  const std::optional<std::uint16_t> acked = acknowledged_packet(flow, f);
  apply_mode(flow, f, acked, now_ms);
  switch (f.ack) {
    case AckType::kAck:
      apply_ack(flow, f, acked, now_ms);
      break;
    case AckType::kNack:
      if (mutant("nack-ignored")) break;
      // back to FO: the dynamic part with TS_STRIDE, as an IR-DYN has it (5.4.1.1.1, RFC 4815 8.11)
      if (static_part_is_damaged(flow, f)) {
        h.ir_left = std::max(h.ir_left, repeats);
      } else {
        h.ir_dyn_left = std::max(h.ir_dyn_left, repeats);
      }
      doubt_lists(flow);
      if (flow.coverage != nullptr) begin_reminders(flow);
      h.changed_since_sn = next_ackable_sn(flow);
      h.repaired_since_sn = h.changed_since_sn;
      h.repaired = true;
      break;
    case AckType::kStaticNack:
      if (mutant("static-nack-ignored")) break;
      if (mutant("static-nack-taken-for-nack"))
        h.ir_dyn_left = repeats;
      else
        h.ir_left = std::max(h.ir_left, repeats);
      doubt_lists(flow);
      h.changed_since_sn = next_ackable_sn(flow);
      // The decompressor may have lost more than the headers.
      if (flow.in_reliable_mode()) tell_mode_until_acked(flow);
      break;
  }
  if (has_news(h)) flow.c.fast = flow.c.fast_reliable = false;
}

bool v1::Compressor::take_feedback(std::uint32_t index, const wire::FeedbackData& data, std::uint32_t now) noexcept {
  const auto feedback = wire::read_feedback(data);
  if (!feedback) return false;
  const std::uint32_t channel = channel_of(index);
  // The clock is that of the channel's decompressor, whichever CID the option came for (RFC 4815 4.7); one that it
  // has not must be believed, one that it has only with the CRC that the option SHOULD have (5.7.6.7).
  if (feedback->clock_ms && (feedback->crc || *feedback->clock_ms == 0)) {
    const std::uint8_t finest = mutant("clock-of-zero-taken-for-one") ? 1 : 0;
    channels_[channel].clock = Clock{true, std::max(finest, *feedback->clock_ms)};
  }
  counters_.acks += feedback->ack == AckType::kAck ? 1U : 0U;
  counters_.nacks += feedback->ack == AckType::kNack ? 1U : 0U;
  counters_.static_nacks += feedback->ack == AckType::kStaticNack ? 1U : 0U;
  counters_.rejects += feedback->reject || feedback->context_memory ? 1U : 0U;
  apply_feedback(flow_at(index), *feedback, now);
  // The compressor "should refrain from attempting to increase the number of compressed packet streams for some time"
  // (5.7.6.4).
  if (is_rejected(*feedback)) pool_.refuse_flows(channel, now + config_.reject_hold_ms);
  return true;
}

}  // namespace headroom::rohc
