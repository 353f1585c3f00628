// SPDX-License-Identifier: Apache-2.0
//
// The ROHC compressor: packets of many channels in, compressed packets out (RFC 3095 5.3 and 5.4, RFC 5795 5).
//
// While one packet of a burst is compressed, later ones are hashed, and after that their contexts guessed, so that the
// memory has arrived when it is needed. A packet that is as predicted takes the fast path (fast_path.h), any other the
// general path (observe.h, choose.h, write.h).
//
// The class is in files of one subject each: burst.cc, link_packet.cc (what else goes over the link), general_path.cc,
// find_flow.cc, contexts.cc, undo.cc, feedback.cc; compressor.cc has what is about all contexts at once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "headroom.h"
#include "rohc/compressor/classify.h"
#include "rohc/compressor/config.h"
#include "rohc/compressor/context.h"
#include "rohc/compressor/flow.h"
#include "rohc/compressor/flow_table.h"
#include "rohc/compressor/piggyback.h"
#include "rohc/compressor/reliable.h"
#include "rohc/compressor/segment.h"
#include "rohc/compressor/stream_counts.h"
#include "rohc/compressor/undo.h"
#include "rohc/page_array.h"
#include "rohc/wire/feedback.h"

namespace headroom::rohc {

// Contexts keep times as milliseconds in 32 bits, which last seven weeks. Half-way through, the beginning of time is
// moved.
inline constexpr std::uint32_t kEpochMs = std::uint32_t{1} << 31;
inline constexpr std::uint64_t kEpochNs = kEpochMs * std::uint64_t{1'000'000};

struct CompressorCounters {
  std::array<std::uint64_t, wire::kPacketTypeNames.size()> packets{};
  std::array<std::uint64_t, wire::kCceNames.size()> cce{};  // of the packets of types 0 to 2; kNone is not counted
  std::uint64_t fast = 0;                                   // of the UO-0 and R-0 packets
  std::uint64_t new_flows = 0;
  std::uint64_t replaced_flows = 0;
  std::uint64_t uncompressed = 0;
  std::uint64_t acks = 0;
  std::uint64_t nacks = 0;
  std::uint64_t static_nacks = 0;
  std::uint64_t rejects = 0;
  std::uint64_t ignored_feedback = 0;
  std::uint64_t oversize = 0;   // longer than any allowed packet size
  std::uint64_t segmented = 0;  // sent as segments
};

class Compressor {
 public:
  // Throws std::bad_alloc when there is no memory for the contexts.
  explicit Compressor(const CompressorConfig& config);

  // See `compress` and `drain` in headroom.h.
  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) noexcept;
  std::size_t drain(headroom_packet* packets, std::size_t count) noexcept;

  // Feedback elements that have arrived for `channel`. What cannot be understood is counted and ignored.
  void give_feedback(std::uint32_t channel, Octets elements, std::uint64_t now_ns) noexcept;

  // Feedback to go in front of the next packet of `channel`. False when there is no room to keep it.
  [[nodiscard]] bool piggyback(std::uint32_t channel, Octets elements) noexcept;

  // CONTEXT_REINITIALIZATION (RFC 3095 6.3.1): all contexts back to the IR state; the modes stay (RFC 4815 7.2.1).
  void reinitialize() noexcept;

  [[nodiscard]] const CompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::uint32_t contexts_in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept;

  // For tests: the same result without ever taking the fast path.
  void disable_fast_path() noexcept { fast_path_ = false; }

 private:
  // The decompressor's clock, from CLOCK options.
  struct Clock {
    bool told = false;
    std::uint8_t resolution_ms = 0;  // 0: no timer-based compression
  };

  struct Channel {
    std::uint32_t fresh = 0;              // CIDs below have been used
    std::uint32_t returned = kNoContext;  // the last context given back; FlowHistory::hash leads to the one before it
    std::uint32_t hand = 0;               // where the search for the flow to replace goes on
    std::uint32_t uncompressed = kNoContext;
    std::uint32_t full_until_ms = 0;  // after REJECT: no further flows until then (5.7.6.4)
    Clock clock;
  };

  // The headers of a packet. With lists, flows are known by the core.
  struct Headers {
    Octets packet;
    HeaderChain& chain;
    ListedHeaders* listed;      // nullptr without lists
    bool same_pattern = false;  // see PacketFields

    [[nodiscard]] Octets core() const noexcept { return listed != nullptr ? Octets(listed->core) : packet; }
    [[nodiscard]] std::size_t size() const noexcept { return listed != nullptr ? listed->octets : chain.octets; }
  };

  // The context of a packet's flow, or kNoContext. A new flow takes the context `ended`, unless that is kNoContext.
  struct FoundFlow {
    std::uint32_t index = kNoContext;
    std::uint32_t ended = kNoContext;
  };

