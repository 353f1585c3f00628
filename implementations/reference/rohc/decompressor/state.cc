// SPDX-License-Identifier: Apache-2.0
//
// What a verdict on a packet does to its context: states and damage (RFC 3095 5.3.2.1, 5.3.2.2.3), repairs
// (5.3.2.2.4, 5.3.2.2.5), modes (5.6) and feedback (5.3.2.3, 5.4.2.2, 5.7.6).
#include <algorithm>
#include <array>
#include <bit>

#include "mutants.h"
#include "rohc/decompressor/decompressor.h"
#include "rohc/decompressor/fast_path.h"

namespace headroom::rohc {
namespace {

using wire::AckType;
using wire::Mode;
using wire::PacketType;

constexpr bool is_type_2(PacketType t) noexcept {
  return t == PacketType::kUor2 || t == PacketType::kUor2Id || t == PacketType::kUor2Ts;
}
constexpr bool is_type_0_or_1(PacketType t) noexcept {
  return t == PacketType::kUo0 || t == PacketType::kUo1 || t == PacketType::kUo1Id || t == PacketType::kUo1Ts;
}
// "Updates" in the sense of 5.3.2.2.3 c.
constexpr bool is_update(PacketType t) noexcept {
  return t == PacketType::kIr || t == PacketType::kIrDyn || is_type_2(t);
}

constexpr std::uint32_t last(unsigned n) noexcept { return n >= 32 ? 0xffffffffU : (1U << n) - 1; }

bool damaged(std::uint32_t failures, KOutOfN rule) noexcept {
  if (mutant("damage-never-seen")) return false;
  return static_cast<unsigned>(std::popcount(failures & last(rule.n))) >= rule.k;
}

}  // namespace

void Decompressor::commit(std::uint32_t index, const ContextCopy& after, std::uint16_t previous_sn,
                          std::uint64_t now_ns) noexcept {
  DecompressorContext& c = contexts_[index];
  const bool consecutive = c.state == DecompressorState::kFc && static_cast<std::int16_t>(after.c.sn - c.sn) == 1;
  const std::uint32_t interval = consecutive ? average_interval(c.interval, now_ns - c.arrived_ns) : after.c.interval;
  c = after.c;
  c.interval = interval;
  c.arrived_ns = now_ns;
  c.previous_sn = previous_sn;
  derive_prediction(c);
  if (c.tunnel) tunnels_[index] = after.tunnel;
}

void Decompressor::refresh_fast(DecompressorContext& c) const noexcept {
  c.fast = fast_path_ && c.state == DecompressorState::kFc && c.profile != wire::Profile::kUncompressed && !c.tunnel &&
           c.failures == 0 && c.repairs == 0 && c.transition == Transition::kDone && c.mode == wanted_mode(c);
}

// --- Verdicts
// ----------------------------------------------------------------------------------------------------------

void Decompressor::succeeded(std::uint32_t index, Outcome& outcome, bool has_mode, Mode mode) noexcept {
  DecompressorContext& c = contexts_[index];
  if (c.state != DecompressorState::kFc) {  // "successful decompression will always move the decompressor to the Full
                                            // Context state"
    c.state = DecompressorState::kFc;
    c.failures = 0;
    c.nacks_held = 0;
  }
  c.failures = (c.failures << 1) & last(config_.dynamic_damage.n);
  const bool repaired_now = outcome.event == Event::kRepairedReference || outcome.event == Event::kRepairedWraparound;
  const bool by_initialisation = outcome.type == PacketType::kIr || outcome.type == PacketType::kIrDyn;
  if (repaired_now) {
    c.repairs = 2;
  } else if (by_initialisation) {
    c.repairs = 0;  // the reference is new: there is nothing left to prove
  } else if (c.repairs != 0 && --c.repairs == 0) {
    outcome.event = Event::kRepairProven;
  }
  // "Of the three successful headers, the first two SHOULD be discarded and only the third delivered" (5.3.2.2.5).
  if (c.repairs != 0 && outcome.status == HEADROOM_OK && !mutant("repair-delivered-unproven"))
    outcome.status = HEADROOM_ERR_REPAIR;
  follow_mode(index, outcome, has_mode, mode);
  refresh_fast(c);
}

void Decompressor::failed(std::uint32_t index, Outcome& outcome) noexcept {
  DecompressorContext& c = contexts_[index];
  // "If no profile is noted in the context, no further action is taken" (5.2.6, steps 10 and 11). The Uncompressed
  // profile knows no negative feedback (5.10.4).
  if (!c.used || c.profile == wire::Profile::kUncompressed) return;
  c.fast = false;
  unsigned packets = 1;
  if (c.repairs != 0) {  // the packets that seemed to prove the repair count as failures, too
    packets += 3U - c.repairs;
    c.repairs = 0;
    outcome.event = Event::kRepairFailed;
  }
  const std::uint32_t failures = c.failures << packets | last(packets);
  switch (c.state) {
    case DecompressorState::kFc:
      c.failures = failures & last(config_.dynamic_damage.n);
      if (damaged(c.failures, config_.dynamic_damage)) {  // rule b
        c.state = DecompressorState::kSc;
        c.failures = 0;
        outcome.event = Event::kDynamicDamage;
        complain(index, AckType::kNack, true);
      }
      break;
    case DecompressorState::kSc:
      if (!is_update(outcome.type)) break;
      c.failures = failures & last(config_.static_damage.n);
      if (damaged(c.failures, config_.static_damage)) {  // rule c
        c.state = DecompressorState::kNc;
        c.failures = 0;
        outcome.event = Event::kStaticDamage;
        complain(index, AckType::kStaticNack, true);
      } else {
        complain(index, AckType::kNack, false);
      }
      break;
    case DecompressorState::kNc:
      complain(index, AckType::kStaticNack, false);
      break;
  }
}

// --- Repairs
// -----------------------------------------------------------------------------------------------------------

Event Decompressor::repair(const CompressedHeader& header, std::uint32_t index, std::uint64_t now_ns, Decoded& decoded,
                           RestoredHeader& restored) noexcept {
  const DecompressorContext& c = contexts_[index];
  const unsigned bits = header.sn().width;
  // 5.3.2.2.4: if so much time has passed that 2^k packets can have been lost, the SN has wrapped around its k bits.
  const std::uint64_t elapsed = interval_units(now_ns - c.arrived_ns);
  const bool wrapped = config_.repair_wraparound && !mutant("no-wraparound-repair") && bits < 16 && c.interval != 0 &&
                       elapsed >= std::uint64_t{c.interval} << bits;
  if (wrapped) {
    const auto reference = static_cast<std::uint16_t>(c.sn + (1U << bits));
    return attempt(header, index, reference, decoded, restored) == Verdict::kVerified ? Event::kRepairedWraparound
                                                                                      : Event::kNone;
  }
  // 5.3.2.2.5: an earlier packet may have updated the reference wrongly. Useless where both references give the same
  // SN.
  if (!config_.repair_reference || c.previous_sn == c.sn || mutant("no-reference-repair")) return Event::kNone;
  return attempt(header, index, c.previous_sn, decoded, restored) == Verdict::kVerified ? Event::kRepairedReference
                                                                                        : Event::kNone;
}

// --- Modes
// -------------------------------------------------------------------------------------------------------------

void Decompressor::follow_mode(std::uint32_t index, Outcome& outcome, bool has_mode, Mode mode) noexcept {
  DecompressorContext& c = contexts_[index];
  if (!config_.feedback) return;
  const Mode wanted = wanted_mode(c);
  switch (c.transition) {
    case Transition::kDone:
      if (c.mode == wanted) {
        acknowledge(index, outcome.type);
      } else if (wanted == Mode::kOptimistic) {  // 5.6.2: works in the new mode at once
        c.mode = Mode::kOptimistic;
        outcome.event = Event::kModeOptimistic;
        send(index, AckType::kAck, Mode::kOptimistic);
      } else {  // 5.6.6
        c.transition = Transition::kInitiated;
        send(index, AckType::kAck, wanted);
      }
      break;
    // "A mode transition can be initiated only when D_TRANS is D" (5.6.1): what is wanted by now has to wait.
    case Transition::kInitiated:
      // Until a packet carries the new mode, every one is answered with a request for it.
      if (has_mode && mode == Mode::kCancel && !mutant("cancellation-ignored")) {
        c.mode_declined = true;
        c.transition = Transition::kDeclined;
      } else if (has_mode && mode == Mode::kUnidirectional) {
        c.transition = Transition::kPending;
      }
      send(index, AckType::kAck, c.transition == Transition::kDeclined ? c.mode : Mode::kUnidirectional);
      break;
    case Transition::kPending:
    case Transition::kDeclined: {
      const Mode target = c.transition == Transition::kDeclined ? c.mode : Mode::kUnidirectional;
      if (!is_type_0_or_1(outcome.type)) {
        send(index, AckType::kAck, target);
        break;
      }
      c.transition = Transition::kDone;
      if (c.mode != target) {
        c.mode = target;
        outcome.event = Event::kModeUnidirectional;
      }
      break;
    }
  }
}

void Decompressor::set_mode(Mode mode) noexcept {
  config_.mode = mode;
  for (std::uint32_t index = 0; index < config_.channel.contexts(); ++index) {
    DecompressorContext& c = contexts_[index];
    if (!c.used) continue;
    c.mode_declined = false;
    refresh_fast(c);
  }
}

// --- Feedback
// ------------------------------------------------------------------------------------------------------------

// 5.4.2.2: an ACK(O) for each IR packet; for UOR-2 and IR-DYN if configured; never for types 0 and 1.
void Decompressor::acknowledge(std::uint32_t index, PacketType type) noexcept {
  DecompressorContext& c = contexts_[index];
  if (c.mode == Mode::kUnidirectional) {
    if (type != PacketType::kIr || config_.ack_ir_in_u_mode == 0) return;
    const bool due = c.acks_held == 0;
    c.acks_held = static_cast<std::uint8_t>((c.acks_held + 1U) % std::min(config_.ack_ir_in_u_mode, 255U));
    if (due) send(index, AckType::kAck, Mode::kUnidirectional);
    return;
  }
  const bool update = type == PacketType::kIrDyn || is_type_2(type);
  if (mutant("ir-not-acknowledged")) return;
  if (type == PacketType::kIr || (update && config_.ack_updates) || mutant("every-packet-acknowledged"))
    send(index, AckType::kAck, c.mode);
}

// Negative feedback: not in U-mode, and but once for so many reasons for it unless `at_once`.
void Decompressor::complain(std::uint32_t index, AckType kind, bool at_once) noexcept {
  DecompressorContext& c = contexts_[index];
  const Mode mode = c.used ? c.mode : wanted_mode(c);
  if (!config_.feedback || (mode != Mode::kOptimistic && !mutant("nack-in-u-mode"))) return;
  if (mutant("never-nacks")) return;
  ++c.nacks_held;
  if (!at_once && c.nacks_held < config_.nack_every) return;
  c.nacks_held = 0;
  send(index, kind, mode);
}

void Decompressor::send(std::uint32_t index, AckType kind, Mode mode) noexcept {
  const DecompressorContext& c = contexts_[index];
  wire::Feedback f;
  f.cid = cid_of(index);
  f.ack = kind;
  if (c.used && c.profile == wire::Profile::kUncompressed) {
    f.one = true;  // "The value of the profile-specific octet in the FEEDBACK-1 ACK is 0" (5.10.4)
  } else {
    f.mode = mode;
    // Of the header that caused the feedback, or of the last one decompressed (5.7.6.1).
    f.sn = (c.sn + (mutant("feedback-sn-off-by-one") ? 1U : 0U)) & 0xfffU;
    f.sn_width = 12;
    f.sn_valid = c.used;
    f.crc = !mutant("feedback-without-crc");
  }
  std::array<std::uint8_t, wire::kMaxFeedbackElement> room;
  wire::Writer out(room);
  wire::write_feedback_element(out, config_.channel.large_cids, f);
  own_feedback_.put(channel_of(index), out.written());
  switch (kind) {
    case AckType::kAck:
      ++counters_.acks;
      break;
    case AckType::kNack:
      ++counters_.nacks;
      break;
    case AckType::kStaticNack:
      ++counters_.static_nacks;
      break;
  }
}

}  // namespace headroom::rohc
