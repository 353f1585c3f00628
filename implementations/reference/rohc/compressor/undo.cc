// SPDX-License-Identifier: Apache-2.0
#include "rohc/compressor/undo.h"

#include "rohc/compressor/compressor.h"

namespace headroom::rohc {

void Compressor::keep_context(std::uint32_t index, Undo& undo) const noexcept {
  const CompressorContext& c = contexts_[index];
  undo.index = index;
  undo.new_flow = false;
  undo.c = c;
  undo.h = histories_[index];
  if (c.tunnel) undo.tunnel = tunnels_[index];
  if (c.mode == wire::Mode::kReliable) undo.reliable = reliable_[index];
  if (layout_of(c.shape).has_coverage()) undo.coverage = coverages_[index];
  if (config_.timer_ts != TimerTs::kNever) undo.timer = timers_[index];
  if (c.lists != ListUse::kNone) undo.lists = lists_[index];
}

void Compressor::keep_channel(std::uint32_t channel, Undo& undo) const noexcept {
  const Channel& ch = channels_[channel];
  undo.channel = channel;
  undo.fresh = ch.fresh;
  undo.hand = ch.hand;
  undo.returned = ch.returned;
  undo.uncompressed = ch.uncompressed;
  undo.new_flows = counters_.new_flows;
  undo.replaced_flows = counters_.replaced_flows;
}

void Compressor::take_back(const Undo& undo) noexcept {
  const std::uint32_t index = undo.index;
  if (undo.new_flow) forget_flow(index);
  const bool was_on_probation = histories_[index].on_probation;
  const CompressorContext& c = undo.c;
  contexts_[index] = c;
  histories_[index] = undo.h;
  if (c.tunnel) tunnels_[index] = undo.tunnel;
  if (c.mode == wire::Mode::kReliable) reliable_[index] = undo.reliable;
  if (layout_of(c.shape).has_coverage()) coverages_[index] = undo.coverage;
  if (config_.timer_ts != TimerTs::kNever) timers_[index] = undo.timer;
  if (c.lists != ListUse::kNone) lists_[index] = undo.lists;
  if (undo.h.on_probation && !was_on_probation) begin_probation(index);
  if (!undo.new_flow) return;
  Channel& ch = channels_[undo.channel];
  // A context goes back to where it came from. A flow that the new one displaced from the flow table stays displaced.
  if (index == undo.returned) {
    put_on_returned(index);
  } else if (ch.fresh != undo.fresh) {
    ch.fresh = undo.fresh;
    --in_use_;
  }
  ch.hand = undo.hand;
  ch.uncompressed = undo.uncompressed;
  counters_.new_flows = undo.new_flows;
  counters_.replaced_flows = undo.replaced_flows;
  if (c.state == CompressorState::kUnused || c.profile == wire::Profile::kUncompressed) return;
  insert_flow(index);
}

}  // namespace headroom::rohc
