// SPDX-License-Identifier: Apache-2.0
//
// The handling of a burst's packets on the fast path, for the loop over bursts.
#pragma once

#include "rohc/v1/compressor/compressor.h"
#include "rohc/v1/compressor/fast_path.h"

namespace headroom::rohc::v1 {

// Defined in the header so that the compiler can inline the call for each packet.
inline bool Compressor::compress_fast(std::uint32_t index, headroom_packet& p, std::uint32_t now,
                                      headroom_detail* details, std::size_t i, Fast& fast) noexcept {
  CompressorContext& c = contexts_[index];
  wire::PacketType type = wire::PacketType::kUo0;
  if (compress_predicted(c, p, now)) {
    ++fast.uo_0;
  } else if (c.fast_reliable && compress_predicted<true>(c, p, now)) {
    ++fast.r_0;
    type = wire::PacketType::kR0;
  } else {
    return false;
  }
  p.status = HEADROOM_OK;
  if (details != nullptr) {
    const std::uint8_t header = layout_of(c.shape).header;
    const auto compressed = static_cast<std::uint16_t>(p.out_length + header - p.in_length);
    fill_detail(details[i], {HEADROOM_OK, index, type, CompressorState::kSo, header, compressed});
  }
  return true;
}

inline void Compressor::count(const Fast& fast) noexcept {
  counters_.fast += fast.uo_0 + fast.r_0;
  counters_.packets[static_cast<std::size_t>(wire::PacketType::kUo0)] += fast.uo_0;
  counters_.packets[static_cast<std::size_t>(wire::PacketType::kR0)] += fast.r_0;
}

}  // namespace headroom::rohc::v1
