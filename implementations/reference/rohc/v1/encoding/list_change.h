// SPDX-License-Identifier: Apache-2.0
//
// The difference between a list and a reference list, and what a difference makes of it: the insertion and removal
// schemes of RFC 3095 5.8.3. Items are known by their indexes in the translation table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "rohc/v1/wire/list.h"

namespace headroom::rohc {

struct IndexList {
  std::uint8_t count = 0;
  std::array<std::uint8_t, wire::kMaxXis> at{};

  [[nodiscard]] constexpr bool append(std::uint8_t index) noexcept {
    if (count == at.size()) return false;
    at[count++] = index;
    return true;
  }
  [[nodiscard]] constexpr bool has(std::uint8_t index) const noexcept {
    for (unsigned i = 0; i < count; ++i) {
      if (at[i] == index) return true;
    }
    return false;
  }
  friend constexpr bool operator==(const IndexList& a, const IndexList& b) noexcept {
    if (a.count != b.count) return false;
    for (unsigned i = 0; i < a.count; ++i) {
      if (a.at[i] != b.at[i]) return false;
    }
    return true;
  }
};

// What makes `current` of `reference`: remove, then insert. The masks have the least width that serves.
struct ListChange {
  bool removes = false;
  bool inserts = false;
  wire::ListMask removal;  // with ones behind the reference list, up to its width
  wire::ListMask insertion;
  IndexList inserted;
};

// As much of the reference list as possible stays.
[[nodiscard]] ListChange change_between(const IndexList& reference, const IndexList& current) noexcept;

// Empty when the masks do not fit the list: "if a '0' is observed when ref_list has been exhausted, an error has
// occurred", or when the result is too long. A mask leaves what lies behind it as it is (RFC 4815 5.3).
[[nodiscard]] std::optional<IndexList> remove_from(const IndexList& reference, wire::ListMask removal) noexcept;
[[nodiscard]] std::optional<IndexList> insert_into(const IndexList& reference, wire::ListMask insertion,
                                                   const IndexList& inserted) noexcept;

}  // namespace headroom::rohc
