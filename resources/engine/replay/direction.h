// SPDX-License-Identifier: Apache-2.0
//
// One direction of a replay: it sends its packets on a hop, keeps the book about each of them, and makes the result.
#ifndef HEADROOM_REPLAY_DIRECTION_H
#define HEADROOM_REPLAY_DIRECTION_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "adapter/checked.h"
#include "replay/carrier.h"
#include "replay/context.h"
#include "replay/job.h"
#include "replay/packed.h"
#include "replay/statistics.h"
#include "sim/hop.h"

namespace headroom::replay {

// The outcome of one packet of the source.
enum class Verdict : std::uint8_t {
  not_run,        // the run ended before this packet
  identical,      // delivered, octet by octet as expected
  mismatched,     // delivered, and different
  not_delivered,  // arrived, but the decompressor did not deliver it
  lost_on_link,
  not_compressed,  // the compressor did not put it on the link
  withheld,        // no delivery expected, and none happened
  unexpected,      // no delivery expected, but a packet was delivered
  delivered,       // delivered, without an expectation
  sent             // on the link, and there is no decompressor
};
[[nodiscard]] const char* name_of(Verdict verdict) noexcept;
[[nodiscard]] bool is_failure(Verdict verdict) noexcept;

// True if a packet came out with a type of its own.
[[nodiscard]] inline bool has_type(const PacketOutput& output) noexcept {
  return output.came_out() && output.type != HEADROOM_TYPE_DEFAULT;
}

struct Mismatch {
  std::optional<std::uint64_t> packet;  // packet of the source; no value for an inserted packet
  std::uint64_t time_ns = 0;
  std::size_t first_difference = 0;
  Octets expected, got;
};

// The record of a packet, kept if the job asks for records.
struct Record {
  std::optional<PacketOutput> compressed;
  std::uint32_t header = 0;
  std::optional<LinkOutcome> outcome;
  struct Segment {
    Octets link;
    std::uint32_t header = 0;
    LinkOutcome outcome;
  };
  std::vector<Segment> segments;  // instead of `header` and `outcome`, if there may be several segments
  struct Arrival {
    std::uint64_t time_ns = 0;
    bool duplicate = false;
    PacketOutput output;
  };
  std::vector<Arrival> arrivals;
  std::vector<ReversePacket> feedback;   // feedback of the decompressor after the arrival
  std::vector<ReversePacket> passed_on;  // feedback for the compressor at the decompressor's own end
};

class Direction final : private sim::Host, private sim::HopObserver {
 public:
  // Adds itself and its hops to the simulation of `run`. Throws Error. REQUIRES: both arguments outlive this object.
  Direction(const Job& job, bool reverse, RunContext& run);

  [[nodiscard]] sim::Hop& hop() noexcept { return *hop_; }
  // The packet and the hop of a broken promise: the last call.
  struct Failure {
    bool in_carrier;
    std::uint64_t packet;  // sim::kNever for none
  };
  [[nodiscard]] std::optional<Failure> failure() const;
  // Settles, at the end, packets that arrived and were not delivered, or never arrived.
  void settle();

  // Returns the number of control steps for packets that never came.
  [[nodiscard]] std::size_t missed_control() const;
  [[nodiscard]] std::uint64_t unclaimed_feedback() const noexcept { return hop_->feedback().unclaimed; }
  // Return the adapters' instances, or nullptr if the job has none.
  [[nodiscard]] const Instance* compressor() const noexcept { return compressor_ ? &compressor_->instance : nullptr; }
  [[nodiscard]] const Instance* decompressor() const noexcept {
    return decompressor_ ? &decompressor_->instance : nullptr;
  }
  // Returns the result of the direction. `ask_adapters`: includes the adapters' own statistics.
  [[nodiscard]] Json result(bool ask_adapters) const;
  void append_records(Json& records) const;

 private:
  struct Side {
    Side(const AdapterJob& job, headroom_role role)
        : instance(job, role), checked(instance), statistics(instance.names(), role, instance.packs()) {}

