// SPDX-License-Identifier: Apache-2.0
//
// Networks as text, and the addresses, ports and identifiers that a flow has in them.
#ifndef HEADROOM_TRAFFIC_ADDRESSES_H
#define HEADROOM_TRAFFIC_ADDRESSES_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "traffic/profile.h"

namespace headroom::traffic {

// "10.0.0.0/8", "192.0.2.1"; nothing if it is neither, or if bits beyond the prefix are set.
[[nodiscard]] std::optional<Network4> parse_network4(const std::string& text);
[[nodiscard]] std::optional<Network6> parse_network6(const std::string& text);

// The address of flow `flow`: the (flow + 1)-th of the network, so that flows differ as long as the network has room.
[[nodiscard]] std::uint32_t address_in(const Network4& network, std::uint64_t flow) noexcept;

// Returns the IPv6 address of flow `flow`. Flows differ in the bits between the prefix and bit 64, because an access
// network gives each subscriber a /64; `key` determines the interface identifiers. With a prefix of more than 64 bits,
// flows differ in the bits after the prefix.
[[nodiscard]] std::array<std::uint8_t, 16> address_in(const Network6& network, std::uint64_t flow,
                                                      std::uint64_t key) noexcept;

// The member that flow `flow` is of a population that is drawn from by `key`: another one for each flow, until all have
// had their turn. REQUIRES: 0 < population <= kMostMembers. Takes constant time on average.
[[nodiscard]] std::uint64_t member_of(std::uint32_t population, std::uint64_t flow, std::uint64_t key) noexcept;

// The identifier of a member's tunnel endpoint: never 0, which tunnels reserve, and another one for each member below
// 2^32 - 1.
[[nodiscard]] std::uint32_t tunnel_endpoint_of(std::uint64_t member, std::uint64_t key) noexcept;

}  // namespace headroom::traffic

#endif  // HEADROOM_TRAFFIC_ADDRESSES_H
