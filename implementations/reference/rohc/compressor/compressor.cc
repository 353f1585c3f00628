// SPDX-License-Identifier: Apache-2.0
#include "rohc/compressor/compressor.h"

#include <algorithm>

#include "mutants.h"
#include "rohc/compressor/coverage.h"
#include "rohc/compressor/feedback.h"
#include "rohc/compressor/lists.h"
#include "rohc/compressor/refresh.h"
#include "rohc/compressor/reliable.h"
#include "rohc/compressor/segment.h"
#include "rohc/compressor/timer.h"
#include "rohc/compressor/window.h"

namespace headroom::rohc {

Compressor::Compressor(const CompressorConfig& config)
    : config_(config),
      contexts_(config.channel.contexts()),
      histories_(config.channel.contexts()),
      tunnels_(config.channel.contexts()),
      reliable_(config.channel.contexts()),
      coverages_(config.channel.contexts()),
      timers_(config.timer_ts != TimerTs::kNever ? config.channel.contexts() : 1),
      look_(config),
      lists_(config.channel.contexts(), Pages::kSmall),
      table_(config.channel.contexts()),
      streams_(config.channel.contexts()),
      channels_(config.channel.channels),
      largest_link_packet_(largest_link_packet(config)),
      segments_(largest_link_packet_ != 0 ? config.channel.mrru : 0) {}

std::size_t Compressor::memory_bytes() const noexcept {
  return in_use_ * (sizeof(CompressorContext) + sizeof(FlowHistory)) + table_.memory_bytes() + streams_.memory_bytes() +
         std::min(lists_begun_, in_use_) * sizeof(CompressorLists) + channels_.size() * sizeof(Channel);
}

void Compressor::move_epoch(std::uint64_t epochs) noexcept {
  epoch_ns_ += epochs * kEpochNs;
  const auto ms = static_cast<std::uint32_t>(std::min<std::uint64_t>(epochs * kEpochMs, 0xffffffff));
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
    Channel& c = channels_[channel];
    c.full_until_ms -= std::min(c.full_until_ms, ms);
    for (std::uint32_t cid = 0; cid < c.fresh; ++cid) {
      const Flow flow = flow_at(config_.channel.index_of(channel, cid));
      rebase_times(flow, ms);
      if (flow.timer != nullptr) forget_arrivals(*flow.timer);
    }
  }
}

void Compressor::reinitialize() noexcept {
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
    for (std::uint32_t cid = 0; cid < channels_[channel].fresh; ++cid) {
      const Flow flow = flow_at(config_.channel.index_of(channel, cid));
      if (flow.c.state == CompressorState::kUnused) continue;
      catch_up_coverage(flow);
      catch_up_reliably(flow);
      catch_up_arrivals(flow);
      catch_up(flow.c, flow.h, flow.repeats());
      flow.h.ir_left = mutant("reinitialisation-ignored") ? 0 : static_cast<std::uint8_t>(config_.repeats);
      doubt_lists(flow);
      flow.h.changed_since_sn = next_ackable_sn(flow);
      flow.c.fast = false;
      flow.c.fast_reliable = false;
      if (flow.in_reliable_mode()) tell_mode_until_acked(flow);
    }
  }
}

}  // namespace headroom::rohc
