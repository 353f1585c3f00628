// SPDX-License-Identifier: Apache-2.0
//
// The job of `node` (README.md), read and checked as a whole before anything starts.
#ifndef HEADROOM_NODE_JOB_H
#define HEADROOM_NODE_JOB_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "adapter/instance.h"
#include "capture/link_framing.h"
#include "io/job.h"
#include "node/channel_kind.h"
#include "node/frame.h"

namespace headroom::node {

inline constexpr std::size_t kMostWorkers = 64;
inline constexpr std::uint16_t kLargestBurst = 512;

// The ways in which frames reach their worker.
enum class Distribution : std::uint8_t {
  queues,     // through the queue that the kernel or the network card chooses
  hand_over,  // handed over by the worker that receives them
  rx_cores    // handed over by receiving cores, through rings
};

// The ways in which a decompressor's feedback reaches the compressor at the far end.
enum class Feedback : std::uint8_t {
  none,        // discarded
  own,         // in frames of its own
  piggybacked  // in front of the next packet, or in a frame of its own if none comes soon
};

// Link packets of a fixed length in UDP datagrams, as modulators and tools for transport streams use them.
struct StreamJob {
  struct Send {
    std::array<std::uint8_t, 4> source{}, destination{};
    std::uint16_t source_port = 0, destination_port = 0;
    MacAddress mac{};  // MAC address of the multicast group, or of the next hop
    std::uint8_t ttl = 16;
    std::uint32_t packets = 7;        // largest number of packets in a datagram
    std::uint64_t rate_bps = 0;       // rate of link packets, including idle ones; 0: packets leave at once
    std::uint32_t queue_packets = 0;  // packets that may wait for the rate
  };
  struct Receive {
    std::array<std::uint8_t, 4> address{};
    std::uint16_t port = 0;
  };
  std::optional<Send> send;        // with a compressor
  std::optional<Receive> receive;  // with a decompressor
  bool frames = true;              // True: whole Ethernet frames are carried; false: only IP packets
  MacAddress plain_destination{};  // destination of frames made for IP packets that come out
};

// A rate of the link, and the queue in front of the compressor.
struct ShaperJob {
  std::uint64_t rate_bps = 0;       // rate of link packets without their frames
  std::uint32_t queue_packets = 0;  // packets that wait or are being sent
};

struct Job {
  io::WireJob wire;
  std::array<io::PortJob, 2> ports;  // plain, link
  std::optional<AdapterJob> compressor, decompressor;
  std::optional<AdapterJob> endpoint;       // instead of compressor and decompressor
  std::shared_ptr<const ChannelKind> kind;  // channel kind of the endpoint's scheme, with an endpoint
  std::vector<unsigned> workers;            // the core of each
  std::vector<unsigned> rx_cores;           // receiving cores; empty: workers receive
  // If ports or scheme cannot choose the queues of frames by worker, workers hand frames over.
  Distribution distribution = Distribution::queues;
  std::uint16_t burst = 32;
  std::uint32_t plain_mtu = 1500, link_mtu = 1500;  // octets after the Ethernet header and all VLAN tags
  std::uint16_t channel_vlan = 100;
  Feedback feedback = Feedback::own;
  const LinkFraming* framing = &kUnknownFraming;  // framing of the adapters' scheme
  bool pad = false;
  std::optional<StreamJob> stream;  // set if the link side uses datagrams
  std::optional<ShaperJob> shaper;

  // Returns the receiving cores of a port. A single receiving core serves both ports.
  [[nodiscard]] std::size_t receivers_of(bool is_plain) const noexcept {
    return rx_cores.size() == 1 ? 1 : (rx_cores.size() + (is_plain ? 0 : 1)) / 2;
  }
  // Returns the receiving core of a queue: the core with the queue's index in `rx_cores`. REQUIRES: there are receiving
  // cores.
  [[nodiscard]] std::size_t receiver_of(bool is_plain, std::uint16_t queue) const noexcept {
    return rx_cores.size() == 1 ? 0 : 2 * (queue % receivers_of(is_plain)) + (is_plain ? 1 : 0);
  }
  // Returns the number of a port's queues in each direction: each worker sends through a queue of its own.
  [[nodiscard]] std::uint16_t queues() const noexcept {
    return static_cast<std::uint16_t>(std::max(workers.size(), receivers_of(false)));
  }
  [[nodiscard]] ChannelTags tags() const noexcept {
    return {channel_vlan, kind ? std::uint16_t{1} : static_cast<std::uint16_t>(workers.size())};
  }
};

// Reads a job. Throws Error(job). An adapter whose configuration has no "seed" gets a random one from the kernel:
// senders of traffic are strangers, who must not be able to predict a hash keyed by the seed.
[[nodiscard]] Job read_job(const Json& json);

// Gives adapters whose scheme uses it (Scheme::universal_time) the Universal Time at which the workers' clock was 0, in
// ns since 1970, unless the job sets it.
void add_universal_time(Job& job, std::uint64_t zero_ns);

// Returns the seed of each adapter by its key in the job; null if there is no such adapter.
[[nodiscard]] Json seeds_of(const Job& job);

}  // namespace headroom::node

#endif  // HEADROOM_NODE_JOB_H
