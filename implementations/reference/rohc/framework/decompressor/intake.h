// SPDX-License-Identifier: Apache-2.0
//
// Extracts the packet of a context from a link packet: removes padding and feedback, reassembles segments and reads the
// CID (RFC 3095 5.2.6, RFC 5795 5.2.3).
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

// A packet without padding and feedback: its header, CID, first octet and the octets after these.
struct Framed {
  Octets header;  // from the Add-CID octet, if any: the CRC of IR packets covers octets from here on
  std::uint32_t cid = 0;
  std::uint8_t first = 0;
  Octets rest;  // the octets after the CID
};

// The kind of a link packet.
enum class Arrived : std::uint8_t {
  kPacket,    // a packet of a context, or a packet of unknown kind
  kFeedback,  // feedback without a packet
  kSegment,
};

// The result of looking ahead at a packet that has not been decompressed yet.
struct Lookahead {
  std::uint32_t context;  // kNoContext: unknown, and the other members have no meaning
  std::uint8_t first;
  std::uint8_t before_rest;
};

class Intake {
 public:
  // The lowest first octet of a packet type that the framework defines. First octets below belong to the profiles; only
  // those packets are looked at ahead.
  static constexpr std::uint8_t kFramework = 0xe0;

  // `feedback_for`: see DecompressorConfig.
  Intake(const ChannelParameters& channel, std::vector<std::uint32_t> feedback_for, ArrivalCounters& counters);

  // Looks ahead at a packet. `lookahead.context` is its context if the packet starts, without padding or feedback, with
  // a packet type of a profile; otherwise kNoContext.
  void look_at(const headroom_packet& p, Lookahead& lookahead) const noexcept {
    lookahead.context = kNoContext;
    if (p.channel >= channel_.channels || p.in_length < 3) return;
    std::uint32_t cid = 0;
    if (channel_.large_cids) {
      const bool two = p.in[1] >= 0x80;
      if (p.in[0] >= kFramework || p.in[1] >= 0xc0) return;
      cid = two ? (p.in[1] & 0x3fU) << 8 | p.in[2] : p.in[1];
      lookahead.first = p.in[0];
      lookahead.before_rest = two ? 3 : 2;
    } else {
      const bool add_cid = wire::is_add_cid(p.in[0]);
      lookahead.first = p.in[add_cid ? 1 : 0];
      if (lookahead.first >= kFramework) return;
      cid = add_cid ? p.in[0] & 0x0fU : 0;
      lookahead.before_rest = add_cid ? 2 : 1;
    }
    if (cid <= channel_.max_cid) lookahead.context = channel_.index_of(p.channel, cid);
  }

  // Extracts the packet of a context from a link packet. With any result but HEADROOM_OK the link packet needs no
  // further processing. REQUIRES: the channel exists.
  [[nodiscard]] std::int32_t take(std::uint32_t channel, Octets octets, Framed& framed, Arrived& arrived) noexcept;

  // True if any channel has a unit of which segments are missing.
  [[nodiscard]] bool pending() const noexcept { return reassembly_.pending(); }

  // Returns the feedback that was received in packets for the compressor at this end.
  [[nodiscard]] FeedbackQueue& received_feedback() noexcept { return received_feedback_; }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return reassembly_.memory_bytes(); }

 private:
  // Removes padding and feedback and reads the CID. With kSegment and HEADROOM_OK, `framed` holds only the segment's
  // octets.
  [[nodiscard]] std::int32_t unframe(std::uint32_t channel, Octets octets, Framed& framed, Arrived& arrived) noexcept;
  // Adds a segment to the unit of its channel. Returns HEADROOM_OK if the unit is complete; `framed` is then its
  // packet.
  [[nodiscard]] std::int32_t reassemble(std::uint32_t channel, Framed& framed, Arrived& arrived) noexcept;
  void pass_feedback_on(std::uint32_t channel, Octets element) noexcept;

  ChannelParameters channel_;
  std::vector<std::uint32_t> feedback_for_;
  FeedbackQueue received_feedback_;
  Reassembly reassembly_;
  ArrivalCounters& counters_;
};

}  // namespace headroom::rohc
