// SPDX-License-Identifier: Apache-2.0
//
// Properties of PDUs that the encapsulators and receivers of all encapsulations report.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "headroom.h"
#include "ule/wire/sndu.h"

namespace headroom::ule {

// The kind of PDU in a link packet, as headroom_detail reports it.
enum class PacketType : std::uint8_t { ipv4, ipv6, other, bridged };
inline constexpr std::array<std::string_view, 4> kPacketTypeNames = {"IPv4", "IPv6", "other", "bridged"};
inline constexpr std::uint8_t kNoPacketType = 255;  // not known

// Returns the packet type of a PDU that is no bridged frame.
[[nodiscard]] constexpr std::uint8_t packet_type_of(std::uint16_t type) noexcept {
  return static_cast<std::uint8_t>(type == wire::kTypeIpv4   ? PacketType::ipv4
                                   : type == wire::kTypeIpv6 ? PacketType::ipv6
                                                             : PacketType::other);
}

// Returns the EtherType of a PDU to be encapsulated, or 0 if the PDU has none. REQUIRES: p.in_length > 0.
[[nodiscard]] inline std::uint16_t ether_type_of(const headroom_packet& p) noexcept {
  if (p.in_type >= wire::kFirstEtherType) return p.in_type;
  if (p.in_type != HEADROOM_TYPE_DEFAULT) return 0;
  const unsigned version = p.in[0] >> 4;
  return version == 4 ? wire::kTypeIpv4 : version == 6 ? wire::kTypeIpv6 : std::uint16_t{0};
}

// A unit that a receiver passes on: a PDU, a frame or a TS packet.
struct Unit {
  std::uint16_t type;
  std::uint8_t packet_type;
  std::span<const std::uint8_t> octets;
};

// Writes a receiver's outcome into `p` and `detail`. `cid` is the number of the channel in details.
inline void put_out(std::int32_t status, const Unit& unit, std::uint32_t cid, headroom_packet& p,
                    headroom_detail* detail) noexcept {
  p.status = status;
  p.out_length = 0;
  if (detail != nullptr) {
    detail->cid = cid;
    detail->packet_type = status == HEADROOM_OK ? unit.packet_type : kNoPacketType;
  }
  if (status != HEADROOM_OK) return;
  if (unit.octets.size() > p.out_capacity) {
    p.status = HEADROOM_ERR_NO_SPACE;
    return;
  }
  std::memcpy(p.out, unit.octets.data(), unit.octets.size());
  p.out_length = static_cast<std::uint32_t>(unit.octets.size());
  p.out_type = unit.type;
}

}  // namespace headroom::ule
