// SPDX-License-Identifier: Apache-2.0
//
// The address of the user in a packet, by which packets of both directions reach one worker: the inner source in a
// G-PDU, the destination in a packet from the data network.
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

// A hash of the user's address: IPv4 whole, IPv6 by its /64 (TS 23.501, 5.8.2.2.3). Nothing in a packet that has none:
// messages of the path, fragments of the outer packet, what is no IP inside. In 32 bits, as classic BPF calculates it.
[[nodiscard]] std::optional<std::uint32_t> user_hash(OctetView packet, bool from_n6) noexcept;

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_INNER_ADDRESS_H
