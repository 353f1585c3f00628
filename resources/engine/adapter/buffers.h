// SPDX-License-Identifier: Apache-2.0
//
// Buffers is memory for an adapter's outputs: each buffer is filled with poison and lies between fences.
#ifndef HEADROOM_ADAPTER_BUFFERS_H
#define HEADROOM_ADAPTER_BUFFERS_H

#include <algorithm>
#include <array>
#include <cstring>

#include "base/octets.h"

namespace headroom {

inline constexpr std::uint8_t kPoisonOctet = 0xA5;
inline constexpr std::uint32_t kPoisonLength = 0xA5A5A5A5;

class Buffers {
 public:
  // Makes room for `count` buffers of `octets` octets in total. Earlier buffers become invalid.
  void reset(std::size_t count, std::size_t octets) {
    const std::size_t size = kFence + octets + count * kFence;
    if (arena_.size() < size) arena_.resize(size);
    used_ = 0;
    add_fence();
  }
  // Returns the next buffer. REQUIRES: there is room.
  [[nodiscard]] std::uint8_t* add(std::size_t capacity) noexcept {
    std::uint8_t* const buffer = arena_.data() + used_;
    std::fill_n(buffer, capacity, kPoisonOctet);
    used_ += capacity;
    add_fence();
    return buffer;
  }
  // True if the adapter wrote nothing around a buffer.
  [[nodiscard]] static bool are_fences_whole(const std::uint8_t* buffer, std::size_t capacity) noexcept {
    const auto is_whole = [](const std::uint8_t* fence) { return std::memcmp(fence, kWhole.data(), kFence) == 0; };
    return is_whole(buffer - kFence) && is_whole(buffer + capacity);
  }
  // Fills all buffers with poison: they belong to the caller again (headroom.h, "Buffers"), so no later call may find
  // the outputs in them.
  void poison() noexcept { std::fill_n(arena_.data(), used_, kPoisonOctet); }

 private:
  static constexpr std::size_t kFence = 64;  // octets in front of each buffer and after the last one
  static constexpr auto kWhole = [] {
    std::array<std::uint8_t, kFence> fence{};
    fence.fill(0xFE);
    return fence;
  }();

  void add_fence() noexcept {
    std::copy_n(kWhole.data(), kFence, arena_.data() + used_);
    used_ += kFence;
  }

  Octets arena_;
  std::size_t used_ = 0;  // used octets, including fences
};

}  // namespace headroom

#endif  // HEADROOM_ADAPTER_BUFFERS_H
