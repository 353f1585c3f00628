// SPDX-License-Identifier: Apache-2.0
#include "replay/run.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/identity.h"
#include "link/digest.h"
#include "link/report.h"
#include "replay/captures.h"
#include "replay/direction.h"
#include "sim/simulation.h"

namespace headroom::replay {
namespace {

using sim::kNever;

constexpr std::uint64_t kLeastTimingNs = 5'000'000;  // so that the counter's rate is good to about a thousandth
constexpr int kMostFeedbackInARow = 10'000;          // one burst cannot honestly cause more
constexpr int kMostDeadlinesAtTheEnd = 10'000;       // the last packets cannot cause more

// Endpoint A holds the forward compressor and the reverse decompressor, endpoint B the other two.
class Run {
 public:
  explicit Run(const Job& job) : job_(job), captures_(job) {
    if (job.carrier) carrier_.emplace(*job.carrier);
    for (const bool reverse : {false, true}) {
      if (reverse && !job.reverse) break;
      directions_[reverse] = std::make_unique<Direction>(job, reverse);
      connect(reverse);
      senders_[reverse].emplace(*this, reverse);
      Direction& d = direction(reverse);
      timers_[reverse].emplace(*this, reverse, Timer::Sides{d.compressor.get(), d.decompressor.get()});
      simulation_.add(*senders_[reverse]);
      simulation_.add(*timers_[reverse]);
      if (job.carrier) {
        carrier_timer_.emplace(*this, reverse, Timer::Sides{&carrier_->compressor(), carrier_->decompressor(), true});
        simulation_.add(*carrier_timer_);
      }
      if (!job.timing) continue;
      for (Checked* side : {direction(reverse).compressor.get(), direction(reverse).decompressor.get()}) {
        if (side != nullptr) side->time_calls(cycles_);
      }
    }
  }

  Json execute() {
    Json broken = nullptr;
    try {
      simulation_.run();
      for (const bool reverse : {false, true}) {
        if (!directions_[reverse]) continue;
        direction(reverse).feedback.waiting = waiting_[reverse].size();
        if (carrier_) {
          for (const Carrier::Missing& one : carrier_->missing())
            direction(reverse).note_not_carried(one.tag, one.part);
        }
        direction(reverse).settle();
      }
    } catch (const PromiseBroken& promise) {
      broken = {{"side", (in_carrier_ ? "carrier-" : "") + std::string(headroom::name_of(promise.role()))},
                {"direction", current_reverse_ ? "reverse" : "forward"},
                {"function", promise.function()},
                {"packet", current_packet_ == kNever ? Json(nullptr) : Json(current_packet_)},
                {"message", promise.sentence()}};
    }
    captures_.close();
    return result(std::move(broken));
  }

 private:
  // Sends the packets of one direction, in bursts.
  class Sender final : public sim::Host {
   public:
    Sender(Run& run, bool reverse) : run_(run), reverse_(reverse) {}

    // A burst is complete when its last packet is there.
    [[nodiscard]] std::uint64_t next_ns() const override {
      const Direction& d = run_.direction(reverse_);
      return d.exhausted() ? kNever : d.source()[run_.burst_end(reverse_) - 1].time_ns;
    }
    void act() override { run_.send_burst(reverse_); }

   private:
    Run& run_;
    bool reverse_;
  };

  // Drains what adapters of one direction, or of its carrier, put out though no packet comes.
  class Timer final : public sim::Host {
   public:
    struct Sides {
      Checked* compressor;
      Checked* decompressor;
      bool carrier = false;
    };

    Timer(Run& run, bool reverse, Sides sides) : run_(run), d_(run.direction(reverse)), sides_(sides) {}

