// SPDX-License-Identifier: Apache-2.0
//
// What a worker does with frames: the work of one channel with a compressor and a decompressor (channel.h,
// stream_channel.h), or of one that a scheme brings along (channel_kind.h).
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

  // Frames from the plain side, at most `burst`: all of them are given back to the store or put into `link`. Throws
  // Error(adapter) when the adapter breaks a promise.
  virtual void to_link(std::span<Frame> frames, std::uint64_t now_ns, Outbox& link) = 0;

  // Forwards frames from the link to the plain side; feedback of this side goes back into `link`.
  virtual void to_plain(std::span<Frame> frames, std::uint64_t now_ns, Outbox& plain, Outbox& link) = 0;

  // Does what is due though no frame comes: feedback that has waited long enough, what adapters put out at a deadline,
  // datagrams of a constant bit rate. To be called all the time while `waits`. Throws as the functions above.
  [[nodiscard]] virtual bool waits() const noexcept { return false; }
  virtual void act(std::uint64_t /*now_ns*/, Outbox& /*plain*/, Outbox& /*link*/) {}

  // The instances of adapters; nullptr for those that this forwarder lacks.
  [[nodiscard]] virtual const Instance* compressor() const noexcept { return nullptr; }
  [[nodiscard]] virtual const Instance* decompressor() const noexcept { return nullptr; }
  [[nodiscard]] virtual const Instance* endpoint() const noexcept { return nullptr; }
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_FORWARDER_H
