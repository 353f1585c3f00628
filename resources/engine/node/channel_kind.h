// SPDX-License-Identifier: Apache-2.0
//
// A kind of channel that a scheme provides instead of a channel with a compressor and a decompressor: the scheme's part
// of the node's job.
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

// The arguments for making a worker's channel. The references outlive the channel.
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

  // Makes a worker's channel, in the worker's thread; other workers may make theirs at the same time. Throws
  // Error(adapter). REQUIRES: the job outlives the channel.
  [[nodiscard]] virtual std::unique_ptr<Forwarder> make(const Job& job, const Place& place) const = 0;

  // Returns a number that is the same for all IP packets that one worker must handle, from either side, or nothing for
  // packets that any worker may handle.
  [[nodiscard]] virtual std::optional<std::uint64_t> owner_of(OctetView packet, bool from_plain) const noexcept = 0;

  // Returns a classic BPF program that returns the same as `owner_of` for frames of a side, or 0; empty: there is none.
  [[nodiscard]] virtual std::vector<sock_filter> queue_filter(bool is_plain) const {
    (void)is_plain;
    return {};
  }

  // Returns rules by which a network card spreads the frames of a side over its queues, with all packets of a user in
  // one queue.
  [[nodiscard]] virtual std::vector<io::QueueRule> queue_rules(bool is_plain) const {
    (void)is_plain;
    return {};
  }
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_CHANNEL_KIND_H
