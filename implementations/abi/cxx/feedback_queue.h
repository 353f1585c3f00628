// SPDX-License-Identifier: Apache-2.0
//
// Feedback elements that wait to be taken by the caller, oldest first. Fixed room: what does not fit is dropped and
// counted, as a feedback channel may lose packets anyway.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "headroom.h"

namespace headroom {

// `kLongest`: octets of what is put in at once.
template <std::size_t kLongest = HEADROOM_FEEDBACK_MAX>
class FeedbackQueue {
 public:
  FeedbackQueue() : ring_(kRoom) {}

  // No octets are no element.
  void put(std::uint32_t channel, std::span<const std::uint8_t> element) noexcept {
    if (element.empty()) return;
    if (count_ == kRoom || element.size() > kLongest) {
      ++dropped_;
      return;
    }
    Entry& e = ring_[(first_ + count_++) % kRoom];
    e.channel = channel;
    e.size = static_cast<std::uint16_t>(element.size());
    std::copy(element.begin(), element.end(), e.octets.begin());
  }

  // Copies the oldest element into `room` and removes it. Returns its octets, 0 when the queue is empty; an element
  // longer than `room` is dropped.
  [[nodiscard]] std::size_t take(std::uint32_t& channel, std::span<std::uint8_t> room) noexcept {
    while (count_ != 0) {
      const Entry& e = ring_[first_];
      first_ = (first_ + 1) % kRoom;
      --count_;
      if (e.size > room.size()) {
        ++dropped_;
        continue;
      }
      channel = e.channel;
      std::copy_n(e.octets.begin(), e.size, room.begin());
      return e.size;
    }
    return 0;
  }

  // The calling convention of `take_feedback` and `take_received_feedback`.
  [[nodiscard]] std::int32_t take(headroom_feedback& feedback) noexcept {
    feedback.length = static_cast<std::uint32_t>(take(feedback.channel, {feedback.data, feedback.capacity}));
    return feedback.length != 0 ? 1 : 0;
  }

  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  static constexpr std::size_t kRoom = 1024;

  struct Entry {
    std::uint32_t channel = 0;
    std::uint16_t size = 0;
    std::array<std::uint8_t, kLongest> octets{};
  };

  std::vector<Entry> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace headroom
