// SPDX-License-Identifier: Apache-2.0
//
// Additional parts of `load` for link packets that carry several packets, or parts of them: room for all outputs of a
// burst, and the packets of each channel that were sent and have not come back, in order. Nothing here allocates after
// construction.
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

// OutputList holds the outputs of a burst, in order, some in buffers of their own and some in its own memory.
class OutputList {
 public:
  // Makes a list for up to `most` outputs, of up to `longest` octets each in its own memory.
  OutputList(std::size_t most, std::size_t longest)
      : longest_(longest), octets_(new std::uint8_t[most * longest]), list_(most) {}

  struct Output {
    OctetView octets;
    std::uint32_t channel = 0;
    std::uint16_t type = 0;
  };

  void clear() noexcept { count_ = used_ = 0; }
  [[nodiscard]] bool full() const noexcept { return count_ == list_.size(); }
  // Returns room for the next output. REQUIRES: not full.
  [[nodiscard]] std::uint8_t* room() noexcept { return &octets_[used_]; }
  [[nodiscard]] std::uint32_t longest() const noexcept { return static_cast<std::uint32_t>(longest_); }
  // Adds an output that was written into `room()`. REQUIRES: not full, no more than `longest()` octets.
  void keep(std::size_t length, std::uint32_t channel, std::uint16_t type) noexcept {
    add({{room(), length}, channel, type});
    used_ += length;
  }
  // Adds an output that stays in its buffer. REQUIRES: not full.
  void add(const Output& output) noexcept { list_[count_++] = output; }
  [[nodiscard]] std::span<const Output> all() const noexcept { return {list_.data(), count_}; }

 private:
  std::size_t longest_;
  std::unique_ptr<std::uint8_t[]> octets_;
  std::vector<Output> list_;
  std::size_t count_ = 0, used_ = 0;
};

// SentPackets holds the packets of each channel that were sent and have not come back: their lengths, and a hash of
// every n-th.
class SentPackets {
 public:
  // `most` is the number of packets of a channel that may be on their way.
  SentPackets(std::uint32_t channels, std::size_t most) : most_(most), channels_(channels), ring_(channels * most) {}

  // Adds a sent packet. `hashed`: its octets are to be compared. If there are too many packets, the oldest is removed:
  // then it returns true.
  bool push(std::uint32_t channel, OctetView packet, bool hashed) noexcept;

  enum class Verdict : std::uint8_t { right, compared, mismatched, wrong_length };
  // Compares a packet that has come back with the next sent packet of the channel, and removes the latter.
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
