// SPDX-License-Identifier: Apache-2.0
//
// The decompressor of this family: restores packets of known contexts and sends feedback (RFC 3095 5.3.2, 5.4.2, 5.6).
//
// A UO-0 packet for an undamaged context takes the fast path (fast_packets.h), any other packet the general path (this
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

// An event of a context, in addition to the packet's status; the order equals `names.events` in the self-description.
enum class Event : std::uint8_t {
  kNone,
  kEstablished,         // an IR packet established the context
  kDynamicDamage,       // k_1 out of n_1: to Static Context
  kStaticDamage,        // k_2 out of n_2: to No Context
  kRepairedWraparound,  // 5.3.2.2.4 found an SN that verifies
  kRepairedReference,   // 5.3.2.2.5 found an SN that verifies
  kRepairProven,        // the third consecutive packet after a repair verified
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
  std::array<std::uint64_t, wire::kCceNames.size()> cce{};  // received CCE packets, around types 0 to 2
  std::uint64_t fast = 0;
  // The number of restored headers with a CRC mismatch, by the CRC's bits. Failed repair attempts count, so there can
  // be more mismatches than failures.
  std::array<std::uint64_t, 9> crc_mismatches{};
};

namespace v1 {

class Decompressor final : public DecompressorFamily {
 public:
  // Throws std::bad_alloc if there is no memory for the contexts. `own_feedback`: queue of feedback for the compressor
  // at the far end.
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

  // The number of packets of a burst that took the fast path, by type.
  struct Fast {
    std::uint64_t uo_0 = 0;
    std::uint64_t r_0 = 0;
  };
  // Decompresses a packet that equals its context's prediction. Returns false, without any change, if the packet is of
  // another kind or fails to decompress. details[i] is the packet's detail unless `details` is nullptr. REQUIRES: the
  // lookahead has a context.
  [[nodiscard]] bool decompress_fast(const Lookahead& lookahead, headroom_packet& packet, std::uint64_t now_ns,
                                     headroom_detail* details, std::size_t i, Fast& fast) noexcept;
  void count(const Fast& fast) noexcept;

  // MODE (6.3.2): requests another mode in every context.
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
    std::uint8_t sn_bits = 0;  // SN bits in the packet
    bool new_pattern = false;  // the header differs from the context's prediction (5.5.2.2, sparse ACKs)
  };

  enum class Verdict : std::uint8_t {
    kVerified,
    kMismatch,       // the CRC disagrees
    kContradiction,  // the packet contradicts the context for every SN
  };

  [[nodiscard]] bool decompress_jump(const Lookahead& lookahead, Octets rest, headroom_packet& packet,
                                     std::uint64_t now_ns, headroom_detail* detail) noexcept;
  [[nodiscard]] Outcome decompress_generally(const Framed& framed, std::uint32_t index, headroom_packet& packet,
                                             std::uint64_t now_ns) noexcept;
  void decompress_initialisation(const Framed& framed, bool dynamic_only, headroom_packet& packet, std::uint64_t now_ns,
                                 Outcome& outcome) noexcept;
  // Makes this family the owner of the context and marks the context as used.
  void begin_context(std::uint32_t index) noexcept;
  void accept_initialisation(const Initialisation& init, headroom_packet& packet, Octets payload, std::uint64_t now_ns,
                             Outcome& outcome) noexcept;
  void decompress_uncompressed_ir(const Framed& framed, headroom_packet& packet, Outcome& outcome) noexcept;
  void decompress_normal(const Framed& framed, headroom_packet& packet, Outcome& outcome) noexcept;
  void decompress_compressed(const Framed& framed, headroom_packet& packet, std::uint64_t now_ns,
                             Outcome& outcome) noexcept;

