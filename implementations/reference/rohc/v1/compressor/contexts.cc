// SPDX-License-Identifier: Apache-2.0
//
// Contexts taken, given a flow, and taken away from one.
#include "mutants.h"
#include "rohc/framework/habits.h"
#include "rohc/v1/compressor/compressor.h"
#include "rohc/v1/compressor/feedback.h"
#include "rohc/v1/compressor/refresh.h"

namespace headroom::rohc::v1 {
namespace {

using wire::Profile;

// A stream on probation that has been silent so long has ended. It is the fixed minimum interval of RTCP (RFC
// 3550 6.2).
constexpr std::uint32_t kProbationSilenceMs = 5'000;

// Packets of type 2 after the IR packets where a CID was one of R-mode and is no longer.
constexpr std::uint8_t kCautiousPackets = 16;

}  // namespace

std::uint32_t Compressor::start_flow(std::uint64_t hash, std::uint32_t channel, const HeaderChain& chain,
                                     Profile profile, std::uint32_t now, std::uint32_t ended, Undo* undo) noexcept {
  const std::uint32_t index = acquire_context(channel, profile, ended, undo);
  reset_context(index, profile, now);
  CompressorContext& c = contexts_[index];
  c.shape = chain.shape;
  c.tunnel = chain.outer_octets != 0;
  if (c.tunnel) tunnels_[index] = TunnelContext{};
  histories_[index].hash = hash;
  pool_.insert(hash, index);
  ++counters_.new_flows;
  return index;
}

// A context of `channel` for a new flow: that of the flow that has `ended`, if there is one, or the pool's choice.
// `undo`, where it is wanted, gets what take_back() needs.
std::uint32_t Compressor::acquire_context(std::uint32_t channel, Profile profile, std::uint32_t ended,
                                          Undo* undo) noexcept {
  if (undo != nullptr) keep_channel(channel, *undo);
  const std::uint32_t index = ended != kNoContext ? ended : pool_.choose(channel, profile);
  if (undo != nullptr) {
    keep_context(index, *undo);
    undo->new_flow = true;
    undo->before = pool_.owners().of(index);
  }
  if (pool_.take(index, *this)) ++counters_.replaced_flows;
  ++in_use_;
  return index;
}

void Compressor::worths_of(std::uint32_t first, Profile next, std::span<Worth> worths) const noexcept {
  for (std::size_t i = 0; i < worths.size(); ++i) {
    const CompressorContext& c = contexts_[first + i];
    // "A CID for a context currently operating in R-mode SHOULD … not be reused for … a different profile" (RFC 4815
    // 7.2.2): such a one only where there is no other.
    const bool reluctant = c.mode == wire::Mode::kReliable && c.profile != next;
    // The Uncompressed profile keeps its CID, unless there is no other.
    const unsigned level = c.profile == Profile::kUncompressed ? 2 : reluctant ? 1 : 0;
    worths[i] = worth(level, c.last_used_ms);
  }
}

void Compressor::drop(std::uint32_t index) noexcept {
  CompressorContext& c = contexts_[index];
  if (c.profile == Profile::kUncompressed) {
    channels_[channel_of(index)].uncompressed = kNoContext;
  } else {
    pool_.table().erase(histories_[index].hash, index);
    if (histories_[index].on_probation) end_probation(index);
  }
  c.state = CompressorState::kUnused;
  c.fast = false;
  c.fast_reliable = false;
  --in_use_;
}

// The hash of the addresses and ports of an RTP flow, which other SSRCs share.
std::uint64_t Compressor::ports_hash_of(std::uint32_t index) const noexcept {
  const CompressorContext& c = contexts_[index];
  return histories_[index].hash - look_.flow_hash().of_ssrc(ssrc_of(c.pattern.data(), layout_of(c.shape)));
}

void Compressor::begin_probation(std::uint32_t index) noexcept {
  histories_[index].on_probation = true;
  streams_.add(ports_hash_of(index), index);
}

void Compressor::end_probation(std::uint32_t index) noexcept {
  histories_[index].on_probation = false;
  streams_.remove(ports_hash_of(index));
}

// The context of a stream with these addresses and ports that ended before its probation did, or kNoContext.
std::uint32_t Compressor::silent_on_probation(std::uint64_t ports, std::uint32_t now) const noexcept {
  const std::uint32_t index = streams_.latest(ports);
  if (index == kNoContext || !histories_[index].on_probation || ports_hash_of(index) != ports) return kNoContext;
  return now - contexts_[index].last_used_ms < kProbationSilenceMs ? kNoContext : index;
}

// Prepares a context for a new flow. With the same profile as before "the current mode of operation SHOULD be
// inherited", with another one it starts in U-mode (RFC 4815 7.2).
void Compressor::reset_context(std::uint32_t index, Profile profile, std::uint32_t now) noexcept {
  CompressorContext& c = contexts_[index];
  const bool used = c.mode != wire::Mode::kCancel;
  const bool inherits = c.profile == profile ? !habit("mode-restarts") : mutant("mode-inherited-by-other-profile");
  const wire::Mode mode = used && inherits ? c.mode : wire::Mode::kUnidirectional;
  const bool other_formats = c.mode == wire::Mode::kReliable && mode != wire::Mode::kReliable;
  c = CompressorContext{};
  c.mode = mode;
  c.profile = profile;
  c.state = CompressorState::kIr;
  c.last_used_ms = now;
  const std::uint32_t cid = cid_by_habit(index % config_.channel.contexts_per_channel(), config_.channel.max_cid);
  c.cid_octets = wire::make_cid_octets(config_.channel.large_cids, cid);
  histories_[index] = FlowHistory{};
  histories_[index].stale_static = used;
  if (config_.timer_ts != TimerTs::kNever) begin_timer(timers_[index]);
  // Should the IR packets get lost, the decompressor would take types 0 and 1 for those of R-mode, which have no CRC
  // (RFC 4815 7.2.2): for a while there are none.
  if (other_formats) histories_[index].long_crc_left = kCautiousPackets;
  if (mode == wire::Mode::kReliable) {
    reliable_[index] = {};
    tell_mode_until_acked(flow_at(index));
  }
  start_refreshes(flow_at(index), now);
}

// Makes sure that the context has a place for lists.
void Compressor::begin_lists(std::uint32_t index) noexcept {
  CompressorContext& c = contexts_[index];
  if (c.lists != ListUse::kNone) return;
  lists_[index] = CompressorLists{};
  c.lists = ListUse::kActive;
  lists_begun_ += lists_begun_ != in_use_ ? 1 : 0;
}

}  // namespace headroom::rohc::v1
