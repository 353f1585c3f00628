// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of this family: packets whose context is known in, restored packets out, feedback to the side (RFC
// 3095 5.3.2, 5.4.2, 5.6).
//
// A UO-0 packet for a context in good order takes the fast path (fast_packets.h), any other the general path (this
// class, initialise.h, compressed.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "headroom.h"
#include "rohc/framework/decompressor/counters.h"
#include "rohc/framework/decompressor/family.h"
#include "rohc/framework/decompressor/feedback_queue.h"
#include "rohc/framework/decompressor/intake.h"
#include "rohc/framework/page_array.h"
#include "rohc/v1/decompressor/compressed.h"
#include "rohc/v1/decompressor/config.h"
#include "rohc/v1/decompressor/context.h"
#include "rohc/v1/decompressor/header.h"
#include "rohc/v1/decompressor/initialise.h"
#include "rohc/v1/decompressor/observations.h"
#include "rohc/v1/wire/feedback.h"

namespace headroom::rohc {

// What happened to a context beside the packet's own status; the order is that of `names.events` in the
// self-description.
enum class Event : std::uint8_t {
  kNone,
  kEstablished,         // an IR made or remade the context
  kDynamicDamage,       // k_1 out of n_1: to Static Context
  kStaticDamage,        // k_2 out of n_2: to No Context
  kRepairedWraparound,  // 5.3.2.2.4 found an SN that verifies
  kRepairedReference,   // 5.3.2.2.5 found one
  kRepairProven,        // the third packet in a row after a repair
  kRepairFailed,
  kModeOptimistic,      // D_MODE has become O
  kModeUnidirectional,  // D_MODE has become U
  kModeReliable,        // D_MODE has become R
};
inline constexpr std::array<std::string_view, 11> kEventNames = {"none",
                                                                 "context established",
                                                                 "dynamic damage",
                                                                 "static damage",
                                                                 "repair of SN wraparound",
                                                                 "repair of SN reference",
                                                                 "repair proven",
                                                                 "repair failed",
                                                                 "optimistic mode",
                                                                 "unidirectional mode",
                                                                 "reliable mode"};

struct DecompressorCounters : ArrivalCounters {
  std::array<std::uint64_t, wire::kPacketTypeNames.size()> packets{};
  std::array<std::uint64_t, kEventNames.size()> events{};
  std::array<std::uint64_t, wire::kCceNames.size()> cce{};  // arrived around packets of types 0 to 2
  std::uint64_t fast = 0;
  // Restored headers that a CRC of so many bits did not fit, repairs included: more than there are failures.
  std::array<std::uint64_t, 9> crc_mismatches{};
};

namespace v1 {

class Decompressor final : public DecompressorFamily {
 public:
  // Throws std::bad_alloc when there is no memory for the contexts. `own_feedback`: for the compressor at the far end.
  Decompressor(const DecompressorConfig& config, Owners<DecompressorFamily>& owners, FeedbackQueue& own_feedback,
               DecompressorCounters& counters);

  [[nodiscard]] bool has_profile(std::uint8_t octet) const noexcept override;
  void decompress(const Framed& framed, std::uint32_t index, headroom_packet& packet, std::uint64_t now_ns,
                  headroom_detail* detail) noexcept override;
  void drop(std::uint32_t index) noexcept override;

  void prefetch(std::uint32_t index) const noexcept {
    __builtin_prefetch(&contexts_[index], 1);
    __builtin_prefetch(contexts_[index].pattern.data());
  }

  // Packets of a burst that took the fast path.
  struct Fast {
    std::uint64_t uo_0 = 0;
    std::uint64_t r_0 = 0;
  };
  // Decompresses a packet that goes on as its context has it. False when it is not of that kind, or does not
  // decompress: then nothing has happened. details[i] is the packet's, where there are details. REQUIRES: the clue has
  // a context.
  [[nodiscard]] bool decompress_fast(const Clue& clue, headroom_packet& packet, std::uint64_t now_ns,
                                     headroom_detail* details, std::size_t i, Fast& fast) noexcept;
  void count(const Fast& fast) noexcept;

