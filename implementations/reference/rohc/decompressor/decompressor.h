// SPDX-License-Identifier: Apache-2.0
//
// The ROHC decompressor: packets of many channels in, restored packets out, feedback to the side (RFC
// 3095 5.2.6, 5.3.2, 5.4.2, 5.6; RFC 5795 5.2.3).
//
// While one packet of a burst is decompressed, the contexts of later ones are fetched. A UO-0 packet for a context in
// good order takes the fast path (fast_path.h), any other the general path (this class, initialise.h, compressed.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "headroom.h"
#include "rohc/decompressor/compressed.h"
#include "rohc/decompressor/config.h"
#include "rohc/decompressor/context.h"
#include "rohc/decompressor/feedback_queue.h"
#include "rohc/decompressor/header.h"
#include "rohc/decompressor/initialise.h"
#include "rohc/decompressor/observations.h"
#include "rohc/decompressor/reassembly.h"
#include "rohc/page_array.h"
#include "rohc/wire/feedback.h"

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

struct DecompressorCounters {
  std::array<std::uint64_t, wire::kPacketTypeNames.size()> packets{};
  std::array<std::uint64_t, kEventNames.size()> events{};
  std::array<std::uint64_t, wire::kCceNames.size()> cce{};  // arrived around packets of types 0 to 2
  std::uint64_t fast = 0;
  std::uint64_t delivered = 0;
  std::uint64_t malformed = 0;
  std::uint64_t no_context = 0;
  std::uint64_t not_allowed = 0;
  std::uint64_t crc_failures = 0;
  // Restored headers that a CRC of so many bits did not fit, repairs included: more than there are failures.
  std::array<std::uint64_t, 9> crc_mismatches{};
  std::uint64_t held_back = 0;
  std::uint64_t unsupported = 0;
  std::uint64_t reassembled = 0;  // units put together from segments
  std::uint64_t abandoned = 0;    // units given up for a packet that is no segment
  std::uint64_t acks = 0;
  std::uint64_t nacks = 0;
  std::uint64_t static_nacks = 0;
  std::uint64_t rejects = 0;
};

class Decompressor {
 public:
  // Throws std::bad_alloc when there is no memory for the contexts.
  explicit Decompressor(const DecompressorConfig& config);

  // See `decompress` in headroom.h.
  void decompress(headroom_packet* packets, std::size_t count, std::uint64_t now_ns, headroom_detail* details) noexcept;

  // See `take_reverse` in headroom.h.
  std::size_t take_reverse(headroom_packet* packets, std::size_t count) noexcept {
    const std::size_t far = own_feedback_.take(packets, count, HEADROOM_REVERSE_FAR);
    return far + received_feedback_.take(packets + far, count - far, HEADROOM_REVERSE_NEAR);
  }

  // Feedback for the compressor at the far end, and feedback that came in packets for the one at this end.
  [[nodiscard]] FeedbackQueue& own_feedback() noexcept { return own_feedback_; }
  [[nodiscard]] FeedbackQueue& received_feedback() noexcept { return received_feedback_; }

  // MODE (6.3.2): asks for another mode, in every context.
  void set_mode(wire::Mode mode) noexcept;

  [[nodiscard]] const DecompressorCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] std::uint32_t contexts_in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return in_use_ * sizeof(DecompressorContext) + reassembly_.memory_bytes() +
           lists_begun_ * sizeof(DecompressorLists);
  }

  // For tests: the same result without ever taking the fast path.
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

  // A packet after padding and feedback have been taken off: where its header begins, its CID, its first octet and what
  // follows.
  struct Framed {
    Octets header;  // from the Add-CID octet, if any: what the CRC of IR packets covers begins here
    std::uint32_t cid = 0;
    std::uint8_t first = 0;
    Octets rest;  // after the CID
  };

  // What a look ahead says of a packet.
  struct Clue {
    std::uint32_t context;  // kNoContext: it says nothing, and the other members have no meaning
    std::uint8_t first;
    std::uint8_t before_rest;
  };

  void look_at(const headroom_packet& packet, Clue& clue) const noexcept;
  [[nodiscard]] bool decompress_jump(const Clue& clue, Octets rest, headroom_packet& packet, std::uint64_t now_ns,
                                     headroom_detail* detail) noexcept;
  [[nodiscard]] Outcome decompress_generally(headroom_packet& packet, std::uint64_t now_ns) noexcept;
  // Takes padding, feedback and CID off. Anything but HEADROOM_OK ends the packet. With the type kSegment and
  // HEADROOM_OK, `framed` has the segment's octets alone.
  [[nodiscard]] std::int32_t unframe(std::uint32_t channel, Octets octets, Framed& framed,
                                     wire::PacketType& type) noexcept;
  // What a segment makes of its channel's unit: HEADROOM_OK when `framed` has become the packet of a whole one.
  [[nodiscard]] std::int32_t reassemble(std::uint32_t channel, Framed& framed, wire::PacketType& type) noexcept;

  void decompress_initialisation(const Framed& framed, bool dynamic_only, headroom_packet& packet, std::uint64_t now_ns,
                                 Outcome& outcome) noexcept;
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
  void pass_feedback_on(std::uint32_t channel, Octets element) noexcept;
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
  FeedbackQueue own_feedback_;
  FeedbackQueue received_feedback_;
  Reassembly reassembly_;
  DecompressorCounters counters_;
  std::uint32_t in_use_ = 0;
  std::uint32_t uncompressed_in_use_ = 0;  // of them, of the Uncompressed profile
  std::uint32_t lists_begun_ = 0;          // places for lists in use, at most
  bool fast_path_ = true;
};

}  // namespace headroom::rohc
