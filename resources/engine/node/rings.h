// SPDX-License-Identifier: Apache-2.0
//
// Frames on their way to a worker: from another worker, through whose queue they came, or from a receiving core.
#ifndef HEADROOM_NODE_RINGS_H
#define HEADROOM_NODE_RINGS_H

#include <rte_mbuf.h>
#include <rte_ring.h>

#include <span>
#include <string>
#include <vector>

namespace headroom::node {

// One ring for each worker. Any thread puts frames in; the worker takes them out.
class Rings {
 public:
  // `places` is a power of two; a ring holds one frame less. No workers: no rings. Throws Error(input) when there is no
  // memory.
  Rings(const std::string& name, std::size_t workers, unsigned places);
  // Returns frames that are still in a ring to their pool.
  ~Rings();
  Rings(const Rings&) = delete;
  Rings& operator=(const Rings&) = delete;

  [[nodiscard]] bool empty() const noexcept { return rings_.empty(); }
  // Returns how many frames, in order, are in the ring now; the others are still the caller's.
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
