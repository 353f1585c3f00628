// SPDX-License-Identifier: Apache-2.0
//
// Rules of the configuration that PDRs activate by name (3GPP TS 29.244, clause 5.19).
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
  // If two rules have one name, the first is found.
  explicit PredefinedRules(std::vector<PredefinedRule> rules);
  PredefinedRules(const PredefinedRules&) = delete;
  PredefinedRules& operator=(const PredefinedRules&) = delete;

  // Returns the rule with this name, or nullptr. Fastest where it follows in the configuration on the one found before.
  [[nodiscard]] const PredefinedRule* find(std::string_view name);
  // Returns the group of these rules, by precedence and without repetitions: one for all PDRs that name the same rules
  // in the same order. nullptr where there are none.
  [[nodiscard]] std::shared_ptr<const PredefinedGroup> group(const std::vector<const PredefinedRule*>& rules);

 private:
  // Groups that no PDR has any more are dropped when so many are known.
  static constexpr std::size_t kMostGroups = 4096;

  const std::vector<PredefinedRule> rules_;
  std::vector<const PredefinedRule*> named_{};                   // the first of each name
  std::unordered_map<std::string_view, std::size_t> by_name_{};  // places in `named_`
  std::size_t next_ = 0;                                         // behind the one found before
  std::map<std::vector<const PredefinedRule*>, std::shared_ptr<const PredefinedGroup>> groups_{};
};

}  // namespace headroom::gtpu::n4
