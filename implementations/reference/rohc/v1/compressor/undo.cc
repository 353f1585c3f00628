// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/undo.h"

#include "rohc/v1/compressor/compressor.h"

namespace headroom::rohc::v1 {

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
  undo.channel = channel;
  undo.mark = pool_.mark(channel);
  undo.uncompressed = channels_[channel].uncompressed;
  undo.new_flows = counters_.new_flows;
  undo.replaced_flows = counters_.replaced_flows;
}

void Compressor::take_back(const Undo& undo) noexcept {
  const std::uint32_t index = undo.index;
  if (undo.new_flow) pool_.take_back(index, undo.mark, undo.before);
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
  channels_[undo.channel].uncompressed = undo.uncompressed;
  counters_.new_flows = undo.new_flows;
  counters_.replaced_flows = undo.replaced_flows;
  if (c.state == CompressorState::kUnused) return;
  ++in_use_;
  if (c.profile != wire::Profile::kUncompressed) pool_.insert(undo.h.hash, index);
}

}  // namespace headroom::rohc::v1