  // MODE (6.3.2): asks for another mode, in every context.
  void set_mode(wire::Mode mode) noexcept;

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return in_use_ * sizeof(DecompressorContext) + lists_begun_ * sizeof(DecompressorLists);
  }

  [[nodiscard]] bool fast_path() const noexcept { return fast_path_; }
  void disable_fast_path() noexcept { fast_path_ = false; }

 private:
  struct Outcome {
    std::int32_t status = HEADROOM_ERR_MALFORMED;
    std::uint32_t context = kNoContext;
    wire::PacketType type = wire::PacketType::kUnknown;
    Event event = Event::kNone;
    std::uint16_t plain_header = 0;
    std::uint16_t compressed_header = 0;
    std::uint8_t sn_bits = 0;  // that the packet had
    bool new_pattern = false;  // its header did not go on as the context would have it (5.5.2.2, sparse ACKs)
  };

  enum class Verdict : std::uint8_t {
    kVerified,
    kMismatch,       // the CRC disagrees
    kContradiction,  // the packet cannot be meant for this context, whatever the SN
  };

  [[nodiscard]] bool decompress_jump(const Clue& clue, Octets rest, headroom_packet& packet, std::uint64_t now_ns,
                                     headroom_detail* detail) noexcept;
  [[nodiscard]] Outcome decompress_generally(const Framed& framed, std::uint32_t index, headroom_packet& packet,
                                             std::uint64_t now_ns) noexcept;
  void decompress_initialisation(const Framed& framed, bool dynamic_only, headroom_packet& packet, std::uint64_t now_ns,
                                 Outcome& outcome) noexcept;
  // The context is this family's, and in use, from now on.
  void begin_context(std::uint32_t index) noexcept;
  void accept_initialisation(const Initialisation& init, headroom_packet& packet, Octets payload, std::uint64_t now_ns,
                             Outcome& outcome) noexcept;
  void decompress_uncompressed_ir(const Framed& framed, headroom_packet& packet, Outcome& outcome) noexcept;
  void decompress_normal(const Framed& framed, headroom_packet& packet, Outcome& outcome) noexcept;
  void decompress_compressed(const Framed& framed, headroom_packet& packet, std::uint64_t now_ns,
                             Outcome& outcome) noexcept;

  // Decodes with one candidate for the reference SN.
  [[nodiscard]] Verdict attempt(const CompressedHeader& header, std::uint32_t index, std::uint16_t reference_sn,
                                Decoded& decoded, RestoredHeader& restored) noexcept;
  // 5.3.2.2.4 and 5.3.2.2.5. kNone when neither finds an SN that verifies.
  [[nodiscard]] Event repair(const CompressedHeader& header, std::uint32_t index, std::uint64_t now_ns,
                             Decoded& decoded, RestoredHeader& restored) noexcept;
  // 5.3.2.2.4 after `elapsed` interval_units(). Rule d adds 2^k to the reference once; a longer loss takes more, and
  // the clock says how often the bits have wrapped around. Where the marker or bits of TS show that there was silence,
  // the clock has counted that, too, and says nothing: then it is tried once. `decoded`: as the bits alone have it.
  // False when no SN tried verifies.
  [[nodiscard]] bool correct_wraparound(const CompressedHeader& header, std::uint32_t index, std::uint64_t elapsed,
                                        Decoded& decoded, RestoredHeader& restored) noexcept;
  // Makes `after` the context, with its SN as the reference from now on.
  void commit(std::uint32_t index, const ContextCopy& after, std::uint16_t previous_sn, std::uint64_t now_ns) noexcept;
  // An update of R-mode that was overtaken by a later one: see README.md.
  [[nodiscard]] bool is_overtaken(std::uint32_t index, const ContextCopy& after) const noexcept;
  [[nodiscard]] std::int32_t deliver(headroom_packet& packet, const RestoredHeader& header, Octets payload) noexcept;

  void succeeded(std::uint32_t index, Outcome& outcome, bool has_mode, wire::Mode mode) noexcept;
  void failed(std::uint32_t index, Outcome& outcome) noexcept;
  void refresh_fast(DecompressorContext& c) const noexcept;

