// SPDX-License-Identifier: Apache-2.0
//
// Negative acknowledgements: RFC 4077 chapter 3.
#pragma once

#include <optional>

#include "sigcomp/message/header.h"
#include "sigcomp/message/reason.h"
#include "sigcomp/sha1.h"

namespace headroom::sigcomp {

inline constexpr std::uint16_t kNackDestination = 128;  // where the field "destination" is 1: version 1 of NACKs
inline constexpr std::size_t kNackFixed = 1 + 1 + 2 + kSha1Octets;
inline constexpr std::size_t kMostNack = 3 + kNackFixed + kMostDetails;  // octets of one without returned feedback

struct Nack {
  Reason reason = Reason::kNone;  // any value at all, from a hostile sender
  std::uint8_t opcode = 0;
  std::uint16_t pc = 0;
  Sha1Digest message{};  // of the message that could not be decompressed; zeros for FRAMING_ERROR
  Octets details;        // as they came, of whatever length
};

// Whether a message with this header is a NACK of version 1, a well-formed one or not: one that uploads no bytecode, to
// address 128. As a message for the UDVM it could only be a decompression failure, on purpose.
[[nodiscard]] constexpr bool is_nack(const Header& header) noexcept {
  return header.partial_identifier.empty() && header.code.empty() && header.destination == kNackDestination;
}

// Nothing when it is too short for its fixed fields. REQUIRES: is_nack(header).
[[nodiscard]] std::optional<Nack> read_nack(const Header& header) noexcept;

// The whole message that tells the sender of `message` (its SHA-1; zeros for FRAMING_ERROR) what failed. Returns its
// octets, which lie in `room`. REQUIRES: kMostNack octets of room.
[[nodiscard]] Octets write_nack(const Failure& failure, const Sha1Digest& message,
                                std::span<std::uint8_t> room) noexcept;

}  // namespace headroom::sigcomp
