// SPDX-License-Identifier: Apache-2.0
//
// The bytecode that a compressor uploads: its parts (programs/*.udvm) as the configuration asks for them, and the
// layout of the memory that it works in.
#pragma once

#include <vector>

#include "sigcomp/compressor/compressor.h"

namespace headroom::sigcomp {

// What END-MESSAGE asks the state handler to keep.
enum class Saved {
  kNothing,
  kCode,    // the bytecode: the next message begins as the first one did
  kMemory,  // from the registers on: the next message goes on
};

// Flags of a message (programs/begin.udvm).
inline constexpr std::uint8_t kSharedFlag = 128;
inline constexpr std::uint8_t kCheckpointFlag = 64;
inline constexpr std::uint8_t kFreeFlag = 32;
inline constexpr std::uint8_t kLongSharedFlag = 16;  // with shared_has_room
inline constexpr std::size_t kMostListed = 31;       // identifiers of one message; with shared_has_room, 15

// kShared: messages of an endpoint that are kept for the peer to compress against, so long each at most. RFC 4896 5.3
// tells how one pushes out another unnoticed; so the peer's compressor leaves room for all of them.
inline constexpr std::size_t kOwnShared = 3;
inline constexpr std::size_t kMostShared = 2040;  // octets
inline constexpr std::size_t kSharedMemory = kOwnShared * (kMostShared + kItemCost);

// state_retention_priority of a checkpoint (RFC 3321 5.5); other items have 0.
inline constexpr std::uint16_t kCheckpointPriority = kCheckpointFlag;
// The feedback item that says that the bytecode has arrived.
inline constexpr std::uint8_t kCodeItem = 1;

struct Program {
  // The UDVM's registers lie here: what is kept of the memory begins with them.
  static constexpr std::uint16_t kRegisters = 64;
  static constexpr std::uint16_t kCode = 128;
  // With has_zeros, in front of each message (programs/begin.udvm).
  static constexpr std::size_t kZerosInFront = 8;

  // Throws std::invalid_argument with a sentence for a configuration that cannot work.
  explicit Program(const CompressorConfig& config);

  Saved saved = Saved::kNothing;
  bool grows = false;       // kMemory: only what has been written of the buffer is kept
  bool asks = false;        // the peer returns a feedback item
  bool hashes = false;      // the bytecode computes the item's identifier
  bool has_number = false;  // the octets in front of a message's codes
  bool has_flags = false;
  bool has_shared = false;
  bool shared_has_room = false;  // a shared state takes shared_length octets of the buffer, whatever it has
  bool has_zeros = false;
  bool has_checkpoint = false;
  bool has_free = false;

  std::uint16_t bit_order = 0;
  std::uint16_t buffer_begin = 0;  // addresses of the circular buffer
  std::uint16_t buffer_end = 0;
  std::uint16_t load_dictionary = 0;  // of the first instruction for a message that goes on without dictionary
  std::uint16_t next_message = 0;     // and for one that goes on with it
  // The dictionary fills the end of the buffer; messages are put in front of it, and overwrite it when they get there.
  // Looking back from the pointer, that is the dictionary with the messages behind it.
  Octets dictionary;
  std::vector<std::uint8_t> code;  // as uploaded: zeros at its end are left out
  std::size_t longest_match = 0;   // octets; what the algorithm can say, or less where cycles_per_bit is the limit
  std::size_t farthest = 0;        // the longest distance of a match

  [[nodiscard]] std::size_t buffer() const noexcept { return std::size_t{buffer_end} - buffer_begin; }
  // Identifiers that a message announces at most.
  [[nodiscard]] std::size_t most_listed() const noexcept { return shared_has_room ? kLongSharedFlag - 1 : kMostListed; }
  // Octets of the longest item of state. REQUIRES: kCode or kMemory.
  [[nodiscard]] std::size_t longest_state() const noexcept {
    return saved == Saved::kCode ? std::size_t{buffer_begin} - kCode : std::size_t{buffer_end} - kRegisters;
  }
};

}  // namespace headroom::sigcomp
