// SPDX-License-Identifier: Apache-2.0
//
// What a verdict on a packet does to its context: states and damage (RFC 3095 5.3.2.1, 5.3.2.2.3), repairs
// (5.3.2.2.4, 5.3.2.2.5), modes (5.6) and feedback (5.3.2.3, 5.4.2.2, 5.7.6).
#include <algorithm>
#include <array>
#include <bit>

#include "mutants.h"
#include "rohc/v1/decompressor/decompressor.h"
#include "rohc/v1/decompressor/fast_path.h"
#include "rohc/v1/header/chain.h"

namespace headroom::rohc::v1 {
namespace {

using wire::AckType;
using wire::Mode;
using wire::PacketType;

constexpr bool is_type_0_or_1(PacketType t) noexcept {
  return wire::is_r_mode_only(t) || t == PacketType::kUo0 || t == PacketType::kUo1 || t == PacketType::kUo1Id ||
         t == PacketType::kUo1Ts;
}
// "Updates" in the sense of 5.3.2.2.3 c.
constexpr bool is_update(PacketType t) noexcept { return wire::updates_in_r_mode(t); }

// Of DecompressorContext::acks_held.
constexpr std::uint8_t kSnUpdates = 0x80;

// Bits of the longest SN that a packet carries: that of IR and IR-DYN (5.7.7.6).
constexpr unsigned kLongestSn = 16;

// Wraparounds of the SN that are tried for one packet: the two numbers nearest to what the clock says. Each lets a
// wrong SN pass a CRC of 3 bits one time in eight, and a third is a whole cycle of the bits off the clock, or more.
constexpr std::size_t kMostCorrections = 2;
// Packets that the clock may count since the reference: farther off, an SN of 16 bits might as well lie behind it.
constexpr std::uint64_t kFarthestSn = 0x7fff;

constexpr std::uint32_t last(unsigned n) noexcept { return n >= 32 ? 0xffffffffU : (1U << n) - 1; }

bool damaged(std::uint32_t failures, KOutOfN rule) noexcept {
  if (mutant("damage-never-seen")) return false;
  return static_cast<unsigned>(std::popcount(failures & last(rule.n))) >= rule.k;
}

// True if the TS has gone on by more than one packet's worth, as it does over silence, whose length is no time
// between packets. The SNs are consecutive. A TS_STRIDE of 1 is the value before any has been sent (5.7.5.2).
bool follows_silence(const DecompressorContext& before, const DecompressorContext& after) noexcept {
  return traits_of(before.profile).rtp && after.ts_stride != 1 && after.ts - before.ts > after.ts_stride;
}

// A NACK to put an option into. All of those call for a CRC, or SHOULD have one.
wire::Feedback nack_of(const DecompressorContext& c, Mode mode) noexcept {
  wire::Feedback f;
  f.ack = AckType::kNack;
  f.mode = mode;
  f.sn = c.sn & 0xfffU;
  f.sn_width = 12;
  f.sn_valid = c.used;
  f.crc = true;
  return f;
}

}  // namespace

void Decompressor::commit(std::uint32_t index, const ContextCopy& after, std::uint16_t previous_sn,
                          std::uint64_t now_ns) noexcept {
  if (config_.observes()) observe(index, after, now_ns);
  DecompressorContext& c = contexts_[index];
  const bool had_lists = c.lists != ListUse::kNone;
  const bool consecutive = c.state == DecompressorState::kFc && static_cast<std::int16_t>(after.c.sn - c.sn) == 1;
  const bool measurable = consecutive && !follows_silence(c, after.c);
  const std::uint32_t interval = measurable ? average_interval(c.interval, now_ns - c.arrived_ns) : after.c.interval;
  c = after.c;
  c.interval = interval;
  if (!mutant("timer-arrival-not-kept")) c.arrived_ns = now_ns;
  c.previous_sn = previous_sn;
  derive_prediction(c);
  if (c.tunnel) tunnels_[index] = after.tunnel;
  if (c.lists == ListUse::kActive && after.lists != nullptr) {
    const bool reliable = c.reads_reliable() || after.sent_in_r_mode;
    if (after.in_compressed_header || reliable) {
      static constexpr DecompressorLists kNone{};
      settle_lists(had_lists ? lists_[index] : kNone, reliable, c.sn, *after.lists);
    }
    advance_sequences(*after.lists, c.sn);
  }
  keep_lists(index, after, had_lists);
}

void Decompressor::keep_lists(std::uint32_t index, const ContextCopy& copy, bool had) noexcept {
  if (copy.lists == nullptr || copy.c.lists == ListUse::kNone) return;
  if (!had && lists_begun_ != in_use_) ++lists_begun_;
  lists_[index] = *copy.lists;
  contexts_[index].lists = copy.lists->empty() ? ListUse::kIdle : ListUse::kActive;
}

void Decompressor::refresh_fast(DecompressorContext& c) const noexcept {
  const bool fast = fast_path_ && !config_.observes() && c.state == DecompressorState::kFc &&
                    c.profile != wire::Profile::kUncompressed && !c.tunnel && c.lists != ListUse::kActive &&
                    c.failures == 0 && c.repairs == 0 && c.transition == Transition::kDone && c.mode == wanted_mode(c);
  c.fast = fast && c.mode != Mode::kReliable;
  c.fast_reliable = fast && c.mode == Mode::kReliable;
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
  // In R-mode k and n "are applied to the update packets only" (5.5.2.1).
  if (!wire::is_without_crc(outcome.type)) c.failures = (c.failures << 1) & last(config_.dynamic_damage.n);
  const bool repaired_now = outcome.event == Event::kRepairedReference || outcome.event == Event::kRepairedWraparound;
  const bool by_initialisation = outcome.type == PacketType::kIr || outcome.type == PacketType::kIrDyn;
  if (repaired_now) {
    c.repairs = 2;
  } else if (by_initialisation) {
    c.repairs = 0;  // the reference is new: there is nothing left to prove
    c.nacks_held = 0;
  } else if (c.repairs != 0 && --c.repairs == 0) {
    outcome.event = Event::kRepairProven;
  }
  // "Of the three successful headers, the first two SHOULD be discarded and only the third delivered" (5.3.2.2.5).
  if (c.repairs != 0 && outcome.status == HEADROOM_OK && !mutant("repair-delivered-unproven"))
    outcome.status = HEADROOM_ERR_REPAIR;
  follow_mode(index, outcome, has_mode, mode);
  if (config_.observes()) report(index);
  refresh_fast(c);
}

void Decompressor::failed(std::uint32_t index, Outcome& outcome) noexcept {
  DecompressorContext& c = contexts_[index];
  // "If no profile is noted in the context, no further action is taken" (5.2.6, steps 10 and 11). The Uncompressed
  // profile knows no negative feedback (5.10.4).
  if (!c.used || c.profile == wire::Profile::kUncompressed) return;
  c.fast = c.fast_reliable = false;
  unsigned packets = 1;
  if (c.repairs != 0) {  // the packets that seemed to prove the repair count as failures, too
    packets += 3U - c.repairs;
    c.repairs = 0;
    outcome.event = Event::kRepairFailed;
  }
  const std::uint32_t failures = c.failures << packets | last(packets);
  const KOutOfN static_damage =
      c.mode == Mode::kUnidirectional ? config_.static_damage_in_u_mode : config_.static_damage;
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
      c.failures = failures & last(static_damage.n);
      if (damaged(c.failures, static_damage)) {  // rule c
        c.state = DecompressorState::kNc;
        c.failures = 0;
        outcome.event = Event::kStaticDamage;
        complain(index, AckType::kStaticNack, true);
      } else {
        complain(index, AckType::kNack, false);
      }
      break;
    case DecompressorState::kNc:
      // Not for an IR packet in R-mode: "the compressor will stay in IR state" anyway (5.5.2.2).
      if (c.mode != Mode::kReliable || outcome.type != PacketType::kIr) complain(index, AckType::kStaticNack, false);
      break;
  }
}

