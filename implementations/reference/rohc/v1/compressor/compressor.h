// SPDX-License-Identifier: Apache-2.0
//
// The compressor of this family: compresses packets of many channels (RFC 3095 5.3 and 5.4).
//
// A packet that equals the prediction takes the fast path (fast_packets.h), any other packet the general path
// (observe.h, choose.h, write.h). The general path handles every packet: the Uncompressed profile carries packets that
// no other profile compresses.
//
// The class is implemented in one file per subject: general_path.cc, find_flow.cc, contexts.cc, undo.cc, feedback.cc.
// compressor.cc has the functions for all contexts at once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "headroom.h"
#include "rohc/framework/compressor/context_pool.h"
#include "rohc/framework/compressor/family.h"
#include "rohc/framework/compressor/link_packets.h"
#include "rohc/framework/page_array.h"
#include "rohc/v1/compressor/classify.h"
#include "rohc/v1/compressor/config.h"
#include "rohc/v1/compressor/context.h"
#include "rohc/v1/compressor/flow.h"
#include "rohc/v1/compressor/reliable.h"
#include "rohc/v1/compressor/stream_counts.h"
#include "rohc/v1/compressor/undo.h"
#include "rohc/v1/wire/feedback.h"

namespace headroom::rohc {

struct CompressorCounters : FlowCounters, LinkCounters {
  std::array<std::uint64_t, wire::kPacketTypeNames.size()> packets{};
  std::array<std::uint64_t, wire::kCceNames.size()> cce{};  // packets of types 0 to 2 by CCE; kNone is not counted
  std::uint64_t fast = 0;                                   // UO-0 and R-0 packets of the fast path
  std::uint64_t uncompressed = 0;
};

namespace v1 {

class Compressor final : public CompressorFamily {
 public:
  // Throws std::bad_alloc if there is no memory for the contexts.
  Compressor(const CompressorConfig& config, ContextPool& pool, CompressorCounters& counters);

  void worths_of(std::uint32_t first, wire::Profile next, std::span<Worth> worths) const noexcept override;
  void drop(std::uint32_t index) noexcept override;
  [[nodiscard]] bool take_feedback(std::uint32_t index, const wire::FeedbackData& data,
                                   std::uint32_t now_ms) noexcept override;

  // Returns the probable hash of a packet's flow, or kNoHash. The hash is a guess for prefetching the flow's context.
  [[nodiscard]] std::uint64_t hash_of(const headroom_packet& packet) const noexcept {
    // A channel that does not exist has no contexts; its packets must not be mistaken for those of another channel.
    return packet.channel < channels_with_hash_ ? look_.hash(packet.in, packet.in_length, packet.channel) : kNoHash;
  }
  void prefetch(std::uint32_t index) const noexcept {
    __builtin_prefetch(&contexts_[index], 1);
    __builtin_prefetch(contexts_[index].pattern.data());
  }

  // The number of packets of a burst that took the fast path, by type.
  struct Fast {
    std::uint64_t uo_0 = 0;
    std::uint64_t r_0 = 0;
  };
  // Compresses a packet that equals the context's prediction and returns true. Returns false for any other packet,
  // without any change. details[i] is the packet's detail unless `details` is nullptr. REQUIRES: the context belongs to
  // the packet's channel.
  [[nodiscard]] bool compress_fast(std::uint32_t index, headroom_packet& packet, std::uint32_t now,
                                   headroom_detail* details, std::size_t i, Fast& fast) noexcept;
  void count(const Fast& fast) noexcept;

  // Compresses any packet. `guess`: the probable context of the packet, kNoContext or a context of the packet's
  // channel.
  void compress(headroom_packet& packet, std::uint32_t now, std::uint32_t guess, headroom_detail* detail) noexcept;

  // CONTEXT_REINITIALIZATION (RFC 3095 6.3.1): puts all contexts back into the IR state; the modes stay (RFC 4815
  // 7.2.1).
  void reinitialize() noexcept;

  // Subtracts `ms` from all stored times, because the epoch moved.
  void move_epoch(std::uint32_t ms) noexcept;

  [[nodiscard]] std::uint32_t contexts_in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

 private:
  // The decompressor's clock, from CLOCK options.
  struct Clock {
    bool told = false;
    std::uint8_t resolution_ms = 0;  // 0: no timer-based compression
  };

  struct Channel {
    std::uint32_t uncompressed = kNoContext;
    Clock clock;
  };

  // The headers of a packet. Flows of packets with lists are identified by the core.
  struct Headers {
    Octets packet;
    HeaderChain& chain;
    ListedHeaders* listed;      // nullptr without lists
    bool same_pattern = false;  // see PacketFields

    [[nodiscard]] Octets core() const noexcept { return listed != nullptr ? Octets(listed->core) : packet; }
    [[nodiscard]] std::size_t size() const noexcept { return listed != nullptr ? listed->octets : chain.octets; }
  };

  // The result of find_flow(): the context of the packet's flow, or kNoContext for a new flow. A new flow takes the
  // context `ended` unless that is kNoContext.
  struct FoundFlow {
    std::uint32_t index = kNoContext;
    std::uint32_t ended = kNoContext;
  };

  // The flow of a packet and its context.
  struct KnownFlow {
    std::uint32_t index;
    bool is_new;
    std::uint64_t hash;  // the hash of a new flow
  };

