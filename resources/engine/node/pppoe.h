// SPDX-License-Identifier: Apache-2.0
//
// PPP frames over Ethernet, for link packets whose type is a PPP protocol number. RFC 2516, 4: VER 1 and TYPE 1, CODE 0
// of a session, SESSION_ID and LENGTH; 6: the payload begins with the protocol number. LENGTH separates a packet from
// the padding that Ethernet adds to a short frame.
#ifndef HEADROOM_NODE_PPPOE_H
#define HEADROOM_NODE_PPPOE_H

#include <cstdint>
#include <optional>

#include "base/octets.h"

namespace headroom::node {

inline constexpr std::uint16_t kEtherTypePppoe = 0x8864;  // Ethernet type of the session stage
inline constexpr std::uint32_t kPppoeHeader = 8;          // octets, including the protocol number
inline constexpr std::uint16_t kPppoeVersion = 0x1100;    // VER, TYPE and CODE
inline constexpr std::uint16_t kPppoeSession = 1;         // the nodes do not negotiate: there is one session

// Writes the header of a packet. REQUIRES: room for kPppoeHeader octets.
inline void write_pppoe(std::uint8_t* header, std::uint16_t protocol, std::size_t packet_octets) noexcept {
  store16(header, kPppoeVersion);
  store16(header + 2, kPppoeSession);
  store16(header + 4, static_cast<std::uint32_t>(packet_octets + 2));
  store16(header + 6, protocol);
}

struct PppPacket {
  std::uint16_t protocol = 0;
  OctetView octets;
};

// Returns the packet in the payload of an Ethernet frame, or nothing if the payload is not of this session or too
// short.
[[nodiscard]] inline std::optional<PppPacket> read_pppoe(OctetView payload) noexcept {
  if (payload.size() < kPppoeHeader || load16(&payload[0]) != kPppoeVersion || load16(&payload[2]) != kPppoeSession)
    return std::nullopt;
  const std::size_t length = load16(&payload[4]);
  if (length < 2 || length > payload.size() - (kPppoeHeader - 2)) return std::nullopt;
  return PppPacket{load16(&payload[6]), payload.subspan(kPppoeHeader, length - 2)};
}

}  // namespace headroom::node

#endif  // HEADROOM_NODE_PPPOE_H
