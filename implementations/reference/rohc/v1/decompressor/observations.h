// SPDX-License-Identifier: Apache-2.0
//
// Observations of a flow for reports to the compressor: the longest loss (LOSS, RFC 3095 5.7.6.9) and the largest
// jitter (JITTER, 5.7.6.8). Each context has an Observations object if reports are enabled.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace headroom::rohc {

// All octets zero: nothing observed.
struct Observations {
  // "The decompressor's best approximation of the sliding window of the compressor": the last headers decompressed.
  static constexpr std::size_t kWindow = 8;
  std::array<std::uint32_t, kWindow> scaled_ts;
  std::array<std::uint32_t, kWindow> arrived_ms;
  std::uint32_t ts_stride;  // TS_STRIDE of the window
  std::uint16_t time_stride;
  std::uint8_t count;
  std::uint8_t next;

  std::uint8_t longest_loss;  // packets, at most 255
  std::uint8_t max_jitter;    // in units of TS_STRIDE, at most 255
  std::uint8_t reported_loss;
  std::uint8_t reported_jitter;

  // Records a step of the SN. `packets`: the SN minus the previous header's SN. A step of more than a few thousand is a
  // restart, not a loss.
  void note_step(std::int32_t packets) noexcept {
    constexpr std::int32_t kMostLost = 4096;
    if (packets < 2 || packets > kMostLost) return;
    longest_loss = static_cast<std::uint8_t>(std::clamp<std::int32_t>(packets - 1, longest_loss, 255));
  }

  // Records the arrival of a header that was decompressed while TIME_STRIDE is not 0. REQUIRES: `stride` is not 0.
  void note_arrival(std::uint32_t ts, std::uint32_t stride, std::uint16_t time, std::uint64_t now_ns) noexcept {
    if (stride != ts_stride || time != time_stride) {
      ts_stride = stride;
      time_stride = time;
      count = next = 0;
    }
    const std::uint32_t scaled = ts / stride;
    const auto now_ms = static_cast<std::uint32_t>(now_ns / 1'000'000);
    for (std::size_t j = 0; j < count; ++j) {
      const std::int64_t strides = static_cast<std::int32_t>(scaled - scaled_ts[j]);
      const std::int64_t by_clock = (now_ms - arrived_ms[j]) / time;
      max_jitter = static_cast<std::uint8_t>(std::clamp<std::int64_t>(std::abs(strides - by_clock), max_jitter, 255));
    }
    scaled_ts[next] = scaled;
    arrived_ms[next] = now_ms;
    next = static_cast<std::uint8_t>((next + 1U) % kWindow);
    count = static_cast<std::uint8_t>(std::min<std::size_t>(count + 1U, kWindow));
  }
};

}  // namespace headroom::rohc
