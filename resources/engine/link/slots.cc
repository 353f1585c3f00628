// SPDX-License-Identifier: Apache-2.0
#include "link/slots.h"

#include <algorithm>

namespace headroom {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

constexpr std::uint64_t ceil_of(std::uint64_t dividend, std::uint64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

}  // namespace

std::uint64_t time_of_bits(std::uint64_t bits, std::uint64_t rate_bps) noexcept {
  return bits / rate_bps * kNsPerSecond + ceil_of(bits % rate_bps * kNsPerSecond, rate_bps);
}

Slots read_slots(const Value& value) {
  Object object(value);
  Slots slots;
  slots.packet_octets = static_cast<std::uint32_t>(object.required("packet_octets").integer(1, 65536));
  slots.buffer_packets = static_cast<std::uint32_t>(object.integer("buffer_packets", 1, 65536, slots.buffer_packets));
  slots.buffers = static_cast<std::uint32_t>(object.integer("buffers", 2, 1024, slots.buffers));
  slots.receiver_buffer_packets = static_cast<std::uint32_t>(object.integer("receiver_buffer_packets", 0, 65536, 1));
  slots.deliver_idle = object.boolean("deliver_idle", false);
  object.finish();
  return slots;
}

std::uint64_t SlotSchedule::begin_ns(std::uint64_t slot) const noexcept {
  return time_of_bits(slot * slot_bits(), rate_bps_);
}

std::uint64_t SlotSchedule::handed_on_ns(std::uint64_t slot) const noexcept {
  const std::uint64_t group = std::max<std::uint64_t>(slots_.receiver_buffer_packets, 1);
  return begin_ns((slot / group + 1) * group);
}

std::uint64_t SlotSchedule::open_buffer(std::uint64_t now_ns) const noexcept {
  const std::uint64_t bits =
      now_ns / kNsPerSecond * rate_bps_ + ceil_of(now_ns % kNsPerSecond * rate_bps_, kNsPerSecond);
  return ceil_of(bits, slot_bits() * slots_.buffer_packets) + slots_.buffers - 2;
}

std::optional<std::uint64_t> SlotSchedule::hand_over(std::size_t octets, std::uint64_t now_ns,
                                                     std::uint64_t queue_octets) {
  while (!waiting_.empty() && begin_ns(waiting_.front() + 1) <= now_ns) waiting_.pop_front();
  const std::uint64_t needed = std::max<std::uint64_t>(ceil_of(octets, slots_.packet_octets), 1);
  const std::uint64_t waiting = waiting_.size() + needed;
  if (queue_octets != 0 && waiting * slots_.packet_octets > queue_octets) return std::nullopt;
  counts_.most_waiting = std::max(counts_.most_waiting, waiting);
  const std::uint64_t buffer = open_buffer(now_ns);
  if (counts_.carried == 0) {
    closed_ = buffer;
    first_ = buffer * slots_.buffer_packets;
  }
  next_ = std::max(next_, buffer * slots_.buffer_packets);
  for (std::uint64_t i = 0; i < needed; ++i) waiting_.push_back(next_++);
  counts_.carried += needed;
  return handed_on_ns(next_ - 1);
}

std::optional<std::uint64_t> SlotSchedule::next_close_ns() const noexcept {
  if (counts_.carried == 0) return std::nullopt;
  const std::uint64_t ahead = slots_.buffers - 2;  // buffers that are closed before their transmission begins
  // Rounded down: at the nanosecond that the moment lies in, packets may still be handed over in time.
  const std::uint64_t bits = (closed_ - std::min(ahead, closed_)) * slots_.buffer_packets * slot_bits();
  return bits / rate_bps_ * kNsPerSecond + bits % rate_bps_ * kNsPerSecond / rate_bps_;
}

std::vector<std::uint64_t> SlotSchedule::close() {
  std::vector<std::uint64_t> idle;
  const std::uint64_t begin = closed_ * slots_.buffer_packets;
  ++closed_;
  for (std::uint64_t slot = std::max(begin, next_); slot < begin + slots_.buffer_packets; ++slot)
    idle.push_back(handed_on_ns(slot));
  return idle;
}

SlotCounts SlotSchedule::counts() const noexcept {
  SlotCounts counts = counts_;
  if (counts.carried != 0) counts.sent = ceil_of(next_, slots_.buffer_packets) * slots_.buffer_packets - first_;
  counts.octets = counts.sent * slots_.packet_octets;
  return counts;
}

}  // namespace headroom
