// SPDX-License-Identifier: Apache-2.0
//
// The modified LZSS of maenpaa-2005 (7.8.4) as a SigComp compressor, and the mechanisms that need no memory of earlier
// messages: stateless and stateful basic, stateless and stateful static compression (chapter 9.7).
//
//   LzssCompressor compressor({.dictionary = true}, Saved::kCode);
//   send(compressor.compress(invite));        // with the bytecode
//   compressor.code_is_known(true);           // the peer has it as an item of state
//   send(compressor.compress(ack));           // refers to it
#pragma once

#include <vector>

#include "sigcomp/compressor/lzss_program.h"

namespace headroom::sigcomp {

class LzssCompressor {
 public:
  // Octets of the longest application message.
  static constexpr std::size_t kMost = udvm::kMostOutput - 1;

  // Throws std::invalid_argument with a sentence for a configuration that cannot work, std::runtime_error as Sha1 does.
  // REQUIRES: not Saved::kMemory, which DynamicCompressor is for.
  explicit LzssCompressor(const LzssConfig& config, Saved saved = Saved::kNothing);

  // The whole SigComp message, valid until the next call; or nothing: `message` is longer than kMost, or what would be
  // made of it longer than most_compressed. Allocates nothing.
  [[nodiscard]] Octets compress(Octets message) noexcept;

  // With Saved::kCode: whether the peer is known to have the bytecode as an item of state, which the application learns
  // from its transport or from the peer's messages, and unlearns from a NACK with STATE_NOT_FOUND (RFC 4077). While it
  // is, messages refer to it. With Saved::kNothing nothing happens.
  void code_is_known(bool known) noexcept { code_is_known_ = known && program_.state_length != 0; }

  [[nodiscard]] Octets code() const noexcept { return program_.code; }
  // Of the item of state that the bytecode makes; meaningless with Saved::kNothing.
  [[nodiscard]] const Sha1Digest& identifier() const noexcept { return identifier_; }
  // Octets in front of the compressed data of the next message: header and bytecode, or the reference to it.
  [[nodiscard]] std::size_t overhead() const noexcept { return head().size(); }
  // Octets of the decompressor's circular buffer, and of the dictionary that it holds at first.
  [[nodiscard]] std::size_t buffer() const noexcept { return program_.buffer(); }
  [[nodiscard]] std::size_t dictionary() const noexcept { return program_.dictionary.size(); }
  // The longest match, in octets: what length_bits can say, or less where cycles_per_bit is the limit.
  [[nodiscard]] std::size_t longest_match() const noexcept { return program_.longest_match; }

 private:
  [[nodiscard]] Octets head() const noexcept { return code_is_known_ ? Octets(reference_) : Octets(program_.upload); }

  LzssConfig config_;
  LzssProgram program_;
  Sha1Digest identifier_{};
  StateReference reference_{};
  bool code_is_known_ = false;
  std::vector<std::uint8_t> message_;
  Window window_;
};

}  // namespace headroom::sigcomp
