// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/message/feedback.h"

namespace headroom::sigcomp {
namespace {

constexpr std::uint8_t kQBit = 4;
constexpr std::uint8_t kSBit = 2;
constexpr std::uint8_t kIBit = 1;
// "terminated by a byte in the position where the next length field would be expected that is set to a value below 6 or
// above 20"
constexpr std::uint8_t kLeastAnnounced = 6;
constexpr std::uint8_t kMostAnnounced = 20;

}  // namespace

std::optional<std::size_t> length_of_feedback_item(Octets octets) noexcept {
  if (octets.empty()) return {};
  const std::size_t length = octets[0] < 0x80 ? 1 : 1U + (octets[0] & 0x7fU);
  return length <= octets.size() ? std::optional(length) : std::nullopt;
}

std::optional<RequestedFeedback> read_requested_feedback(Octets octets) noexcept {
  if (octets.empty()) return {};
  RequestedFeedback feedback{true, (octets[0] & kSBit) != 0, (octets[0] & kIBit) != 0, {}};
  if ((octets[0] & kQBit) != 0) {
    const auto length = length_of_feedback_item(octets.subspan(1));
    if (!length) return {};
    feedback.item = octets.subspan(1, *length);
  }
  return feedback;
}

std::optional<std::size_t> length_of_returned_parameters(Octets octets) noexcept {
  for (std::size_t at = 2; at < octets.size(); at += 1U + octets[at]) {
    if (octets[at] < kLeastAnnounced || octets[at] > kMostAnnounced) return at;
  }
  return {};
}

}  // namespace headroom::sigcomp
