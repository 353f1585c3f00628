// SPDX-License-Identifier: Apache-2.0
#include "node/rings.h"

#include <rte_errno.h>

#include <array>

#include "base/error.h"

namespace headroom::node {

Rings::Rings(const std::string& name, std::size_t workers, unsigned places) {
  for (std::size_t i = 0; i < workers; ++i) {
    rte_ring* const ring = rte_ring_create((name + std::to_string(i)).c_str(), places, SOCKET_ID_ANY, RING_F_SC_DEQ);
    if (ring == nullptr) {
      const std::string reason = rte_strerror(rte_errno);
      for (rte_ring* const made : rings_) rte_ring_free(made);
      throw Error(ErrorKind::input, "there is no room for the rings of the workers: " + reason + ".", "/eal/memory_mb");
    }
    rings_.push_back(ring);
  }
}

Rings::~Rings() {
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    std::array<rte_mbuf*, 64> left;
    while (const std::uint16_t count = take(i, left)) rte_pktmbuf_free_bulk(left.data(), count);
    rte_ring_free(rings_[i]);
  }
}

}  // namespace headroom::node
