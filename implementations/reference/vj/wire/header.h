// SPDX-License-Identifier: Apache-2.0
//
// TCP/IP headers as octets (RFC 791, 3.1; RFC 793, 3.1; figure 2 of RFC 1144): the offsets of the fields, and the
// validation of octets as such a header.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "vj/wire/changes.h"

namespace headroom::vj::wire {

// "The maximum header length, fixed by the protocol design, is 64 bytes of IP and 64 bytes of TCP" (note 34); the
// length fields themselves allow for 60 each.
inline constexpr std::size_t kLongestPlainHeader = 120;
inline constexpr std::size_t kIpHeader = 20, kTcpHeader = 20;  // octets without options
inline constexpr std::uint8_t kProtocolTcp = 6;

// Offsets in the IP header, then offsets in the TCP header, which follows the IP options.
inline constexpr std::size_t kTotalLength = 2, kIdentification = 4, kFragment = 6, kProtocol = 9, kIpChecksum = 10,
                             kAddresses = 12;
inline constexpr std::size_t kPorts = 0, kSequence = 4, kAcknowledgement = 8, kDataOffset = 12, kFlags = 13,
                             kWindow = 14, kTcpChecksum = 16, kUrgentPointer = 18;
// TCP's flags. CWR and ECE (RFC 3168) are newer than RFC 1144, so the compression treats them as unchanging bits.
inline constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kPsh = 0x08, kAck = 0x10, kUrg = 0x20;

[[nodiscard]] inline std::uint16_t load16(const std::uint8_t* at) noexcept {
  return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
}
[[nodiscard]] inline std::uint32_t load32(const std::uint8_t* at) noexcept {
  return std::uint32_t{load16(at)} << 16 | load16(at + 2);
}
inline void store16(std::uint8_t* at, std::uint32_t value) noexcept {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}
inline void store32(std::uint8_t* at, std::uint32_t value) noexcept {
  store16(at, value >> 16);
  store16(at + 2, value);
}

// The lengths of a packet's headers in octets.
struct Lengths {
  std::size_t ip, tcp;
  [[nodiscard]] std::size_t both() const noexcept { return ip + tcp; }
};

// Returns the header lengths that `packet` states, or nothing if the packet does not begin with complete IPv4 and TCP
// headers or the total length differs from the packet's length. Ignores the protocol field, which is the connection
// number in an UNCOMPRESSED_TCP packet.
[[nodiscard]] inline std::optional<Lengths> lengths_of(Octets packet) noexcept {
  if (packet.size() < kIpHeader + kTcpHeader || packet[0] >> 4 != 4) return std::nullopt;
  const std::size_t ip = std::size_t{packet[0] & 0x0Fu} * 4;
  if (ip < kIpHeader || packet.size() < ip + kTcpHeader || load16(&packet[kTotalLength]) != packet.size())
    return std::nullopt;
  const std::size_t tcp = static_cast<std::size_t>(packet[ip + kDataOffset] >> 4) * 4;
  if (tcp < kTcpHeader || packet.size() < ip + tcp) return std::nullopt;
  return Lengths{ip, tcp};
}

// Returns the one's complement sum of an IP header (RFC 791, 3.1), checksum included: 0xFFFF if the checksum is right.
[[nodiscard]] inline std::uint16_t sum_of(const std::uint8_t* header, std::size_t octets) noexcept {
  std::uint64_t sum = 0;
  const auto add = [&](std::size_t at) {
    std::uint32_t word;
    std::memcpy(&word, header + at, sizeof word);
    sum += word;
  };
  for (std::size_t at = 0; at < kIpHeader; at += 4) add(at);
  for (std::size_t at = kIpHeader; at < octets; at += 4) add(at);
  sum = (sum >> 32) + (sum & 0xFFFFFFFF);
  sum = (sum >> 16 & 0xFFFF) + (sum >> 32) + (sum & 0xFFFF);
  sum = (sum >> 16) + (sum & 0xFFFF);
  const auto folded = static_cast<std::uint16_t>((sum >> 16) + sum);
  // The sum does not depend on the byte order (RFC 1071, 2), so only the result is swapped.
  if constexpr (std::endian::native == std::endian::big) return folded;
  return static_cast<std::uint16_t>(folded << 8 | folded >> 8);
}

}  // namespace headroom::vj::wire
