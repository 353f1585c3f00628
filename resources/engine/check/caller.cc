// SPDX-License-Identifier: Apache-2.0
#include "check/caller.h"

#include <algorithm>
#include <sstream>

#include "base/hex.h"
#include "base/nth.h"
#include "check/child.h"

namespace headroom::check {
namespace {

constexpr std::size_t kSlack = 1024;        // octets on both sides that a check about something else forgives
constexpr std::size_t kMostOutputs = 1000;  // of one call, and reverse packets after it

void check_outcome(const Caller<Judged>& caller, const char* function, const headroom_packet& packet) {
  if (std::string defect = outcome_defect(packet, packet.out_capacity, false); !defect.empty())
    caller.broken(function, [&] { return defect; });
}

// Drains with `room` for each output, which goes nowhere.
void drain(const Caller<Judged>& caller, std::size_t room, std::uint64_t now_ns) {
  Octets buffer(room + 2 * kSlack);
  caller.drain_all(caller.role() == HEADROOM_COMPRESSOR, record_of({}, buffer.data() + kSlack, room), kMostOutputs,
                   now_ns, [&](const headroom_packet& packet) { check_outcome(caller, "drain", packet); });
}

std::string line_of(const char* side, std::size_t i, const PacketOutput& called) {
  const headroom_detail& d = called.detail;
  std::ostringstream line;
  line << nth("packet", i) << " of the " << side << ": " << name_of_status(called.status) << ' '
       << to_hex(called.octets) << " cid " << d.cid << " profile " << d.profile << " headers " << d.plain_header << '/'
       << d.compressed_header << " type " << unsigned{d.packet_type} << " mode " << unsigned{d.mode} << " state "
       << unsigned{d.state} << " event " << unsigned{d.event} << " link type " << called.type << '\n';
  return line.str();
}

}  // namespace

bool offers(const Subject& subject, const char* list, const char* word) {
  const Json words = subject.scheme.value(list, Json::array());
  return words.is_array() && std::find(words.begin(), words.end(), word) != words.end();
}

AdapterJob on_narrow_link(const Subject& subject) {
  AdapterJob job = subject.adapter;
  if (!offers(subject, "features", "segmentation")) return job;
  known_scheme(subject).trials.allow_segments(job.config, kNarrowLink);
  return job;
}

const Scheme& known_scheme(const Subject& subject) noexcept { return scheme_or_default(subject.adapter.scheme); }

void process_one(const Instance& instance, headroom_packet& packet, std::uint64_t now_ns) {
  const Caller<Judged> caller = caller_of(instance);
  const std::size_t room = packet.in_length + HEADROOM_EXPANSION;
  caller.process_all(caller.role() == HEADROOM_COMPRESSOR, &packet, 1, now_ns, nullptr, [&](std::size_t, std::size_t) {
    if (packet.more != 0) drain(caller, room, now_ns);
  });
}

std::vector<PacketOutput> call(const Instance& instance, const std::vector<PacketInput>& inputs, std::uint64_t now_ns,
                               const CallOptions& options) {
  const std::uint32_t room = instance.expansion();
  std::size_t in_total = kSlack;
  for (const PacketInput& input : inputs) in_total += input.octets.size() + kSlack;
  const std::size_t out_total = in_total + inputs.size() * room;
  Octets in(in_total, 0);
  Octets out(out_total, options.fill);
  std::vector<headroom_packet> packets;
  std::vector<headroom_detail> details(inputs.size(), kUnknownDetail);
  std::uint8_t* in_at = in.data() + kSlack;
  std::uint8_t* out_at = out.data() + kSlack;
  for (const PacketInput& input : inputs) {
    const std::size_t length = input.octets.size();
    std::copy(input.octets.begin(), input.octets.end(), in_at);
    const auto promised = static_cast<std::uint32_t>(length + room);
    packets.push_back(record_of({{in_at, length}, input.channel, input.type}, out_at,
                                std::min(options.capacity.value_or(promised), promised)));
    in_at += length + kSlack;
    out_at += length + room + kSlack;
  }
  const std::vector<headroom_packet> expected = packets;
  const Caller<Judged> caller = caller_of(instance, options.on_bad);
  const bool compressing = instance.role() == HEADROOM_COMPRESSOR;
  caller.process_all(compressing, packets.data(), packets.size(), now_ns, details.data(),
                     [&](std::size_t, std::size_t end) {
                       if (packets[end - 1].more != 0) drain(caller, out_total, now_ns);
                     });
  std::vector<PacketOutput> outputs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_outcome(caller, name_of_function(compressing), packets[i]);
    outputs[i].status = packets[i].status;
    outputs[i].detail = details[i];
    outputs[i].type = packets[i].out_type;
    if (options.written != nullptr) {
      std::size_t octets = expected[i].out_capacity;
      while (octets != 0 && expected[i].out[octets - 1] == options.fill) --octets;
      options.written->push_back(octets);
    }
    if (packets[i].status != HEADROOM_OK) continue;
    const std::uint8_t* start = expected[i].out;  // not the adapter's word for it
    outputs[i].octets.assign(start, start + std::min(packets[i].out_length, expected[i].out_capacity));
  }
  return outputs;
}

PacketOutput call_one(const Instance& instance, const PacketInput& input, std::uint64_t now_ns,
                      const CallOptions& options) {
  return std::move(call(instance, {input}, now_ns, options)[0]);
}

