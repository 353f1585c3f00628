// SPDX-License-Identifier: Apache-2.0
//
// What the longer instructions do once their operands are there: SHA-1 (RFC 3320 9.1.4), CRC (9.3.5), STATE-ACCESS
// (9.4.5), OUTPUT (9.4.8).
#include <cstring>

#include "mutants.h"
#include "sigcomp/udvm/crc.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::udvm {

Udvm::Udvm()
    : output_(std::make_unique<std::uint8_t[]>(kMostOutput + kShort)),
      scratch_(std::make_unique<std::uint8_t[]>(kMostMemory)) {}

Reason Udvm::hash(std::uint16_t from, std::uint16_t length, std::uint16_t to, CopyBounds bounds) noexcept {
  auto string = memory_.one_piece(from, length, bounds);
  if (!string) {
    if (!memory_.read(from, length, scratch_.get(), bounds)) return Reason::kSegfault;
    string = Octets(scratch_.get(), length);
  }
  const Sha1Digest digest = sha1_(*string);
  return memory_.write(to, digest, bounds) ? Reason::kNone : Reason::kSegfault;
}

Reason Udvm::crc(std::uint16_t from, std::uint16_t length, CopyBounds bounds, std::uint16_t& value) noexcept {
  auto string = memory_.one_piece(from, length, bounds);
  if (!string) {
    if (!memory_.read(from, length, scratch_.get(), bounds)) return Reason::kSegfault;
    string = Octets(scratch_.get(), length);
  }
  value = fcs16(*string);
  return Reason::kNone;
}

Reason Udvm::output(std::uint16_t from, std::uint16_t length, CopyBounds bounds) noexcept {
  has_output_ = true;
  if (length > kMostOutput - output_length_) return Reason::kOutputOverflow;
  std::uint8_t* const end = output_.get() + output_length_;
  if (const auto piece = memory_.one_piece(from, length, bounds)) {
    // Mostly an octet, or some.
    if (length == 1) {
      *end = (*piece)[0];
    } else if (length >= 2 && length <= kShort) {
      copy_short(end, piece->data(), length);
    } else if (length > kShort) {
      std::memcpy(end, piece->data(), length);
    }
  } else if (!memory_.read(from, length, end, bounds)) {
    return Reason::kSegfault;
  }
  output_length_ += length;
  return Reason::kNone;
}

// Leaves the partial identifier in the details of failure_: all that may go wrong with a state once its identifier has
// been read carries it, and "only the partial state identifier that was requested" (RFC 4077 3.2, 23).
Reason Udvm::find_state(const Run& run, std::uint16_t from, std::uint16_t length, CopyBounds bounds,
                        const StateItem*& item) noexcept {
  if (!is_identifier_length(length)) return Reason::kInvalidStateIdLength;
  std::uint8_t partial[kMostIdentifier];
  if (!memory_.read(from, length, partial, bounds)) return Reason::kSegfault;
  failure_.set_details(Octets(partial, length));
  const StateFound found = run.states != nullptr ? run.states->find(Octets(partial, length)) : StateFound{};
  switch (found.kind) {
    case StateFound::Kind::kNone:
      return Reason::kStateNotFound;
    case StateFound::Kind::kSeveral:
      return Reason::kIdNotUnique;
    case StateFound::Kind::kOne:
      break;
  }
  // RFC 4077 3.2, 1: STATE_NOT_FOUND "is also the proper error" for an identifier that is too short for the item.
  if (length < found.item->header.minimum_access_length && !mutant("sigcomp-access-unchecked"))
    return Reason::kStateNotFound;
  item = found.item;
  return Reason::kNone;
}

}  // namespace headroom::sigcomp::udvm
