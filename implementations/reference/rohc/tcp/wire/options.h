// SPDX-License-Identifier: Apache-2.0
//
// TCP options as a compressed list (RFC 6846, 6.3) and their encodings, tcp_opt_* (8.2).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "rohc/tcp/wire/headers.h"

namespace headroom::rohc::tcp {

inline constexpr unsigned kMostItems = 15;   // items in one list: m has 4 bits (6.3.3)
inline constexpr unsigned kTableItems = 16;  // 6.3.4

// Indexes of the item table (6.3.4); generic options use kGeneric and the indexes above.
enum Item : std::uint8_t { kNop, kEol, kMss, kWscale, kTs, kSackPermitted, kSack, kGeneric };

inline constexpr std::uint8_t kOptionTs = 8;
inline constexpr std::size_t kTsLength = 10;

// The options of a header: for each its index in the table, offset after the fixed TCP header, and length in octets.
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
  // True if both lists have the same "structure", that is the same items in the same order.
  [[nodiscard]] bool has_structure_of(const OptionList& other) const noexcept {
    return count == other.count && std::memcmp(index.data(), other.index.data(), count) == 0;
  }
};

// The items that were in an earlier list and are not in the current list; items of the current list are in the
// reference header.
struct ItemTable {
  std::array<std::array<std::uint8_t, kMostOptions>, kTableItems> octets{};
  std::array<std::uint8_t, kTableItems> length{};  // 0: no item
  std::uint16_t is_static = 0;                     // option_static of each generic item

  [[nodiscard]] bool is_static_item(unsigned i) const noexcept { return (is_static >> i & 1) != 0; }
  void set_static(unsigned i, bool v) noexcept {
    is_static = static_cast<std::uint16_t>((is_static & ~(1U << i)) | static_cast<unsigned>(v) << i);
  }
};

// The options of a context: the table, the list of the reference header, and the options of that header.
struct OptionContext {
  const ItemTable& table;
  const OptionList& list;
  const std::uint8_t* options;

  // Returns the octets of the item with this index in a header; empty if the context has no such item. NOP is always
  // known.
  [[nodiscard]] Octets item(unsigned index) const noexcept;
};

// Moves the items of `list` to the table before another list replaces it.
void save_items(ItemTable& table, const OptionList& list, const std::uint8_t* options) noexcept;

// Returns the fixed index of the option at `option` if the option has the length of its kind, else kGeneric. REQUIRES:
// the option is complete.
[[nodiscard]] std::uint8_t index_of(const std::uint8_t* option, std::size_t length) noexcept;

// Returns the length in octets of the option at the start of `rest`; EOL includes all remaining octets. Returns 0 if
// the option cannot be compressed: a length below 2 or beyond the end, padding other than zeros, or more padding than
// pad_len can express.
[[nodiscard]] std::size_t option_length(Octets rest) noexcept;

// The widths of the LSBs of ts_lsb in bits, and their offsets p.
struct TsFormat {
  std::uint8_t bits;
  std::int32_t p;
};
inline constexpr TsFormat kTsFormats[] = {{7, -1}, {14, -1}, {21, 0x00040000}, {29, 0x04000000}};
inline constexpr unsigned kTsTooFar = 4;  // no format reaches the value
void write_ts_lsb(Writer& out, std::uint32_t value, unsigned format) noexcept;
[[nodiscard]] std::uint32_t read_ts_lsb(Reader& in, std::uint32_t reference) noexcept;

// Writes sack_pure_lsb.
void write_sack_field(Writer& out, std::uint32_t field, std::uint32_t base) noexcept;
// Reads sack_pure_lsb. Returns false if the field is truncated or has no known discriminator.
[[nodiscard]] bool read_sack_field(Reader& in, std::uint32_t base, std::uint32_t& field) noexcept;
// Writes the discriminator and blocks of a SACK option. The start of the first block is relative to `ack`, the start of
// any other block to the end of the block before ("block_1.UVALUE && 0xFFFFFFFF"; sack3_irregular refers to block_1 for
// block_3, too, which is treated as an error of the RFC, because sack3_list_item refers to block_2).
void write_sack(Writer& out, Octets option, std::uint32_t ack) noexcept;

// Writes the *_list_item of an option.
void write_item(Writer& out, std::uint8_t index, Octets option, bool is_static, std::uint32_t ack) noexcept;

// The compressor's choice of encodings in the irregular chain.
struct IrregularChoice {
  std::uint8_t ts_value = 0, ts_echo = 0;  // indexes of kTsFormats
  std::uint16_t unchanged = 0;             // by index: SACK and generic items with the content of the context
};
void write_irregular_item(Writer& out, std::uint8_t index, Octets option, bool is_static, const IrregularChoice& choice,
                          std::uint32_t ack) noexcept;

// Writes the compressed list (6.3.3): reserved, PS, m and the XIs. Bit i of `present` is X of item i. PS is 0 if all
// indexes fit into three bits.
void write_list(Writer& out, const OptionList& list, std::uint16_t present) noexcept;

// A compressed list as received. `octets` contains the items with X = 1 consecutively, as in a header.
struct ReceivedList {
  std::uint8_t count = 0;
  std::uint16_t present = 0, is_static = 0;  // by place in the list
  std::array<std::uint8_t, kMostItems> index{}, length{};
  std::array<std::uint8_t, kMostOptions> octets;
};
// Reads a compressed list. `all_present`: true for the list of a dynamic chain, where all X are set (6.3.5). Returns
// false if the list is malformed.
[[nodiscard]] bool read_list(Reader& in, std::uint32_t ack, bool all_present, ReceivedList& list) noexcept;

// The result of build_options(), which builds the options of a header: from the items that the list carries, and for
// all other items from the irregular chain at `in`, or from the context's items if `in` is nullptr. Without a
// `received` list the options have the context's structure.
enum class OptionStatus : std::uint8_t { kOk, kMalformed, kUnknownItem };
[[nodiscard]] OptionStatus build_options(Reader* in, const ReceivedList* received, const OptionContext& context,
                                         std::uint32_t ack, std::uint8_t* out, OptionList& list) noexcept;

}  // namespace headroom::rohc::tcp