    Instance instance;
    Checked checked;
    SideStatistics statistics;
  };

  // The source.
  [[nodiscard]] std::uint64_t next_ns() const override;
  void act() override;
  [[nodiscard]] bool is_exhausted() const noexcept { return next_ >= source_.size(); }
  [[nodiscard]] std::size_t burst_end() const;
  [[nodiscard]] sim::HopPacket hop_packet(std::size_t index) const;
  void apply_control(std::uint64_t index);
  void close();

  // The book.
  void on_compressed(const sim::HopPacket& packet, const PacketOutput* output, const sim::Compressed& made) override;
  [[nodiscard]] std::uint64_t tag_of_due(std::uint32_t channel) override;
  void on_leaving(const LinkPacket& packet, bool on_feedback_line) override;
  void on_sent(const sim::SentPacket& sent, const LinkOutcome& outcome) override;
  void on_arrival(const Delivery& delivery, const PacketOutput& output) override;
  void on_due_arrival(const PacketOutput& output) override;
  void on_feedback(std::uint64_t tag, const ReversePacket& element) override;
  [[nodiscard]] sim::Line::Tap tap(bool reverse);
  void capture(const PacketOutput& output);
  void note_output(const Delivery& delivery, const PacketOutput& output, std::uint64_t link_octets);
  void note_besides(const LinkPacket& packet);
  void note_other(const Delivery& delivery, const PacketOutput& output);
  void note_not_carried(std::uint64_t tag, std::size_t part);
  void judge_tagged(std::size_t index, const Delivery& delivery, const PacketOutput& output);
  [[nodiscard]] std::optional<std::size_t> judge_packed(const Delivery& delivery, const PacketOutput& output);
  [[nodiscard]] const SourcePacket* expected(std::size_t index) const noexcept;
  [[nodiscard]] Verdict judge(std::size_t index, const Delivery& delivery, const PacketOutput& output);
  void add_mismatch(std::optional<std::uint64_t> packet, OctetView expected, OctetView got);
  [[nodiscard]] bool has_segments(std::uint64_t tag) const { return packed_ || segmented_.contains(tag); }

  // The result (direction_result.cc).
  [[nodiscard]] std::uint64_t duration_ns() const;
  [[nodiscard]] Json side_json(const Side& side, bool ask_adapters) const;
  [[nodiscard]] Json feedback_json() const;
  [[nodiscard]] Json verdicts() const;
  [[nodiscard]] Json record(std::size_t index) const;
  [[nodiscard]] Json octets_or_length(OctetView octets) const;

  static constexpr std::size_t kMostMismatches = 16;  // stored with their octets; all are counted

  const Job& job_;
  RunContext& run_;
  const std::vector<SourcePacket>& source_;
  bool reverse_;
  std::unique_ptr<Side> compressor_, decompressor_;
  std::optional<Carrier> carrier_;  // of the forward direction
  std::optional<sim::Hop> hop_;
  std::size_t next_ = 0;  // next packet of the source
  std::size_t left_ = 0;  // behind the last packet of the source that is on the link
  std::vector<Verdict> verdicts_;
  std::vector<std::int8_t> last_status_;               // status of the side that stopped the packet
  std::vector<std::uint32_t> sent_header_;             // octets of header on the link
  std::unordered_map<std::uint64_t, Octets> altered_;  // expected octets of packets whose payload was damaged
  std::unordered_map<std::uint64_t, bool> segmented_;  // packets sent as segments; true: the link lost a segment
  std::optional<Packed> packed_;                       // set if the compressor packs
  std::vector<Mismatch> mismatches_;
  std::vector<Record> records_;
  std::vector<Json> other_records_;  // records of packets that are not from the source
  std::uint64_t duplicates_delivered_ = 0;
  std::uint64_t feedback_waiting_ = 0;  // feedback that the compressor refused to the end
  std::uint64_t mismatch_count_ = 0;
  std::uint64_t inserted_delivered_ = 0;
  std::map<std::string, std::uint64_t> inserted_statuses_;
};

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_DIRECTION_H
