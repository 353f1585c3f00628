// SPDX-License-Identifier: Apache-2.0
//
// From a link packet to the packet of a context: padding, feedback, segments and the CID (RFC 3095 5.2.6, RFC 5795
// 5.2.3).
#pragma once

#include <cstdint>
#include <vector>

#include "headroom.h"
#include "rohc/framework/channel.h"
#include "rohc/framework/decompressor/counters.h"
#include "rohc/framework/decompressor/feedback_queue.h"
#include "rohc/framework/decompressor/reassembly.h"
#include "rohc/framework/wire/cid.h"
#include "rohc/framework/wire/type_octet.h"

namespace headroom::rohc {

// A packet after padding and feedback have been taken off: where its header begins, its CID, its first octet and what
// follows.
struct Framed {
  Octets header;  // from the Add-CID octet, if any: what the CRC of IR packets covers begins here
  std::uint32_t cid = 0;
  std::uint8_t first = 0;
  Octets rest;  // after the CID
};

// What a link packet was.
enum class Arrived : std::uint8_t {
  kPacket,    // of a context, or nothing that can be told
  kFeedback,  // and nothing else
  kSegment,
};

// What a look ahead says of a packet.
struct Clue {
  std::uint32_t context;  // kNoContext: it says nothing, and the other members have no meaning
  std::uint8_t first;
  std::uint8_t before_rest;
};

class Intake {
 public:
  // First octets of what a profile defines lie below this one; there the look ahead ends.
  static constexpr std::uint8_t kFramework = 0xe0;

  // `feedback_for`: see DecompressorConfig.
  Intake(const ChannelParameters& channel, std::vector<std::uint32_t> feedback_for, ArrivalCounters& counters);

  // The context of what looks like a packet of a type that its profile defines, without padding or feedback in front.
  void look_at(const headroom_packet& p, Clue& clue) const noexcept {
    clue.context = kNoContext;
    if (p.channel >= channel_.channels || p.in_length < 3) return;
    std::uint32_t cid = 0;
    if (channel_.large_cids) {
      const bool two = p.in[1] >= 0x80;
      if (p.in[0] >= kFramework || p.in[1] >= 0xc0) return;
      cid = two ? (p.in[1] & 0x3fU) << 8 | p.in[2] : p.in[1];
      clue.first = p.in[0];
      clue.before_rest = two ? 3 : 2;
    } else {
      const bool add_cid = wire::is_add_cid(p.in[0]);
      clue.first = p.in[add_cid ? 1 : 0];
      if (clue.first >= kFramework) return;
      cid = add_cid ? p.in[0] & 0x0fU : 0;
      clue.before_rest = add_cid ? 2 : 1;
    }
    if (cid <= channel_.max_cid) clue.context = channel_.index_of(p.channel, cid);
  }

  // Takes everything off a link packet that is not the packet of a context. Anything but HEADROOM_OK ends it. REQUIRES:
  // there is such a channel.
  [[nodiscard]] std::int32_t take(std::uint32_t channel, Octets octets, Framed& framed, Arrived& arrived) noexcept;

  // Some channel has a unit of which segments are missing.
  [[nodiscard]] bool pending() const noexcept { return reassembly_.pending(); }

  // Feedback that came in packets for the compressor at this end.
  [[nodiscard]] FeedbackQueue& received_feedback() noexcept { return received_feedback_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return reassembly_.memory_bytes(); }

 private:
  // With kSegment and HEADROOM_OK, `framed` has the segment's octets alone.
  [[nodiscard]] std::int32_t unframe(std::uint32_t channel, Octets octets, Framed& framed, Arrived& arrived) noexcept;
  // What a segment makes of its channel's unit: HEADROOM_OK when `framed` has become the packet of a whole one.
  [[nodiscard]] std::int32_t reassemble(std::uint32_t channel, Framed& framed, Arrived& arrived) noexcept;
  void pass_feedback_on(std::uint32_t channel, Octets element) noexcept;

  ChannelParameters channel_;
  std::vector<std::uint32_t> feedback_for_;
  FeedbackQueue received_feedback_;
  Reassembly reassembly_;
  ArrivalCounters& counters_;
};

}  // namespace headroom::rohc
