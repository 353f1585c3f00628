// SPDX-License-Identifier: Apache-2.0
//
// The ROHC decompressor takes link packets of many channels and returns restored packets and feedback. The framework
// removes padding, feedback and segmentation (RFC 5795 5.2.3); the family that owns the context decompresses the
// packet.
//
// While one packet of a burst is decompressed, the contexts of later packets are prefetched.
#pragma once

#include <cstdint>
#include <optional>

#include "headroom.h"
#include "rohc/framework/decompressor/family.h"
#include "rohc/framework/decompressor/feedback_queue.h"
#include "rohc/framework/decompressor/intake.h"
#include "rohc/framework/owners.h"
#include "rohc/tcp/decompressor/decompressor.h"
#include "rohc/v1/decompressor/decompressor.h"

namespace headroom::rohc {

class Decompressor {
 public:
  // Throws std::bad_alloc if there is no memory for the contexts.
  explicit Decompressor(const DecompressorConfig& config);

  // See `decompress` in headroom.h.
  void decompress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns, headroom_detail* details) noexcept;

  // See `take_reverse` in headroom.h.
  std::size_t take_reverse(headroom_packet* packets, std::size_t count) noexcept {
    const std::size_t far = own_feedback_.take(packets, count, HEADROOM_REVERSE_FAR);
    return far + received_feedback().take(packets + far, count - far, HEADROOM_REVERSE_NEAR);
  }

  // Feedback for the compressor at the far end, and feedback received in packets for the compressor at this end.
  [[nodiscard]] FeedbackQueue& own_feedback() noexcept { return own_feedback_; }
  [[nodiscard]] FeedbackQueue& received_feedback() noexcept { return intake_.received_feedback(); }

  // MODE (RFC 3095 6.3.2): requests another mode in every context whose profile has modes.
  void set_mode(wire::Mode mode) noexcept { v1_.set_mode(mode); }

  [[nodiscard]] const DecompressorCounters& counters() const noexcept { return counters_; }
  // Returns the decompressor of profile 0x0006, or nullptr if the channel does not have that profile.
  [[nodiscard]] const tcp::Decompressor* tcp() const noexcept { return tcp_ ? &*tcp_ : nullptr; }
  [[nodiscard]] std::uint32_t contexts_in_use() const noexcept { return owners_.in_use(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return v1_.memory_bytes() + intake_.memory_bytes() + (tcp_ ? tcp_->memory_bytes() : 0);
  }

  // Sends every packet along the general path, with the same result. For tests.
  void disable_fast_path() noexcept {
    v1_.disable_fast_path();
    if (tcp_) tcp_->disable_fast_path();
  }

 private:
  // kTcp: true if the channel has profile 0x0006. False removes the checks for TCP from the path of every packet.
  template <bool kTcp>
  void decompress_burst(headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                        headroom_detail* details) noexcept;
  [[nodiscard]] bool is_tcp(std::uint32_t index) const noexcept { return owners_.of(index) == &*tcp_; }
  void decompress_generally(headroom_packet& packet, std::uint64_t now_ns, headroom_detail* detail) noexcept;

  ChannelParameters channel_;
  DecompressorCounters counters_;
  Intake intake_;
  Owners<DecompressorFamily> owners_;
  FeedbackQueue own_feedback_;
  v1::Decompressor v1_;
  std::optional<tcp::Decompressor> tcp_;
};

}  // namespace headroom::rohc
