// SPDX-License-Identifier: Apache-2.0
//
// Reads the fields of a SigComp message without decompressing it (RFC 3320 figure 3, RFC 4077 figure 2), for adapters
// of libraries that do not report these fields.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

#include "headroom_messages.h"

namespace headroom {

using MessageOctets = std::span<const std::uint8_t>;

// True if a message begins with the five bits with which no UTF-8 text begins (RFC 3320 3.1; RFC 5049 5).
[[nodiscard]] inline bool is_sigcomp(MessageOctets message) noexcept { return !message.empty() && message[0] >= 0xf8; }

// Returns the detail of a message: kind, lengths of header and bytecode, reference to state and returned feedback; for
// a NACK, all its fields. The kind is PLAIN, NACK, IGNORED or COMPRESSED. If the message ends too early, the fields
// before its end are set.
[[nodiscard]] inline headroom_message_detail read_message(MessageOctets message) noexcept {
  headroom_message_detail d{};
  d.struct_size = sizeof d;
  d.compartment = HEADROOM_NO_SESSION;
  d.kind = is_sigcomp(message) ? HEADROOM_MESSAGE_COMPRESSED : HEADROOM_MESSAGE_PLAIN;
  if (d.kind == HEADROOM_MESSAGE_PLAIN) return d;
  std::size_t at = 1;
  const auto left = [&] { return message.size() - at; };
  if ((message[0] & 4) != 0) {  // T-bit
    if (left() == 0) return d;
    const std::size_t item = message[at] < 128 ? 1U : 1U + (message[at] & 127U);
    if (left() < item) return d;
    d.returned_length = static_cast<std::uint8_t>(item);
    std::memcpy(d.returned_feedback, &message[at], item);
    at += item;
  }
  if (const unsigned len = message[0] & 3U; len != 0) {
    const std::size_t identifier = 3U * (len + 1U);
    if (left() < identifier) return d;
    d.referred_length = static_cast<std::uint8_t>(identifier);
    std::memcpy(d.referred, &message[at], identifier);
    at += identifier;
  } else {
    if (left() < 2) return d;
    const auto code = static_cast<std::uint16_t>(message[at] << 4 | message[at + 1] >> 4);
    const unsigned destination = message[at + 1] & 15U;
    at += 2;
    if (code == 0 && destination == 1) {  // "code_len = 0", "version = 1"
      d.kind = left() < 24 ? HEADROOM_MESSAGE_IGNORED : HEADROOM_MESSAGE_NACK;
      if (d.kind == HEADROOM_MESSAGE_IGNORED) return d;
      d.reason = message[at];
      d.opcode = message[at + 1];
      d.pc = static_cast<std::uint16_t>(message[at + 2] << 8 | message[at + 3]);
      std::memcpy(d.named, &message[at + 4], sizeof d.named);
      d.details_length = static_cast<std::uint8_t>(std::min(left() - 24, sizeof d.details));
      std::copy_n(message.begin() + static_cast<std::ptrdiff_t>(at) + 24, d.details_length, d.details);
    } else if (left() >= code) {
      d.code_length = code;
      at += code;
    }
  }
  d.header_length = static_cast<std::uint32_t>(at);
  return d;
}

// Sets the failure of the message with the detail `d` from the NACK that the endpoint itself made. REQUIRES: `nack` is
// a NACK.
inline void put_failure(MessageOctets nack, headroom_message_detail& d) noexcept {
  const headroom_message_detail said = read_message(nack);
  d.kind = HEADROOM_MESSAGE_FAILED;
  d.reason = said.reason;
  d.opcode = said.opcode;
  d.pc = said.pc;
  d.details_length = said.details_length;
  std::memcpy(d.details, said.details, sizeof d.details);
}

// Makes some octets the output of a packet. Copies them unless they are in the packet's buffer already.
[[nodiscard]] inline std::int32_t give(headroom_packet& p, const std::uint8_t* octets, std::size_t length) noexcept {
  if (length > p.out_capacity) return HEADROOM_ERR_NO_SPACE;
  if (octets != p.out && length != 0) std::memcpy(p.out, octets, length);
  p.out_length = static_cast<std::uint32_t>(length);
  return HEADROOM_OK;
}

}  // namespace headroom
