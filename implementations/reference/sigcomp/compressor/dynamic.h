// SPDX-License-Identifier: Apache-2.0
//
// Dynamic compression (maenpaa-2005, 9.7; RFC 3321 3.1): messages are compressed against those before them. Each one
// has the peer keep its memory, with everything in the circular buffer, as an item of state; once the application
// learns that such an item is there, the next messages go on from it.
//
//   DynamicCompressor compressor({.dictionary = true}, 131072);
//   send(compressor.compress(invite));
//   compressor.acknowledge(identifier);  // of what compress() left: newest(), or as the peer names it
#pragma once

#include <array>
#include <vector>

#include "sigcomp/compressor/lzss_program.h"
#include "sigcomp/sha1.h"

namespace headroom::sigcomp {

class DynamicCompressor {
 public:
  static constexpr std::size_t kMost = udvm::kMostOutput - 1;  // octets of the longest application message
  static constexpr std::size_t kPending = 8;                   // items that may yet be acknowledged: the newest ones

  // `state_memory_size`: octets of state that the peer offers the compartment; nothing else may be kept in it. Throws
  // std::invalid_argument with a sentence for a configuration that cannot work, std::runtime_error as Sha1 does.
  DynamicCompressor(const LzssConfig& config, std::uint32_t state_memory_size);

  // The whole SigComp message, valid until the next call; or nothing: `message` is longer than kMost, or what would be
  // made of it longer than most_compressed, and then everything is as if it had never been given. Allocates nothing.
  // What is made must be sent: the peer's state is counted.
  [[nodiscard]] Octets compress(Octets message) noexcept;

  // The identifier of the item that the message compressed last leaves with the peer. REQUIRES: there was one.
  [[nodiscard]] const Sha1Digest& newest() const noexcept { return pending_[last_].identifier; }

  // The peer has the item that begins with `partial`, 6 octets or more. False when it is none of the kPending newest,
  // or older than what was acknowledged last.
  bool acknowledge(Octets partial) noexcept;
  // The peer has lost its state (a NACK with STATE_NOT_FOUND, RFC 4077): the next messages bring the bytecode again.
  void forget() noexcept;

  // Whether the next message will refer to state. The peer frees the oldest items where memory ends (RFC 3320 6.2), so
  // an item is given up before so many others have been made that it may be gone.
  [[nodiscard]] bool refers_to_state() const noexcept;
  // Items that the peer can keep.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] const LzssProgram& program() const noexcept { return program_; }

 private:
  // The peer's memory as a message leaves it.
  struct Image {
    Sha1Digest identifier{};
    std::vector<std::uint8_t> memory;  // state_length octets, the registers first
    std::uint64_t number = 0;          // of the message; 0: none
    std::size_t pointer = 0;           // decompressed_pointer, from the beginning of the circular buffer
    std::size_t filled = 0;            // octets of the buffer that have been written
  };

  void load(const Image& image) noexcept;
  void add(Image& image, Octets message) noexcept;

  static constexpr std::size_t kBufferInImage = LzssProgram::kBuffer - LzssProgram::kRegisters;

  LzssConfig config_;
  LzssProgram program_;
  std::size_t capacity_;
  Sha1 sha1_;
  Window window_;
  std::vector<std::uint8_t> message_;
  Image initial_;  // before there was any message
  Image base_;     // what was acknowledged last
  std::array<Image, kPending> pending_;
  std::size_t last_ = 0;    // index of the newest in pending_
  std::uint64_t made_ = 0;  // messages
};

}  // namespace headroom::sigcomp
