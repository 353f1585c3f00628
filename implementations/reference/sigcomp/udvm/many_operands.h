// SPDX-License-Identifier: Apache-2.0
//
// The instructions whose number of operands is given by an operand: MULTILOAD (RFC 3320 9.2.2) and INPUT-HUFFMAN
// (9.4.4).
#pragma once

#include "mutants.h"
#include "sigcomp/udvm/fetch.h"
#include "sigcomp/udvm/input.h"

namespace headroom::sigcomp::udvm {

// Executes MULTILOAD (9.2.2). It must not overwrite its own octets, which end before `end`; but an operand may read a
// word that the same instruction has just written (RFC 4896 3.2), so each operand is read just before its word is
// written.
template <typename Operands>
void multiload(Operands& f, std::uint32_t pc, std::uint32_t end, std::uint16_t address, std::uint16_t count) noexcept {
  const std::uint32_t length = end - pc;
  const auto ahead = static_cast<std::uint16_t>(address - pc);
  const auto behind = static_cast<std::uint16_t>(pc - address);
  if (count > 0 && (ahead < length || behind < 2U * count)) {
    f.trouble = Reason::kMultiloadOverwritten;
    return;
  }
  for (std::uint32_t i = 0; i < count && f.trouble == Reason::kNone; ++i) {
    f.store(static_cast<std::uint16_t>(address + 2 * i), f.multitype());
  }
}

// Executes INPUT-HUFFMAN (9.4.4). All operands are read, and their bits counted, before an error counts (8.5), even
// after a match; the input taken does not matter if the instruction fails. Sets `matched`, and sets `taken` to the
// number of bits that were requested with success. If there is neither a match nor trouble, the input has ended.
struct Huffman {
  bool matched = false;
  std::uint16_t value = 0;
  unsigned taken = 0;
};
template <typename Operands>
HEADROOM_ALWAYS_INLINE [[nodiscard]] inline Huffman input_huffman(Operands& f, Input& input, bool lsb_first,
                                                                  std::uint16_t sets) noexcept {
  Huffman found;
  std::uint32_t h = 0;
  std::uint32_t bits_in_all = 0;
  bool ended = false;
  bool too_many = false;
  for (std::uint32_t j = 0; j < sets && f.good(); ++j) {
    const std::uint16_t bits = f.multitype();
    const std::uint16_t lower = f.multitype();
    const std::uint16_t upper = f.multitype();
    const std::uint16_t uncompressed = f.multitype();
    bits_in_all += bits;
    if (bits_in_all > kMostBits && !mutant("sigcomp-huffman-of-any-length")) too_many = true;
    if (found.matched || ended || too_many) continue;
    if (bits > input.bits_left()) {
      ended = true;
      continue;
    }
    h = h << bits | input.bits(bits, lsb_first);
    found.taken += bits;
    if (h < lower || h > upper) continue;
    found.matched = true;
    found.value = static_cast<std::uint16_t>(h + uncompressed - lower);
  }
  if (f.good() && too_many) f.trouble = Reason::kTooManyBitsRequested;
  if (f.good() && !found.matched && !ended) f.trouble = Reason::kHuffmanNoMatch;
  return found;
}

}  // namespace headroom::sigcomp::udvm
