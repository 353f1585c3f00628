// SPDX-License-Identifier: Apache-2.0
//
// Cuts a packet that is too long for the link into segments (RFC 3095 5.2.5, RFC 5795 5.2.5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc {

// The sizes in octets that link packets may have. REQUIRES: `largest` >= 2; `allowed` is either empty (any size up to
// `largest`) or ascending and contains `largest`.
struct LinkSizes {
  std::size_t largest;
  std::span<const std::uint16_t> allowed;
};

// Sends a unit, that is a packet and its CRC, segment by segment. The segmenter stores a copy of the unit, because the
// packet's own buffer may be gone before the second segment is written.
class Segmenter {
 public:
  // Allocates memory for units of up to `largest_unit` octets, CRC included, so that such units need no later
  // allocation.
  explicit Segmenter(std::size_t largest_unit) { unit_.reserve(largest_unit); }

  // Makes a unit of `packet` and drops the rest of the previous unit. `channel` is the result of channel() for this
  // unit.
  void begin(Octets packet, std::uint32_t channel);
  void drop() noexcept { unit_.clear(), taken_ = 0; }

  [[nodiscard]] bool empty() const noexcept { return taken_ == unit_.size(); }
  [[nodiscard]] std::uint32_t channel() const noexcept { return channel_; }

  // Writes the next link packet into `room`, which begins with `feedback` octets of feedback. The feedback stays in
  // front of the segment; if the size is not allowed, padding is added in front of the feedback. The link packet has
  // the largest size or contains the rest of the unit. Returns the link packet's octets, or 0 without any change if
  // `room` is too small. REQUIRES: not empty(); feedback + 1 < sizes.largest.
  [[nodiscard]] std::size_t next(std::span<std::uint8_t> room, std::size_t feedback, const LinkSizes& sizes) noexcept;

 private:
  std::vector<std::uint8_t> unit_;
  std::size_t taken_ = 0;
  std::uint32_t channel_ = 0;
};

}  // namespace headroom::rohc
