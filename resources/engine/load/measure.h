// SPDX-License-Identifier: Apache-2.0
//
// The measurements of one phase of `load`. All memory is allocated before the phase starts.
#ifndef HEADROOM_LOAD_MEASURE_H
#define HEADROOM_LOAD_MEASURE_H

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "base/json_reader.h"
#include "base/process.h"

namespace headroom::load {

// The stages of the time of a burst.
enum class Stage : std::uint8_t { generate, compress, handover, decompress, verify, feedback, replace };
inline constexpr std::size_t kStages = 7;
[[nodiscard]] const char* name_of(Stage stage) noexcept;

// Counts of statuses from HEADROOM_ERR_DECOMPRESSION to HEADROOM_NOTHING, and of values that are none.
class StatusCounts {
 public:
  void add(std::int32_t status) noexcept {
    const auto index = static_cast<std::size_t>(std::int64_t{status} + kOffset);
    ++counts_[index < kKnown ? index : kKnown];
  }
  // Counts outputs of a packet after the first one, which are not used.
  void add_more(std::uint64_t outputs) noexcept { more_ += outputs; }
  // Returns the counts of statuses other than OK by name; "unknown" for values that the ABI does not have, "more" for
  // add_more().
  [[nodiscard]] Json json() const;

 private:
  static constexpr std::int32_t kOffset = 10;
  static constexpr std::size_t kKnown = 12;
  std::array<std::uint64_t, kKnown + 1> counts_{};
  std::uint64_t more_ = 0;
};

struct PhaseMeasurement {
  // `ticks` is the number of ticks for which memory is reserved.
  explicit PhaseMeasurement(std::uint64_t ticks) { tick_cycles.reserve(static_cast<std::size_t>(ticks)); }

  std::uint64_t ticks_missed = 0;
  std::uint64_t packets = 0;  // packets made by the generator
  std::uint64_t packets_compressed = 0;
  std::uint64_t packets_decompressed = 0;
  std::uint64_t bursts = 0;
  std::uint64_t plain_octets = 0, link_octets = 0;
  std::array<std::uint64_t, kStages> stage_cycles{};
  std::uint64_t idle_cycles = 0;
  std::uint64_t busy_cycles = 0;           // from the first burst of a tick to the end of its last, summed up
  std::vector<std::uint64_t> tick_cycles;  // busy cycles of each tick
  std::uint64_t verified = 0, mismatched = 0, wrong_length = 0;
  std::uint64_t lost = 0;  // with packing: still not back when so many others were sent that they cannot wait
  std::uint64_t feedback_messages = 0, feedback_octets = 0;
  std::uint64_t replaced = 0;
  StatusCounts compressor_statuses, decompressor_statuses;
  // Histograms of 1/16 cycles per packet, by burst, weighted with its packets. An interruption of a burst shows in the
  // tail, not in the middle.
  Histogram generate, compress, handover, decompress, verify;
  Histogram burst_latency;  // cycles from generated to decompressed, weighted with the packets
  Histogram time_in_tick;   // cycles from the moment the tick was due to decompressed; only with pacing
  Histogram wake_up;        // ns from the moment a tick was due until it began; only with pacing

  std::uint64_t wall_ns = 0;
  std::uint64_t thread_cpu_ns = 0;
  std::uint64_t other_threads_cpu_ns = 0;  // of threads that adapters have started
  std::uint64_t involuntary_switches = 0;
  std::optional<CoreJiffies> before, after;
};

inline constexpr std::uint64_t kPerPacketScale = 16;  // of the histograms of cycles per packet

// Returns the measurements for results. `hz` is the number of cycles per second.
[[nodiscard]] Json json_of(const PhaseMeasurement& measured, double hz, std::uint64_t tick_ns, bool paced);

}  // namespace headroom::load

#endif  // HEADROOM_LOAD_MEASURE_H
