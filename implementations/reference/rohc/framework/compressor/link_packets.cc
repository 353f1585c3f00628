// SPDX-License-Identifier: Apache-2.0
#include "rohc/framework/compressor/link_packets.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mutants.h"
#include "rohc/framework/compressor/room.h"
#include "rohc/framework/wire/feedback_element.h"
#include "rohc/framework/wire/segment.h"
#include "rohc/framework/wire/type_octet.h"

namespace headroom::rohc {
namespace {

// The smaller of two limits of which 0 stands for none.
constexpr std::uint32_t tighter(std::uint32_t a, std::uint32_t b) noexcept {
  return a == 0 || b == 0 ? a + b : std::min(a, b);
}

}  // namespace

std::uint32_t LinkLimits::largest() const noexcept {
  const std::vector<std::uint16_t>& sizes = packet_sizes;
  if (sizes.empty()) return largest_packet;
  const std::uint32_t limit = tighter(largest_packet, sizes.back());
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), limit);
  return above == sizes.begin() ? limit : *(above - 1);
}

LinkPackets::LinkPackets(LinkLimits limits, LinkCounters& counters)
    : limits_(std::move(limits)),
      largest_(limits_.largest()),
      segments_(largest_ != 0 ? limits_.mrru : 0),
      counters_(counters) {}

bool LinkPackets::piggyback(std::uint32_t channel, Octets elements) noexcept {
  // What leaves no room behind it on this link would wait for ever.
  if (largest_ != 0 && elements.size() + 2 > largest_) return false;
  // Only whole elements may stand in front of a packet: anything else would be taken for the packet.
  wire::Reader in(elements);
  while (in.remaining() > 0) {
    if (!wire::is_feedback(in.peek()) || !wire::read_feedback_element(in)) return false;
  }
  return piggyback_.put(channel, elements);
}

LinkPackets::Front LinkPackets::begin(headroom_packet& packet) noexcept {
  Front front{packet.out, packet.out_capacity, 0, 0};
  if (!piggyback_.empty() && packet.in_length != 0 && !may_not_fit(packet)) {
    front.room = packet.out_capacity - packet.in_length - kMostExpansion;
    // Room for the type octet of a segment and for an octet of it remains behind the feedback.
    if (largest_ != 0) front.room = std::min(front.room, std::max(largest_, 2U) - 2);
    front.feedback = static_cast<std::uint32_t>(piggyback_.write(packet.channel, {packet.out, front.room}));
  }
  packet.out += front.feedback;
  packet.out_capacity -= front.feedback;
  return front;
}

void LinkPackets::finish(headroom_packet& packet, const Front& front) noexcept {
  packet.out = front.out;
  packet.out_capacity = front.capacity;
  if (packet.status != HEADROOM_OK) return;
  piggyback_.drop(packet.channel, front.room);
  packet.out_length += front.feedback;
  if (largest_ == 0) return;
  if (packet.out_length <= largest_) {
    pad(packet);
  } else {
    segment(packet, front.feedback);
  }
}

// A packet that cannot be cut up either goes as it is: to lose it would serve no purpose. `feedback`: octets of
// feedback at its front.
void LinkPackets::segment(headroom_packet& packet, std::uint32_t feedback) noexcept {
  const std::uint32_t octets = packet.out_length - feedback;
  const std::size_t crc = mutant("mrru-without-crc") ? 0 : wire::kSegmentCrc;  // MRRU "includes the segmentation CRC"
  const bool allowed = octets + crc <= limits_.mrru || mutant("segments-longer-than-mrru");
  if (!allowed || feedback + 1 >= largest_) {
    ++counters_.oversize;
    return;
  }
  ++counters_.segmented;
  segments_.begin({packet.out + feedback, octets}, packet.channel);
  // The packet is longer than any segment, so there is room for the first.
  packet.out_length = static_cast<std::uint32_t>(
      segments_.next({packet.out, packet.out_capacity}, feedback, {largest_, limits_.packet_sizes}));
}

std::size_t LinkPackets::drain(headroom_packet* packets, std::size_t count) noexcept {
  std::size_t drained = 0;
  for (; drained < count && !segments_.empty(); ++drained) {
    headroom_packet& p = packets[drained];
    p.channel = segments_.channel();
    p.out_length =
        static_cast<std::uint32_t>(segments_.next({p.out, p.out_capacity}, 0, {largest_, limits_.packet_sizes}));
    p.status = p.out_length != 0 ? HEADROOM_OK : HEADROOM_ERR_NO_SPACE;
    if (p.out_length == 0) segments_.drop();  // without one of its segments, the unit is lost
  }
  return drained;
}

// Padding octets in front, up to the next of PACKET_SIZES_ALLOWED (RFC 3095 5.2, 6.3.1).
void LinkPackets::pad(headroom_packet& packet) noexcept {
  const std::vector<std::uint16_t>& sizes = limits_.packet_sizes;
  if (sizes.empty()) return;
  const auto size = std::lower_bound(sizes.begin(), sizes.end(), packet.out_length);
  if (size == sizes.end() || *size > packet.out_capacity) {
    ++counters_.oversize;
    return;
  }
  const std::size_t padding = *size - packet.out_length;
  std::memmove(packet.out + padding, packet.out, packet.out_length);
  std::memset(packet.out, wire::kPadding, padding);
  packet.out_length = *size;
}

}  // namespace headroom::rohc
