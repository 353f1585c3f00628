// SPDX-License-Identifier: Apache-2.0
//
// The handling of a burst's packets on the fast path, for the loop over bursts.
#pragma once

#include "rohc/v1/decompressor/decompressor.h"
#include "rohc/v1/decompressor/fast_path.h"

namespace headroom::rohc::v1 {

// Defined in the header so that the compiler can inline the call for each packet.
inline bool Decompressor::decompress_fast(const Lookahead& lookahead, headroom_packet& p, std::uint64_t now_ns,
                                          headroom_detail* details, std::size_t i, Fast& fast) noexcept {
  constexpr std::uint8_t kBeyondType0 = 0x80;  // first octets (5.7.1 to 5.7.4)
  DecompressorContext& c = contexts_[lookahead.context];
  const Octets rest{p.in + lookahead.before_rest, p.in_length - lookahead.before_rest};
  wire::PacketType type = wire::PacketType::kUo0;
  if (lookahead.first >= kBeyondType0)
    return decompress_jump(lookahead, rest, p, now_ns, details != nullptr ? details + i : nullptr);
  if (c.fast && decompress_type_0(c, p, lookahead.first, rest, now_ns)) {
    ++fast.uo_0;
  } else if (c.fast_reliable && lookahead.first < 0x40 &&
             decompress_type_0<true>(c, p, lookahead.first, rest, now_ns)) {
    ++fast.r_0;
    type = wire::PacketType::kR0;
  } else {
    return false;
  }
  p.status = HEADROOM_OK;
  if (details != nullptr) {
    const std::uint8_t header = layout_of(c.shape).header;
    const auto compressed = static_cast<std::uint16_t>(p.in_length + header - p.out_length);
    fill_detail(details[i], {HEADROOM_OK, lookahead.context, type, Event::kNone, header, compressed});
  }
  return true;
}

inline void Decompressor::count(const Fast& fast) noexcept {
  counters_.fast += fast.uo_0 + fast.r_0;
  counters_.delivered += fast.uo_0 + fast.r_0;
  counters_.packets[static_cast<std::size_t>(wire::PacketType::kUo0)] += fast.uo_0;
  counters_.packets[static_cast<std::size_t>(wire::PacketType::kR0)] += fast.r_0;
}

}  // namespace headroom::rohc::v1
