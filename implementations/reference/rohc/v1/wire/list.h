// SPDX-License-Identifier: Apache-2.0
//
// Compressed lists: RFC 3095 5.8.6 (encoding types 0 to 3) and 5.8.5.1 (the field "IP extension headers" of extension
// 3), RFC 4815 5.2, 5.3 and 8.9.
//
// This file defines only the layouts. encoding/list_change.h applies the masks to a list; translation tables and
// reference lists belong to the contexts.
#pragma once

#include <array>
#include <cstdint>

#include "rohc/framework/wire/octets.h"

namespace headroom::rohc::wire {

inline constexpr std::size_t kMaxXis = 15;  // CC has 4 bits, a mask at most 15

// The kind of a list's items, which determines the length of an item; items contain no length.
enum class ListKind : std::uint8_t { kCsrc, kHeaders };

// One XI field, and the item if X = 1.
struct Xi {
  std::uint8_t index = 0;  // at most 127; at most 7 with PS = 0, where X and the index share 4 bits
  bool has_item = false;
  Octets item;
};

// A mask of 7 or 15 bits. The first position is bit 14 for both widths.
struct ListMask {
  std::uint16_t bits = 0;
  std::uint8_t width = 7;

  [[nodiscard]] constexpr bool at(unsigned position) const noexcept { return (bits >> (14U - position) & 1U) != 0; }
  constexpr void set(unsigned position) noexcept { bits = static_cast<std::uint16_t>(bits | 1U << (14U - position)); }
};

struct CompressedList {
  std::uint8_t type = 0;  // encoding type (ET)
  bool has_generation = false;
  std::uint8_t generation = 0;  // gen_id
  std::uint8_t reference = 0;   // ref_id; types 1 to 3
  std::uint8_t count = 0;       // Count: elements of the reference list; type 2
  ListMask removal;             // types 2 and 3
  ListMask insertion;           // types 1 and 3
  std::uint8_t xi_count = 0;    // type 0: CC; types 1 and 3: ones in the insertion mask
  std::array<Xi, kMaxXis> xis;
};

// Returns the number of octets that write_list() writes.
[[nodiscard]] std::size_t list_octets(const CompressedList& list) noexcept;

// Writes a list, with 4-bit XI fields if all indexes fit. REQUIRES: for types 1 and 3 the insertion mask has xi_count
// ones; masks have no ones beyond their width.
void write_list(Writer& out, const CompressedList& list) noexcept;

// Reads a list; items are not copied but refer to the input. Returns false if the list is truncated or has an item of
// unknown length.
[[nodiscard]] bool read_list(Reader& in, ListKind kind, CompressedList& list) noexcept;

// --- IP extension headers in extension 3 (5.8.5.1) -------------------------------------------------------------------

// A compressed sequence number of AH, ESP or GRE: 7 or 31 least significant bits of the field itself (RFC 4815 8.9).
// Width 0: absent.
struct SequenceBits {
  std::uint32_t value = 0;
  std::uint8_t width = 0;

  // Returns the number with these least significant bits and all other bits of `base`.
  [[nodiscard]] constexpr std::uint32_t on(std::uint32_t base) const noexcept {
    const std::uint32_t mask = (std::uint32_t{1} << width) - 1;
    return (base & ~mask) | (value & mask);
  }
};

struct ExtensionHeadersField {
  SequenceBits ah;
  SequenceBits esp;
  SequenceBits gre;
  bool has_list = false;  // CL
  CompressedList list;
};

void write_extension_headers(Writer& out, const ExtensionHeadersField& field) noexcept;
[[nodiscard]] bool read_extension_headers(Reader& in, ExtensionHeadersField& field) noexcept;

}  // namespace headroom::rohc::wire
