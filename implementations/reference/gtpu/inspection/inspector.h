// SPDX-License-Identifier: Apache-2.0
//
// Inspection of flows for content billing: the first packets with payload of a flow are matched against L7 rules, its
// addresses and ports against L3 rules.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gtpu/inspection/l3.h"
#include "gtpu/inspection/l7.h"
#include "gtpu/inspection/names.h"

namespace headroom::gtpu::inspection {

// Packets with payload that are inspected of a flow, at most.
inline constexpr std::uint8_t kMostInspected = 4;

// A rule by its number: L7 rules first, L3 rules behind them.
using RuleNumber = std::uint32_t;
inline constexpr RuleNumber kNoRule = 0xFFFFFFFF;

// The progress of a flow; it fits into the flow's entry.
struct Progress {
  RuleNumber rule = kNoRule;   // set when it is done
  std::uint8_t inspected = 0;  // packets with payload
  bool is_done = false;        // no later packet can change `rule`
};

// The rules of one user plane, immutable and shared by its workers.
class RuleBase {
 public:
  // Paths of rule files; "" where there are none. Throws ConfigError.
  RuleBase(const std::string& l7, const std::string& l3, const std::string& cache);

  [[nodiscard]] std::size_t size() const noexcept { return l7_count_ + l3_count_; }
  [[nodiscard]] std::size_t l7_count() const noexcept { return l7_count_; }
  [[nodiscard]] std::size_t l3_count() const noexcept { return l3_count_; }
  [[nodiscard]] bool from_cache() const noexcept { return l7_.from_cache(); }

 private:
  friend class Inspector;
  RuleBase(const std::vector<L7Rule>& l7, const std::vector<L3Rule>& l3, const std::string& cache);
  std::size_t l7_count_, l3_count_;
  L7Rules l7_;
  L3Rules l3_;
};

// One for each worker.
class Inspector {
 public:
  // Throws ConfigError where there is no memory.
  explicit Inspector(std::shared_ptr<const RuleBase> rules);

  // Inspects a packet of a flow: its payload behind the TCP or UDP header, empty where it has none. REQUIRES: progress
  // is not done. An L7 rule wins over an L3 rule.
  void inspect(const FlowKey& flow, std::span<const std::uint8_t> payload, Progress& progress) noexcept;

 private:
  std::shared_ptr<const RuleBase> rules_;
  Scratch scratch_;
  Names names_;
};

}  // namespace headroom::gtpu::inspection
