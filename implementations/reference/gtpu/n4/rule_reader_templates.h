// SPDX-License-Identifier: Apache-2.0
//
// Templates of RuleReader, for its sources.
#pragma once

#include <algorithm>

#include "gtpu/n4/rule_reader.h"

namespace headroom::gtpu::n4 {

// Of the Source or Destination Interface Type (8.2.118).
inline constexpr std::uint8_t kInterfaceTypeN9 = 15;

template <typename T>
bool RuleReader::identifier(pfcp::Octets group, std::uint16_t group_type, pfcp::IeType type, std::size_t octets,
                            T& id) {
  bool found = false;
  const bool read = for_each(group, group_type, [&](const pfcp::Ie& ie) {
    if (ie.type != type || found) return true;
    found = true;
    return number(ie, octets, id);
  });
  return read && (found || fail(pfcp::Cause::mandatory_ie_missing, type));
}

template <typename Rule>
Rule* RuleReader::target(std::vector<Rule>& rules, Refusal::Kind kind, std::uint32_t id, bool update) {
  if (!update) {
    Rule& rule = rules.emplace_back();
    rule.id = static_cast<decltype(rule.id)>(id);
    return &rule;
  }
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.id == id; });
  if (found != rules.end()) return &*found;
  fail_rule(kind, id);
  return nullptr;
}

template <typename Rule>
bool RuleReader::erase(const pfcp::Ie& ie, std::vector<Rule>& rules, Refusal::Kind kind, pfcp::IeType type,
                       std::size_t octets) {
  std::uint32_t id = 0;
  if (!identifier(ie.value, ie.type, type, octets, id)) return false;
  return std::erase_if(rules, [&](const Rule& rule) { return rule.id == id; }) != 0 || fail_rule(kind, id);
}

}  // namespace headroom::gtpu::n4
