// SPDX-License-Identifier: Apache-2.0
//
// Codec is an adapter's instance with the buffers of a burst. Lengths and statuses from the adapter are checked before
// use; an adapter that breaks a promise of the ABI ends the node with a sentence.
#ifndef HEADROOM_NODE_CODEC_H
#define HEADROOM_NODE_CODEC_H

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "adapter/caller.h"
#include "base/octets.h"

namespace headroom::node {

inline constexpr std::size_t kMostWaitingFeedback = 1024;  // largest number of octets of feedback in front of a packet

class Codec {
 public:
  // Makes a codec for bursts of up to `burst` packets of up to `longest` octets. Throws Error(adapter).
  Codec(const AdapterJob& job, headroom_role role, std::uint32_t burst, std::uint32_t longest);

  // A burst: packets are added, processed in one call, and read one by one. No octet is copied: the packets passed to
  // `add` must stay in place until `process` has returned.
  void clear() noexcept { count_ = 0; }
  // Adds a packet. REQUIRES: fewer than `burst` packets so far, and no more than `longest` octets.
  void add(OctetView packet, std::uint16_t type = HEADROOM_TYPE_DEFAULT) noexcept;
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t first_length() const noexcept { return packets_[0].in_length; }

  // Compresses or decompresses, and drains. Throws PromiseBroken if the adapter lets an exception out, or reports an
  // unknown status or an impossible length.
  void process(std::uint64_t now_ns);

  // Returns the status of packet `i`, as in the ABI.
  [[nodiscard]] std::int32_t status(std::uint32_t i) const noexcept { return packets_[i].status; }
  // Returns the octets to pass on. REQUIRES: the status is OK.
  [[nodiscard]] OctetView output(std::uint32_t i) const noexcept { return {out(i), packets_[i].out_length}; }
  [[nodiscard]] std::uint16_t type(std::uint32_t i) const noexcept { return packets_[i].out_type; }
  // Returns the outputs of `drain` after packet `i`, in order. REQUIRES: `i` does not decrease between calls after one
  // `process`.
  struct Output {
    std::uint32_t packet;
    std::uint32_t at, length;  // in octets_of()
    std::uint16_t type;
  };
  [[nodiscard]] std::span<const Output> more(std::uint32_t i) const noexcept;
  [[nodiscard]] OctetView octets_of(const Output& output) const noexcept {
    return {drained_octets_.data() + output.at, output.length};
  }

  // Returns the time at which the caller must call `drain_due` even if no packet has arrived, or HEADROOM_NO_DEADLINE.
  [[nodiscard]] std::uint64_t next_deadline() const {
    return caller_.has_next_deadline() ? caller_.next_deadline() : HEADROOM_NO_DEADLINE;
  }
  [[nodiscard]] bool has_deadlines() const noexcept { return caller_.has_next_deadline(); }
  // Returns the outputs that are due, in order. Ends the burst. Throws as `process` does.
  [[nodiscard]] std::span<const Output> drain_due(std::uint64_t now_ns);

  // Returns the next reverse packet, valid until the next call, or nothing if there is none or the adapter has no such
  // function. Throws as `process` does.
  using Reverse = Caller<Safe>::Reverse;
  [[nodiscard]] std::optional<Reverse> take_reverse(std::uint64_t now_ns);
  // Passes feedback to the adapter. Returns true if the adapter has taken it.
  bool give_reverse(OctetView octets, std::uint16_t type, std::uint64_t now_ns) {
    return caller_.give_reverse({octets, 0, type}, now_ns);
  }

  [[nodiscard]] const Instance& instance() const noexcept { return instance_; }

 private:
  [[nodiscard]] std::uint8_t* out(std::uint32_t i) const noexcept { return arena_.get() + i * stride_; }
  void check(const headroom_packet& packet, const char* function) const;
  void drain(std::uint32_t packet, std::uint64_t now_ns);
  [[nodiscard]] bool compresses() const noexcept { return instance_.role() == HEADROOM_COMPRESSOR; }

  Instance instance_;
  Caller<Safe> caller_;
  std::uint32_t capacity_;
  std::size_t stride_;
  std::unique_ptr<std::uint8_t[]> arena_;
  std::vector<headroom_packet> packets_;
  std::uint32_t count_ = 0;
  std::vector<Output> drained_;  // grow to the largest need of a burst, and no further
  std::vector<std::uint8_t> drained_octets_;
  std::array<std::uint8_t, HEADROOM_REVERSE_MAX> reverse_{};
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_CODEC_H
