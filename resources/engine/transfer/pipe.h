// SPDX-License-Identifier: Apache-2.0
//
// Pipe is one direction of a path: a short queue of packets in front of a rate, a delay, and bit errors that remove
// packets. Unlike Link (link/link.h), its user passes the length of a packet, because lengths may be assumed; Pipe
// changes no octet.
#ifndef HEADROOM_TRANSFER_PIPE_H
#define HEADROOM_TRANSFER_PIPE_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "base/random.h"
#include "link/impairment.h"
#include "sim/simulation.h"

namespace headroom::transfer {

struct PipeConfig {
  std::uint64_t rate_bps = 1;
  std::uint64_t delay_ns = 0;
  std::uint64_t queue_packets = 0;  // most packets in the queue, including the packet being sent; 0: no limit
  double ber = 0;
  HarmedAt harmed_at = HarmedAt::link;
};

struct PipeCounts {
  std::uint64_t packets = 0, octets = 0;  // packets and octets sent into the pipe
  std::uint64_t damaged = 0;
  std::uint64_t queue_full = 0;
};

// BitErrors draws the places of wrong bits, as the distance to the next wrong bit.
class BitErrors {
 public:
  BitErrors(double ber, std::uint64_t seed) : random_(seed), per_bit_(ber > 0 ? -std::log1p(-ber) / std::log(2.0) : 0) {
    if (per_bit_ > 0) draw();
  }
  // True if one of the next `bits` bits is wrong.
  [[nodiscard]] bool hit(std::uint64_t bits) noexcept {
    if (per_bit_ == 0) return false;
    if (right_ >= bits) {
      right_ -= bits;
      return false;
    }
    draw();  // starts anew after the packet: errors have no memory
    return true;
  }

 private:
  void draw() noexcept {
    const double distance = static_cast<double>(negative_log2_q24(random_.next())) / 0x1p24 / per_bit_;
    right_ = distance < 0x1p62 ? static_cast<std::uint64_t>(distance) : std::uint64_t{1} << 62;
  }

  Xoshiro256 random_;
  double per_bit_;           // -log2 of the probability that a bit is right; 0: all bits are right
  std::uint64_t right_ = 0;  // bits until the next wrong one
};

template <typename Packet>
class Pipe final : public sim::Host {
 public:
  using Receiver = std::function<void(Packet& packet)>;

  Pipe(sim::Simulation& simulation, const PipeConfig& config, std::uint64_t seed, Receiver receiver)
      : simulation_(simulation), config_(config), errors_(config.ber, seed), receiver_(std::move(receiver)) {
    simulation.add(*this);
  }

  // True if the queue has room for a packet now. If not, the caller calls `refuse` for the packet.
  [[nodiscard]] bool has_room() noexcept {
    if (config_.queue_packets == 0) return true;
    while (!departures_.empty() && departures_.front() <= simulation_.now_ns()) departures_.pop_front();
    return departures_.size() < config_.queue_packets;
  }
  void refuse() noexcept { ++counts_.queue_full; }

  // Sends a packet of `octets` octets. REQUIRES: has_room.
  void send(Packet packet, std::size_t octets) {
    ++counts_.packets;
    counts_.octets += octets;
    const bool is_damaged = errors_.hit(octets * 8);
    if (is_damaged) ++counts_.damaged;
    if (is_damaged && config_.harmed_at == HarmedAt::before_queue) return;
    busy_until_ = std::max(busy_until_, simulation_.now_ns()) + octets * 8 * kSecondNs / config_.rate_bps;
    if (config_.queue_packets != 0) departures_.push_back(busy_until_);
    if (!is_damaged) arrivals_.push_back({busy_until_ + config_.delay_ns, std::move(packet)});
  }

  [[nodiscard]] std::uint64_t next_ns() const override {
    return arrivals_.empty() ? sim::kNever : arrivals_.front().time_ns;
  }
  void act() override {
    Packet packet = std::move(arrivals_.front().packet);
    arrivals_.pop_front();
    receiver_(packet);
  }

  [[nodiscard]] const PipeCounts& counts() const noexcept { return counts_; }
  // Drops all packets on their way: no packet arrives any more.
  void close() noexcept { arrivals_.clear(); }

 private:
  static constexpr std::uint64_t kSecondNs = 1'000'000'000;
  struct Arrival {
    std::uint64_t time_ns;
    Packet packet;
  };

  sim::Simulation& simulation_;
  PipeConfig config_;
  BitErrors errors_;
  Receiver receiver_;
  PipeCounts counts_;
  std::uint64_t busy_until_ = 0;
  std::deque<std::uint64_t> departures_;
  std::deque<Arrival> arrivals_;
};

}  // namespace headroom::transfer

#endif  // HEADROOM_TRANSFER_PIPE_H
