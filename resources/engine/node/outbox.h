// SPDX-License-Identifier: Apache-2.0
//
// The source and the destination of a channel's frames: a store of empty frames, and an outbox for each side. A worker
// implements both with DPDK, tests with vectors.
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
  // Provides an empty frame, with room in front of it for a tag and after it for a whole frame of the link. Returns
  // false if there is none.
  [[nodiscard]] virtual bool take(Frame& frame) noexcept = 0;
  virtual void give_back(const Frame& frame) noexcept = 0;
};

// Outbox holds frames to be sent, in order. They leave in bursts: when there are many, and when `flush` is called.
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

  static constexpr std::size_t kMost = 64;  // frames in one burst

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
