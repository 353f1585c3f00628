// SPDX-License-Identifier: Apache-2.0
//
// WaitingFeedback holds feedback of a decompressor that has not been sent yet. Messages stay whole; the numbers of
// octets and messages are bounded.
#ifndef HEADROOM_NODE_FEEDBACK_H
#define HEADROOM_NODE_FEEDBACK_H

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/octets.h"
#include "node/codec.h"

namespace headroom::node {

class WaitingFeedback {
 public:
  [[nodiscard]] bool empty() const noexcept { return messages_ == 0; }
  [[nodiscard]] std::uint32_t octets() const noexcept { return octets_; }
  [[nodiscard]] std::uint32_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::uint64_t since_ns() const noexcept { return since_ns_; }  // arrival of the oldest message
  [[nodiscard]] OctetView all() const noexcept { return {store_.data(), octets_}; }

  [[nodiscard]] bool fits(OctetView message) const noexcept {
    return messages_ < lengths_.size() && message.size() <= store_.size() - octets_;
  }

  // Adds a message. REQUIRES: fits(message).
  void put(OctetView message, std::uint64_t now_ns) noexcept {
    if (empty()) since_ns_ = now_ns;
    std::copy(message.begin(), message.end(), store_.begin() + octets_);
    lengths_[messages_++] = static_cast<std::uint16_t>(message.size());
    octets_ += static_cast<std::uint32_t>(message.size());
  }

  void clear() noexcept { messages_ = octets_ = 0; }

  // Offers the messages one by one, oldest first, until one is not taken, and removes the taken ones. Returns their
  // number.
  template <typename Take>
  std::uint32_t offer(Take&& take) {
    std::uint32_t taken = 0, at = 0;
    while (taken < messages_ && take(OctetView(&store_[at], lengths_[taken]))) at += lengths_[taken++];
    std::copy(store_.begin() + at, store_.begin() + octets_, store_.begin());
    std::copy(lengths_.begin() + taken, lengths_.begin() + messages_, lengths_.begin());
    octets_ -= at;
    messages_ -= taken;
    return taken;
  }

 private:
  std::array<std::uint8_t, kMostWaitingFeedback> store_{};
  std::array<std::uint16_t, 64> lengths_{};
  std::uint32_t messages_ = 0, octets_ = 0;
  std::uint64_t since_ns_ = 0;
};

}  // namespace headroom::node

#endif  // HEADROOM_NODE_FEEDBACK_H
