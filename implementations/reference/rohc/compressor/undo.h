// SPDX-License-Identifier: Apache-2.0
//
// What a packet for which there may be no room is about to change. Packets leave their mark on a context long before
// their length is known: patterns, strides, tables of lists, refreshes, windows. After HEADROOM_ERR_NO_SPACE all of
// that is put back, and the context is as if the packet had never been given.
//
// Only callers that leave less room than headroom.h asks for pay for the copy.
#pragma once

#include "headroom.h"
#include "rohc/compressor/context.h"
#include "rohc/compressor/lists.h"
#include "rohc/compressor/reliable.h"
#include "rohc/compressor/timer.h"

namespace headroom::rohc {

// Octets by which a compressed packet can be longer than the packet it stands for: an IR packet with all lists is. The
// rest of HEADROOM_EXPANSION is for feedback.
inline constexpr std::uint32_t kMostExpansion = HEADROOM_EXPANSION / 2;

[[nodiscard]] constexpr bool may_not_fit(const headroom_packet& packet) noexcept {
  return packet.out_capacity < packet.in_length + std::uint64_t{kMostExpansion};
}

// A copy of one context, of all parts that it uses, and of what else the beginning of a flow changes.
struct Undo {
  std::uint32_t index;
  bool new_flow;  // the packet has begun a flow at `index`
  std::uint32_t channel;
  std::uint32_t fresh;  // of the channel: see Compressor::Channel
  std::uint32_t hand;
  std::uint32_t returned;
  std::uint32_t uncompressed;
  std::uint64_t new_flows;
  std::uint64_t replaced_flows;

  CompressorContext c;
  FlowHistory h;
  TunnelContext tunnel;
  ReliableWindow reliable;
  CoverageHistory coverage;
  TimerContext timer;
  CompressorLists lists;
};

}  // namespace headroom::rohc
