// SPDX-License-Identifier: Apache-2.0
#include "schemes/gtpu/load/spread.h"

#include <algorithm>

namespace headroom::gtpu::load {

RxPipeline::RxPipeline(std::size_t rx_cores, std::size_t workers)
    : rx_cores_(rx_cores), workers_(workers), unfinished_(rx_cores) {
  for (std::size_t i = 0; i < rx_cores * workers; ++i) rings_.push_back(std::make_unique<Ring>());
}

void RxPipeline::hand_over(std::size_t rx, const std::vector<headroom_user_packet>& packets, const Cycles& cycles,
                           RxMeasurement& measured) {
  const auto workers = static_cast<std::uint32_t>(workers_);
  std::uint64_t waited = 0;
  const std::uint64_t start = cycles.now();
  for (std::size_t begin = 0; begin < packets.size(); begin += kBurst) {
    const std::size_t count = std::min(kBurst, packets.size() - begin);
    const headroom_user_packet* const burst = packets.data() + begin;
    for (std::size_t i = 0; i < count; ++i) headroom::load::prefetch_line(burst[i].octets);
    for (std::size_t i = 0; i < count; ++i) {
      Ring& to = ring(rx, worker_of(user_of(burst[i]), workers));
      if (to.full()) [[unlikely]] {
        to.publish();
        const std::uint64_t full_since = cycles.now();
        while (to.full()) std::this_thread::yield();
        waited += cycles.now() - full_since;
      }
      to.put(burst[i]);
    }
    for (std::size_t worker = 0; worker < workers_; ++worker) ring(rx, worker).publish();
  }
  measured.cycles += cycles.now() - start - waited;
  measured.waiting_cycles += waited;
  measured.packets += packets.size();
}

bool RxPipeline::drained(std::size_t rx) const noexcept {
  for (std::size_t worker = 0; worker < workers_; ++worker) {
    if (!ring(rx, worker).drained()) return false;
  }
  return true;
}

}  // namespace headroom::gtpu::load
