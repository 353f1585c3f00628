// SPDX-License-Identifier: Apache-2.0
//
// A packet flow to which everything happens that RFC 3095 has a rule for: talk spurts, jumps and wraparounds of SN and
// TS, IP-IDs that change their ways, changes of TOS, TTL, DF, payload type, padding, extension and marker, checksums
// that come and go, Checksum Coverages of all kinds, loss, reordering and duplication before the compressor, packets
// without payload, packets that cannot be compressed, and pauses.
#pragma once

#include <cstdint>
#include <deque>

#include "rohc/framework/test/support/random.h"
#include "rohc/v1/test/support/packet_builder.h"

namespace headroom::rohc::test {

enum class IdPattern : std::uint8_t { kSequential, kSwapped, kRandom, kConstant };

struct FlowCharacter {
  PacketSpec first;
  IdPattern id = IdPattern::kSequential;
  IdPattern outer_id = IdPattern::kSequential;
  std::uint32_t ts_stride = 160;
  double events = 0.05;        // probability of an event before a packet
  bool may_change_ids = true;  // IP-IDs change their ways
  bool may_be_strange = true;  // packets that cannot be compressed, that are not RTP, or that belong to a new SSRC
};

// A flow of any kind; `number` keeps addresses apart.
[[nodiscard]] FlowCharacter drawn_character(Random& random, std::uint16_t number);

class EventfulFlow {
 public:
  EventfulFlow(const FlowCharacter& character, std::uint64_t seed);

  [[nodiscard]] Packet next();

  // Milliseconds that went by before the last packet, beyond the usual 20.
  [[nodiscard]] std::uint32_t pause_ms() const noexcept { return pause_ms_; }

 private:
  void advance();
  void event();
  bool rtp_event(unsigned kind);
  bool ip_event(unsigned kind);
  bool coverage_event();
  bool link_event(unsigned kind);
  [[nodiscard]] std::uint16_t next_id(IdPattern pattern, std::uint16_t& counter, std::uint16_t current);
  [[nodiscard]] Packet packet_now();
  [[nodiscard]] Packet strange_packet();

  FlowCharacter character_;
  PacketSpec spec_;
  Random random_;
  std::uint16_t counter_ = 0;  // of the IP-ID, in this machine's order
  std::uint16_t outer_counter_ = 0;
  std::uint16_t id_step_ = 1;
  unsigned hold_ts_ = 0;  // packets that still have the same TS
  unsigned empty_ = 0;    // packets that still have no payload
  unsigned strange_ = 0;
  bool coverage_changes_ = false;  // another Checksum Coverage in each packet
  bool duplicate_ = false;
  std::uint32_t pause_ms_ = 0;
  std::deque<Packet> ready_;  // in the order in which they arrive at the compressor
};

}  // namespace headroom::rohc::test
