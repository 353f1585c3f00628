// SPDX-License-Identifier: Apache-2.0
//
// The secure reference principle of R-mode (RFC 3095 5.5.1): what the decompressor may be using as its reference, known
// from its acknowledgements alone, and when to send the updates that give it a newer one.
//
// The window of U- and O-mode (window.h) forgets a reference once so many packets have followed it. Here nothing is
// forgotten until an ACK says so, however long that takes, and memory is bounded all the same: updates that lie on one
// line are one run, of which the ends tell all that W-LSB encoding has to know. Should there ever be more runs than
// there is room for, the two oldest become one that says no more than between which SNs its updates are.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/v1/compressor/choose.h"
#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/compressor/window.h"

namespace headroom::rohc {

inline constexpr unsigned kMaxRuns = 8;
// How many packets back an acknowledged update may lie: the longest round trip, in packets, that makes use of ACKs.
inline constexpr unsigned kAckHorizon = 1024;

// Updates that were sent one after the other, with SN, TS and IP-ID offsets on a straight line.
struct ReferenceRun {
  std::uint32_t first_ts;
  std::uint32_t last_ts;
  std::uint32_t ts_stride;
  std::uint16_t first_sn;
  std::uint16_t last_sn;
  std::uint16_t id_offset;
  std::uint16_t outer_id_offset;
  bool line;     // false: several runs in one, of which only the SNs are known, and the TS where ts_stride is not 0
  bool ackable;  // false: its SNs say nothing about when it was sent; a later ACK removes it
};

// SNs that were sent before the source began to count elsewhere, the last kAckHorizon of them at most.
struct FormerNumbers {
  std::uint16_t first;
  std::uint16_t last;
  std::uint32_t until;  // ReliableWindow::sent: ACKs for them may be under way until then; 0: none
};
inline constexpr unsigned kFormerNumbers = 8;

// One for each flow, touched in R-mode only. All octets zero: nothing sent yet.
struct ReliableWindow {
  std::array<ReferenceRun, kMaxRuns> runs;              // oldest first
  std::array<std::uint64_t, kAckHorizon / 64> updates;  // one bit for each of the last SNs: it was that of an update
  std::array<FormerNumbers, kFormerNumbers> former;
  std::uint8_t run_count;
  bool numbered;  // `newest` means something
  bool has_ack;   // `acked` means something
  bool pausing;   // after a burst of updates, while the compressor waits for an ACK
  std::uint8_t burst_left;
  std::uint8_t next_former;
  std::uint32_t sent;          // packets of the general path
  std::uint16_t first_number;  // where the numbering at hand began
  std::uint16_t newest;        // highest SN of a packet of the general path; only such as exceed it can be acknowledged
  std::uint16_t acked;         // of the latest ACK
  std::uint16_t pause_until;   // SN with which the pause ends
};

// C_MODE becomes R: every value in the window of U- or O-mode may be the reference of the decompressor.
void enter_reliable_mode(Flow flow) noexcept;
// C_MODE was R and is another: the window of that mode takes over what may be the reference. What it cannot hold, an
// IR-DYN packet makes up for.
void leave_reliable_mode(Flow flow) noexcept;

// Before catch_up() of window.h: what the general path would have noted of the packets that the fast path sent. Does
// nothing in other modes.
void catch_up_reliably(Flow flow) noexcept;

// Before a packet is compressed: notes what makes references useless or acknowledgements ambiguous. REQUIRES: R-mode;
// observe() has run.
void prepare_reliably(Flow flow, const PacketFields& f) noexcept;

// Decides whether the packet shall update the context (5.5.1.2). REQUIRES: R-mode; `needs` is that of the packet.
void plan_update(Flow flow, const PacketFields& f, Needs& needs) noexcept;

// After a packet has been sent. REQUIRES: R-mode.
void count_reliably(Flow flow, const PacketFields& f, wire::PacketType type) noexcept;

// An ACK for `sn`. False when it is none for an update in the window: "the ACK is invalid and MUST be discarded".
[[nodiscard]] bool acknowledge_update(ReliableWindow& w, std::uint16_t sn) noexcept;

// How many packets that are as predicted can go as R-0 from now on before something else is due.
[[nodiscard]] std::uint16_t predictable_packets(Flow flow) noexcept;

// The SN from which on an ACK proves that it is for a packet sent after now, in any mode. R-0 packets do not count:
// they are never acknowledged.
[[nodiscard]] std::uint16_t next_ackable_sn(Flow flow) noexcept;

// What is known of a reference.
enum class Known : std::uint8_t { kSn, kSnAndTs, kAll };

// Calls `visit(Reference, outer IP-ID offset, Known)` for what bounds the values that the decompressor may be using as
// its reference, in any mode.
template <typename Visit>
void each_reference(Flow flow, Visit visit) noexcept {
  if (!flow.in_reliable_mode()) {
    for (unsigned age = 0; age < flow.h.reference_count; ++age) {
      const unsigned slot = slot_of(flow.h, age);
      const std::uint16_t outer = flow.tunnel != nullptr ? flow.tunnel->id_offsets[slot] : std::uint16_t{0};
      visit(flow.h.references[slot], outer, Known::kAll);
    }
    return;
  }
  for (unsigned i = 0; i < flow.reliable->run_count; ++i) {
    const ReferenceRun& r = flow.reliable->runs[i];
    const Known known = r.line ? Known::kAll : r.ts_stride != 0 ? Known::kSnAndTs : Known::kSn;
    visit(Reference{r.first_ts, r.first_sn, r.id_offset}, r.outer_id_offset, known);
    visit(Reference{r.last_ts, r.last_sn, r.id_offset}, r.outer_id_offset, known);
  }
}

}  // namespace headroom::rohc
