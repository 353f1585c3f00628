// SPDX-License-Identifier: Apache-2.0
//
// The Ethernet side of a node: what a frame carries, which channel it belongs to, which worker. Pure functions over
// octets; nothing here knows DPDK.
#ifndef HEADROOM_NODE_FRAME_H
#define HEADROOM_NODE_FRAME_H

#include <cstdint>
#include <optional>

#include "base/octets.h"
#include "capture/frame.h"

namespace headroom::node {

inline constexpr std::uint32_t kMacs = 12;     // octets of destination and source address
inline constexpr std::uint32_t kTag = 4;       // octets of a VLAN tag: TPID and TCI (IEEE 802.1Q, 9.3)
inline constexpr std::uint32_t kHeader = 14;   // addresses and type
inline constexpr std::uint32_t kMostTags = 4;  // a frame with more is left alone
inline constexpr std::uint32_t kLargestHeader = kHeader + kMostTags * kTag;
inline constexpr std::uint32_t kSmallestPayload = 46;  // IEEE 802.3, 3.2.8: what is shorter is padded on its way
inline constexpr std::uint16_t kTpidCustomer = 0x8100, kTpidService = 0x88A8;
inline constexpr std::uint16_t kVidMask = 0x0FFF;

// A frame in a buffer that it does not own, with room around it.
struct Frame {
  std::uint8_t* octets = nullptr;  // the destination address
  std::uint32_t length = 0;
  std::uint32_t front = 0;  // octets of room before the frame
  std::uint32_t room = 0;   // octets of room from `octets` on, the frame's own included
  void* owner = nullptr;    // whatever the owner of the buffer knows it by

  [[nodiscard]] OctetView view() const noexcept { return {octets, length}; }
};

enum class Carries : std::uint8_t { ip, link, other };

// The places of the parts of a frame.
struct Look {
  Carries carries = Carries::other;
  std::uint16_t type_at = 0;     // of the Ethernet type, behind all VLAN tags
  std::uint32_t payload_at = 0;  // of what follows it
  std::uint32_t packet = 0;      // octets of it; of an IP packet without the padding that may stand behind it
};

// `ip` is an IPv4 or IPv6 packet that is all there, by its own word. Everything that is shorter than an Ethernet
// header, says length instead of type, has more than kMostTags tags or an IP header that contradicts the frame is
// `other`. `link` is a link packet, in a frame of the Ethernet type `link_type`; 0: there are none.
[[nodiscard]] Look look(OctetView frame, std::uint16_t link_type = 0) noexcept;

// The VLANs that the channels of a node's link have: channel n is VID first + n. None when there is one channel.
struct ChannelTags {
  std::uint16_t first = 0;
  std::uint16_t channels = 1;

  [[nodiscard]] bool used() const noexcept { return channels > 1; }
};

// The channel whose tag is the outer one of `frame`; nothing where the outer tag is none of `tags`.
[[nodiscard]] std::optional<std::uint16_t> channel_of(OctetView frame, const ChannelTags& tags) noexcept;

// Puts the tag of `channel` in front of the other ones. False, and the frame as it was, without room for it.
[[nodiscard]] bool insert_tag(Frame& frame, const ChannelTags& tags, std::uint16_t channel) noexcept;

// Takes the outer tag away. REQUIRES: there is one.
void remove_tag(Frame& frame) noexcept;

// A hash of what tells the flow of an IP packet from others: addresses, protocol and, for protocols that have ports (or
// an SPI) in their first four octets, those. Fragments do not all have ports, so those of one flow are hashed without:
// they meet each other, but not necessarily the whole packets of their flow. REQUIRES: what `look` takes for IP.
[[nodiscard]] std::uint64_t flow_hash(OctetView packet) noexcept;

// The worker, out of `workers`, that a plain packet belongs to.
[[nodiscard]] inline unsigned worker_of(OctetView packet, unsigned workers) noexcept {
  return static_cast<unsigned>(((flow_hash(packet) >> 32) * workers) >> 32);
}

// The Ethernet type of an IP packet by its version; nothing when it is none.
[[nodiscard]] inline std::optional<std::uint16_t> type_of_ip(OctetView packet) noexcept {
  const unsigned version = packet.empty() ? 0 : packet[0] >> 4;
  if (version == 4) return kEtherTypeIpv4;
  if (version == 6) return kEtherTypeIpv6;
  return std::nullopt;
}

}  // namespace headroom::node

#endif  // HEADROOM_NODE_FRAME_H
