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
  OctetView octets;  // that are valid during the call
  std::uint32_t channel = 0;
  std::uint16_t type = HEADROOM_TYPE_DEFAULT;
  // Octets in front of its payload, for what bit errors do. Of a link packet (a hop without a compressor): that are
  // header; all, if it is not known.
  std::uint32_t header_length = kUnknownLength;
  std::uint64_t tag = 0;  // the user's; below kFeedbackTag
};

// The outcome of compressing one packet.
struct Compressed {
  bool is_taken = true;             // its link packets are sent now, or later where the compressor packs
  std::size_t link_octets = 0;      // of its link packets together
  std::uint32_t header_length = 0;  // the part of them that is header
};

// A link packet behind its sender, which has given its octets away.
struct SentPacket {
  std::uint64_t tag;
  std::uint32_t channel;
  std::uint32_t header_length;
  std::size_t length;  // octets
  bool at_deadline;    // the compressor put it out though no packet came
};

struct FeedbackCounts {
  std::uint64_t messages = 0, octets = 0;                    // for the far end, taken from the decompressor
  std::uint64_t received_messages = 0, received_octets = 0;  // given to the compressor
  std::uint64_t discarded = 0;                               // without a path, or for a compressor that takes none
  std::uint64_t unclaimed = 0;                               // for the compressor of an opposite that is not there
};

// Sees what happens on a hop, at the moment at which it does. REQUIRES: no function calls the hop.
class HopObserver {
 public:
  virtual ~HopObserver() = default;

  // `output` is nullptr on a hop without a compressor. Called before any link packet of `packet` is sent.
  virtual void on_compressed(const HopPacket& /*packet*/, const PacketOutput* /*output*/, const Compressed& /*made*/) {}
  // The tag of a link packet that a compressor puts out on `channel` for no packet of that channel.
  [[nodiscard]] virtual std::uint64_t tag_of_due(std::uint32_t /*channel*/) { return kInserted; }
  // A link packet, or feedback, leaves its sender; the line has done nothing to it yet.
  virtual void on_leaving(const LinkPacket& /*packet*/, bool /*on_feedback_line*/) {}
  // Called with the outcome of a link packet on the line. If another hop carries it, the outcome is that it was handed
  // over.
  virtual void on_sent(const SentPacket& /*packet*/, const LinkOutcome& /*outcome*/) {}
  // Called with the decompressor's output for an arrival, and for nothing at a deadline.
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
  // Takes what comes out at one moment, in order: at least one packet. They are the receiver's to move from.
  using Receiver = std::function<void(std::span<PacketOutput> packets)>;
  // Takes a link packet in place of the line. What comes out at its other end is handed to Hop::receive.
  using Carry = std::function<void(LinkPacket packet)>;

  Checked* compressor = nullptr;    // nullptr: link packets are sent
  Checked* decompressor = nullptr;  // nullptr: the hop ends on the line
  std::size_t burst = 1;            // link packets that the decompressor gets in one call, at most
  bool is_all_header = false;       // a bit error anywhere in a link packet is one in its header
  LineConfig line{};
  Carry carry{};  // unless empty, there is no line
  FeedbackPath path = FeedbackPath::none;
  LineConfig feedback{};            // the line of FeedbackPath::own; what a script inserts arrives on any path
  Receiver receiver{};              // may be empty
  HopObserver* observer = nullptr;  // may be nullptr
};

// All functions that call an adapter throw PromiseBroken.
class Hop final : public Host {
 public:
  // Adds its lines to `simulation`. The user adds the hop itself, behind the host that sends on it: it acts at the
  // deadlines of its adapters. All that `config` names outlives the hop.
  Hop(Simulation& simulation, HopConfig config);
  Hop(const Hop&) = delete;
  Hop& operator=(const Hop&) = delete;

  // Makes two hops each other's opposite. The paths interspersed and piggybacked need one, interspersed one with a
  // line.
  static void join(Hop& one, Hop& other) noexcept;

  // Compresses packets in one call, and sends what comes of them now.
  void send(std::span<const HopPacket> burst);
  // No packet is to follow: from now on deadlines without end are a broken promise.
  void close() noexcept { closed_ = true; }
  // Takes what has arrived by HopConfig::carry.
  void receive(std::span<Delivery> deliveries);
  // Hands an element to the compressor, as if it had come out of the decompressor at its end.
  void give_feedback(const ReversePacket& element);
  // As CheckedInstance::control. `tag`: of the packet before which it happens.
  [[nodiscard]] std::optional<std::string> control(headroom_role role, const std::string& message, std::uint64_t tag);

  // The counts of the line. REQUIRES: the hop has one.
  [[nodiscard]] LinkCounts line_counts() const { return line_->counts(); }
  // The time at which the line, which has no slots, has sent all packets that it holds now: for a queue in front of the
  // compressor.
  [[nodiscard]] std::uint64_t busy_until_ns() const noexcept { return line_->busy_until_ns(); }
  // The counts of the line of FeedbackPath::own.
  [[nodiscard]] LinkCounts feedback_line_counts() const { return feedback_line_->counts(); }
  [[nodiscard]] const FeedbackCounts& feedback() const noexcept { return feedback_; }
  // Elements that wait for the next packet of the opposite hop.
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

  // True if an adapter of this hop has thrown PromiseBroken.
  [[nodiscard]] bool has_failed() const noexcept { return is_calling_; }
  // The tag of the packet that the last call was about; kNever if it was about none.
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
