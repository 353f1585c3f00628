// SPDX-License-Identifier: Apache-2.0
#include "capture/frame.h"

#include <algorithm>

namespace headroom {
namespace {

constexpr std::uint8_t kNoNextHeader = 59;

bool is_vlan_tag(std::uint16_t type) { return type == 0x8100 || type == 0x88A8 || type == 0x9100; }

std::optional<FramePayload> behind_type(OctetView frame, std::size_t type_at) {
  while (frame.size() >= type_at + 2 && is_vlan_tag(load16(&frame[type_at]))) type_at += 4;
  if (frame.size() < type_at + 2) return std::nullopt;
  const std::uint16_t type = load16(&frame[type_at]);
  if (type < 0x0600) return std::nullopt;  // IEEE 802.3: a length, not a type
  return FramePayload{type, frame.subspan(type_at + 2), std::nullopt};
}

std::optional<FramePayload> by_ip_version(OctetView octets) {
  if (octets.empty()) return std::nullopt;
  const unsigned version = octets[0] >> 4;
  if (version != 4 && version != 6) return std::nullopt;
  return FramePayload{version == 4 ? kEtherTypeIpv4 : kEtherTypeIpv6, octets, std::nullopt};
}

std::optional<FramePayload> behind_ppp(OctetView frame) {
  if (frame.size() >= 2 && frame[0] == 0xFF && frame[1] == 0x03) frame = frame.subspan(2);
  if (frame.empty()) return std::nullopt;
  const std::size_t octets = (frame[0] & 1) != 0 ? 1 : 2;  // protocol numbers are odd, their first octet is not
  if (frame.size() < octets) return std::nullopt;
  const std::uint16_t protocol = octets == 1 ? frame[0] : load16(frame.data());
  FramePayload payload = {0, frame.subspan(octets), std::nullopt, protocol};
  switch (protocol) {
    case kPppIpv4:
      payload.ether_type = kEtherTypeIpv4;
      break;
    case kPppIpv6:
      payload.ether_type = kEtherTypeIpv6;
      break;
    default:
      break;
  }
  return payload;
}

// A frame with its direction: `is_sent` is not 0 for one that the capturing end sent.
std::optional<FramePayload> directed(std::optional<FramePayload> payload, std::uint8_t is_sent) {
  if (payload) payload->direction = is_sent != 0 ? FrameDirection::sent : FrameDirection::received;
  return payload;
}

// The type of an outgoing packet in a cooked capture.
constexpr std::uint16_t kOutgoing = 4;

}  // namespace

bool is_known(LinkType type) noexcept {
  switch (type) {
    case LinkType::null_loopback:
    case LinkType::ethernet:
    case LinkType::raw_ip:
    case LinkType::raw_ip_old:
    case LinkType::openbsd_loop:
    case LinkType::linux_sll:
    case LinkType::ipv4:
    case LinkType::ipv6:
    case LinkType::linux_sll2:
    case LinkType::ppp:
    case LinkType::ppp_hdlc:
    case LinkType::ppp_pppd:
    case LinkType::ppp_with_direction:
    case LinkType::mpeg2_ts:
      return true;
  }
  return false;
}

std::optional<FramePayload> unwrap(LinkType type, OctetView frame) noexcept {
  switch (type) {
    case LinkType::ethernet: {
      std::optional<FramePayload> payload = behind_type(frame, 12);
      if (payload) {
        payload->source_mac.emplace();
        std::copy_n(frame.begin() + 6, 6, payload->source_mac->begin());
      }
      return payload;
    }
    case LinkType::linux_sll: {
      if (frame.size() < 16) return std::nullopt;
      return directed(behind_type(frame, 14), load16(frame.data()) == kOutgoing);
    }
    case LinkType::linux_sll2:
      if (frame.size() < 20) return std::nullopt;
      return directed(FramePayload{load16(frame.data()), frame.subspan(20), std::nullopt}, frame[10] == kOutgoing);
    case LinkType::ppp:
    case LinkType::ppp_hdlc:
      return behind_ppp(frame);
    case LinkType::ppp_with_direction:
      return frame.empty() ? std::nullopt : directed(behind_ppp(frame.subspan(1)), frame[0]);
    case LinkType::ppp_pppd:  // the control field is there, too
      if (frame.size() < 2) return std::nullopt;
      return directed(behind_ppp(frame.subspan(frame[1] == 0x03 ? 2 : 1)), frame[0]);
    case LinkType::null_loopback:
    case LinkType::openbsd_loop:
      // The address family has many numbers; the version in the packet has one meaning.
      return frame.size() < 4 ? std::nullopt : by_ip_version(frame.subspan(4));
    case LinkType::raw_ip:
    case LinkType::raw_ip_old:
    case LinkType::ipv4:
    case LinkType::ipv6:
      return by_ip_version(frame);
    case LinkType::mpeg2_ts:
      return FramePayload{0, frame, std::nullopt};
  }
  return std::nullopt;
}

bool has_no_length(OctetView ip) noexcept {
  if (ip.size() < 20) return false;
  if (ip[0] >> 4 == 4) return (ip[0] & 0x0F) >= 5 && load16(&ip[2]) == 0;
  // An IPv6 packet of a header alone says that nothing follows (RFC 8200, 4.7).
  return ip[0] >> 4 == 6 && ip.size() > 40 && load16(&ip[4]) == 0 && ip[6] != kNoNextHeader;
}

void write_length(Octets& ip) noexcept {
  if (ip[0] >> 4 == 6) {
    store16(&ip[4], static_cast<std::uint32_t>(ip.size() - 40));
    return;
  }
  store16(&ip[2], static_cast<std::uint32_t>(ip.size()));
  const std::size_t header = std::min<std::size_t>(4u * (ip[0] & 0x0F), ip.size());
  store16(&ip[10], 0);
  store16(&ip[10], checksum_finish(checksum_add(0, OctetView(ip).first(header))));
}

bool is_ip(OctetView octets) noexcept {
  if (octets.empty()) return true;
  const unsigned version = octets[0] >> 4;
  if (version != 4) return version == 6;
  return (octets[0] & 0x0F) >= 5 && (octets.size() < 4 || has_no_length(octets) || load16(&octets[2]) >= 20);
}

std::optional<OctetView> trim_ip(OctetView octets) noexcept {
  if (octets.empty()) return std::nullopt;
  if (has_no_length(octets)) return octets;
  const unsigned version = octets[0] >> 4;
  std::size_t length = 0;
  if (version == 4 && octets.size() >= 20) {
    length = load16(&octets[2]);
    if (length < 20) return std::nullopt;
  } else if (version == 6 && octets.size() >= 40) {
    length = 40u + load16(&octets[4]);
  } else {
    return std::nullopt;
  }
  if (length > octets.size()) return std::nullopt;
  return octets.first(length);
}

}  // namespace headroom
