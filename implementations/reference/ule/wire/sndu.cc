// SPDX-License-Identifier: Apache-2.0
#include "ule/wire/sndu.h"

#include <algorithm>

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
  while (type < kFirstEtherType) {
    const unsigned words = h_len(type);
    if (words == 0) return mandatory(type, octets);
    const std::size_t length = 2 * words;  // with the Type field that follows
    if (octets.size() < length) return {};
    type = read16(octets.data() + length - 2);
    octets = octets.subspan(length);
  }
  return {Kind::pdu, type, octets};
}

std::span<const std::uint8_t> next_pdu(std::span<const std::uint8_t>& rest) noexcept {
  if (rest.size() < 2) return {};
  const std::size_t length = read16(rest.data()) & kPduLength;
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
  return length >= kFirstEtherType || length <= frame.size() - kMacHeader;
}

Npa npa_of(std::uint16_t type, std::span<const std::uint8_t> pdu, const Npa& unicast) noexcept {
  if (type == kTypeIpv4 && pdu.size() >= 20) {
    const std::uint8_t* const group = pdu.data() + 16;
    if (std::all_of(group, group + 4, [](std::uint8_t octet) { return octet == 0xFF; })) return kBroadcast;
    // "by placing the low-order 23-bits of the IP address into the low-order 23 bits of the Ethernet multicast address"
    if ((group[0] & 0xF0U) == 0xE0U)
      return {0x01, 0x00, 0x5E, static_cast<std::uint8_t>(group[1] & 0x7FU), group[2], group[3]};
  }
  if (type == kTypeIpv6 && pdu.size() >= 40 && pdu[24] == 0xFF) return {0x33, 0x33, pdu[36], pdu[37], pdu[38], pdu[39]};
  return unicast;
}

}  // namespace headroom::ule::wire
