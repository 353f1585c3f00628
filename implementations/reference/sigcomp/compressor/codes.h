// SPDX-License-Identifier: Apache-2.0
//
// Codes of the algorithms: what the decoders of programs/ read.
#pragma once

#include <span>

#include "sigcomp/compressor/window.h"

namespace headroom::sigcomp {

// Limits of a match, besides the shortest one.
struct MatchLimits {
  std::size_t longest = 0;   // octets
  std::size_t farthest = 0;  // octets back
  // Octets of the sliding window where the octets to be compressed next, `longest` of them, are part of it, as in
  // maenpaa-2005 (7.8.2): what they will overwrite is not searched. 0: it is searched until it is overwritten.
  std::size_t window = 0;
  // Octets of a circular buffer whose end no match crosses, neither where it is taken from nor where it is put, and
  // where in it the window begins. 0: they cross it.
  std::size_t circle = 0;
  std::size_t circle_at = 0;
  std::size_t oldest = 0;  // the first position of the window where a match may begin
};

// Each compresses what `window` has left into `room`, and returns how many octets that are, or more than `room` has
// where it does not suffice; then the window is left in the middle.
//
// The modified LZSS of maenpaa-2005 (7.8.4), greedy.
[[nodiscard]] std::size_t write_lzss(Window& window, const MatchLimits& limits, unsigned offset_bits,
                                     unsigned length_bits, std::span<std::uint8_t> room) noexcept;
// DEFLATE (RFC 1951), one block with fixed Huffman codes, greedy. REQUIRES: limits.longest <= 257 and limits.farthest
// <= 32768. Of the limits, `window` is not asked for.
[[nodiscard]] std::size_t write_deflate(Window& window, const MatchLimits& limits,
                                        std::span<std::uint8_t> room) noexcept;

}  // namespace headroom::sigcomp
