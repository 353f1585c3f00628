// SPDX-License-Identifier: Apache-2.0
//
// Computes the difference between a list and a reference list, and applies a difference to a reference list: the
// insertion and removal schemes of RFC 3095 5.8.3. Items are identified by their indexes in the translation table.
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

// The change from a reference list to the current list: first the removal, then the insertion. The masks have the
// smallest sufficient width.
struct ListChange {
  bool removes = false;
  bool inserts = false;
  wire::ListMask removal;  // positions behind the reference list are ones, up to the mask's width
  wire::ListMask insertion;
  IndexList inserted;
};

// Returns the change from `reference` to `current` that keeps as many items of the reference list as possible.
[[nodiscard]] ListChange change_between(const IndexList& reference, const IndexList& current) noexcept;

// Applies a mask to a list; items after the mask are kept (RFC 4815 5.3). Returns nothing if the result is too long or
// the mask does not fit the list: "if a '0' is observed when ref_list has been exhausted, an error has occurred".
[[nodiscard]] std::optional<IndexList> remove_from(const IndexList& reference, wire::ListMask removal) noexcept;
[[nodiscard]] std::optional<IndexList> insert_into(const IndexList& reference, wire::ListMask insertion,
                                                   const IndexList& inserted) noexcept;

}  // namespace headroom::rohc
