// SPDX-License-Identifier: Apache-2.0
//
// Extracts the packet from a captured frame. Handles link types, not capture files.
#ifndef HEADROOM_CAPTURE_FRAME_H
#define HEADROOM_CAPTURE_FRAME_H

#include <array>
#include <cstdint>
#include <optional>

#include "base/octets.h"

namespace headroom {

// Link types as numbered in pcap files (https://www.tcpdump.org/linktypes.html), for the types that are read.
enum class LinkType : std::uint32_t {
  null_loopback = 0,  // four octets of address family, in the capturing host's byte order
  ethernet = 1,
  ppp = 9,
  ppp_hdlc = 50,
  raw_ip = 101,
  raw_ip_old = 12,
  openbsd_loop = 108,  // as null_loopback, in network byte order
  linux_sll = 113,
  ppp_pppd = 166,            // with the direction (0: received) instead of the address field
  ppp_with_direction = 204,  // after an octet with the direction (0: received)
  ipv4 = 228,
  ipv6 = 229,
  mpeg2_ts = 243,  // a TS packet of 188 octets, without any frame
  linux_sll2 = 276
};

inline constexpr std::uint16_t kEtherTypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEtherTypeIpv6 = 0x86DD;
inline constexpr std::uint16_t kSmallestEtherType = 0x0600;  // IEEE 802.3: smaller values are lengths
inline constexpr std::uint16_t kEtherTypeFrame = 0x6558;     // a whole frame: IEEE's "Transparent Ethernet Bridging"

// Protocol numbers of PPP (RFC 1661, 2).
inline constexpr std::uint16_t kPppIpv4 = 0x0021;
inline constexpr std::uint16_t kPppIpv6 = 0x0057;

using MacAddress = std::array<std::uint8_t, 6>;

// The direction of a frame as seen by the capturing end, if frames state it.
enum class FrameDirection : std::uint8_t { unknown, received, sent };

struct FramePayload {
  std::uint16_t ether_type = 0;  // 0: the frame has no Ethernet type
  OctetView octets;              // view into the frame
  std::optional<MacAddress> source_mac;
  std::optional<std::uint16_t> ppp_protocol = std::nullopt;  // protocol of a PPP frame
  FrameDirection direction = FrameDirection::unknown;
};

[[nodiscard]] bool is_known(LinkType type) noexcept;

// Returns the payload of a frame, or nothing if the frame is too short, has another link type, or has a length instead
// of a type. VLAN tags (802.1Q, 802.1ad) are skipped. PPP protocols for IP become the Ethernet types of the same
// packets; address and control field and the first octet of the protocol may be missing (RFC 1662, 3.2; RFC 1661, 6.5).
[[nodiscard]] std::optional<FramePayload> unwrap(LinkType type, OctetView frame) noexcept;

// True if the packet is not empty, but its own length field is 0: it was captured before segmentation offload (TSO,
// GSO, BIG TCP), and is as long as its frame.
[[nodiscard]] bool has_no_length(OctetView ip) noexcept;

// Writes the length of a packet without one, and updates the checksum of an IPv4 header. REQUIRES: has_no_length, and
// at most 65,535 octets.
void write_length(Octets& ip) noexcept;

// True if `octets` begin like an IP packet: with a version, and a length that holds the header. A packet cut short
// within its header counts, too.
[[nodiscard]] bool is_ip(OctetView octets) noexcept;

// Returns the IP packet at the front of `octets`, without the octets that follow it (Ethernet pads short frames), or
// nothing if there is no complete IP packet. Returns all of `octets` if has_no_length.
[[nodiscard]] std::optional<OctetView> trim_ip(OctetView octets) noexcept;

}  // namespace headroom

#endif  // HEADROOM_CAPTURE_FRAME_H
