// SPDX-License-Identifier: Apache-2.0
//
// DPDK's driver for interfaces of the kernel (net_af_packet) puts the sockets of a port into a "fanout" group
// (packet(7)) with two flags that it has no option for:
//   - PACKET_FANOUT_FLAG_DEFRAG: the kernel reassembles IPv4 fragments before any reader sees them, even with a single
//     queue. The reassembled packet is longer than its place in the ring and arrives cut off.
//   - PACKET_FANOUT_FLAG_ROLLOVER: a frame whose queue is full goes to another queue, and overtakes its flow.
// A device between two networks must see the frames as they came, and a channel for header compression may lose
// packets, but not reorder them. So this program defines setsockopt, and the driver calls it instead of libc's
// setsockopt. It removes the two flags and passes all other calls on.
//
// The driver also does not count the frames for which a ring shared with the kernel had no room. The kernel does
// (packet(7), PACKET_STATISTICS), so this setsockopt remembers the sockets.
#ifndef HEADROOM_IO_FANOUT_H
#define HEADROOM_IO_FANOUT_H

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/job.h"

namespace headroom::io {

// While a PlainFanout exists, PACKET_FANOUT is set without the two flags, and with the BPF program of a port that has
// one (PACKET_FANOUT_CBPF). Other socket options do not change. REQUIRES: the ports outlive it.
class PlainFanout {
 public:
  explicit PlainFanout(std::span<const PortJob> ports) noexcept;
  ~PlainFanout();
  PlainFanout(const PlainFanout&) = delete;
  PlainFanout& operator=(const PlainFanout&) = delete;
};

// Frames that the kernel could not put into the rings of an interface's port, because they were full.
class RingDrops {
 public:
  // REQUIRES: the environment has been started; the port's sockets are open as long as this lives.
  explicit RingDrops(const std::string& interface);
  // Since the last `forget`; any thread may ask. The kernel sets its count to zero each time.
  [[nodiscard]] std::uint64_t count() const noexcept;
  void forget() noexcept;

 private:
  std::vector<int> sockets_;
  mutable std::mutex mutex_;
  mutable std::uint64_t drops_ = 0;
};

}  // namespace headroom::io

#endif  // HEADROOM_IO_FANOUT_H
