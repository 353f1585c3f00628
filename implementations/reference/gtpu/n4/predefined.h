// SPDX-License-Identifier: Apache-2.0
//
// PredefinedRules holds the rules of the configuration that PDRs activate by name (3GPP TS 29.244, clause 5.19).
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gtpu/rules/rules.h"

namespace headroom::gtpu::n4 {

class PredefinedRules {
 public:
  // If several rules have the same name, only the first one can be found.
  explicit PredefinedRules(std::vector<PredefinedRule> rules);
  PredefinedRules(const PredefinedRules&) = delete;
  PredefinedRules& operator=(const PredefinedRules&) = delete;

  // Returns the rule with this name, or nullptr. The search is fastest if the rule follows the previously found rule in
  // the configuration.
  [[nodiscard]] const PredefinedRule* find(std::string_view name);
  // Returns the group of these rules, sorted by precedence and without repetitions, or nullptr if there are none. All
  // PDRs that name the same rules in the same order share a group.
  [[nodiscard]] std::shared_ptr<const PredefinedGroup> group(const std::vector<const PredefinedRule*>& rules);

 private:
  // The number of groups at which groups that no PDR uses any more are dropped.
  static constexpr std::size_t kMostGroups = 4096;

  const std::vector<PredefinedRule> rules_;
  std::vector<const PredefinedRule*> named_{};                   // first rule of each name
  std::unordered_map<std::string_view, std::size_t> by_name_{};  // index in `named_`
  std::size_t next_ = 0;                                         // index after the previously found rule
  std::map<std::vector<const PredefinedRule*>, std::shared_ptr<const PredefinedGroup>> groups_{};
};

}  // namespace headroom::gtpu::n4
