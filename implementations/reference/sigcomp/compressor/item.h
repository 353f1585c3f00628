// SPDX-License-Identifier: Apache-2.0
//
// An item of state that a message leaves at the peer. Its identifier is a SHA-1 over nearly all of the peer's memory
// (RFC 3320 9.4.9), so it is computed on first use: many items are never referred to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sigcomp/compressor/program.h"
#include "sigcomp/sha1.h"

namespace headroom::sigcomp {

struct Item {
  std::uint64_t number = 0;  // number of the message, from 1 on; 0: the memory before the first message
  std::uint64_t age = 0;     // number of the first message that left the same item: a message may be sent again
  Sha1Digest identifier{};
  bool is_named = false;     // `identifier` has been computed
  bool part = false;         // only the memory in front of the pointer is kept
  bool checkpoint = false;   // the item has a higher retention priority
  std::size_t end = 0;       // end of the item's text, counted in octets ever put into the buffer
  std::size_t pointer = 0;   // decompressed_pointer, from the beginning of the buffer
  std::uint64_t shared = 0;  // number of the last message of the peer that the item's text contains; 0: none
};

// ItemNames computes the identifiers of the items that a program leaves.
class ItemNames {
 public:
  // REQUIRES: `program` and `sha1` outlive this object, and program.saved is kMemory.
  ItemNames(const Program& program, Sha1& sha1);

  // Returns the item's identifier. `older` followed by `newer` is the text that was put into the buffer after the
  // dictionary until the item was made, or at least as much of its end as the buffer holds.
  [[nodiscard]] Sha1Digest name_of(const Item& item, Octets older, Octets newer) noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return front_.capacity(); }

 private:
  const Program* program_;
  Sha1* sha1_;
  std::vector<std::uint8_t> front_;  // the memory from the registers to the buffer, with which an item begins
};

}  // namespace headroom::sigcomp
