// SPDX-License-Identifier: Apache-2.0
//
// Reassembles segments, separately for each channel (RFC 3095 5.2.5.2, RFC 5795 5.2.5.2). The memory is fixed: MRRU
// octets per channel, in use from the first segment on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rohc/framework/channel.h"
#include "rohc/framework/page_array.h"
#include "rohc/framework/wire/segment.h"

namespace headroom::rohc {

class Reassembly {
 public:
  explicit Reassembly(const ChannelParameters& channel)
      : mrru_(channel.mrru),
        octets_(std::max<std::size_t>(std::size_t{channel.channels} * channel.mrru, 1)),
        units_(channel.mrru != 0 ? channel.channels : 0) {}

  enum class Result : std::uint8_t {
    kUnfinished,  // more segments must follow
    kUnit,        // the unit is complete; packet() returns its packet
    kTooLong,     // longer than MRRU
    kTooShort,    // "4 octets or less"
    kBadCrc,
  };

  // True if MRRU is above 0: "If MRRU is negotiated to be 0 … received segments MUST be discarded" (RFC 5795 5.1.2).
  [[nodiscard]] bool enabled() const noexcept { return mrru_ != 0; }

  // True if any channel has a unit of which segments are missing.
  [[nodiscard]] bool pending() const noexcept { return pending_ != 0; }

  // Adds the segment of a link packet to the channel's unit. REQUIRES: enabled().
  [[nodiscard]] Result add(std::uint32_t channel, Octets segment, bool final) noexcept {
    Unit& unit = units_[channel];
    if (!unit.pending) ++pending_;
    unit.pending = true;
    unit.too_long = unit.too_long || segment.size() > mrru_ - unit.size;
    if (!unit.too_long) {
      std::copy(segment.begin(), segment.end(), begin(channel) + unit.size);
      unit.size += static_cast<std::uint32_t>(segment.size());
    }
    if (!final) return unit.too_long ? Result::kTooLong : Result::kUnfinished;
    const Unit whole = unit;
    reset(unit);
    if (whole.too_long) return Result::kTooLong;
    if (whole.size <= wire::kSegmentCrc) return Result::kTooShort;
    packet_ = {begin(channel), whole.size - wire::kSegmentCrc};
    return wire::segment_crc_is_right({begin(channel), whole.size}) ? Result::kUnit : Result::kBadCrc;
  }

  // Returns the packet that the last call of add() completed; valid until the next call of add().
  [[nodiscard]] Octets packet() const noexcept { return packet_; }

  // Abandons the channel's unit because a packet arrived that is no segment: the packet "aborts the reassembly of the
  // current reconstructed unit". Returns true if there was a unit.
  bool abandon(std::uint32_t channel) noexcept {
    if (pending_ == 0 || !units_[channel].pending) return false;
    reset(units_[channel]);
    return true;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return units_.size() * (sizeof(Unit) + mrru_); }

 private:
  struct Unit {
    std::uint32_t size = 0;
    bool pending = false;
    bool too_long = false;  // further segments of the unit are not stored
  };

  [[nodiscard]] std::uint8_t* begin(std::uint32_t channel) noexcept { return &octets_[std::size_t{channel} * mrru_]; }
  void reset(Unit& unit) noexcept {
    unit = {};
    --pending_;
  }

  std::uint32_t mrru_;
  PageArray<std::uint8_t> octets_;
  std::vector<Unit> units_;
  Octets packet_;
  std::uint32_t pending_ = 0;
};

}  // namespace headroom::rohc
