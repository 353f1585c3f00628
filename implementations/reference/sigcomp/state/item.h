// SPDX-License-Identifier: Apache-2.0
//
// Items of state, and the interface by which the UDVM reads them: RFC 3320 3.3.3, 7.2, 9.4.5 and 9.4.9.
#pragma once

#include <vector>

#include "sigcomp/octets.h"
#include "sigcomp/sha1.h"

namespace headroom::sigcomp {

inline constexpr std::size_t kLeastIdentifier = 6;  // octets of a partial state identifier, RFC 3320 9.4.5
inline constexpr std::size_t kMostIdentifier = kSha1Octets;

[[nodiscard]] constexpr bool is_identifier_length(std::size_t octets) noexcept {
  return octets >= kLeastIdentifier && octets <= kMostIdentifier;
}

// The fields of a state item, except for the identifier and the value.
struct StateHeader {
  std::uint16_t address = 0;
  std::uint16_t instruction = 0;
  std::uint16_t minimum_access_length = kLeastIdentifier;
  friend bool operator==(const StateHeader&, const StateHeader&) = default;
};

struct StateItem {
  Sha1Digest identifier{};
  StateHeader header;
  std::vector<std::uint8_t> value;  // state_length octets, below 65536
};

// Returns the identifier of a state item: "a 20-byte SHA-1 hash over the byte string formed by concatenating the
// state_length, state_address, state_instruction, minimum_access_length and state_value (in the order given)".
// REQUIRES: value.size() < 65536.
[[nodiscard]] Sha1Digest identifier_of(Sha1& sha1, const StateHeader& header, Octets value) noexcept;

// The result of a search for a partial state identifier.
struct StateFound {
  enum class Kind { kOne, kNone, kSeveral };
  Kind kind = Kind::kNone;
  const StateItem* item = nullptr;  // set with kOne; valid until the next call that changes states
};

// StateSource is where the UDVM reads states from. find() takes a partial state identifier and "compares it with the
// most significant bytes of the state_identifier in every currently stored state item". The caller checks the minimum
// access length.
class StateSource {
 public:
  virtual ~StateSource() = default;
  // Finds the item with this partial identifier. REQUIRES: is_identifier_length(partial.size()).
  [[nodiscard]] virtual StateFound find(Octets partial) const noexcept = 0;
};

}  // namespace headroom::sigcomp
