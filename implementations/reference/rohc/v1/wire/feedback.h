// SPDX-License-Identifier: Apache-2.0
//
// FEEDBACK-1 and FEEDBACK-2 with their options (RFC 3095 5.7.6, RFC 3843 3.7, RFC 4815 2.3, 8.5 and 8.6).
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/framework/wire/feedback_element.h"
#include "rohc/framework/wire/octets.h"
#include "rohc/v1/wire/packet_type.h"

namespace headroom::rohc::wire {

struct Feedback {
  std::uint32_t cid = 0;
  bool one = false;  // FEEDBACK-1: an ACK with 8 bits of SN (or 0 in the Uncompressed profile), no mode, no options
  AckType ack = AckType::kAck;
  Mode mode = Mode::kCancel;
  std::uint32_t sn = 0;       // the SN bits, most significant first
  std::uint8_t sn_width = 0;  // 8, 12, 20, 28 or 32
  bool sn_valid = true;
  bool crc = false;  // the feedback has a CRC option with the right CRC
  bool reject = false;
  bool context_memory = false;
  std::optional<std::uint8_t> clock_ms;  // resolution; 0: no timer-based compression
  std::optional<std::uint8_t> max_jitter;
  std::optional<std::uint8_t> longest_loss;
};

// Reads feedback data, CID included. Returns nothing for feedback that "MUST be ignored" (5.7.6.3): malformed feedback,
// a reserved Acktype or a wrong CRC option.
[[nodiscard]] std::optional<Feedback> read_feedback(Octets data, bool large_cids) noexcept;
// Reads feedback data whose CID has already been read.
[[nodiscard]] std::optional<Feedback> read_feedback(const FeedbackData& data) noexcept;

// Appends a whole feedback element, with a CRC option if `feedback.crc` is set, as FEEDBACK-1 if `feedback.one` is set.
void write_feedback_element(Writer& out, bool large_cids, const Feedback& feedback) noexcept;

// The longest element of write_feedback_element() in octets: type, Size, CID 2, FEEDBACK-2 2, options SN 2 + 2, other
// options 2 each.
inline constexpr std::size_t kMaxFeedbackElement = 32;

}  // namespace headroom::rohc::wire
