// SPDX-License-Identifier: Apache-2.0
#include "sim/hop.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace headroom::sim {
namespace {

constexpr int kMostFeedbackInARow = 10'000;     // one burst cannot honestly cause more
constexpr int kMostDeadlinesAtTheEnd = 10'000;  // the last packets cannot cause more

void add_inputs(std::vector<PacketInput>& inputs, std::span<const Delivery> burst) {
  for (const Delivery& delivery : burst) {
    const std::uint16_t type = delivery.error ? std::uint16_t{HEADROOM_TYPE_LOST} : delivery.packet.type;
    inputs.push_back({delivery.packet.octets, delivery.packet.channel, type});
  }
}

LinkPacket link_packet(Octets octets, std::uint32_t channel, std::uint16_t type, std::uint64_t tag,
                       std::uint32_t header_length) {
  LinkPacket packet;
  packet.octets = std::move(octets);
  packet.channel = channel;
  packet.type = type;
  packet.tag = tag;
  packet.header_length = header_length;
  return packet;
}

std::uint32_t length_of(const Octets& octets) { return static_cast<std::uint32_t>(octets.size()); }

LinkPacket feedback_packet(ReversePacket element) {
  const std::uint32_t length = length_of(element.octets);
  return link_packet(std::move(element.octets), element.channel, HEADROOM_TYPE_DEFAULT, kFeedbackTag, length);
}

}  // namespace

const char* name_of(FeedbackPath path) noexcept {
  switch (path) {
    case FeedbackPath::none:
      return "none";
    case FeedbackPath::own:
      return "own";
    case FeedbackPath::interspersed:
      return "interspersed";
    case FeedbackPath::piggybacked:
      return "piggybacked";
  }
  return "";
}

Hop::Hop(Simulation& simulation, HopConfig config)
    : simulation_(simulation),
      config_(std::move(config)),
      observer_(config_.observer != nullptr ? *config_.observer : no_observer_),
      packs_(config_.compressor != nullptr && config_.compressor->instance().packs()) {
  Line::Receiver receiver;
  if (config_.decompressor != nullptr) receiver = [this](std::span<Delivery> burst) { receive_burst(burst); };
  LineConfig& line = config_.line;
  if (!config_.carry) {
    line_ = &simulation.connect(std::move(line.impairment), line.seed, config_.burst, std::move(line.tap),
                                std::move(receiver));
  }
  LineConfig& feedback = config_.feedback;
  feedback_line_ = &simulation.connect(
      std::move(feedback.impairment), feedback.seed, 1, std::move(feedback.tap), [this](std::span<Delivery> burst) {
        if (burst.front().error) return;  // a line for feedback carries no reports
        LinkPacket& packet = burst.front().packet;
        give_feedback({std::move(packet.octets), packet.channel, HEADROOM_REVERSE_NEAR});
      });
}

void Hop::join(Hop& one, Hop& other) noexcept {
  one.opposite_ = &other;
  other.opposite_ = &one;
}

// Stays true after an exception.
template <typename Call>
auto Hop::call(Call&& call) const {
  is_calling_ = true;
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    is_calling_ = false;
  } else {
    auto result = call();
    is_calling_ = false;
    return result;
  }
}

// ---------------------------------------------------------------------------------------------------------- sending

void Hop::send(std::span<const HopPacket> burst) {
  if (burst.empty()) return;
  position_ = burst.front().tag;
  if (config_.compressor == nullptr) {
    for (const HopPacket& packet : burst) send_given(packet);
    return;
  }
  give_waiting_feedback();
  inputs_.clear();
  for (const HopPacket& packet : burst) inputs_.push_back({packet.octets, packet.channel, packet.type});
  std::vector<PacketOutput> outputs = std::exchange(compressed_, {});
  call([&] { config_.compressor->process(inputs_, simulation_.now_ns(), outputs); });
  for (std::size_t i = 0; i < burst.size(); ++i) send_compressed(burst[i], outputs[i]);
  compressed_ = std::move(outputs);
}

// What the decompressor at this end, that of the opposite hop, wants to go with the next packet.
void Hop::give_waiting_feedback() {
  if (opposite_ == nullptr) return;
  std::deque<ReversePacket>& waiting = opposite_->waiting_;
  while (!waiting.empty() &&
         call([&] { return config_.compressor->give_reverse(waiting.front(), simulation_.now_ns()); }))
    waiting.pop_front();
}

