// SPDX-License-Identifier: Apache-2.0
//
// SORT-ASCENDING and SORT-DESCENDING: RFC 3320 9.1.3.
#pragma once

#include <array>
#include <memory>

#include "sigcomp/octets.h"

namespace headroom::sigcomp::udvm {

class Sorter {
 public:
  Sorter() : room_(std::make_unique<Room>()) {}

  // Sorts the first of `lists` lists, and rearranges the other lists in the same way. Each list has `words` 2-byte
  // words, and the lists lie one after another from `first` on. Equal words keep their order. The time is within a
  // constant factor of the instruction's cycles. REQUIRES: lists * words <= 32768.
  void sort(std::uint8_t* first, std::uint32_t lists, std::uint32_t words, bool descending) noexcept;

  // Returns the instruction's cycles: 1 + k * (ceiling(log2(k)) + n), figure 11.
  [[nodiscard]] static std::uint64_t cost(std::uint32_t n, std::uint32_t k) noexcept;

 private:
  static constexpr std::size_t kMostWords = 32768;
  struct Room {
    std::array<std::uint16_t, kMostWords> order;
    std::array<std::uint16_t, kMostWords> other;
    std::array<std::uint16_t, kMostWords> values;
  };
  void order_few(std::uint32_t words) noexcept;
  void order_many(std::uint32_t words) noexcept;

  std::unique_ptr<Room> room_;
};

}  // namespace headroom::sigcomp::udvm
