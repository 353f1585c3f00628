// SPDX-License-Identifier: Apache-2.0
//
// The compressor of this family: compresses TCP flows of many channels. Another family carries packets that this family
// cannot compress.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "headroom.h"
#include "rohc/framework/compressor/context_pool.h"
#include "rohc/framework/compressor/flow_hash.h"
#include "rohc/tcp/compressor/context.h"

namespace headroom::rohc::tcp {

struct FlowsConfig {
  ChannelParameters channel;
  CompressorConfig context;
  std::uint64_t seed = 0;
  // The time in ms after which IR and IR-DYN packets are repeated until there is feedback; 0: only after a number of
  // packets.
  std::uint32_t ir_refresh_ms = 0, ir_dyn_refresh_ms = 0;
  // The time in ms for which other profiles carry a flow after a REJECT or CONTEXT_MEMORY.
  std::uint32_t reject_hold_ms = 10'000;
};

class Compressor final : public CompressorFamily {
 public:
  // Throws std::bad_alloc if there is no memory for the contexts.
  Compressor(const FlowsConfig& config, ContextPool& pool, FlowCounters& counters);

  void worths_of(std::uint32_t first, wire::Profile next, std::span<Worth> worths) const noexcept override;
  void drop(std::uint32_t index) noexcept override;
  [[nodiscard]] bool take_feedback(std::uint32_t index, const wire::FeedbackData& data,
                                   std::uint32_t now_ms) noexcept override;

  void prefetch(std::uint32_t index) const noexcept;

  // Compresses a packet that the fast path can handle. Returns false, without any change, for any other packet.
  // REQUIRES: the context belongs to the packet's channel and to this family.
  [[nodiscard]] bool compress_fast(std::uint32_t index, headroom_packet& packet, std::uint32_t now,
                                   headroom_detail* detail) noexcept;

  // Compresses any packet of a TCP flow. Returns false, without any change, if another family must carry the packet.
  // `guess`: the probable context of the packet, kNoContext or a context of the packet's channel.
  [[nodiscard]] bool compress(headroom_packet& packet, std::uint32_t now, std::uint32_t guess,
                              headroom_detail* detail) noexcept;

  // CONTEXT_REINITIALIZATION (RFC 3095 6.3.1): restarts all flows with IR packets.
  void reinitialize() noexcept;
  // Subtracts `ms` from all stored times, because the epoch moved.
  void move_epoch(std::uint32_t ms) noexcept;
  void disable_fast_path() noexcept { config_.context.fast_path = false; }

  [[nodiscard]] const PacketCounts& packets() const noexcept { return packets_; }
  [[nodiscard]] std::uint64_t fast() const noexcept { return fast_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return in_use_ * sizeof(Slot) + bases_.size() * sizeof(std::uint32_t);
  }

 private:
  // The flow that uses a CID of a channel.
  struct Flow {
    bool used = false;      // a flow of this family uses the CID
    bool had_flow = false;  // the CID had a flow, so `context` is initialised
    bool young = false;     // replication from `base` may still be possible
    std::uint32_t base = kNoContext;
    std::uint32_t last_used_ms = 0, ir_ms = 0, ir_dyn_ms = 0;
    std::uint32_t rejected_until_ms = 0;
    std::uint64_t hash = 0;
    std::uint64_t addresses_hash = 0;  // hash of the addresses alone, by which other flows find a base context
  };
  // The flow and context of a CID. All octets zero until the CID is used.
  struct Slot {
    Flow flow;
    CompressorContext context;
  };

  [[nodiscard]] std::uint64_t hash_of(const Layout& layout, const std::uint8_t* octets, std::uint32_t channel,
                                      bool with_ports) const noexcept;
  [[nodiscard]] bool is_flow(std::uint32_t index, std::uint32_t channel, const Layout& layout,
                             const std::uint8_t* octets) const noexcept;
  [[nodiscard]] bool is_due(const Slot& slot, std::uint32_t now) const noexcept;
  void refresh(Slot& slot, std::uint32_t now) const noexcept;
  [[nodiscard]] const CompressorContext* base_of(const Flow& flow) const noexcept;
  // Returns the entry of bases_ for the flow's addresses: the context of these hosts that is fit for replication.
  [[nodiscard]] std::uint32_t& place_of(const Flow& flow) noexcept {
    return bases_[static_cast<std::size_t>(flow.addresses_hash >> 32) & (bases_.size() - 1)];
  }
  [[nodiscard]] bool start_flow(headroom_packet& packet, const Layout& layout, std::uint64_t hash, std::uint32_t now,
                                headroom_detail* detail) noexcept;
  void finish(std::uint32_t index, const Compressed& result, headroom_packet& packet, std::uint32_t now,
              headroom_detail* detail) noexcept;
  template <typename Action>
  void for_each_used(Action&& action) noexcept;

  FlowsConfig config_;
  ContextPool& pool_;
  FlowCounters& counters_;
  FlowHash hash_;
  PageArray<Slot> slots_;
  CompressorContext fresh_;           // context of a flow that has no CID yet
  std::vector<std::uint32_t> bases_;  // by the hash of addresses: the context that was last fit for replication
  PacketCounts packets_{};
  std::uint64_t fast_ = 0;
  std::uint32_t in_use_ = 0;
};

}  // namespace headroom::rohc::tcp
