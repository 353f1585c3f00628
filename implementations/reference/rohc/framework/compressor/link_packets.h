// SPDX-License-Identifier: Apache-2.0
//
// From a compressed packet to what goes over the link: feedback in front of it, padding, segments.
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "rohc/framework/compressor/piggyback.h"
#include "rohc/framework/compressor/segment.h"

namespace headroom::rohc {

struct LinkLimits {
  std::vector<std::uint16_t> packet_sizes;  // PACKET_SIZES_ALLOWED (RFC 3095 6.3.1), ascending; empty: any
  std::uint32_t largest_packet = 0;         // octets; 0: any
  std::uint32_t mrru = 0;                   // see ChannelParameters

  // The largest link packet that these allow: a size of PACKET_SIZES_ALLOWED where there are such. 0: any.
  [[nodiscard]] std::uint32_t largest() const noexcept;
};

struct LinkCounters {
  std::uint64_t oversize = 0;   // longer than any allowed packet size
  std::uint64_t segmented = 0;  // sent as segments
};

class LinkPackets {
 public:
  LinkPackets(LinkLimits limits, LinkCounters& counters);

  // Compressed packets are link packets as they are.
  [[nodiscard]] bool idle() const noexcept { return piggyback_.empty() && largest_ == 0; }

  // Feedback to go in front of the next packet of `channel`. False when there is no room to keep it, or it is anything
  // but whole elements.
  [[nodiscard]] bool piggyback(std::uint32_t channel, Octets elements) noexcept;

  // What a packet's buffer was before feedback was written to the front of it.
  struct Front {
    std::uint8_t* out;
    std::uint32_t capacity;
    std::uint32_t feedback;  // octets
    std::uint32_t room;      // for feedback
  };
  // Around the compression of a packet: feedback goes in front, and the packet's buffer is what is left behind it; then
  // the whole becomes a link packet, or the first segment of several: then segments_left().
  [[nodiscard]] Front begin(headroom_packet& packet) noexcept;
  void finish(headroom_packet& packet, const Front& front) noexcept;

  [[nodiscard]] bool segments_left() const noexcept { return !segments_.empty(); }
  void drop_segments() noexcept { segments_.drop(); }
  // See `drain` in headroom.h.
  std::size_t drain(headroom_packet* packets, std::size_t count) noexcept;

 private:
  void segment(headroom_packet& packet, std::uint32_t feedback) noexcept;
  void pad(headroom_packet& packet) noexcept;

  LinkLimits limits_;
  std::uint32_t largest_;  // link packet, octets; 0: any
  PiggybackQueue piggyback_;
  Segmenter segments_;  // of the packet compressed last
  LinkCounters& counters_;
};

}  // namespace headroom::rohc
