// SPDX-License-Identifier: Apache-2.0
//
// Receiving cores: each reads the user's address of every packet and hands the packet to a worker over a ring.
#ifndef HEADROOM_SCHEMES_GTPU_LOAD_SPREAD_H
#define HEADROOM_SCHEMES_GTPU_LOAD_SPREAD_H

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "adapter/user_plane.h"
#include "base/cycles.h"
#include "schemes/gtpu/load/generator.h"

namespace headroom::gtpu::load {

// The IPv4 address of the user whose packet this is. REQUIRES: a packet of a Generator.
[[nodiscard]] inline std::uint32_t user_of(const headroom_user_packet& packet) noexcept {
  const std::uint8_t* at = packet.octets;
  if (packet.side == HEADROOM_N6) return load32(at + 16);
  at += (at[0] & 0x0F) * 4 + 8;  // after IPv4 and UDP
  std::uint8_t next = (at[0] & 0x04) != 0 ? at[11] : 0;
  at += (at[0] & 0x07) != 0 ? 12 : 8;
  while (next != 0) {  // extension headers
    at += std::size_t{at[0]} * 4;
    next = at[-1];
  }
  return load32(at + 12);
}

// A ring of packets with one producer and one consumer.
class Ring {
 public:
  static constexpr std::uint64_t kPlaces = kSegment;

  // By the producer.
  [[nodiscard]] bool full() noexcept {
    if (filled_ - seen_head_ < kPlaces) return false;
    seen_head_ = head_.load(std::memory_order_acquire);
    return filled_ - seen_head_ == kPlaces;
  }
  // REQUIRES: not full. The consumer sees it when it is published.
  void put(const headroom_user_packet& packet) noexcept { places_[filled_++ % kPlaces] = packet; }
  void publish() noexcept { tail_.store(filled_, std::memory_order_release); }
  // True if the consumer is done with every packet.
  [[nodiscard]] bool drained() const noexcept { return head_.load(std::memory_order_acquire) == filled_; }

  // By the consumer.
  [[nodiscard]] bool empty() const noexcept {
    return tail_.load(std::memory_order_acquire) == head_.load(std::memory_order_relaxed);
  }
  // Copies up to kBurst packets and returns how many. They are taken when `release` is called.
  [[nodiscard]] std::size_t copy(headroom_user_packet* to) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(tail_.load(std::memory_order_acquire) - head, kBurst));
    for (std::size_t i = 0; i < count; ++i) to[i] = places_[(head + i) % kPlaces];
    return count;
  }
  void release(std::size_t count) noexcept {
    head_.store(head_.load(std::memory_order_relaxed) + count, std::memory_order_release);
  }

 private:
  alignas(128) std::uint64_t filled_ = 0;  // the producer's
  std::uint64_t seen_head_ = 0;
  alignas(128) std::atomic<std::uint64_t> tail_{0};
  alignas(128) std::atomic<std::uint64_t> head_{0};
  alignas(128) std::array<headroom_user_packet, kPlaces> places_{};
};

// The measurement of one receiving core.
struct alignas(128) RxMeasurement {
  std::uint64_t packets = 0;
  std::uint64_t cycles = 0;          // at work
  std::uint64_t waiting_cycles = 0;  // for a place in a ring
};

// The rings of all receiving cores to all workers.
class RxPipeline {
 public:
  RxPipeline(std::size_t rx_cores, std::size_t workers);

  // By receiving core `rx`: hands packets over. Counts in `measured`.
  void hand_over(std::size_t rx, const std::vector<headroom_user_packet>& packets, const Cycles& cycles,
                 RxMeasurement& measured);
  // True if no packet of receiving core `rx` is in a ring or at a worker. Any thread may ask.
  [[nodiscard]] bool drained(std::size_t rx) const noexcept;
  void finished() noexcept { unfinished_.fetch_sub(1, std::memory_order_release); }
  [[nodiscard]] bool all_finished() const noexcept { return unfinished_.load(std::memory_order_acquire) == 0; }
  [[nodiscard]] Ring& ring(std::size_t rx, std::size_t worker) const noexcept {
    return *rings_[rx * workers_ + worker];
  }
  [[nodiscard]] std::size_t rx_cores() const noexcept { return rx_cores_; }

 private:
  std::size_t rx_cores_, workers_;
  std::vector<std::unique_ptr<Ring>> rings_;
  std::atomic<std::size_t> unfinished_;
};

}  // namespace headroom::gtpu::load

#endif  // HEADROOM_SCHEMES_GTPU_LOAD_SPREAD_H