bool Decompressor::is_overtaken(std::uint32_t index, const ContextCopy& after) const noexcept {
  constexpr std::int32_t kReorderings = 64;  // packets; what is older than that is a source that counts anew
  const DecompressorContext& c = contexts_[index];
  if (!c.used || !c.reads_reliable() || c.state != DecompressorState::kFc || c.transition != Transition::kDone)
    return false;
  const std::int32_t step = static_cast<std::int16_t>(after.c.sn - c.sn);
  if (step >= 0 || step <= -kReorderings || c.profile != after.c.profile || c.shape != after.c.shape) return false;
  const Layout& l = layout_of(c.shape);
  return masked_equal(after.c.pattern.data(), l.definition_mask, c.pattern, l.header);
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
  if (wrapped)
    return correct_wraparound(header, index, elapsed, decoded, restored) ? Event::kRepairedWraparound : Event::kNone;
  // 5.3.2.2.5: an earlier packet may have updated the reference wrongly. Useless where both references give the same
  // SN.
  if (!config_.repair_reference || c.previous_sn == c.sn || mutant("no-reference-repair")) return Event::kNone;
  return attempt(header, index, c.previous_sn, decoded, restored) == Verdict::kVerified ? Event::kRepairedReference
                                                                                        : Event::kNone;
}

