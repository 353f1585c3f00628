// SPDX-License-Identifier: Apache-2.0
//
// Cutting a packet that is too long for the link into segments (RFC 3095 5.2.5, RFC 5795 5.2.5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc {

// The sizes that link packets may have. REQUIRES: `largest` >= 2; `allowed` is empty (any size up to `largest`) or
// ascending and ends at or above `largest`, which is one of them.
struct LinkSizes {
  std::size_t largest;
  std::span<const std::uint16_t> allowed;
};

// A unit on its way over the link: a packet and its CRC, of which one segment after the other is written. The unit is
// kept here, because the packet's own buffer may be gone when the second one is written.
class Segmenter {
 public:
  // `largest_unit`: octets, CRC included, up to which nothing is allocated later.
  explicit Segmenter(std::size_t largest_unit) { unit_.reserve(largest_unit); }

  // Makes `packet` the unit; what is left of the one before is dropped. `channel`: what next() returns about it.
  void begin(Octets packet, std::uint32_t channel);
  void drop() noexcept { unit_.clear(), taken_ = 0; }

  [[nodiscard]] bool empty() const noexcept { return taken_ == unit_.size(); }
  [[nodiscard]] std::uint32_t channel() const noexcept { return channel_; }

  // Writes the next link packet into `room`, which begins with `feedback` octets of feedback: they stay in front of the
  // segment, and padding stands in front of them where the size is not allowed. The packet is as long as the largest,
  // or has all that is left. Returns its octets; 0, and nothing has changed, when there is no room for it. REQUIRES:
  // not empty(); feedback + 1 < sizes.largest.
  [[nodiscard]] std::size_t next(std::span<std::uint8_t> room, std::size_t feedback, const LinkSizes& sizes) noexcept;

 private:
  std::vector<std::uint8_t> unit_;
  std::size_t taken_ = 0;
  std::uint32_t channel_ = 0;
};

}  // namespace headroom::rohc
