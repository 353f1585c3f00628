// SPDX-License-Identifier: Apache-2.0
//
// The counters of one worker of a node. The worker's thread writes them, any other thread may read them at the same
// time.
#ifndef HEADROOM_NODE_STATISTICS_H
#define HEADROOM_NODE_STATISTICS_H

#include <array>
#include <cstdint>
#include <optional>

#include "base/json_reader.h"
#include "base/process.h"
#include "io/busy.h"
#include "io/counter.h"

namespace headroom::node {

struct Traffic {
  io::Counter packets, octets;  // whole frames

  void add(std::uint64_t more_packets, std::uint64_t more_octets) noexcept {
    packets.add(more_packets);
    octets.add(more_octets);
  }
};

[[nodiscard]] Json json_of(const Traffic& traffic);

struct Side {
  Traffic received, sent;
};

// The packets that an adapter refused, by status.
class Refusals {
 public:
  // Counts a packet. REQUIRES: `status` is a negative status of the ABI.
  void add(std::int32_t status) noexcept { counts_[static_cast<std::size_t>(-1 - status)].add(); }
  [[nodiscard]] Json json() const;  // non-zero counts by name

 private:
  std::array<io::Counter, 10> counts_;  // HEADROOM_ERR_NO_SPACE to HEADROOM_ERR_DECOMPRESSION
};

struct Statistics {
  Side plain, link;
  io::Counter compressed, decompressed;  // packets put out by the adapter
  io::Counter passed;                    // frames forwarded unchanged, for any reason
  io::Counter passed_too_long;           // of these, IP packets that did not fit the link when compressed
  io::Counter consumed;                  // packets that an adapter took without output
  struct {
    io::Counter sent, piggybacked, received, discarded;  // messages
  } feedback;
  struct {
    io::Counter opened, replaced;  // an endpoint's compartments: opened, and opened in place of another user's
    io::Counter refused;           // messages that the endpoint did not accept for their compartment
  } compartments;
  struct {
    io::Counter datagrams_sent, packets_sent, idle_sent;  // `idle_sent` counts idle packets among packets_sent
    io::Counter datagrams_received, packets_received;
    io::Counter late;  // number of interruptions of a constant bit rate: the worker did not run
    // Lost, by cause.
    io::Counter wrong_length, lost_sync, other_frames, other_types, uncarried, queue_full;
  } stream;
  struct {
    io::Counter octets;      // octets that took time on the link
    io::Counter queue_full;  // frames dropped
  } shaper;
  io::Counter handed_over;  // frames received here for other workers

  // Frames lost in this worker, by cause.
  Refusals compressor, decompressor;  // packets that the compressor refuses are not lost, but passed
  io::Counter too_long, malformed, send_queue_full, hand_over_full, no_memory;
  io::Counter no_neighbour;  // the MAC address of the next hop is not known yet

  // Returns the keys of README.md from "plain" to "errors".
  [[nodiscard]] Json json() const;
};

// Returns the load of a core, the beginning of its thread's statistics. `before` is the kernel's account at the start.
[[nodiscard]] Json load_of(unsigned core, const io::BusyShare& busy, const std::optional<CoreJiffies>& before);

}  // namespace headroom::node

#endif  // HEADROOM_NODE_STATISTICS_H
