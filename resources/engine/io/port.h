// SPDX-License-Identifier: Apache-2.0
//
// A network port of DPDK: frames in and out, a queue of each for every worker.
#ifndef HEADROOM_IO_PORT_H
#define HEADROOM_IO_PORT_H

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <cstdint>
#include <span>

#include "base/json_reader.h"
#include "capture/frame.h"
#include "io/eal.h"
#include "io/fanout.h"

namespace headroom::io {

class Port {
 public:
  // Configures and starts the port that stands at `index` of the environment's ports, in promiscuous mode, with
  // `queues` queues each way. Throws Error(input) with the reason.
  Port(const Eal& eal, const PortJob& job, std::size_t index, std::uint16_t queues, std::uint32_t mtu,
       rte_mempool* pool);
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  // Takes what has arrived at `queue`, at most as many frames as there is room for. The caller owns them. Whole frames,
  // VLAN tags in their place.
  [[nodiscard]] std::uint16_t receive(std::uint16_t queue, std::span<rte_mbuf*> frames) noexcept {
    const std::uint16_t count = rte_eth_rx_burst(id_, queue, frames.data(), static_cast<std::uint16_t>(frames.size()));
    for (std::uint16_t i = 0; i < count; ++i) {
      if (frames[i]->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) [[unlikely]]
        put_tag_back(frames[i]);
    }
    return count;
  }

  // Hands frames over, in order; returns how many were taken and now belong to the port. A system call a burst with
  // drivers of the kernel.
  [[nodiscard]] std::uint16_t send(std::uint16_t queue, std::span<rte_mbuf*> frames) noexcept {
    return rte_eth_tx_burst(id_, queue, frames.data(), static_cast<std::uint16_t>(frames.size()));
  }

  [[nodiscard]] const MacAddress& mac() const noexcept { return mac_; }

  // Sets the driver's counters to zero, as far as it can.
  void forget() noexcept {
    (void)rte_eth_stats_reset(id_);
    ring_drops_.forget();
  }

  // True if the device still exists: a deleted interface never comes back.
  [[nodiscard]] bool is_there() const noexcept;

  // {"name", "driver", "mac", "received": {"packets", "octets"}, "sent": {"packets", "octets"}, "missed", "errors",
  // "no_memory"}: the driver's own counters, and of an interface of the kernel what its rings had no
  // room for.
  [[nodiscard]] Json statistics() const;

  [[nodiscard]] const PortJob& job() const noexcept { return job_; }

 private:
  static void put_tag_back(rte_mbuf* frame) noexcept;

  const PortJob& job_;
  std::uint16_t id_;
  RingDrops ring_drops_;
  unsigned interface_index_ = 0;  // of the kernel
  MacAddress mac_{};
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_PORT_H
