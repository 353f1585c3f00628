// SPDX-License-Identifier: Apache-2.0
//
// The packets that a job names: rendered from a profile, read from a capture, or written out in the job (README.md,
// "source").
#ifndef HEADROOM_TRAFFIC_SOURCE_H
#define HEADROOM_TRAFFIC_SOURCE_H

#include <cstdint>
#include <optional>
#include <vector>

#include "base/json_reader.h"
#include "base/octets.h"
#include "capture/link_framing.h"
#include "capture/reader.h"

namespace headroom {

inline constexpr std::uint32_t kUnknownLength = 0xFFFFFFFF;
inline constexpr std::size_t kMostSourcePackets = 20'000'000;

struct SourcePacket {
  std::uint64_t time_ns = 0;
  std::uint32_t channel = 0;
  std::uint32_t flow = 0;
  std::uint32_t header_length = kUnknownLength;  // octets in front of the payload
  Octets octets;
  bool absent = false;     // null in a list of expected packets
  std::uint16_t type = 0;  // of the link layer (headroom.h, "Types")
};

struct SourceLayout {
  std::uint64_t seed = 0;
  std::uint32_t channels = 1;
  std::uint32_t flows_of_channel = 16;
  bool reverse = false;
  bool allow_absent = false;          // null in a list of packets: for `expected`
  const LinkFraming* link = nullptr;  // of a capture's link packets; nullptr: its IP packets are the source
  std::size_t ppp_variant = 0;        // of link packets
  std::size_t most_octets = 65'535;
  std::optional<CaptureCounts>* counts = nullptr;  // set where the source is a capture
};

// Returns the channel of a flow: each channel carries `flows_of_channel` flows, as long as there are more channels.
[[nodiscard]] constexpr std::uint32_t channel_of(std::uint64_t flow, std::uint32_t channels,
                                                 std::uint32_t flows_of_channel) noexcept {
  return static_cast<std::uint32_t>(flow / flows_of_channel % channels);
}

// Reads the packets, in order of time. Throws Error.
[[nodiscard]] std::vector<SourcePacket> read_source(const Value& value, const SourceLayout& layout);

}  // namespace headroom

#endif  // HEADROOM_TRAFFIC_SOURCE_H
