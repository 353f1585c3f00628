// SPDX-License-Identifier: Apache-2.0
//
// SDF filters (TS 29.244, 8.2.5): flow descriptions, which are IPFilterRules of Diameter (RFC 6733, 4.3.1, as
// TS 29.212, 5.4.2 restricts them), and the other fields of a filter.
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

// FlowEnd is one end of a flow description. No ports: every port, and packets without ports.
struct FlowEnd {
  enum class Kind : std::uint8_t { any, assigned, prefix };  // "any", "assigned" (the addresses of the user), a prefix
  Kind kind = Kind::any;
  std::uint8_t prefix_length = 0;  // of `address` in IPv6 notation: 96 more for IPv4
  Address address{};
  std::vector<PortRange> ports{};
};

// SdfFilter describes the downlink: `remote` is where packets come from, `local` the user. A PDR with the source
// interface "access" is given packets the other way round and swaps them (TS 29.244, 5.2.1A.2A).
struct SdfFilter {
  std::optional<std::uint8_t> protocol{};  // none: "ip"
  FlowEnd remote{};
  FlowEnd local{};
  std::uint8_t traffic_class = 0;  // with its mask; mask 0: not compared
  std::uint8_t traffic_class_mask = 0;
  std::optional<std::uint32_t> spi{};         // security parameter index of IPsec
  std::optional<std::uint32_t> flow_label{};  // 20 bits, of IPv6
  std::uint32_t id = 0;                       // SDF Filter ID (bidirectional filters); 0: none
  bool has_flow = true;                       // false: the filter has no flow description
};

// Parses "permit out PROTOCOL from SOURCE [PORTS] to DESTINATION [PORTS]" into the protocol and the two ends. Returns
// nothing where the text is no such rule: other actions, directions and options are refused, as TS 29.212 has it.
[[nodiscard]] std::optional<SdfFilter> parse_flow_description(std::string_view text);

// PacketFields are the fields of a user's IP packet that filters look at. Without ports: not the first fragment, or a
// protocol that has none.
struct PacketFields {
  const std::uint8_t* source = nullptr;       // 4 or 16 octets
  const std::uint8_t* destination = nullptr;  // 4 or 16 octets
  std::uint32_t flow_label = 0;
  std::uint32_t spi = 0;
  std::uint32_t length = 0;  // of the packet by its own header
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint16_t payload_at = 0;  // offset of the payload of TCP or UDP, or 0
  std::uint8_t version = 0;      // 4 or 6
  std::uint8_t protocol = 0;
  std::uint8_t traffic_class = 0;
  bool has_ports = false;
  bool has_spi = false;
};

// UserAddresses of one session. IPv4 0 and prefix 0: none.
struct UserAddresses {
  std::uint32_t ipv4 = 0;
  std::uint64_t ipv6 = 0;  // the first 64 bits
};

// True if the filter matches the packet. `uplink`: the packet comes from the user.
[[nodiscard]] bool matches(const SdfFilter& filter, const PacketFields& packet, const UserAddresses& user,
                           bool uplink) noexcept;

// RemoteEnd is what FilterScreen looks at of a packet.
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

// FilterScreen stands before a filter and refuses most packets that it does not match. Screens lie in a row, so that a
// packet that matches none of many filters reads little memory.
struct FilterScreen {
  std::uint32_t remote = 0;  // IPv4, under the mask
  std::uint32_t mask = 0;
  PortRange ports{};
  std::uint8_t version = 0;   // 0: any
  std::uint8_t protocol = 0;  // under the mask
  std::uint8_t protocol_mask = 0;
  bool is_last = false;  // of the filters of one PDR
  const SdfFilter* filter = nullptr;

  // REQUIRES: `filter` outlives the screen.
  [[nodiscard]] static FilterScreen of(const SdfFilter& filter) noexcept;

  [[nodiscard]] bool refuses(const RemoteEnd& end) const noexcept {
    return ((end.ipv4 ^ remote) & mask) != 0 || ((end.protocol ^ protocol) & protocol_mask) != 0 ||
           end.port < ports.first || end.port > ports.last || (version != 0 && version != end.version);
  }
};

}  // namespace headroom::gtpu
