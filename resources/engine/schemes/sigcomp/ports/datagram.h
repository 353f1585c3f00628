// SPDX-License-Identifier: Apache-2.0
//
// UDP over IP for a node that acts for a SIP proxy: recognises SIP datagrams and their users, and replaces payloads.
// Pure functions over octets.
#ifndef HEADROOM_SCHEMES_SIGCOMP_PORTS_DATAGRAM_H
#define HEADROOM_SCHEMES_SIGCOMP_PORTS_DATAGRAM_H

#include <array>
#include <cstdint>
#include <optional>

#include "base/octets.h"

namespace headroom::sigcomp::ports {

inline constexpr std::uint16_t kSipPort = 5060;  // RFC 3261 19.1.2
inline constexpr std::uint8_t kUdp = 17;         // the protocol of IP
inline constexpr std::uint32_t kUdpHeader = 8;

using Address = std::array<std::uint8_t, 16>;  // IPv6, or IPv4 mapped into it (RFC 4291 2.5.5.2)

struct Datagram {
  std::uint8_t version = 4;
  std::uint32_t udp_at = 0;   // octets of IP header
  std::uint32_t payload = 0;  // octets
  Address source{}, destination{};

  [[nodiscard]] std::uint32_t payload_at() const noexcept { return udp_at + kUdpHeader; }
};

// Returns a whole UDP datagram with kSipPort at either end and a payload, whose checksums are right (over IPv4 the UDP
// checksum may be missing); nothing for other packets, including fragments, datagrams after extension headers,
// datagrams with contradicting lengths, and datagrams with octets after UDP's.
[[nodiscard]] std::optional<Datagram> sip_datagram(OctetView packet) noexcept;

// Updates lengths and checksums after a new payload of `payload` octets has been written after the headers. REQUIRES:
// the packet is a result of sip_datagram, and has no more than 65,535 octets with the new payload.
void set_payload(std::uint8_t* packet, Datagram& datagram, std::uint32_t payload) noexcept;

// Swaps source and destination, addresses and ports. Checksums stay right.
void turn_round(std::uint8_t* packet, const Datagram& datagram) noexcept;

// Returns a hash of an address, the same on either side of a link. With a secret salt, an attacker cannot find
// addresses whose hashes collide.
[[nodiscard]] std::uint64_t hash_of(const Address& address, std::uint64_t salt = 0) noexcept;

}  // namespace headroom::sigcomp::ports

#endif  // HEADROOM_SCHEMES_SIGCOMP_PORTS_DATAGRAM_H
