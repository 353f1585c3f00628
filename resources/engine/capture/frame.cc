// SPDX-License-Identifier: Apache-2.0
#include "capture/frame.h"

#include <algorithm>

namespace headroom {
namespace {

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
    case LinkType::linux_sll:
      return behind_type(frame, 14);
    case LinkType::linux_sll2:
      if (frame.size() < 20) return std::nullopt;
      return FramePayload{load16(frame.data()), frame.subspan(20), std::nullopt};
    case LinkType::ppp:
    case LinkType::ppp_hdlc:
      return behind_ppp(frame);
    case LinkType::ppp_with_direction:
      return frame.empty() ? std::nullopt : behind_ppp(frame.subspan(1));
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

std::optional<OctetView> trim_ip(OctetView octets) noexcept {
  if (octets.empty()) return std::nullopt;
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
