// SPDX-License-Identifier: Apache-2.0
//
// Segments: RFC 3095 5.2.5.2, RFC 5795 5.2.5.2. The unit that is segmented consists of a ROHC packet and its CRC-32.
#pragma once

#include <cstdint>

#include "mutants.h"
#include "rohc/framework/wire/crc.h"
#include "rohc/framework/wire/octets.h"

namespace headroom::rohc::wire {

inline constexpr std::size_t kSegmentCrc = 4;        // octets
inline constexpr std::uint8_t kFinalSegment = 0x01;  // F

// Writes the four octets that follow `packet` in its unit: FCS-32, complemented and least significant octet first (RFC
// 1662 C.3; RFC 4815 Appendix A: "the text implies that this is complemented like for PPP").
inline void write_segment_crc(Octets packet, std::uint8_t* at) noexcept {
  const std::uint32_t crc = mutant("segment-crc-not-complemented") ? crc32(packet) : ~crc32(packet);
  for (std::size_t i = 0; i < kSegmentCrc; ++i) at[i] = static_cast<std::uint8_t>(crc >> 8 * i);
}

// REQUIRES: the unit has more than four octets.
[[nodiscard]] inline bool segment_crc_is_right(Octets unit) noexcept {
  if (mutant("segment-crc-not-checked")) return true;
  return load_little32(unit.data() + unit.size() - kSegmentCrc) ==
         static_cast<std::uint32_t>(~crc32(unit.first(unit.size() - kSegmentCrc)));
}

}  // namespace headroom::rohc::wire
