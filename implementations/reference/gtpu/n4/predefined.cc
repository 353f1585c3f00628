// SPDX-License-Identifier: Apache-2.0
#include "gtpu/n4/predefined.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace headroom::gtpu::n4 {

PredefinedRules::PredefinedRules(std::vector<PredefinedRule> rules) : rules_(std::move(rules)) {
  for (const PredefinedRule& rule : rules_) {
    if (by_name_.emplace(rule.name, named_.size()).second) named_.push_back(&rule);
  }
}

const PredefinedRule* PredefinedRules::find(std::string_view name) {
  if (next_ < named_.size() && named_[next_]->name == name) return named_[next_++];
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  next_ = found->second + 1;
  return named_[found->second];
}

std::shared_ptr<const PredefinedGroup> PredefinedRules::group(const std::vector<const PredefinedRule*>& rules) {
  if (rules.empty()) return nullptr;
  const auto found = groups_.find(rules);
  if (found != groups_.end()) return found->second;
  if (groups_.size() >= kMostGroups) {
    std::erase_if(groups_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  std::vector<const PredefinedRule*> sorted = rules;
  std::sort(sorted.begin(), sorted.end(), [](const PredefinedRule* a, const PredefinedRule* b) {
    return std::tie(a->precedence, a) < std::tie(b->precedence, b);
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  auto group = std::make_shared<const PredefinedGroup>(std::move(sorted));
  groups_.emplace(rules, group);
  return group;
}

}  // namespace headroom::gtpu::n4
