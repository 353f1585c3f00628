// SPDX-License-Identifier: Apache-2.0
//
// Rules by which a network card spreads frames over its queues (rte_flow, the action RSS).
#ifndef HEADROOM_IO_QUEUE_RULES_H
#define HEADROOM_IO_QUEUE_RULES_H

#include <rte_flow.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headroom::io {

struct QueueRule {
  std::vector<rte_flow_item_type> pattern;  // headers, from Ethernet to the hashed header
  std::uint64_t types = 0;                  // RTE_ETH_RSS_*: hashed fields of that header
  bool in_tunnel = false;                   // True if the header is after a tunnel header
  bool is_required = true;                  // False: without the rule, its frames use the driver's own hash
};

// Adds rules to a started port. Returns the driver's message about a required rule that it rejects, or an empty text if
// it accepts all required rules.
[[nodiscard]] std::string add_queue_rules(std::uint16_t port, std::span<const QueueRule> rules, std::uint16_t queues);

}  // namespace headroom::io

#endif  // HEADROOM_IO_QUEUE_RULES_H
