// SPDX-License-Identifier: Apache-2.0
//
// The parts of feedback that all profiles share: elements and the CID in their data (RFC 3095 5.2.2, RFC 5795 5.2.4),
// acknowledgement types and options. Each profile defines the rest of FEEDBACK-1 and FEEDBACK-2.
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

// The longest feedback data in octets: the Size field has one octet.
inline constexpr std::size_t kMaxFeedbackData = 255;

// Feedback data and the CID of its context. CRCs cover `all`.
struct FeedbackData {
  std::uint32_t cid = 0;
  Octets all;
  Octets feedback;  // FEEDBACK-1, which is one octet, or FEEDBACK-2
};

// Reads a feedback element from `in`, which starts with a feedback type octet, and returns its feedback data (CID
// included). Returns nothing if the element is truncated.
[[nodiscard]] std::optional<Octets> read_feedback_element(Reader& in) noexcept;

// Reads the CID of feedback data by the rules 1) to 4) of RFC 3095 5.2.2. Returns nothing if the CID is malformed or no
// feedback follows.
[[nodiscard]] std::optional<FeedbackData> read_feedback_cid(Octets data, bool large_cids) noexcept;

// Writes the CID that stands in front of the feedback.
void write_feedback_cid(Writer& out, bool large_cids, std::uint32_t cid) noexcept;

void write_feedback_option(Writer& out, FeedbackOption option,
                           std::optional<std::uint8_t> value = std::nullopt) noexcept;

// Writes the feedback element that carries `data`. REQUIRES: `data` has at most kMaxFeedbackData octets.
void write_feedback_element(Writer& out, Octets data) noexcept;

}  // namespace headroom::rohc::wire
