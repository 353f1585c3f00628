// SPDX-License-Identifier: Apache-2.0
//
// The packet types of a ROHC channel: the types of the framework and those of the profiles of RFC 3095 and similar
// profiles.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace headroom::rohc::wire {

// The order equals `names.packet_types` in the self-description; the types of another family follow these types.
enum class PacketType : std::uint8_t {
  kIr,
  kIrDyn,
  kUo0,
  kUo1,
  kUo1Id,
  kUo1Ts,
  kUor2,
  kUor2Id,
  kUor2Ts,
  kR0,  // types 0 and 1 of R-mode
  kR0Crc,
  kR1,
  kR1Id,
  kR1Ts,
  kNormal,    // the Normal packet of the Uncompressed profile
  kFeedback,  // a packet with feedback alone
  kSegment,
  kUnknown,
};

inline constexpr std::array<std::string_view, 18> kPacketTypeNames = {
    "IR",  "IR-DYN",  "UO-0", "UO-1",   "UO-1-ID", "UO-1-TS", "UOR-2",    "UOR-2-ID", "UOR-2-TS",
    "R-0", "R-0-CRC", "R-1",  "R-1-ID", "R-1-TS",  "Normal",  "Feedback", "Segment",  "unknown"};

[[nodiscard]] constexpr bool is_type_2(PacketType t) noexcept {
  return t == PacketType::kUor2 || t == PacketType::kUor2Id || t == PacketType::kUor2Ts;
}
// True for types 0 and 1 of R-mode.
[[nodiscard]] constexpr bool is_r_mode_only(PacketType t) noexcept {
  return t >= PacketType::kR0 && t <= PacketType::kR1Ts;
}
// "Only a packet carrying a 7- or 8-bit CRC can update the decompression context" in R-mode (RFC 3095 5.5.1.2).
[[nodiscard]] constexpr bool updates_in_r_mode(PacketType t) noexcept {
  return t == PacketType::kIr || t == PacketType::kIrDyn || t == PacketType::kR0Crc || t == PacketType::kUor2 ||
         t == PacketType::kUor2Id || t == PacketType::kUor2Ts;
}
// True for R-0 and R-1*, which have no CRC, update no context and cause no feedback.
[[nodiscard]] constexpr bool is_without_crc(PacketType t) noexcept {
  return is_r_mode_only(t) && t != PacketType::kR0Crc;
}

// CCE packets of the UDP-Lite profiles (RFC 4019 5.3.2): the outer packet type identifier and the value of context(CFP)
// that it sets. The value is the identifier's last two bits, F and K.
enum class Cce : std::uint8_t { kNone = 0, kOnce = 1, kOn = 2, kOff = 3 };
inline constexpr std::array<std::string_view, 4> kCceNames = {"none", "CCE()", "CCE(ON)", "CCE(OFF)"};
inline constexpr std::uint8_t kCceType = 0xf8;  // 111110FK; FK = 00 is IR-DYN

// Returns kNone unless `octet` is the first octet of a CCE packet.
[[nodiscard]] constexpr Cce cce_of(std::uint8_t octet) noexcept {
  return (octet & 0xfc) == kCceType ? static_cast<Cce>(octet & 3) : Cce::kNone;
}
[[nodiscard]] constexpr std::uint8_t octet_of(Cce cce) noexcept {
  return static_cast<std::uint8_t>(kCceType | static_cast<unsigned>(cce));
}

// The two sets of base headers and extensions: with RTP fields (RFC 3095 5.7) and without (UDP, IP and similar
// profiles, 5.11).
enum class Format : std::uint8_t { kRtp, kUdp };

enum class Mode : std::uint8_t { kCancel = 0, kUnidirectional = 1, kOptimistic = 2, kReliable = 3 };

}  // namespace headroom::rohc::wire
