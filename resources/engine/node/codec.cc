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

constexpr std::uint32_t kMostOutputs = 65'536;  // of one packet: one that never stops must not hang the node

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

Codec::Codec(const AdapterJob& job, headroom_role role, std::uint32_t burst, std::uint32_t longest)
    : instance_(job, role),
      function_(role == HEADROOM_COMPRESSOR ? "compress" : "decompress"),
      capacity_(longest + expansion_for(role, job.mrru) +
                static_cast<std::uint32_t>(role == HEADROOM_COMPRESSOR ? kMostWaitingFeedback : 0)),
      stride_(odd_lines(capacity_)),
      arena_(new std::uint8_t[(burst + 1) * stride_]()),
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
                      .source = 0,
                      .in_type = HEADROOM_TYPE_DEFAULT,
                      .out_type = HEADROOM_TYPE_DEFAULT,
                      .more = 0};
  ++count_;
}

void Codec::process(std::uint64_t now_ns) {
  const headroom_api& api = instance_.api();
  const auto call = instance_.role() == HEADROOM_COMPRESSOR ? api.compress : api.decompress;
  drained_.clear();
  drained_octets_.clear();
  for (std::uint32_t begin = 0; begin < count_;) {
    const std::size_t left = count_ - begin;
    const std::size_t handled =
        call_adapter(function_, [&] { return call(instance_.self(), &packets_[begin], left, now_ns, nullptr); });
    if (handled == 0 || handled > left) [[unlikely]]
      broken(function_,
             "it has handled " + number(handled) + " of " + number(left) + " packets; one at least is right.");
    const std::uint32_t end = begin + static_cast<std::uint32_t>(handled);
    for (std::uint32_t i = begin; i < end; ++i) {
      const headroom_packet& packet = packets_[i];
      const bool plausible = packet.status == HEADROOM_OK && packet.out_length - 1 < capacity_;
      if (!plausible) [[unlikely]]
        check(packet, function_);
    }
    if (packets_[end - 1].more != 0) [[unlikely]]
      drain(end - 1, now_ns);
    else if (end != count_) [[unlikely]]
      broken(function_, "it stopped behind a packet that has no more outputs.");
    begin = end;
  }
}

void Codec::drain(std::uint32_t packet, std::uint64_t now_ns) {
  if (instance_.api().drain == nullptr) broken(function_, "its packet has more outputs, and drain is NULL.");
  std::uint8_t* const room = arena_.get() + packets_.size() * stride_;
  for (std::uint32_t outputs = 0;; ++outputs) {
    headroom_packet record{};
    record.out = room;
    record.out_capacity = capacity_;
    record.status = HEADROOM_ERR_INTERNAL;
    const std::size_t drained =
        call_adapter("drain", [&] { return instance_.api().drain(instance_.self(), &record, 1, now_ns, nullptr); });
    if (drained == 0) return;
    if (outputs == kMostOutputs) broken("drain", "it never comes to an end.");
    check(record, "drain");
    if (record.status != HEADROOM_OK) continue;
    drained_.push_back({packet, static_cast<std::uint32_t>(drained_octets_.size()), record.out_length});
    drained_octets_.insert(drained_octets_.end(), room, room + record.out_length);
  }
}

std::span<const Codec::Output> Codec::more(std::uint32_t i) const noexcept {
  const auto begin = std::lower_bound(drained_.begin(), drained_.end(), i,
                                      [](const Output& one, std::uint32_t packet) { return one.packet < packet; });
  const auto end = std::upper_bound(begin, drained_.end(), i,
                                    [](std::uint32_t packet, const Output& one) { return packet < one.packet; });
  return {begin, end};
}

void Codec::check(const headroom_packet& packet, const char* function) const {
  if (*name_of_status(packet.status) == '\0')
    broken(function, "it gave the status " + std::to_string(packet.status) + ", which the ABI does not know.");
  if (packet.status != HEADROOM_OK) return;
  if (packet.out_length == 0) broken(function, "it claims success with no octet of output.");
  if (packet.out_length > capacity_) {
    broken(function,
           "it claims " + number(packet.out_length) + " octets of output in a buffer of " + number(capacity_) + ".");
  }
}

Codec::Reverse Codec::take_reverse(std::uint64_t now_ns) {
  constexpr const char* kName = "take_reverse";
  if (instance_.api().take_reverse == nullptr) return {};
  headroom_packet packet{};
  packet.out = reverse_.data();
  packet.out_capacity = HEADROOM_REVERSE_MAX;
  const std::size_t taken =
      call_adapter(kName, [&] { return instance_.api().take_reverse(instance_.self(), &packet, 1, now_ns); });
  if (taken == 0) return {};
  if (packet.out_length == 0 || packet.out_length > reverse_.size()) {
    broken(kName, "it claims a packet of " + number(packet.out_length) + " octets in a buffer of " +
                      number(reverse_.size()) + ".");
  }
  if (packet.channel != 0) broken(kName, "its packet is for channel " + number(packet.channel) + " of 1.");
  return {{reverse_.data(), packet.out_length}, packet.out_type};
}

bool Codec::give_reverse(OctetView octets, std::uint16_t type, std::uint64_t now_ns) {
  if (instance_.api().give_reverse == nullptr) return false;
  headroom_packet packet{};
  packet.in = octets.data();
  packet.in_length = static_cast<std::uint32_t>(octets.size());
  packet.in_type = type;
  packet.status = HEADROOM_ERR_INTERNAL;
  call_adapter("give_reverse", [&] { return instance_.api().give_reverse(instance_.self(), &packet, 1, now_ns); });
  return packet.status == HEADROOM_OK;
}

void Codec::broken(const char* function, const std::string& sentence) {
  throw Error(ErrorKind::adapter, std::string("the adapter's ") + function + " broke a promise: " + sentence);
}

}  // namespace headroom::node
