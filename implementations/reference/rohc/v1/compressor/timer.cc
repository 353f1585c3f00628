// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/timer.h"

#include <algorithm>
#include <cstdlib>

#include "mutants.h"
#include "rohc/v1/compressor/choose.h"
#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/compressor/window.h"

namespace headroom::rohc {
namespace {

// Shorter measurements than this would be mostly jitter.
constexpr std::int32_t kLeastStrides = 16;
constexpr std::uint32_t kLeastMs = 200;
// A minute and more between packets is no voice; this decompressor keeps 16 bits.
constexpr std::uint32_t kLongestTimeStride = 0xffff;
// "The constant 2 accounts for the quantization error introduced by the clocks" (4.5.4).
constexpr std::uint32_t kQuantization = 2;
// More jitter than this takes more bits than the timestamps of a few seconds of silence: the clock is of no use.
constexpr std::uint32_t kMostJitter = 2047;

constexpr std::uint32_t divided_up(std::uint32_t a, std::uint32_t b) noexcept { return (a + b - 1) / b; }

std::uint32_t stride_in_force(Flow flow) noexcept {
  const TimerContext& t = *flow.timer;
  return t.time_stride != 0 ? t.time_stride : flow.h.time_left != 0 ? t.taken_back : 0;
}

void tell(Flow flow, std::uint32_t time_stride, std::uint16_t sn) noexcept {
  TimerContext& t = *flow.timer;
  t.taken_back = t.time_stride;
  t.time_stride = time_stride;
  t.ts_stride = flow.c.ts_stride;
  t.measured_stride = 0;
  t.since_told = 0;
  t.ever_told = t.ever_told || time_stride != 0;
  flow.h.time_left = mutant("time-stride-told-once") ? 1 : flow.repeats();
  flow.h.changed_since_sn = sn;
}

// TIME_STRIDE as the time that so many strides took, or 0 while there are too few.
std::uint32_t measure(Flow flow, const PacketFields& f) noexcept {
  TimerContext& t = *flow.timer;
  const std::int32_t distance = static_cast<std::int32_t>(f.ts - t.measured_ts);
  const std::uint32_t elapsed = f.arrived_ms - t.measured_ms;
  if (t.measured_stride != flow.c.ts_stride || distance < 0) {
    t.measured_stride = flow.c.ts_stride;
    t.measured_ts = f.ts;
    t.measured_ms = f.arrived_ms;
    return 0;
  }
  const auto strides = static_cast<std::uint32_t>(distance) / flow.c.ts_stride;
  if (strides < kLeastStrides || elapsed < kLeastMs) return 0;
  const std::uint32_t time_stride = (elapsed + strides / 2) / strides;
  if (time_stride != 0 && time_stride <= kLongestTimeStride) return time_stride;
  t.measured_stride = 0;  // not a flow that keeps to the clock, so far
  return 0;
}

// Max_Jitter_BC, in units of TS_STRIDE: "the maximum observed jitter before the compressor … for the headers in the
// sliding window", of which the newest `references` count.
std::uint32_t jitter_before_compressor(Flow flow, const PacketFields& f, std::uint32_t time_stride,
                                       unsigned references) noexcept {
  const TimerContext& t = *flow.timer;
  std::int64_t largest = 0;
  for (unsigned age = 0; age < std::min<unsigned>(references, flow.h.reference_count); ++age) {
    if (age >= t.known_arrivals) return kMostJitter + 1;
    const std::int64_t strides =
        static_cast<std::int32_t>(f.ts - reference(flow.h, age).ts) / static_cast<std::int64_t>(flow.c.ts_stride);
    const std::int64_t by_clock = (f.arrived_ms - t.arrived_ms[slot_of(flow.h, age)]) / time_stride;
    largest = std::max(largest, std::abs(strides - by_clock));
  }
  if (mutant("timer-jitter-of-the-source-ignored")) return 0;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(largest, kMostJitter + 1));
}

// J = Max_Jitter_BC + Max_Jitter_CD + 2; to that what a coarse clock adds: "the difference, i.e., actual resolution -
// TIME_STRIDE, is treated as additional jitter". What the decompressor observed is both jitters together.
std::uint32_t jitter(Flow flow, const PacketFields& f, std::uint32_t time_stride, unsigned references) noexcept {
  const std::uint32_t link = divided_up(flow.config.timer_jitter_ms, time_stride);
  const std::uint32_t clock = flow.clock_ms > time_stride ? divided_up(flow.clock_ms - time_stride, time_stride) : 0;
  const std::uint32_t estimated = jitter_before_compressor(flow, f, time_stride, references) + link;
  return std::max<std::uint32_t>(estimated, flow.timer->reported_jitter) + clock + kQuantization;
}

// What the flow's way with the clock says of TIME_STRIDE: headers sent before it was sent say nothing.
bool keeps_to_clock(Flow flow, const PacketFields& f) noexcept {
  const TimerContext& t = *flow.timer;
  const unsigned references = flow.h.time_left != 0 ? t.since_told : kMaxReferences;
  return jitter(flow, f, t.time_stride, references) <= kMostJitter;
}

}  // namespace

void begin_timer(TimerContext& timer) noexcept {
  const bool ever_told = timer.ever_told && !mutant("time-stride-of-former-flow-forgotten");
  timer = TimerContext{};
  timer.ever_told = ever_told;
}

void observe_clock(Flow flow, const PacketFields& f) noexcept {
  TimerContext& t = *flow.timer;
  if (t.time_stride != 0) {
    const bool usable = flow.clock_ms != 0 && t.ts_stride == flow.c.ts_stride;
    if (!usable || !keeps_to_clock(flow, f)) tell(flow, 0, f.sn);
  } else if (flow.clock_ms != 0 && flow.c.ts_stride != 0 && flow.h.time_left == 0) {
    const std::uint32_t configured = flow.config.timer_stride_ms;
    const std::uint32_t time_stride = configured != 0 ? configured : measure(flow, f);
    if (time_stride != 0) tell(flow, time_stride, f.sn);
  }
  const std::uint32_t time_stride = stride_in_force(flow);
  t.jitter = time_stride != 0 && flow.c.ts_stride != 0 ? jitter(flow, f, time_stride, kMaxReferences) : 0;
}

void need_clock(Flow flow, const PacketFields&, Needs& needs) noexcept {
  const TimerContext& t = *flow.timer;
  needs.ts_timed = stride_in_force(flow) != 0;
  needs.ts_plain = t.time_stride == 0 || flow.h.time_left != 0;
  needs.ts_jitter.add(-std::int64_t{t.jitter}, true);
  needs.ts_jitter.add(t.jitter, false);
}

void note_arrival(Flow flow, const PacketFields& f) noexcept {
  TimerContext& t = *flow.timer;
  const auto one_more = [](std::uint8_t& count) {
    count = static_cast<std::uint8_t>(std::min<unsigned>(count + 1U, kMaxReferences));
  };
  t.arrived_ms[flow.h.newest] = f.arrived_ms;
  one_more(t.known_arrivals);
  one_more(t.since_told);
}

void catch_up_arrivals(Flow flow) noexcept {
  if (flow.timer != nullptr && flow.c.fast_run != 0) flow.timer->known_arrivals = 0;
}

void forget_arrivals(TimerContext& timer) noexcept {
  timer.known_arrivals = 0;
  timer.measured_stride = 0;
}

}  // namespace headroom::rohc