    [[nodiscard]] std::uint64_t next_ns() const override {
      return std::min(deadline_of(sides_.compressor), deadline_of(sides_.decompressor));
    }
    void act() override {
      const bool compressor = deadline_of(sides_.compressor) <= deadline_of(sides_.decompressor);
      // While packets are to come, deadlines end with the next of them.
      if (d_.exhausted() && ++acts_ > kMostDeadlinesAtTheEnd) {
        run_.in_carrier_ = sides_.carrier;
        throw PromiseBroken((compressor ? sides_.compressor : sides_.decompressor)->instance(), "next_deadline",
                            "one deadline follows another without end, though no packet comes.");
      }
      if (deadline_of(sides_.compressor) <= run_.now_ns()) {
        sides_.carrier ? run_.carry_due() : run_.send_due(d_.reverse());
      }
      if (deadline_of(sides_.decompressor) <= run_.now_ns()) {
        sides_.carrier ? run_.receive_carried_due() : run_.receive_due(d_.reverse());
      }
    }

   private:
    [[nodiscard]] std::uint64_t deadline_of(Checked* side) const {
      run_.in_carrier_ = sides_.carrier;
      const std::uint64_t deadline = side != nullptr ? side->next_deadline() : kNever;
      run_.in_carrier_ = false;
      return deadline < sim::kWhenIdle ? deadline : kNever;  // a time that never comes
    }

    Run& run_;
    Direction& d_;
    Sides sides_;
    int acts_ = 0;  // behind the last packet of the source
  };

  Direction& direction(bool reverse) { return *directions_[reverse]; }
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return simulation_.now_ns(); }

  // The links of a direction: to its decompressor, and on a channel of its own for feedback to its compressor.
  void connect(bool reverse) {
    sim::Line::Receiver receiver;
    if (direction(reverse).decompressor) {
      receiver = [this, reverse](std::span<const Delivery> burst) {
        carrier_ ? receive_carried(burst) : decompress(reverse, burst);
      };
    }
    links_[reverse] = &simulation_.connect(reverse ? job_.backward : job_.forward,
                                           derive(job_.seed, reverse ? 0x72657665 : 0x666F7277), job_.burst,
                                           tap_of(reverse), std::move(receiver));
    feedback_links_[reverse] =
        &simulation_.connect(job_.feedback, derive(job_.seed, reverse ? 0x66627265 : 0x6662666F), 1, tap_of(!reverse),
                             [this, reverse](std::span<const Delivery> burst) {
                               if (burst.front().error) return;  // a channel for feedback carries no reports
                               const LinkPacket& packet = burst.front().packet;
                               give_feedback(reverse, {packet.octets, packet.channel, HEADROOM_REVERSE_NEAR});
                             });
  }

  sim::Line::Tap tap_of(bool reverse) {
    return [this, reverse](const LinkPacket& packet, const std::string& comment) {
      captures_.link(reverse, now_ns(), packet, comment);
    };
  }

  // ---- sending

  // Packets of the source that go together: up to `burst`, never across a control message.
  std::size_t burst_end(bool reverse) {
    Direction& d = direction(reverse);
    std::size_t end = std::min(d.source().size(), d.next + job_.burst);
    for (const ControlStep& step : job_.control) {
      if (step.reverse == reverse && step.before > d.next && step.before < end)
        end = static_cast<std::size_t>(step.before);
    }
    return end;
  }

  void send_burst(bool reverse) {
    Direction& d = direction(reverse);
    apply_control(reverse, d.next);
    const std::size_t begin = d.next;
    const std::size_t end = burst_end(reverse);
    d.next = end;
    note_position(reverse, begin);
    std::vector<PacketOutput> outputs;
    if (d.compressor) {
      send_waiting_feedback(reverse);
      std::vector<PacketInput> inputs;
      for (std::size_t i = begin; i < end; ++i)
        inputs.push_back({d.source()[i].octets, d.source()[i].channel, d.source()[i].type});
      outputs = d.compressor->process(inputs, now_ns());
    }
    for (std::size_t i = begin; i < end; ++i) {
      captures_.source(reverse, d.source()[i].time_ns, d.source()[i].type, d.source()[i].octets);
      send(d, d.note_compressed(i, d.compressor ? &outputs[i - begin] : nullptr));
    }
  }

