// SPDX-License-Identifier: Apache-2.0
//
// What a family of profiles promises the framework at the decompressor's side, and which family a packet is for.
#pragma once

#include <cstdint>

#include "headroom.h"
#include "rohc/framework/decompressor/intake.h"
#include "rohc/framework/owners.h"

namespace headroom::rohc {

class DecompressorFamily {
 public:
  // Whether this channel's IR and IR-DYN packets with that octet name a profile of the family (RFC 5795 5.1.2: no two
  // profiles of a channel share it).
  [[nodiscard]] virtual bool has_profile(std::uint8_t octet) const noexcept = 0;

  // Decompresses a packet for the context: fills `packet` and `detail`, unless that is nullptr, counts, sends feedback.
  // The family may take a context that is unused or another family's (Owners::take) once the packet is verified.
  virtual void decompress(const Framed& framed, std::uint32_t index, headroom_packet& packet, std::uint64_t now_ns,
                          headroom_detail* detail) noexcept = 0;

  // Another family has taken the context: none of the family's paths may take it for one in use.
  virtual void drop(std::uint32_t index) noexcept = 0;

 protected:
  ~DecompressorFamily() = default;
};

// IR and IR-DYN packets are for the family that has the profile that they name, all others for the one that has the
// context. Where there is none, the first family says so.
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
