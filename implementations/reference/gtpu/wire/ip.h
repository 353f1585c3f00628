// SPDX-License-Identifier: Apache-2.0
//
// The parts of IPv4, IPv6 and UDP that a user plane reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gtpu/rules/sdf_filter.h"
#include "gtpu/wire/address.h"

namespace headroom::gtpu {

inline constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40, kUdpHeader = 8;
inline constexpr std::uint8_t kProtocolTcp = 6, kProtocolUdp = 17, kProtocolEsp = 50, kProtocolAh = 51;

// Transport is an IP packet between tunnel endpoints, parsed up to the payload of UDP.
struct Transport {
  enum class Kind : std::uint8_t {
    datagram,   // UDP: `payload` and the ports are set
    fragment,   // a fragment of a packet that must be reassembled first
    other,      // a protocol other than UDP
    malformed,  // wrong lengths, header checksum or UDP checksum
  };
  Kind kind = Kind::malformed;
  bool ipv6 = false;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  const std::uint8_t* source = nullptr;  // 4 or 16 octets
  const std::uint8_t* destination = nullptr;
  const std::uint8_t* payload = nullptr;
  std::uint32_t payload_length = 0;

  [[nodiscard]] Address source_address() const noexcept {
    return ipv6 ? Address::of_ipv6(source) : Address::of_ipv4(source);
  }
  [[nodiscard]] Address destination_address() const noexcept {
    return ipv6 ? Address::of_ipv6(destination) : Address::of_ipv4(destination);
  }
};

// True if the source address can be a host's (RFC 1122, 3.2.1.3; RFC 4291, 2.5.2, 2.5.3 and 2.7): neither unspecified,
// nor a loopback, multicast or broadcast address. Packets from other addresses get no answer.
[[nodiscard]] bool is_from_host(const Transport& transport) noexcept;

// Reads the packet. Octets after the length in the IP header are link padding and are left out. A UDP length
// that ends before the packet does shortens the payload, a UDP length beyond the end is malformed. A UDP checksum of 0
// is accepted over IPv6 as well, as RFC 6935 allows for tunnels. Other UDP checksums are verified over IPv6, but not
// over IPv4, because the packet inside has checksums of its own.
[[nodiscard]] Transport read_transport(std::span<const std::uint8_t> packet) noexcept;

// Fragment has the fields of a fragment that reassembly needs.
struct Fragment {
  bool ipv6 = false;
  bool more = false;
  std::uint8_t protocol = 0;
  std::uint32_t id = 0;
  std::uint32_t offset = 0;        // octets
  std::size_t header_length = 0;   // octets of the header that remain: for IPv6 without the fragment header
  std::size_t next_header_at = 0;  // IPv6: offset of the Next Header field that announces the fragment header
  std::span<const std::uint8_t> data{};
};
// Reads a packet that read_transport has found to be a fragment. Returns false if the lengths in the packet are wrong.
[[nodiscard]] bool read_fragment(std::span<const std::uint8_t> packet, Fragment& fragment) noexcept;

// Reads version, addresses and length of a user's packet. Returns false if `packet` is no IP packet, or shorter than
// its own header says.
[[nodiscard]] inline bool read_user_addresses(std::span<const std::uint8_t> packet, PacketFields& fields) noexcept {
  if (packet.size() < kIpv4Header) return false;
  const std::uint8_t* const ip = packet.data();
  fields.version = ip[0] >> 4;
  if (fields.version == 4) {
    const std::uint32_t header = (ip[0] & 0x0FU) * 4U;
    fields.length = read16(ip + 2);
    fields.source = ip + 12;
    fields.destination = ip + 16;
    return header >= kIpv4Header && fields.length >= header && fields.length <= packet.size();
  }
  if (fields.version != 6 || packet.size() < kIpv6Header) return false;
  fields.length = static_cast<std::uint32_t>(kIpv6Header + read16(ip + 4));
  fields.source = ip + 8;
  fields.destination = ip + 24;
  return fields.length <= packet.size();
}
// Reads all fields of a user's packet, and the ports if it has any. Returns false as read_user_addresses does.
[[nodiscard]] bool read_user_packet(std::span<const std::uint8_t> packet, PacketFields& fields) noexcept;

// Returns `sum` plus the sum of 16-bit words whose complement is the Internet checksum (RFC 1071). The result is not
// folded.
[[nodiscard]] inline std::uint64_t sum_words(std::span<const std::uint8_t> octets, std::uint64_t sum = 0) noexcept {
  // The sum is computed in the processor's byte order, which is correct except for a swap at the end (RFC 1071, 2 (B)).
  // A word of 32 bits is congruent to the sum of its halves.
  const std::uint8_t* p = octets.data();
  std::size_t left = octets.size();
  std::uint64_t native = 0;
  for (; left >= 8; left -= 8, p += 8) {
    std::uint64_t words;
    std::memcpy(&words, p, sizeof words);
    native += (words & 0xFFFFFFFF) + (words >> 32);
  }
  if (left != 0) {
    std::uint64_t words = 0;
    std::memcpy(&words, p, left);
    native += (words & 0xFFFFFFFF) + (words >> 32);
  }
  while (native >> 16 != 0) native = (native & 0xFFFF) + (native >> 16);
  std::uint8_t folded[2];
  const auto half = static_cast<std::uint16_t>(native);
  std::memcpy(folded, &half, sizeof half);
  return sum + read16(folded);
}
// Returns the complement of the folded sum.
[[nodiscard]] inline std::uint16_t checksum(std::uint64_t sum) noexcept {
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

// Writes the IPv4 or IPv6 header and the UDP header of a packet with `payload` octets into `room`, with a UDP checksum
// of 0. Returns the length of the two headers. REQUIRES: both addresses have the same IP version.
std::size_t write_transport(std::uint8_t* room, const Address& source, const Address& destination,
                            std::uint16_t source_port, std::uint16_t destination_port, std::size_t payload,
                            std::uint8_t traffic_class = 0) noexcept;
// Writes the UDP checksum into an IPv6 packet without extension headers. REQUIRES: the lengths in the packet are right.
void write_udp_checksum(std::uint8_t* packet, std::size_t length) noexcept;

}  // namespace headroom::gtpu
