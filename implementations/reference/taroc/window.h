// SPDX-License-Identifier: Apache-2.0
//
// The sliding window VSW of a compressor (5, Appendix A): the packets that the decompressor may have as its reference
// packet.
//
// All fields share one window of packets, because the decompressor has one reference packet. Only minimum and maximum
// of each field matter, so a window of more than kBuckets packets combines several packets in a bucket. Packets may
// then leave the window a little late, which costs at most a bit, and the window needs the same memory for 64 packets
// and for 100,000. Packets leave in the order of arrival; adding and removing a packet cost O(1) amortised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "taroc/wire/wlsb.h"

namespace headroom::taroc {

// "The W-LSB will be applied to IP-ID, Sequence Number, Acknowledgment Number, Window fields and TCP Timestamp option"
// (5).
enum Field : std::size_t { kSequence, kAcknowledgement, kPacketId, kWindowField, kTsValue, kTsEcho, kFields };
using Values = std::array<std::uint32_t, kFields>;  // values of a packet's fields
using Ranges = std::array<wire::Range, kFields>;    // ranges of several packets

class SlidingWindow {
 public:
  static constexpr std::size_t kBuckets = 64;
  // The most packets in the window. A link that needs compression does not have more packets in flight, and a range of
  // this many packet IDs can be sent in 11 bits.
  static constexpr std::uint64_t kMostPackets = 1023;
  static constexpr std::uint32_t kWidest = (std::uint32_t{1} << 30) - 1;  // largest range of a field: maximum - minimum

  [[nodiscard]] std::uint64_t packets() const noexcept { return packets_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  // Returns minimum and maximum of each field. REQUIRES: !empty().
  [[nodiscard]] const Ranges& ranges() const noexcept { return ranges_; }
  // True if adding the packet keeps the range of every field within kWidest. REQUIRES: !empty().
  [[nodiscard]] bool has_room_for(const Values& values) const noexcept;

  void clear() noexcept;
  // Adds a packet and removes the oldest packets while the oldest packet's sequence or acknowledgement number is more
  // than `octets` below the highest, or the window has more than kMostPackets packets. REQUIRES: empty() or
  // has_room_for(values).
  void add(const Values& values, std::uint64_t octets) noexcept;

 private:
  // Consecutive packets. Buckets before turned_ also include the ranges of all turned buckets after them. So the ranges
  // of the whole window are the union of the first bucket's ranges and those of the buckets that are not turned.
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
  Ranges ranges_{}, behind_{};  // of the whole window; of the buckets that are not turned
  std::size_t first_ = 0, size_ = 0, turned_ = 0;
  std::uint32_t bucket_packets_ = 1;  // target number of packets in a bucket
  std::uint64_t packets_ = 0;
};

}  // namespace headroom::taroc
