// SPDX-License-Identifier: Apache-2.0
//
// What load needs besides where link packets carry several packets, or parts of them: room for as many outputs as a
// burst has, and the packets that were sent and have not come back, in order for each channel. Nothing here allocates
// once it is made.
#ifndef HEADROOM_LOAD_PACKED_H
#define HEADROOM_LOAD_PACKED_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adapter/caller.h"
#include "base/octets.h"

namespace headroom::load {

// Outputs of a burst, in order, some of them in buffers of their own and some here.
class OutputList {
 public:
  // For up to `most` outputs, those here of up to `longest` octets.
  OutputList(std::size_t most, std::size_t longest)
      : longest_(longest), octets_(new std::uint8_t[most * longest]), list_(most) {}

  struct Output {
    OctetView octets;
    std::uint32_t channel = 0;
    std::uint16_t type = 0;
  };

  void clear() noexcept { count_ = used_ = 0; }
  [[nodiscard]] bool full() const noexcept { return count_ == list_.size(); }
  // Room for the next output. REQUIRES: not full.
  [[nodiscard]] std::uint8_t* room() noexcept { return &octets_[used_]; }
  [[nodiscard]] std::uint32_t longest() const noexcept { return static_cast<std::uint32_t>(longest_); }
  // An output that was written into `room()`. REQUIRES: not full, no more than `longest()` octets.
  void keep(std::size_t length, std::uint32_t channel, std::uint16_t type) noexcept {
    add({{room(), length}, channel, type});
    used_ += length;
  }
  // One that stays where it is. REQUIRES: not full.
  void add(const Output& output) noexcept { list_[count_++] = output; }
  [[nodiscard]] std::span<const Output> all() const noexcept { return {list_.data(), count_}; }

 private:
  std::size_t longest_;
  std::unique_ptr<std::uint8_t[]> octets_;
  std::vector<Output> list_;
  std::size_t count_ = 0, used_ = 0;
};

// The packets of each channel that have been sent and have not come back: their lengths, and of every n-th a hash.
class SentPackets {
 public:
  // `most` packets of a channel may be on their way.
  SentPackets(std::uint32_t channels, std::size_t most) : most_(most), channels_(channels), ring_(channels * most) {}

  // `hashed`: whether its octets are to be compared. When there are too many, the oldest is forgotten.
  void push(std::uint32_t channel, OctetView packet, bool hashed) noexcept;

  enum class Verdict : std::uint8_t { right, compared, mismatched, wrong_length };
  // The next packet of a channel has come back.
  [[nodiscard]] Verdict take(std::uint32_t channel, OctetView packet) noexcept;

 private:
  struct Sent {
    std::uint64_t hash = 0;
    std::uint32_t length = 0;
    bool hashed = false;
  };
  struct Channel {
    std::uint64_t head = 0, tail = 0;
  };
  [[nodiscard]] Sent& at(std::uint32_t channel, std::uint64_t place) noexcept {
    return ring_[channel * most_ + static_cast<std::size_t>(place % most_)];
  }

  std::size_t most_;
  std::vector<Channel> channels_;
  std::vector<Sent> ring_;
};

}  // namespace headroom::load

#endif  // HEADROOM_LOAD_PACKED_H