bool Decompressor::correct_wraparound(const CompressedHeader& header, std::uint32_t index, std::uint64_t elapsed,
                                      Decoded& decoded, RestoredHeader& restored) noexcept {
  const DecompressorContext& c = contexts_[index];
  const unsigned bits = header.sn().width;
  const std::uint64_t intervals = (elapsed + c.interval / 2) / c.interval;
  const bool silence = traits_of(c.profile).rtp && (decoded.marker || header.ts().width != 0);
  std::array<std::int32_t, kMostCorrections> wraparounds{1};
  if (!silence && intervals <= kFarthestSn) {
    const std::int32_t cycle = std::int32_t{1} << bits;
    const auto by_bits = static_cast<std::int16_t>(decoded.header.c.sn - c.sn);
    const std::int32_t missing = static_cast<std::int32_t>(intervals) - by_bits;
    const std::int32_t nearest = std::max((missing + cycle / 2) >> bits, 1);
    wraparounds = {nearest, missing > nearest * cycle ? nearest + 1 : nearest - 1};
  }
  for (const std::int32_t n : wraparounds) {
    if (n < 1) continue;
    const auto reference = static_cast<std::uint16_t>(c.sn + (static_cast<std::uint32_t>(n) << bits));
    if (attempt(header, index, reference, decoded, restored) == Verdict::kVerified) return true;
  }
  return false;
}

// --- Modes
// -------------------------------------------------------------------------------------------------------------