void Hop::send_given(const HopPacket& packet) {
  const std::size_t length = packet.octets.size();
  const auto header = static_cast<std::uint32_t>(std::min<std::size_t>(packet.header_length, length));
  observer_.on_compressed(packet, nullptr, {true, length, header});
  transmit(link_packet({packet.octets.begin(), packet.octets.end()}, packet.channel, packet.type, packet.tag, header),
           false);
}

void Hop::send_compressed(const HopPacket& packet, PacketOutput& output) {
  const bool is_taken = output.came_out() || (packs_ && output.status == HEADROOM_NOTHING);
  const auto with_each = [&output](auto&& take) {
    take(output);
    for (PacketOutput& more : output.more) take(more);
  };
  // After a packet an adapter also puts out what is due by then on other channels, of which that packet is no part.
  const auto is_part = [&](const PacketOutput& one) {
    return is_taken && one.came_out() && one.channel == packet.channel;
  };
  Octets joined;
  const Octets* octets = nullptr;  // of all parts
  with_each([&](const PacketOutput& one) {
    if (!is_part(one)) return;
    if (octets == nullptr) {
      octets = &one.octets;
      return;
    }
    if (octets != &joined) joined = *octets;
    joined.insert(joined.end(), one.octets.begin(), one.octets.end());
    octets = &joined;
  });
  Compressed made{is_taken, 0, 0};
  if (octets != nullptr) {
    made.link_octets = octets->size();
    made.header_length = config_.is_all_header || packs_
                             ? length_of(*octets)
                             : header_on_link(*octets, packet.octets, packet.header_length, &output.detail);
  }
  observer_.on_compressed(packet, &output, made);
  // The header of a packet stands at its front: it is spread over the link packets as they come. What the link may do
  // to a header it may do to their type octets, and to feedback and padding, too.
  std::uint32_t left = made.header_length;
  with_each([&](PacketOutput& one) {
    if (!is_part(one)) return;
    const std::uint32_t header = std::min(left, length_of(one.octets));
    left -= header;
    transmit(link_packet(std::move(one.octets), packet.channel, one.type, packet.tag, header), false);
  });
  with_each([&](PacketOutput& one) {
    if (one.channel != packet.channel) send_due(one, false);
  });
}

void Hop::send_due(PacketOutput& output, bool at_deadline) {
  if (!output.came_out()) return;
  const std::uint32_t length = length_of(output.octets);
  transmit(
      link_packet(std::move(output.octets), output.channel, output.type, observer_.tag_of_due(output.channel), length),
      at_deadline);
}

void Hop::transmit(LinkPacket packet, bool at_deadline) {
  observer_.on_leaving(packet, false);
  const SentPacket sent{packet.tag, packet.channel, packet.header_length, packet.octets.size(), at_deadline};
  if (config_.carry) {
    observer_.on_sent(sent, {});
    config_.carry(std::move(packet));
  } else {
    observer_.on_sent(sent, line_->send(std::move(packet)));
  }
}

std::optional<std::string> Hop::control(headroom_role role, const std::string& message, std::uint64_t tag) {
  position_ = tag;
  Checked& side = *(role == HEADROOM_COMPRESSOR ? config_.compressor : config_.decompressor);
  return call([&] { return side.control(message); });
}

// -------------------------------------------------------------------------------------------------------- receiving

void Hop::receive(std::span<Delivery> deliveries) {
  while (!deliveries.empty()) {
    const std::size_t count = std::min(deliveries.size(), config_.burst);
    receive_burst(deliveries.first(count));
    deliveries = deliveries.subspan(count);
  }
}

void Hop::receive_burst(std::span<const Delivery> burst) {
  const std::uint64_t first = burst.front().packet.tag;
  position_ = first < kFeedbackTag ? first : kNever;
  inputs_.clear();
  add_inputs(inputs_, burst);
  std::vector<PacketOutput> outputs = std::exchange(arrived_, {});
  call([&] { config_.decompressor->process(inputs_, simulation_.now_ns(), outputs); });
  for (std::size_t i = 0; i < burst.size(); ++i) observer_.on_arrival(burst[i], outputs[i]);
  collect_feedback(burst.back().packet.tag);
  hand_on(outputs);
  arrived_ = std::move(outputs);
}

void Hop::receive_due() {
  position_ = kNever;
  std::vector<PacketOutput> outputs = call([&] { return config_.decompressor->drain_due(simulation_.now_ns()); });
  for (const PacketOutput& output : outputs) observer_.on_due_arrival(output);
  collect_feedback(kNever);
  hand_on(outputs);
}

