// SPDX-License-Identifier: Apache-2.0
#include "io/queue_rules.h"

#include <rte_errno.h>

#include <numeric>

namespace headroom::io {
namespace {

// Levels of encapsulation that are tried: some drivers take the inner header for level 2 alone, others know level 0
// alone, by which they hash the last header of the pattern.
constexpr std::uint32_t kLevels[] = {2, 0};

// Returns what the driver said; empty if it took the rule.
std::string add_rule(std::uint16_t port, const QueueRule& rule, std::uint32_t level,
                     std::span<const std::uint16_t> queues) {
  std::vector<rte_flow_item> pattern;
  for (const rte_flow_item_type type : rule.pattern)
    pattern.push_back({.type = type, .spec = {}, .last = {}, .mask = {}});
  pattern.push_back({.type = RTE_FLOW_ITEM_TYPE_END, .spec = {}, .last = {}, .mask = {}});
  rte_flow_action_rss rss = {};
  rss.func = RTE_ETH_HASH_FUNCTION_DEFAULT;
  rss.level = level;
  rss.types = rule.types;
  rss.queue_num = static_cast<std::uint32_t>(queues.size());
  rss.queue = queues.data();
  const rte_flow_action actions[] = {{RTE_FLOW_ACTION_TYPE_RSS, &rss}, {RTE_FLOW_ACTION_TYPE_END, nullptr}};
  rte_flow_attr attributes = {};
  attributes.ingress = 1;
  rte_flow_error error = {};
  if (rte_flow_validate(port, &attributes, pattern.data(), actions, &error) == 0 &&
      rte_flow_create(port, &attributes, pattern.data(), actions, &error) != nullptr)
    return {};
  return error.message != nullptr ? error.message : rte_strerror(rte_errno);
}

}  // namespace

std::string add_queue_rules(std::uint16_t port, std::span<const QueueRule> rules, std::uint16_t queues) {
  std::vector<std::uint16_t> numbers(queues);
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
  for (const QueueRule& rule : rules) {
    std::string refusal;
    for (const std::uint32_t level : kLevels) {
      if (level != 0 && !rule.in_tunnel) continue;
      refusal = add_rule(port, rule, level, numbers);
      if (refusal.empty()) break;
    }
    if (!refusal.empty() && rule.is_required) return refusal;
  }
  return {};
}

}  // namespace headroom::io
