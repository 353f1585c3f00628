// SPDX-License-Identifier: Apache-2.0
#include "check/caller.h"

#include <algorithm>
#include <sstream>

#include "base/hex.h"
#include "check/child.h"

namespace headroom::check {
namespace {

constexpr std::size_t kSlack = 1024;  // octets on both sides that a check about something else forgives
constexpr std::int32_t kNoStatus = 0x5EADBEEF;
constexpr int kMostOutputs = 1000;  // of one call, and reverse packets after it

[[noreturn]] void bad_outcome(OnBadOutcome on_bad, const std::string& what) {
  if (on_bad == OnBadOutcome::broken) throw Broken(what);
  throw NotJudged("not judged, because the outcome of a call is not what the ABI allows; see the check \"outcome\".");
}

void check_outcome(const headroom_packet& packet, OnBadOutcome on_bad) {
  if (*name_of_status(packet.status) == '\0')
    bad_outcome(on_bad, "a packet was left with a status that the ABI does not know.");
  if (packet.status == HEADROOM_OK && (packet.out_length == 0 || packet.out_length > packet.out_capacity)) {
    bad_outcome(on_bad, "success was claimed with " + std::to_string(packet.out_length) + " octets in a buffer of " +
                            std::to_string(packet.out_capacity) + ".");
  }
}

// Returns how many of `count` packets were handled: as the adapter says, if that can be.
std::size_t process(const Instance& instance, headroom_packet* packets, std::size_t count, std::uint64_t now_ns,
                    headroom_detail* details, OnBadOutcome on_bad) {
  const headroom_api& api = instance.api();
  const auto function = instance.role() == HEADROOM_COMPRESSOR ? api.compress : api.decompress;
  const std::size_t handled = function(instance.self(), packets, count, now_ns, details);
  if (handled == 0 || handled > count) {
    bad_outcome(on_bad, "a burst of " + std::to_string(count) + " was answered with " + std::to_string(handled) +
                            " packets handled; there is at least one.");
  }
  return handled;
}

void drain(const Instance& instance, std::size_t room, std::uint64_t now_ns, OnBadOutcome on_bad) {
  if (instance.api().drain == nullptr) bad_outcome(on_bad, "a packet has more outputs, and drain is NULL.");
  Octets buffer(room + 2 * kSlack);
  for (int i = 0; i < kMostOutputs; ++i) {
    headroom_packet packet{};
    packet.out = buffer.data() + kSlack;
    packet.out_capacity = static_cast<std::uint32_t>(room);
    packet.status = kNoStatus;
    if (instance.api().drain(instance.self(), &packet, 1, now_ns, nullptr) == 0) return;
    check_outcome(packet, on_bad);
  }
  bad_outcome(on_bad, "drain never comes to an end.");
}

std::string line_of(const char* side, std::size_t i, const Called& called) {
  const headroom_detail& d = called.detail;
  std::ostringstream line;
  line << "packet " << i << " of the " << side << ": " << name_of_status(called.status) << ' ' << to_hex(called.octets)
       << " cid " << d.cid << " profile " << d.profile << " headers " << d.plain_header << '/' << d.compressed_header
       << " type " << unsigned{d.packet_type} << " mode " << unsigned{d.mode} << " state " << unsigned{d.state}
       << " event " << unsigned{d.event} << '\n';
  return line.str();
}

}  // namespace

headroom_packet record_of(const std::uint8_t* in, std::size_t in_length, std::uint8_t* out, std::size_t capacity,
                          std::uint32_t channel) {
  headroom_packet packet{};
  packet.in = in;
  packet.in_length = static_cast<std::uint32_t>(in_length);
  packet.out = out;
  packet.out_capacity = static_cast<std::uint32_t>(capacity);
  packet.channel = channel;
  packet.status = kNoStatus;
  return packet;
}

void process_one(const Instance& instance, headroom_packet& packet, std::uint64_t now_ns) {
  (void)process(instance, &packet, 1, now_ns, nullptr, OnBadOutcome::not_judged);
  if (packet.more != 0) drain(instance, packet.in_length + HEADROOM_EXPANSION, now_ns, OnBadOutcome::not_judged);
}

std::vector<Called> call(const Instance& instance, const std::vector<OctetView>& inputs, std::uint32_t channel,
                         std::uint64_t now_ns, OnBadOutcome on_bad, std::uint8_t fill, bool details) {
  std::size_t in_total = kSlack;
  std::size_t out_total = kSlack;
  const auto capacity_for = [&](const OctetView& input) {
    const auto length = static_cast<std::uint32_t>(input.size());
    return length + expansion_for(instance.role(), instance.mrru());
  };
  for (const OctetView& input : inputs) {
    in_total += input.size() + kSlack;
    out_total += capacity_for(input) + kSlack;
  }
  Octets in(in_total, 0);
  Octets out(out_total, fill);
  std::vector<headroom_packet> packets(inputs.size());
  std::vector<headroom_detail> detail(inputs.size(),
                                      headroom_detail{0xFFFFFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 255, 255, 255, 255, 0});
  std::size_t in_at = kSlack;
  std::size_t out_at = kSlack;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto length = static_cast<std::uint32_t>(inputs[i].size());
    std::copy(inputs[i].begin(), inputs[i].end(), in.begin() + static_cast<std::ptrdiff_t>(in_at));
    const std::uint32_t capacity = capacity_for(inputs[i]);
    packets[i] = record_of(in.data() + in_at, length, out.data() + out_at, capacity, channel);
    in_at += length + kSlack;
    out_at += capacity + kSlack;
  }
  const std::vector<headroom_packet> expected = packets;
  for (std::size_t begin = 0; begin < packets.size();) {
    begin += process(instance, packets.data() + begin, packets.size() - begin, now_ns,
                     details ? detail.data() + begin : nullptr, on_bad);
    if (packets[begin - 1].more != 0) drain(instance, out_total, now_ns, on_bad);
  }
  std::vector<Called> called(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_outcome(packets[i], on_bad);
    called[i].status = packets[i].status;
    called[i].detail = detail[i];
    if (packets[i].status != HEADROOM_OK) continue;
    const std::uint8_t* start = expected[i].out;  // not the adapter's word for it
    called[i].octets.assign(start, start + std::min(packets[i].out_length, expected[i].out_capacity));
  }
  return called;
}

