// SPDX-License-Identifier: Apache-2.0
//
// What the jobs of all commands on the wire have in common (README.md, "On the wire"): ports, memory, how long.
#ifndef HEADROOM_IO_JOB_H
#define HEADROOM_IO_JOB_H

#include <linux/filter.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "io/queue_rules.h"

namespace headroom::io {

// One network port. Exactly one of `interface`, `pci` and `vdev` is given.
struct PortJob {
  enum class Driver : std::uint8_t { af_packet, af_xdp };

  std::string interface;  // of the kernel
  Driver driver = Driver::af_packet;
  std::string pci;   // address of a network card that is bound to a driver of DPDK
  std::string vdev;  // a virtual device, in DPDK's words
  std::string where;
  std::vector<sock_filter> queue_filter;  // chooses the queue of each frame, with af_packet; empty: the driver's hash
  std::vector<QueueRule> queue_rules;     // do so on a network card

  [[nodiscard]] const std::string& name() const noexcept {
    return !interface.empty() ? interface : pci.empty() ? vdev : pci;
  }
};

enum class Idle : std::uint8_t {
  poll,  // asks the ports again at once: shortest latency, the core is always taken
  sleep  // naps when nothing arrives: for machines with fewer cores than processes
};

struct WireJob {
  bool huge_pages = false;        // resolved: "auto" uses them where there are enough free ones
  std::uint32_t memory_mb = 256;  // for packets, of DPDK
  std::string control;            // path of the socket that tells statistics; empty: none
  std::optional<double> duration_s;
  Idle idle = Idle::poll;
};

inline constexpr std::uint32_t kSmallestMtu = 68, kLargestMtu = 9000;

// {"interface": "veth0", "driver": "af_packet"}, {"pci": "0000:03:00.0"} or {"vdev": "net_pcap0,rx_pcap=in.pcap"}.
[[nodiscard]] PortJob read_port(const Value& value);

// The keys "eal", "control", "duration_s" and "idle" of a job, which may hold others.
[[nodiscard]] WireJob read_wire_job(Object& object);

// Octets that a frame of `mtu` takes in a ring shared with the kernel, what is around it included: a power of two.
[[nodiscard]] std::uint32_t frame_room(std::uint32_t mtu);

// DPDK's device argument for the port as a virtual device: with rings that do not lose bursts of some milliseconds, and
// frames of `mtu` and VLAN tags. `number` distinguishes ports of one process. Empty for a network card.
[[nodiscard]] std::string device_argument(const PortJob& port, unsigned number, unsigned queues, std::uint32_t mtu);

}  // namespace headroom::io

#endif  // HEADROOM_IO_JOB_H
