// SPDX-License-Identifier: Apache-2.0
//
// LinkDigest is a digest of everything that was put on a link, in order and before impairments. Two runs of a job with
// the same digest had the same octets on the link.
#ifndef HEADROOM_LINK_DIGEST_H
#define HEADROOM_LINK_DIGEST_H

#include <array>
#include <cstdint>
#include <string>

#include "base/octets.h"
#include "base/sha256.h"

namespace headroom {

class LinkDigest {
 public:
  // Adds a packet. `way` distinguishes the ways of packets in a run: the two directions, and the feedback channels of
  // each.
  void add(std::uint8_t way, std::uint32_t channel, OctetView octets, std::uint16_t type = 0) {
    const auto length = static_cast<std::uint32_t>(octets.size());
    std::array<std::uint8_t, 9> prefix = {way};
    for (unsigned i = 0; i < 4; ++i) {
      prefix[1 + i] = static_cast<std::uint8_t>(channel >> (24 - 8 * i));
      prefix[5 + i] = static_cast<std::uint8_t>(length >> (24 - 8 * i));
    }
    sha256_.update(prefix);
    if (type != 0) sha256_.update(std::array{static_cast<std::uint8_t>(type >> 8), static_cast<std::uint8_t>(type)});
    sha256_.update(octets);
  }

  // Returns 64 hexadecimal digits. The object cannot be used afterwards.
  [[nodiscard]] std::string finish() { return sha256_.finish(); }

 private:
  Sha256 sha256_;
};

}  // namespace headroom

#endif  // HEADROOM_LINK_DIGEST_H
