// SPDX-License-Identifier: Apache-2.0
//
// The modified LZSS of maenpaa-2005 (7.8.4) as a SigComp compressor, and the mechanisms that need no memory of earlier
// messages: stateless and stateful basic, stateless and stateful static compression (chapter 9.7).
//
//   LzssCompressor compressor({.dictionary = true, .saves_code = true});
//   send(compressor.compress(invite));        // with the bytecode
//   compressor.code_is_known(true);           // the peer has it as an item of state
//   send(compressor.compress(ack));           // refers to it
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sigcomp/compressor/window.h"
#include "sigcomp/decompressor.h"
#include "sigcomp/message/parameters.h"
#include "sigcomp/sha1.h"

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
  bool saves_code = false;    // stateful: the decompressor is told to keep the bytecode
  Search search = Search::kHash;
};

class LzssCompressor {
 public:
  // Octets of the longest application message.
  static constexpr std::size_t kMost = udvm::kMostOutput - 1;

  // Throws std::invalid_argument with a sentence for a configuration that cannot work, std::runtime_error as Sha1 does.
  explicit LzssCompressor(const LzssConfig& config);

  // The whole SigComp message, valid until the next call; or nothing: `message` is longer than kMost, or what would be
  // made of it longer than most_compressed. Allocates nothing.
  [[nodiscard]] Octets compress(Octets message) noexcept;

  // With saves_code: whether the peer is known to have the bytecode as an item of state, which the application learns
  // from its transport or from the peer's messages, and unlearns from a NACK with STATE_NOT_FOUND (RFC 4077). While it
  // is, messages refer to it. Without saves_code nothing happens.
  void code_is_known(bool known) noexcept { code_is_known_ = known && config_.saves_code; }

  [[nodiscard]] Octets code() const noexcept { return code_; }
  // Of the item of state that the bytecode makes; meaningless without saves_code.
  [[nodiscard]] const Sha1Digest& identifier() const noexcept { return identifier_; }
  // Octets in front of the compressed data of the next message: header and bytecode, or the reference to it.
  [[nodiscard]] std::size_t overhead() const noexcept { return head().size(); }
  // Octets of the decompressor's circular buffer, and of the dictionary that it holds at first.
  [[nodiscard]] std::size_t buffer() const noexcept { return buffer_; }
  [[nodiscard]] std::size_t dictionary() const noexcept { return dictionary_; }
  // The longest match, in octets: what length_bits can say, or less where cycles_per_bit is the limit.
  [[nodiscard]] std::size_t longest_match() const noexcept { return longest_match_; }

 private:
  [[nodiscard]] Octets head() const noexcept { return code_is_known_ ? Octets(reference_) : Octets(upload_); }

  LzssConfig config_;
  std::size_t buffer_ = 0;
  std::size_t dictionary_ = 0;
  std::size_t longest_match_ = 0;
  std::vector<std::uint8_t> code_;
  std::vector<std::uint8_t> upload_;                            // prefix, code_len, destination, bytecode
  std::array<std::uint8_t, 1 + kLeastIdentifier> reference_{};  // prefix and partial state identifier
  Sha1Digest identifier_{};
  bool code_is_known_ = false;
  std::vector<std::uint8_t> message_;
  Window window_;
};

}  // namespace headroom::sigcomp
