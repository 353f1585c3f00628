// SPDX-License-Identifier: Apache-2.0
//
// Extracts a link packet from the payload of an Ethernet frame.
#ifndef HEADROOM_NODE_LINK_PACKET_H
#define HEADROOM_NODE_LINK_PACKET_H

#include <algorithm>
#include <cstdint>
#include <optional>

#include "capture/link_framing.h"
#include "headroom.h"
#include "node/pppoe.h"

namespace headroom::node {

// Returns the Ethernet type of frames that carry link packets: typed link packets travel over PPPoE.
[[nodiscard]] inline std::uint16_t link_type_of(const LinkFraming& framing) noexcept {
  return framing.typed ? kEtherTypePppoe : framing.ether_type;
}

// Returns the link packet in the payload of a frame of that type, without padding, or nothing if there is none.
[[nodiscard]] inline std::optional<PppPacket> read_link_packet(OctetView payload, const LinkFraming& framing) noexcept {
  std::optional<PppPacket> packet = PppPacket{HEADROOM_TYPE_DEFAULT, payload};
  if (framing.typed) packet = read_pppoe(payload);
  if (packet && framing.padding) {
    const auto is_packet = [padding = *framing.padding](std::uint8_t octet) { return octet != padding; };
    const auto begin = std::find_if(packet->octets.begin(), packet->octets.end(), is_packet);
    packet->octets = packet->octets.subspan(static_cast<std::size_t>(begin - packet->octets.begin()));
  }
  if (packet && packet->octets.empty()) return std::nullopt;
  return packet;
}

}  // namespace headroom::node

#endif  // HEADROOM_NODE_LINK_PACKET_H
