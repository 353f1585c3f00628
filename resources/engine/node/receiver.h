// SPDX-License-Identifier: Apache-2.0
//
// Receiver is a receiving core of a node: it takes frames from queues of a port and passes each to its worker. No
// allocation, no lock, no adapter.
#ifndef HEADROOM_NODE_RECEIVER_H
#define HEADROOM_NODE_RECEIVER_H

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/process.h"
#include "io/busy.h"
#include "node/node.h"
#include "node/statistics.h"

namespace headroom::node {

class Receiver {
 public:
  // Makes receiving core `number` of the node. REQUIRES: made and run in a thread that is bound to its core.
  Receiver(const Node& node, std::uint16_t number);

  void run(const std::atomic<bool>& stop);
  // Takes a burst from each of its queues. Returns false if none had a frame.
  bool round() noexcept;

  // Returns its statistics, which README.md describes; any thread may call it.
  [[nodiscard]] Json json(bool ended) const;
  // Returns a number that changes with every round; any thread may call it.
  [[nodiscard]] std::uint64_t progress() const noexcept { return busy_.total_cycles(); }

 private:
  struct Queue {
    PortSide side;
    std::uint16_t number;
  };

  void hand_over(PortSide side, std::uint16_t count) noexcept;

  const Node& node_;
  const unsigned core_;
  std::vector<Queue> queues_;
  std::vector<rte_mbuf*> received_;
  std::vector<std::vector<rte_mbuf*>> for_worker_;  // each has room for a burst
  std::array<Traffic, 2> received_from_;            // by side
  io::Counter handed_over_, hand_over_full_;
  io::BusyShare busy_;
  const std::optional<CoreJiffies> jiffies_before_;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_RECEIVER_H
