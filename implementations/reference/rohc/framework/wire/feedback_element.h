// SPDX-License-Identifier: Apache-2.0
//
// Feedback as far as it is the same for every profile: elements and the CID in their data (RFC 3095 5.2.2, RFC 5795
// 5.2.4), kinds of acknowledgement and options. What FEEDBACK-1 and FEEDBACK-2 say beyond that is the profile's.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc::wire {

enum class AckType : std::uint8_t { kAck = 0, kNack = 1, kStaticNack = 2 };

enum class FeedbackOption : std::uint8_t {
  kCrc = 1,
  kReject = 2,
  kSnNotValid = 3,
  kSn = 4,
  kClock = 5,
  kJitter = 6,
  kLoss = 7,
  kContextMemory = 9,
};

// Longest feedback data: Size is one octet.
inline constexpr std::size_t kMaxFeedbackData = 255;

// Feedback data and whom it is for. CRCs cover `all`.
struct FeedbackData {
  std::uint32_t cid = 0;
  Octets all;
  Octets feedback;  // FEEDBACK-1, which is one octet, or FEEDBACK-2
};

// Takes the first feedback element off `in`, whose first octet is a feedback type octet, and returns its feedback data
// (with CID). Empty when truncated.
[[nodiscard]] std::optional<Octets> read_feedback_element(Reader& in) noexcept;

// Reads the CID of feedback data by the rules 1) to 4) of RFC 3095 5.2.2. Empty when it is malformed, or nothing
// follows.
[[nodiscard]] std::optional<FeedbackData> read_feedback_cid(Octets data, bool large_cids) noexcept;

// The CID in front of the feedback.
void write_feedback_cid(Writer& out, bool large_cids, std::uint32_t cid) noexcept;

void write_feedback_option(Writer& out, FeedbackOption option,
                           std::optional<std::uint8_t> value = std::nullopt) noexcept;

// The element that carries `data`. REQUIRES: at most kMaxFeedbackData octets.
void write_feedback_element(Writer& out, Octets data) noexcept;

}  // namespace headroom::rohc::wire