  void follow_mode(std::uint32_t index, Outcome& outcome, bool has_mode, wire::Mode mode) noexcept;
  void acknowledge(std::uint32_t index, const Outcome& outcome) noexcept;
  void acknowledge_update(std::uint32_t index, const Outcome& outcome) noexcept;
  void take_mode(DecompressorContext& c, wire::Mode mode, Outcome& outcome) const noexcept;
  void complain(std::uint32_t index, wire::AckType kind, bool at_once) noexcept;
  // `sn_bits`: of the packet that is the reason, 0 where that does not matter.
  void send(std::uint32_t index, wire::AckType kind, wire::Mode mode, unsigned sn_bits = 0) noexcept;
  void put_feedback(std::uint32_t index, const wire::Feedback& feedback) noexcept;
  // REJECT (5.7.6.4), for the first of so many IR packets for which there is no memory.
  void reject(std::uint32_t index) noexcept;
  // CONTEXT_MEMORY, for a flow that has grown beyond what is kept.
  void complain_of_memory(std::uint32_t index, wire::Profile profile) noexcept;
  // CLOCK with the value 0, "the decompressor cannot do timer-based compression" (5.7.6.7).
  void refuse_clock(std::uint32_t index) noexcept;
  // Options that go with acknowledgements; reports of what has grown since the last one are then settled.
  void add_options(std::uint32_t index, wire::Feedback& feedback) noexcept;
  void observe(std::uint32_t index, const ContextCopy& after, std::uint64_t now_ns) noexcept;
  // An acknowledgement for what has been observed, when it has grown.
  void report(std::uint32_t index) noexcept;
  [[nodiscard]] bool has_room_for(std::uint32_t index) const noexcept;
  void tally(const Outcome& outcome) noexcept;
  void fill_detail(headroom_detail& detail, const Outcome& outcome) const noexcept;

  // The outer header's context, or an empty one that spares the memory of the other contexts'.
  [[nodiscard]] const DecompressorTunnel& tunnel_of(std::uint32_t index) const noexcept {
    static constexpr DecompressorTunnel kNone{};
    return contexts_[index].tunnel ? tunnels_[index] : kNone;
  }
  // A copy to work on. Its lists are those of one packet at a time.
  [[nodiscard]] ContextCopy copy_of(std::uint32_t index) noexcept {
    if (contexts_[index].lists != ListUse::kNone) lists_copy_ = lists_[index];
    return {contexts_[index], tunnel_of(index), &lists_copy_};
  }
  // Puts lists, if there are any, from the copy into the context. `had`: the context had a place for lists.
  void keep_lists(std::uint32_t index, const ContextCopy& copy, bool had) noexcept;
  [[nodiscard]] wire::Mode wanted_mode(const DecompressorContext& c) const noexcept {
    if (!config_.feedback) return wire::Mode::kUnidirectional;
    if (!c.mode_declined) return config_.mode;
    // Where the compressor does not do R-mode, O-mode is next best.
    const bool may_be_optimistic = config_.mode == wire::Mode::kReliable && c.mode == wire::Mode::kUnidirectional;
    return may_be_optimistic ? wire::Mode::kOptimistic : c.mode;
  }
  [[nodiscard]] std::uint32_t cid_of(std::uint32_t index) const noexcept {
    return index % config_.channel.contexts_per_channel();
  }
  [[nodiscard]] std::uint32_t channel_of(std::uint32_t index) const noexcept {
    return index / config_.channel.contexts_per_channel();
  }

  DecompressorConfig config_;
  PageArray<DecompressorContext> contexts_;
  PageArray<DecompressorTunnel> tunnels_;
  PageArray<Observations> observations_;  // none where nothing is reported
  PageArray<DecompressorLists> lists_;
  DecompressorLists lists_copy_{};
  Owners<DecompressorFamily>& owners_;
  FeedbackQueue& own_feedback_;
  DecompressorCounters& counters_;
  std::uint32_t in_use_ = 0;               // contexts of this family
  std::uint32_t uncompressed_in_use_ = 0;  // of them, of the Uncompressed profile
  std::uint32_t lists_begun_ = 0;          // places for lists in use, at most
  bool fast_path_ = true;
};

}  // namespace v1
}  // namespace headroom::rohc
