// SPDX-License-Identifier: Apache-2.0
//
// Chains of IR, IR-DYN, IR-CR and CO packets (RFC 6846, 6.2; formats *_static, *_dynamic, *_replicate and *_irregular
// of 8.2). Writers copy octets from the original headers. Readers write octets to their places in headers that are
// being rebuilt; infer_fields() writes the inferred fields.
#pragma once

#include <cstdint>

#include "rohc/tcp/wire/headers.h"
#include "rohc/tcp/wire/options.h"

namespace headroom::rohc::tcp {

// The control fields that chains carry (6.1); ip_id_behavior is stored in the layout's headers.
struct Control {
  std::uint16_t msn = 0;
  std::uint16_t ack_stride = 0;
  bool ecn_used = false;
};

enum class ChainStatus : std::uint8_t { kOk, kMalformed, kTooLong, kUnknownItem };

void write_static_chain(Writer& out, const Layout& layout, const std::uint8_t* octets) noexcept;
// Builds the layout, without TCP options, and the static octets of the headers; all other octets become 0. REQUIRES:
// room for kMostOctets.
[[nodiscard]] ChainStatus read_static_chain(Reader& in, Layout& layout, std::uint8_t* octets) noexcept;

// `stride`: true if the chain carries ack_stride. `table` gives the static flags of generic items.
void write_dynamic_chain(Writer& out, const Layout& layout, const std::uint8_t* octets, const Control& control,
                         bool stride, const OptionList& options, const ItemTable& table) noexcept;
// Reads the dynamic chain: sets `list` to the option list and updates the octets of the options and the layout.
// REQUIRES: layout and octets are from read_static_chain() or a context.
[[nodiscard]] ChainStatus read_dynamic_chain(Reader& in, Layout& layout, std::uint8_t* octets, Control& control,
                                             ReceivedList& received, OptionList& list) noexcept;

// True if the headers can be replicated (6.2): they have the same kinds as the base context's headers, and fields that
// no replicate item carries are equal.
[[nodiscard]] bool can_replicate(const Layout& base, const std::uint8_t* base_octets, const Layout& layout,
                                 const std::uint8_t* octets, const Control& control) noexcept;
// `present`: the X bits of options by place in the list. `list_present`: false if the options equal those of the base
// context.
void write_replicate_chain(Writer& out, const Layout& base, const std::uint8_t* base_octets, const Layout& layout,
                           const std::uint8_t* octets, const Control& control, bool list_present,
                           const OptionList& options, std::uint16_t present, const ItemTable& table) noexcept;
// Builds layout and octets from those of the base context. No irregular chain follows, so an item with X = 0 is taken
// from the base context. `received` is set if `has_list` is set.
[[nodiscard]] ChainStatus read_replicate_chain(Reader& in, const Layout& base, const std::uint8_t* base_octets,
                                               const OptionContext& base_options, Layout& layout, std::uint8_t* octets,
                                               Control& control, bool& has_list, ReceivedList& received,
                                               OptionList& list) noexcept;

// lsb_7_or_31 of AH and GRE sequence numbers.
inline constexpr unsigned kSevenBits = 7, kThirtyOneBits = 31;
inline constexpr std::int64_t kSevenP = 8, kThirtyOneP = 256;
// Returns the offset of the sequence number of AH or GRE in `octets`, or 0 if there is none.
[[nodiscard]] std::size_t sequence_place(const Header& h, const std::uint8_t* octets) noexcept;

// The parameters of writing and reading the irregular chain.
struct IrregularHeaders {
  bool ecn_used = false;
  bool outer_ttl = false;          // ttl_irregular_chain_flag
  std::uint16_t wide_numbers = 0;  // one bit per header: the sequence number has 31 bits
};
void write_irregular_chain(Writer& out, const Layout& layout, const std::uint8_t* octets,
                           const IrregularHeaders& choice) noexcept;
// REQUIRES: `octets` holds the reference headers.
[[nodiscard]] bool read_irregular_chain(Reader& in, const Layout& layout, std::uint8_t* octets,
                                        const IrregularHeaders& choice) noexcept;

}  // namespace headroom::rohc::tcp
