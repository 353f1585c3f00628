// SPDX-License-Identifier: Apache-2.0
//
// One worker of a node: a core that takes every packet all the way ("run to completion"), from the plain port through
// its channel's compressor to the link port and back again. Where receiving cores are in front of the workers
// (receiver.h), packets come from its rings instead of the ports.
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

// Frames in packet buffers of DPDK.
class MbufStore final : public FrameStore {
 public:
  explicit MbufStore(rte_mempool* pool) : pool_(pool) {}
  [[nodiscard]] bool take(Frame& frame) noexcept override;
  void give_back(const Frame& frame) noexcept override;

 private:
  rte_mempool* pool_;
};

// The way out through a queue of a port.
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
  // Worker `number` of the node; makes its adapters' instances. To be made and run in a thread that is bound to its
  // core. Throws Error(adapter).
  Worker(const Node& node, std::uint16_t number);

  // Forwards until `stop`, and then what receiving cores, which have ended before, have handed over. Throws
  // Error(adapter) when an adapter breaks a promise.
  void run(const std::atomic<bool>& stop);

  // The worker's statistics, which README.md describes; any thread may call it. With `ended` also histograms and the
  // adapters' own statistics, which exist only then.
  [[nodiscard]] Json json(bool ended) const;

  [[nodiscard]] const Forwarder& channel() const noexcept { return *channel_; }
  // Changes with every round; any thread may ask.
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
  Histogram plain_to_link_, link_to_plain_;  // cycles from a burst's receipt until it is sent, weighted with its frames
  const std::optional<CoreJiffies> jiffies_before_;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_WORKER_H
