// SPDX-License-Identifier: Apache-2.0
//
// What instances of each encapsulation do with bursts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cxx/calls.h"
#include "headroom.h"
#include "ule/config.h"

namespace headroom::ule {

// An instance for Encapsulation::gse. Throws ConfigError.
[[nodiscard]] headroom_instance* make_gse(std::int32_t role, const Config& config);

// What both roles do with bursts. `one` handles a packet that has octets and a channel, and returns its status.
template <typename One>
std::size_t each(headroom_packet* packets, std::size_t count, std::uint32_t channels, headroom_detail* details,
                 One&& one) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_packet& p = packets[i];
    headroom_detail* const detail = details != nullptr ? details + i : nullptr;
    if (detail != nullptr) *detail = kUnknown;
    p.out_length = 0;
    if (p.channel >= channels) {
      p.status = HEADROOM_ERR_CHANNEL;
    } else if (p.in_length == 0) {
      p.status = p.in_type == HEADROOM_TYPE_LOST ? HEADROOM_NOTHING : HEADROOM_ERR_MALFORMED;
    } else {
      p.status = one(p, detail);
    }
    if (p.more != 0) return i + 1;
  }
  return count;
}

// `next` fills a record, or returns false.
template <typename Next>
std::size_t drain_into(headroom_packet* packets, std::size_t count, headroom_detail* details, Next&& next) {
  for (std::size_t i = 0; i < count; ++i) {
    headroom_detail* const detail = details != nullptr ? details + i : nullptr;
    if (detail != nullptr) *detail = kUnknown;
    if (!next(packets[i], detail)) return i;
  }
  return count;
}

}  // namespace headroom::ule
