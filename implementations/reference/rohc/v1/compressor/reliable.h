// SPDX-License-Identifier: Apache-2.0
//
// The secure reference principle of R-mode (RFC 3095 5.5.1): determines from acknowledgements alone which references
// the decompressor may be using, and when to send updates that give it a newer reference.
//
// The window of U- and O-mode (window.h) drops a reference after a number of packets. In R-mode a reference is dropped
// only after an ACK, yet memory is bounded: updates on a straight line form one run, and W-LSB encoding needs only the
// ends of a run. If there are more runs than fit, the two oldest runs are merged into one run of which only the range
// of SNs is known.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/v1/compressor/choose.h"
#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/compressor/window.h"

namespace headroom::rohc {

inline constexpr unsigned kMaxRuns = 8;
// The most packets between an update and its ACK: the longest round trip, in packets, at which ACKs are used.
inline constexpr unsigned kAckHorizon = 1024;

// Consecutive updates with SN, TS and IP-ID offsets on a straight line.
struct ReferenceRun {
  std::uint32_t first_ts;
  std::uint32_t last_ts;
  std::uint32_t ts_stride;
  std::uint16_t first_sn;
  std::uint16_t last_sn;
  std::uint16_t id_offset;
  std::uint16_t outer_id_offset;
  bool line;     // false: merged runs, of which only the SNs are known, and the TS if ts_stride is not 0
  bool ackable;  // false: an ACK cannot identify its updates by SN; an ACK of a later run removes it
};

// The SNs, at most the last kAckHorizon, that were sent before the source jumped to other SNs.
struct FormerNumbers {
  std::uint16_t first;
  std::uint16_t last;
  std::uint32_t until;  // value of ReliableWindow::sent until which ACKs for these SNs may arrive; 0: none
};
inline constexpr unsigned kFormerNumbers = 8;

// The R-mode window of a flow, accessed in R-mode only. All octets zero: nothing sent yet.
struct ReliableWindow {
  std::array<ReferenceRun, kMaxRuns> runs;              // oldest first
  std::array<std::uint64_t, kAckHorizon / 64> updates;  // one bit for each of the last SNs: 1 if an update had this SN
  std::array<FormerNumbers, kFormerNumbers> former;
  std::uint8_t run_count;
  bool numbered;  // true if `newest` is valid
  bool has_ack;   // true if `acked` is valid
  bool pausing;   // true after a burst of updates, while the compressor waits for an ACK
  std::uint8_t burst_left;
  std::uint8_t next_former;
  std::uint32_t sent;          // packets sent by the general path
  std::uint16_t first_number;  // first SN of the current numbering
  std::uint16_t newest;        // highest SN sent by the general path; an update must exceed it to be ackable
  std::uint16_t acked;         // SN of the latest ACK
  std::uint16_t pause_until;   // SN with which the pause ends
};

// Called when C_MODE becomes R: every value in the window of U- or O-mode may be the reference of the decompressor.
void enter_reliable_mode(Flow flow) noexcept;
// Called when C_MODE was R and changes: moves the possible references into the window of the new mode. If they do not
// fit, an IR-DYN packet is sent.
void leave_reliable_mode(Flow flow) noexcept;

// Records the packets that the fast path sent, as the general path would have done. Called before catch_up() of
// window.h. Does nothing in other modes.
void catch_up_reliably(Flow flow) noexcept;

// Records changes that make references useless or acknowledgements ambiguous. Called before a packet is compressed.
// REQUIRES: R-mode; observe() has run.
void prepare_reliably(Flow flow, const PacketFields& f) noexcept;

// Decides if the packet updates the context (5.5.1.2) and sets needs.update. REQUIRES: R-mode; `needs` belongs to the
// packet.
void plan_update(Flow flow, const PacketFields& f, Needs& needs) noexcept;

// Records a sent packet. REQUIRES: R-mode.
void count_reliably(Flow flow, const PacketFields& f, wire::PacketType type) noexcept;

// Handles an ACK for `sn`. Returns false if the window has no update with this SN: "the ACK is invalid and MUST be
// discarded".
[[nodiscard]] bool acknowledge_update(ReliableWindow& w, std::uint16_t sn) noexcept;

// Returns the number of predicted packets that can be sent as R-0 before another packet type is due.
[[nodiscard]] std::uint16_t predictable_packets(Flow flow) noexcept;

// Returns the lowest SN whose ACK proves that a packet sent from now on arrived, in any mode. R-0 packets do not count,
// because they are never acknowledged.
[[nodiscard]] std::uint16_t next_ackable_sn(Flow flow) noexcept;

// The fields of a reference that are known.
enum class Known : std::uint8_t { kSn, kSnAndTs, kAll };

// Calls `visit(Reference, outer IP-ID offset, Known)` for references that bound the values that the decompressor may be
// using as its reference, in any mode.
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
