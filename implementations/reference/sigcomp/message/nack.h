// SPDX-License-Identifier: Apache-2.0
//
// Negative acknowledgements: RFC 4077 chapter 3.
#pragma once

#include <optional>

#include "sigcomp/message/header.h"
#include "sigcomp/message/reason.h"
#include "sigcomp/sha1.h"

namespace headroom::sigcomp {

inline constexpr std::uint16_t kNackDestination = 128;  // address of a "destination" field of 1: NACK version 1
inline constexpr std::size_t kNackFixed = 1 + 1 + 2 + kSha1Octets;
inline constexpr std::size_t kMostNack = 3 + kNackFixed + kMostDetails;  // longest NACK without returned feedback

struct Nack {
  Reason reason = Reason::kNone;  // may have any value, as the sender may be hostile
  std::uint8_t opcode = 0;
  std::uint16_t pc = 0;
  Sha1Digest message{};  // SHA-1 of the message that could not be decompressed; zeros for FRAMING_ERROR
  Octets details;        // the details field as received, of any length
};

// True if a message with this header is a NACK of version 1, well-formed or not: it uploads no bytecode, to address
// 128. The UDVM could only fail to decompress such a message.
[[nodiscard]] constexpr bool is_nack(const Header& header) noexcept {
  return header.partial_identifier.empty() && header.code.empty() && header.destination == kNackDestination;
}

// Returns the NACK, or nothing if the message is too short for a NACK's fixed fields. REQUIRES: is_nack(header).
[[nodiscard]] std::optional<Nack> read_nack(const Header& header) noexcept;

// Writes the NACK message that reports `failure` to the sender of the message with this SHA-1 (zeros for
// FRAMING_ERROR). Returns the message's octets, which lie in `room`. REQUIRES: `room` has kMostNack octets.
[[nodiscard]] Octets write_nack(const Failure& failure, const Sha1Digest& message,
                                std::span<std::uint8_t> room) noexcept;

}  // namespace headroom::sigcomp
