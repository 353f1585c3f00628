// SPDX-License-Identifier: Apache-2.0
//
// What workers know of inspection: an interface, because the library behind it is there only with Hyperscan.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "gtpu/forward/flow_table.h"

namespace headroom::gtpu {

struct InspectionCounters {
  std::uint64_t packets = 0;                         // that were inspected
  std::uint64_t flows = 0;                           // whose inspection has ended
  std::map<std::uint32_t, std::uint64_t> matched{};  // of these, by the number of the rule that they match
};

// FlowInspection inspects the flows of one worker.
class FlowInspection {
 public:
  virtual ~FlowInspection() = default;
  // Inspects a packet with this payload. `inspected` is how many packets of the flow were before; it becomes
  // FlowTable::kInspected when no further one is needed.
  virtual void inspect(const FlowKey& flow, std::span<const std::uint8_t> payload, std::uint8_t& inspected) = 0;
  [[nodiscard]] virtual InspectionCounters counters() const = 0;
};

// InspectionRules are shared by all workers of a user plane.
class InspectionRules {
 public:
  virtual ~InspectionRules() = default;
  [[nodiscard]] virtual std::unique_ptr<FlowInspection> add_worker() const = 0;
};

// Reads rule files; "" where there is none. Throws ConfigError. Defined where there is Hyperscan (HEADROOM_INSPECTION).
[[nodiscard]] std::unique_ptr<const InspectionRules> read_inspection_rules(const std::string& l7, const std::string& l3,
                                                                           const std::string& cache);

}  // namespace headroom::gtpu
