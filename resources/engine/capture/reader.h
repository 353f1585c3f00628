// SPDX-License-Identifier: Apache-2.0
//
// Reads capture files (pcap and pcapng) with libpcap. In a build without libpcap (HEADROOM_CAPTURES=OFF), reading
// throws.
#ifndef HEADROOM_CAPTURE_READER_H
#define HEADROOM_CAPTURE_READER_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/octets.h"
#include "capture/frame.h"
#include "capture/link_framing.h"

namespace headroom {

struct CapturedPacket {
  std::uint64_t time_ns = 0;  // since the first packet of the file; never decreases
  Octets octets;
  std::uint16_t type = 0;  // type of a link packet, if its scheme has types
};

struct CaptureFilter {
  const LinkFraming* link = nullptr;  // framing of the link packets to read; nullptr: IP packets
  std::optional<MacAddress> source_mac;
  FrameDirection direction = FrameDirection::unknown;  // unknown: either
  bool one_sender = false;                             // without a filter: only link packets of the first sender
  std::size_t ppp_variant = 0;                         // variant of the link packets, if PPP distinguishes them
};

struct CaptureCounts {
  std::uint64_t truncated = 0;     // incomplete frames or packets: left out
  std::uint64_t too_long = 0;      // packets of more than 65,535 octets: left out
  std::uint64_t others = 0;        // frames with other content: left out
  std::uint64_t other_sender = 0;  // link packets of another sender: left out
  std::uint64_t without_length =
      0;  // packets as long as their frames, for they say 0 themselves: their length is written
};

struct Capture : CaptureCounts {
  std::vector<CapturedPacket> packets;
  std::uint64_t other_variant = 0;  // link packets of another variant, `other`: left out
  const PppVariant* other = nullptr;
};

inline constexpr std::size_t kMostCapturedOctets = std::size_t{4}
                                                   << 30;  // in all, so that a file cannot take all memory

// Reads a capture file. Throws Error(input) with a sentence if the file cannot be opened, is no capture, has an
// unsupported link type, or ends in the middle of a packet.
[[nodiscard]] Capture read_capture(const std::string& path, const CaptureFilter& filter);

// Reads a capture from a file in memory, for tests.
[[nodiscard]] Capture read_capture(OctetView file, const CaptureFilter& filter);

// Parses a MAC address such as "02:00:00:00:00:01".
[[nodiscard]] std::optional<MacAddress> parse_mac(const std::string& text);

}  // namespace headroom

#endif  // HEADROOM_CAPTURE_READER_H
