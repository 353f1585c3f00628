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

// A packet that cannot be cut up either goes as it is: to lose it would serve nobody.
void Compressor::segment(headroom_packet& packet, std::uint32_t feedback) noexcept {
  const std::uint32_t octets = packet.out_length - feedback;
  const std::size_t crc = mutant("mrru-without-crc") ? 0 : wire::kSegmentCrc;  // MRRU "includes the segmentation CRC"
  const bool allowed = octets + crc <= config_.channel.mrru || mutant("segments-longer-than-mrru");
  const std::size_t length = allowed ? cut_into_segments({packet.out, packet.out_capacity}, feedback, octets,
                                                         {largest_link_packet_, config_.packet_sizes})
                                     : 0;
  if (length == 0) {
    ++counters_.oversize;
    return;
  }
  ++counters_.segmented;
  packet.out_length = static_cast<std::uint32_t>(length);
  packet.status = HEADROOM_SEGMENTS;
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
