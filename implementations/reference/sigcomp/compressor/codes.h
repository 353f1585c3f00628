// SPDX-License-Identifier: Apache-2.0
//
// The codes of the algorithms, which the decoders in programs/ read.
#pragma once

#include <span>

#include "sigcomp/compressor/window.h"

namespace headroom::sigcomp {

// The limits of a match, in addition to the shortest match.
struct MatchLimits {
  std::size_t longest = 0;   // octets
  std::size_t farthest = 0;  // octets back
  // The size in octets of a sliding window that includes the next `longest` octets to be compressed, as in maenpaa-2005
  // (7.8.2): the part of the window that these will overwrite is not searched. 0: each part is searched until it is
  // overwritten.
  std::size_t window = 0;
  // The size in octets of a circular buffer whose end no match crosses, neither at its source nor at its destination;
  // `circle_at` is the position in the buffer at which the window begins. 0: matches may cross the end.
  std::size_t circle = 0;
  std::size_t circle_at = 0;
  std::size_t oldest = 0;  // the first position of the window where a match may begin
};

// The write functions compress the rest of `window` into `room`. Each returns the number of octets written, or more
// than `room` has if `room` is too small; the window is then left at some octet in the middle.
//
// Writes the modified LZSS of maenpaa-2005 (7.8.4), with greedy matching.
[[nodiscard]] std::size_t write_lzss(Window& window, const MatchLimits& limits, unsigned offset_bits,
                                     unsigned length_bits, std::span<std::uint8_t> room) noexcept;
// Writes DEFLATE (RFC 1951): one block with fixed Huffman codes, with greedy matching. Ignores limits.window. REQUIRES:
// limits.longest <= 257 and limits.farthest <= 32768.
[[nodiscard]] std::size_t write_deflate(Window& window, const MatchLimits& limits,
                                        std::span<std::uint8_t> room) noexcept;

}  // namespace headroom::sigcomp
