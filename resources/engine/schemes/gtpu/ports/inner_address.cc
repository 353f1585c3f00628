// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/ports/inner_address.h"

#include "schemes/gtpu/header.h"

namespace headroom::gtpu::ports {
namespace {

std::uint32_t mixed(std::uint32_t value) noexcept {
  value *= kHashFactor;
  return value ^ value >> 16;
}

std::uint32_t prefix_hash(const std::uint8_t* address) noexcept {
  return mixed(load32(address) * kHashFactor + load32(address + 4));
}

std::optional<std::uint32_t> hash_at(OctetView packet, bool is_source) noexcept {
  if (packet.size() >= 20 && packet[0] >> 4 == 4) return mixed(load32(&packet[is_source ? 12 : 16]));
  if (packet.size() >= 40 && packet[0] >> 4 == 6) return prefix_hash(&packet[is_source ? 8 : 24]);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> user_hash(OctetView packet, bool from_n6) noexcept {
  if (from_n6) return hash_at(packet, false);
  const std::optional<traffic::UserPacket> user = user_packet_of(packet);
  return user ? hash_at(user->octets, true) : std::nullopt;
}

}  // namespace headroom::gtpu::ports
