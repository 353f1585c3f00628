// SPDX-License-Identifier: Apache-2.0
#include "schemes/scheme.h"

#include <array>

namespace headroom::ule {
namespace {

// ISO/IEC 13818-1, 2.4.3.2: a TS packet, and where its transport_error_indicator is.
constexpr std::size_t kTsOctets = 188;
constexpr ErrorMark kTransportErrorIndicator = {.octet = 1, .mask = 0x80};

// A null packet (ISO/IEC 13818-1, 2.4.1): PID 0x1FFF, a continuity counter that says nothing, and any payload.
constexpr std::array<std::uint8_t, kTsOctets> null_packet() {
  std::array<std::uint8_t, kTsOctets> packet{};
  packet.fill(0xFF);
  packet[0] = 0x47;
  packet[1] = 0x1F;
  packet[2] = 0xFF;
  packet[3] = 0x10;
  return packet;
}

constexpr std::array<std::uint8_t, kTsOctets> kNullPacket = null_packet();
constexpr LinkFraming kFraming = {.title = "ULE", .idle = kNullPacket, .error_mark = kTransportErrorIndicator};

}  // namespace

const Scheme& scheme() noexcept {
  static constexpr Scheme kScheme = {.name = "ule", .framing = &kFraming};
  return kScheme;
}

}  // namespace headroom::ule
