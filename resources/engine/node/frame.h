// SPDX-License-Identifier: Apache-2.0
//
// The Ethernet side of a node: the content of a frame, its channel and its worker. Pure functions over octets; nothing
// here uses DPDK.
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
inline constexpr std::uint32_t kMostTags = 4;  // a frame with more tags is not changed
inline constexpr std::uint32_t kLargestHeader = kHeader + kMostTags * kTag;
inline constexpr std::uint32_t kSmallestPayload = 46;  // IEEE 802.3, 3.2.8: a shorter payload is padded on its way
inline constexpr std::uint16_t kTpidCustomer = 0x8100, kTpidService = 0x88A8;
inline constexpr std::uint16_t kVidMask = 0x0FFF;

// A frame in a buffer that the frame does not own, with room around it.
struct Frame {
  std::uint8_t* octets = nullptr;  // first octet of the destination address
  std::uint32_t length = 0;
  std::uint32_t front = 0;  // octets of room before the frame
  std::uint32_t room = 0;   // octets of room from `octets` on, including the frame
  void* owner = nullptr;    // handle of the buffer for its owner

  [[nodiscard]] OctetView view() const noexcept { return {octets, length}; }
};

enum class Carries : std::uint8_t { ip, link, other };

// The offsets of the parts of a frame.
struct FrameParts {
  Carries carries = Carries::other;
  std::uint16_t type_at = 0;     // offset of the Ethernet type, after all VLAN tags
  std::uint32_t payload_at = 0;  // offset of the payload after the type
  std::uint32_t packet = 0;      // octets of the payload; for an IP packet without padding after it
};

// Finds the parts of a frame. `ip` is an IPv4 or IPv6 packet that is complete by its own length. `link` is a link
// packet in a frame of the Ethernet type `link_type`; 0: there are none. `other` is every frame that is shorter than an
// Ethernet header, has a length instead of a type, more than kMostTags tags, or an IP header that contradicts the
// frame.
[[nodiscard]] FrameParts find_parts(OctetView frame, std::uint16_t link_type = 0) noexcept;

// The VLANs of the channels of a node's link: channel n has VID first + n. A single channel has no VLAN.
struct ChannelTags {
  std::uint16_t first = 0;
  std::uint16_t channels = 1;

  [[nodiscard]] bool used() const noexcept { return channels > 1; }
};

// Returns the channel whose tag is the outer tag of `frame`, or nothing if the outer tag is none of `tags`.
[[nodiscard]] std::optional<std::uint16_t> channel_of(OctetView frame, const ChannelTags& tags) noexcept;

// Inserts the tag of `channel` in front of the other tags. Returns false, with the frame unchanged, if there is no room
// for it.
[[nodiscard]] bool insert_tag(Frame& frame, const ChannelTags& tags, std::uint16_t channel) noexcept;

// Removes the outer tag. REQUIRES: there is one.
void remove_tag(Frame& frame) noexcept;

// Returns a hash of the fields that identify the flow of an IP packet: addresses, protocol and, for protocols that have
// ports (or an SPI) in their first four octets, these octets. Fragments are hashed without ports, as not all of them
// have ports: they get the same hash as one another, but not necessarily as the whole packets of their flow. REQUIRES:
// a packet that `find_parts` finds to be IP.
[[nodiscard]] std::uint64_t flow_hash(OctetView packet) noexcept;

// Returns the worker, out of `workers`, that a plain packet belongs to.
[[nodiscard]] inline unsigned worker_of(OctetView packet, unsigned workers) noexcept {
  return static_cast<unsigned>(((flow_hash(packet) >> 32) * workers) >> 32);
}

// Returns the Ethernet type of an IP packet by its version, or nothing if it is no IP packet.
[[nodiscard]] inline std::optional<std::uint16_t> type_of_ip(OctetView packet) noexcept {
  const unsigned version = packet.empty() ? 0 : packet[0] >> 4;
  if (version == 4) return kEtherTypeIpv4;
  if (version == 6) return kEtherTypeIpv6;
  return std::nullopt;
}

}  // namespace headroom::node

#endif  // HEADROOM_NODE_FRAME_H
