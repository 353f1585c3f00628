// SPDX-License-Identifier: Apache-2.0
//
// Port is a network port of DPDK, with a queue in each direction for every worker.
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
  // Configures and starts the port with this index among the environment's ports, in promiscuous mode, with `queues`
  // queues in each direction. Throws Error(input) with the reason.
  Port(const Eal& eal, const PortJob& job, std::size_t index, std::uint16_t queues, std::uint32_t mtu,
       rte_mempool* pool);
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  // Takes the frames that have arrived at `queue`, as many as there is room for. The caller then owns them. Frames are
  // whole, with their VLAN tags in place.
  [[nodiscard]] std::uint16_t receive(std::uint16_t queue, std::span<rte_mbuf*> frames) noexcept {
    const std::uint16_t count = rte_eth_rx_burst(id_, queue, frames.data(), static_cast<std::uint16_t>(frames.size()));
    for (std::uint16_t i = 0; i < count; ++i) {
      if (frames[i]->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) [[unlikely]]
        put_tag_back(frames[i]);
    }
    return count;
  }

  // Sends frames in order. Returns the number of frames taken, which then belong to the port. Drivers of the kernel
  // make one system call for each burst.
  [[nodiscard]] std::uint16_t send(std::uint16_t queue, std::span<rte_mbuf*> frames) noexcept {
    return rte_eth_tx_burst(id_, queue, frames.data(), static_cast<std::uint16_t>(frames.size()));
  }

  [[nodiscard]] const MacAddress& mac() const noexcept { return mac_; }

  // Sets the driver's counters to zero, if the driver supports it.
  void forget() noexcept {
    (void)rte_eth_stats_reset(id_);
    ring_drops_.forget();
  }

  // True if the device still exists: a deleted interface never comes back.
  [[nodiscard]] bool is_there() const noexcept;

  // Returns {"name", "driver", "mac", "received": {"packets", "octets"}, "sent": {"packets", "octets"}, "missed",
  // "errors", "no_memory"}: the driver's own counters, and for an interface of the kernel also the frames for which its
  // rings had no room.
  [[nodiscard]] Json statistics() const;

  [[nodiscard]] const PortJob& job() const noexcept { return job_; }

 private:
  static void put_tag_back(rte_mbuf* frame) noexcept;

  const PortJob& job_;
  std::uint16_t id_;
  RingDrops ring_drops_;
  unsigned interface_index_ = 0;  // index of the kernel's interface
  MacAddress mac_{};
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_PORT_H