  // The flow of a packet and its context.
  struct KnownFlow {
    std::uint32_t index;
    bool is_new;
    std::uint64_t hash;  // of a new one
  };

  // What became of a packet on the general path.
  struct Outcome {
    std::int32_t status = HEADROOM_OK;
    std::uint32_t context = kNoContext;
    wire::PacketType type = wire::PacketType::kUnknown;
    CompressorState state = CompressorState::kIr;
    std::uint16_t plain_header = 0;
    std::uint16_t compressed_header = 0;
  };

  [[nodiscard]] Flow flow_at(std::uint32_t index) noexcept;
  [[nodiscard]] std::uint32_t now_ms(std::uint64_t now_ns) noexcept;
  void move_epoch(std::uint64_t epochs) noexcept;

  void compress_burst(headroom_packet* packets, std::size_t count, std::uint32_t now,
                      headroom_detail* details) noexcept;
  void prefetch_history(std::uint32_t index) const noexcept;
  void compress_slowly(headroom_packet& packet, std::uint32_t now, headroom_detail* detail) noexcept;
  [[nodiscard]] Outcome compress_generally(headroom_packet& packet, std::uint32_t now,
                                           std::uint32_t guess = kNoContext) noexcept;
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
  void fit_to_link(headroom_packet& packet, std::uint32_t feedback) noexcept;
  void segment(headroom_packet& packet, std::uint32_t feedback) noexcept;
  void pad(headroom_packet& packet) noexcept;

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
  void insert_flow(std::uint32_t index) noexcept;
  void forget_flow(std::uint32_t index) noexcept;
  void give_back(std::uint32_t index) noexcept;
  void put_on_returned(std::uint32_t index) noexcept;

  void take_feedback(std::uint32_t channel, const wire::Feedback& feedback, std::uint32_t now) noexcept;
  void fill_detail(headroom_detail& detail, const Outcome& outcome) const noexcept;

  CompressorConfig config_;
  PageArray<CompressorContext> contexts_;
  PageArray<FlowHistory> histories_;
  PageArray<TunnelContext> tunnels_;
  PageArray<ReliableWindow> reliable_;
  PageArray<CoverageHistory> coverages_;
  PageArray<TimerContext> timers_;  // none where timer-based compression is out of the question
  QuickLook look_;
  PageArray<CompressorLists> lists_;
  FlowTable table_;
  StreamCounts streams_;
  std::vector<Channel> channels_;
  Undo undo_;                          // of the flow of the packet at hand, where it may not fit
  Undo uncompressed_undo_;             // of the Uncompressed profile's context, should the packet go that way
  std::uint32_t largest_link_packet_;  // octets; 0: any
  PiggybackQueue piggyback_;
  Segmenter segments_;  // of the packet compressed last
  CompressorCounters counters_;
  std::uint64_t epoch_ns_ = 0;
  std::uint32_t in_use_ = 0;
  std::uint32_t lists_begun_ = 0;  // places for lists in use, at most
  bool started_ = false;
  bool fast_path_ = true;
};

// In the header, because each burst asks for it.
inline std::uint32_t Compressor::now_ms(std::uint64_t now_ns) noexcept {
  if (!started_) {
    started_ = true;
    epoch_ns_ = now_ns;
  }
  if (now_ns - epoch_ns_ >= kEpochNs) move_epoch((now_ns - epoch_ns_) / kEpochNs);
  return milliseconds(now_ns - epoch_ns_);
}

// Fetches what the general path needs beyond the context.
inline void Compressor::prefetch_history(std::uint32_t index) const noexcept {
  const auto* const history = reinterpret_cast<const std::uint8_t*>(&histories_[index]);
  __builtin_prefetch(history, 1);
  __builtin_prefetch(history + 64, 1);
}

// In the header, because each packet of the general path asks for it.
inline Flow Compressor::flow_at(std::uint32_t index) noexcept {
  CompressorContext& c = contexts_[index];
  CoverageHistory* const coverage = layout_of(c.shape).has_coverage() ? &coverages_[index] : nullptr;
  Flow flow{c, histories_[index], c.tunnel ? &tunnels_[index] : nullptr, config_, &reliable_[index], coverage};
  if (c.lists != ListUse::kNone) flow.lists = &lists_[index];
  if (config_.timer_ts != TimerTs::kNever) {
    const Clock clock = channels_[index / config_.channel.contexts_per_channel()].clock;
    const bool assumed = config_.timer_ts == TimerTs::kAlways && !clock.told;
    flow.timer = &timers_[index];
    flow.clock_ms = assumed ? 1 : clock.resolution_ms;
  }
  return flow;
}

}  // namespace headroom::rohc
