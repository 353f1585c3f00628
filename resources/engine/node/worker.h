// SPDX-License-Identifier: Apache-2.0
//
// Worker is one worker of a node: a core that handles every packet from the plain port through its channel's compressor
// to the link port, and back ("run to completion"). With receiving cores in front of the workers (receiver.h), packets
// come from the worker's ring instead of the ports.
#ifndef HEADROOM_NODE_WORKER_H
#define HEADROOM_NODE_WORKER_H

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "base/cycles.h"
#include "base/histogram.h"
#include "base/process.h"
#include "io/busy.h"
#include "node/forwarder.h"
#include "node/node.h"
#include "node/outbox.h"
#include "node/statistics.h"

namespace headroom::node {

// The store of frames in DPDK packet buffers.
class MbufStore final : public FrameStore {
 public:
  explicit MbufStore(rte_mempool* pool) : pool_(pool) {}
  [[nodiscard]] bool take(Frame& frame) noexcept override;
  void give_back(const Frame& frame) noexcept override;

 private:
  rte_mempool* pool_;
};

// The outbox for a queue of a port.
class PortOutbox final : public Outbox {
 public:
  PortOutbox(io::Port& port, std::uint16_t queue, Traffic& sent, io::Counter& queue_full)
      : port_(port), queue_(queue), sent_(sent), queue_full_(queue_full) {}

 private:
  void send(std::span<const Frame> frames) noexcept override;

  io::Port& port_;
  std::uint16_t queue_;
  Traffic& sent_;
  io::Counter& queue_full_;
};

class Worker {
 public:
  // Makes worker `number` of the node and its adapters' instances. Throws Error(adapter). REQUIRES: made and run in a
  // thread that is bound to the worker's core.
  Worker(const Node& node, std::uint16_t number);

  // Forwards until `stop`, and then forwards the remaining frames of receiving cores, which have ended before. Throws
  // Error(adapter) if an adapter breaks a promise.
  void run(const std::atomic<bool>& stop);

  // Returns the worker's statistics, which README.md describes; any thread may call it. With `ended` it includes
  // histograms and the adapters' own statistics, which exist only then.
  [[nodiscard]] Json json(bool ended) const;

  [[nodiscard]] const Forwarder& channel() const noexcept { return *channel_; }
  // Returns a number that changes with every round; any thread may call it.
  [[nodiscard]] std::uint64_t progress() const noexcept { return busy_.total_cycles(); }

 private:
  [[nodiscard]] bool receive(PortSide side);
  [[nodiscard]] bool take_over(PortSide side);
  [[nodiscard]] std::uint16_t hand_over(PortSide side, std::uint16_t count) noexcept;
  void forward(PortSide side, std::uint16_t count);

  const Node& node_;
  const std::uint16_t number_;
  Statistics statistics_;
  MbufStore store_;
  const std::unique_ptr<Forwarder> channel_;
  PortOutbox to_plain_, to_link_;
  std::vector<rte_mbuf*> received_;
  std::vector<Frame> frames_;
  Cycles cycles_;
  io::BusyShare busy_;
  Histogram plain_to_link_, link_to_plain_;  // cycles from receiving to sending a burst, weighted with its frames
  const std::optional<CoreJiffies> jiffies_before_;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_WORKER_H
