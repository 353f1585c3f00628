// SPDX-License-Identifier: Apache-2.0
#include "io/port.h"

#include <net/if.h>
#include <rte_errno.h>
#include <rte_ether.h>

#include <algorithm>

#include "base/hex.h"

namespace headroom::io {
namespace {

constexpr std::uint16_t kDescriptors = 1024;

void check(int result, const PortJob& job, const char* what) {
  if (result >= 0) return;
  throw Error(ErrorKind::input, "the port " + job.name() + " " + what + ": " + rte_strerror(-result) + ".", job.where);
}

}  // namespace

Port::Port(const Eal& eal, const PortJob& job, std::size_t index, std::uint16_t queues, std::uint32_t mtu,
           rte_mempool* pool)
    : job_(job), id_(eal.port_id(index)), ring_drops_(job.interface) {
  rte_eth_dev_info info{};
  check(rte_eth_dev_info_get(id_, &info), job, "says nothing of itself");
  if (info.max_rx_queues < queues || info.max_tx_queues < queues) {
    throw Error(ErrorKind::input,
                "the port " + job.name() + " has " + std::to_string(std::min(info.max_rx_queues, info.max_tx_queues)) +
                    " queues, one for each worker; " + std::to_string(queues) + " are asked for.",
                job.where);
  }
  rte_eth_conf configuration{};
  if (queues > 1 && info.flow_type_rss_offloads != 0) {
    configuration.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    configuration.rx_adv_conf.rss_conf.rss_hf =
        info.flow_type_rss_offloads & (RTE_ETH_RSS_IP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_C_VLAN);
  }
  check(rte_eth_dev_configure(id_, queues, queues, &configuration), job, "cannot be configured");
  // An interface of the kernel keeps the MTU with which it was made.
  if (!job.pci.empty()) check(rte_eth_dev_set_mtu(id_, static_cast<std::uint16_t>(mtu)), job, "does not take the MTU");
  std::uint16_t rx = kDescriptors, tx = kDescriptors;
  check(rte_eth_dev_adjust_nb_rx_tx_desc(id_, &rx, &tx), job, "has no rings of that size");
  const auto socket = static_cast<unsigned>(std::max(0, rte_eth_dev_socket_id(id_)));
  for (std::uint16_t queue = 0; queue < queues; ++queue) {
    check(rte_eth_rx_queue_setup(id_, queue, rx, socket, nullptr, pool), job, "cannot set a receive queue up");
    check(rte_eth_tx_queue_setup(id_, queue, tx, socket, nullptr), job, "cannot set a send queue up");
  }
  check(rte_eth_dev_start(id_), job, "cannot be started");
  if (const std::string refusal = add_queue_rules(id_, job.queue_rules, queues); !refusal.empty()) {
    throw Error(ErrorKind::input,
                "the port " + job.name() + " cannot choose a worker's queue by the user's address: its driver says \"" +
                    refusal + "\". Use the distribution \"rx-cores\" or \"hand-over\", or one worker.",
                job.where);
  }
  (void)rte_eth_promiscuous_enable(id_);  // a virtual device that knows no such thing hears everything anyway
  rte_ether_addr address{};
  check(rte_eth_macaddr_get(id_, &address), job, "has no MAC address");
  std::copy_n(address.addr_bytes, mac_.size(), mac_.begin());
  if (!job.interface.empty()) interface_index_ = if_nametoindex(job.interface.c_str());
}

Port::~Port() {
  (void)rte_eth_dev_stop(id_);
  (void)rte_eth_dev_close(id_);
}

void Port::put_tag_back(rte_mbuf* frame) noexcept {
  // A frame without room for its tag stays without; the pool leaves room.
  if (rte_vlan_insert(&frame) == 0) frame->ol_flags &= ~(RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED);
}

bool Port::is_there() const noexcept {
  if (interface_index_ != 0) return if_nametoindex(job_.interface.c_str()) == interface_index_;
  return rte_eth_dev_is_valid_port(id_) != 0;
}

Json Port::statistics() const {
  rte_eth_stats stats{};
  if (rte_eth_stats_get(id_, &stats) != 0) return nullptr;
  rte_eth_dev_info info{};
  (void)rte_eth_dev_info_get(id_, &info);
  std::string mac;
  for (const std::uint8_t octet : mac_) mac += (mac.empty() ? "" : ":") + to_hex({&octet, 1});
  return {{"name", job_.name()},
          {"driver", info.driver_name != nullptr ? info.driver_name : ""},
          {"mac", mac},
          {"received", {{"packets", stats.ipackets}, {"octets", stats.ibytes}}},
          {"sent", {{"packets", stats.opackets}, {"octets", stats.obytes}}},
          {"missed", stats.imissed + ring_drops_.count()},
          {"errors", {{"receive", stats.ierrors}, {"send", stats.oerrors}}},
          {"no_memory", stats.rx_nombuf}};
}

}  // namespace headroom::io
