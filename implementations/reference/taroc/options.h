// SPDX-License-Identifier: Apache-2.0
//
// The options of TCP headers (7.3.2.2). Which ones there are, and in which order, is the context's: an UNCOMPRESSED_TCP
// packet establishes a form, and compressed packets fill it in.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "taroc/wire/compressed.h"

namespace headroom::taroc {

// Options without what changes. A SACK option is no part of the form, nor are the NOPs in front of it that align it:
// it comes and goes. Where it is to stand in a form that was established without one, is behind all other options,
// with two NOPs in front, as RFC 7323, A, has it.
struct OptionForm {
  std::array<std::uint8_t, wire::kMostOptions> octets{};  // time stamps are 0, and so are other options' octets
  std::uint64_t others = 0;                               // which octets are those of options of another kind
  std::uint8_t length = 0;
  std::uint8_t timestamps = 0;  // where the TS value stands; the echo reply follows. 0: there is no such option
  std::uint8_t sack_at = 0, sack_nops = 0;
  bool has_sack_place = false;
  bool is_readable = true;  // false: the options cannot be told apart, or one that is to change occurs twice

  [[nodiscard]] std::size_t others_length() const noexcept { return static_cast<std::size_t>(std::popcount(others)); }
};

// What fills in a form.
struct SackEdges {
  std::uint32_t left = 0, right = 0;
};
struct OptionValues {
  std::uint32_t ts_value = 0, ts_echo = 0;
  std::uint8_t sack_blocks = 0;
  std::array<SackEdges, 4> sack{};                        // 40 octets hold no more (RFC 2018, 3)
  std::array<std::uint8_t, wire::kMostOptions> others{};  // octets of other options, in their order
};

// The options of one packet.
struct PacketOptions {
  OptionForm form;
  OptionValues values;
};

// Reads the options that stand at `options`. REQUIRES: count <= kMostOptions.
[[nodiscard]] PacketOptions read_options(const std::uint8_t* options, std::size_t count) noexcept;

// Whether a packet's options fill in the form of a context.
[[nodiscard]] bool fits(const OptionForm& context, const PacketOptions& packet) noexcept;

// The octets of the options with so many SACK blocks; nothing where they are more than 40, or no multiple of four.
[[nodiscard]] std::optional<std::size_t> length_of(const OptionForm& form, std::size_t sack_blocks) noexcept;
// Writes them. REQUIRES: length_of() is not nothing.
void write_options(const OptionForm& form, const OptionValues& values, std::uint8_t* out) noexcept;

}  // namespace headroom::taroc
