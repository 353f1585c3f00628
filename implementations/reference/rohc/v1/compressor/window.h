// SPDX-License-Identifier: Apache-2.0
//
// The W-LSB window of a flow (RFC 3095 4.5.2): the last packets sent with a protecting CRC, any of which the
// decompressor may be using as its reference. One window serves SN, TS and the offset of the IP-ID.
//
// The fast path sends only packets whose fields continue a straight line, so it counts its packets and stores no
// references; catch_up() adds these references later.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mutants.h"
#include "rohc/v1/compressor/context.h"
#include "rohc/v1/encoding/lsb.h"

namespace headroom::rohc {

// The smallest and largest distance of a value from the references in the window.
struct Span {
  std::int64_t low = 0;
  std::int64_t high = 0;

  constexpr void add(std::int64_t distance, bool first) noexcept {
    low = first ? distance : std::min(low, distance);
    high = first ? distance : std::max(high, distance);
  }
  // True if `bits` bits suffice to decode the value with every reference (RFC 3095 4.5.2, step 2).
  [[nodiscard]] constexpr bool covered_by(unsigned bits, std::int64_t p) const noexcept {
    return lsb_covers(low, bits, p) && lsb_covers(high, bits, p);
  }
};

// Returns the index of the reference that is `age` packets old. REQUIRES: age < reference_count.
[[nodiscard]] inline unsigned slot_of(const FlowHistory& h, unsigned age) noexcept {
  return (h.newest + kMaxReferences - age) % kMaxReferences;
}
[[nodiscard]] inline const Reference& reference(const FlowHistory& h, unsigned age) noexcept {
  return h.references[slot_of(h, age)];
}

inline void add_reference(FlowHistory& h, Reference r, unsigned width) noexcept {
  h.newest = static_cast<std::uint8_t>((h.newest + 1) % kMaxReferences);
  h.references[h.newest] = r;
  h.reference_count =
      static_cast<std::uint8_t>(std::min<unsigned>(h.reference_count + 1U, mutant("window-of-one") ? 1U : width));
}

inline void forget_references(FlowHistory& h) noexcept { h.reference_count = 0; }

// Removes the references older than the acknowledged one: "The window is advanced by removing those values" (4.5.2,
// step 3).
inline void acknowledge_reference(FlowHistory& h, std::uint16_t sn) noexcept {
  for (unsigned age = 0; age < h.reference_count; ++age) {
    if (reference(h, age).sn == sn) {
      h.reference_count = static_cast<std::uint8_t>(age + 1);
      return;
    }
  }
}

// Adds the packets of the fast path to the window, up to its width. Their SN, TS and IP-ID offset lie on a line that
// ends in `c`, so these packets also confirm the stride and the IP-ID behaviour.
inline void catch_up(CompressorContext& c, FlowHistory& h, unsigned width) noexcept {
  const bool updates = c.mode != wire::Mode::kReliable;  // R-0 is no reference
  for (unsigned left = updates ? std::min<unsigned>(c.fast_run, width) : 0U; left > 0; --left) {
    const std::uint32_t back = left - 1;
    add_reference(h, {c.ts - back * c.ts_stride, static_cast<std::uint16_t>(c.sn - back), c.id_base}, width);
  }
  if (c.fast_run != 0) {
    h.stride_provisional = false;
    h.stride_votes = 0;
    h.id_votes = 0;
  }
  c.fast_run = 0;
}

}  // namespace headroom::rohc
