// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/compressor/codes.h"

#include <algorithm>
#include <bit>

#include "mutants.h"
#include "sigcomp/compressor/bit_writer.h"

namespace headroom::sigcomp {
namespace {

// A length or a distance in DEFLATE: a code and extra bits (RFC 1951 3.2.5).
struct Code {
  std::uint32_t code;
  unsigned extra_bits;
  std::uint32_t extra;
};

// `value` counts from 0; `shift` is 2 for lengths and 1 for distances (programs/deflate.udvm).
constexpr Code code_of(std::uint32_t value, unsigned shift) noexcept {
  if (value < 1U << (shift + 1)) return {value, 0, 0};
  const auto extra_bits = static_cast<unsigned>(std::bit_width(value)) - shift - 1;
  return {(extra_bits << shift) + (value >> extra_bits), extra_bits, value & ((1U << extra_bits) - 1)};
}
static_assert(code_of(7, 2).code == 7 && code_of(8, 2).code == 8 && code_of(8, 2).extra_bits == 1);  // lengths 10, 11
static_assert(code_of(254, 2).code == 27 && code_of(254, 2).extra == 30);                            // length 257
static_assert(code_of(3, 1).code == 3 && code_of(4, 1).code == 4 && code_of(4, 1).extra_bits == 1);  // distances 4, 5
static_assert(code_of(32767, 1).code == 29 && code_of(32767, 1).extra_bits == 13);

constexpr std::uint32_t reversed(std::uint32_t value, unsigned count) noexcept {
  std::uint32_t result = 0;
  for (unsigned i = 0; i < count; ++i) result |= (value >> i & 1U) << (count - 1 - i);
  return result;
}

// A symbol of the fixed Huffman code for literals and lengths (RFC 1951 3.2.6), as it is written.
struct Symbol {
  std::uint16_t bits = 0;
  std::uint8_t count = 0;
};
struct Symbols {
  Symbol of[288];
  constexpr Symbols() {
    for (std::uint32_t i = 0; i < 288; ++i) {
      const unsigned count = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
      const std::uint32_t value = i < 144 ? 0x30 + i : i < 256 ? 0x190 + i - 144 : i < 280 ? i - 256 : 0xc0 + i - 280;
      of[i] = {static_cast<std::uint16_t>(reversed(value, count)), static_cast<std::uint8_t>(count)};
    }
  }
};
constexpr Symbols kSymbols;
constexpr std::uint32_t kEndOfBlock = 256;
constexpr std::uint32_t kFirstLength = 257;
// A match of three octets is longer than three literals of 8 bits from this distance on: 7, 5 and 13 bits.
constexpr std::uint32_t kTooFarForThree = 16385;

// The best match of what is next, as the limits have it, at most `farthest` octets away.
inline Match find(const Window& window, const MatchLimits& limits, std::size_t farthest) noexcept {
  const std::size_t at = window.position();
  farthest = std::min(farthest, at - std::min(at, limits.oldest));
  if (limits.circle == 0) return window.find(limits.longest, farthest);
  const std::size_t left = limits.circle - (limits.circle_at + at) % limits.circle;  // octets up to its end
  // Where it ended before.
  const std::size_t seam = at + left - std::min(at + left, limits.circle);
  return window.find(std::min(limits.longest, left), farthest, seam);
}

}  // namespace

std::size_t write_lzss(Window& window, const MatchLimits& limits, unsigned offset_bits, unsigned length_bits,
                       std::span<std::uint8_t> room) noexcept {
  BitWriter<BitOrder::kMostSignificantFirst> bits(room);
  const std::uint32_t is_match = 1U << offset_bits;
  while (window.left() > 0 && !bits.full()) {
    const std::size_t ahead = std::min(limits.longest, window.left());
    const std::size_t farthest =
        limits.window == 0 ? limits.farthest : std::min(limits.farthest, limits.window - ahead);
    const Match match = find(window, limits, farthest);
    if (match.length == 0) {
      bits.put(window.next(), 9);
      window.advance(1);
    } else {
      bits.put(is_match | (match.distance - 1), 1 + offset_bits);
      bits.put(match.length - static_cast<std::uint32_t>(kShortestMatch), length_bits);
      window.advance(match.length);
    }
  }
  return bits.finish();
}

std::size_t write_deflate(Window& window, const MatchLimits& limits, std::span<std::uint8_t> room) noexcept {
  BitWriter<BitOrder::kLeastSignificantFirst> bits(room);
  const auto symbol = [&bits](std::uint32_t value) { bits.put(kSymbols.of[value].bits, kSymbols.of[value].count); };
  bits.put(0b011, 3);  // BFINAL 1, BTYPE 01
  while (window.left() > 0 && !bits.full()) {
    const Match match = find(window, limits, limits.farthest);
    if (match.length == 0 || (match.length == 3 && match.distance >= kTooFarForThree)) {
      symbol(window.next());
      window.advance(1);
      continue;
    }
    const Code length = code_of(match.length - static_cast<std::uint32_t>(kShortestMatch), 2);
    symbol(kFirstLength + length.code);
    bits.put(mutant("sigcomp-deflate-extra-reversed") ? reversed(length.extra, length.extra_bits) : length.extra,
             length.extra_bits);
    const Code distance = code_of(match.distance - 1, 1);
    bits.put(reversed(distance.code, 5), 5);
    bits.put(distance.extra, distance.extra_bits);
    window.advance(match.length);
  }
  symbol(kEndOfBlock);
  return bits.finish();
}

}  // namespace headroom::sigcomp
