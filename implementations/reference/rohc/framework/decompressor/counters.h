// SPDX-License-Identifier: Apache-2.0
//
// Counters of a decompressor's received packets by their outcome, for all profiles.
#pragma once

#include <cstdint>

#include "headroom.h"

namespace headroom::rohc {

struct ArrivalCounters {
  std::uint64_t delivered = 0;
  std::uint64_t malformed = 0;
  std::uint64_t no_context = 0;
  std::uint64_t not_allowed = 0;
  std::uint64_t crc_failures = 0;
  std::uint64_t held_back = 0;
  std::uint64_t unsupported = 0;
  std::uint64_t reassembled = 0;  // units reassembled from segments
  std::uint64_t abandoned = 0;    // units abandoned because a packet arrived that is no segment
  // Feedback sent
  std::uint64_t acks = 0;
  std::uint64_t nacks = 0;
  std::uint64_t static_nacks = 0;
  std::uint64_t rejects = 0;

  void tally(std::int32_t status) noexcept {
    switch (status) {
      case HEADROOM_OK:
        ++delivered;
        break;
      case HEADROOM_NOTHING:
      case HEADROOM_ERR_NO_SPACE:
        break;
      case HEADROOM_ERR_NO_CONTEXT:
        ++no_context;
        break;
      case HEADROOM_ERR_STATE:
        ++not_allowed;
        break;
      case HEADROOM_ERR_CRC:
        ++crc_failures;
        break;
      case HEADROOM_ERR_REPAIR:
        ++held_back;
        break;
      case HEADROOM_ERR_UNSUPPORTED:
        ++unsupported;
        break;
      default:
        ++malformed;
        break;
    }
  }
};

}  // namespace headroom::rohc
