// SPDX-License-Identifier: Apache-2.0
//
// The reasons for a decompression failure: the codes of RFC 4077 3.2, which a NACK carries, and the other fields of a
// NACK.
#pragma once

#include <array>
#include <string_view>

#include "sigcomp/octets.h"

namespace headroom::sigcomp {

// The values are those on the wire.
enum class Reason : std::uint8_t {
  kNone = 0,
  kStateNotFound = 1,
  kCyclesExhausted = 2,
  kUserRequested = 3,
  kSegfault = 4,
  kTooManyStateRequests = 5,
  kInvalidStateIdLength = 6,
  kInvalidStatePriority = 7,
  kOutputOverflow = 8,
  kStackUnderflow = 9,
  kBadInputBitorder = 10,
  kDivByZero = 11,
  kSwitchValueTooHigh = 12,
  kTooManyBitsRequested = 13,
  kInvalidOperand = 14,
  kHuffmanNoMatch = 15,
  kMessageTooShort = 16,
  kInvalidCodeLocation = 17,
  kBytecodesTooLarge = 18,
  kInvalidOpcode = 19,
  kInvalidStateProbe = 20,
  kIdNotUnique = 21,
  kMultiloadOverwritten = 22,
  kStateTooShort = 23,
  kInternalError = 24,
  kFramingError = 25,
};

// Returns the name in figure 2 of RFC 4077, such as "STATE_NOT_FOUND", or "UNKNOWN" for a value that has none.
[[nodiscard]] std::string_view name_of(Reason reason) noexcept;

inline constexpr std::size_t kMostDetails = 20;  // octets: "State ID (6 - 20 bytes)" is the longest of the details

// A decompression failure, with all fields of the NACK that reports it.
struct Failure {
  Reason reason = Reason::kNone;
  std::uint8_t opcode = 0;  // opcode of the failed instruction; 0 if no instruction had been executed
  std::uint16_t pc = 0;     // memory address of the failed instruction; 0 if no instruction had been executed
  std::uint8_t details_length = 0;
  std::array<std::uint8_t, kMostDetails> details_room{};

  [[nodiscard]] Octets details() const noexcept { return Octets(details_room).first(details_length); }
  // Sets the details. REQUIRES: at most kMostDetails octets.
  void set_details(Octets octets) noexcept;
};

}  // namespace headroom::sigcomp
