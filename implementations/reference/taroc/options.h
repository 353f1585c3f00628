// SPDX-License-Identifier: Apache-2.0
//
// The options of TCP headers (7.3.2.2). The context determines their kinds and order: an UNCOMPRESSED_TCP packet
// establishes a form, and compressed packets fill in the values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "taroc/wire/compressed.h"

namespace headroom::taroc {

// The form of options: options without their changing values. A SACK option and its aligning NOPs are not part of the
// form, because packets may or may not have them. In a form that was established without a SACK option, the place of
// SACK is after all other options, preceded by two NOPs, as in RFC 7323, A.
struct OptionForm {
  std::array<std::uint8_t, wire::kMostOptions> octets{};  // time stamps and octets of other options are 0
  std::uint64_t others = 0;                               // one bit per octet: 1 for octets of other options
  std::uint8_t length = 0;
  std::uint8_t timestamps = 0;  // offset of the TS value; the echo reply follows. 0: no time stamps
  std::uint8_t sack_at = 0, sack_nops = 0;
  bool has_sack_place = false;
  bool is_readable = true;  // false: the options cannot be parsed, or a changing option occurs twice

  [[nodiscard]] std::size_t others_length() const noexcept { return static_cast<std::size_t>(std::popcount(others)); }
};

// The edges of a SACK block.
struct SackEdges {
  std::uint32_t left = 0, right = 0;
};
struct OptionValues {
  std::uint32_t ts_value = 0, ts_echo = 0;
  std::uint8_t sack_blocks = 0;
  std::array<SackEdges, 4> sack{};                        // at most 4 fit into 40 octets (RFC 2018, 3)
  std::array<std::uint8_t, wire::kMostOptions> others{};  // octets of other options, in their order
};

// The options of one packet.
struct PacketOptions {
  OptionForm form;
  OptionValues values;
};

// Reads the options at `options`. REQUIRES: count <= kMostOptions.
[[nodiscard]] PacketOptions read_options(const std::uint8_t* options, std::size_t count) noexcept;

// True if a packet's options have the form of a context.
[[nodiscard]] bool fits(const OptionForm& context, const PacketOptions& packet) noexcept;

// Returns the octets of the options with `sack_blocks` SACK blocks, or nothing if they are more than 40 or no multiple
// of four.
[[nodiscard]] std::optional<std::size_t> length_of(const OptionForm& form, std::size_t sack_blocks) noexcept;
// Writes the options. REQUIRES: length_of() returns a length.
void write_options(const OptionForm& form, const OptionValues& values, std::uint8_t* out) noexcept;

}  // namespace headroom::taroc
