// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/message/reason.h"

#include <algorithm>
#include <cassert>

namespace headroom::sigcomp {
namespace {

constexpr std::array<std::string_view, 26> kNames = {
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

}  // namespace

std::string_view name_of(Reason reason) noexcept {
  const auto index = static_cast<std::size_t>(reason);
  return index < kNames.size() ? kNames[index] : "UNKNOWN";
}

void Failure::set_details(Octets octets) noexcept {
  assert(octets.size() <= kMostDetails);
  details_length = static_cast<std::uint8_t>(std::min(octets.size(), kMostDetails));
  std::copy_n(octets.begin(), details_length, details_room.begin());
}

}  // namespace headroom::sigcomp
