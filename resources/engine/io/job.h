// SPDX-License-Identifier: Apache-2.0
//
// The parts of a job that all commands on the wire share (README.md, "On the wire"): ports, memory, duration.
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

  std::string interface;  // interface of the kernel
  Driver driver = Driver::af_packet;
  std::string pci;   // address of a network card bound to a DPDK driver
  std::string vdev;  // a virtual device, in DPDK's notation
  std::string where;
  std::vector<sock_filter> queue_filter;  // with af_packet: chooses the queue of a frame; empty: the driver's hash
  std::vector<QueueRule> queue_rules;     // rules that choose the queue on a network card

  [[nodiscard]] const std::string& name() const noexcept {
    return !interface.empty() ? interface : pci.empty() ? vdev : pci;
  }
};

enum class Idle : std::uint8_t {
  poll,  // polls the ports without pause: shortest latency, the core is always busy
  sleep  // naps if nothing arrives: for machines with fewer cores than processes
};

struct WireJob {
  bool huge_pages = false;        // "auto" is resolved: true if there are enough free ones
  std::uint32_t memory_mb = 256;  // DPDK's memory for packets
  std::string control;            // path of the statistics socket; empty: none of its own
  std::optional<int> listening;   // descriptor of a statistics socket that listens already
  std::optional<double> duration_s;
  Idle idle = Idle::poll;
};

inline constexpr std::uint32_t kSmallestMtu = 68, kLargestMtu = 9000;

// Reads a port: {"interface": "veth0", "driver": "af_packet"}, {"pci": "0000:03:00.0"} or {"vdev":
// "net_pcap0,rx_pcap=in.pcap"}.
[[nodiscard]] PortJob read_port(const Value& value);

// Reads the keys "eal", "control", "duration_s" and "idle" of a job, which may have other keys.
[[nodiscard]] WireJob read_wire_job(Object& object);

// Returns the octets that a frame of `mtu` takes in a ring shared with the kernel, including its headers there: a power
// of two.
[[nodiscard]] std::uint32_t frame_room(std::uint32_t mtu);

// Returns DPDK's device argument for the port as a virtual device, with rings that hold bursts of some milliseconds,
// and frames of `mtu` and VLAN tags; empty for a network card. `number` distinguishes the ports of a process.
[[nodiscard]] std::string device_argument(const PortJob& port, unsigned number, unsigned queues, std::uint32_t mtu);

}  // namespace headroom::io

#endif  // HEADROOM_IO_JOB_H
