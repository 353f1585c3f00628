// SPDX-License-Identifier: Apache-2.0
//
// CONTEXT_STATE: RFC 2507, 10.2. The packet consists of a type, a count of CIDs, and the CIDs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "iphc/wire/octets.h"

namespace headroom::iphc::wire {

inline constexpr std::uint8_t kTcpHeaderRequest = 3;
inline constexpr std::size_t kMostRequests = 255;  // the count is one octet
inline constexpr std::size_t kLongestContextState = 2 + kMostRequests;

// Returns the CIDs of a TCP header request, or nothing if the packet is of another type or its count does not match its
// length.
[[nodiscard]] inline std::optional<Octets> requested_cids(Octets packet) noexcept {
  if (packet.size() < 2 || packet[0] != kTcpHeaderRequest || packet[1] != packet.size() - 2 || packet[1] == 0)
    return std::nullopt;
  return packet.subspan(2);
}

}  // namespace headroom::iphc::wire
