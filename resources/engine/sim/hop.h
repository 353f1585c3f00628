// SPDX-License-Identifier: Apache-2.0
//
// A hop carries packets one way on virtual time:
//
//     send -> compressor -> line -> decompressor -> receiver
//                 ^--------- feedback ---'
//
// Two hops that are each other's opposite make a connection: at each of its ends sit the compressor of one and the
// decompressor of the other. A hop on which another hop carries the link packets has no line of its own.
//
// A hop knows no job and judges nothing. A HopObserver sees what happens on the way.
#ifndef HEADROOM_SIM_HOP_H
#define HEADROOM_SIM_HOP_H

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapter/checked.h"
#include "sim/header_on_link.h"
#include "sim/simulation.h"

namespace headroom::sim {

// The ways in which a decompressor's feedback reaches the compressor of its hop, at the far end.
enum class FeedbackPath : std::uint8_t {
  none,          // it is discarded
  own,           // on a line of its own
  interspersed,  // as link packets among those of the opposite hop
  piggybacked    // in front of the next packet of the opposite hop
};
[[nodiscard]] const char* name_of(FeedbackPath path) noexcept;

// The tag of a link packet that consists of feedback alone; below kInserted.
inline constexpr std::uint64_t kFeedbackTag = kInserted - 1;

struct HopPacket {
  OctetView octets;  // valid during the call
  std::uint32_t channel = 0;
  std::uint16_t type = HEADROOM_TYPE_DEFAULT;
  // The octets in front of the payload, for the effect of bit errors. For a link packet (on a hop without a
  // compressor): the octets of its header, or all octets if this is not known.
  std::uint32_t header_length = kUnknownLength;
  std::uint64_t tag = 0;  // set by the user; below kFeedbackTag
};

// The outcome of compressing one packet.
struct Compressed {
  bool is_taken = true;             // True if the link packets are sent now, or later if the compressor packs
  std::size_t link_octets = 0;      // octets of all its link packets
  std::uint32_t header_length = 0;  // octets of header in them
};

// A link packet that has left its sender; its octets have been moved away.
struct SentPacket {
  std::uint64_t tag;
  std::uint32_t channel;
  std::uint32_t header_length;
  std::size_t length;  // octets
  bool at_deadline;    // True if the compressor put it out at a deadline, without a packet
};

struct FeedbackCounts {
  std::uint64_t messages = 0, octets = 0;                    // feedback for the far end, taken from the decompressor
  std::uint64_t received_messages = 0, received_octets = 0;  // feedback given to the compressor
  std::uint64_t discarded = 0;                               // without a path, or for a compressor without feedback
  std::uint64_t unclaimed = 0;                               // feedback for the compressor of a missing opposite hop
};

// HopObserver observes the events of a hop at the moment at which they happen. REQUIRES: no function calls the hop.
class HopObserver {
 public:
  virtual ~HopObserver() = default;

  // `output` is nullptr on a hop without a compressor. Called before any link packet of `packet` is sent.
  virtual void on_compressed(const HopPacket& /*packet*/, const PacketOutput* /*output*/, const Compressed& /*made*/) {}
  // Returns the tag for a link packet that a compressor puts out on `channel` for no packet of that channel.
  [[nodiscard]] virtual std::uint64_t tag_of_due(std::uint32_t /*channel*/) { return kInserted; }
  // Called when a link packet or feedback leaves its sender, before the line changes it.
  virtual void on_leaving(const LinkPacket& /*packet*/, bool /*on_feedback_line*/) {}
  // Called with the outcome of a link packet on the line. If another hop carries the packet, the outcome is that it was
  // handed over.
  virtual void on_sent(const SentPacket& /*packet*/, const LinkOutcome& /*outcome*/) {}
  // Called with the decompressor's output for an arrival, and with output at a deadline.
  virtual void on_arrival(const Delivery& /*delivery*/, const PacketOutput& /*output*/) {}
  virtual void on_due_arrival(const PacketOutput& /*output*/) {}
  // Called with the decompressor's feedback after the arrival of a link packet with this tag; kNever at a deadline. The
  // type names the compressor that it is for.
  virtual void on_feedback(std::uint64_t /*tag*/, const ReversePacket& /*element*/) {}
};

struct LineConfig {
  Impairment impairment{};
  std::uint64_t seed = 0;
  Line::Tap tap{};  // may be empty
};

struct HopConfig {
  // Receives the packets that come out at one moment, in order: at least one packet. The receiver may move from them.
  using Receiver = std::function<void(std::span<PacketOutput> packets)>;
  // Sends a link packet instead of the line. Its deliveries at the other end are passed to Hop::receive.
  using Carry = std::function<void(LinkPacket packet)>;

