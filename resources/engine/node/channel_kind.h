// SPDX-License-Identifier: Apache-2.0
//
// A kind of channel that a scheme brings along, in place of one with a compressor and a decompressor: what the scheme
// has read of the node's job.
#ifndef HEADROOM_NODE_CHANNEL_KIND_H
#define HEADROOM_NODE_CHANNEL_KIND_H

#include <linux/filter.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/octets.h"
#include "capture/frame.h"
#include "io/queue_rules.h"
#include "node/forwarder.h"
#include "node/statistics.h"

namespace headroom::node {

struct Job;

// The arguments with which a worker's channel is made. The references outlive it.
struct Place {
  std::uint16_t number;     // of the worker
  const MacAddress& plain;  // addresses of the ports
  const MacAddress& link;
  FrameStore& store;
  Statistics& statistics;
};

class ChannelKind {
 public:
  virtual ~ChannelKind() = default;

  // A channel of a worker, in the worker's thread; other workers may make theirs meanwhile. Throws Error(adapter). The
  // job outlives it.
  [[nodiscard]] virtual std::unique_ptr<Forwarder> make(const Job& job, const Place& place) const = 0;

  // A number that all IP packets have which one worker must take, from either side; nothing for packets that any worker
  // may take.
  [[nodiscard]] virtual std::optional<std::uint64_t> owner_of(OctetView packet, bool from_plain) const noexcept = 0;

  // A program of classic BPF that returns for frames of a side what `owner_of` does, or 0; empty: there is none.
  [[nodiscard]] virtual std::vector<sock_filter> queue_filter(bool is_plain) const {
    (void)is_plain;
    return {};
  }

  // Rules by which a network card spreads the frames of a side over its queues, all packets of a user to one.
  [[nodiscard]] virtual std::vector<io::QueueRule> queue_rules(bool is_plain) const {
    (void)is_plain;
    return {};
  }
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_CHANNEL_KIND_H
