// SPDX-License-Identifier: Apache-2.0
//
// The SigComp message: RFC 3320 chapter 7, figures 3 and 4.
#pragma once

#include "sigcomp/message/reason.h"
#include "sigcomp/octets.h"

namespace headroom::sigcomp {

inline constexpr std::uint8_t kPrefix = 0xf8;  // 11111; no UTF-8 text begins with these bits (3.1)
inline constexpr std::uint8_t kTBit = 0x04;    // a returned feedback item follows
inline constexpr std::uint8_t kLengthBits = 0x03;
inline constexpr std::size_t kMostCode = 4095;  // octets; code_len has 12 bits

// True if a message or a stream that begins with this octet is SigComp (RFC 5049 chapter 5).
[[nodiscard]] constexpr bool is_sigcomp(std::uint8_t first) noexcept { return (first & kPrefix) == kPrefix; }

struct Header {
  Octets returned_feedback;       // the feedback item including its length octet; empty if there is none
  Octets partial_identifier;      // 6, 9 or 12 octets; empty in a message that uploads bytecode
  Octets code;                    // uploaded bytecode
  std::uint16_t destination = 0;  // address for the uploaded bytecode; 0 in a message that accesses state
  std::size_t length = 0;         // octets of the header, bytecode included (8.6)
  Octets rest;                    // "remaining SigComp message"
};

// Reads the header of `message` into `header`. Returns kNone, or kMessageTooShort or kInvalidCodeLocation; then
// `header` has the fields in front of the error. REQUIRES: `message` is not empty and is_sigcomp(message[0]).
[[nodiscard]] Reason read_header(Octets message, Header& header) noexcept;

}  // namespace headroom::sigcomp