std::vector<ReversePacket> take_reverse(const Instance& instance, std::uint64_t now_ns, std::uint8_t fill,
                                        OnBadOutcome on_bad) {
  std::vector<ReversePacket> taken;
  if (instance.api().take_reverse == nullptr) return taken;
  for (int i = 0; i < kMostOutputs; ++i) {
    Octets buffer(HEADROOM_REVERSE_MAX + kSlack, fill);
    headroom_packet packet{};
    packet.out = buffer.data();
    packet.out_capacity = HEADROOM_REVERSE_MAX;
    if (instance.api().take_reverse(instance.self(), &packet, 1, now_ns) != 1) return taken;
    if (packet.out_length == 0 || packet.out_length > HEADROOM_REVERSE_MAX) {
      bad_outcome(on_bad, "take_reverse claims " + std::to_string(packet.out_length) + " octets in a buffer of " +
                              std::to_string(HEADROOM_REVERSE_MAX) + ".");
    }
    buffer.resize(packet.out_length);
    taken.push_back({std::move(buffer), packet.channel, packet.out_type});
  }
  bad_outcome(on_bad, "take_reverse never stops returning packets.");
}

void give_reverse(const Instance& instance, const Octets& octets, std::uint16_t type, std::uint64_t now_ns) {
  if (instance.api().give_reverse == nullptr) return;
  const Octets copy = octets;
  headroom_packet packet = record_of(copy.data(), copy.size(), nullptr, 0);
  packet.in_type = type;
  (void)instance.api().give_reverse(instance.self(), &packet, 1, now_ns);
}

void carry_reverse(const Instance& decompressor, const Instance& compressor, std::uint64_t now_ns) {
  for (const ReversePacket& packet : take_reverse(decompressor, now_ns)) {
    if (packet.type == HEADROOM_REVERSE_FAR) give_reverse(compressor, packet.octets, HEADROOM_REVERSE_NEAR, now_ns);
  }
}

std::vector<Octets> link_packets(const Subject& subject, std::size_t most) {
  std::vector<Octets> packets;
  const std::size_t count = std::min(most, subject.packets.size());
  if (!subject.compressor) {
    for (std::size_t i = 0; i < count; ++i) packets.push_back(subject.packets[i].octets);
    return packets;
  }
  const Instance compressor(subject.adapter, HEADROOM_COMPRESSOR);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Called> called = call(compressor, {subject.packets[i].octets}, 0, time_of(i));
    if (called[0].status == HEADROOM_OK) packets.push_back(std::move(called[0].octets));
  }
  return packets;
}

std::string transcript(const Subject& subject, const TranscriptOptions& options) {
  std::unique_ptr<Instance> compressor, decompressor;
  if (subject.compressor) compressor = std::make_unique<Instance>(subject.adapter, HEADROOM_COMPRESSOR);
  if (subject.decompressor) decompressor = std::make_unique<Instance>(subject.adapter, HEADROOM_DECOMPRESSOR);
  std::string text;
  const std::size_t count = std::min(options.most, subject.packets.size());
  // Feedback goes back after a fixed number of packets, whatever the burst, so that bursts of different lengths have
  // the same to say.
  constexpr std::size_t kFeedbackEvery = 16;
  for (std::size_t i = 0; i < count; i += kFeedbackEvery) {
    const std::size_t end = std::min(i + kFeedbackEvery, count);
    const std::uint64_t now_ns = time_of(i);
    std::vector<Octets> link;
    for (std::size_t j = i; j < end; j += options.burst) {
      std::vector<OctetView> inputs;
      for (std::size_t k = j; k < std::min<std::size_t>(j + options.burst, end); ++k)
        inputs.push_back(subject.packets[k].octets);
      note("packets " + std::to_string(j) + " and following were given to it");
      if (compressor == nullptr) {
        for (const OctetView& input : inputs) link.emplace_back(input.begin(), input.end());
        continue;
      }
      std::vector<Called> called = call(*compressor, inputs, 0, now_ns, OnBadOutcome::not_judged, options.fill);
      for (std::size_t k = 0; k < called.size(); ++k) {
        text += line_of("compressor", j + k, called[k]);
        if (called[k].status == HEADROOM_OK) link.push_back(std::move(called[k].octets));
      }
    }
    if (decompressor == nullptr) continue;
    for (std::size_t j = 0; j < link.size(); j += options.burst) {
      std::vector<OctetView> inputs;
      for (std::size_t k = j; k < std::min<std::size_t>(j + options.burst, link.size()); ++k) inputs.push_back(link[k]);
      const std::vector<Called> called = call(*decompressor, inputs, 0, now_ns, OnBadOutcome::not_judged, options.fill);
      for (std::size_t k = 0; k < called.size(); ++k) text += line_of("decompressor", i + j + k, called[k]);
    }
    for (const ReversePacket& packet : take_reverse(*decompressor, now_ns, options.fill)) {
      text += "feedback after packet " + std::to_string(end - 1) + ": " + to_hex(packet.octets) + "\n";
      if (compressor != nullptr && packet.type == HEADROOM_REVERSE_FAR)
        give_reverse(*compressor, packet.octets, HEADROOM_REVERSE_NEAR, now_ns);
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
