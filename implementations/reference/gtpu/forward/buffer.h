// SPDX-License-Identifier: Apache-2.0
//
// PacketBuffer keeps packets for which a FAR says BUFF (TS 29.244, 5.2.1; 8.2.26), as they arrived at a worker.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

namespace headroom::gtpu {

class PacketBuffer {
 public:
  static constexpr std::size_t kMostOctets = 64U << 20;

  struct Packet {
    std::vector<std::uint8_t> octets{};
    std::int32_t side = 0;
    std::uint32_t epoch = 0;  // Session::buffer_epoch when the packet arrived
  };
  struct Queue {
    std::uint64_t seid = 0;
    std::uint64_t generation = 0;  // generation of the rules by which the packets are buffered
    std::deque<Packet> packets{};
  };

  // Keeps a packet of the session. If the session has `most` packets already, its oldest packet is dropped. Returns
  // false if the buffer's memory is used up.
  bool add(std::uint64_t seid, std::uint64_t generation, std::size_t most, std::span<const std::uint8_t> octets,
           std::int32_t side, std::uint32_t epoch) {
    if (octets_ + octets.size() > kMostOctets) return false;
    Queue& queue = queues_[seid];
    queue.seid = seid;
    queue.generation = generation;
    while (!queue.packets.empty() && queue.packets.size() >= most) drop_oldest(queue);
    queue.packets.push_back({{octets.begin(), octets.end()}, side, epoch});
    octets_ += octets.size();
    return true;
  }

  [[nodiscard]] bool empty() const noexcept { return queues_.empty(); }
  [[nodiscard]] std::size_t octets() const noexcept { return octets_; }

  // Removes and returns the queues of all sessions for which leave(seid, generation) is false.
  template <typename Leave>
  std::vector<Queue> take(Leave&& leave) {
    std::vector<Queue> taken;
    for (auto it = queues_.begin(); it != queues_.end();) {
      if (leave(it->first, it->second.generation)) {
        ++it;
        continue;
      }
      for (const Packet& packet : it->second.packets) octets_ -= packet.octets.size();
      taken.push_back(std::move(it->second));
      it = queues_.erase(it);
    }
    return taken;
  }

 private:
  void drop_oldest(Queue& queue) {
    octets_ -= queue.packets.front().octets.size();
    queue.packets.pop_front();
  }

  std::map<std::uint64_t, Queue> queues_{};  // by SEID
  std::size_t octets_ = 0;
};

}  // namespace headroom::gtpu
