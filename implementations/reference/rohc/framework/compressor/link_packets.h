// SPDX-License-Identifier: Apache-2.0
//
// Makes link packets from compressed packets: adds feedback in front and padding, and cuts long packets into segments.
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

  // Returns the largest link packet in octets that these limits allow: one of PACKET_SIZES_ALLOWED if there are any. 0:
  // any.
  [[nodiscard]] std::uint32_t largest() const noexcept;
};

struct LinkCounters {
  std::uint64_t oversize = 0;   // longer than any allowed packet size
  std::uint64_t segmented = 0;  // sent as segments
};

class LinkPackets {
 public:
  LinkPackets(LinkLimits limits, LinkCounters& counters);

  // True if compressed packets need no change to become link packets.
  [[nodiscard]] bool idle() const noexcept { return piggyback_.empty() && largest_ == 0; }

  // Queues feedback to send in front of the next packet of `channel`. Returns false if there is no room to keep the
  // feedback or it does not consist of whole elements.
  [[nodiscard]] bool piggyback(std::uint32_t channel, Octets elements) noexcept;

  // The output buffer of a packet before begin() wrote feedback to its front.
  struct Front {
    std::uint8_t* out;
    std::uint32_t capacity;
    std::uint32_t feedback;  // octets
    std::uint32_t room;      // octets available for feedback
  };
  // begin() is called before a packet is compressed: writes the feedback and moves the start of the packet's buffer to
  // the end of the feedback. finish() is called after the packet is compressed: makes a link packet of the feedback and
  // the compressed packet, or the first of several segments; segments_left() is then true.
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
  Segmenter segments_;  // segments of the last compressed packet
  LinkCounters& counters_;
};

}  // namespace headroom::rohc
