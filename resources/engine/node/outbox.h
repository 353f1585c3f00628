// SPDX-License-Identifier: Apache-2.0
//
// Where a channel's frames come from and go to: a store of empty ones, and the way out of each side. The worker has
// both with DPDK behind them, tests with vectors.
#ifndef HEADROOM_NODE_OUTBOX_H
#define HEADROOM_NODE_OUTBOX_H

#include <array>
#include <cstdint>
#include <span>

#include "node/frame.h"

namespace headroom::node {

class FrameStore {
 public:
  virtual ~FrameStore() = default;
  // A new frame of no octets, with room before it for a tag and from it on for a whole frame of the link. False when
  // there is none.
  [[nodiscard]] virtual bool take(Frame& frame) noexcept = 0;
  virtual void give_back(const Frame& frame) noexcept = 0;
};

// Frames on their way out, in order. They leave in bursts: when there are many, and when `flush` is called.
class Outbox {
 public:
  virtual ~Outbox() = default;

  void put(const Frame& frame) noexcept {
    frames_[count_] = frame;
    if (++count_ == frames_.size()) flush();
  }
  void flush() noexcept {
    if (count_ != 0) send({frames_.data(), count_});
    count_ = 0;
  }

  static constexpr std::size_t kMost = 64;  // frames that leave at once

 protected:
  Outbox() = default;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  virtual void send(std::span<const Frame> frames) noexcept = 0;  // 1 to kMost

 private:
  std::array<Frame, kMost> frames_;
  std::size_t count_ = 0;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_OUTBOX_H
