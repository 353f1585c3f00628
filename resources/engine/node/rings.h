// SPDX-License-Identifier: Apache-2.0
//
// Rings pass frames to a worker: from another worker, through whose queue they came, or from a receiving core.
#ifndef HEADROOM_NODE_RINGS_H
#define HEADROOM_NODE_RINGS_H

#include <rte_mbuf.h>
#include <rte_ring.h>

#include <span>
#include <string>
#include <vector>

namespace headroom::node {

// There is one ring for each worker. Any thread puts frames in; the worker takes them out.
class Rings {
 public:
  // `places` is a power of two; a ring holds one frame less. Without workers there are no rings. Throws Error(input) if
  // there is not enough memory.
  Rings(const std::string& name, std::size_t workers, unsigned places);
  // Returns frames that are still in a ring to their pool.
  ~Rings();
  Rings(const Rings&) = delete;
  Rings& operator=(const Rings&) = delete;

  [[nodiscard]] bool empty() const noexcept { return rings_.empty(); }
  // Puts frames into the ring. Returns the number of frames, from the first one, that are in the ring now; the caller
  // keeps the others.
  [[nodiscard]] unsigned put(std::size_t worker, std::span<rte_mbuf* const> frames) noexcept {
    return rte_ring_mp_enqueue_burst(rings_[worker], reinterpret_cast<void* const*>(frames.data()),
                                     static_cast<unsigned>(frames.size()), nullptr);
  }
  [[nodiscard]] std::uint16_t take(std::size_t worker, std::span<rte_mbuf*> frames) noexcept {
    return static_cast<std::uint16_t>(rte_ring_sc_dequeue_burst(rings_[worker], reinterpret_cast<void**>(frames.data()),
                                                                static_cast<unsigned>(frames.size()), nullptr));
  }

 private:
  std::vector<rte_ring*> rings_;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_RINGS_H