void Decompressor::follow_mode(std::uint32_t index, Outcome& outcome, bool has_mode, Mode mode) noexcept {
  DecompressorContext& c = contexts_[index];
  if (!config_.feedback) return;
  const Mode wanted = wanted_mode(c);
  const bool claimed = c.mode_claimed;
  c.mode_claimed = false;
  const bool other_formats = has_mode && mode != Mode::kCancel && (mode == Mode::kReliable) != c.reads_reliable();
  if (other_formats && !(c.transition == Transition::kInitiated && mode == c.target)) {
    // The mode was not requested, but types 0 and 1 are to be read by it from now on. No CRC covers the
    // mode in extension 3, where it may be a bit error: a compressor that means it says it again.
    const bool initialisation = outcome.type == PacketType::kIr || outcome.type == PacketType::kIrDyn;
    if (!initialisation && mode != config_.mode && !claimed) {
      c.mode_claimed = true;
      return;
    }
    c.target = mode;
    c.transition = Transition::kPending;
    take_mode(c, mode, outcome);
    send(index, AckType::kAck, mode, outcome.sn_bits);
    return;
  }
  switch (c.transition) {
    case Transition::kDone:
      if (c.mode == wanted) {
        acknowledge(index, outcome);
      } else if (wanted == Mode::kOptimistic && c.mode == Mode::kUnidirectional) {  // 5.6.2: at once
        take_mode(c, wanted, outcome);
        send(index, AckType::kAck, wanted);
      } else {  // 5.6.3 to 5.6.6
        c.transition = Transition::kInitiated;
        c.target = wanted;
        if (mutant("mode-taken-at-request")) take_mode(c, wanted, outcome);
        c.acks_held = 1;
        send(index, AckType::kAck, wanted, outcome.sn_bits);
      }
      break;
    // "A mode transition can be initiated only when D_TRANS is D" (5.6.1): what is wanted by now has to wait.
    case Transition::kInitiated:
      // Until a packet carries the new mode, every one is answered with a request for it.
      if (has_mode && mode == Mode::kCancel && !mutant("cancellation-ignored")) {
        c.mode_declined = true;
        c.transition = Transition::kDeclined;
        c.target = c.mode;
      } else if (has_mode && mode == c.target) {
        const bool done = mutant("transition-done-without-type-0");
        c.transition = done ? Transition::kDone : Transition::kPending;
        if (mode != Mode::kUnidirectional || done) take_mode(c, mode, outcome);
      } else if (c.target == Mode::kReliable && ++c.acks_held > config_.mode_requests) {
        // Older compressors ignore what they do not know. Should this one come round, it will say so.
        c.mode_declined = true;
        c.transition = Transition::kDone;
        c.acks_held = 0;
        break;
      }
      // "The decompressor MUST NOT use the sequence number of the R-0 or the R-1* packet" (RFC 4815 3.2): send() takes
      // that of the reference.
      if (has_mode || !mutant("mode-requested-once")) send(index, AckType::kAck, c.target, outcome.sn_bits);
      break;
    case Transition::kPending:
    case Transition::kDeclined:
      if (!is_type_0_or_1(outcome.type)) {
        send(index, AckType::kAck, c.target, outcome.sn_bits);
        break;
      }
      c.transition = Transition::kDone;
      if (c.mode != c.target) take_mode(c, c.target, outcome);
      c.acks_held = 0;  // it has counted requests
      // "For a sequence of R-0-CRC packets, the first one MUST be ACKed" (5.5.2.2), whatever it ends.
      if (outcome.type == PacketType::kR0Crc) acknowledge(index, outcome);
      break;
  }
}

