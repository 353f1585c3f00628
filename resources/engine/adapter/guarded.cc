// SPDX-License-Identifier: Apache-2.0
#include "adapter/guarded.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "adapter/calling.h"

namespace headroom {
namespace {

constexpr std::size_t kFence = 64;  // octets before, between and behind the output buffers
constexpr std::uint8_t kFenceOctet = 0xFE;
constexpr std::uint8_t kPoisonOctet = 0xA5;         // what an output buffer holds before the call
constexpr std::int32_t kPoisonStatus = 0x5EADBEEF;  // no headroom_status
constexpr std::uint32_t kPoisonLength = 0xA5A5A5A5;
constexpr std::size_t kFeedbackCapacity = HEADROOM_FEEDBACK_MAX;
constexpr std::size_t kErrorCapacity = 1024;

std::string number(std::uint64_t value) { return std::to_string(value); }

bool all_are(const std::uint8_t* octets, std::size_t count, std::uint8_t value) {
  return std::all_of(octets, octets + count, [value](std::uint8_t octet) { return octet == value; });
}

// The link packets that stand in `octets` as HEADROOM_SEGMENTS has it; nothing when they do not fill it exactly.
std::optional<std::vector<OctetView>> split_segments(OctetView octets) {
  std::vector<OctetView> packets;
  while (!octets.empty()) {
    if (octets.size() < HEADROOM_SEGMENT_LENGTH) return std::nullopt;
    const std::size_t length = std::size_t{octets[0]} << 8 | octets[1];
    octets = octets.subspan(HEADROOM_SEGMENT_LENGTH);
    if (length == 0 || length > octets.size()) return std::nullopt;
    packets.push_back(octets.first(length));
    octets = octets.subspan(length);
  }
  return packets;
}

}  // namespace

std::vector<OctetView> link_packets_of(const GuardedOutput& output) {
  if (output.status == HEADROOM_OK) return {output.octets};
  if (output.status != HEADROOM_SEGMENTS) return {};
  return split_segments(output.octets).value_or(std::vector<OctetView>());
}

PromiseBroken::PromiseBroken(const Instance& instance, const char* function, const std::string& sentence)
    : std::runtime_error(sentence), function_(function), role_(instance.role()) {}

Guarded::Guarded(Instance& instance, std::uint32_t expansion) : instance_(instance), expansion_(expansion) {}

void Guarded::time_calls(const Cycles& cycles) {
  cycles_ = &cycles;
  cost_of_reading_ = cycles.cost_of_reading();
}

std::optional<double> Guarded::median_cycles() const {
  if (per_packet_.empty()) return std::nullopt;
  std::vector<double> sorted = per_packet_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

template <typename Call>
auto Guarded::calling(const char* function, Call&& call) const -> decltype(call()) {
  return call_across(call, [&](const std::string& what) { return PromiseBroken(instance_, function, what + "."); });
}

std::vector<GuardedOutput> Guarded::process(const std::vector<GuardedInput>& inputs, std::uint64_t now_ns) {
  const char* function = instance_.role() == HEADROOM_COMPRESSOR ? "compress" : "decompress";
  const std::uint32_t room = expansion_ + std::exchange(extra_room_, 0);
  std::size_t out_total = kFence;
  std::size_t in_total = 0;
  for (const GuardedInput& input : inputs) {
    const auto length = static_cast<std::uint32_t>(input.octets.size());
    out_total +=
        length + room + expansion_for(instance_.role(), length, instance_.mrru()) - HEADROOM_EXPANSION + kFence;
    in_total += input.octets.size();
  }
  arena_.assign(out_total, kFenceOctet);
  inputs_.clear();
  inputs_.reserve(in_total + 1);
  packets_.assign(inputs.size(), headroom_packet{});
  details_.assign(inputs.size(), headroom_detail{});

  std::size_t at = kFence;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto length = static_cast<std::uint32_t>(inputs[i].octets.size());
    headroom_packet& packet = packets_[i];
    packet.in = inputs_.data() + inputs_.size();  // reserved above: never moves
    inputs_.insert(inputs_.end(), inputs[i].octets.begin(), inputs[i].octets.end());
    packet.in_length = length;
    packet.out = arena_.data() + at;
    packet.out_capacity =
        length + room + expansion_for(instance_.role(), length, instance_.mrru()) - HEADROOM_EXPANSION;
    std::memset(packet.out, kPoisonOctet, packet.out_capacity);
    packet.channel = inputs[i].channel;
    packet.out_length = kPoisonLength;
    packet.status = kPoisonStatus;
    details_[i] = {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 255, 0};
    at += packet.out_capacity + kFence;
  }
  expected_ = packets_;

  const auto call = instance_.role() == HEADROOM_COMPRESSOR ? instance_.api().compress : instance_.api().decompress;
  const std::uint64_t began = cycles_ != nullptr ? cycles_->now() : 0;
  calling(function, [&] { call(instance_.self(), packets_.data(), packets_.size(), now_ns, details_.data()); });
  if (cycles_ != nullptr && !inputs.empty()) {
    const double taken = static_cast<double>(cycles_->now() - began) - cost_of_reading_;
    per_packet_.push_back(std::max(0.0, taken) / static_cast<double>(inputs.size()));
  }

  std::vector<GuardedOutput> outputs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_fields(expected_[i], packets_[i], function);
    const headroom_packet& packet = packets_[i];
    if (!all_are(packet.out - kFence, kFence, kFenceOctet) ||
        !all_are(packet.out + packet.out_capacity, kFence, kFenceOctet)) {
      throw PromiseBroken(instance_, function,
                          "it wrote outside the output buffer of " + number(packet.out_capacity) + " octets.");
    }
    if (!std::equal(inputs[i].octets.begin(), inputs[i].octets.end(), packet.in)) {
      throw PromiseBroken(instance_, function, "it changed its input.");
    }
    check_detail(packet, details_[i], function);
    outputs[i].status = packet.status;
    outputs[i].octets.assign(packet.out, packet.out + packet.out_length);
    outputs[i].detail = details_[i];
  }
  // The buffers are ours again (headroom.h, "Buffers"): the next call, of whatever function, finds nothing in them.
  std::fill(inputs_.begin(), inputs_.end(), kPoisonOctet);
  std::fill(arena_.begin(), arena_.end(), kPoisonOctet);
  return outputs;
}

