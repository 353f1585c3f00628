// SPDX-License-Identifier: Apache-2.0
//
// Order is the order in which the flows of a tick are visited: a permutation that is computed, not stored, and differs
// in each tick.
#ifndef HEADROOM_LOAD_ORDER_H
#define HEADROOM_LOAD_ORDER_H

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/random.h"

namespace headroom::load {

class Order {
 public:
  // REQUIRES: 1 <= count < 2^31.
  Order(std::uint32_t count, bool random, std::uint64_t seed) noexcept : count_(count), random_(random), seed_(seed) {
    const unsigned bits = static_cast<unsigned>(std::bit_width(count - 1));
    mask_ = bits == 0 ? 0 : 0xFFFFFFFFu >> (32 - bits);
    shift_ = bits < 2 ? 1 : (bits + 1) / 2;
    start_tick(0);
  }

  // Writes flows to `ring`, of `places` places (a power of two), from `tail` on, until there are at least `wanted`
  // between `head` and the tail, which is returned. After the last flow of a tick comes the first one of the next.
  // REQUIRES: wanted < places.
  template <std::size_t places>
  std::uint64_t fill(std::uint32_t* ring, std::uint64_t head, std::uint64_t tail, std::uint64_t wanted) noexcept {
    static_assert(std::has_single_bit(places));
    if (count_ == 1) {  // a tick for each visit, each with draws of its own, would take longer than the packets
      while (tail - head < wanted) ring[tail++ % places] = 0;
    }
    while (tail - head < wanted) {
      if (position_ > mask_) [[unlikely]]
        start_tick(tick_ + 1);
      // A position is one flow at most, so that none of so many is one too many.
      const std::uint64_t in_tick = std::uint64_t{mask_} + 1 - position_;
      const auto end = static_cast<std::uint32_t>(position_ + std::min(in_tick, wanted - (tail - head)));
      if (random_) {
        tail = scramble_until<places>(end, ring, tail);
      } else {
        for (; position_ != end; ++position_) {
          ring[tail % places] = position_;
          tail += position_ < count_ ? 1 : 0;
        }
      }
    }
    return tail;
  }

  // Returns the next flow.
  [[nodiscard]] std::uint32_t next() noexcept {
    std::uint32_t one[2] = {};
    fill<2>(one, 0, 0, 1);
    return one[0];
  }

 private:
  // A bijection of 0 .. mask_: odd multiplications, an addition and xor-shifts modulo the power of two, each of which
  // can be undone.
  [[nodiscard]] std::uint32_t scramble(std::uint32_t x) const noexcept {
    x = (x * first_ + offset_) & mask_;
    x ^= x >> shift_;
    x = (x * second_) & mask_;
    return x ^ (x >> shift_);
  }

  // Writes the flows of the positions up to `end`. Several are computed at once, which the compiler turns into vectors.
  template <std::size_t places>
  [[gnu::always_inline]] std::uint64_t scramble_until(std::uint32_t end, std::uint32_t* ring,
                                                      std::uint64_t tail) noexcept {
    constexpr std::uint32_t kAtOnce = 8;
    const auto write = [&](std::uint32_t flow) {
      ring[tail % places] = flow;
      tail += flow < count_ ? 1 : 0;  // the few that are none are overwritten; no branch, which would be mispredicted
    };
    for (; end - position_ >= kAtOnce; position_ += kAtOnce) {
      std::uint32_t flows[kAtOnce];
      for (std::uint32_t i = 0; i < kAtOnce; ++i) flows[i] = scramble(position_ + i);
      for (const std::uint32_t flow : flows) write(flow);
    }
    for (; position_ != end; ++position_) write(scramble(position_));
    return tail;
  }

  void start_tick(std::uint64_t tick) noexcept {
    tick_ = tick;
    position_ = 0;
    const std::uint64_t draw = draw_at(seed_, tick);
    first_ = static_cast<std::uint32_t>(draw) | 1;
    second_ = static_cast<std::uint32_t>(draw >> 32) | 1;
    offset_ = static_cast<std::uint32_t>(mix64(draw));
  }

  std::uint32_t count_;
  bool random_;
  std::uint64_t seed_;
  std::uint32_t mask_ = 0;
  unsigned shift_ = 1;
  std::uint64_t tick_ = 0;
  std::uint32_t position_ = 0;
  std::uint32_t first_ = 1, second_ = 1, offset_ = 0;
};

}  // namespace headroom::load

#endif  // HEADROOM_LOAD_ORDER_H
