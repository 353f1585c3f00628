// SPDX-License-Identifier: Apache-2.0
#include "node/receiver.h"

namespace headroom::node {

Receiver::Receiver(const Node& node, std::uint16_t number)
    : node_(node),
      core_(node.job.rx_cores[number]),
      received_(node.job.burst),
      for_worker_(node.job.workers.size()),
      busy_(node.job.wire.idle),
      jiffies_before_(read_core_jiffies(core_)) {
  for (std::vector<rte_mbuf*>& frames : for_worker_) frames.reserve(node.job.burst);
  for (const PortSide side : {PortSide::link, PortSide::plain}) {
    for (std::uint16_t queue = 0; queue < node.job.queues(); ++queue) {
      if (node.job.receiver_of(side == PortSide::plain, queue) == number) queues_.push_back({side, queue});
    }
  }
}

void Receiver::run(const std::atomic<bool>& stop) {
  const io::BusyShare::OfThisThread counted(busy_);
  while (!stop.load(std::memory_order_relaxed)) busy_.round(round());
}

bool Receiver::round() noexcept {
  bool busy = false;
  for (const Queue& queue : queues_) {
    const std::uint16_t count = node_.port(queue.side).receive(queue.number, received_);
    if (count == 0) continue;
    busy = true;
    hand_over(queue.side, count);
  }
  return busy;
}

void Receiver::hand_over(PortSide side, std::uint16_t count) noexcept {
  std::uint64_t octets = 0;
  for (std::uint16_t i = 0; i < count; ++i) {
    rte_mbuf* const frame = received_[i];
    octets += rte_pktmbuf_pkt_len(frame);
    for_worker_[owner_of(node_.job, side, octets_of(*frame), 0)].push_back(frame);
  }
  received_from_[static_cast<std::size_t>(side)].add(count, octets);
  for (std::size_t worker = 0; worker < for_worker_.size(); ++worker) {
    std::vector<rte_mbuf*>& frames = for_worker_[worker];
    if (frames.empty()) continue;
    // A core that waited for one worker would keep the frames of the others waiting.
    const unsigned taken = node_.rings(side).put(worker, frames);
    handed_over_.add(taken);
    if (taken < frames.size()) {
      hand_over_full_.add(frames.size() - taken);
      rte_pktmbuf_free_bulk(frames.data() + taken, static_cast<unsigned>(frames.size()) - taken);
    }
    frames.clear();
  }
}

Json Receiver::json(bool /*ended*/) const {
  const auto received = [&](PortSide side) { return json_of(received_from_[static_cast<std::size_t>(side)]); };
  Json json = load_of(core_, busy_, jiffies_before_);
  json["plain"] = {{"received", received(PortSide::plain)}};
  json["link"] = {{"received", received(PortSide::link)}};
  json["handed_over"] = handed_over_.value();
  json["errors"] = {{"hand_over_full", hand_over_full_.value()}};
  return json;
}

}  // namespace headroom::node
