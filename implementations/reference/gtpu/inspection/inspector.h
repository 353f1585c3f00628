// SPDX-License-Identifier: Apache-2.0
//
// The inspection of flows for content billing: the first packets with payload of a flow are matched against L7 rules,
// the flow's addresses and ports against L3 rules.
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

// The largest number of packets with payload that are inspected in a flow.
inline constexpr std::uint8_t kMostInspected = 4;

// The number of a rule: L7 rules are numbered first, then L3 rules.
using RuleNumber = std::uint32_t;
inline constexpr RuleNumber kNoRule = 0xFFFFFFFF;

// The inspection progress of a flow, small enough for the flow's entry.
struct Progress {
  RuleNumber rule = kNoRule;   // set when is_done is true
  std::uint8_t inspected = 0;  // number of inspected packets with payload
  bool is_done = false;        // True if no later packet can change `rule`
};

// RuleBase holds the rules of one user plane. It is immutable and shared by all workers.
class RuleBase {
 public:
  // `l7` and `l3` are paths of rule files, `cache` is the path of the compiled rules; empty: no file. Throws
  // ConfigError.
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

// Inspector inspects the flows of one worker.
class Inspector {
 public:
  // Throws ConfigError if there is not enough memory.
  explicit Inspector(std::shared_ptr<const RuleBase> rules);

  // Inspects a packet of a flow. `payload` is the payload after the TCP or UDP header, empty if there is none. An L7
  // rule takes precedence over an L3 rule. REQUIRES: progress.is_done is false.
  void inspect(const FlowKey& flow, std::span<const std::uint8_t> payload, Progress& progress) noexcept;

 private:
  std::shared_ptr<const RuleBase> rules_;
  Scratch scratch_;
  Names names_;
};

}  // namespace headroom::gtpu::inspection
