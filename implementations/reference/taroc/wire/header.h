// SPDX-License-Identifier: Apache-2.0
//
// The headers in front of TCP data (RFC 791, 3.1; RFC 2460, 3; RFC 793, 3.1): the offsets of their fields, and the
// validation of octets as such headers. Only IPv4 without options and IPv6 without extension headers, directly before
// TCP, are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace headroom::taroc::wire {

using Octets = std::span<const std::uint8_t>;

inline constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40, kTcpHeader = 20;  // octets without options
inline constexpr std::size_t kMostOptions = 40;                                    // octets: the data offset is 4 bits
inline constexpr std::size_t kLongestPlainHeader = kIpv6Header + kTcpHeader + kMostOptions;
inline constexpr std::uint8_t kProtocolTcp = 6;

// Offsets in IPv4, IPv6 and TCP headers.
namespace ipv4 {
inline constexpr std::size_t kTos = 1, kTotalLength = 2, kIdentification = 4, kFragment = 6, kTtl = 8, kProtocol = 9,
                             kChecksum = 10, kAddresses = 12, kAddressOctets = 8;
inline constexpr std::uint16_t kMoreFragmentsOrOffset = 0x3FFF;
}  // namespace ipv4
namespace ipv6 {
inline constexpr std::size_t kPayloadLength = 4, kNextHeader = 6, kHopLimit = 7, kAddresses = 8, kAddressOctets = 32;
}  // namespace ipv6
namespace tcp {
inline constexpr std::size_t kPorts = 0, kPortOctets = 4, kSequence = 4, kAcknowledgement = 8, kDataOffset = 12,
                             kFlags = 13, kWindow = 14, kChecksum = 16, kUrgentPointer = 18;
inline constexpr std::uint8_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kPsh = 0x08, kAck = 0x10, kUrg = 0x20;
}  // namespace tcp

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

// The lengths of a packet's headers in octets. An IP header of 20 octets is IPv4, an IP header of 40 octets is IPv6.
struct Lengths {
  std::uint8_t ip = 0, tcp = 0;
  [[nodiscard]] bool is_ipv4() const noexcept { return ip == kIpv4Header; }
  [[nodiscard]] std::size_t both() const noexcept { return std::size_t{ip} + tcp; }
  [[nodiscard]] std::size_t options() const noexcept { return tcp - kTcpHeader; }
  [[nodiscard]] std::size_t first_length_field() const noexcept {
    return is_ipv4() ? ipv4::kTotalLength : ipv6::kPayloadLength;
  }
};

// Returns the header lengths that `packet` states, or nothing if the packet is a fragment or does not begin with
// complete, compressible headers. Ignores IP's length field, which holds the CID in an UNCOMPRESSED_TCP packet.
[[nodiscard]] inline std::optional<Lengths> lengths_of(Octets packet) noexcept {
  if (packet.size() < kIpv4Header + kTcpHeader) return std::nullopt;
  std::size_t ip = kIpv4Header;
  if (packet[0] == 0x45) {
    if (packet[ipv4::kProtocol] != kProtocolTcp ||
        (load16(&packet[ipv4::kFragment]) & ipv4::kMoreFragmentsOrOffset) != 0)
      return std::nullopt;
  } else {
    if (packet[0] >> 4 != 6 || packet.size() < kIpv6Header + kTcpHeader || packet[ipv6::kNextHeader] != kProtocolTcp)
      return std::nullopt;
    ip = kIpv6Header;
  }
  const std::size_t tcp = static_cast<std::size_t>(packet[ip + tcp::kDataOffset] >> 4) * 4;
  if (tcp < kTcpHeader || packet.size() < ip + tcp) return std::nullopt;
  return Lengths{static_cast<std::uint8_t>(ip), static_cast<std::uint8_t>(tcp)};
}

// Returns the value of IP's length field for a packet of `packet` octets.
[[nodiscard]] inline std::size_t length_field_of(const Lengths& lengths, std::size_t packet) noexcept {
  return lengths.is_ipv4() ? packet : packet - kIpv6Header;
}

// Returns the one's complement sum of octets (RFC 1071), folded to 16 bits; an odd last octet is followed by a zero
// octet.
[[nodiscard]] std::uint64_t sum_of(const std::uint8_t* octets, std::size_t count) noexcept;
[[nodiscard]] inline std::uint16_t folded(std::uint64_t sum) noexcept {
  while (sum > 0xFFFF) sum = (sum >> 16) + (sum & 0xFFFF);
  return static_cast<std::uint16_t>(sum);
}

// Returns the right header checksum of an IPv4 header.
[[nodiscard]] inline std::uint16_t ipv4_checksum(const std::uint8_t* header) noexcept {
  const std::uint64_t rest = 0xFFFFU - load16(header + ipv4::kChecksum);
  return static_cast<std::uint16_t>(~folded(sum_of(header, kIpv4Header) + rest));
}

// True if TCP's checksum is right (RFC 793, 3.1; RFC 2460, 8.1). `data` need not follow the header in memory.
[[nodiscard]] bool tcp_checksum_is_right(const std::uint8_t* header, const Lengths& lengths, Octets data) noexcept;

}  // namespace headroom::taroc::wire
