// SPDX-License-Identifier: Apache-2.0
//
// The interface by which workers use flow inspection. The library behind it is present only with Hyperscan.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "gtpu/forward/flow_table.h"

namespace headroom::gtpu {

struct InspectionCounters {
  std::uint64_t packets = 0;                         // inspected packets
  std::uint64_t flows = 0;                           // flows whose inspection has ended
  std::map<std::uint32_t, std::uint64_t> matched{};  // number of these flows by the number of the rule that they match
};

// FlowInspection inspects the flows of one worker.
class FlowInspection {
 public:
  virtual ~FlowInspection() = default;
  // Inspects a packet with this payload. `inspected` is the number of inspected packets of the flow so far; it is set
  // to FlowTable::kInspected if no further packet is needed.
  virtual void inspect(const FlowKey& flow, std::span<const std::uint8_t> payload, std::uint8_t& inspected) = 0;
  [[nodiscard]] virtual InspectionCounters counters() const = 0;
};

// InspectionRules are shared by all workers of a user plane.
class InspectionRules {
 public:
  virtual ~InspectionRules() = default;
  [[nodiscard]] virtual std::unique_ptr<FlowInspection> add_worker() const = 0;
};

// Reads rule files; an empty path: no file. Throws ConfigError. Defined only with Hyperscan (HEADROOM_INSPECTION).
[[nodiscard]] std::unique_ptr<const InspectionRules> read_inspection_rules(const std::string& l7, const std::string& l3,
                                                                           const std::string& cache);

}  // namespace headroom::gtpu
