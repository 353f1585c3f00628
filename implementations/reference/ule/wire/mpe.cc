// SPDX-License-Identifier: Apache-2.0
#include "ule/wire/mpe.h"

#include <algorithm>

namespace headroom::ule::wire {
namespace {

// In front of section_length: section_syntax_indicator 1 (a CRC-32), private_indicator 0, two reserved bits.
constexpr unsigned kSyntax = 0x8000, kReserved = 0x3000;
// After MAC_address_5: two reserved bits, two of payload_scrambling_control, two of address_scrambling_control,
// LLC_SNAP_flag, current_next_indicator.
constexpr unsigned kReservedFlags = 0xC0, kScrambling = 0x3C, kLlcSnapFlag = 0x02, kCurrent = 0x01;
constexpr std::array<std::uint8_t, 6> kLlcSnapOfEtherTypes = {0xAA, 0xAA, 0x03, 0x00, 0x00, 0x00};

}  // namespace

void write_section_header(std::uint8_t* at, std::size_t octets, const Npa& mac, bool has_llc_snap) noexcept {
  at[0] = kTableDatagram;
  write16(at + 1, static_cast<std::uint32_t>(kSyntax | kReserved | (octets - kSectionPrefix)));
  at[3] = mac[5];
  at[4] = mac[4];
  at[5] = static_cast<std::uint8_t>(kReservedFlags | (has_llc_snap ? kLlcSnapFlag : 0U) | kCurrent);
  at[6] = at[7] = 0;  // section_number, last_section_number
  for (std::size_t i = 0; i < 4; ++i) at[8 + i] = mac[3 - i];
}

std::optional<DatagramSection> read_section(std::span<const std::uint8_t> section) noexcept {
  if (section.size() < kSectionHeader || section[0] != kTableDatagram) return std::nullopt;
  if ((read16(section.data() + 1) & kSyntax) == 0) return std::nullopt;  // a checksum instead
  const unsigned flags = section[5];
  DatagramSection found;
  found.mac = {section[11], section[10], section[9], section[8], section[4], section[3]};
  found.has_llc_snap = (flags & kLlcSnapFlag) != 0;
  found.is_whole = (flags & kCurrent) != 0 && section[6] == 0 && section[7] == 0;
  found.is_scrambled = (flags & kScrambling) != 0;
  found.content = section.subspan(kSectionHeader);
  return found;
}

void write_llc_snap(std::uint8_t* at, std::uint16_t type) noexcept {
  write16(std::copy(kLlcSnapOfEtherTypes.begin(), kLlcSnapOfEtherTypes.end(), at), type);
}

std::optional<std::uint16_t> read_llc_snap(std::span<const std::uint8_t> octets) noexcept {
  if (octets.size() < kLlcSnap) return std::nullopt;
  if (!std::equal(kLlcSnapOfEtherTypes.begin(), kLlcSnapOfEtherTypes.end(), octets.begin())) return std::nullopt;
  return read16(octets.data() + kLlcSnapOfEtherTypes.size());
}

std::size_t ip_octets(std::span<const std::uint8_t> octets) noexcept {
  if (octets.empty()) return 0;
  const unsigned version = octets[0] >> 4;
  constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40;
  std::size_t length = 0;
  if (version == 4 && octets.size() >= kIpv4Header) length = read16(octets.data() + 2);
  if (version == 6 && octets.size() >= kIpv6Header) length = kIpv6Header + read16(octets.data() + 4);
  return length >= (version == 4 ? kIpv4Header : kIpv6Header) && length <= octets.size() ? length : 0;
}

}  // namespace headroom::ule::wire