  void send_due(bool reverse) {
    Direction& d = direction(reverse);
    note_position(reverse, kNever);
    send(d, d.note_due(d.compressor->drain_due(now_ns())), true);
  }

  void send(Direction& d, const std::vector<LinkPacket>& packets, bool at_deadline = false) {
    for (const LinkPacket& packet : packets) {
      if (carrier_) {
        d.note_sent(packet, {}, at_deadline);  // what the carrier makes of it is known at the end
        carry(packet);
        continue;
      }
      digest_.add(d.reverse() ? 1 : 0, packet.channel, packet.octets, packet.type);
      d.note_sent(packet, links_[d.reverse()]->send(packet), at_deadline);
    }
  }

  // ---- the carrier

  // Whether an exception comes out of the carrier is known by `in_carrier_`, which then stays true.
  template <typename Call>
  auto of_carrier(Call&& call) {
    in_carrier_ = true;
    auto result = call();
    in_carrier_ = false;
    return result;
  }

  void carry(const LinkPacket& packet) {
    transmit(of_carrier([&] { return carrier_->take(packet, now_ns()); }), false);
  }

  void carry_due() {
    transmit(of_carrier([&] { return carrier_->take_due(now_ns()); }), true);
  }

  void transmit(const std::vector<LinkPacket>& packets, bool at_deadline) {
    for (const LinkPacket& packet : packets) {
      digest_.add(0, packet.channel, packet.octets, packet.type);
      carrier_->note_sent(packet, links_[0]->send(packet), at_deadline);
    }
  }

  void receive_carried(std::span<const Delivery> burst) {
    decompress_carried(of_carrier([&] { return carrier_->receive(burst, now_ns()); }));
  }

  void receive_carried_due() {
    decompress_carried(of_carrier([&] { return carrier_->receive_due(now_ns()); }));
  }

  void decompress_carried(std::span<const Delivery> inner) {
    for (; !inner.empty(); inner = inner.subspan(std::min<std::size_t>(inner.size(), job_.burst)))
      decompress(false, inner.first(std::min<std::size_t>(inner.size(), job_.burst)));
  }

  void apply_control(bool reverse, std::uint64_t index) {
    for (const ControlStep& step : job_.control) {
      if (step.reverse != reverse || step.before != index) continue;
      Direction& d = direction(reverse);
      Checked& side = step.role == HEADROOM_COMPRESSOR ? *d.compressor : *d.decompressor;
      note_position(reverse, index);
      if (step.message.empty()) {
        give_feedback(reverse, step.feedback);
        continue;
      }
      if (const std::optional<std::string> sentence = side.control(step.message)) {
        throw Error(ErrorKind::adapter,
                    "the adapter's " + std::string(headroom::name_of(step.role)) + " refuses the control message " +
                        step.message + ": " + *sentence,
                    step.where);
      }
    }
  }

  // ---- receiving

  void decompress(bool reverse, std::span<const Delivery> burst) {
    Direction& d = direction(reverse);
    note_position(reverse, burst.front().packet.tag < kFeedbackTag ? burst.front().packet.tag : kNever);
    std::vector<PacketInput> inputs;
    for (const Delivery& delivery : burst) {
      const std::uint16_t type = delivery.error ? std::uint16_t{HEADROOM_TYPE_LOST} : delivery.packet.type;
      inputs.push_back({delivery.packet.octets, delivery.packet.channel, type});
    }
    const std::vector<PacketOutput> outputs = d.decompressor->process(inputs, now_ns());
    for (std::size_t i = 0; i < burst.size(); ++i) d.note_arrival(burst[i], now_ns(), outputs[i]);
    capture_decompressed(reverse, outputs);
    collect_feedback(reverse, burst.back().packet.tag);
  }

