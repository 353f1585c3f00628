// SPDX-License-Identifier: Apache-2.0
//
// Chains of IR, IR-DYN, IR-CR and CO packets (RFC 6846, 6.2; formats *_static, *_dynamic, *_replicate and *_irregular
// of 8.2). Writers take octets from the original headers; readers put octets where they belong in headers that are
// being rebuilt, and leave the fields to infer_fields() that follow from others.
#pragma once

#include <cstdint>

#include "rohc/tcp/wire/headers.h"
#include "rohc/tcp/wire/options.h"

namespace headroom::rohc::tcp {

// Control fields that chains carry (6.1); ip_id_behavior is that of the layout's headers.
struct Control {
  std::uint16_t msn = 0;
  std::uint16_t ack_stride = 0;
  bool ecn_used = false;
};

enum class ChainStatus : std::uint8_t { kOk, kMalformed, kTooLong, kUnknownItem };

void write_static_chain(Writer& out, const Layout& layout, const std::uint8_t* octets) noexcept;
// Builds the layout, but for TCP options, and fixed octets of the headers; all others become 0. REQUIRES: room for
// kMostOctets.
[[nodiscard]] ChainStatus read_static_chain(Reader& in, Layout& layout, std::uint8_t* octets) noexcept;

// `stride`: the chain carries ack_stride. Static flags of generic items are those of `table`.
void write_dynamic_chain(Writer& out, const Layout& layout, const std::uint8_t* octets, const Control& control,
                         bool stride, const OptionList& options, const ItemTable& table) noexcept;
// REQUIRES: layout and octets as read_static_chain() or a context has them. `list` gets the option list; the octets of
// the options and the layout are brought up to date.
[[nodiscard]] ChainStatus read_dynamic_chain(Reader& in, Layout& layout, std::uint8_t* octets, Control& control,
                                             ReceivedList& received, OptionList& list) noexcept;

// True if headers can be replicated (6.2): the same kinds as the base context's, and equal fields where no replicate
// item has them.
[[nodiscard]] bool can_replicate(const Layout& base, const std::uint8_t* base_octets, const Layout& layout,
                                 const std::uint8_t* octets, const Control& control) noexcept;
// `present`: the X of options by place in the list. `list_present` false: options are those of the base context.
void write_replicate_chain(Writer& out, const Layout& base, const std::uint8_t* base_octets, const Layout& layout,
                           const std::uint8_t* octets, const Control& control, bool list_present,
                           const OptionList& options, std::uint16_t present, const ItemTable& table) noexcept;
// Builds layout and octets from those of the base context. No irregular chain follows, so that an item with X = 0 is
// the base context's. `received` is set if `has_list`.
[[nodiscard]] ChainStatus read_replicate_chain(Reader& in, const Layout& base, const std::uint8_t* base_octets,
                                               const OptionContext& base_options, Layout& layout, std::uint8_t* octets,
                                               Control& control, bool& has_list, ReceivedList& received,
                                               OptionList& list) noexcept;

// lsb_7_or_31 of AH and GRE sequence numbers.
inline constexpr unsigned kSevenBits = 7, kThirtyOneBits = 31;
inline constexpr std::int64_t kSevenP = 8, kThirtyOneP = 256;
// AH or GRE with a sequence number: its place among the octets, or 0.
[[nodiscard]] std::size_t sequence_place(const Header& h, const std::uint8_t* octets) noexcept;

// How the irregular chain is written and read.
struct IrregularHeaders {
  bool ecn_used = false;
  bool outer_ttl = false;          // ttl_irregular_chain_flag
  std::uint16_t wide_numbers = 0;  // by header: the sequence number goes in 31 bits
};
void write_irregular_chain(Writer& out, const Layout& layout, const std::uint8_t* octets,
                           const IrregularHeaders& choice) noexcept;
// REQUIRES: `octets` are those of the reference header.
[[nodiscard]] bool read_irregular_chain(Reader& in, const Layout& layout, std::uint8_t* octets,
                                        const IrregularHeaders& choice) noexcept;

}  // namespace headroom::rohc::tcp
