// SPDX-License-Identifier: Apache-2.0
//
// SDF filters (TS 29.244, 8.2.5): flow descriptions, which are Diameter IPFilterRules (RFC 6733, 4.3.1, as restricted
// by TS 29.212, 5.4.2), and the other fields of a filter.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gtpu/wire/address.h"

namespace headroom::gtpu {

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0xFFFF;
};

// FlowEnd is one end of a flow description. Empty `ports`: matches every port, and packets without ports.
struct FlowEnd {
  enum class Kind : std::uint8_t { any, assigned, prefix };  // "any", "assigned" (the user's addresses), or a prefix
  Kind kind = Kind::any;
  std::uint8_t prefix_length = 0;  // prefix length of `address` as IPv6: 96 more than in IPv4
  Address address{};
  std::vector<PortRange> ports{};
};

// SdfFilter describes downlink packets: `remote` is their source, `local` the user. A PDR with the source interface
// "access" matches packets of the opposite direction, and the two ends are swapped (TS 29.244, 5.2.1A.2A).
struct SdfFilter {
  std::optional<std::uint8_t> protocol{};  // none: "ip"
  FlowEnd remote{};
  FlowEnd local{};
  std::uint8_t traffic_class = 0;  // compared under the mask; mask 0: not compared
  std::uint8_t traffic_class_mask = 0;
  std::optional<std::uint32_t> spi{};         // security parameter index of IPsec
  std::optional<std::uint32_t> flow_label{};  // 20 bits, of IPv6
  std::uint32_t id = 0;                       // SDF Filter ID (bidirectional filters); 0: none
  bool has_flow = true;                       // false: the filter has no flow description
};

// Parses "permit out PROTOCOL from SOURCE [PORTS] to DESTINATION [PORTS]" into the protocol and the two ends. Returns
// nothing if the text is not such a rule: other actions, directions and options are refused, as TS 29.212 requires.
[[nodiscard]] std::optional<SdfFilter> parse_flow_description(std::string_view text);

// PacketFields are the fields of a user's IP packet that filters compare. Ports are missing in fragments other than the
// first one, and in protocols without ports.
struct PacketFields {
  const std::uint8_t* source = nullptr;       // 4 or 16 octets
  const std::uint8_t* destination = nullptr;  // 4 or 16 octets
  std::uint32_t flow_label = 0;
  std::uint32_t spi = 0;
  std::uint32_t length = 0;  // length of the packet in octets, as its IP header says
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint16_t payload_at = 0;  // offset of the payload of TCP or UDP, or 0
  std::uint8_t version = 0;      // 4 or 6
  std::uint8_t protocol = 0;
  std::uint8_t traffic_class = 0;
  bool has_ports = false;
  bool has_spi = false;
};

// UserAddresses are the UE addresses of a session. 0: no address of this IP version.
struct UserAddresses {
  std::uint32_t ipv4 = 0;
  std::uint64_t ipv6 = 0;  // the first 64 bits
};

// True if the filter matches the packet. `uplink`: the packet comes from the user.
[[nodiscard]] bool matches(const SdfFilter& filter, const PacketFields& packet, const UserAddresses& user,
                           bool uplink) noexcept;

// RemoteEnd has the fields of a packet that FilterScreen compares.
struct RemoteEnd {
  std::uint32_t ipv4 = 0;
  std::uint16_t port = 0;
  std::uint8_t version = 0;
  std::uint8_t protocol = 0;

  [[nodiscard]] static RemoteEnd of(const PacketFields& p, bool uplink) noexcept {
    return {p.version == 4 ? read32(uplink ? p.destination : p.source) : 0, uplink ? p.destination_port : p.source_port,
            p.version, p.protocol};
  }
};

// FilterScreen is a quick check in front of a filter that refuses most packets that the filter does not match. The
// screens of many filters lie in a row, so that a packet that matches no filter reads little memory.
struct FilterScreen {
  std::uint32_t remote = 0;  // IPv4, under the mask
  std::uint32_t mask = 0;
  PortRange ports{};
  std::uint8_t version = 0;   // 0: any
  std::uint8_t protocol = 0;  // under the mask
  std::uint8_t protocol_mask = 0;
  bool is_last = false;  // True for the last filter of a PDR
  const SdfFilter* filter = nullptr;

  // Returns the screen of a filter. REQUIRES: `filter` outlives the screen.
  [[nodiscard]] static FilterScreen of(const SdfFilter& filter) noexcept;

  [[nodiscard]] bool refuses(const RemoteEnd& end) const noexcept {
    return ((end.ipv4 ^ remote) & mask) != 0 || ((end.protocol ^ protocol) & protocol_mask) != 0 ||
           end.port < ports.first || end.port > ports.last || (version != 0 && version != end.version);
  }
};

}  // namespace headroom::gtpu
