// SPDX-License-Identifier: Apache-2.0
#include "gtpu/n4/predefined.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace headroom::gtpu::n4 {

PredefinedRules::PredefinedRules(std::vector<PredefinedRule> rules) : rules_(std::move(rules)) {
  for (const PredefinedRule& rule : rules_) by_name_.emplace(rule.name, &rule);
}

const PredefinedRule* PredefinedRules::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::shared_ptr<const PredefinedGroup> PredefinedRules::group(PredefinedGroup rules) {
  if (rules.empty()) return nullptr;
  const auto found = groups_.find(rules);
  if (found != groups_.end()) return found->second;
  if (groups_.size() >= kMostGroups) {
    std::erase_if(groups_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  PredefinedGroup sorted = rules;
  std::sort(sorted.begin(), sorted.end(), [](const PredefinedRule* a, const PredefinedRule* b) {
    return std::tie(a->precedence, a) < std::tie(b->precedence, b);
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  auto group = std::make_shared<const PredefinedGroup>(std::move(sorted));
  groups_.emplace(std::move(rules), group);
  return group;
}

}  // namespace headroom::gtpu::n4
