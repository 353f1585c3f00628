// SPDX-License-Identifier: Apache-2.0
#include "ule/wire/sndu.h"

#include <algorithm>

#include "mutants.h"
#include "ule/wire/ts_packet.h"

namespace headroom::ule::wire {
namespace {

using Kind = Content::Kind;

constexpr std::uint16_t kPduLength =
    0x7FFF;  // of a PDU; "Receivers MUST ignore the value of the R bit" (RFC 5163, 3.2)

Content mandatory(std::uint16_t type, std::span<const std::uint8_t> octets) noexcept {
  switch (type) {
    case kTypeTest:
      return {Kind::test, type, octets};
    case kTypeBridged:
      if (octets.size() < kMacHeader) return {};
      return {Kind::bridged, type, octets};
    case kTypeTsConcat:
      return {Kind::ts_packets, type, octets};
    case kTypePduConcat:
      if (octets.size() < 2) return {};
      return {Kind::pdus, read16(octets.data()), octets.subspan(2)};
    default:
      return {Kind::unknown_type, type, octets};
  }
}

}  // namespace

Content content_of(std::uint16_t type, std::span<const std::uint8_t> octets) noexcept {
  while (type < (mutant("ule-h-len-up-to-4") ? 0x0500 : kFirstEtherType)) {
    const unsigned words = h_len(type);
    if (words == 0) return mandatory(type, octets);
    // With the Type field that follows.
    const std::size_t length = 2 * words + (words > 1 && mutant("ule-h-len-read-without-the-type") ? 2 : 0);
    if (octets.size() < length) return {};
    type = read16(octets.data() + length - 2);
    octets = octets.subspan(length);
  }
  return {Kind::pdu, type, octets};
}

std::span<const std::uint8_t> next_pdu(std::span<const std::uint8_t>& rest) noexcept {
  if (rest.size() < 2) return {};
  std::size_t length = read16(rest.data()) & (mutant("ule-concat-r-bit-read") ? 0xFFFF : kPduLength);
  if (mutant("ule-concat-partial")) length = std::min(length, rest.size() - 2);
  if (length == 0 || length > rest.size() - 2) return {};
  const auto pdu = rest.subspan(2, length);
  rest = rest.subspan(2 + length);
  return pdu;
}

bool are_whole_pdus(std::span<const std::uint8_t> octets) noexcept {
  if (octets.empty()) return false;
  while (!octets.empty()) {
    if (next_pdu(octets).empty()) return false;
  }
  return true;
}

bool is_whole_frame(std::span<const std::uint8_t> frame) noexcept {
  if (frame.size() < kMacHeader) return false;
  const std::uint16_t length = read16(frame.data() + kMacHeader - 2);
  const unsigned first_type = mutant("ule-llc-length-up-to-1500") ? 1501 : kFirstEtherType;
  return length >= first_type || length <= frame.size() - kMacHeader;
}

Npa npa_of(std::uint16_t type, std::span<const std::uint8_t> pdu, const Npa& unicast,
           std::span<const std::uint32_t> broadcasts) noexcept {
  if (type == kTypeIpv4 && pdu.size() >= 20) {
    const std::uint8_t* const group = pdu.data() + 16;
    if (std::all_of(group, group + 4, [](std::uint8_t octet) { return octet == 0xFF; })) return kBroadcast;
    const unsigned low_bits = mutant("ule-ipv4-group-of-24-bits") ? 0xFF : 0x7F;
    // "by placing the low-order 23-bits of the IP address into the low-order 23 bits of the Ethernet multicast address"
    if ((group[0] & 0xF0U) == 0xE0U)
      return {0x01, 0x00, 0x5E, static_cast<std::uint8_t>(group[1] & low_bits), group[2], group[3]};
    if (!broadcasts.empty()) {
      const std::uint32_t to = std::uint32_t{read16(group)} << 16 | read16(group + 2);
      if (std::find(broadcasts.begin(), broadcasts.end(), to) != broadcasts.end()) return kBroadcast;
    }
  }
  if (type == kTypeIpv6 && pdu.size() >= 40 && pdu[24] == 0xFF) {
    if (mutant("ule-ipv6-group-of-24-bits")) return {0x33, 0x33, 0xFF, pdu[37], pdu[38], pdu[39]};
    return {0x33, 0x33, pdu[36], pdu[37], pdu[38], pdu[39]};
  }
  return unicast;
}

}  // namespace headroom::ule::wire
