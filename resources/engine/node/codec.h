// SPDX-License-Identifier: Apache-2.0
//
// One instance of an adapter and the buffers of a burst. Nothing that the adapter says about lengths and statuses is
// believed before it has been looked at; one that breaks a promise of the ABI ends the node with a sentence.
#ifndef HEADROOM_NODE_CODEC_H
#define HEADROOM_NODE_CODEC_H

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "adapter/caller.h"
#include "base/octets.h"

namespace headroom::node {

inline constexpr std::size_t kMostWaitingFeedback = 1024;  // octets that may go in front of one packet

class Codec {
 public:
  // For bursts of up to `burst` packets of up to `longest` octets. Throws Error(adapter).
  Codec(const AdapterJob& job, headroom_role role, std::uint32_t burst, std::uint32_t longest);

  // A burst: packets are added, processed in one call, and looked at one by one. No octet is copied; what `add` is
  // given must stay where it is until `process` has returned.
  void clear() noexcept { count_ = 0; }
  // REQUIRES: fewer than `burst` packets so far; no more than `longest` octets.
  void add(OctetView packet, std::uint16_t type = HEADROOM_TYPE_DEFAULT) noexcept;
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t first_length() const noexcept { return packets_[0].in_length; }

  // Compresses or decompresses, and drains. Throws PromiseBroken when the adapter lets an exception out, or reports an
  // unknown status or a length that cannot be.
  void process(std::uint64_t now_ns);

  // The outcome of packet `i`: a status of the ABI.
  [[nodiscard]] std::int32_t status(std::uint32_t i) const noexcept { return packets_[i].status; }
  // The octets to pass on. REQUIRES: the status is OK.
  [[nodiscard]] OctetView output(std::uint32_t i) const noexcept { return {out(i), packets_[i].out_length}; }
  [[nodiscard]] std::uint16_t type(std::uint32_t i) const noexcept { return packets_[i].out_type; }
  // The outputs that `drain` returned after packet `i`, in order. REQUIRES: `i` is no less than in the call before,
  // since `process`.
  struct Output {
    std::uint32_t packet;
    std::uint32_t at, length;  // in octets_of()
    std::uint16_t type;
  };
  [[nodiscard]] std::span<const Output> more(std::uint32_t i) const noexcept;
  [[nodiscard]] OctetView octets_of(const Output& output) const noexcept {
    return {drained_octets_.data() + output.at, output.length};
  }

  // The time at which the caller must call `drain_due` though no packet has come; HEADROOM_NO_DEADLINE if there is
  // none.
  [[nodiscard]] std::uint64_t next_deadline() const {
    return caller_.has_next_deadline() ? caller_.next_deadline() : HEADROOM_NO_DEADLINE;
  }
  [[nodiscard]] bool has_deadlines() const noexcept { return caller_.has_next_deadline(); }
  // The outputs that are due, in order. Ends the burst. Throws as `process` does.
  [[nodiscard]] std::span<const Output> drain_due(std::uint64_t now_ns);

  // Reverse packets, one at a time; nothing when there is none (any more). Valid until the next call. Without effect
  // where the adapter has none. Throw as `process` does.
  using Reverse = Caller<Safe>::Reverse;
  [[nodiscard]] std::optional<Reverse> take_reverse(std::uint64_t now_ns);
  // True when it was taken.
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
  std::vector<Output> drained_;  // which grow to what a burst needs at most, and no further
  std::vector<std::uint8_t> drained_octets_;
  std::array<std::uint8_t, HEADROOM_REVERSE_MAX> reverse_{};
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_CODEC_H
