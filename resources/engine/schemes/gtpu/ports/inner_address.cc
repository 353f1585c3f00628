// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/ports/inner_address.h"

namespace headroom::gtpu::ports {
namespace {

constexpr std::uint16_t kGtpuPort = 2152;
constexpr std::uint8_t kGPdu = 255;
constexpr std::size_t kMandatory = 8, kOptional = 4;
constexpr std::uint8_t kVersionAndType = 0xF0, kVersion1Gtp = 0x30, kAnyOptional = 0x07, kHasExtension = 0x04;

std::uint64_t mixed(std::uint64_t value) noexcept {
  value ^= value >> 33;
  value *= 0xFF51AFD7ED558CCD;
  value ^= value >> 33;
  value *= 0xC4CEB9FE1A85EC53;
  return value ^ value >> 33;
}

std::optional<std::uint64_t> hash_at(OctetView packet, bool is_source) noexcept {
  if (packet.size() >= 20 && packet[0] >> 4 == 4) return mixed(load32(&packet[is_source ? 12 : 16]));
  if (packet.size() >= 40 && packet[0] >> 4 == 6) return mixed(load64(&packet[is_source ? 8 : 24]));
  return std::nullopt;
}

// The T-PDU of an outer packet; empty where it has none.
OctetView tpdu_of(OctetView packet) noexcept {
  constexpr std::uint16_t kMoreOrOffset = 0x3FFF;
  std::size_t at = 40;
  if (packet[0] >> 4 == 4) {
    at = std::size_t{packet[0] & 0xFu} * 4;
    if (packet[9] != kUdp || (load16(&packet[6]) & kMoreOrOffset) != 0) return {};
  } else if (packet.size() < at || packet[6] != kUdp) {
    return {};
  }
  if (packet.size() < at + kUdpHeader + kMandatory || load16(&packet[at + 2]) != kGtpuPort) return {};
  const std::uint8_t* const gtpu = &packet[at + kUdpHeader];
  if ((gtpu[0] & kVersionAndType) != kVersion1Gtp || gtpu[1] != kGPdu) return {};
  OctetView rest = packet.subspan(at + kUdpHeader + kMandatory);
  if ((gtpu[0] & kAnyOptional) == 0) return rest;
  if (rest.size() < kOptional) return {};
  std::uint8_t next = (gtpu[0] & kHasExtension) != 0 ? rest[kOptional - 1] : 0;
  rest = rest.subspan(kOptional);
  while (next != 0) {  // each header is at least a word: the packet ends sooner or later
    const std::size_t length = rest.empty() ? 0 : std::size_t{rest[0]} * 4;
    if (length == 0 || length > rest.size()) return {};
    next = rest[length - 1];
    rest = rest.subspan(length);
  }
  return rest;
}

}  // namespace

std::optional<std::uint64_t> user_hash(OctetView packet, bool from_n6) noexcept {
  return from_n6 ? hash_at(packet, false) : hash_at(tpdu_of(packet), true);
}

}  // namespace headroom::gtpu::ports
