// SPDX-License-Identifier: Apache-2.0
//
// The address of the user in a packet, which brings packets of both directions to the same worker: the inner source in
// a G-PDU, the destination in a packet from the data network.
#ifndef HEADROOM_SCHEMES_GTPU_PORTS_INNER_ADDRESS_H
#define HEADROOM_SCHEMES_GTPU_PORTS_INNER_ADDRESS_H

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/octets.h"

namespace headroom::gtpu::ports {

inline constexpr std::uint8_t kUdp = 17;                                          // the protocol of IP
inline constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40, kUdpHeader = 8;  // octets

inline constexpr std::uint32_t kHashFactor = 0x9E3779B1;  // odd, near 2^32 times the golden ratio: spreads neighbours

// Returns a hash of the user's address: a whole IPv4 address, or the /64 of an IPv6 address (TS 23.501, 5.8.2.2.3).
// Returns nothing for a packet without one: messages of the path, fragments of the outer packet, and G-PDUs without an
// IP packet. Has 32 bits, as classic BPF calculates.
[[nodiscard]] std::optional<std::uint32_t> user_hash(OctetView packet, bool from_n6) noexcept;

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_INNER_ADDRESS_H
