// SPDX-License-Identifier: Apache-2.0
//
// WaitQueue is a queue of channels that wait for a threshold. All wait equally long, so the channel that begins to wait
// last has the last deadline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "headroom.h"

namespace headroom::ule {

inline constexpr std::uint32_t kNoChannel = 0xFFFFFFFF;

// A channel's links in the order of deadlines.
struct Wait {
  std::uint64_t deadline = 0;
  std::uint32_t earlier = kNoChannel, later = kNoChannel;
};

// `Channel` has a member of type Wait for each queue that the channel may be in.
template <typename Channel>
class WaitQueue {
 public:
  explicit WaitQueue(Wait Channel::*place) : place_(place) {}

  // Adds a channel, unless it waits already.
  void push(std::vector<Channel>& channels, std::uint32_t number, std::uint64_t deadline) noexcept {
    Wait& wait = channels[number].*place_;
    if (wait.earlier != kNoChannel || first_ == number) return;
    wait.deadline = deadline;
    wait.earlier = last_;
    (last_ == kNoChannel ? first_ : (channels[last_].*place_).later) = number;
    last_ = number;
  }

  void remove(std::vector<Channel>& channels, std::uint32_t number) noexcept {
    Wait& wait = channels[number].*place_;
    if (wait.earlier == kNoChannel && first_ != number) return;
    (wait.earlier == kNoChannel ? first_ : (channels[wait.earlier].*place_).later) = wait.later;
    (wait.later == kNoChannel ? last_ : (channels[wait.later].*place_).earlier) = wait.earlier;
    wait.earlier = wait.later = kNoChannel;
  }

  [[nodiscard]] std::uint32_t first() const noexcept { return first_; }
  [[nodiscard]] std::uint64_t deadline(const std::vector<Channel>& channels) const noexcept {
    return first_ == kNoChannel ? HEADROOM_NO_DEADLINE : (channels[first_].*place_).deadline;
  }

 private:
  Wait Channel::*place_;
  std::uint32_t first_ = kNoChannel, last_ = kNoChannel;
};

}  // namespace headroom::ule
