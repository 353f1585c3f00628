// SPDX-License-Identifier: Apache-2.0
//
// Forwarder forwards a worker's frames: a channel with a compressor and a decompressor (channel.h, stream_channel.h),
// or a channel that a scheme provides (channel_kind.h).
#ifndef HEADROOM_NODE_FORWARDER_H
#define HEADROOM_NODE_FORWARDER_H

#include <cstdint>
#include <span>

#include "adapter/instance.h"
#include "node/frame.h"
#include "node/outbox.h"

namespace headroom::node {

class Forwarder {
 public:
  virtual ~Forwarder() = default;

  // Forwards frames from the plain side, at most `burst`: each is given back to the store or put into `link`. Throws
  // Error(adapter) if the adapter breaks a promise.
  virtual void to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) = 0;

  // Forwards frames from the link to the plain side; feedback of this side goes back into `link`.
  virtual void to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) = 0;

  // Does the work that is due without frames: sends feedback that has waited long enough, outputs of adapters at a
  // deadline, and datagrams of a constant bit rate. Called continuously while `waits` is true. Throws as the functions
  // above.
  [[nodiscard]] virtual bool waits() const noexcept { return false; }
  virtual void act(std::uint64_t /*now_ns*/, Outbox& /*plain*/, Outbox& /*link*/) {}

  // Return the adapters' instances, or nullptr for an instance that this forwarder lacks.
  [[nodiscard]] virtual const Instance* compressor() const noexcept { return nullptr; }
  [[nodiscard]] virtual const Instance* decompressor() const noexcept { return nullptr; }
  [[nodiscard]] virtual const Instance* endpoint() const noexcept { return nullptr; }
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_FORWARDER_H
