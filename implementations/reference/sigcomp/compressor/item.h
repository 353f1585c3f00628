// SPDX-License-Identifier: Apache-2.0
//
// An item of state as a message leaves it with the peer, and its identifier, which takes a SHA-1 over nearly all of the
// peer's memory (RFC 3320 9.4.9): it is computed on first use. Many items are never referred to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sigcomp/compressor/program.h"
#include "sigcomp/sha1.h"

namespace headroom::sigcomp {

struct Item {
  std::uint64_t number = 0;  // of the message, from 1 on; 0: the memory before there was any
  std::uint64_t age = 0;     // of the first message that left it, which may have been sent again
  Sha1Digest identifier{};
  bool is_named = false;     // `identifier` has been computed
  bool part = false;         // only what is in front of the pointer is kept
  bool checkpoint = false;   // of a higher retention priority
  std::size_t end = 0;       // of its text, in octets that were ever put into the buffer
  std::size_t pointer = 0;   // decompressed_pointer, from the beginning of the buffer
  std::uint64_t shared = 0;  // of the peer's messages, the last one that its text has; 0: none
};

// Computes identifiers of the items that a program leaves.
class ItemNames {
 public:
  // Both outlive it. REQUIRES: what is saved is kMemory.
  ItemNames(const Program& program, Sha1& sha1);

  // `older`, and `newer` behind it, are all that has been put into the buffer behind the dictionary until the item was
  // made, or the end of that, no less than the buffer has.
  [[nodiscard]] Sha1Digest name_of(const Item& item, Octets older, Octets newer) noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return front_.capacity(); }

 private:
  const Program* program_;
  Sha1* sha1_;
  std::vector<std::uint8_t> front_;  // the memory from the registers to the buffer, as an item begins
};

}  // namespace headroom::sigcomp