  // The outcome of a packet on the general path.
  struct Outcome {
    std::int32_t status = HEADROOM_OK;
    std::uint32_t context = kNoContext;
    wire::PacketType type = wire::PacketType::kUnknown;
    CompressorState state = CompressorState::kIr;
    std::uint16_t plain_header = 0;
    std::uint16_t compressed_header = 0;
  };

  [[nodiscard]] Flow flow_at(std::uint32_t index) noexcept;
  void prefetch_history(std::uint32_t index) const noexcept;
  [[nodiscard]] Outcome compress_generally(headroom_packet& packet, std::uint32_t now, std::uint32_t guess) noexcept;
  [[nodiscard]] static PacketFields fields_of(const Headers& headers, std::uint32_t now) noexcept;
  [[nodiscard]] bool compress_flow(Flow flow, const PacketFields& f, headroom_packet& packet,
                                   Outcome& outcome) noexcept;
  [[nodiscard]] Outcome send_uncompressed(headroom_packet& packet, std::uint32_t now) noexcept;
  [[nodiscard]] Outcome compress_as(const KnownFlow& known, const Headers& headers, headroom_packet& packet,
                                    std::uint32_t now, const Undo* undo) noexcept;
  void compress_in_context(const KnownFlow& known, const Headers& headers, headroom_packet& packet, std::uint32_t now,
                           Outcome& outcome) noexcept;
  void keep_context(std::uint32_t index, Undo& undo) const noexcept;
  void keep_channel(std::uint32_t channel, Undo& undo) const noexcept;
  void take_back(const Undo& undo) noexcept;

  [[nodiscard]] std::uint64_t hash_of(const Headers& headers, std::uint32_t channel) const noexcept;
  [[nodiscard]] bool same_flow(std::uint32_t index, std::uint32_t channel, const Headers& headers) const noexcept;
  [[nodiscard]] FoundFlow find_flow(std::uint64_t& hash, std::uint32_t channel, Headers& headers,
                                    wire::Profile& profile, std::uint32_t now) const;
  template <typename Predicate>
  [[nodiscard]] std::uint32_t find_linearly(std::uint32_t channel, Predicate&& matches) const;
  void begin_lists(std::uint32_t index) noexcept;
  [[nodiscard]] std::uint32_t start_flow(std::uint64_t hash, std::uint32_t channel, const HeaderChain& chain,
                                         wire::Profile profile, std::uint32_t now, std::uint32_t ended,
                                         Undo* undo) noexcept;
  [[nodiscard]] std::uint32_t acquire_context(std::uint32_t channel, wire::Profile profile, std::uint32_t ended,
                                              Undo* undo) noexcept;
  void reset_context(std::uint32_t index, wire::Profile profile, std::uint32_t now) noexcept;
  [[nodiscard]] std::uint64_t ports_hash_of(std::uint32_t index) const noexcept;
  void begin_probation(std::uint32_t index) noexcept;
  void end_probation(std::uint32_t index) noexcept;
  [[nodiscard]] std::uint32_t silent_on_probation(std::uint64_t ports, std::uint32_t now) const noexcept;
  [[nodiscard]] std::uint32_t channel_of(std::uint32_t index) const noexcept {
    return index / config_.channel.contexts_per_channel();
  }
  void fill_detail(headroom_detail& detail, const Outcome& outcome) const noexcept;

  CompressorConfig config_;
  ContextPool& pool_;
  CompressorCounters& counters_;
  PageArray<CompressorContext> contexts_;
  PageArray<FlowHistory> histories_;
  PageArray<TunnelContext> tunnels_;
  PageArray<ReliableWindow> reliable_;
  PageArray<CoverageHistory> coverages_;
  PageArray<TimerContext> timers_;  // empty if timer-based compression is off
  QuickLook look_;
  PageArray<CompressorLists> lists_;
  StreamCounts streams_;
  std::vector<Channel> channels_;
  Undo undo_;                         // saved state of the current packet's flow, if the output may not fit
  Undo uncompressed_undo_;            // saved state of the Uncompressed profile's context
  std::uint32_t channels_with_hash_;  // 0 with linear lookup, which uses no hashes
  std::uint32_t in_use_ = 0;          // contexts of this family
  std::uint32_t lists_begun_ = 0;     // upper bound of the places for lists in use
};

// Prefetches the flow's history, which the general path needs in addition to the context.
inline void Compressor::prefetch_history(std::uint32_t index) const noexcept {
  const auto* const history = reinterpret_cast<const std::uint8_t*>(&histories_[index]);
  __builtin_prefetch(history, 1);
  __builtin_prefetch(history + 64, 1);
}

// Defined in the header so that the compiler can inline the call for each packet of the general path.
inline Flow Compressor::flow_at(std::uint32_t index) noexcept {
  CompressorContext& c = contexts_[index];
  CoverageHistory* const coverage = layout_of(c.shape).has_coverage() ? &coverages_[index] : nullptr;
  Flow flow{c, histories_[index], c.tunnel ? &tunnels_[index] : nullptr, config_, &reliable_[index], coverage};
  if (c.lists != ListUse::kNone) flow.lists = &lists_[index];
  if (config_.timer_ts != TimerTs::kNever) {
    const Clock clock = channels_[channel_of(index)].clock;
    const bool assumed = config_.timer_ts == TimerTs::kAlways && !clock.told;
    flow.timer = &timers_[index];
    flow.clock_ms = assumed ? 1 : clock.resolution_ms;
  }
  return flow;
}

}  // namespace v1
}  // namespace headroom::rohc
