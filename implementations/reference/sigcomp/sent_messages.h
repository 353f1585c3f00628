// SPDX-License-Identifier: Apache-2.0
//
// SentMessages finds the compartment that a message was made for by the message's SHA-1, which is all that a NACK says
// about the message (RFC 4077 3.1). The table has a fixed size: a new message may overwrite an older one, and NACKs
// about the older message are then unknown.
//
// Each opening of a compartment has a number of its own, which is stored with its messages. So closing a compartment
// needs no search, and a NACK is never attributed to a later compartment that reuses the id.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "sigcomp/sha1.h"

namespace headroom::sigcomp {

class SentMessages {
 public:
  // Makes room for about four messages of each of `compartments` compartments, and for at least 64 messages.
  explicit SentMessages(std::size_t compartments)
      : entries_(std::bit_ceil(std::clamp<std::size_t>(4 * compartments, kLeast, kMost))) {}

  struct Sender {
    std::uint32_t compartment = 0;
    std::uint32_t opening = 0;  // from 1 on
  };

  void add(const Sha1Digest& message, Sender sender) noexcept { place_of(message) = {message, sender}; }

  // Returns the sender of a message, or nothing if the message was never sent or has been overwritten.
  [[nodiscard]] std::optional<Sender> sender_of(const Sha1Digest& message) const noexcept {
    const Entry& entry = const_cast<SentMessages*>(this)->place_of(message);
    if (entry.sender.opening == 0 || entry.message != message) return std::nullopt;
    return entry.sender;
  }

  [[nodiscard]] std::size_t memory_bytes() const noexcept { return entries_.size() * sizeof(Entry); }

 private:
  static constexpr std::size_t kLeast = 64;
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  struct Entry {
    Sha1Digest message{};
    Sender sender;
  };

  [[nodiscard]] Entry& place_of(const Sha1Digest& message) noexcept {
    std::size_t index = 0;
    for (int i = 0; i < 4; ++i) index = index << 8 | message[static_cast<std::size_t>(i)];
    return entries_[index & (entries_.size() - 1)];
  }

  std::vector<Entry> entries_;
};

}  // namespace headroom::sigcomp