  // Decodes and verifies a packet with a candidate for the reference SN.
  [[nodiscard]] Verdict attempt(const CompressedHeader& header, std::uint32_t index, std::uint16_t reference_sn,
                                Decoded& decoded, RestoredHeader& restored) noexcept;
  // Tries the repairs of 5.3.2.2.4 and 5.3.2.2.5. Returns kNone if neither finds an SN that verifies.
  [[nodiscard]] Event repair(const CompressedHeader& header, std::uint32_t index, std::uint64_t now_ns,
                             Decoded& decoded, RestoredHeader& restored) noexcept;
  // Tries the repair of 5.3.2.2.4 after `elapsed` interval_units(). Rule d adds 2^k to the reference once; after a
  // longer loss the SN bits have wrapped around more often, and the elapsed time tells how often. If the marker or TS
  // bits indicate silence, the elapsed time includes the silence, and only one wraparound is tried. `decoded`: the
  // result of decoding without repair. Returns false if no tried SN verifies.
  [[nodiscard]] bool correct_wraparound(const CompressedHeader& header, std::uint32_t index, std::uint64_t elapsed,
                                        Decoded& decoded, RestoredHeader& restored) noexcept;
  // Makes `after` the context, with its SN as the new reference.
  void commit(std::uint32_t index, const ContextCopy& after, std::uint16_t previous_sn, std::uint64_t now_ns) noexcept;
  // True if `after` belongs to an R-mode update that a later update has overtaken: see README.md.
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
  // `sn_bits`: the SN bits in the packet that causes the feedback, 0 if irrelevant.
  void send(std::uint32_t index, wire::AckType kind, wire::Mode mode, unsigned sn_bits = 0) noexcept;
  void put_feedback(std::uint32_t index, const wire::Feedback& feedback) noexcept;
  // Sends a REJECT (5.7.6.4) for the first of a number of IR packets for which there is no memory.
  void reject(std::uint32_t index) noexcept;
  // Sends CONTEXT_MEMORY for a flow that exceeds the limits of a context.
  void complain_of_memory(std::uint32_t index, wire::Profile profile) noexcept;
  // Sends CLOCK with the value 0, "the decompressor cannot do timer-based compression" (5.7.6.7).
  void refuse_clock(std::uint32_t index) noexcept;
  // Adds the options of an acknowledgement, and marks the observations in them as reported.
  void add_options(std::uint32_t index, wire::Feedback& feedback) noexcept;
  void observe(std::uint32_t index, const ContextCopy& after, std::uint64_t now_ns) noexcept;
  // Sends an acknowledgement with the observations if they have grown.
  void report(std::uint32_t index) noexcept;
  [[nodiscard]] bool has_room_for(std::uint32_t index) const noexcept;
  void tally(const Outcome& outcome) noexcept;
  void fill_detail(headroom_detail& detail, const Outcome& outcome) const noexcept;

  // Returns the outer header's context, or an empty context, so that contexts without outer header need no memory for
  // it.
  [[nodiscard]] const DecompressorTunnel& tunnel_of(std::uint32_t index) const noexcept {
    static constexpr DecompressorTunnel kNone{};
    return contexts_[index].tunnel ? tunnels_[index] : kNone;
  }
  // Returns a copy of a context to work on. All copies share lists_copy_, so only one copy with lists can be in use.
  [[nodiscard]] ContextCopy copy_of(std::uint32_t index) noexcept {
    if (contexts_[index].lists != ListUse::kNone) lists_copy_ = lists_[index];
    return {contexts_[index], tunnel_of(index), &lists_copy_};
  }
  // Copies the lists, if there are any, from the copy into the context. `had`: true if the context had a place for
  // lists.
  void keep_lists(std::uint32_t index, const ContextCopy& copy, bool had) noexcept;
  [[nodiscard]] wire::Mode wanted_mode(const DecompressorContext& c) const noexcept {
    if (!config_.feedback) return wire::Mode::kUnidirectional;
    if (!c.mode_declined) return config_.mode;
    // If the compressor does not support R-mode, O-mode is requested instead.
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
  PageArray<Observations> observations_;  // empty if nothing is reported
  PageArray<DecompressorLists> lists_;
  DecompressorLists lists_copy_{};
  Owners<DecompressorFamily>& owners_;
  FeedbackQueue& own_feedback_;
  DecompressorCounters& counters_;
  std::uint32_t in_use_ = 0;               // contexts of this family
  std::uint32_t uncompressed_in_use_ = 0;  // of these, contexts of the Uncompressed profile
  std::uint32_t lists_begun_ = 0;          // upper bound of the places for lists in use
  bool fast_path_ = true;
};

}  // namespace v1
}  // namespace headroom::rohc
