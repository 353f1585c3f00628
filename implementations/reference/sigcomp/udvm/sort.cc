// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/udvm/sort.h"

#include <bit>
#include <utility>

#include "mutants.h"

namespace headroom::sigcomp::udvm {
namespace {

constexpr std::uint32_t kFew = 48;  // up to here insertion is faster than counting octets

}  // namespace

std::uint64_t Sorter::cost(std::uint32_t n, std::uint32_t k) noexcept {
  // "the smallest value i such that k <= 2^i"
  const unsigned log2 = k <= 1 ? 0 : static_cast<unsigned>(std::bit_width(k - 1));
  return 1 + std::uint64_t{k} * (log2 + n);
}

// order[i]: which word of the list comes at place i. `values` are the words; both functions keep equal ones in order.
void Sorter::order_few(std::uint32_t words) noexcept {
  auto& order = room_->order;
  const auto& values = room_->values;
  for (std::uint32_t i = 1; i < words; ++i) {
    const std::uint16_t moved = order[i];
    std::uint32_t place = i;
    const auto is_behind = [&](std::uint16_t other_word) {
      return values[other_word] > values[moved] ||
             (mutant("sigcomp-sort-turns-equal-words") && values[other_word] == values[moved]);
    };
    for (; place > 0 && is_behind(order[place - 1]); --place) order[place] = order[place - 1];
    order[place] = moved;
  }
}

void Sorter::order_many(std::uint32_t words) noexcept {
  auto& [order, other, values] = *room_;
  for (const unsigned shift : {0U, 8U}) {
    std::array<std::uint32_t, 257> from{};
    for (std::uint32_t i = 0; i < words; ++i) ++from[(values[i] >> shift & 0xffU) + 1];
    for (std::size_t i = 1; i < from.size(); ++i) from[i] += from[i - 1];
    for (std::uint32_t i = 0; i < words; ++i) other[from[values[order[i]] >> shift & 0xffU]++] = order[i];
    for (std::uint32_t i = 0; i < words; ++i) order[i] = other[i];
  }
}

void Sorter::sort(std::uint8_t* first, std::uint32_t lists, std::uint32_t words, bool descending) noexcept {
  if (lists == 0 || words < 2) return;
  auto& [order, other, values] = *room_;
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint16_t value = load16(first + 2 * i);
    values[i] = descending ? static_cast<std::uint16_t>(~value) : value;
    order[i] = static_cast<std::uint16_t>(i);
  }
  words <= kFew ? order_few(words) : order_many(words);
  for (std::uint32_t list = 0; list < lists; ++list, first += 2 * words) {
    for (std::uint32_t i = 0; i < words; ++i) values[i] = load16(first + 2 * i);
    for (std::uint32_t i = 0; i < words; ++i) store16(first + 2 * i, values[order[i]]);
  }
}

}  // namespace headroom::sigcomp::udvm
