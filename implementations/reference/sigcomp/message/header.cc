// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/message/header.h"

#include "mutants.h"
#include "sigcomp/message/feedback.h"

namespace headroom::sigcomp {
namespace {

// Figure 3, len: 01, 10 and 11 are 6, 9 and 12 octets.
constexpr std::size_t identifier_length(unsigned len) { return 3U * (len + 1U); }

}  // namespace

Reason read_header(Octets message, Header& header) noexcept {
  header = {};
  const std::uint8_t first = message[0];
  Octets rest = message.subspan(1);
  if ((first & kTBit) != 0) {
    const auto length = length_of_feedback_item(rest);
    if (!length) return Reason::kMessageTooShort;
    header.returned_feedback = rest.first(*length);
    rest = rest.subspan(*length);
  }
  if (const unsigned len = first & kLengthBits; len != 0) {
    if (rest.size() < identifier_length(len)) return Reason::kMessageTooShort;
    header.partial_identifier = rest.first(identifier_length(len));
    rest = rest.subspan(identifier_length(len));
  } else {
    if (rest.size() < 2) return Reason::kMessageTooShort;
    const std::size_t code_length = static_cast<std::size_t>(rest[0] << 4 | rest[1] >> 4);
    const unsigned destination = rest[1] & 0x0fU;
    // "the encoding 0000 is reserved for future SigComp versions, and causes a decompression failure in Version 0x01"
    if (destination == 0 && !mutant("sigcomp-destination-zero")) return Reason::kInvalidCodeLocation;
    header.destination = static_cast<std::uint16_t>(64 * (destination + 1));
    rest = rest.subspan(2);
    if (rest.size() < code_length) return Reason::kMessageTooShort;
    header.code = rest.first(code_length);
    rest = rest.subspan(code_length);
  }
  header.length = message.size() - rest.size();
  header.rest = rest;
  return Reason::kNone;
}

}  // namespace headroom::sigcomp
