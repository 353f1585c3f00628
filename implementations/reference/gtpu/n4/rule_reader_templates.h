// SPDX-License-Identifier: Apache-2.0
//
// The templates of RuleReader, for its source files.
#pragma once

#include <algorithm>

#include "gtpu/n4/rule_reader.h"

namespace headroom::gtpu::n4 {

// The value N9 of the Source or Destination Interface Type (8.2.118).
inline constexpr std::uint8_t kInterfaceTypeN9 = 15;

template <typename T>
bool RuleReader::identifier(pfcp::Octets group, std::uint16_t group_type, pfcp::IeType type, std::size_t octets,
                            T& id) {
  pfcp::IeReader in(group);
  while (const auto ie = in.next()) {
    if (ie->type == type) return number(*ie, octets, id);
  }
  if (in.broken()) return fail(pfcp::Cause::invalid_length, in.broken_type() != 0 ? in.broken_type() : group_type);
  return fail(pfcp::Cause::mandatory_ie_missing, type);
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
