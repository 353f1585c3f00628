// SPDX-License-Identifier: Apache-2.0
//
// What one worker of a node counts. Its thread writes, any other may read meanwhile.
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
  // REQUIRES: `status` is one of the ABI's below zero.
  void add(std::int32_t status) noexcept { counts_[static_cast<std::size_t>(-1 - status)].add(); }
  [[nodiscard]] Json json() const;  // by name, those that occurred

 private:
  std::array<io::Counter, 10> counts_;  // HEADROOM_ERR_NO_SPACE to HEADROOM_ERR_DECOMPRESSION
};

struct Statistics {
  Side plain, link;
  io::Counter compressed, decompressed;  // packets that came out of the adapter
  io::Counter passed;                    // frames that went over untouched, whatever the reason
  io::Counter passed_too_long;           // of these, IP packets that compressed did not fit the link
  io::Counter consumed;                  // packets that an adapter took without passing anything on
  struct {
    io::Counter sent, piggybacked, received, discarded;  // messages
  } feedback;
  struct {
    io::Counter opened, replaced;  // of an endpoint: of users, and of these in the place of another user's
    io::Counter refused;           // messages that the endpoint did not take for their compartment
  } compartments;
  struct {
    io::Counter datagrams_sent, packets_sent, idle_sent;  // of the packets sent, those that carry nothing
    io::Counter datagrams_received, packets_received;
    io::Counter late;  // how often a constant bit rate was given up for a while: the worker did not run
    // Lost, by cause.
    io::Counter wrong_length, lost_sync, other_frames, other_types, uncarried, queue_full;
  } stream;
  struct {
    io::Counter octets;      // that took their time on the link
    io::Counter queue_full;  // frames that were dropped
  } shaper;
  io::Counter handed_over;  // frames of other workers, which this one received

  // Frames that were lost here, by cause.
  Refusals compressor, decompressor;  // the compressor's are not lost, but passed
  io::Counter too_long, malformed, send_queue_full, hand_over_full, no_memory;
  io::Counter no_neighbour;  // the MAC address of the next hop is not known (yet)

  // The keys of README.md from "plain" to "errors".
  [[nodiscard]] Json json() const;
};

// The load of a core, with which the statistics of its thread begin. `before` is the kernel's account of it at the
// start.
[[nodiscard]] Json load_of(unsigned core, const io::BusyShare& busy, const std::optional<CoreJiffies>& before);

}  // namespace headroom::node

#endif  // HEADROOM_NODE_STATISTICS_H