  void receive_due(bool reverse) {
    Direction& d = direction(reverse);
    note_position(reverse, kNever);
    const std::vector<PacketOutput> outputs = d.decompressor->drain_due(now_ns());
    d.note_due_arrivals(now_ns(), outputs);
    capture_decompressed(reverse, outputs);
    collect_feedback(reverse, kNever);
  }

  void capture_decompressed(bool reverse, const std::vector<PacketOutput>& outputs) {
    for (const PacketOutput& output : outputs) {
      if (output.came_out()) captures_.decompressed(reverse, now_ns(), output.type, output.octets);
      capture_decompressed(reverse, output.more);
    }
  }

  // ---- feedback

  void collect_feedback(bool reverse, std::uint64_t tag) {
    Direction& d = direction(reverse);
    for (int i = 0;; ++i) {
      std::optional<ReversePacket> packet = d.decompressor->take_reverse(now_ns());
      if (!packet) break;
      if (i == kMostFeedbackInARow)
        throw PromiseBroken(*d.decompressor_instance, "take_reverse", "it never stops returning packets.");
      if (packet->type == HEADROOM_REVERSE_FAR) {
        d.note_feedback(tag, *packet);
        send_feedback(reverse, std::move(*packet));
      } else {
        d.note_passed_on(tag, *packet);
        // What came in with the packets of one direction is for the compressor of the other, which sits at the same
        // end.
        give_feedback(!reverse, *packet);
      }
    }
  }

  static LinkPacket feedback_packet(ReversePacket element) {
    LinkPacket packet;
    packet.header_length = static_cast<std::uint32_t>(element.octets.size());
    packet.octets = std::move(element.octets);
    packet.channel = element.channel;
    packet.tag = kFeedbackTag;
    return packet;
  }

  // Sends what the decompressor of a direction says to the compressor of the same direction at the far end.
  void send_feedback(bool reverse, ReversePacket element) {
    switch (job_.path) {
      case FeedbackPath::none:
        ++direction(reverse).feedback.discarded;
        return;
      case FeedbackPath::own: {
        LinkPacket packet = feedback_packet(std::move(element));
        digest_.add(reverse ? 3 : 2, packet.channel, packet.octets);
        feedback_links_[reverse]->send(std::move(packet), "feedback channel");
        return;
      }
      case FeedbackPath::interspersed: {
        LinkPacket packet = feedback_packet(std::move(element));
        digest_.add(reverse ? 0 : 1, packet.channel, packet.octets);
        links_[!reverse]->send(std::move(packet), "feedback");
        return;
      }
      case FeedbackPath::piggybacked:
        waiting_[reverse].push_back(std::move(element));
        return;
    }
  }

  // Before a direction sends: what the decompressor at its own end, that of the other direction, wants to go with it.
  void send_waiting_feedback(bool reverse) {
    std::deque<ReversePacket>& waiting = waiting_[!reverse];
    while (!waiting.empty() && direction(reverse).compressor->give_reverse(waiting.front(), now_ns()))
      waiting.pop_front();
  }

  void give_feedback(bool reverse, const ReversePacket& element) {
    if (!directions_[reverse] || !direction(reverse).compressor ||
        direction(reverse).compressor_instance->api().give_reverse == nullptr) {
      if (directions_[reverse]) ++direction(reverse).feedback.discarded;
      if (!directions_[reverse]) ++unclaimed_;
      return;
    }
    Direction& d = direction(reverse);
    note_position(reverse, kNever);
    ++d.feedback.received_messages;
    d.feedback.received_octets += element.octets.size();
    d.compressor->give_reverse(element, now_ns());
  }

  // ---- result

  void note_position(bool reverse, std::uint64_t packet) {
    current_reverse_ = reverse;
    current_packet_ = packet;
  }