void Guarded::check_fields(const headroom_packet& before, const headroom_packet& after, const char* function) const {
  if (after.in != before.in || after.out != before.out || after.in_length != before.in_length ||
      after.out_capacity != before.out_capacity || after.channel != before.channel || after.source != before.source) {
    throw PromiseBroken(instance_, function, "it changed fields of headroom_packet that are the caller's to fill.");
  }
  if (after.status == kPoisonStatus) {
    throw PromiseBroken(instance_, function, "it left a packet without a status.");
  }
  if (*name_of_status(after.status) == '\0') {
    throw PromiseBroken(instance_, function,
                        "it gave the status " + std::to_string(after.status) + ", which the ABI does not know.");
  }
  if (after.status == HEADROOM_MORE || after.status == HEADROOM_ERR_DECOMPRESSION) {
    throw PromiseBroken(
        instance_, function,
        std::string("it gave the status ") + name_of_status(after.status) + ", which is for endpoints.");
  }
  if (after.status == HEADROOM_OK && after.out_length > after.out_capacity) {
    throw PromiseBroken(instance_, function,
                        "it claims " + number(after.out_length) + " octets of output in a buffer of " +
                            number(after.out_capacity) + ".");
  }
  if (after.status == HEADROOM_OK && after.out_length == 0) {
    throw PromiseBroken(instance_, function, "it claims success with no octet of output.");
  }
  if (after.status == HEADROOM_SEGMENTS) {
    check_segments(after, function);
    return;
  }
  if (after.status != HEADROOM_OK && after.out_length != 0) {
    throw PromiseBroken(instance_, function,
                        std::string("it gave out_length ") + number(after.out_length) + " with the status " +
                            name_of_status(after.status) + "; it must be 0 unless the status is OK.");
  }
}

void Guarded::check_segments(const headroom_packet& after, const char* function) const {
  const auto broken = [&](const std::string& sentence) { throw PromiseBroken(instance_, function, sentence); };
  if (instance_.role() != HEADROOM_COMPRESSOR || instance_.mrru() == 0) {
    broken("it gave the status SEGMENTS, which is for compressors whose configuration has an \"mrru\" above 0.");
  }
  if (after.out_length > after.out_capacity) {
    broken("it claims " + number(after.out_length) + " octets of segments in a buffer of " +
           number(after.out_capacity) + ".");
  }
  const auto packets = split_segments({after.out, after.out_length});
  if (!packets || packets->empty()) {
    broken("its segments do not fill out_length: each must stand behind its length in two octets, and none be empty.");
  }
}

