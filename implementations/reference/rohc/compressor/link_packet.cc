// SPDX-License-Identifier: Apache-2.0
//
// From a compressed packet to what goes over the link: feedback in front of it, padding, segments.
#include <algorithm>
#include <cstring>

#include "mutants.h"
#include "rohc/compressor/compressor.h"
#include "rohc/compressor/segment.h"
#include "rohc/wire/segment.h"

namespace headroom::rohc {

// One packet with all that is rare: feedback in front of it, padding, segments, or no fast path.
void Compressor::compress_slowly(headroom_packet& packet, std::uint32_t now, headroom_detail* detail) noexcept {
  std::uint8_t* const out = packet.out;
  const std::uint32_t capacity = packet.out_capacity;
  std::uint32_t feedback = 0;
  std::uint32_t room = 0;
  if (!piggyback_.empty() && packet.in_length != 0 && !may_not_fit(packet)) {
    room = capacity - packet.in_length - kMostExpansion;
    // Room for the type octet of a segment and for an octet of it remains behind the feedback.
    if (largest_link_packet_ != 0) room = std::min(room, std::max(largest_link_packet_, 2U) - 2);
    feedback = static_cast<std::uint32_t>(piggyback_.write(packet.channel, {out, room}));
  }
  packet.out += feedback;
  packet.out_capacity -= feedback;
  const Outcome outcome = compress_generally(packet, now);
  packet.out = out;
  packet.out_capacity = capacity;
  if (packet.status == HEADROOM_OK) {
    piggyback_.drop(packet.channel, room);
    packet.out_length += feedback;
    fit_to_link(packet, feedback);
  }
  if (detail != nullptr) fill_detail(*detail, outcome);
}

// `feedback`: octets of feedback at the front of the packet.
void Compressor::fit_to_link(headroom_packet& packet, std::uint32_t feedback) noexcept {
  if (largest_link_packet_ == 0) return;
  if (packet.out_length <= largest_link_packet_) {
    pad(packet);
  } else {
    segment(packet, feedback);
  }
}

// A packet that cannot be cut up either goes as it is: to lose it would serve no purpose.
void Compressor::segment(headroom_packet& packet, std::uint32_t feedback) noexcept {
  const std::uint32_t octets = packet.out_length - feedback;
  const std::size_t crc = mutant("mrru-without-crc") ? 0 : wire::kSegmentCrc;  // MRRU "includes the segmentation CRC"
  const bool allowed = octets + crc <= config_.channel.mrru || mutant("segments-longer-than-mrru");
  if (!allowed || feedback + 1 >= largest_link_packet_) {
    ++counters_.oversize;
    return;
  }
  ++counters_.segmented;
  segments_.begin({packet.out + feedback, octets}, packet.channel);
  // The packet is longer than any segment, so there is room for the first.
  packet.out_length = static_cast<std::uint32_t>(
      segments_.next({packet.out, packet.out_capacity}, feedback, {largest_link_packet_, config_.packet_sizes}));
}

std::size_t Compressor::drain(headroom_packet* packets, std::size_t count) noexcept {
  std::size_t drained = 0;
  for (; drained < count && !segments_.empty(); ++drained) {
    headroom_packet& p = packets[drained];
    p.channel = segments_.channel();
    p.out_length = static_cast<std::uint32_t>(
        segments_.next({p.out, p.out_capacity}, 0, {largest_link_packet_, config_.packet_sizes}));
    p.status = p.out_length != 0 ? HEADROOM_OK : HEADROOM_ERR_NO_SPACE;
    if (p.out_length == 0) segments_.drop();  // without one of its segments, the unit is lost
  }
  return drained;
}

// Padding octets in front, up to the next of PACKET_SIZES_ALLOWED (RFC 3095 5.2, 6.3.1).
void Compressor::pad(headroom_packet& packet) noexcept {
  if (config_.packet_sizes.empty()) return;
  const auto size = std::lower_bound(config_.packet_sizes.begin(), config_.packet_sizes.end(), packet.out_length);
  if (size == config_.packet_sizes.end() || *size > packet.out_capacity) {
    ++counters_.oversize;
    return;
  }
  const std::size_t padding = *size - packet.out_length;
  std::memmove(packet.out + padding, packet.out, packet.out_length);
  std::memset(packet.out, wire::kPadding, padding);
  packet.out_length = *size;
}

}  // namespace headroom::rohc
