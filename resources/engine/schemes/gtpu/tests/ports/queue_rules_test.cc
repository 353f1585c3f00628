// SPDX-License-Identifier: Apache-2.0
//
// Rules for network cards that choose the queue of a user's worker, and devices that take none.
#include "schemes/gtpu/ports/queue_rules.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include <array>

#include "base/process.h"
#include "io/eal.h"
#include "io/port.h"
#include "node/job.h"

namespace headroom::gtpu::ports {
namespace {

TEST(QueueRules, LookAtTheUsersAddressOnEitherSide) {
  const std::vector<io::QueueRule> n6 = queue_rules(true), n3 = queue_rules(false);
  ASSERT_EQ(n6.size(), 2u);
  EXPECT_EQ(n6[0].types, RTE_ETH_RSS_IPV4 | RTE_ETH_RSS_L3_DST_ONLY);
  EXPECT_EQ(n6[1].types, RTE_ETH_RSS_IPV6 | RTE_ETH_RSS_L3_DST_ONLY | RTE_ETH_RSS_L3_PRE64);
  ASSERT_EQ(n3.size(), 8u);
  EXPECT_EQ(n3[1].pattern, (std::vector<rte_flow_item_type>{RTE_FLOW_ITEM_TYPE_ETH, RTE_FLOW_ITEM_TYPE_IPV4,
                                                            RTE_FLOW_ITEM_TYPE_UDP, RTE_FLOW_ITEM_TYPE_GTPU,
                                                            RTE_FLOW_ITEM_TYPE_GTP_PSC, RTE_FLOW_ITEM_TYPE_IPV4}));
  for (const io::QueueRule& rule : n3) {
    EXPECT_TRUE(rule.in_tunnel);
    EXPECT_TRUE(rule.types & RTE_ETH_RSS_L3_SRC_ONLY);
  }
}

node::Job job_on(const char* distribution, const std::vector<unsigned>& workers) {
  Json job = {
      {"plain", {{"vdev", "net_null0"}}},
      {"link", {{"vdev", "net_null1"}}},
      {"endpoint", {{"library", HEADROOM_LIBRARIES "/reference.so"}, {"config", {{"scheme", "gtpu"}, {"seed", 1}}}}},
      {"user_plane", Json::object()},
      {"workers", workers},
      {"distribution", distribution}};
  return node::read_job(parse_json(job.dump()));
}

TEST(QueueRules, AreForSeveralWorkersOnANetworkCard) {
  EXPECT_EQ(job_on("queues", {0, 1}).ports[1].queue_rules.size(), 8u);
  EXPECT_EQ(job_on("queues", {0, 1}).ports[0].queue_rules.size(), 2u);
  EXPECT_TRUE(job_on("queues", {0}).ports[1].queue_rules.empty()) << "one worker has all users";
  EXPECT_TRUE(job_on("hand-over", {0, 1}).ports[1].queue_rules.empty());
}

// DPDK can be started once in a process, so everything that needs it is one test.
TEST(QueueRules, RefuseADeviceThatTakesNone) {
  const node::Job job = job_on("queues", {0, 1});
  const io::Eal eal(job.wire, job.ports, 2, 1500, current_core());
  rte_mempool* const pool = eal.make_pool("frames", 4095, 1500);
  try {
    const io::Port port(eal, job.ports[1], 1, 2, 1500, pool);
    ADD_FAILURE() << "it was accepted";
  } catch (const Error& error) {
    const std::string sentence = error.what();
    EXPECT_EQ(error.where(), "/link");
    EXPECT_NE(sentence.find("the port net_null1 cannot choose a worker's queue by the user's address: its driver says"),
              std::string::npos)
        << sentence;
    EXPECT_NE(sentence.find("rx-cores"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("\"\""), std::string::npos) << "the driver gives a reason: " << sentence;
  }
}

}  // namespace
}  // namespace headroom::gtpu::ports
