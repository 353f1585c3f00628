// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/compressor/compressor.h"

#include <algorithm>

#include "mutants.h"
#include "rohc/v1/compressor/coverage.h"
#include "rohc/v1/compressor/feedback.h"
#include "rohc/v1/compressor/lists.h"
#include "rohc/v1/compressor/refresh.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/compressor/timer.h"
#include "rohc/v1/compressor/window.h"

namespace headroom::rohc::v1 {

Compressor::Compressor(const CompressorConfig& config, ContextPool& pool, CompressorCounters& counters)
    : config_(config),
      pool_(pool),
      counters_(counters),
      contexts_(config.channel.contexts()),
      histories_(config.channel.contexts()),
      tunnels_(config.channel.contexts()),
      reliable_(config.channel.contexts()),
      coverages_(config.channel.contexts()),
      timers_(config.timer_ts != TimerTs::kNever ? config.channel.contexts() : 1),
      look_(config),
      lists_(config.channel.contexts(), Pages::kSmall),
      streams_(config.channel.contexts()),
      channels_(config.channel.channels),
      channels_with_hash_(config.flow_lookup == FlowLookup::kHashed ? config.channel.channels : 0) {}

std::size_t Compressor::memory_bytes() const noexcept {
  return in_use_ * (sizeof(CompressorContext) + sizeof(FlowHistory)) + streams_.memory_bytes() +
         std::min(lists_begun_, in_use_) * sizeof(CompressorLists) + channels_.size() * sizeof(Channel);
}

void Compressor::fill_detail(headroom_detail& detail, const Outcome& outcome) const noexcept {
  detail = {};
  detail.packet_type = static_cast<std::uint8_t>(outcome.type);
  detail.plain_header = outcome.plain_header;
  detail.compressed_header = outcome.compressed_header;
  detail.state = static_cast<std::uint8_t>(outcome.state);
  if (outcome.context == kNoContext) {
    detail.cid = 0xffffffffU;
    detail.profile = 0xffff;
    detail.mode = 255;
    return;
  }
  const CompressorContext& c = contexts_[outcome.context];
  detail.cid = outcome.context % config_.channel.contexts_per_channel();
  detail.profile = static_cast<std::uint16_t>(c.profile);
  detail.mode = static_cast<std::uint8_t>(c.mode);
}

void Compressor::move_epoch(std::uint32_t ms) noexcept {
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
    for (std::uint32_t cid = 0; cid < pool_.fresh(channel); ++cid) {
      const Flow flow = flow_at(config_.channel.index_of(channel, cid));
      rebase_times(flow, ms);
      if (flow.timer != nullptr) forget_arrivals(*flow.timer);
    }
  }
}

void Compressor::reinitialize() noexcept {
  for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
    for (std::uint32_t cid = 0; cid < pool_.fresh(channel); ++cid) {
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

}  // namespace headroom::rohc::v1
