// SPDX-License-Identifier: Apache-2.0
//
// The reason codes of RFC 4077 (3.2, figure 2) by name: `reason` of headroom_message_detail.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headroom {

inline constexpr std::array<std::string_view, 26> kNackReasons = {
    "NONE",
    "STATE_NOT_FOUND",
    "CYCLES_EXHAUSTED",
    "USER_REQUESTED",
    "SEGFAULT",
    "TOO_MANY_STATE_REQUESTS",
    "INVALID_STATE_ID_LENGTH",
    "INVALID_STATE_PRIORITY",
    "OUTPUT_OVERFLOW",
    "STACK_UNDERFLOW",
    "BAD_INPUT_BITORDER",
    "DIV_BY_ZERO",
    "SWITCH_VALUE_TOO_HIGH",
    "TOO_MANY_BITS_REQUESTED",
    "INVALID_OPERAND",
    "HUFFMAN_NO_MATCH",
    "MESSAGE_TOO_SHORT",
    "INVALID_CODE_LOCATION",
    "BYTECODES_TOO_LARGE",
    "INVALID_OPCODE",
    "INVALID_STATE_PROBE",
    "ID_NOT_UNIQUE",
    "MULTILOAD_OVERWRITTEN",
    "STATE_TOO_SHORT",
    "INTERNAL_ERROR",
    "FRAMING_ERROR",
};

// "UNKNOWN" for a code that has no name.
[[nodiscard]] constexpr std::string_view name_of_reason(std::uint8_t code) noexcept {
  return code < kNackReasons.size() ? kNackReasons[code] : "UNKNOWN";
}

[[nodiscard]] constexpr std::optional<std::uint8_t> reason_named(std::string_view name) noexcept {
  const auto at = std::find(kNackReasons.begin(), kNackReasons.end(), name);
  if (at == kNackReasons.end()) return std::nullopt;
  return static_cast<std::uint8_t>(at - kNackReasons.begin());
}

}  // namespace headroom
