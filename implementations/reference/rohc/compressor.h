// SPDX-License-Identifier: Apache-2.0
//
// The ROHC compressor takes packets of many channels and returns link packets. A family of profiles compresses a
// packet; the framework assigns a CID to the packet's flow, delivers feedback to the family of its context, and makes
// link packets (RFC 5795 5.2).
//
// While one packet of a burst is compressed, the compressor hashes later packets, then guesses their contexts and
// prefetches them, so that the memory is in the cache when needed.
#pragma once

#include <cstdint>
#include <optional>

#include "headroom.h"
#include "rohc/framework/compressor/context_pool.h"
#include "rohc/framework/compressor/link_packets.h"
#include "rohc/tcp/compressor/compressor.h"
#include "rohc/v1/compressor/compressor.h"

namespace headroom::rohc {

class Compressor {
 public:
  // Throws std::bad_alloc if there is no memory for the contexts.
  explicit Compressor(const CompressorConfig& config);

  // See `compress` and `drain` in headroom.h.
  std::size_t compress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                       headroom_detail* details) noexcept;
  std::size_t drain(headroom_packet* packets, std::size_t count) noexcept { return link_.drain(packets, count); }

  // Handles the feedback elements that arrived for `channel`. Counts and ignores feedback that cannot be understood.
  void give_feedback(std::uint32_t channel, Octets elements, std::uint64_t now_ns) noexcept;

  // Queues feedback to send in front of the next packet of `channel`. Returns false if there is no room to keep the
  // feedback.
  [[nodiscard]] bool piggyback(std::uint32_t channel, Octets elements) noexcept {
    return channel < channel_.channels && link_.piggyback(channel, elements);
  }

  // CONTEXT_REINITIALIZATION (RFC 3095 6.3.1): puts all contexts back into the IR state.
  void reinitialize() noexcept;

  [[nodiscard]] const CompressorCounters& counters() const noexcept { return counters_; }
  // Returns the compressor of profile 0x0006, or nullptr if the channel does not have that profile.
  [[nodiscard]] const tcp::Compressor* tcp() const noexcept { return tcp_ ? &*tcp_ : nullptr; }
  [[nodiscard]] std::uint32_t contexts_in_use() const noexcept { return pool_.owners().in_use(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return v1_.memory_bytes() + pool_.memory_bytes() + (tcp_ ? tcp_->memory_bytes() : 0);
  }

  // Sends every packet along the general path, with the same result. For tests.
  void disable_fast_path() noexcept {
    fast_path_ = false;
    if (tcp_) tcp_->disable_fast_path();
  }

 private:
  [[nodiscard]] std::uint32_t now_ms(std::uint64_t now_ns) noexcept;
  void move_epoch(std::uint64_t epochs) noexcept;
  // kTcp: true if the channel has profile 0x0006. False removes the checks for TCP from the path of every packet.
  template <bool kTcp>
  void compress_burst(headroom_packet* packets, std::size_t count, std::uint32_t now,
                      headroom_detail* details) noexcept;
  void compress_generally(headroom_packet& packet, std::uint32_t now, std::uint32_t guess,
                          headroom_detail* detail) noexcept;
  [[nodiscard]] bool is_tcp(std::uint32_t index) const noexcept { return pool_.owners().of(index) == &*tcp_; }
  // Returns false if the feedback's context is unused or the context's family does not understand the feedback.
  [[nodiscard]] bool take_feedback(std::uint32_t channel, wire::FeedbackData data, std::uint32_t now) noexcept;

  ChannelParameters channel_;
  CompressorCounters counters_;
  ContextPool pool_;
  LinkPackets link_;
  v1::Compressor v1_;
  std::optional<tcp::Compressor> tcp_;
  std::uint64_t epoch_ns_ = 0;
  bool started_ = false;
  bool fast_path_ = true;
};

}  // namespace headroom::rohc
