// SPDX-License-Identifier: Apache-2.0
//
// Which family of profiles has the context of each CID. A family (RFC 3095 and its like, RFC 6846 …) keeps its contexts
// itself, in arrays under the common index (channel.h); a CID has one context, so at most one family has something
// there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rohc/framework/page_array.h"

namespace headroom::rohc {

// REQUIRES of Family: drop(index), which makes it forget what it has at that index, without a word to the owners.
template <typename Family>
class Owners {
 public:
  explicit Owners(std::size_t contexts) : numbers_(contexts) {}

  // All families that will ever take a context, once, in the order in which they are asked.
  void add(Family& family) noexcept { families_[count_++] = &family; }
  [[nodiscard]] std::span<Family* const> families() const noexcept { return {families_.data(), count_}; }

  // nullptr: it is unused.
  [[nodiscard]] Family* of(std::uint32_t index) const noexcept {
    return numbers_[index] != 0 ? families_[numbers_[index] - 1U] : nullptr;
  }

  // From now on the context is `family`'s; another one that has it drops it. REQUIRES: `family` was added.
  void take(std::uint32_t index, const Family& family) noexcept {
    Family* const before = of(index);
    if (before == &family) return;
    if (before != nullptr) {
      before->drop(index);
    } else {
      ++in_use_;
    }
    std::uint8_t number = 0;
    while (families_[number] != &family) ++number;
    numbers_[index] = static_cast<std::uint8_t>(number + 1);
  }

  // Makes it unused, and tells the family that had it.
  void release(std::uint32_t index) noexcept {
    Family* const before = of(index);
    if (before == nullptr) return;
    before->drop(index);
    numbers_[index] = 0;
    --in_use_;
  }

  // Contexts that some family has.
  [[nodiscard]] std::uint32_t in_use() const noexcept { return in_use_; }

 private:
  static constexpr std::size_t kMostFamilies = 4;

  std::array<Family*, kMostFamilies> families_{};
  std::size_t count_ = 0;
  std::uint32_t in_use_ = 0;
  PageArray<std::uint8_t> numbers_;  // place in families_ plus 1
};

}  // namespace headroom::rohc