std::vector<ReversePacket> take_reverse(const Instance& instance, std::uint64_t now_ns, const CallOptions& options) {
  const Caller<Judged> caller = caller_of(instance, options.on_bad);
  std::vector<ReversePacket> taken;
  for (std::size_t i = 0; i < kMostOutputs; ++i) {
    Octets buffer(HEADROOM_REVERSE_MAX + kSlack, options.fill);
    const auto packet = caller.next_reverse(buffer.data(), now_ns);
    if (!packet) return taken;
    taken.push_back({Octets(packet->octets.begin(), packet->octets.end()), packet->channel, packet->type});
  }
  caller.broken("take_reverse", [] { return "it never stops returning packets."; });
  return taken;
}

void carry_reverse(const Instance& decompressor, const Instance& compressor, std::uint64_t now_ns) {
  for (const ReversePacket& packet : take_reverse(decompressor, now_ns)) {
    if (packet.type == HEADROOM_REVERSE_FAR)
      (void)caller_of(compressor).give_reverse({packet.octets, 0, HEADROOM_REVERSE_NEAR}, now_ns);
  }
}

std::vector<TypedPacket> inputs_for(const Subject& subject, headroom_role role, std::size_t most) {
  if (role == HEADROOM_DECOMPRESSOR) return link_packets(subject, most);
  std::vector<TypedPacket> inputs;
  for (std::size_t i = 0; i < std::min(most, subject.packets.size()); ++i)
    inputs.push_back({subject.packets[i].octets, subject.packets[i].type});
  return inputs;
}

std::vector<TypedPacket> link_packets(const Subject& subject, std::size_t most) {
  std::vector<TypedPacket> packets = inputs_for(subject, HEADROOM_COMPRESSOR, most);
  if (!subject.compressor) return packets;
  const Instance compressor(subject.adapter, HEADROOM_COMPRESSOR);
  std::vector<TypedPacket> made;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    PacketOutput output = call_one(compressor, input_of(packets[i]), time_of(i));
    if (output.came_out()) made.push_back({std::move(output.octets), output.type});
  }
  return made;
}

std::string transcript(const Subject& subject, const TranscriptOptions& options) {
  std::unique_ptr<Instance> compressor, decompressor;
  if (subject.compressor) compressor = std::make_unique<Instance>(subject.adapter, HEADROOM_COMPRESSOR);
  if (subject.decompressor) decompressor = std::make_unique<Instance>(subject.adapter, HEADROOM_DECOMPRESSOR);
  std::string text;
  const std::size_t count = std::min(options.most, subject.packets.size());
  const CallOptions fill = {OnBadOutcome::not_judged, options.fill};
  // Reverse packets go back after a fixed number of packets, whatever the burst, so that bursts of different lengths
  // have the same to say.
  constexpr std::size_t kReverseEvery = 16;
  for (std::size_t i = 0; i < count; i += kReverseEvery) {
    const std::size_t end = std::min(i + kReverseEvery, count);
    const std::uint64_t now_ns = time_of(i);
    std::vector<TypedPacket> link;
    for (std::size_t j = i; j < end; j += options.burst) {
      std::vector<PacketInput> inputs;
      for (std::size_t k = j; k < std::min<std::size_t>(j + options.burst, end); ++k)
        inputs.push_back(input_of(subject.packets[k]));
      note(nth("packets", j) + " and following were given to it");
      if (compressor == nullptr) {
        for (std::size_t k = j; k < j + inputs.size(); ++k)
          link.push_back({subject.packets[k].octets, subject.packets[k].type});
        continue;
      }
      std::vector<PacketOutput> called = call(*compressor, inputs, now_ns, fill);
      for (std::size_t k = 0; k < called.size(); ++k) {
        text += line_of("compressor", j + k, called[k]);
        if (called[k].came_out()) link.push_back({std::move(called[k].octets), called[k].type});
      }
    }
    if (decompressor == nullptr) continue;
    for (std::size_t j = 0; j < link.size(); j += options.burst) {
      std::vector<PacketInput> inputs;
      for (std::size_t k = j; k < std::min<std::size_t>(j + options.burst, link.size()); ++k)
        inputs.push_back(input_of(link[k]));
      const std::vector<PacketOutput> called = call(*decompressor, inputs, now_ns, fill);
      for (std::size_t k = 0; k < called.size(); ++k) text += line_of("decompressor", i + j + k, called[k]);
    }
    for (const ReversePacket& packet : take_reverse(*decompressor, now_ns, fill)) {
      text += "reverse packet after " + nth("packet", end - 1) + ": " + to_hex(packet.octets) + "\n";
      if (compressor != nullptr && packet.type == HEADROOM_REVERSE_FAR)
        (void)caller_of(*compressor).give_reverse({packet.octets, 0, HEADROOM_REVERSE_NEAR}, now_ns);
    }
  }
  return text;
}

std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream first(a), second(b);
  for (;;) {
    std::string left, right;
    const bool more_left = static_cast<bool>(std::getline(first, left));
    const bool more_right = static_cast<bool>(std::getline(second, right));
    if (!more_left && !more_right) return {};
    if (left == right) continue;
    const std::size_t colon = left.find(": ");
    if (colon == std::string::npos || right.compare(0, colon, left, 0, colon) != 0)
      return "one has '" + left + "', the other '" + right + "'";
    return left.substr(0, colon) + ": '" + left.substr(colon + 2) + "' and '" + right.substr(colon + 2) + "'";
  }
}

}  // namespace headroom::check
