// SPDX-License-Identifier: Apache-2.0
//
// N4 messages in UDP (TS 29.244, 6.1): requests go to port 8805, answers to the source port of the request.
#ifndef HEADROOM_SCHEMES_GTPU_PORTS_N4_DATAGRAM_H
#define HEADROOM_SCHEMES_GTPU_PORTS_N4_DATAGRAM_H

#include <optional>

#include "schemes/gtpu/ports/neighbours.h"

namespace headroom::gtpu::ports {

inline constexpr std::uint16_t kN4Port = 8805;

struct N4Message {
  OctetView octets;
  Address peer{};
  std::uint16_t port = 0;
};

// True if an IP packet is a whole UDP datagram to the N4 port of `own`, with a right checksum. False for fragments.
[[nodiscard]] bool is_n4(OctetView packet, const Address& own) noexcept;
// Returns the N4 message in a packet. REQUIRES: is_n4.
[[nodiscard]] N4Message read_n4(OctetView packet) noexcept;
// Returns the IP packet with a message, or nothing if the addresses are of different families or the message is too
// long.
[[nodiscard]] std::optional<Octets> write_n4(const Address& own, const Address& peer, std::uint16_t port,
                                             OctetView message);

}  // namespace headroom::gtpu::ports

#endif  // HEADROOM_SCHEMES_GTPU_PORTS_N4_DATAGRAM_H
