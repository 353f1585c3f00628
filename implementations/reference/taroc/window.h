// SPDX-License-Identifier: Apache-2.0
//
// The sliding window VSW of a compressor (5, Appendix A): what the decompressor may have as its reference packet.
//
// There is one window of packets for all fields, since the decompressor has one reference packet. Only minimum and
// maximum of each field matter, and so a window of more than kBuckets packets keeps those of some packets together: it
// leaves a few packets later than it could, which costs a bit at most, and takes the same room for 64 packets and for
// 100,000. Packets leave in the order in which they came; adding one and removing one cost O(1) amortised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "taroc/wire/wlsb.h"

namespace headroom::taroc {

// "The W-LSB will be applied to IP-ID, Sequence Number, Acknowledgment Number, Window fields and TCP Timestamp option"
// (5).
enum Field : std::size_t { kSequence, kAcknowledgement, kPacketId, kWindowField, kTsValue, kTsEcho, kFields };
using Values = std::array<std::uint32_t, kFields>;  // of one packet
using Ranges = std::array<wire::Range, kFields>;    // of several

class SlidingWindow {
 public:
  static constexpr std::size_t kBuckets = 64;
  // More packets are not on the way at once over a link that needs compression, and what they leave of the packet IDs'
  // range can be sent in 11 bits.
  static constexpr std::uint64_t kMostPackets = 1023;
  static constexpr std::uint32_t kWidest = (std::uint32_t{1} << 30) - 1;  // of a field, from minimum to maximum

  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  // Minimum and maximum of each field. REQUIRES: !empty().
  [[nodiscard]] const Ranges& ranges() const noexcept { return ranges_; }
  // Whether no field would become wider than kWidest. REQUIRES: !empty().
  [[nodiscard]] bool has_room_for(const Values& values) const noexcept;

  void clear() noexcept;
  // Adds a packet, and removes others, the oldest first, as long as the first one's sequence number or acknowledgement
  // number lies more than `octets` behind the highest one, or there are more than kMostPackets. REQUIRES: empty() or
  // has_room_for(values).
  void add(const Values& values, std::uint64_t octets) noexcept;

 private:
  // Some packets that came one after another. Those in front of turned_ hold the ranges of all turned ones behind them,
  // too: of the whole window, the ranges are those of the first bucket and of what is not turned.
  struct Bucket {
    Ranges ranges;
    std::uint32_t highest_sequence = 0, highest_acknowledgement = 0;
    std::uint32_t packets = 0;
  };

  [[nodiscard]] Bucket& at(std::size_t i) noexcept { return buckets_[(first_ + i) % kBuckets]; }
  [[nodiscard]] bool begins_bucket(const Values& values, std::uint64_t octets) noexcept;
  void append(const Values& values, std::uint64_t octets) noexcept;
  void shrink(std::uint64_t octets) noexcept;
  void remove_first() noexcept;
  void turn() noexcept;
  void pair() noexcept;

  std::array<Bucket, kBuckets> buckets_;
  Ranges ranges_{}, behind_{};  // of all; of the buckets that are not turned
  std::size_t first_ = 0, size_ = 0, turned_ = 0;
  std::uint32_t bucket_packets_ = 1;  // that a bucket is to hold
  std::uint64_t packets_ = 0;
};

}  // namespace headroom::taroc
