// SPDX-License-Identifier: Apache-2.0
//
// GTP-U messages (TS 29.281, clauses 5, 7 and 8) and the PDU session container (TS 38.415, 5.5.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gtpu/wire/address.h"

namespace headroom::gtpu {

inline constexpr std::uint16_t kGtpuPort = 2152;
inline constexpr std::size_t kGtpuHeader = 8;

// Message types (6.1).
inline constexpr std::uint8_t kEchoRequest = 1, kEchoResponse = 2, kErrorIndication = 26, kExtensionHeaders = 31,
                              kEndMarker = 254, kGPdu = 255;
// Extension header types (5.2.1).
inline constexpr std::uint8_t kNoExtension = 0, kUdpPort = 0x40, kPduSessionContainer = 0x85;
// The two upper bits of a type (5.2.1).
inline constexpr std::uint8_t kRequiredOfEndpoint = 0x80;  // also set if every recipient must understand the type
// Flags of the first octet (5.1).
inline constexpr std::uint8_t kVersionMask = 0xE0, kVersion1 = 0x20, kProtocolType = 0x10, kExtensionFlag = 4,
                              kSequenceFlag = 2, kNpduFlag = 1;

inline constexpr std::uint8_t kNoQfi = 0xFF;

struct Message {
  enum class Fault : std::uint8_t {
    none,
    too_short,       // too short for a header, or Length goes beyond the end
    version,         // the version is not 1, or PT is 0 (GTP')
    extension,       // an extension header of length 0 or beyond the end
    not_understood,  // an unknown extension header that an endpoint must understand
  };
  Fault fault = Fault::too_short;
  std::uint8_t type = 0;
  std::uint8_t qfi = kNoQfi;  // QFI of the PDU session container, or kNoQfi
  bool has_sequence = false;
  std::uint16_t sequence = 0;
  std::uint32_t teid = 0;
  std::span<const std::uint8_t> payload{};  // the octets after all headers, up to Length
};

// Reads a message. Fields whose flags are not set are ignored, and octets after Length are left out. `teid`, `type`
// and `sequence` are also set if `fault` is `not_understood`.
[[nodiscard]] Message read_message(std::span<const std::uint8_t> octets) noexcept;

// The tunnel that an Error Indication (7.3.1) is about.
struct ErrorCause {
  std::uint32_t teid = 0;  // Tunnel Endpoint Identifier Data I
  Address peer{};          // GTP-U Peer Address
};
// Reads the information elements of an Error Indication. Returns nothing if one of the two elements is missing or
// wrong. Unknown elements are skipped (8.2: TV below 128, TLV from 128 on).
[[nodiscard]] std::optional<ErrorCause> read_error_indication(std::span<const std::uint8_t> elements) noexcept;

// Each function writes a message of at most kLongestReply octets into `room` and returns its length.
inline constexpr std::size_t kLongestReply = 44;
std::size_t write_echo_response(std::uint8_t* room, std::uint16_t sequence) noexcept;
// Writes an Error Indication. `port` is the source port of the message without a context, for the UDP Port extension
// header (5.2.2.1).
std::size_t write_error_indication(std::uint8_t* room, const ErrorCause& cause, std::uint16_t port) noexcept;
std::size_t write_supported_extension_headers(std::uint8_t* room, std::uint16_t sequence) noexcept;
std::size_t write_end_marker(std::uint8_t* room, std::uint32_t teid) noexcept;

}  // namespace headroom::gtpu
