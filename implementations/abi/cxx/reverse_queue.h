// SPDX-License-Identifier: Apache-2.0
//
// Reverse packets that wait to be taken by the caller, oldest first. Fixed room: what does not fit is dropped and
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
template <std::size_t kLongest = HEADROOM_REVERSE_MAX>
class ReverseQueue {
 public:
  ReverseQueue() : ring_(kRoom) {}

  // No octets are no packet.
  void put(std::uint32_t channel, std::span<const std::uint8_t> packet) noexcept {
    if (packet.empty()) return;
    if (count_ == kRoom || packet.size() > kLongest) {
      ++dropped_;
      return;
    }
    Entry& e = ring_[(first_ + count_++) % kRoom];
    e.channel = channel;
    e.size = static_cast<std::uint16_t>(packet.size());
    std::copy(packet.begin(), packet.end(), e.octets.begin());
  }

  // Copies the oldest packet into `room` and removes it. Returns its octets, 0 if the queue is empty; a packet longer
  // than `room` is dropped.
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

  // The calling convention of `take_reverse`, for packets of one type.
  [[nodiscard]] std::size_t take(headroom_packet* packets, std::size_t count, std::uint16_t type) noexcept {
    std::size_t taken = 0;
    for (; taken < count; ++taken) {
      headroom_packet& p = packets[taken];
      p.out_length = static_cast<std::uint32_t>(take(p.channel, {p.out, p.out_capacity}));
      if (p.out_length == 0) break;
      p.out_type = type;
      p.status = HEADROOM_OK;
    }
    return taken;
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
