// SPDX-License-Identifier: Apache-2.0
//
// A kind of channel that a scheme brings along, in place of one with a compressor and a decompressor: what the scheme
// has read of the node's job.
#ifndef HEADROOM_NODE_CHANNEL_KIND_H
#define HEADROOM_NODE_CHANNEL_KIND_H

#include <cstdint>
#include <memory>
#include <optional>

#include "base/octets.h"
#include "node/forwarder.h"
#include "node/statistics.h"

namespace headroom::node {

struct Job;

class ChannelKind {
 public:
  virtual ~ChannelKind() = default;

  // A channel of a worker. Throws Error(adapter). The references must outlive it.
  [[nodiscard]] virtual std::unique_ptr<Forwarder> make(const Job& job, FrameStore& store,
                                                        Statistics& statistics) const = 0;

  // A number that all IP packets have which one worker must take, from either side; nothing for packets that any worker
  // may take.
  [[nodiscard]] virtual std::optional<std::uint64_t> owner_of(OctetView packet, bool from_plain) const noexcept = 0;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_CHANNEL_KIND_H
