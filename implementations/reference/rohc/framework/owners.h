// SPDX-License-Identifier: Apache-2.0
//
// The family of profiles that owns the context of each CID. A family (RFC 3095 and similar, RFC 6846 …) keeps its
// contexts in its own arrays under the common index (channel.h). A CID has one context, so at most one family owns it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rohc/framework/page_array.h"

namespace headroom::rohc {

// REQUIRES of Family: drop(index), which deletes the family's context at that index without calling Owners.
template <typename Family>
class Owners {
 public:
  explicit Owners(std::size_t contexts) : numbers_(contexts) {}

  // Adds a family. Each family that may take a context is added once, in the order of precedence.
  void add(Family& family) noexcept { families_[count_++] = &family; }
  [[nodiscard]] std::span<Family* const> families() const noexcept { return {families_.data(), count_}; }

  // Returns the family that owns the context, or nullptr if the context is unused.
  [[nodiscard]] Family* of(std::uint32_t index) const noexcept {
    return numbers_[index] != 0 ? families_[numbers_[index] - 1U] : nullptr;
  }

  // Makes `family` the owner of the context; a previous owner drops the context. REQUIRES: `family` was added.
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

  // Makes the context unused; its owner drops the context.
  void release(std::uint32_t index) noexcept {
    Family* const before = of(index);
    if (before == nullptr) return;
    before->drop(index);
    numbers_[index] = 0;
    --in_use_;
  }

  // Returns the number of contexts that a family owns.
  [[nodiscard]] std::uint32_t in_use() const noexcept { return in_use_; }

 private:
  static constexpr std::size_t kMostFamilies = 4;

  std::array<Family*, kMostFamilies> families_{};
  std::size_t count_ = 0;
  std::uint32_t in_use_ = 0;
  PageArray<std::uint8_t> numbers_;  // index in families_ plus 1; 0: unused
};

}  // namespace headroom::rohc
