// SPDX-License-Identifier: Apache-2.0
//
// The bytecode that a compressor uploads: the parts of programs/*.udvm that the configuration needs, and the layout of
// the UDVM memory.
#pragma once

#include <vector>

#include "sigcomp/compressor/compressor.h"

namespace headroom::sigcomp {

// The memory that END-MESSAGE asks the state handler to save.
enum class Saved {
  kNothing,
  kCode,    // the bytecode: the next message starts as the first one did
  kMemory,  // the memory from the registers on: the next message goes on from there
};

// Flags of a message (programs/begin.udvm).
inline constexpr std::uint8_t kSharedFlag = 128;
inline constexpr std::uint8_t kCheckpointFlag = 64;
inline constexpr std::uint8_t kFreeFlag = 32;
inline constexpr std::uint8_t kLongSharedFlag = 16;  // with shared_has_room
inline constexpr std::size_t kMostListed = 31;       // announced identifiers in one message; with shared_has_room, 15

// kShared: the number and the largest length of an endpoint's messages that are kept for the peer to compress against.
// RFC 4896 5.3 tells how a new item can push out an older one unnoticed, so the peer's compressor leaves room for all
// of them.
inline constexpr std::size_t kOwnShared = 3;
inline constexpr std::size_t kMostShared = 2040;  // octets
inline constexpr std::size_t kSharedMemory = kOwnShared * (kMostShared + kItemCost);

// state_retention_priority of a checkpoint (RFC 3321 5.5); other items have 0.
inline constexpr std::uint16_t kCheckpointPriority = kCheckpointFlag;
// The feedback item that acknowledges the bytecode.
inline constexpr std::uint8_t kCodeItem = 1;

struct Program {
  // The address of the UDVM's registers, where saved memory begins.
  static constexpr std::uint16_t kRegisters = 64;
  static constexpr std::uint16_t kCode = 128;
  // With has_zeros: the number of zeros in front of each message (programs/begin.udvm).
  static constexpr std::size_t kZerosInFront = 8;

  // Throws std::invalid_argument with an explanation if the configuration cannot work.
  explicit Program(const CompressorConfig& config);

  Saved saved = Saved::kNothing;
  bool grows = false;       // kMemory: only the written part of the buffer is saved
  bool asks = false;        // the peer returns a feedback item
  bool hashes = false;      // the bytecode computes the item's identifier
  bool has_number = false;  // the field kNumber is in front of a message's codes
  bool has_flags = false;
  bool has_shared = false;
  bool shared_has_room = false;  // a shared state always takes shared_length octets of the buffer
  bool has_zeros = false;
  bool has_checkpoint = false;
  bool has_free = false;

  std::uint16_t bit_order = 0;
  std::uint16_t buffer_begin = 0;  // addresses of the circular buffer
  std::uint16_t buffer_end = 0;
  std::uint16_t load_dictionary = 0;  // address of the first instruction for a message that goes on without dictionary
  std::uint16_t next_message = 0;     // address of the first instruction for a message that goes on with the dictionary
  // The dictionary fills the end of the buffer. Messages are put in front of the dictionary, and overwrite the
  // dictionary when they reach it. Seen backwards from the pointer, the buffer is the dictionary followed by the
  // messages.
  Octets dictionary;
  std::vector<std::uint8_t> code;  // uploaded bytecode, without the zeros at its end
  std::size_t longest_match = 0;   // octets; the limit of the algorithm, or less if cycles_per_bit limits it
  std::size_t farthest = 0;        // the longest distance of a match

  [[nodiscard]] std::size_t buffer() const noexcept { return std::size_t{buffer_end} - buffer_begin; }
  // Returns the largest number of identifiers that a message announces.
  [[nodiscard]] std::size_t most_listed() const noexcept { return shared_has_room ? kLongSharedFlag - 1 : kMostListed; }
  // Returns the length of the longest item of state in octets. REQUIRES: kCode or kMemory.
  [[nodiscard]] std::size_t longest_state() const noexcept {
    return saved == Saved::kCode ? std::size_t{buffer_begin} - kCode : std::size_t{buffer_end} - kRegisters;
  }
};

}  // namespace headroom::sigcomp
