// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/reliable.h"

#include <algorithm>
#include <cstdlib>

#include "mutants.h"
#include "rohc/v1/encoding/lsb.h"

namespace headroom::rohc {
namespace {

// Farther than this from a packet, on either side, an SN is no reference any more: its place is about to become
// ambiguous.
constexpr std::int32_t kFarthest = 0x4000;

constexpr std::int32_t distance(std::uint16_t from, std::uint16_t to) noexcept {
  return static_cast<std::int16_t>(to - from);
}

std::uint64_t bit_of(std::uint16_t sn) noexcept { return std::uint64_t{1} << sn % 64; }
std::uint64_t& word_of(ReliableWindow& w, std::uint16_t sn) noexcept { return w.updates[sn % kAckHorizon / 64]; }

// The source counts elsewhere from `sn` on. Should it come back to SNs that it had just before, an ACK for one of them
// may be for the packet of then.
void renumber(ReliableWindow& w, std::uint16_t sn) noexcept {
  if (w.numbered) {
    FormerNumbers& f = w.former[w.next_former];
    w.next_former = static_cast<std::uint8_t>((w.next_former + 1U) % kFormerNumbers);
    const bool many = distance(w.first_number, w.newest) < 0 || distance(w.first_number, w.newest) >= int{kAckHorizon};
    f = {many ? static_cast<std::uint16_t>(w.newest - kAckHorizon) : w.first_number, w.newest, w.sent + kAckHorizon};
  }
  w.updates = {};
  w.has_ack = false;
  w.pausing = false;
  w.first_number = sn;
  w.newest = static_cast<std::uint16_t>(sn - 1);
  w.numbered = true;
}

bool is_reused(const ReliableWindow& w, std::uint16_t sn) noexcept {
  return std::any_of(w.former.begin(), w.former.end(), [&](const FormerNumbers& f) {
    return w.sent < f.until && distance(f.first, sn) >= 0 && distance(sn, f.last) >= 0;
  });
}

// The SNs up to `sn` have been sent, none of them but perhaps the last one an update that can be acknowledged.
void number(ReliableWindow& w, std::uint16_t sn, bool update) noexcept {
  const std::int32_t step = w.numbered ? distance(w.newest, sn) : std::int32_t{kAckHorizon};
  if (step >= std::int32_t{kAckHorizon}) {
    renumber(w, sn);
  } else {
    for (std::int32_t i = 1; i < step; ++i) {
      const auto skipped = static_cast<std::uint16_t>(w.newest + i);
      word_of(w, skipped) &= ~bit_of(skipped);
    }
    word_of(w, sn) &= ~bit_of(sn);
  }
  if (update) word_of(w, sn) |= bit_of(sn);
  w.newest = sn;
  w.numbered = true;
}

// True if the SN does not say that the packet was sent after all others: it was reordered or repeated before it came
// here.
bool is_late(const ReliableWindow& w, std::uint16_t sn) noexcept { return w.numbered && distance(w.newest, sn) <= 0; }

bool on_line(const ReferenceRun& r, std::uint16_t sn, std::uint32_t ts) noexcept {
  return ts - r.last_ts == r.ts_stride * static_cast<std::uint32_t>(distance(r.last_sn, sn));
}

bool same_line(const ReferenceRun& r, const Reference& update, std::uint16_t outer, std::uint32_t stride) noexcept {
  return r.line && r.ts_stride == stride && r.id_offset == update.id_offset && r.outer_id_offset == outer &&
         on_line(r, update.sn, update.ts);
}

// One run where there were two: from the smallest SN to the largest, whichever was sent first. Where only the IP-ID
// tells them apart, their TS lie on one line still. That of ESP is its whole number, of which an SN is but the low
// half.
ReferenceRun joined(const ReferenceRun& a, const ReferenceRun& b) noexcept {
  ReferenceRun r = b;
  if (distance(a.first_sn, b.first_sn) >= 0) {
    r.first_sn = a.first_sn;
    r.first_ts = a.first_ts;
  }
  if (distance(a.last_sn, b.last_sn) <= 0) {
    r.last_sn = a.last_sn;
    r.last_ts = a.last_ts;
  }
  r.line = false;
  if (a.ts_stride != b.ts_stride || !on_line(a, b.first_sn, b.first_ts)) r.ts_stride = 0;
  r.ackable = a.ackable || b.ackable;
  return r;
}

void add_update(ReliableWindow& w, const Reference& update, std::uint16_t outer, std::uint32_t stride,
                bool ackable) noexcept {
  if (mutant("reference-without-ack")) w.run_count = 0;
  if (w.run_count != 0) {
    ReferenceRun& last = w.runs[w.run_count - 1U];
    if (same_line(last, update, outer, stride)) {
      const std::int32_t step = distance(last.last_sn, update.sn);
      if (step == 0) return;  // repeated: the same reference again
      if (step > 0 && last.ackable == ackable) {
        last.last_sn = update.sn;
        last.last_ts = update.ts;
        return;
      }
    }
  }
  if (w.run_count == kMaxRuns) {
    w.runs[1] = joined(w.runs[0], w.runs[1]);
    std::copy(w.runs.begin() + 1, w.runs.end(), w.runs.begin());
    --w.run_count;
  }
  w.runs[w.run_count++] = {update.ts, update.ts, stride, update.sn, update.sn, update.id_offset, outer, true, ackable};
}

// Only counters have an offset that W-LSB encoding is about; any other one would but seem to change.
std::uint16_t inner_offset(Flow flow, std::uint16_t offset) noexcept {
  return is_counter(flow.h.id_behaviour) ? offset : std::uint16_t{0};
}
std::uint16_t outer_offset(Flow flow, std::uint16_t offset) noexcept {
  return flow.tunnel != nullptr && is_counter(flow.tunnel->id_behaviour) ? offset : std::uint16_t{0};
}

Reference reference_of(Flow flow, const PacketFields& f) noexcept {
  return {f.ts, f.sn, inner_offset(flow, id_offset(flow.h.id_behaviour, f.inner_id, f.sn))};
}
std::uint16_t outer_offset(Flow flow, const PacketFields& f) noexcept {
  return flow.tunnel == nullptr ? std::uint16_t{0}
                                : outer_offset(flow, id_offset(flow.tunnel->id_behaviour, f.outer_id, f.sn));
}

// An update is due: so many packets have followed the oldest reference that may be in use.
bool is_far(Flow flow, std::uint16_t sn) noexcept {
  const ReliableWindow& w = *flow.reliable;
  return w.run_count != 0 && distance(w.runs[0].first_sn, sn) >= static_cast<std::int32_t>(flow.config.update_after);
}

// The packet goes on as the newest update began, so far as references matter.
bool follows_newest(Flow flow, const PacketFields& f) noexcept {
  const ReliableWindow& w = *flow.reliable;
  if (w.run_count == 0) return false;
  const std::uint32_t stride = flow.traits().sn_in_packet() ? flow.c.ts_stride : 0;
  return same_line(w.runs[w.run_count - 1U], reference_of(flow, f), outer_offset(flow, f), stride);
}

}  // namespace

void enter_reliable_mode(Flow flow) noexcept {
  FlowHistory& h = flow.h;
  ReliableWindow& w = *flow.reliable;
  w = {};
  for (unsigned age = h.reference_count; age > 0; --age) {
    const unsigned slot = slot_of(h, age - 1);
    const std::uint16_t outer = flow.tunnel != nullptr ? flow.tunnel->id_offsets[slot] : std::uint16_t{0};
    Reference r = h.references[slot];
    r.id_offset = inner_offset(flow, r.id_offset);
    add_update(w, r, outer_offset(flow, outer), flow.c.ts_stride, false);
  }
  // SNs that have gone back: an ACK for one of the higher ones says nothing of what was sent since or will be.
  std::uint16_t newest = flow.c.sn;
  for (unsigned i = 0; i < w.run_count; ++i) {
    if (distance(newest, w.runs[i].last_sn) > 0) newest = w.runs[i].last_sn;
  }
  number(w, newest, false);
  if (newest == flow.c.sn) return;
  h.changed_since_sn = static_cast<std::uint16_t>(newest + 1);
  if (flow.coverage != nullptr) flow.coverage->told_since_sn = h.changed_since_sn;
}

void leave_reliable_mode(Flow flow) noexcept {
  FlowHistory& h = flow.h;
  const ReliableWindow& w = *flow.reliable;
  forget_references(h);
  bool held = 2U * w.run_count <= flow.repeats();
  for (unsigned i = 0; i < w.run_count; ++i) {
    const ReferenceRun& r = w.runs[i];
    held &= r.line;
    for (const Reference& end :
         {Reference{r.first_ts, r.first_sn, r.id_offset}, Reference{r.last_ts, r.last_sn, r.id_offset}}) {
      add_reference(h, end, kMaxReferences);
      if (flow.tunnel != nullptr) flow.tunnel->id_offsets[h.newest] = r.outer_id_offset;
    }
  }
  if (!held) {
    h.ir_dyn_left = std::max(h.ir_dyn_left, flow.repeats());
    h.changed_since_sn = next_ackable_sn(flow);
  }
  // Changes that waited for an ACK are sent as often as the new mode requires.
  for (std::uint8_t* left :
       {&h.ir_left, &h.ir_dyn_left, &h.pattern_left, &h.id_left, &h.stride_left, &h.unscaled_left, &h.coverage_left})
    *left = *left != 0 ? flow.repeats() : std::uint8_t{0};
}

void catch_up_reliably(Flow flow) noexcept {
  if (!flow.in_reliable_mode() || flow.c.fast_run == 0) return;
  ReliableWindow& w = *flow.reliable;
  for (std::int32_t left = distance(w.newest, flow.c.sn); left > 0; --left) {
    const auto sn = static_cast<std::uint16_t>(flow.c.sn - left + 1);
    if ((w.burst_left != 0 || w.pausing) && !is_far(flow, sn) && !is_reused(w, sn)) {
      w.burst_left = 0;
      w.pausing = false;
    }
    number(w, sn, false);
    ++w.sent;
  }
}

void prepare_reliably(Flow flow, const PacketFields& f) noexcept {
  FlowHistory& h = flow.h;
  ReliableWindow& w = *flow.reliable;
  h.long_crc_left = 0;  // it is no CRC of 3 bits that must tell a change here: all wait for an ACK
  if (w.numbered && distance(f.sn, w.newest) >= std::int32_t{kAckHorizon}) {  // the source has begun to count anew
    renumber(w, f.sn);
    for (ReferenceRun& r : w.runs) r.ackable = false;
    h.changed_since_sn = f.sn;
    if (flow.coverage != nullptr) flow.coverage->told_since_sn = f.sn;
    h.mode_told = false;
  }
  std::uint16_t none = w.newest;
  std::uint16_t& coverage_since = flow.coverage != nullptr ? flow.coverage->told_since_sn : none;
  for (std::uint16_t* since : {&h.changed_since_sn, &coverage_since}) {
    if (*since == f.sn && is_late(w, f.sn)) *since = next_ackable_sn(flow);
  }
  // What waits for its ACK longer than SNs can tell has been in all packets lately.
  for (std::uint16_t* since : {&h.changed_since_sn, &h.mode_since_sn, &coverage_since}) {
    if (distance(*since, w.newest) > kFarthest) *since = static_cast<std::uint16_t>(w.newest - kFarthest);
  }
  if (w.has_ack && distance(w.acked, w.newest) > kFarthest) w.has_ack = false;
  bool far = w.run_count == 0;
  for (unsigned i = 0; i < w.run_count; ++i) {
    const ReferenceRun& r = w.runs[i];
    far |= std::abs(distance(r.first_sn, f.sn)) > kFarthest || std::abs(distance(r.last_sn, f.sn)) > kFarthest;
  }
  if (!far || h.ir_left != 0) return;
  // Until there is an ACK again, only packets that need no reference will do.
  w.run_count = 0;
  if (h.ir_dyn_left == 0) h.changed_since_sn = is_late(w, f.sn) ? next_ackable_sn(flow) : f.sn;
  h.ir_dyn_left = flow.repeats();
}

void plan_update(Flow flow, const PacketFields& f, Needs& needs) noexcept {
  const FlowHistory& h = flow.h;
  ReliableWindow& w = *flow.reliable;
  const CompressorConfig& config = flow.config;
  needs.reliable = true;
  // Types 1 are not for the time in which an RND flag is being established (5.7.5.1).
  // "CCE(ON) and CCE(OFF) MUST NOT be used to extend R-0 and R-1* headers" (RFC 4019 5.3.2).
  if (needs.long_crc || h.id_left != 0 || h.coverage_left != 0) {
    needs.update = true;
    return;
  }
  if (is_late(w, f.sn) || is_reused(w, f.sn)) return;  // no ACK could name it: it would only make the window wider
  const bool news = (h.pattern_left | h.stride_left | h.unscaled_left | h.mode_left | h.lists_left) != 0;
  const bool off_line = needs.ts_bits || needs.id_bits || needs.outer_id_bits;
  if (!news && !off_line && !is_far(flow, f.sn)) {
    w.burst_left = 0;
    w.pausing = false;
    return;
  }
  const bool begins = (news && h.changed_since_sn == f.sn) || (off_line && !follows_newest(flow, f));
  const bool room = w.run_count + 2U <= kMaxRuns;  // or the window would lose what it knows
  const bool pausing = w.pausing && distance(f.sn, w.pause_until) > 0;
  if ((begins && room) || (w.burst_left == 0 && !pausing)) {
    w.burst_left = static_cast<std::uint8_t>(config.update_burst);
    w.pausing = false;
  }
  if (w.burst_left == 0) return;
  needs.update = true;
  if (--w.burst_left != 0) return;
  w.pausing = true;
  w.pause_until = static_cast<std::uint16_t>(f.sn + 1 + config.update_pause);
}

void count_reliably(Flow flow, const PacketFields& f, wire::PacketType type) noexcept {
  ReliableWindow& w = *flow.reliable;
  const bool update = wire::updates_in_r_mode(type) || mutant("r-0-taken-for-update");
  const bool late = is_late(w, f.sn);
  const bool ackable = !late && !is_reused(w, f.sn);
  if (!late) number(w, f.sn, update && ackable);
  if (update) add_update(w, reference_of(flow, f), outer_offset(flow, f), flow.c.ts_stride, ackable);
  ++w.sent;
}

bool acknowledge_update(ReliableWindow& w, std::uint16_t sn) noexcept {
  if (!w.numbered) return false;
  const std::int32_t age = distance(sn, w.newest);
  if (age < 0 || age >= std::int32_t{kAckHorizon} || (word_of(w, sn) & bit_of(sn)) == 0) return false;
  if (w.has_ack && distance(w.acked, sn) < 0) return false;  // a later one has been acknowledged
  unsigned at = 0;
  const auto holds = [&](const ReferenceRun& r) {
    return r.ackable && distance(r.first_sn, sn) >= 0 && distance(sn, r.last_sn) >= 0;
  };
  while (at < w.run_count && !holds(w.runs[at])) ++at;
  if (at == w.run_count) return false;
  std::copy(w.runs.begin() + at, w.runs.begin() + w.run_count, w.runs.begin());
  w.run_count = static_cast<std::uint8_t>(w.run_count - at);
  ReferenceRun& r = w.runs[0];
  if (r.line) {
    r.first_ts += r.ts_stride * static_cast<std::uint32_t>(distance(r.first_sn, sn));
    r.first_sn = sn;
  }
  w.acked = sn;
  w.has_ack = true;
  return true;
}

std::uint16_t predictable_packets(Flow flow) noexcept {
  const ReliableWindow& w = *flow.reliable;
  const CompressorContext& c = flow.c;
  const bool rtp = flow.traits().sn_in_packet();  // or ESP, whose TS is its whole number
  if (w.run_count == 0 || is_late(w, static_cast<std::uint16_t>(c.sn + 1)) || (rtp && c.ts_stride == 0)) return 0;
  constexpr unsigned kBits = 6;  // SN of R-0
  const std::int32_t p = rtp ? p_of_packet_sn(kBits) : p_of_generated_sn(kBits);
  const auto next = static_cast<std::uint16_t>(c.sn + 1);
  std::int32_t oldest = 0;
  for (unsigned i = 0; i < w.run_count; ++i) {
    const ReferenceRun& r = w.runs[i];
    if (!r.line || (rtp && !(r.ts_stride == c.ts_stride && on_line(r, c.sn, c.ts)))) return 0;
    if (is_counter(flow.h.id_behaviour) && r.id_offset != c.id_base) return 0;
    const std::int32_t first = distance(r.first_sn, next);
    const std::int32_t last = distance(r.last_sn, next);
    if (!lsb_covers(first, kBits, p) || !lsb_covers(last, kBits, p)) return 0;
    oldest = std::max({oldest, first, last});
  }
  const std::int32_t covered = (std::int32_t{1} << kBits) - p - oldest;  // packets until the oldest is out of reach
  const std::int32_t until_update =
      static_cast<std::int32_t>(flow.config.update_after) - distance(w.runs[0].first_sn, next);
  const std::int32_t paused = w.pausing && w.burst_left == 0 ? distance(next, w.pause_until) : 0;
  return static_cast<std::uint16_t>(std::clamp(until_update > 0 ? until_update : paused, 0, std::max(covered, 0)));
}

std::uint16_t next_ackable_sn(Flow flow) noexcept {
  const bool numbered = flow.in_reliable_mode() && flow.reliable->numbered;
  return static_cast<std::uint16_t>((numbered ? flow.reliable->newest : flow.c.sn) + 1);
}

}  // namespace headroom::rohc
