// SPDX-License-Identifier: Apache-2.0
#include "node/codec.h"

#include <algorithm>

#include "adapter/calling.h"

namespace headroom::node {
namespace {

constexpr std::size_t kCacheLine = 64;

// An odd number of cache lines, so that the buffers of a burst spread over the sets of the cache.
constexpr std::size_t odd_lines(std::size_t octets) {
  return (((octets + kCacheLine - 1) / kCacheLine) | 1) * kCacheLine;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

OctetView next_segment(OctetView& octets) noexcept {
  if (octets.size() < HEADROOM_SEGMENT_LENGTH) return {};
  const std::size_t length = load16(octets.data());
  if (length == 0 || length > octets.size() - HEADROOM_SEGMENT_LENGTH) return {};
  const OctetView segment = octets.subspan(HEADROOM_SEGMENT_LENGTH, length);
  octets = octets.subspan(HEADROOM_SEGMENT_LENGTH + length);
  return segment;
}

Codec::Codec(const AdapterJob& job, headroom_role role, std::uint32_t burst, std::uint32_t longest)
    : instance_(job, role),
      function_(role == HEADROOM_COMPRESSOR ? "compress" : "decompress"),
      capacity_(longest + expansion_for(role, longest, job.mrru) +
                static_cast<std::uint32_t>(role == HEADROOM_COMPRESSOR ? kMostWaitingFeedback : 0)),
      stride_(odd_lines(capacity_)),
      arena_(new std::uint8_t[burst * stride_]()),
      packets_(burst) {}

void Codec::add(OctetView packet) noexcept {
  // Every field anew: the adapter may have changed any.
  packets_[count_] = {.in = packet.data(),
                      .out = out(count_),
                      .in_length = static_cast<std::uint32_t>(packet.size()),
                      .out_capacity = capacity_,
                      .channel = 0,
                      .out_length = 0,
                      .status = HEADROOM_ERR_INTERNAL,  // of an adapter that forgets it
                      .source = 0};
  ++count_;
}

void Codec::process(std::uint64_t now_ns) {
  const headroom_api& api = instance_.api();
  const auto call = instance_.role() == HEADROOM_COMPRESSOR ? api.compress : api.decompress;
  call_adapter(function_, [&] { call(instance_.self(), packets_.data(), count_, now_ns, nullptr); });
  for (std::uint32_t i = 0; i < count_; ++i) {
    const headroom_packet& packet = packets_[i];
    const bool plausible = packet.status == HEADROOM_OK && packet.out_length - 1 < capacity_;
    if (!plausible) [[unlikely]]
      check(i);
  }
}

void Codec::check(std::uint32_t i) const {
  const headroom_packet& packet = packets_[i];
  if (*name_of_status(packet.status) == '\0')
    broken(function_, "it gave the status " + std::to_string(packet.status) + ", which the ABI does not know.");
  if (packet.status != HEADROOM_OK && packet.status != HEADROOM_SEGMENTS) return;
  if (packet.out_length == 0) broken(function_, "it claims success with no octet of output.");
  if (packet.out_length > capacity_) {
    broken(function_,
           "it claims " + number(packet.out_length) + " octets of output in a buffer of " + number(capacity_) + ".");
  }
  if (packet.status == HEADROOM_OK) return;
  if (instance_.role() != HEADROOM_COMPRESSOR || instance_.mrru() == 0)
    broken(function_, "it gave the status SEGMENTS, which is for compressors whose configuration has an \"mrru\".");
  OctetView left = output(i);
  while (!left.empty()) {
    if (next_segment(left).empty()) broken(function_, "its segments do not fill the length that it reports.");
  }
}

OctetView Codec::take(std::int32_t (*function)(headroom_instance*, headroom_feedback*), const char* name) {
  if (function == nullptr) return {};
  headroom_feedback feedback = {feedback_.data(), HEADROOM_FEEDBACK_MAX, 0, 0, 0};
  const std::int32_t result = call_adapter(name, [&] { return function(instance_.self(), &feedback); });
  if (result == 0) return {};
  if (result != 1) broken(name, "it returned " + std::to_string(result) + "; 0 and 1 are what mean something.");
  if (feedback.length == 0 || feedback.length > feedback_.size()) {
    broken(name, "it claims feedback of " + number(feedback.length) + " octets in a buffer of " +
                     number(feedback_.size()) + ".");
  }
  if (feedback.channel != 0) broken(name, "its feedback is for channel " + number(feedback.channel) + " of 1.");
  return {feedback_.data(), feedback.length};
}

OctetView Codec::take_feedback() { return take(instance_.api().take_feedback, "take_feedback"); }

OctetView Codec::take_received_feedback() {
  return take(instance_.api().take_received_feedback, "take_received_feedback");
}

// The ABI's feedback is not const; what another adapter said stays as it was all the same.
headroom_feedback Codec::copy_of(OctetView feedback) noexcept {
  const std::size_t length = std::min(feedback.size(), feedback_.size());
  std::copy_n(feedback.begin(), length, feedback_.begin());
  return {feedback_.data(), HEADROOM_FEEDBACK_MAX, static_cast<std::uint32_t>(length), 0, 0};
}

void Codec::give_feedback(OctetView feedback, std::uint64_t now_ns) {
  if (instance_.api().give_feedback == nullptr) return;
  const headroom_feedback given = copy_of(feedback);
  call_adapter("give_feedback", [&] { instance_.api().give_feedback(instance_.self(), &given, now_ns); });
}

bool Codec::piggyback(OctetView feedback) {
  if (instance_.api().piggyback == nullptr) return false;
  const headroom_feedback given = copy_of(feedback);
  return call_adapter("piggyback", [&] { return instance_.api().piggyback(instance_.self(), &given); }) == 1;
}

void Codec::broken(const char* function, const std::string& sentence) {
  throw Error(ErrorKind::adapter, std::string("the adapter's ") + function + " broke a promise: " + sentence);
}

}  // namespace headroom::node
