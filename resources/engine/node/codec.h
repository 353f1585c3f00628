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

#include "adapter/instance.h"
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
  void add(OctetView packet) noexcept;
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint32_t first_length() const noexcept { return packets_[0].in_length; }

  // Throws Error(adapter) when the adapter breaks a promise: lets an exception out, reports an unknown status or a
  // length that cannot be.
  void process(std::uint64_t now_ns);

  // What became of packet `i`; a status of the ABI.
  [[nodiscard]] std::int32_t status(std::uint32_t i) const noexcept { return packets_[i].status; }
  // The octets to pass on. REQUIRES: the status is OK or SEGMENTS.
  [[nodiscard]] OctetView output(std::uint32_t i) const noexcept { return {out(i), packets_[i].out_length}; }

  // Feedback, a message at a time. `take…` return an empty view when there is none (any more), else one that is valid
  // until the next call. Without effect where the adapter has no such function. Throw as `process` does.
  [[nodiscard]] OctetView take_feedback();
  [[nodiscard]] OctetView take_received_feedback();
  void give_feedback(OctetView feedback, std::uint64_t now_ns);
  [[nodiscard]] bool piggyback(OctetView feedback);

  [[nodiscard]] const Instance& instance() const noexcept { return instance_; }

 private:
  [[nodiscard]] std::uint8_t* out(std::uint32_t i) const noexcept { return arena_.get() + i * stride_; }
  void check(std::uint32_t i) const;
  [[nodiscard]] OctetView take(std::int32_t (*function)(headroom_instance*, headroom_feedback*), const char* name);
  [[nodiscard]] headroom_feedback copy_of(OctetView feedback) noexcept;
  [[noreturn]] static void broken(const char* function, const std::string& sentence);

  Instance instance_;
  const char* function_;
  std::uint32_t capacity_;
  std::size_t stride_;
  std::unique_ptr<std::uint8_t[]> arena_;
  std::vector<headroom_packet> packets_;
  std::uint32_t count_ = 0;
  std::array<std::uint8_t, HEADROOM_FEEDBACK_MAX> feedback_{};
};

// Goes through the link packets that stand in `octets` as HEADROOM_SEGMENTS has it: takes the next one off their front.
// An empty view when what is left is none.
[[nodiscard]] OctetView next_segment(OctetView& octets) noexcept;

}  // namespace headroom::node

#endif  // HEADROOM_NODE_CODEC_H
