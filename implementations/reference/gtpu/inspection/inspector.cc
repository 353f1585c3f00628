// SPDX-License-Identifier: Apache-2.0
#include "gtpu/inspection/inspector.h"

#include <utility>

namespace headroom::gtpu::inspection {
namespace {

constexpr std::uint8_t kTcp = 6;

template <typename Rules, typename Read>
Rules read(const std::string& path, Read read_rules) {
  return path.empty() ? Rules{} : read_rules(read_file(path), path);
}

}  // namespace

RuleBase::RuleBase(const std::string& l7, const std::string& l3, const std::string& cache)
    : RuleBase(read<std::vector<L7Rule>>(l7, read_l7_rules), read<std::vector<L3Rule>>(l3, read_l3_rules), cache) {}

RuleBase::RuleBase(const std::vector<L7Rule>& l7, const std::vector<L3Rule>& l3, const std::string& cache)
    : l7_count_(l7.size()), l3_count_(l3.size()), l7_(l7, cache), l3_(l3) {}

Inspector::Inspector(std::shared_ptr<const RuleBase> rules)
    : rules_(std::move(rules)), scratch_(rules_->l7_.make_scratch()) {}

void Inspector::inspect(const FlowKey& flow, std::span<const std::uint8_t> payload, Progress& progress) noexcept {
  if (flow.protocol != kTcp) {
    progress.is_done = true;
  } else if (!payload.empty()) {
    read_names(payload, names_);
    progress.is_done = ++progress.inspected == kMostInspected || names_.length != 0;
    if (names_.length != 0) {
      if (const auto l7 = rules_->l7_.match(names_, scratch_.get())) progress.rule = *l7;
    }
  }
  if (!progress.is_done || progress.rule != kNoRule) return;
  if (const auto l3 = rules_->l3_.match(flow)) progress.rule = static_cast<RuleNumber>(rules_->l7_count_ + *l3);
}

}  // namespace headroom::gtpu::inspection
