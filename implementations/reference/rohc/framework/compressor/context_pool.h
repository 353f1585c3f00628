// SPDX-License-Identifier: Apache-2.0
//
// The contexts of a compressor's channels, for all families of profiles: the pool knows the free contexts, the family
// that owns each used context, and the table that finds contexts by the hash of a flow.
#pragma once

#include <cstdint>
#include <vector>

#include "rohc/framework/channel.h"
#include "rohc/framework/compressor/family.h"
#include "rohc/framework/compressor/flow_table.h"
#include "rohc/framework/owners.h"
#include "rohc/framework/page_array.h"

namespace headroom::rohc {

class ContextPool {
 public:
  explicit ContextPool(const ChannelParameters& channel);

  [[nodiscard]] const Owners<CompressorFamily>& owners() const noexcept { return owners_; }
  // Adds a family, as Owners::add() does.
  void add(CompressorFamily& family) noexcept { owners_.add(family); }
  [[nodiscard]] const FlowTable& table() const noexcept { return table_; }
  [[nodiscard]] FlowTable& table() noexcept { return table_; }

  // Returns the lowest CID of the channel that was never used.
  [[nodiscard]] std::uint32_t fresh(std::uint32_t channel) const noexcept { return channels_[channel].fresh; }

  // Chooses a context of `channel` for a new flow with `profile`: a context given back, else a CID never used, else the
  // context of the least valuable flow among a few (CompressorFamily::worths_of). The owner keeps the context until
  // take().
  [[nodiscard]] std::uint32_t choose(std::uint32_t channel, wire::Profile profile) noexcept;

  // Gives a context to a flow of `family`; a flow that had the context loses it. Returns true if there was such a flow.
  // REQUIRES: the context is the last result of choose() for its channel, or is used by a flow.
  bool take(std::uint32_t index, const CompressorFamily& family) noexcept;

  // Inserts a context into the flow table. If the neighbouring buckets are full, another flow loses its context.
  void insert(std::uint64_t hash, std::uint32_t index) noexcept;

  // Frees a context: its flow loses the context, and the next flow of the channel can get the CID.
  void give_back(std::uint32_t index) noexcept;

  // The state of a channel that choose() and take() change; take_back() restores it.
  struct Mark {
    std::uint32_t fresh;
    std::uint32_t returned;
    std::uint32_t hand;
  };
  [[nodiscard]] Mark mark(std::uint32_t channel) const noexcept;
  // Undoes choose() and take(): returns the context to its place before them. `before`: the family that owned the
  // context. Contexts that another family dropped and flows that insert() displaced are not restored.
  void take_back(std::uint32_t index, const Mark& mark, const CompressorFamily* before) noexcept;

  // Refuses new flows on the channel until `until_ms`, after a REJECT (RFC 3095 5.7.6.4).
  void refuse_flows(std::uint32_t channel, std::uint32_t until_ms) noexcept {
    channels_[channel].full_until_ms = until_ms;
  }
  [[nodiscard]] bool takes_flows(std::uint32_t channel, std::uint32_t now_ms) const noexcept {
    return now_ms >= channels_[channel].full_until_ms;
  }
  // Subtracts `ms` from all stored times, because the epoch moved.
  void move_epoch(std::uint32_t ms) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return table_.memory_bytes() + channels_.size() * sizeof(Channel);
  }

 private:
  struct Channel {
    std::uint32_t fresh = 0;              // the lowest CID never used
    std::uint32_t returned = kNoContext;  // the last context given back; head of the list in behind_
    std::uint32_t hand = 0;               // the CID at which the search for a flow to replace continues
    std::uint32_t full_until_ms = 0;
  };

  [[nodiscard]] Channel& channel_of(std::uint32_t index) noexcept {
    return channels_[index / parameters_.contexts_per_channel()];
  }
  void put_on_returned(std::uint32_t index) noexcept;

  ChannelParameters parameters_;
  Owners<CompressorFamily> owners_;
  FlowTable table_;
  std::vector<Channel> channels_;
  PageArray<std::uint32_t> behind_;  // for a context given back: the context given back before it
};

}  // namespace headroom::rohc
