// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/ports/queue_rules.h"

#include <rte_ethdev.h>

namespace headroom::gtpu::ports {
namespace {

constexpr rte_flow_item_type kEthernetItem = RTE_FLOW_ITEM_TYPE_ETH, kUdpItem = RTE_FLOW_ITEM_TYPE_UDP,
                             kGtpuItem = RTE_FLOW_ITEM_TYPE_GTPU, kContainerItem = RTE_FLOW_ITEM_TYPE_GTP_PSC;

rte_flow_item_type ip_item(bool is_v6) { return is_v6 ? RTE_FLOW_ITEM_TYPE_IPV6 : RTE_FLOW_ITEM_TYPE_IPV4; }

std::uint64_t hashed_fields(bool is_v6, bool is_n6) {
  const std::uint64_t address = is_n6 ? RTE_ETH_RSS_L3_DST_ONLY : RTE_ETH_RSS_L3_SRC_ONLY;
  return address | (is_v6 ? RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_L3_PRE64 : RTE_ETH_RSS_IPV4);
}

}  // namespace

std::vector<io::QueueRule> queue_rules(bool is_n6) {
  std::vector<io::QueueRule> rules;
  for (const bool user_v6 : {false, true}) {
    if (is_n6) {
      rules.push_back({{kEthernetItem, ip_item(user_v6)}, hashed_fields(user_v6, is_n6), false, !user_v6});
      continue;
    }
    for (const bool outer_v6 : {false, true}) {
      for (const bool has_container : {false, true}) {
        std::vector<rte_flow_item_type> pattern = {kEthernetItem, ip_item(outer_v6), kUdpItem, kGtpuItem};
        if (has_container) pattern.push_back(kContainerItem);
        pattern.push_back(ip_item(user_v6));
        rules.push_back({std::move(pattern), hashed_fields(user_v6, is_n6), true, !user_v6 && !outer_v6});
      }
    }
  }
  return rules;
}

}  // namespace headroom::gtpu::ports
