// SPDX-License-Identifier: Apache-2.0
#include "node/frame.h"

#include <cstring>

namespace headroom::node {
namespace {

constexpr std::uint16_t kSmallestType = 0x0600;  // IEEE 802.3, 3.2.6: below it, the field is a length

// Protocol numbers of IANA's.
constexpr std::uint8_t kHopByHop = 0, kTcp = 6, kUdp = 17, kDccp = 33, kRouting = 43, kFragment = 44, kEsp = 50,
                       kDestination = 60, kSctp = 132, kUdpLite = 136;
constexpr int kMostExtensionHeaders = 8;  // of a packet whose ports are looked for

constexpr bool begins_with_ports(std::uint8_t protocol) {
  return protocol == kUdp || protocol == kTcp || protocol == kUdpLite || protocol == kEsp || protocol == kSctp ||
         protocol == kDccp;
}

// Multiplies and folds; each input bit reaches all bits of the result after two words.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  const std::uint64_t product = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return product ^ (product >> 32);
}

std::uint64_t with_ports(std::uint64_t hash, std::uint8_t protocol, OctetView transport) {
  if (!begins_with_ports(protocol) || transport.size() < 4) return mix(hash, protocol);
  return mix(mix(hash, protocol), load32(transport.data()));
}

std::uint64_t hash_of_ipv4(OctetView packet) {
  const std::uint64_t hash = mix(4, load64(&packet[12]));
  const bool fragment = (load16(&packet[6]) & 0x3FFF) != 0;  // MF and Fragment Offset, RFC 791 3.1
  const std::size_t header = std::size_t{4} * (packet[0] & 0x0F);
  if (fragment || header > packet.size()) return mix(hash, packet[9]);
  return with_ports(hash, packet[9], packet.subspan(header));
}

std::uint64_t hash_of_ipv6(OctetView packet) {
  std::uint64_t hash = 6;
  for (std::size_t at = 8; at < 40; at += 8) hash = mix(hash, load64(&packet[at]));
  std::uint8_t next = packet[6];
  OctetView rest = packet.subspan(40);
  for (int i = 0; i < kMostExtensionHeaders && rest.size() >= 8; ++i) {
    if (next == kFragment) return mix(hash, rest[0]);  // its Next Header is the same in all fragments, RFC 8200 4.5
    if (next != kHopByHop && next != kRouting && next != kDestination) break;
    const std::size_t length = 8 + std::size_t{8} * rest[1];
    next = rest[0];
    if (length > rest.size()) return mix(hash, next);
    rest = rest.subspan(length);
  }
  return with_ports(hash, next, rest);
}

}  // namespace

FrameParts find_parts(OctetView frame, std::uint16_t link_type) noexcept {
  FrameParts parts;
  if (frame.size() < kHeader) return parts;
  std::uint32_t at = kMacs;
  std::uint16_t type = 0;
  for (std::uint32_t tags = 0;; ++tags, at += kTag) {
    parts.packet = static_cast<std::uint32_t>(frame.size()) - at - 2;
    type = load16(&frame[at]);
    if (type != kTpidCustomer && type != kTpidService) break;
    if (tags == kMostTags || parts.packet < kTag) return parts;
  }
  parts.type_at = static_cast<std::uint16_t>(at);
  parts.payload_at = at + 2;
  if (type < kSmallestType) return parts;
  if (type == link_type) {
    parts.carries = Carries::link;
  } else if (type == kEtherTypeIpv4 || type == kEtherTypeIpv6) {
    const std::optional<OctetView> packet = trim_ip(frame.subspan(parts.payload_at));
    if (!packet || type_of_ip(*packet) != type) return parts;
    parts.carries = Carries::ip;
    parts.packet = static_cast<std::uint32_t>(packet->size());
  }
  return parts;
}

std::optional<std::uint16_t> channel_of(OctetView frame, const ChannelTags& tags) noexcept {
  if (!tags.used() || frame.size() < kHeader + kTag || load16(&frame[kMacs]) != kTpidCustomer) return std::nullopt;
  const unsigned vid = load16(&frame[kMacs + 2]) & kVidMask;
  if (vid < tags.first || vid >= unsigned{tags.first} + tags.channels) return std::nullopt;
  return static_cast<std::uint16_t>(vid - tags.first);
}

bool insert_tag(Frame& frame, const ChannelTags& tags, std::uint16_t channel) noexcept {
  if (frame.front < kTag || frame.length < kMacs) return false;
  std::memmove(frame.octets - kTag, frame.octets, kMacs);
  frame.octets -= kTag;
  frame.length += kTag;
  frame.front -= kTag;
  frame.room += kTag;
  store16(&frame.octets[kMacs], kTpidCustomer);
  store16(&frame.octets[kMacs + 2], std::uint32_t{tags.first} + channel);
  return true;
}

void remove_tag(Frame& frame) noexcept {
  std::memmove(frame.octets + kTag, frame.octets, kMacs);
  frame.octets += kTag;
  frame.length -= kTag;
  frame.front += kTag;
  frame.room -= kTag;
}

std::uint64_t flow_hash(OctetView packet) noexcept {
  return packet[0] >> 4 == 4 ? hash_of_ipv4(packet) : hash_of_ipv6(packet);
}

}  // namespace headroom::node
