// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of this family: restores TCP flows of many channels and limits the rate of feedback about them (RFC
// 6846, 5.3.2).
#pragma once

#include <array>
#include <cstdint>

#include "headroom.h"
#include "rohc/framework/channel.h"
#include "rohc/framework/decompressor/counters.h"
#include "rohc/framework/decompressor/family.h"
#include "rohc/framework/decompressor/feedback_queue.h"
#include "rohc/framework/page_array.h"
#include "rohc/tcp/decompressor/context.h"

namespace headroom::rohc::tcp {

struct RestorerConfig {
  ChannelParameters channel;
  DecompressorConfig context;
  bool feedback = true;
  // Negative feedback is sent at once when a context is found to be damaged, then for one of every `nack_every` packets
  // that cause negative feedback.
  std::uint32_t nack_every = 4;
  // ACKs are sent for all IR packets, and for one of every `ack_every` other packets with a CRC of 7 bits.
  std::uint32_t ack_every = 4;
  bool msn_option = false;          // feedback has 16 instead of 14 bits of the MSN
  std::uint32_t most_contexts = 0;  // contexts of all families; further ones are answered with REJECT; 0: no limit
};

// An event of a context; the order equals `names.events` in the self-description.
enum class Event : std::uint8_t { kNone, kEstablished, kDynamicDamage, kStaticDamage };
inline constexpr std::size_t kEvents = 4;

class Decompressor final : public DecompressorFamily {
 public:
  // Throws std::bad_alloc if there is no memory for the contexts. `own_feedback`: queue of feedback for the compressor
  // at the far end.
  Decompressor(const RestorerConfig& config, Owners<DecompressorFamily>& owners, FeedbackQueue& own_feedback,
               ArrivalCounters& counters);

  [[nodiscard]] bool has_profile(std::uint8_t octet) const noexcept override { return octet == kProfileOctet; }
  void decompress(const Framed& framed, std::uint32_t index, headroom_packet& packet, std::uint64_t now_ns,
                  headroom_detail* detail) noexcept override;
  void drop(std::uint32_t index) noexcept override;

  void prefetch(std::uint32_t index) const noexcept {
    __builtin_prefetch(&slots_[index], 1);
    slots_[index].context.prefetch();
  }
  // Decompresses a packet after looking ahead at it. REQUIRES: the lookahead has a context, which belongs to this
  // family.
  void decompress(const Lookahead& lookahead, headroom_packet& packet, headroom_detail* detail) noexcept;

  void disable_fast_path() noexcept { config_.context.fast_path = false; }

  [[nodiscard]] const PacketCounts& packets() const noexcept { return packets_; }
  [[nodiscard]] const std::array<std::uint64_t, kEvents>& events() const noexcept { return events_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return in_use_ * sizeof(Slot); }

 private:
  // The state of a CID of a channel. All octets zero until the CID is used.
  struct Slot {
    bool used;
    std::uint8_t nacks_held, acks_held;
    DecompressorContext context;
  };

  void decompress(const LinkPacket& link, std::uint32_t index, headroom_packet& packet,
                  headroom_detail* detail) noexcept;
  [[nodiscard]] const DecompressorContext* base_of(const LinkPacket& link, std::uint32_t index) const noexcept;
  [[nodiscard]] bool has_room_for(std::uint32_t index) const noexcept;
  void answer(std::uint32_t index, const DecompressorContext& context, const Decompressed& result,
              bool at_once) noexcept;
  void reject(std::uint32_t index) noexcept;
  void send(std::uint32_t index, const Feedback& feedback, std::uint16_t msn) noexcept;
  // True for one of every `every` calls; `held` counts the calls.
  [[nodiscard]] static bool is_turn(std::uint8_t& held, std::uint32_t every) noexcept;

  RestorerConfig config_;
  Owners<DecompressorFamily>& owners_;
  FeedbackQueue& own_feedback_;
  ArrivalCounters& counters_;
  PageArray<Slot> slots_;
  DecompressorContext fresh_;  // context of a CID that this family does not own
  PacketCounts packets_{};
  std::array<std::uint64_t, kEvents> events_{};
  std::uint32_t in_use_ = 0;
};

}  // namespace headroom::rohc::tcp