void Decompressor::take_mode(DecompressorContext& c, Mode mode, Outcome& outcome) const noexcept {
  if (c.mode == mode) return;
  constexpr Event kEvents[] = {Event::kNone, Event::kModeUnidirectional, Event::kModeOptimistic, Event::kModeReliable};
  c.mode = mode;
  c.acks_held = 0;
  if (mode == Mode::kReliable) c.repairs = 0;  // it knows none (5.5.2.1)
  outcome.event = kEvents[static_cast<std::size_t>(mode)];
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
void Decompressor::acknowledge(std::uint32_t index, const Outcome& outcome) noexcept {
  DecompressorContext& c = contexts_[index];
  const PacketType type = outcome.type;
  if (c.mode == Mode::kReliable) {
    acknowledge_update(index, outcome);
    return;
  }
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

// 5.5.2.2, with the sparse ACK mechanism: the first of a sequence of R-0-CRC packets, the first two of a sequence of
// others that update, since "the decompressor cannot determine the value of N"; then one for so many.
void Decompressor::acknowledge_update(std::uint32_t index, const Outcome& outcome) noexcept {
  DecompressorContext& c = contexts_[index];
  if (wire::is_without_crc(outcome.type) &&
      !mutant("r-0-acknowledged")) {  // "Feedback is never sent for packets not updating the context"
    c.acks_held = 0;
    return;
  }
  const bool sn_only = outcome.type == PacketType::kR0Crc;
  if (sn_only && mutant("r-0-crc-not-acknowledged")) return;
  const std::uint8_t kind = sn_only ? kSnUpdates : 0;
  if (outcome.new_pattern || (c.acks_held & kSnUpdates) != kind) c.acks_held = kind;
  const unsigned must = sn_only ? 1 : 2;
  const unsigned seen = c.acks_held % kSnUpdates + 1U;
  const bool due = seen <= must || seen == must + config_.ack_sparse;
  c.acks_held = static_cast<std::uint8_t>(kind | (seen == must + config_.ack_sparse ? must : seen));
  if (due) send(index, AckType::kAck, Mode::kReliable, outcome.sn_bits);
}

// Negative feedback: not in U-mode, and but once for so many reasons for it unless `at_once`.
void Decompressor::complain(std::uint32_t index, AckType kind, bool at_once) noexcept {
  DecompressorContext& c = contexts_[index];
  // From U-mode, "an ACK(R) or a NACK(R)" asks for the transition (5.6.3): a compressor that has followed and whose
  // packets fail must not wait for ever.
  const bool asked = c.used && c.mode == Mode::kUnidirectional && c.transition == Transition::kInitiated;
  const Mode mode = asked ? c.target : c.used ? c.mode : wanted_mode(c);
  const bool unidirectional = mode == Mode::kUnidirectional || mode == Mode::kCancel;
  if (!config_.feedback || (unidirectional && !mutant("nack-in-u-mode"))) return;
  if (mutant("never-nacks")) return;
  ++c.nacks_held;
  if (!at_once && c.nacks_held < config_.nack_every) return;
  c.nacks_held = 0;
  // A packet that could not be read may have been one with any SN (5.5.2.2): feedback about it has the longest.
  send(index, kind, mutant("nack-of-r-mode-says-o") && mode == Mode::kReliable ? Mode::kOptimistic : mode, kLongestSn);
}

void Decompressor::send(std::uint32_t index, AckType kind, Mode mode, unsigned sn_bits) noexcept {
  const DecompressorContext& c = contexts_[index];
  wire::Feedback f;
  f.ack = kind;
  if (c.used && c.profile == wire::Profile::kUncompressed) {
    f.one = true;  // "The value of the profile-specific octet in the FEEDBACK-1 ACK is 0" (5.10.4)
  } else {
    f.mode = mode;
    // Of the header that caused the feedback, or of the last one decompressed (5.7.6.1).
    f.sn = (c.sn + (mutant("feedback-sn-off-by-one") ? 1U : 0U)) & 0xfffU;
    f.sn_width = 12;
    if (config_.sn_option) {
      f.sn = c.sn;
      f.sn_width = 20;
    }
    f.sn_valid = c.used;
    f.crc = !mutant("feedback-without-crc");
    if (mode == Mode::kReliable) {
      // "The decompressor MUST use the feedback format whose SN field length is equal to or larger than the one in the
      // compressed packet that triggered the feedback" (5.5.2.2).
      if (sn_bits > f.sn_width && !mutant("feedback-sn-too-short")) {
        f.sn = c.sn;
        f.sn_width = 20;
      }
      // The transition to R-mode is "permitted only after at least one packet has been correctly decompressed" (5.6.3):
      // what has no CRC asks for none.
      f.crc = f.crc && c.used;
    }
    if (kind == AckType::kAck) add_options(index, f);
  }
  put_feedback(index, f);
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

void Decompressor::put_feedback(std::uint32_t index, const wire::Feedback& feedback) noexcept {
  wire::Feedback f = feedback;
  f.cid = cid_of(index);
  std::array<std::uint8_t, wire::kMaxFeedbackElement> room;
  wire::Writer out(room);
  wire::write_feedback_element(out, config_.channel.large_cids, f);
  own_feedback_.put(channel_of(index), out.written());
}

// --- Feedback options
// ----------------------------------------------------------------------------------------------------

// CLOCK and JITTER are options of profile RTP only (5.11: they "are not used" with UDP).
void Decompressor::add_options(std::uint32_t index, wire::Feedback& f) noexcept {
  const bool rtp = contexts_[index].profile == wire::Profile::kRtp || mutant("clock-in-other-profiles");
  if (rtp && config_.clock_ms != 0) f.clock_ms = config_.clock_ms;
  if (!config_.observes()) return;
  Observations& o = observations_[index];
  if (config_.report_jitter && rtp && o.max_jitter != 0) f.max_jitter = o.reported_jitter = o.max_jitter;
  if (config_.report_loss && o.longest_loss != 0) f.longest_loss = o.reported_loss = o.longest_loss;
}

void Decompressor::observe(std::uint32_t index, const ContextCopy& after, std::uint64_t now_ns) noexcept {
  const DecompressorContext& c = contexts_[index];
  Observations& o = observations_[index];
  if (!c.used || c.profile != after.c.profile) o = {};
  if (c.state == DecompressorState::kFc) o.note_step(static_cast<std::int16_t>(after.c.sn - c.sn));
  if (after.c.time_stride != 0 && after.c.ts_stride != 0)
    o.note_arrival(after.c.ts, after.c.ts_stride, after.c.time_stride, now_ns);
}

void Decompressor::report(std::uint32_t index) noexcept {
  const DecompressorContext& c = contexts_[index];
  const Observations& o = observations_[index];
  const bool jitter = config_.report_jitter && c.profile == wire::Profile::kRtp && o.max_jitter > o.reported_jitter;
  const bool loss = config_.report_loss && o.longest_loss > o.reported_loss;
  if ((!jitter && !loss) || !config_.feedback || c.mode != Mode::kOptimistic) return;
  send(index, AckType::kAck, c.mode);
}

bool Decompressor::has_room_for(std::uint32_t index) const noexcept {
  const DecompressorContext& c = contexts_[index];
  if (config_.most_contexts == 0) return true;
  const bool takes_over = owners_.of(index) != nullptr && !(c.used && c.profile == wire::Profile::kUncompressed);
  return takes_over || owners_.in_use() - uncompressed_in_use_ < config_.most_contexts;
}

void Decompressor::reject(std::uint32_t index) noexcept {
  DecompressorContext& c = contexts_[index];
  if (!config_.feedback) return;
  const bool due = c.nacks_held == 0;
  c.nacks_held = static_cast<std::uint8_t>((c.nacks_held + 1U) % config_.nack_every);
  if (!due) return;
  wire::Feedback f;
  f.ack = AckType::kStaticNack;
  f.mode = config_.mode;
  f.sn_width = 12;
  f.sn_valid = false;
  f.reject = true;
  f.crc = true;  // "MUST also carry a CRC option"
  put_feedback(index, f);
  ++counters_.rejects;
}

void Decompressor::refuse_clock(std::uint32_t index) noexcept {
  DecompressorContext& c = contexts_[index];
  const Mode mode = c.used ? c.mode : wanted_mode(c);
  if (!config_.feedback || mode == Mode::kUnidirectional) return;
  const bool due = c.nacks_held == 0;
  c.nacks_held = static_cast<std::uint8_t>((c.nacks_held + 1U) % config_.nack_every);
  if (!due) return;
  wire::Feedback f = nack_of(c, mode);
  f.clock_ms = 0;
  put_feedback(index, f);
  ++counters_.nacks;
}

// The option belongs to profiles 0x0004, 0x0007 and 0x0008 (RFC 3843 3.7, RFC 4019 5.7), as the constant IP-ID does. A
// flow for which there is no room at all is rejected instead: this one has a context, but more lists or IP headers by
// now than are kept. Nothing has verified the packet that says so, hence not for the first one.
void Decompressor::complain_of_memory(std::uint32_t index, wire::Profile profile) noexcept {
  DecompressorContext& c = contexts_[index];
  const bool established = c.used && c.profile == profile && c.state != DecompressorState::kNc;
  const bool known = traits_of(profile).constant_ip_id;
  if (!established || !known || !config_.feedback || c.mode == Mode::kUnidirectional) return;
  if (++c.nacks_held < config_.nack_every) return;
  c.nacks_held = 0;
  wire::Feedback f = nack_of(c, c.mode);
  f.context_memory = true;
  put_feedback(index, f);
  ++counters_.nacks;
}

}  // namespace headroom::rohc::v1
