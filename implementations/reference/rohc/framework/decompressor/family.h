// SPDX-License-Identifier: Apache-2.0
//
// The interface between the framework and a family of profiles at the decompressor, and the choice of the family for a
// packet.
#pragma once

#include <cstdint>

#include "headroom.h"
#include "rohc/framework/decompressor/intake.h"
#include "rohc/framework/owners.h"

namespace headroom::rohc {

class DecompressorFamily {
 public:
  // True if this profile octet in IR and IR-DYN packets of the channel names a profile of the family (RFC 5795 5.1.2:
  // no two profiles of a channel share the octet).
  [[nodiscard]] virtual bool has_profile(std::uint8_t octet) const noexcept = 0;

  // Decompresses a packet of the context: fills `packet` and `detail` (may be nullptr), counts the packet and sends
  // feedback. Once the packet is verified, the family may take over a context that is unused or owned by another family
  // (Owners::take).
  virtual void decompress(const Framed& framed, std::uint32_t index, headroom_packet& packet, std::uint64_t now_ns,
                          headroom_detail* detail) noexcept = 0;

  // Drops the context, which another family has taken: all of this family's paths must treat the context as unused.
  virtual void drop(std::uint32_t index) noexcept = 0;

 protected:
  ~DecompressorFamily() = default;
};

// Returns the family that decompresses a packet: for IR and IR-DYN packets the family of the profile in the packet, for
// other packets the owner of the context. Without such a family, the first family reports the error.
[[nodiscard]] inline DecompressorFamily& family_for(const Owners<DecompressorFamily>& owners, const Framed& framed,
                                                    std::uint32_t index) noexcept {
  DecompressorFamily* const first = owners.families().front();
  if (!wire::names_profile(framed.first)) {
    DecompressorFamily* const owner = owners.of(index);
    return owner != nullptr ? *owner : *first;
  }
  if (framed.rest.empty()) return *first;
  for (DecompressorFamily* const family : owners.families()) {
    if (family->has_profile(framed.rest[0])) return *family;
  }
  return *first;
}

}  // namespace headroom::rohc
