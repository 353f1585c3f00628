// SPDX-License-Identifier: Apache-2.0
//
// The job of `load` (README.md), read and checked as a whole before anything runs.
#ifndef HEADROOM_LOAD_JOB_H
#define HEADROOM_LOAD_JOB_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapter/instance.h"
#include "base/json_reader.h"
#include "traffic/profile.h"

namespace headroom::load {

struct Phase {
  std::string name;
  std::uint64_t ticks = 1;
  double replaced_per_second = 0;  // share of the flow pairs replaced per second
};

struct Job {
  AdapterJob compressor, decompressor;
  traffic::Profile profile;
  std::uint32_t flow_pairs = 1;
  std::uint64_t tick_ns = 20'000'000;
  std::uint32_t burst = 128;
  bool random_order = true;
  bool timer = true;  // False: ticks run back to back
  std::optional<unsigned> core;
  std::uint64_t verify_every = 64;  // 0 verifies no octets
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> start_at_ns;  // CLOCK_MONOTONIC, for the second and later phases
  std::vector<Phase> phases;
};

inline constexpr std::uint32_t kMostFlowPairs = 16'000'000;
inline constexpr std::uint32_t kLargestBurst = 256;

[[nodiscard]] Job read_job(const Json& document);

}  // namespace headroom::load

#endif  // HEADROOM_LOAD_JOB_H
