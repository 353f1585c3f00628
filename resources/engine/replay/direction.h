// SPDX-License-Identifier: Apache-2.0
//
// One direction of a replay: its packets, the book about each of them, and the result. Who calls the adapters and when
// is run.cc's.
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
#include "link/link.h"
#include "replay/job.h"
#include "replay/packed.h"
#include "replay/statistics.h"

namespace headroom::replay {

// What became of one packet of the source.
enum class Verdict : std::uint8_t {
  not_run,        // the run ended before it
  identical,      // delivered, octet by octet as expected
  mismatched,     // delivered, and different
  not_delivered,  // it arrived, and the decompressor did not deliver it
  lost_on_link,
  not_compressed,  // the compressor did not put it on the link
  withheld,        // nothing was to be delivered, and nothing was
  unexpected,      // nothing was to be delivered, and something was
  delivered,       // delivered, and nobody said what was expected
  sent             // it is on the link, and there is no decompressor
};
[[nodiscard]] const char* name_of(Verdict verdict) noexcept;
[[nodiscard]] bool is_failure(Verdict verdict) noexcept;

struct Mismatch {
  std::optional<std::uint64_t> packet;  // of the source; nothing for a packet that the link inserted
  std::uint64_t time_ns = 0;
  std::size_t first_difference = 0;
  Octets expected, got;
};

// The book about one packet, kept when the job asks for records.
struct Record {
  std::optional<PacketOutput> compressed;
  Octets link;
  std::uint32_t header = 0;
  std::optional<LinkOutcome> outcome;
  struct Segment {
    Octets link;
    std::uint32_t header = 0;
    LinkOutcome outcome;
  };
  std::vector<Segment> segments;  // instead of the three above, where there may be several
  struct Arrival {
    std::uint64_t time_ns = 0;
    bool duplicate = false;
    PacketOutput output;
  };
  std::vector<Arrival> arrivals;
  std::vector<ReversePacket> feedback;   // what the decompressor wanted to say after it
  std::vector<ReversePacket> passed_on;  // what it found for the compressor at its own end
};

struct FeedbackCounts {
  std::uint64_t messages = 0, octets = 0;                    // taken from this direction's decompressor
  std::uint64_t received_messages = 0, received_octets = 0;  // given to this direction's compressor
  std::uint64_t discarded = 0;                               // there was no path, or nobody to give it to
  std::uint64_t waiting = 0;                                 // refused by the compressor to the end
};

class Direction {
 public:
  Direction(const Job& job, bool reverse);

  // ---- what the run does with it
  [[nodiscard]] const std::vector<SourcePacket>& source() const noexcept { return source_; }
  [[nodiscard]] bool reverse() const noexcept { return reverse_; }
  [[nodiscard]] bool exhausted() const noexcept { return next >= source_.size(); }

  // The compressor's output for packet `index`; without a compressor the packet itself. Returns the link packets: one,
  // several, or none.
  [[nodiscard]] std::vector<LinkPacket> note_compressed(std::size_t index, const PacketOutput* output);
  // What the compressor has put out at a deadline. Returns the link packets.
  [[nodiscard]] std::vector<LinkPacket> note_due(const std::vector<PacketOutput>& outputs);
  void note_sent(const LinkPacket& sent, const LinkOutcome& outcome, bool at_deadline = false);
  // The outputs of the decompressor for what has arrived: the first, and those that it put out behind it.
  void note_arrival(const Delivery& delivery, std::uint64_t now_ns, const PacketOutput& output);
  // What the decompressor has put out at a deadline.
  void note_due_arrivals(std::uint64_t now_ns, const std::vector<PacketOutput>& outputs);
  // A link packet that the carrier took and never put out: the place among those of its packet.
  void note_not_carried(std::uint64_t tag, std::size_t part);
  void note_feedback(std::uint64_t tag, const ReversePacket& feedback);
  void note_passed_on(std::uint64_t tag, const ReversePacket& feedback);
  // At the end: whoever arrived and was not delivered, or never arrived.
  void settle();

  // `ask_adapters`: whether their own statistics are wanted, too. `link`: what became of this direction's link packets.
  [[nodiscard]] std::uint64_t duration_ns() const;
  [[nodiscard]] Json result(const LinkCounts& link, bool ask_adapters) const;
  void append_records(Json& records) const;

  std::unique_ptr<Instance> compressor_instance, decompressor_instance;
  std::unique_ptr<Checked> compressor, decompressor;
  std::size_t next = 0;  // packet of the source that comes next
  FeedbackCounts feedback;

 private:
  [[nodiscard]] LinkPacket link_packet(std::size_t index, const PacketOutput& output) const;
  [[nodiscard]] LinkPacket note_given(std::size_t index);
  void spread_header(std::size_t index, OctetView octets, const PacketOutput& output, std::vector<LinkPacket>& packets);
  void note_output(const Delivery& delivery, std::uint64_t now_ns, const PacketOutput& output,
                   std::uint64_t link_octets);
  void note_other(const Delivery& delivery, std::uint64_t now_ns, const PacketOutput& output);
  void judge_tagged(std::size_t index, const Delivery& delivery, const PacketOutput& output, std::uint64_t now_ns);
  [[nodiscard]] std::optional<std::size_t> judge_packed(const Delivery& delivery, const PacketOutput& output,
                                                        std::uint64_t now_ns);
  [[nodiscard]] const SourcePacket* expected(std::size_t index) const noexcept;
  [[nodiscard]] Verdict judge(std::size_t index, const Delivery& delivery, const PacketOutput& output,
                              std::uint64_t now_ns);
  void add_mismatch(std::optional<std::uint64_t> packet, std::uint64_t now_ns, OctetView expected, OctetView got);
  [[nodiscard]] Json verdicts() const;
  [[nodiscard]] Json record(std::size_t index) const;
  [[nodiscard]] Json octets_or_length(OctetView octets) const;

  static constexpr std::size_t kMostMismatches = 16;  // kept with their octets; all are counted

  const Job& job_;
  const std::vector<SourcePacket>& source_;
  bool reverse_;
  std::vector<Verdict> verdicts_;
  std::vector<std::int8_t> last_status_;               // of the side that did not let it pass
  std::vector<std::uint32_t> sent_header_;             // octets of header on the link
  std::unordered_map<std::uint64_t, Octets> altered_;  // what is expected of packets whose payload was damaged
  std::unordered_map<std::uint64_t, bool> segmented_;  // packets that went as segments: whether the link lost one
  std::optional<Packed> packed_;                       // where the compressor packs
  std::vector<Mismatch> mismatches_;
  std::vector<Record> records_;
  std::vector<Json> other_records_;  // of packets that are not the source's
  std::unique_ptr<SideStatistics> compressor_statistics_, decompressor_statistics_;
  std::uint64_t duplicates_delivered_ = 0;
  std::uint64_t mismatch_count_ = 0;
  std::uint64_t inserted_delivered_ = 0;
  std::map<std::string, std::uint64_t> inserted_statuses_;
};

// The tag of a link packet that consists of feedback alone; below kInserted.
inline constexpr std::uint64_t kFeedbackTag = kInserted - 1;

}  // namespace headroom::replay

#endif  // HEADROOM_REPLAY_DIRECTION_H
