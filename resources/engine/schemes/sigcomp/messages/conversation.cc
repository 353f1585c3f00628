// SPDX-License-Identifier: Apache-2.0
#include "schemes/sigcomp/messages/conversation.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/random.h"

namespace headroom::sigcomp::messages {
namespace {

constexpr std::size_t kMostNacksInARow = 10'000;  // one message cannot honestly cause more

// A tag on the link: the message that it is, or with this bit a NACK about it and its number among the record's.
constexpr std::uint64_t kNackTag = std::uint64_t{1} << 62;
constexpr unsigned kNackShift = 32;

std::uint64_t nack_tag(std::size_t index, std::size_t nack) {
  return kNackTag | std::uint64_t{nack} << kNackShift | std::uint64_t{index};
}
bool is_nack(std::uint64_t tag) { return (tag & kNackTag) != 0; }
std::size_t index_in(std::uint64_t tag) { return static_cast<std::size_t>(tag & 0xFFFFFFFF); }
std::size_t nack_in(std::uint64_t tag) { return static_cast<std::size_t>((tag & ~kNackTag) >> kNackShift); }

// Which of two verdicts about copies of one message stands.
int weight(Verdict verdict) {
  switch (verdict) {
    case Verdict::mismatched:
      return 3;
    case Verdict::identical:
      return 2;
    case Verdict::not_delivered:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

Conversation::Conversation(const Job& job, const Cycles* cycles, Capture* capture)
    : job_(job), capture_(capture), records_(job.steps.size()) {
  for (const Side side : {Side::a, Side::b}) {
    Position& position = side_of(side);
    const auto index = static_cast<std::size_t>(side);
    position.line = &connect(side);
    if (!job.endpoints[index]) continue;
    position.instance = std::make_unique<Instance>(*job.endpoints[index], HEADROOM_ENDPOINT);
    position.endpoint = std::make_unique<CheckedEndpoint>(*position.instance);
    if (cycles != nullptr) position.endpoint->time_calls(*cycles);
    if (job.arrivals_only) position.endpoint->ask_about_arrivals_only();
    if (job.costs) position.endpoint->watch_costs();
    for (const Compartment& compartment : job.compartments) {
      if (const auto sentence = position.endpoint->open(compartment.number, compartment.settings[index])) {
        throw Error(ErrorKind::adapter,
                    "endpoint " + std::string(name_of(side)) + " does not open compartment " +
                        std::to_string(compartment.number) + ": " + *sentence + ".",
                    compartment.where);
      }
    }
  }
}

sim::Line& Conversation::connect(Side from) {
  const auto index = static_cast<std::size_t>(from);
  const std::uint64_t seed = derive(job_.seed, from == Side::a ? 0x61746F62 : 0x62746F61);
  sim::Line::Tap tap;
  if (capture_ != nullptr) {
    tap = [this, from](const LinkPacket& packet, const std::string& comment) {
      capture_->write(from, packet.channel, now_ns(), packet.octets, comment);
    };
  }
  sim::Line::Receiver receiver;
  if (job_.endpoints[static_cast<std::size_t>(other(from))]) {
    receiver = [this, from](std::span<const Delivery> one) {
      if (!one.front().error) receive(other(from), one.front());  // an endpoint takes no reports of damaged datagrams
    };
  }
  return simulation_.connect(job_.link[index], seed, 1, std::move(tap), std::move(receiver));
}

void Conversation::play() {
  simulation_.add(*this);
  simulation_.run();
  at_.reset();
}

std::uint64_t Conversation::next_ns() const {
  if (next_ == job_.steps.size()) return sim::kNever;
  return job_.steps[next_].time_ns.value_or(sim::kWhenIdle);
}

void Conversation::act() {
  at_ = next_;
  take_step(next_++);
  if (job_.costs) note_costs();
}

void Conversation::note_costs() {
  for (Position& position : sides_) {
    if (position.endpoint) position.costs.push_back(position.endpoint->costs());
  }
}

// ---- steps

void Conversation::take_step(std::size_t index) {
  const Step& step = job_.steps[index];
  records_[index].time_ns = now_ns();
  CheckedEndpoint& endpoint = *side_of(step.side).endpoint;
  std::optional<std::string> refused;
  switch (step.kind) {
    case Step::Kind::send:
      send(index);
      return;
    case Step::Kind::literal:
      receive_literal(index);
      return;
    case Step::Kind::control:
      refused = endpoint.control(step.document.dump());
      break;
    case Step::Kind::open:
      refused = endpoint.open(step.compartment, step.document);
      break;
    case Step::Kind::close:
      if (!endpoint.close(step.compartment)) refused = "it has no such compartment";
      break;
  }
  if (!refused) return;
  throw Error(ErrorKind::adapter,
              "endpoint " + std::string(name_of(step.side)) + " refuses what a step asks of it: " + *refused + ".",
              step.where);
}

void Conversation::send(std::size_t index) {
  const Step& step = job_.steps[index];
  Record& record = records_[index];
  record.compressed = side_of(step.side).endpoint->compress(step.octets, step.compartment, now_ns());
  if (record.compressed->cycles != 0) record.compress_cycles.push_back(record.compressed->cycles);
  record.verdict = job_.stream ? Verdict::not_delivered : Verdict::lost_on_link;  // until it arrives; a stream does
  if (record.compressed->came_out()) {
    record.link = put_on_link(step.side, step.compartment, record.compressed->octets, index);
  } else if (record.compressed->status == HEADROOM_ERR_UNSUPPORTED && !job_.stream) {
    // RFC 5049 5: both kinds share a port. A stream is of one kind.
    record.plain = true;
    record.link = put_on_link(step.side, step.compartment, step.octets, index);
  } else {
    record.verdict = Verdict::not_compressed;
  }
}

void Conversation::receive_literal(std::size_t index) {
  const Step& step = job_.steps[index];
  CheckedEndpoint& endpoint = *side_of(step.side).endpoint;
  Record& record = records_[index];
  OctetView octets = step.octets;
  Stream& stream = side_of(step.side).streams[step.compartment];
  stream.most_rounds += octets.size() + 1;
  const bool known = step.acceptance == Acceptance::known;
  std::optional<MessageOutput> output =
      endpoint.decompress(octets, known ? step.compartment : HEADROOM_NO_SESSION, step.source, now_ns());
  if (job_.stream && output->is_none()) {
    if (output->cycles != 0) record.decompress_cycles.push_back(output->cycles);
    output = endpoint.drain(now_ns());
  }
  for (; output; output = endpoint.drain(now_ns()), octets = {}) {
    Arrival arrival;
    arrival.time_ns = now_ns();
    arrival.output = std::move(*output);
    if (arrival.output.cycles != 0) record.decompress_cycles.push_back(arrival.output.cycles);
    if (step.acceptance == Acceptance::after) {
      arrival.accepted = endpoint.accept(step.compartment);
      arrival.output.detail = endpoint.detail();
    }
    answer(step.side, record, arrival, index, false);
    // What was refused is not asked again: no time passes here in which it could be allowed.
    const bool refused = arrival.output.status == HEADROOM_ERR_STATE;
    if (refused && job_.stream) record.unread_octets = octets.size();
    record.arrivals.push_back(std::move(arrival));
    count_round(step.side, stream);
  }
  record.verdict = step.expected.empty() ? Verdict::unchecked : Verdict::met;
  if (step.expected.empty()) return;
  if (step.expected.size() != record.arrivals.size()) {
    record.differences.push_back("there are " + std::to_string(record.arrivals.size()) + " messages, where " +
                                 std::to_string(step.expected.size()) + " were expected");
  }
  for (std::size_t i = 0; i < std::min(step.expected.size(), record.arrivals.size()); ++i) {
    for (std::string& sentence : differences(step.expected[i], record.arrivals[i])) {
      record.differences.push_back(std::move(sentence));
    }
  }
  if (!record.differences.empty()) record.verdict = Verdict::unmet;
}

// ---- the link

std::optional<LinkOutcome> Conversation::put_on_link(Side from, std::uint32_t compartment, Octets octets,
                                                     std::uint64_t tag) {
  sim::Line& line = *side_of(from).line;
  const std::string_view kind = is_nack(tag) ? "NACK" : "";
  digest_.add(static_cast<std::uint8_t>(from), compartment, octets);
  LinkPacket packet;
  packet.channel = compartment;
  packet.tag = tag;
  if (!job_.stream) {
    packet.octets = std::move(octets);  // none of it is header: a damaged one is delivered unless the job says not
    return line.send(std::move(packet), kind);
  }
  side_of(other(from)).streams[compartment].expected.push_back(tag);
  const std::size_t piece = job_.piece_octets == 0 ? octets.size() : job_.piece_octets;
  for (std::size_t at = 0; at < octets.size(); at += piece) {
    const auto begin = octets.begin() + static_cast<std::ptrdiff_t>(at);
    packet.octets.assign(begin, begin + static_cast<std::ptrdiff_t>(std::min(piece, octets.size() - at)));
    line.send(packet, kind);
  }
  return std::nullopt;
}

// ---- receiving

void Conversation::receive(Side to, const Delivery& delivery) {
  if (delivery.packet.tag != kInserted) at_ = index_in(delivery.packet.tag);
  if (job_.stream) {
    receive_stream(to, delivery);
  } else {
    receive_datagram(to, delivery);
  }
}

MessageOutput Conversation::decompress_datagram(Side to, OctetView octets, std::uint32_t compartment,
                                                std::uint32_t source) {
  CheckedEndpoint& endpoint = *side_of(to).endpoint;
  MessageOutput output = endpoint.decompress(octets, compartment, source, now_ns());
  if (endpoint.drain(now_ns()))
    throw PromiseBroken(endpoint.instance(), "drain", "it puts out more than one message for a datagram.");
  return output;
}

void Conversation::receive_datagram(Side to, const Delivery& delivery) {
  const std::uint64_t tag = delivery.packet.tag;
  const OctetView octets = delivery.packet.octets;
  Arrival arrival;
  arrival.time_ns = now_ns();
  arrival.duplicate = delivery.duplicate;
  if (tag == kInserted) {
    arrival.output = decompress_datagram(to, octets, HEADROOM_NO_SESSION, 0);
    Record nowhere;
    answer(to, nowhere, arrival, 0, false);
    arrival.nacks.clear();
    inserted_.push_back(std::move(arrival));
    return;
  }
  const std::size_t index = index_in(tag);
  const Step& step = job_.steps[index];
  const bool known = step.acceptance == Acceptance::known;
  const std::uint32_t compartment = known ? step.compartment : HEADROOM_NO_SESSION;
  arrival.output = decompress_datagram(to, octets, compartment, step.compartment + 1);
  if (is_nack(tag)) {
    receive_nack(to, records_[index].nacks[nack_in(tag)], std::move(arrival.output));
    return;
  }
  if (step.acceptance == Acceptance::after && arrival.output.status >= 0) {
    CheckedEndpoint& endpoint = *side_of(to).endpoint;
    arrival.accepted = endpoint.accept(step.compartment);
    arrival.output.detail = endpoint.detail();
  }
  answer(to, records_[index], arrival, index, true);
  note_arrival(index, std::move(arrival));
}

void Conversation::receive_stream(Side to, const Delivery& delivery) {
  CheckedEndpoint& endpoint = *side_of(to).endpoint;
  const std::uint32_t compartment = delivery.packet.channel;
  Stream& stream = side_of(to).streams[compartment];
  stream.most_rounds += delivery.packet.octets.size() + 1;
  Octets given = std::exchange(stream.unread, {});
  given.insert(given.end(), delivery.packet.octets.begin(), delivery.packet.octets.end());
  OctetView octets = given;
  std::optional<MessageOutput> output = endpoint.decompress(octets, compartment, compartment + 1, now_ns());
  if (output->is_none()) output = endpoint.drain(now_ns());
  for (; output; output = endpoint.drain(now_ns()), octets = {}) {
    Arrival arrival;
    arrival.time_ns = now_ns();
    arrival.output = std::move(*output);
    count_round(to, stream);
    // Nothing of it is taken, so the message is still to come.
    const bool refused = arrival.output.status == HEADROOM_ERR_STATE;
    if (refused) stream.unread.assign(octets.begin(), octets.end());
    // More than was sent is about the message whose piece this is.
    const std::uint64_t tag = stream.expected.empty() ? delivery.packet.tag : stream.expected.front();
    arrival.again = stream.expected.empty();
    if (!refused && !stream.expected.empty()) stream.expected.pop_front();
    const std::size_t index = index_in(tag);
    if (is_nack(tag)) {
      receive_nack(to, records_[index].nacks[nack_in(tag)], std::move(arrival.output));
    } else {
      answer(to, records_[index], arrival, index, true);
      note_arrival(index, std::move(arrival));
    }
  }
}

void Conversation::count_round(Side to, Stream& stream) {
  if (++stream.rounds <= stream.most_rounds) return;
  throw PromiseBroken(side_of(to).endpoint->instance(), "drain",
                      "it does not come to an end: it has returned more messages than there were octets.");
}

// One that was damaged on its way may be answered with another, which goes nowhere: it would be about no message.
void Conversation::receive_nack(Side to, NackRecord& nack, MessageOutput output) {
  nack.arrived = std::move(output);
  for (Octets& octets : feedback_of(to)) nack.answers.push_back(std::move(octets));
}

std::uint64_t Conversation::unread_octets(Side to) const noexcept {
  std::uint64_t octets = 0;
  for (const auto& [compartment, stream] : side_of(to).streams) octets += stream.unread.size();
  return octets;
}

void Conversation::note_arrival(std::size_t index, Arrival arrival) {
  Record& record = records_[index];
  if (arrival.output.cycles != 0) record.decompress_cycles.push_back(arrival.output.cycles);
  arrival.identical = arrival.output.came_out() && arrival.output.octets == job_.steps[index].octets;
  arrival.again = arrival.again && arrival.identical && record.verdict == Verdict::identical;
  const Verdict verdict = arrival.identical && !arrival.again ? Verdict::identical
                          : arrival.output.came_out()         ? Verdict::mismatched
                                                              : Verdict::not_delivered;
  if (weight(verdict) > weight(record.verdict)) record.verdict = verdict;
  record.arrivals.push_back(std::move(arrival));
}

std::vector<Octets> Conversation::feedback_of(Side side) {
  CheckedEndpoint& endpoint = *side_of(side).endpoint;
  std::vector<Octets> all;
  while (std::optional<ReversePacket> said = endpoint.take_reverse(now_ns())) {
    if (all.size() == kMostNacksInARow) {
      throw PromiseBroken(endpoint.instance(), "take_reverse", "it never stops returning packets.");
    }
    all.push_back(std::move(said->octets));
  }
  return all;
}

void Conversation::answer(Side side, Record& record, Arrival& arrival, std::size_t index, bool travels) {
  for (Octets& octets : feedback_of(side)) {
    const std::size_t number = record.nacks.size();
    arrival.nacks.push_back(number);
    record.nacks.push_back({std::move(octets), std::nullopt, std::nullopt, {}});
    if (!travels || !job_.send_nacks) continue;
    const Step& step = job_.steps[index];
    // put_on_link may not touch records_, so `record` stays where it is.
    record.nacks[number].link =
        put_on_link(side, step.compartment, record.nacks[number].octets, nack_tag(index, number));
  }
}

}  // namespace headroom::sigcomp::messages
