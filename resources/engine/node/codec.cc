// SPDX-License-Identifier: Apache-2.0
#include "node/codec.h"

#include <algorithm>

namespace headroom::node {
namespace {

constexpr std::size_t kCacheLine = 64;

// An odd number of cache lines, so that the buffers of a burst spread over the sets of the cache.
constexpr std::size_t odd_lines(std::size_t octets) {
  return (((octets + kCacheLine - 1) / kCacheLine) | 1) * kCacheLine;
}

constexpr std::uint32_t kMostOutputs = 65'536;  // of one packet: one that never stops must not hang the node

}  // namespace

Codec::Codec(const AdapterJob& job, headroom_role role, std::uint32_t burst, std::uint32_t longest)
    : instance_(job, role),
      caller_(instance_),
      capacity_(longest + instance_.expansion() +
                static_cast<std::uint32_t>(role == HEADROOM_COMPRESSOR ? kMostWaitingFeedback : 0)),
      stride_(odd_lines(capacity_)),
      arena_(new std::uint8_t[(burst + 1) * stride_]()),
      packets_(burst) {}

void Codec::add(OctetView packet, std::uint16_t type) noexcept {
  // Every field anew: the adapter may have changed any. The status is that of an adapter that forgets it.
  packets_[count_] = record_of({packet, 0, type}, out(count_), capacity_, HEADROOM_ERR_INTERNAL);
  ++count_;
}

void Codec::process(std::uint64_t now_ns) {
  drained_.clear();
  drained_octets_.clear();
  caller_.process_all(compresses(), packets_.data(), count_, now_ns, nullptr, [&](std::size_t begin, std::size_t end) {
    const char* const function = name_of_function(compresses());
    for (std::size_t i = begin; i < end; ++i) check(packets_[i], function);
    if (packets_[end - 1].more != 0) [[unlikely]]
      drain(static_cast<std::uint32_t>(end - 1), now_ns);
    else if (end != count_) [[unlikely]]
      caller_.broken(function, [] { return "it stopped behind a packet that has no more outputs."; });
  });
}

void Codec::drain(std::uint32_t packet, std::uint64_t now_ns) {
  std::uint8_t* const room = arena_.get() + packets_.size() * stride_;
  caller_.drain_all(compresses(), record_of({}, room, capacity_, HEADROOM_ERR_INTERNAL), kMostOutputs, now_ns,
                    [&](const headroom_packet& record) {
                      check(record, "drain");
                      if (record.status != HEADROOM_OK) return;
                      drained_.push_back({packet, static_cast<std::uint32_t>(drained_octets_.size()), record.out_length,
                                          record.out_type});
                      drained_octets_.insert(drained_octets_.end(), room, room + record.out_length);
                    });
}

std::span<const Codec::Output> Codec::drain_due(std::uint64_t now_ns) {
  clear();
  drained_.clear();
  drained_octets_.clear();
  drain(0, now_ns);
  return drained_;
}

std::span<const Codec::Output> Codec::more(std::uint32_t i) const noexcept {
  const auto begin = std::lower_bound(drained_.begin(), drained_.end(), i,
                                      [](const Output& one, std::uint32_t packet) { return one.packet < packet; });
  const auto end = std::upper_bound(begin, drained_.end(), i,
                                    [](std::uint32_t packet, const Output& one) { return packet < one.packet; });
  return {begin, end};
}

void Codec::check(const headroom_packet& packet, const char* function) const {
  const bool plausible = packet.status == HEADROOM_OK && packet.out_length - 1 < capacity_;
  if (plausible) [[likely]]
    return;
  if (std::string defect = outcome_defect(packet, capacity_, false); !defect.empty())
    caller_.broken(function, [&] { return defect; });
}

std::optional<Codec::Reverse> Codec::take_reverse(std::uint64_t now_ns) {
  const std::optional<Reverse> packet = caller_.next_reverse(reverse_.data(), now_ns);
  if (packet && packet->channel != 0) {
    caller_.broken("take_reverse",
                   [&] { return "its packet is of channel " + std::to_string(packet->channel) + " of 1."; });
  }
  return packet;
}

}  // namespace headroom::node