  Json feedback_json(bool reverse) {
    const FeedbackCounts& counts = direction(reverse).feedback;
    Json json = {{"path", name_of(job_.path)},
                 {"sent", {{"messages", counts.messages}, {"octets", counts.octets}}},
                 {"received", {{"messages", counts.received_messages}, {"octets", counts.received_octets}}},
                 {"discarded", counts.discarded},
                 {"waiting", counts.waiting}};
    if (job_.path != FeedbackPath::own) return json;
    const LinkCounts link = feedback_links_[reverse]->counts();
    json["lost"] = lost_json(link);
    json["script_missed"] = link.script_missed;
    return json;
  }

  static Json json_of(const CaptureCounts& counts) {
    return {{"cut_short", counts.truncated},
            {"too_long", counts.too_long},
            {"something_else", counts.others},
            {"other_sender", counts.other_sender},
            {"without_length", counts.without_length}};
  }

  // The median time of a packet; null when there was none.
  Json ns(const Checked& side) const {
    const std::optional<double> cycles = side.median_cycles();
    return cycles ? Json(*cycles * 1e9 / cycles_.measured_hz(kLeastTimingNs)) : Json(nullptr);
  }

  Json result(Json broken) {
    Json json = {{"engine", engine_identity()}, {"seed", job_.seed}, {"burst", job_.burst}};
    const bool ask_adapters = broken.is_null();  // one that broke a promise is not asked anything more
    const Direction& forward = *directions_[0];
    json["compressor"] = forward.compressor ? identity(*forward.compressor_instance) : Json(nullptr);
    json["decompressor"] = forward.decompressor ? identity(*forward.decompressor_instance) : Json(nullptr);
    json["promise_broken"] = std::move(broken);
    for (const bool reverse : {false, true}) {
      if (!directions_[reverse]) continue;
      Json& entry = json[reverse ? "reverse" : "forward"];
      const LinkCounts link = links_[reverse]->counts();
      entry = direction(reverse).result(carrier_ ? carrier_->carried_counts() : link, ask_adapters);
      if (carrier_) entry["carrier"] = carrier_->result(link, direction(reverse).duration_ns(), ask_adapters);
      entry["feedback"] = feedback_json(reverse);
      if (job_.captured) entry["source"]["capture"] = json_of(*job_.captured);
      if (!job_.timing) continue;
      if (direction(reverse).compressor) entry["compressor"]["ns_per_packet"] = ns(*direction(reverse).compressor);
      if (direction(reverse).decompressor)
        entry["decompressor"]["ns_per_packet"] = ns(*direction(reverse).decompressor);
    }
    json["link_sha256"] = digest_.finish();
    json["feedback_unclaimed"] = unclaimed_;
    json["control_missed"] = std::count_if(job_.control.begin(), job_.control.end(), [this](const ControlStep& step) {
      return step.before >= direction(step.reverse).source().size();
    });
    if (job_.records != Records::none) {
      Json records = Json::array();
      for (const auto& direction : directions_) {
        if (direction) direction->append_records(records);
      }
      json["records"] = std::move(records);
    }
    return json;
  }

  const Job& job_;
  const Cycles cycles_;
  Captures captures_;
  std::array<std::unique_ptr<Direction>, 2> directions_;
  sim::Simulation simulation_;
  std::array<std::optional<Sender>, 2> senders_;
  std::array<std::optional<Timer>, 2> timers_;
  std::optional<Carrier> carrier_;  // of the forward direction
  std::optional<Timer> carrier_timer_;
  bool in_carrier_ = false;
  std::array<sim::Line*, 2> links_{}, feedback_links_{};
  std::array<std::deque<ReversePacket>, 2> waiting_;  // by the direction that it is about
  std::uint64_t unclaimed_ = 0;
  LinkDigest digest_;
  bool current_reverse_ = false;
  std::uint64_t current_packet_ = kNever;
};

}  // namespace

Json run(const Job& job) { return Run(job).execute(); }

}  // namespace headroom::replay