// After the feedback, so that it goes with the receiver's answer.
void Hop::hand_on(std::vector<PacketOutput>& outputs) {
  if (!config_.receiver || outputs.empty()) return;
  const auto is_one_packet = [](const PacketOutput& output) { return output.came_out() && output.more.empty(); };
  if (std::ranges::all_of(outputs, is_one_packet)) return config_.receiver(outputs);
  std::vector<PacketOutput> packets;
  for (PacketOutput& output : outputs) {
    std::vector<PacketOutput> more = std::exchange(output.more, {});
    if (output.came_out()) packets.push_back(std::move(output));
    for (PacketOutput& one : more) {
      if (one.came_out()) packets.push_back(std::move(one));
    }
  }
  if (!packets.empty()) config_.receiver(packets);
}

// --------------------------------------------------------------------------------------------------------- feedback

void Hop::collect_feedback(std::uint64_t tag) {
  for (int i = 0;; ++i) {
    std::optional<ReversePacket> element =
        call([&] { return config_.decompressor->take_reverse(simulation_.now_ns()); });
    if (!element) return;
    if (i == kMostFeedbackInARow) {
      is_calling_ = true;
      throw PromiseBroken(config_.decompressor->instance(), "take_reverse", "it never stops returning packets.");
    }
    observer_.on_feedback(tag, *element);
    if (element->type == HEADROOM_REVERSE_FAR) {
      ++feedback_.messages;
      feedback_.octets += element->octets.size();
      send_feedback(std::move(*element));
    } else if (opposite_ != nullptr) {
      opposite_->give_feedback(*element);
    } else {
      ++feedback_.unclaimed;
    }
  }
}

void Hop::send_feedback(ReversePacket element) {
  switch (config_.path) {
    case FeedbackPath::none:
      ++feedback_.discarded;
      return;
    case FeedbackPath::own: {
      LinkPacket packet = feedback_packet(std::move(element));
      observer_.on_leaving(packet, true);
      feedback_line_->send(std::move(packet), "feedback channel");
      return;
    }
    case FeedbackPath::interspersed:
      opposite_->intersperse(feedback_packet(std::move(element)));
      return;
    case FeedbackPath::piggybacked:
      waiting_.push_back(std::move(element));
      return;
  }
}

void Hop::intersperse(LinkPacket packet) {
  observer_.on_leaving(packet, false);
  line_->send(std::move(packet), "feedback");
}

void Hop::give_feedback(const ReversePacket& element) {
  if (config_.compressor == nullptr || config_.compressor->instance().api().give_reverse == nullptr) {
    ++feedback_.discarded;
    return;
  }
  position_ = kNever;
  ++feedback_.received_messages;
  feedback_.received_octets += element.octets.size();
  call([&] { return config_.compressor->give_reverse(element, simulation_.now_ns()); });
}

// -------------------------------------------------------------------------------------------------------- deadlines

std::uint64_t Hop::deadline_of(Checked* side) const {
  if (side == nullptr) return kNever;
  const std::uint64_t deadline = call([side] { return side->next_deadline(); });
  return deadline < kWhenIdle ? deadline : kNever;  // a time that never comes
}

std::uint64_t Hop::next_ns() const {
  return std::min(deadline_of(config_.compressor), deadline_of(config_.decompressor));
}

void Hop::act() {
  const std::uint64_t compressor_ns = deadline_of(config_.compressor);
  const std::uint64_t decompressor_ns = deadline_of(config_.decompressor);
  // While packets are to come, deadlines end with the next of them.
  if (closed_ && ++acts_ > kMostDeadlinesAtTheEnd) {
    const Checked& side = *(compressor_ns <= decompressor_ns ? config_.compressor : config_.decompressor);
    is_calling_ = true;
    throw PromiseBroken(side.instance(), "next_deadline",
                        "one deadline follows another without end, though no packet comes.");
  }
  if (compressor_ns <= simulation_.now_ns()) {
    position_ = kNever;
    std::vector<PacketOutput> outputs = call([&] { return config_.compressor->drain_due(simulation_.now_ns()); });
    for (PacketOutput& output : outputs) send_due(output, true);
  }
  if (deadline_of(config_.decompressor) <= simulation_.now_ns()) receive_due();
}

}  // namespace headroom::sim
