// SPDX-License-Identifier: Apache-2.0
//
// The contexts of a compressor's channels, whatever families their profiles are of: which are free, which family's flow
// has each of the others, and the table that finds them by the hash of a flow.
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
  // As Owners::add().
  void add(CompressorFamily& family) noexcept { owners_.add(family); }
  [[nodiscard]] const FlowTable& table() const noexcept { return table_; }
  [[nodiscard]] FlowTable& table() noexcept { return table_; }

  // CIDs of a channel below this have been in use.
  [[nodiscard]] std::uint32_t fresh(std::uint32_t channel) const noexcept { return channels_[channel].fresh; }

  // A context of `channel` for a flow that will have `profile`: one given back, a CID never used, or that of the flow
  // that has been silent longest among a few. Its family keeps it until it is taken.
  [[nodiscard]] std::uint32_t choose(std::uint32_t channel, wire::Profile profile) noexcept;

  // Gives a context to a flow of `family`; a flow that has it drops it. True when there was one. REQUIRES: the context
  // is the last that choose() returned for its channel, or some flow has it.
  bool take(std::uint32_t index, const CompressorFamily& family) noexcept;

  // Makes the flow table know a context. In a full neighbourhood another flow loses its context.
  void insert(std::uint64_t hash, std::uint32_t index) noexcept;

  // The flow of a context loses it, and the CID can go to the next flow of its channel.
  void give_back(std::uint32_t index) noexcept;

  // What choose() and take() change, in order to have taken nothing.
  struct Mark {
    std::uint32_t fresh;
    std::uint32_t returned;
    std::uint32_t hand;
  };
  [[nodiscard]] Mark mark(std::uint32_t channel) const noexcept;
  // After choose() and take(): the context goes back to where it came from. `before`: the family that had it. What
  // another family has dropped stays dropped, and so does a flow that insert() displaced.
  void take_back(std::uint32_t index, const Mark& mark, const CompressorFamily* before) noexcept;

  // After a REJECT (RFC 3095 5.7.6.4): no further flows on the channel until then.
  void refuse_flows(std::uint32_t channel, std::uint32_t until_ms) noexcept {
    channels_[channel].full_until_ms = until_ms;
  }
  [[nodiscard]] bool takes_flows(std::uint32_t channel, std::uint32_t now_ms) const noexcept {
    return now_ms >= channels_[channel].full_until_ms;
  }
  // The beginning of time moves by so much.
  void move_epoch(std::uint32_t ms) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return table_.memory_bytes() + channels_.size() * sizeof(Channel);
  }

 private:
  struct Channel {
    std::uint32_t fresh = 0;              // CIDs below have been used
    std::uint32_t returned = kNoContext;  // the last context given back; behind_ leads to the one before it
    std::uint32_t hand = 0;               // where the search for the flow to replace goes on
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
  PageArray<std::uint32_t> behind_;  // of a context given back: the one given back before it
};

}  // namespace headroom::rohc
