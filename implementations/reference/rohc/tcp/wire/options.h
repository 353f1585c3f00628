// SPDX-License-Identifier: Apache-2.0
//
// TCP options as a compressed list (RFC 6846, 6.3) and their encodings, tcp_opt_* (8.2).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "rohc/tcp/wire/headers.h"

namespace headroom::rohc::tcp {

inline constexpr unsigned kMostItems = 15;   // of one list: m has 4 bits (6.3.3)
inline constexpr unsigned kTableItems = 16;  // 6.3.4

// Indexes of the item table (6.3.4); generic options have all from kGeneric on.
enum Item : std::uint8_t { kNop, kEol, kMss, kWscale, kTs, kSackPermitted, kSack, kGeneric };

inline constexpr std::uint8_t kOptionTs = 8;
inline constexpr std::size_t kTsLength = 10;

// The options of a header: index in the table, place behind the fixed TCP header, and length of each.
struct OptionList {
  std::uint8_t count = 0, octets = 0;
  std::array<std::uint8_t, kMostItems> index{}, at{}, length{};

  [[nodiscard]] bool append(std::uint8_t i, std::size_t item_length) noexcept {
    if (count == kMostItems || octets + item_length > kMostOptions) return false;
    index[count] = i;
    at[count] = octets;
    length[count++] = static_cast<std::uint8_t>(item_length);
    octets = static_cast<std::uint8_t>(octets + item_length);
    return true;
  }
  // "Structure": which items, in which order.
  [[nodiscard]] bool has_structure_of(const OptionList& other) const noexcept {
    return count == other.count && std::memcmp(index.data(), other.index.data(), count) == 0;
  }
};

// Items that have been in a list and are in none now; those of the present list stand in the reference header.
struct ItemTable {
  std::array<std::array<std::uint8_t, kMostOptions>, kTableItems> octets{};
  std::array<std::uint8_t, kTableItems> length{};  // 0: there is no item
  std::uint16_t is_static = 0;                     // option_static of each generic item

  [[nodiscard]] bool is_static_item(unsigned i) const noexcept { return (is_static >> i & 1) != 0; }
  void set_static(unsigned i, bool v) noexcept {
    is_static = static_cast<std::uint16_t>((is_static & ~(1U << i)) | static_cast<unsigned>(v) << i);
  }
};

// What a context knows of options: the table, and the list of the reference header with that header's options.
struct OptionContext {
  const ItemTable& table;
  const OptionList& list;
  const std::uint8_t* options;

  // The item with that index as it stood in a header; empty if there has been none, unless it is NOP.
  [[nodiscard]] Octets item(unsigned index) const noexcept;
};

// Moves the items of `context`'s list to the table, before another list takes its place.
void save_items(ItemTable& table, const OptionList& list, const std::uint8_t* options) noexcept;

// Fixed index of the option at `option` if it has the length of its kind, else kGeneric. REQUIRES: the octets of the
// option are there.
[[nodiscard]] std::uint8_t index_of(const std::uint8_t* option, std::size_t length) noexcept;

// Length of the option that `rest` begins with; EOL takes all that is left. 0 if it cannot be compressed: a length
// below 2 or beyond the end, padding other than zeros, or more of it than pad_len can tell.
[[nodiscard]] std::size_t option_length(Octets rest) noexcept;

// ts_lsb: widths of the LSBs, and their offsets p.
struct TsFormat {
  std::uint8_t bits;
  std::int32_t p;
};
inline constexpr TsFormat kTsFormats[] = {{7, -1}, {14, -1}, {21, 0x00040000}, {29, 0x04000000}};
inline constexpr unsigned kTsTooFar = 4;  // no format reaches the value
void write_ts_lsb(Writer& out, std::uint32_t value, unsigned format) noexcept;
[[nodiscard]] std::uint32_t read_ts_lsb(Reader& in, std::uint32_t reference) noexcept;

// sack_pure_lsb.
void write_sack_field(Writer& out, std::uint32_t field, std::uint32_t base) noexcept;
// False if truncated or without a known discriminator.
[[nodiscard]] bool read_sack_field(Reader& in, std::uint32_t base, std::uint32_t& field) noexcept;
// The discriminator and blocks of a SACK option. The start of the first block is relative to `ack`, that of any other
// to the end of the block before it ("block_1.UVALUE && 0xFFFFFFFF"; sack3_irregular says block_1 for block_3, too,
// which is read as a slip, as sack3_list_item has block_2).
void write_sack(Writer& out, Octets option, std::uint32_t ack) noexcept;

// *_list_item of an option.
void write_item(Writer& out, std::uint8_t index, Octets option, bool is_static, std::uint32_t ack) noexcept;

// How the compressor writes the items that are in the irregular chain.
struct IrregularChoice {
  std::uint8_t ts_value = 0, ts_echo = 0;  // of kTsFormats
  std::uint16_t unchanged = 0;             // SACK and generic items, by index, whose content is that of the context
};
void write_irregular_item(Writer& out, std::uint8_t index, Octets option, bool is_static, const IrregularChoice& choice,
                          std::uint32_t ack) noexcept;

// The compressed list (6.3.3): reserved, PS, m and the XIs. Bit i of `present` is X of item i. PS is 0 if all indexes
// have three bits.
void write_list(Writer& out, const OptionList& list, std::uint16_t present) noexcept;

// A compressed list as received. Items with X = 1 stand one behind the other in `octets`, as in a header.
struct ReceivedList {
  std::uint8_t count = 0;
  std::uint16_t present = 0, is_static = 0;  // by place in the list
  std::array<std::uint8_t, kMostItems> index{}, length{};
  std::array<std::uint8_t, kMostOptions> octets;
};
// `all_present`: the list is in a dynamic chain, where all X are set (6.3.5). False if malformed.
[[nodiscard]] bool read_list(Reader& in, std::uint32_t ack, bool all_present, ReceivedList& list) noexcept;

// Puts the options together: items that the list carries, and for all others the irregular chain, which `in` is at, or
// the context's items if there is none (`in` is null). Without a `received` list the context's structure holds.
enum class OptionStatus : std::uint8_t { kOk, kMalformed, kUnknownItem };
[[nodiscard]] OptionStatus build_options(Reader* in, const ReceivedList* received, const OptionContext& context,
                                         std::uint32_t ack, std::uint8_t* out, OptionList& list) noexcept;

}  // namespace headroom::rohc::tcp
