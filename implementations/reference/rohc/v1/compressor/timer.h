// SPDX-License-Identifier: Apache-2.0
//
// Timer-based compression of the RTP timestamp at the compressor: RFC 3095 4.5.4, RFC 4815 4.3 and 4.7.
//
// A flow begins timer-based compression once the decompressor has announced its clock resolution (CLOCK, 5.7.6.7) or a
// resolution is configured, and TIME_STRIDE has been measured or configured. Until the decompressor surely has
// TIME_STRIDE, and again when TIME_STRIDE is withdrawn, the bits of the timestamp are chosen so that they decode
// correctly with and without TIME_STRIDE. This applies to the packet that carries TIME_STRIDE, too: its timestamp is to
// be decoded without TIME_STRIDE (RFC 4815 8.11), but RFC 3095 5.7, where value(x) is the packet's, can be interpreted
// otherwise.
//
// A decompressor may or may not treat an unscaled timestamp (Tsc = 0) as relative to its clock, because 5.7 and 4.5.4
// allow both interpretations. So while TIME_STRIDE is not 0, an unscaled timestamp is sent with all of its 32 bits.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/v1/compressor/config.h"

namespace headroom::rohc {

struct Flow;
struct PacketFields;
struct Needs;

// "IR packets do not clear the whole context" (RFC 4815 6.3): if a CID gets another flow, the decompressor may continue
// with the TIME_STRIDE of the previous flow. So once a CID has carried TIME_STRIDE, every chain of this CID contains
// TIME_STRIDE, even if 0; RFC 4815 8.11 requires the same of the IR packets after a STATIC-NACK.

// The timer context of a flow, for the general path. All octets zero: not in use.
struct TimerContext {
  std::array<std::uint32_t, kMaxReferences> arrived_ms;  // a_j, parallel to FlowHistory::references
  std::uint32_t time_stride;                             // ms; 0: not in use, or being withdrawn
  std::uint32_t taken_back;                              // the TIME_STRIDE that is being withdrawn, in ms
  std::uint32_t ts_stride;                               // the TS_STRIDE to which time_stride belongs
  std::uint32_t jitter;                                  // J of 4.5.4 for the current packet
  // The start of the measurement of TIME_STRIDE; `measured_stride` is 0 before the measurement.
  std::uint32_t measured_stride;
  std::uint32_t measured_ts;
  std::uint32_t measured_ms;
  std::uint8_t known_arrivals;   // number of newest references whose arrival is in `arrived_ms`
  std::uint8_t since_told;       // number of newest references sent since TIME_STRIDE was first sent
  std::uint8_t reported_jitter;  // the largest Max_Jitter of JITTER options (5.7.6.8)
  bool ever_told;                // TIME_STRIDE was sent on this CID, for this or a previous flow
};

// Starts a new flow on a CID that may have had another flow.
void begin_timer(TimerContext& timer) noexcept;

// Begins or ends timer-based compression if due, and estimates the jitter. Called after observe(). REQUIRES: flow.timer
// is not nullptr, profile RTP.
void observe_clock(Flow flow, const PacketFields& f) noexcept;

// Adds the timestamp's needs due to the clock to `needs`. REQUIRES: as observe_clock().
void need_clock(Flow flow, const PacketFields& f, Needs& needs) noexcept;

// Records the arrival time of a packet that has been sent and whose reference has been added. REQUIRES: flow.timer is
// not nullptr.
void note_arrival(Flow flow, const PacketFields& f) noexcept;

// Marks the arrival times of the fast path's packets as unknown. Called before catch_up() of window.h.
void catch_up_arrivals(Flow flow) noexcept;

// Forgets all arrival times, because the epoch moved.
void forget_arrivals(TimerContext& timer) noexcept;

}  // namespace headroom::rohc
