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
constexpr int kMostFeedback = 1000;  // messages after one call

[[noreturn]] void bad_outcome(OnBadOutcome on_bad, const std::string& what) {
  if (on_bad == OnBadOutcome::broken) throw Broken(what);
  throw NotJudged("not judged, because the outcome of a call is not what the ABI allows; see the check \"outcome\".");
}

void check_outcome(const Instance& instance, const headroom_packet& packet, OnBadOutcome on_bad) {
  if (*name_of_status(packet.status) == '\0')
    bad_outcome(on_bad, "a packet was left with a status that the ABI does not know.");
  if (packet.status == HEADROOM_SEGMENTS && (instance.role() != HEADROOM_COMPRESSOR || instance.mrru() == 0))
    bad_outcome(on_bad, "segments were given although the configuration has no \"mrru\" above 0.");
  const bool came_out = packet.status == HEADROOM_OK || packet.status == HEADROOM_SEGMENTS;
  if (came_out && (packet.out_length == 0 || packet.out_length > packet.out_capacity)) {
    bad_outcome(on_bad, "success was claimed with " + std::to_string(packet.out_length) + " octets in a buffer of " +
                            std::to_string(packet.out_capacity) + ".");
  }
}

std::vector<Octets> take(const Instance& instance, int32_t (*function)(headroom_instance*, headroom_feedback*),
                         const std::string& name, std::uint8_t fill, OnBadOutcome on_bad) {
  std::vector<Octets> taken;
  if (function == nullptr) return taken;
  for (int i = 0; i < kMostFeedback; ++i) {
    Octets buffer(HEADROOM_FEEDBACK_MAX + kSlack, fill);
    headroom_feedback feedback = {buffer.data(), HEADROOM_FEEDBACK_MAX, 0, 0, 0};
    if (function(instance.self(), &feedback) != 1) return taken;
    if (feedback.length == 0 || feedback.length > HEADROOM_FEEDBACK_MAX) {
      bad_outcome(on_bad, name + " claims " + std::to_string(feedback.length) + " octets in a buffer of " +
                              std::to_string(HEADROOM_FEEDBACK_MAX) + ".");
    }
    buffer.resize(feedback.length);
    taken.push_back(std::move(buffer));
  }
  bad_outcome(on_bad, name + " never stops returning feedback.");
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

std::vector<Called> call(const Instance& instance, const std::vector<OctetView>& inputs, std::uint32_t channel,
                         std::uint64_t now_ns, OnBadOutcome on_bad, std::uint8_t fill, bool details) {
  std::size_t in_total = kSlack;
  std::size_t out_total = kSlack;
  const auto capacity_for = [&](const OctetView& input) {
    const auto length = static_cast<std::uint32_t>(input.size());
    return length + expansion_for(instance.role(), length, instance.mrru());
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
    packets[i] = {in.data() + in_at, out.data() + out_at, length, capacity, channel, 0, kNoStatus, 0};
    in_at += length + kSlack;
    out_at += capacity + kSlack;
  }
  const std::vector<headroom_packet> expected = packets;
  const auto function = instance.role() == HEADROOM_COMPRESSOR ? instance.api().compress : instance.api().decompress;
  function(instance.self(), packets.data(), packets.size(), now_ns, details ? detail.data() : nullptr);
  std::vector<Called> called(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_outcome(instance, packets[i], on_bad);
    called[i].status = packets[i].status;
    called[i].detail = detail[i];
    if (packets[i].status != HEADROOM_OK) continue;
    const std::uint8_t* start = expected[i].out;  // not the adapter's word for it
    called[i].octets.assign(start, start + std::min(packets[i].out_length, expected[i].out_capacity));
  }
  return called;
}

std::vector<Octets> take_feedback(const Instance& instance, std::uint8_t fill, OnBadOutcome on_bad) {
  return take(instance, instance.api().take_feedback, "take_feedback", fill, on_bad);
}

std::vector<Octets> take_received_feedback(const Instance& instance, OnBadOutcome on_bad) {
  return take(instance, instance.api().take_received_feedback, "take_received_feedback", 0, on_bad);
}

void give_feedback(const Instance& instance, const Octets& feedback, std::uint32_t channel, std::uint64_t now_ns) {
  if (instance.api().give_feedback == nullptr) return;
  Octets copy = feedback;
  const auto length = static_cast<std::uint32_t>(copy.size());
  const headroom_feedback given = {copy.data(), length, length, channel, 0};
  instance.api().give_feedback(instance.self(), &given, now_ns);
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
    for (const Octets& feedback : take_feedback(*decompressor, options.fill)) {
      text += "feedback after packet " + std::to_string(end - 1) + ": " + to_hex(feedback) + "\n";
      if (compressor != nullptr) give_feedback(*compressor, feedback, 0, now_ns);
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