  Checked* compressor = nullptr;    // nullptr: link packets are sent
  Checked* decompressor = nullptr;  // nullptr: the hop ends on the line
  std::size_t burst = 1;            // largest number of link packets in one call of the decompressor
  bool is_all_header = false;       // True if every bit error in a link packet counts as one in its header
  LineConfig line{};
  Carry carry{};  // if set, the hop has no line
  FeedbackPath path = FeedbackPath::none;
  LineConfig feedback{};            // the line of FeedbackPath::own; what a script inserts arrives on any path
  Receiver receiver{};              // may be empty
  HopObserver* observer = nullptr;  // may be nullptr
};

// All functions that call an adapter throw PromiseBroken.
class Hop final : public Host {
 public:
  // Adds its lines to `simulation`. The user adds the hop itself, after the host that sends on it, because the hop
  // acts at the deadlines of its adapters. REQUIRES: everything that `config` refers to outlives the hop.
  Hop(Simulation& simulation, HopConfig config);
  Hop(const Hop&) = delete;
  Hop& operator=(const Hop&) = delete;

  // Makes two hops each other's opposite. The paths interspersed and piggybacked need an opposite hop, interspersed one
  // with a line.
  static void join(Hop& one, Hop& other) noexcept;

  // Compresses packets in one call, and sends their link packets now.
  void send(std::span<const HopPacket> burst);
  // Declares that no packet follows: endless deadlines are a broken promise from now on.
  void close() noexcept { closed_ = true; }
  // Takes the deliveries of packets sent by HopConfig::carry.
  void receive(std::span<Delivery> deliveries);
  // Passes feedback to the compressor, as if it came from the decompressor at the compressor's end.
  void give_feedback(const ReversePacket& element);
  // Works as CheckedInstance::control. `tag` is the tag of the packet before which it happens.
  [[nodiscard]] std::optional<std::string> control(headroom_role role, const std::string& message, std::uint64_t tag);

  // Returns the counts of the line. REQUIRES: the hop has a line.
  [[nodiscard]] LinkCounts line_counts() const { return line_->counts(); }
  // Returns the time at which the line, which has no slots, has sent all packets that it holds now: for a queue in
  // front of the compressor.
  [[nodiscard]] std::uint64_t busy_until_ns() const noexcept { return line_->busy_until_ns(); }
  // Returns the counts of the line of FeedbackPath::own.
  [[nodiscard]] LinkCounts feedback_line_counts() const { return feedback_line_->counts(); }
  [[nodiscard]] const FeedbackCounts& feedback() const noexcept { return feedback_; }
  // Returns the number of feedback elements that wait for the next packet of the opposite hop.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

  // True if an adapter of this hop has thrown PromiseBroken.
  [[nodiscard]] bool has_failed() const noexcept { return is_calling_; }
  // Returns the tag of the packet that the last call was for, or kNever if it was for no packet.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

  [[nodiscard]] std::uint64_t next_ns() const override;
  void act() override;

 private:
  template <typename Call>
  auto call(Call&& call) const;
  [[nodiscard]] std::uint64_t deadline_of(Checked* side) const;
  void give_waiting_feedback();
  void send_given(const HopPacket& packet);
  void send_compressed(const HopPacket& packet, PacketOutput& output);
  void send_due(PacketOutput& output, bool at_deadline);
  void transmit(LinkPacket packet, bool at_deadline);
  void receive_burst(std::span<const Delivery> burst);
  void receive_due();
  void collect_feedback(std::uint64_t tag);
  void send_feedback(ReversePacket element);
  void intersperse(LinkPacket packet);
  void hand_on(std::vector<PacketOutput>& outputs);

  Simulation& simulation_;
  HopConfig config_;
  HopObserver no_observer_;
  HopObserver& observer_;
  bool packs_;
  Line* line_ = nullptr;
  Line* feedback_line_ = nullptr;
  Hop* opposite_ = nullptr;
  std::deque<ReversePacket> waiting_;  // FeedbackPath::piggybacked
  FeedbackCounts feedback_;
  bool closed_ = false;
  int acts_ = 0;  // since it was closed
  std::uint64_t position_ = kNever;
  mutable bool is_calling_ = false;
  std::vector<PacketInput> inputs_;                 // of the call
  std::vector<PacketOutput> compressed_, arrived_;  // memory of the last outputs, for the next
};

}  // namespace headroom::sim

#endif  // HEADROOM_SIM_HOP_H
