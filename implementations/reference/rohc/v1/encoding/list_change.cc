// SPDX-License-Identifier: Apache-2.0
#include "rohc/v1/encoding/list_change.h"

#include <algorithm>

#include "mutants.h"

namespace headroom::rohc {
namespace {

constexpr unsigned kNarrow = 7;

// common[i][j]: items that the rest of the reference from i on and the rest of the current list from j on can share in
// one order.
using Common = std::array<std::array<std::uint8_t, wire::kMaxXis + 1>, wire::kMaxXis + 1>;

void find_common(const IndexList& reference, const IndexList& current, Common& common) noexcept {
  for (unsigned i = reference.count + 1U; i-- > 0;) {
    for (unsigned j = current.count + 1U; j-- > 0;) {
      if (i == reference.count || j == current.count) {
        common[i][j] = 0;
      } else if (reference.at[i] == current.at[j]) {
        common[i][j] = static_cast<std::uint8_t>(common[i + 1][j + 1] + 1);
      } else {
        common[i][j] = std::max(common[i + 1][j], common[i][j + 1]);
      }
    }
  }
}

void narrow_if_possible(wire::ListMask& mask, unsigned last_one) noexcept { mask.width = last_one >= kNarrow ? 15 : 7; }

}  // namespace

ListChange change_between(const IndexList& reference, const IndexList& current) noexcept {
  Common common;
  find_common(reference, current, common);
  ListChange change;
  unsigned last_removal = 0;
  unsigned last_insertion = 0;
  unsigned i = 0;
  unsigned j = 0;
  while (i < reference.count || j < current.count) {
    const bool same = i < reference.count && j < current.count && reference.at[i] == current.at[j];
    if (same && common[i][j] == common[i + 1][j + 1] + 1) {
      ++i;
      ++j;
    } else if (i < reference.count && (j == current.count || common[i + 1][j] >= common[i][j + 1])) {
      change.removal.set(i);
      change.removes = true;
      last_removal = i++;
    } else {
      change.insertion.set(j);
      change.inserts = true;
      last_insertion = j;
      [[maybe_unused]] const bool room = change.inserted.append(current.at[j++]);
    }
  }
  narrow_if_possible(change.removal, last_removal);
  narrow_if_possible(change.insertion, last_insertion);
  // "If the length of the bit list is less than the required bit mask length, append additional ones."
  if (mutant("list-removal-mask-padded-with-zeros")) return change;
  for (unsigned k = reference.count; k < change.removal.width; ++k) change.removal.set(k);
  return change;
}

std::optional<IndexList> remove_from(const IndexList& reference, wire::ListMask removal) noexcept {
  IndexList result;
  for (unsigned i = 0; i < std::max<unsigned>(removal.width, reference.count); ++i) {
    if (i < removal.width && removal.at(i)) continue;
    if (i >= reference.count || !result.append(reference.at[i])) return std::nullopt;
  }
  return result;
}

std::optional<IndexList> insert_into(const IndexList& reference, wire::ListMask insertion,
                                     const IndexList& inserted) noexcept {
  IndexList result;
  unsigned from_reference = 0;
  unsigned from_inserted = 0;
  for (unsigned i = 0; i < insertion.width; ++i) {
    if (insertion.at(i)) {
      if (from_inserted == inserted.count || !result.append(inserted.at[from_inserted++])) return std::nullopt;
    } else if (from_reference < reference.count) {  // behind the reference list, zeros are padding
      if (!result.append(reference.at[from_reference++])) return std::nullopt;
    }
  }
  while (from_reference < reference.count) {
    if (!result.append(reference.at[from_reference++])) return std::nullopt;
  }
  return result;
}

}  // namespace headroom::rohc
