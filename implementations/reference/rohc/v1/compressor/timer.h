// SPDX-License-Identifier: Apache-2.0
//
// Timer-based compression of the RTP timestamp at the compressor: RFC 3095 4.5.4, RFC 4815 4.3 and 4.7.
//
// A flow begins with it when the decompressor has announced its clock resolution (CLOCK, 5.7.6.7) or one is configured,
// and TIME_STRIDE has been measured or configured. Until the decompressor must have TIME_STRIDE, and again when it
// is taken back, bits of the timestamp are chosen so that they are right with it and without. That holds for the very
// packet that tells it, too: its timestamp is to be decoded without (RFC 4815 8.11), but RFC 3095 5.7, where value(x)
// is that of the packet, can be read otherwise.
//
// A decompressor may take an unscaled timestamp (Tsc = 0) for relative to its clock or not, for 5.7 and 4.5.4 can be
// read either way: while TIME_STRIDE is not 0, it is sent with all of its 32 bits.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/v1/compressor/config.h"

namespace headroom::rohc {

struct Flow;
struct PacketFields;
struct Needs;

// "IR packets do not clear the whole context" (RFC 4815 6.3): where a CID gets another flow, the decompressor may go on
// with the TIME_STRIDE of the one before. Once a CID has carried one, every chain on it therefore has TIME_STRIDE, even
// if 0; RFC 4815 8.11 asks for as much of the IR packets after a STATIC-NACK.

// TimerContext belongs to one flow on the general path. All octets zero: not in use.
struct TimerContext {
  std::array<std::uint32_t, kMaxReferences> arrived_ms;  // a_j, parallel to FlowHistory::references
  std::uint32_t time_stride;                             // ms; 0: not in use, or being taken back
  std::uint32_t taken_back;                              // the one that is being taken back
  std::uint32_t ts_stride;                               // that time_stride belongs to
  std::uint32_t jitter;                                  // J of 4.5.4 for the packet at hand
  // Where the measurement of TIME_STRIDE began; `measured_stride` is 0 before.
  std::uint32_t measured_stride;
  std::uint32_t measured_ts;
  std::uint32_t measured_ms;
  std::uint8_t known_arrivals;   // references, newest first, whose arrival is in `arrived_ms`
  std::uint8_t since_told;       // references, newest first, that were sent since TIME_STRIDE was first sent
  std::uint8_t reported_jitter;  // the largest Max_Jitter of JITTER options (5.7.6.8)
  bool ever_told;                // this CID, for this flow or one before it
};

// A new flow on a CID that may have had another one.
void begin_timer(TimerContext& timer) noexcept;

// Begins or ends timer-based compression where it is time to, and estimates the jitter. To be called after observe().
// REQUIRES: flow.timer is not nullptr, profile RTP.
void observe_clock(Flow flow, const PacketFields& f) noexcept;

// What the timestamp needs because of the clock. The same REQUIRES.
void need_clock(Flow flow, const PacketFields& f, Needs& needs) noexcept;

// After a packet has been sent and its reference added. REQUIRES: flow.timer is not nullptr.
void note_arrival(Flow flow, const PacketFields& f) noexcept;

// Before catch_up() of window.h: when the packets of the fast path arrived is not known.
void catch_up_arrivals(Flow flow) noexcept;

// The beginning of time has been moved: nothing is known of arrivals before.
void forget_arrivals(TimerContext& timer) noexcept;

}  // namespace headroom::rohc
