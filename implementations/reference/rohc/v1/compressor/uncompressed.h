// SPDX-License-Identifier: Apache-2.0
//
// The compressor of profile 0x0000 Uncompressed: RFC 3095 5.10, RFC 5795 5.4.
#pragma once

#include "rohc/v1/compressor/flow.h"

namespace headroom::rohc {

struct Uncompressed {
  std::size_t octets = 0;  // octets written; 0 if there was no room
  wire::PacketType type = wire::PacketType::kUnknown;
};

// Writes `packet` as an IR or a Normal packet into `room`.
[[nodiscard]] Uncompressed write_uncompressed(Flow flow, Octets packet, std::span<std::uint8_t> room) noexcept;

}  // namespace headroom::rohc
