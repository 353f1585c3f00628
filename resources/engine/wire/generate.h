// SPDX-License-Identifier: Apache-2.0
//
// `generate`: the embedded generator on the wire. Sends the packets of a traffic profile through two ports at a steady
// rate, receives what comes out at the respective other one, and knows of every packet whether and when it arrived.
#ifndef HEADROOM_WIRE_GENERATE_H
#define HEADROOM_WIRE_GENERATE_H

#include <cstdint>
#include <optional>

#include "base/json_reader.h"
#include "traffic/profile.h"
#include "traffic/tunnel_path.h"
#include "wire/ends.h"

namespace headroom::wire {

struct GenerateJob {
  EndsJob ends;
  traffic::Profile profile;
  std::uint64_t flows = 1;
  std::uint64_t seed = 0;
  double rate_pps = 1000;                              // of each direction
  bool both = true;                                    // directions; else from the first port to the second only
  double duration_s = 1, warmup_s = 0, drain_s = 0.5;  // the duration is that of sending, the warm-up excluded
  std::optional<std::uint16_t> vlan;
  traffic::TunnelPath path;

  // Packets of one direction, those of the warm-up included.
  [[nodiscard]] std::uint64_t warmup_packets() const noexcept {
    return static_cast<std::uint64_t>(rate_pps * warmup_s + 0.5);
  }
  [[nodiscard]] std::uint64_t packets() const noexcept {
    return warmup_packets() + static_cast<std::uint64_t>(rate_pps * duration_s + 0.5);
  }
};

// Reads the job of `generate` (README.md). Throws Error(job).
[[nodiscard]] GenerateJob read_generate_job(const Json& document);

// Sends, receives, and returns the result. Throws Error.
[[nodiscard]] Json run_generate(const GenerateJob& job, Ends& ends);

}  // namespace headroom::wire

#endif  // HEADROOM_WIRE_GENERATE_H
