// SPDX-License-Identifier: Apache-2.0
#include "adapter/guarded.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "adapter/calling.h"
#include "base/process.h"
#include "base/sanitizer.h"

namespace headroom {
namespace {

constexpr std::size_t kFence = 64;  // octets before, between and behind the output buffers
constexpr std::uint8_t kFenceOctet = 0xFE;
constexpr std::uint8_t kPoisonOctet = 0xA5;         // what an output buffer holds before the call
constexpr std::int32_t kPoisonStatus = 0x5EADBEEF;  // no headroom_status
constexpr std::uint32_t kPoisonLength = 0xA5A5A5A5;
constexpr std::size_t kMostOutputs = 100'000;  // of one packet: more than it can have octets
constexpr std::size_t kErrorCapacity = 1024;

std::string number(std::uint64_t value) { return std::to_string(value); }

bool all_are(const std::uint8_t* octets, std::size_t count, std::uint8_t value) {
  return std::all_of(octets, octets + count, [value](std::uint8_t octet) { return octet == value; });
}

constexpr headroom_detail kPoisonDetail = {0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 255, 0};

}  // namespace

void CostWatch::add(std::int64_t sign) const noexcept {
  costs_->heap += sign * static_cast<std::int64_t>(heap_in_use());
  costs_->resident += sign * static_cast<std::int64_t>(resident_octets());
  costs_->processor_ns += sign * static_cast<std::int64_t>(processor_time_ns());
}

std::vector<OctetView> link_packets_of(const GuardedOutput& output) {
  std::vector<OctetView> packets;
  if (output.came_out()) packets.emplace_back(output.octets);
  for (const GuardedOutput& more : output.more) {
    if (more.came_out()) packets.emplace_back(more.octets);
  }
  return packets;
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
  const char* const function = instance_.role() == HEADROOM_COMPRESSOR ? "compress" : "decompress";
  const std::uint32_t room = expansion_ + std::exchange(extra_room_, 0) +
                             expansion_for(instance_.role(), instance_.mrru()) - HEADROOM_EXPANSION;
  std::size_t out_total = kFence;
  std::size_t in_total = 0;
  std::uint32_t longest = 0;
  for (const GuardedInput& input : inputs) {
    out_total += input.octets.size() + room + kFence;
    in_total += input.octets.size();
    longest = std::max(longest, static_cast<std::uint32_t>(input.octets.size()));
  }
  arena_.assign(out_total, kFenceOctet);
  inputs_.clear();
  inputs_.reserve(in_total + 1);
  packets_.assign(inputs.size(), headroom_packet{});
  details_.assign(inputs.size(), kPoisonDetail);

  std::size_t at = kFence;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    headroom_packet& packet = packets_[i];
    packet.in = inputs_.data() + inputs_.size();  // reserved above: never moves
    inputs_.insert(inputs_.end(), inputs[i].octets.begin(), inputs[i].octets.end());
    packet.in_length = static_cast<std::uint32_t>(inputs[i].octets.size());
    packet.in_type = inputs[i].type;
    packet.out = arena_.data() + at;
    packet.out_capacity = packet.in_length + room;
    std::memset(packet.out, kPoisonOctet, packet.out_capacity);
    packet.channel = inputs[i].channel;
    packet.out_length = kPoisonLength;
    packet.status = kPoisonStatus;
    at += packet.out_capacity + kFence;
  }
  expected_ = packets_;

  std::vector<GuardedOutput> outputs(inputs.size());
  for (std::size_t begin = 0; begin < inputs.size();) {
    const std::size_t end = begin + call(begin, now_ns);
    for (std::size_t i = begin; i < end; ++i) {
      check_fields(expected_[i], packets_[i], function);
      check_outcome(packets_[i], function);
      check_fences(packets_[i], function);
      const headroom_packet& packet = packets_[i];
      if (!std::equal(inputs[i].octets.begin(), inputs[i].octets.end(), packet.in))
        throw PromiseBroken(instance_, function, "it changed its input.");
      check_detail(details_[i], function);
      if (inputs[i].type == HEADROOM_TYPE_LOST && packet.status != HEADROOM_NOTHING)
        throw PromiseBroken(instance_, function, "a report of a lost frame has another status than NOTHING.");
      outputs[i].status = packet.status;
      outputs[i].octets.assign(packet.out, packet.out + packet.out_length);
      outputs[i].detail = details_[i];
      outputs[i].type = packet.out_type;
      // The buffers are ours again (headroom.h, "Buffers"): the next call, of whatever function, finds nothing in them.
      std::memset(inputs_.data() + (packet.in - inputs_.data()), kPoisonOctet, packet.in_length);
      std::memset(packet.out, kPoisonOctet, packet.out_capacity);
    }
    if (packets_[end - 1].more != 0) outputs[end - 1].more = drain(longest + room, now_ns);
    for (std::size_t i = begin; i < end; ++i) check_lengths(packets_[i], outputs[i], function);
    begin = end;
  }
  std::fill(arena_.begin(), arena_.end(), kPoisonOctet);
  return outputs;
}

