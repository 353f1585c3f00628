// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a user plane.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtpu/rules/rules.h"

namespace headroom::gtpu {

// The files of flow inspection: L7 rules, L3 rules, and a cache of the compiled rules. An empty path: no file.
struct InspectionFiles {
  std::string l7{};
  std::string l3{};
  std::string cache{};
};

#ifdef HEADROOM_INSPECTION
inline constexpr bool kHasInspection = true;
#else
inline constexpr bool kHasInspection = false;
#endif

struct Config {
  LocalAddresses addresses{};
  Address node{};  // Node ID, and address in F-SEIDs
  std::uint32_t max_sessions = 65536;
  std::uint32_t recovery_time = 3'900'000'000;  // seconds since 1900
  std::uint32_t error_indications_per_second = 1000;
  std::uint32_t flows = 0;  // entries of each worker's flow table
  std::vector<PredefinedRule> predefined_rules{};
  std::optional<InspectionFiles> inspection{};
};

inline constexpr std::uint32_t kMostSessions = 4'000'000;
inline constexpr std::uint32_t kMostFlows = 1U << 24;

// Reads a configuration. Throws ConfigError.
[[nodiscard]] Config read_config(const nlohmann::json& json);

}  // namespace headroom::gtpu
