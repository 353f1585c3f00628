// SPDX-License-Identifier: Apache-2.0
#include "gtpu/forward/flow_inspection.h"

#include <utility>
#include <vector>

#include "gtpu/inspection/inspector.h"
#include "gtpu/wire/address.h"

namespace headroom::gtpu {
namespace {

inspection::FlowKey key_of(const FlowKey& flow) noexcept {
  inspection::FlowKey key;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t octet = 0; octet < 8; ++octet) {
      key.user[8 * i + octet] = static_cast<std::uint8_t>(flow.user[i] >> (56 - 8 * octet));
      key.remote[8 * i + octet] = static_cast<std::uint8_t>(flow.remote[i] >> (56 - 8 * octet));
    }
  }
  key.user_port = static_cast<std::uint16_t>(flow.ports_or_spi >> 16);
  key.remote_port = static_cast<std::uint16_t>(flow.ports_or_spi);
  key.protocol = static_cast<std::uint8_t>(flow.protocol);
  return key;
}

class WorkerInspection final : public FlowInspection {
 public:
  explicit WorkerInspection(std::shared_ptr<const inspection::RuleBase> rules)
      : matched_(rules->size()), inspector_(std::move(rules)) {}

  void inspect(const FlowKey& flow, std::span<const std::uint8_t> payload, std::uint8_t& inspected) override {
    inspection::Progress progress;
    progress.inspected = inspected;
    inspector_.inspect(key_of(flow), payload, progress);
    ++counters_.packets;
    inspected = progress.is_done ? FlowTable::kInspected : progress.inspected;
    if (!progress.is_done) return;
    ++counters_.flows;
    if (progress.rule != inspection::kNoRule) ++matched_[progress.rule];
  }
  [[nodiscard]] InspectionCounters counters() const override {
    InspectionCounters counters = counters_;
    for (std::uint32_t rule = 0; rule < matched_.size(); ++rule) {
      if (matched_[rule] != 0) counters.matched[rule] = matched_[rule];
    }
    return counters;
  }

 private:
  InspectionCounters counters_{};
  std::vector<std::uint64_t> matched_;  // by the number of the rule
  inspection::Inspector inspector_;
};

class SharedRules final : public InspectionRules {
 public:
  SharedRules(const std::string& l7, const std::string& l3, const std::string& cache)
      : rules_(std::make_shared<const inspection::RuleBase>(l7, l3, cache)) {}
  [[nodiscard]] std::unique_ptr<FlowInspection> add_worker() const override {
    return std::make_unique<WorkerInspection>(rules_);
  }

 private:
  std::shared_ptr<const inspection::RuleBase> rules_;
};

}  // namespace

std::unique_ptr<const InspectionRules> read_inspection_rules(const std::string& l7, const std::string& l3,
                                                             const std::string& cache) {
  return std::make_unique<const SharedRules>(l7, l3, cache);
}

}  // namespace headroom::gtpu
