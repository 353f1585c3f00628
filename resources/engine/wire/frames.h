// SPDX-License-Identifier: Apache-2.0
//
// Converts between octets and DPDK frames.
#ifndef HEADROOM_WIRE_FRAMES_H
#define HEADROOM_WIRE_FRAMES_H

#include <rte_mbuf.h>

#include <algorithm>
#include <cstring>

#include "base/octets.h"
#include "node/pppoe.h"

namespace headroom::wire {

// Returns the octets at the front of a frame that a link without Ethernet would not have: Ethernet header, VLAN tags
// (802.1Q, 802.1ad) and PPPoE header; the whole frame if it is shorter.
[[nodiscard]] inline std::size_t frame_header(OctetView frame) noexcept {
  constexpr std::size_t kAddresses = 12, kType = 2, kTag = 4;
  std::size_t length = kAddresses + kType;
  while (frame.size() >= length) {
    const unsigned type = frame[length - 2] * 256u + frame[length - 1];
    if (type == node::kEtherTypePppoe) return std::min(frame.size(), length + node::kPppoeHeader);
    if (type != 0x8100 && type != 0x88A8) return length;
    length += kTag;
  }
  return frame.size();
}

// Copies a frame into `octets`, which keeps its memory. Frames may lie in several pieces.
inline void copy_out(const rte_mbuf& frame, Octets& octets) {
  octets.resize(rte_pktmbuf_pkt_len(&frame));
  std::size_t at = 0;
  for (const rte_mbuf* piece = &frame; piece != nullptr; piece = piece->next) {
    std::memcpy(octets.data() + at, rte_pktmbuf_mtod(piece, const std::uint8_t*), piece->data_len);
    at += piece->data_len;
  }
}

// Returns a frame of `pool` with these octets, or nullptr if the pool is empty or the frame too long for it.
[[nodiscard]] inline rte_mbuf* copy_in(rte_mempool* pool, OctetView octets) noexcept {
  rte_mbuf* const frame = rte_pktmbuf_alloc(pool);
  if (frame == nullptr) return nullptr;
  if (octets.size() > rte_pktmbuf_tailroom(frame)) {
    rte_pktmbuf_free(frame);
    return nullptr;
  }
  std::memcpy(rte_pktmbuf_append(frame, static_cast<std::uint16_t>(octets.size())), octets.data(), octets.size());
  return frame;
}

}  // namespace headroom::wire

#endif  // HEADROOM_WIRE_FRAMES_H
