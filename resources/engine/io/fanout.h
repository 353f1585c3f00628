// SPDX-License-Identifier: Apache-2.0
//
// DPDK's driver for interfaces of the kernel (net_af_packet) puts the sockets of a port into a "fanout" group
// (packet(7)) with two flags that it has no option for:
//   - PACKET_FANOUT_FLAG_DEFRAG: the kernel reassembles IPv4 fragments before any reader sees them, even with a single
//     queue. The packet that comes out is longer than the place in the ring and arrives cut off.
//   - PACKET_FANOUT_FLAG_ROLLOVER: what finds its queue full goes to another one, and overtakes its flow.
// What stands between two networks must see the frames as they came, and a channel for header compression may lose
// packets, but not reorder them. So setsockopt is defined once more in this program, where the driver finds it before
// that of libc; it takes the two flags away and passes everything else on.
//
// Nor does the driver count the frames for which a ring shared with the kernel had no room. The sockets that pass by
// here are remembered, for the kernel counts them (packet(7), PACKET_STATISTICS).
#ifndef HEADROOM_IO_FANOUT_H
#define HEADROOM_IO_FANOUT_H

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/job.h"

namespace headroom::io {

// While one exists, PACKET_FANOUT is set without the two flags, and with the program of a port that has one
// (PACKET_FANOUT_CBPF). Other socket options do not change. The ports outlive it.
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
