// SPDX-License-Identifier: Apache-2.0
//
// Feedback of profile 0x0006 (RFC 6846, 8.3): the feedback data after the CID.
#pragma once

#include <cstdint>
#include <optional>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc::tcp {

enum class AckType : std::uint8_t { kAck = 0, kNack = 1, kStaticNack = 2 };

struct Feedback {
  AckType ack = AckType::kAck;
  bool has_crc = false;        // FEEDBACK-2
  std::uint16_t msn = 0;       // the `msn_bits` LSBs of the MSN
  std::uint8_t msn_bits = 14;  // 8 (FEEDBACK-1), 14 or 16 (MSN option)
  bool msn_valid = true;
  bool reject = false;
  bool context_memory = false;

  // "A NACK or a STATIC-NACK feedback type sent with the MSN-NOT-VALID option is equivalent to a STATIC-NACK"
  // (8.3.2.2).
  [[nodiscard]] AckType meaning() const noexcept {
    return ack != AckType::kAck && !msn_valid ? AckType::kStaticNack : ack;
  }
};

// The longest feedback of write_feedback() in octets: FEEDBACK-2 with all options.
inline constexpr std::size_t kMostFeedback = 3 + 2 + 3 + 2;

// Reads feedback. `element`: the whole feedback data from the CID on, which the CRC covers; its first `cid_octets`
// octets are the CID. Returns nothing if the feedback must be discarded: malformed, Acktype 3, a wrong CRC, an option
// twice, MSN and MSN-NOT-VALID together.
[[nodiscard]] std::optional<Feedback> read_feedback(Octets element, std::size_t cid_octets) noexcept;

// Writes feedback data that begins with the octets `cid` of the CID. Writes FEEDBACK-1 if msn_bits is 8, which must
// then be an ACK without options.
void write_feedback(wire::Writer& out, Octets cid, const Feedback& feedback, std::uint16_t msn) noexcept;

}  // namespace headroom::rohc::tcp
