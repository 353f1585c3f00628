// SPDX-License-Identifier: Apache-2.0
//
// A queue of feedback that is sent in front of the next packet of its channel (RFC 3095 5.2.1, alternative 5).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc {

class PiggybackQueue {
 public:
  PiggybackQueue() : waiting_(kRoom) {}

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  // Queues feedback. Returns false if the queue is full or the feedback is empty or too long.
  [[nodiscard]] bool put(std::uint32_t channel, Octets feedback) noexcept {
    if (count_ == kRoom || feedback.size() > kLongest || feedback.empty()) return false;
    Waiting& w = waiting_[count_++];
    w.channel = channel;
    w.size = static_cast<std::uint16_t>(feedback.size());
    std::copy(feedback.begin(), feedback.end(), w.octets.begin());
    return true;
  }

  // Writes the queued feedback of `channel` into `room`, oldest first, as far as it fits. The feedback stays in the
  // queue until drop(). Returns the number of octets written.
  [[nodiscard]] std::size_t write(std::uint32_t channel, std::span<std::uint8_t> room) const noexcept {
    std::size_t written = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Waiting& w = waiting_[i];
      if (!fits(w, channel, room.size() - written)) continue;
      std::copy_n(w.octets.begin(), w.size, room.begin() + static_cast<std::ptrdiff_t>(written));
      written += w.size;
    }
    return written;
  }

  // Removes the feedback that write() wrote into `room` octets, because it has been sent.
  void drop(std::uint32_t channel, std::size_t room) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Waiting& w = waiting_[i];
      if (fits(w, channel, room)) {
        room -= w.size;
      } else {
        if (kept != i) waiting_[kept] = w;
        ++kept;
      }
    }
    count_ = kept;
  }

 private:
  static constexpr std::size_t kRoom = 64;
  static constexpr std::size_t kLongest = 257;  // type, Size and 255 octets of feedback data (5.2.2)

  struct Waiting {
    std::uint32_t channel = 0;
    std::uint16_t size = 0;
    std::array<std::uint8_t, kLongest> octets{};
  };

  [[nodiscard]] static bool fits(const Waiting& w, std::uint32_t channel, std::size_t room) noexcept {
    return w.channel == channel && w.size <= room;
  }

  std::vector<Waiting> waiting_;
  std::size_t count_ = 0;
};

}  // namespace headroom::rohc
