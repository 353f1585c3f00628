// SPDX-License-Identifier: Apache-2.0
//
// The objects that all workers and receiving cores of a node share.
#ifndef HEADROOM_NODE_NODE_H
#define HEADROOM_NODE_NODE_H

#include <rte_mbuf.h>

#include "io/port.h"
#include "node/job.h"
#include "node/owner.h"
#include "node/rings.h"

namespace headroom::node {

struct Node {
  const Job& job;
  io::Port& plain;
  io::Port& link;
  rte_mempool* pool;
  // For each worker: frames that another worker's queue has brought, or all frames where there are receiving cores.
  Rings &plain_for, &link_for;

  [[nodiscard]] io::Port& port(PortSide side) const noexcept { return side == PortSide::plain ? plain : link; }
  [[nodiscard]] Rings& rings(PortSide side) const noexcept { return side == PortSide::plain ? plain_for : link_for; }
};

// REQUIRES: the frame is in one buffer, or only its beginning matters.
[[nodiscard]] inline OctetView octets_of(const rte_mbuf& frame) noexcept {
  return {rte_pktmbuf_mtod(&frame, const std::uint8_t*), rte_pktmbuf_data_len(&frame)};
}

}  // namespace headroom::node

#endif  // HEADROOM_NODE_NODE_H