std::size_t Guarded::call(std::size_t begin, std::uint64_t now_ns) {
  const bool compressing = instance_.role() == HEADROOM_COMPRESSOR;
  const char* const name = compressing ? "compress" : "decompress";
  const auto function = compressing ? instance_.api().compress : instance_.api().decompress;
  const std::size_t count = packets_.size() - begin;
  const std::uint64_t began = cycles_ != nullptr ? cycles_->now() : 0;
  const std::size_t handled = calling(name, [&] {
    return function(instance_.self(), packets_.data() + begin, count, now_ns, details_.data() + begin);
  });
  if (handled == 0 || handled > count) {
    throw PromiseBroken(instance_, name,
                        "it returned " + number(handled) + " as the number of packets that it has handled, of " +
                            number(count) + "; there is at least one.");
  }
  if (cycles_ != nullptr) {
    const double taken = static_cast<double>(cycles_->now() - began) - cost_of_reading_;
    per_packet_.push_back(std::max(0.0, taken) / static_cast<double>(handled));
  }
  const auto last = packets_.begin() + static_cast<std::ptrdiff_t>(begin + handled - 1);
  if (std::any_of(packets_.begin() + static_cast<std::ptrdiff_t>(begin), last,
                  [](const headroom_packet& packet) { return packet.more != 0; }))
    throw PromiseBroken(instance_, name, "it went on behind a packet that has more outputs.");
  if (last->more != 0 && instance_.api().drain == nullptr)
    throw PromiseBroken(instance_, name, "its packet has more outputs, and drain is NULL.");
  if (handled == count) return handled;
  if (last->more == 0) throw PromiseBroken(instance_, name, "it stopped behind a packet that has no more outputs.");
  if (std::memcmp(&packets_[begin + handled], &expected_[begin + handled],
                  (count - handled) * sizeof(headroom_packet)) != 0)
    throw PromiseBroken(instance_, name, "it changed packets behind the last one that it has handled.");
  return handled;
}

std::vector<GuardedOutput> Guarded::drain(std::uint32_t capacity, std::uint64_t now_ns) {
  std::vector<GuardedOutput> outputs;
  Octets buffer(kFence + capacity + kFence, kFenceOctet);
  for (;;) {
    headroom_packet packet{};
    packet.out = buffer.data() + kFence;
    packet.out_capacity = capacity;
    std::memset(packet.out, kPoisonOctet, capacity);
    packet.status = kPoisonStatus;
    headroom_packet before = packet;
    headroom_detail detail = kPoisonDetail;
    const std::size_t drained =
        calling("drain", [&] { return instance_.api().drain(instance_.self(), &packet, 1, now_ns, &detail); });
    check_fences(before, "drain");
    if (drained == 0) return outputs;
    if (drained != 1 || outputs.size() == kMostOutputs)
      throw PromiseBroken(instance_, "drain", "it fills more records than there are, or never comes to an end.");
    before.channel = packet.channel;  // which is the adapter's to fill
    check_fields(before, packet, "drain");
    check_outcome(packet, "drain");
    check_detail(detail, "drain");
    if (packet.channel >= instance_.channels()) {
      throw PromiseBroken(
          instance_, "drain",
          "its packet is of channel " + number(packet.channel) + " of " + number(instance_.channels()) + ".");
    }
    outputs.push_back({packet.status, Octets(packet.out, packet.out + packet.out_length), detail, packet.out_type, {}});
  }
}

void Guarded::check_fields(const headroom_packet& before, const headroom_packet& after, const char* function) const {
  if (after.in != before.in || after.out != before.out || after.in_length != before.in_length ||
      after.out_capacity != before.out_capacity || after.channel != before.channel || after.source != before.source ||
      after.in_type != before.in_type) {
    throw PromiseBroken(instance_, function, "it changed fields of headroom_packet that are the caller's to fill.");
  }
}

void Guarded::check_fences(const headroom_packet& packet, const char* function) const {
  if (all_are(packet.out - kFence, kFence, kFenceOctet) &&
      all_are(packet.out + packet.out_capacity, kFence, kFenceOctet))
    return;
  throw PromiseBroken(instance_, function,
                      "it wrote outside the output buffer of " + number(packet.out_capacity) + " octets.");
}

