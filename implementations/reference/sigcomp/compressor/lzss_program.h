// SPDX-License-Identifier: Apache-2.0
//
// What the compressors that use the modified LZSS of maenpaa-2005 (7.8.4) have in common: the bytecode that they
// upload, and the codes that it reads.
#pragma once

#include <vector>

#include "sigcomp/compressor/bit_writer.h"
#include "sigcomp/compressor/window.h"
#include "sigcomp/decompressor.h"
#include "sigcomp/message/parameters.h"
#include "sigcomp/state/item.h"

namespace headroom::sigcomp {

struct LzssConfig {
  // What the peer offers.
  std::uint32_t decompression_memory_size = kLeastForSip.decompression_memory_size;  // octets
  std::uint16_t cycles_per_bit = kLeastForSip.cycles_per_bit;
  Transport transport = Transport::kMessages;
  // Octets of the longest SigComp message to be made. Over kMessages they are taken from the decompression memory (RFC
  // 3320 chapter 7), so they bound the circular buffer.
  std::size_t most_compressed = 1400;
  unsigned offset_bits = 13;  // 12, 13 or 14
  unsigned length_bits = 6;   // 4, 6 or 8
  bool dictionary = false;    // static compression: with RFC 3485's
  Search search = Search::kHash;
};

// What END-MESSAGE asks the state handler to keep.
enum class Saved {
  kNothing,
  kCode,    // the bytecode: the next message begins as the first one did
  kMemory,  // everything from the registers to the end of the circular buffer: the next message goes on
};

struct LzssProgram {
  // The UDVM's registers lie here, and behind them decompressed_pointer (programs/lzss.udvm).
  static constexpr std::uint16_t kRegisters = 64;
  // Where the bytecode lies, and where the circular buffer begins: both are multitype operands of one octet.
  static constexpr std::uint16_t kCode = 128;
  static constexpr std::uint16_t kBuffer = 256;

  // Throws std::invalid_argument with a sentence for a configuration that cannot work.
  LzssProgram(const LzssConfig& config, Saved saved);

  std::uint16_t buffer_end = 0;      // address
  Octets dictionary;                 // what the circular buffer holds at first, at its beginning
  std::size_t longest_match = 0;     // octets: what length_bits can say, or less where cycles_per_bit is the limit
  std::vector<std::uint8_t> code;    // as uploaded: zeros at its end are left out
  std::vector<std::uint8_t> upload;  // prefix, code_len, destination, bytecode
  StateHeader state;                 // of the item of state that a message leaves
  std::size_t state_length = 0;      // octets of its value

  [[nodiscard]] std::size_t buffer() const noexcept { return std::size_t{buffer_end} - kBuffer; }
  // The longest distance of a match: not the whole circle, for there the octet is that which is overwritten.
  [[nodiscard]] std::size_t farthest(const LzssConfig& config) const noexcept;
};

// Compresses what `window` has left, as far as there is room.
void write_codes(Window& window, BitWriter& bits, const LzssConfig& config, std::size_t longest_match) noexcept;

// A message that refers to an item of state: the prefix and 6 octets of its identifier (RFC 3320, figure 3).
using StateReference = std::array<std::uint8_t, 1 + kLeastIdentifier>;
[[nodiscard]] StateReference reference_to(const Sha1Digest& identifier) noexcept;

}  // namespace headroom::sigcomp