void Guarded::check_detail(const headroom_packet& packet, const headroom_detail& detail, const char* function) const {
  const Names& names = instance_.names();
  const auto check = [&](const char* field, std::uint8_t index, const std::vector<std::string>& words) {
    if (index == 255 || index < words.size()) return;
    throw PromiseBroken(instance_, function,
                        std::string("its detail has the ") + field + " " + number(index) +
                            ", for which describe has no name; 255 stands for \"not known\".");
  };
  check("packet_type", detail.packet_type, names.packet_types);
  check("mode", detail.mode, names.modes);
  check("state", detail.state,
        instance_.role() == HEADROOM_COMPRESSOR ? names.compressor_states : names.decompressor_states);
  check("event", detail.event, names.events);
  if (packet.status != HEADROOM_OK) return;
  const bool compressing = instance_.role() == HEADROOM_COMPRESSOR;
  if (!compressing && instance_.mrru() != 0) return;  // the header may stand in segments that came before
  const std::uint32_t plain = compressing ? packet.in_length : packet.out_length;
  const std::uint32_t on_link = compressing ? packet.out_length : packet.in_length;
  if (detail.plain_header != 0xFFFF && detail.plain_header > plain) {
    throw PromiseBroken(instance_, function,
                        "its detail has a plain_header of " + number(detail.plain_header) + " octets in a packet of " +
                            number(plain) + ".");
  }
  if (detail.compressed_header != 0xFFFF && detail.compressed_header > on_link) {
    throw PromiseBroken(instance_, function,
                        "its detail has a compressed_header of " + number(detail.compressed_header) +
                            " octets in a link packet of " + number(on_link) + ".");
  }
}

std::optional<FeedbackElement> Guarded::take(int32_t (*function)(headroom_instance*, headroom_feedback*),
                                             const char* name) {
  if (function == nullptr) return std::nullopt;
  Octets buffer(kFence + kFeedbackCapacity + kFence, kFenceOctet);
  headroom_feedback feedback = {buffer.data() + kFence, kFeedbackCapacity, kPoisonLength, 0xFFFFFFFF, 0};
  std::memset(feedback.data, kPoisonOctet, kFeedbackCapacity);
  const headroom_feedback before = feedback;
  const std::int32_t result = calling(name, [&] { return function(instance_.self(), &feedback); });
  if (!all_are(buffer.data(), kFence, kFenceOctet) ||
      !all_are(buffer.data() + kFence + kFeedbackCapacity, kFence, kFenceOctet)) {
    throw PromiseBroken(instance_, name, "it wrote outside the buffer for feedback.");
  }
  if (result == 0) return std::nullopt;
  if (result != 1)
    throw PromiseBroken(instance_, name,
                        "it returned " + std::to_string(result) + "; 0 and 1 are the values that mean something.");
  if (feedback.data != before.data || feedback.capacity != before.capacity) {
    throw PromiseBroken(instance_, name, "it changed fields of headroom_feedback that are the caller's to fill.");
  }
  if (feedback.length == 0 || feedback.length > feedback.capacity) {
    throw PromiseBroken(instance_, name,
                        "it claims feedback of " + number(feedback.length) + " octets in a buffer of " +
                            number(feedback.capacity) + ".");
  }
  if (feedback.channel >= instance_.channels()) {
    throw PromiseBroken(
        instance_, name,
        "its feedback is for channel " + number(feedback.channel) + " of " + number(instance_.channels()) + ".");
  }
  return FeedbackElement{Octets(feedback.data, feedback.data + feedback.length), feedback.channel};
}

std::optional<FeedbackElement> Guarded::take_feedback() { return take(instance_.api().take_feedback, "take_feedback"); }

std::optional<FeedbackElement> Guarded::take_received_feedback() {
  return take(instance_.api().take_received_feedback, "take_received_feedback");
}

void Guarded::give_feedback(const FeedbackElement& feedback, std::uint64_t now_ns) {
  if (instance_.api().give_feedback == nullptr) return;
  Octets copy = feedback.octets;
  const auto length = static_cast<std::uint32_t>(copy.size());
  const headroom_feedback given = {copy.data(), length, length, feedback.channel, 0};
  calling("give_feedback", [&] { instance_.api().give_feedback(instance_.self(), &given, now_ns); });
  if (copy != feedback.octets)
    throw PromiseBroken(instance_, "give_feedback", "it changed the feedback that it was given.");
}

bool Guarded::piggyback(const FeedbackElement& feedback) {
  if (instance_.api().piggyback == nullptr) return false;
  Octets copy = feedback.octets;
  const auto length = static_cast<std::uint32_t>(copy.size());
  const headroom_feedback given = {copy.data(), length, length, feedback.channel, 0};
  const std::int32_t result = calling("piggyback", [&] { return instance_.api().piggyback(instance_.self(), &given); });
  if (copy != feedback.octets)
    throw PromiseBroken(instance_, "piggyback", "it changed the feedback that it was given.");
  if (result == 1) add_room(length);
  return result == 1;
}

std::optional<std::string> Guarded::control(const std::string& message) {
  if (instance_.api().control == nullptr) return "the adapter has no control function.";
  std::string sentence(kErrorCapacity, '\0');
  const std::int32_t result = calling("control", [&] {
    return instance_.api().control(instance_.self(), message.c_str(), sentence.data(), sentence.size());
  });
  if (result == 1) return std::nullopt;
  sentence.resize(strnlen(sentence.data(), sentence.size()));
  if (sentence.empty()) throw PromiseBroken(instance_, "control", "it refused a message without a sentence.");
  return sentence;
}

}  // namespace headroom