void Guarded::check_outcome(const headroom_packet& after, const char* function) const {
  if (after.status == kPoisonStatus) {
    throw PromiseBroken(instance_, function, "it left a packet without a status.");
  }
  if (*name_of_status(after.status) == '\0') {
    throw PromiseBroken(instance_, function,
                        "it gave the status " + std::to_string(after.status) + ", which the ABI does not know.");
  }
  if (after.status == HEADROOM_ERR_DECOMPRESSION && instance_.messages() == nullptr) {
    throw PromiseBroken(instance_, function,
                        "it gave the status ERR_DECOMPRESSION without an extension that tells the reason.");
  }
  if (after.status == HEADROOM_OK && after.out_length > after.out_capacity) {
    throw PromiseBroken(instance_, function,
                        "it claims " + number(after.out_length) + " octets of output in a buffer of " +
                            number(after.out_capacity) + ".");
  }
  if (after.status == HEADROOM_OK && after.out_length == 0) {
    throw PromiseBroken(instance_, function, "it claims success with no octet of output.");
  }
  if (after.status != HEADROOM_OK && after.out_length != 0) {
    throw PromiseBroken(instance_, function,
                        std::string("it gave out_length ") + number(after.out_length) + " with the status " +
                            name_of_status(after.status) + "; it must be 0 unless the status is OK.");
  }
}

void Guarded::check_detail(const headroom_detail& detail, const char* function) const {
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
}

// `output` is that of `packet`, as it was given and has come back.
void Guarded::check_lengths(const headroom_packet& packet, const GuardedOutput& output, const char* function) const {
  if (packet.status != HEADROOM_OK) return;
  const headroom_detail& detail = output.detail;
  const bool compressing = instance_.role() == HEADROOM_COMPRESSOR;
  if (!compressing && instance_.mrru() != 0) return;  // the header may stand in segments that came before
  std::size_t made = 0;
  for (const OctetView octets : link_packets_of(output)) made += octets.size();
  const std::size_t plain = compressing ? packet.in_length : made;
  const std::size_t on_link = compressing ? made : packet.in_length;
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

std::optional<ReversePacket> Guarded::take_reverse(std::uint64_t now_ns) {
  constexpr const char* kName = "take_reverse";
  if (instance_.api().take_reverse == nullptr) return std::nullopt;
  Octets buffer(kFence + HEADROOM_REVERSE_MAX + kFence, kFenceOctet);
  headroom_packet packet{};
  packet.out = buffer.data() + kFence;
  packet.out_capacity = HEADROOM_REVERSE_MAX;
  std::memset(packet.out, kPoisonOctet, HEADROOM_REVERSE_MAX);
  packet.out_length = kPoisonLength;
  packet.status = kPoisonStatus;
  headroom_packet before = packet;
  const std::size_t taken = calling(kName, [&] {
    const CostWatch watch(reverse_costs_);
    return instance_.api().take_reverse(instance_.self(), &packet, 1, now_ns);
  });
  check_fences(before, kName);
  if (taken == 0) return std::nullopt;
  if (taken != 1) throw PromiseBroken(instance_, kName, "it fills " + number(taken) + " records where there is one.");
  before.channel = packet.channel;  // which is the adapter's to fill
  check_fields(before, packet, kName);
  check_outcome(packet, kName);
  if (packet.status != HEADROOM_OK) {
    throw PromiseBroken(instance_, kName,
                        std::string("it gave the status ") + name_of_status(packet.status) + "; OK is right.");
  }
  if (packet.out_type != HEADROOM_REVERSE_FAR && packet.out_type != HEADROOM_REVERSE_NEAR) {
    throw PromiseBroken(instance_, kName,
                        "its packet is of the type " + number(packet.out_type) +
                            ", which does not name the compressor that it is for.");
  }
  // An endpoint answers a message whose session may not be known.
  if (instance_.role() != HEADROOM_ENDPOINT && packet.channel >= instance_.channels()) {
    throw PromiseBroken(
        instance_, kName,
        "its packet is for channel " + number(packet.channel) + " of " + number(instance_.channels()) + ".");
  }
  return ReversePacket{Octets(packet.out, packet.out + packet.out_length), packet.channel, packet.out_type};
}

bool Guarded::give_reverse(const ReversePacket& reverse, std::uint64_t now_ns) {
  constexpr const char* kName = "give_reverse";
  if (instance_.api().give_reverse == nullptr) return false;
  Octets copy = reverse.octets;
  headroom_packet packet{};
  packet.in = copy.data();
  packet.in_length = static_cast<std::uint32_t>(copy.size());
  packet.channel = reverse.channel;
  packet.in_type = reverse.type;
  packet.status = kPoisonStatus;
  const headroom_packet before = packet;
  const std::size_t given =
      calling(kName, [&] { return instance_.api().give_reverse(instance_.self(), &packet, 1, now_ns); });
  if (copy != reverse.octets) throw PromiseBroken(instance_, kName, "it changed the packet that it was given.");
  if (given != 1) throw PromiseBroken(instance_, kName, "it returned " + number(given) + " for one packet.");
  check_fields(before, packet, kName);
  if (*name_of_status(packet.status) == '\0' || packet.out_length != 0)
    throw PromiseBroken(instance_, kName, "it left the packet without a status, or with an output.");
  const bool taken = packet.status == HEADROOM_OK;
  if (taken && reverse.type == HEADROOM_REVERSE_FAR) add_room(packet.in_length);
  return taken;
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
