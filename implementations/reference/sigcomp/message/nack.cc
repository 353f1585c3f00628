// SPDX-License-Identifier: Apache-2.0
#include "sigcomp/message/nack.h"

#include <algorithm>
#include <cassert>

#include "mutants.h"

namespace headroom::sigcomp {

std::optional<Nack> read_nack(const Header& header) noexcept {
  const Octets rest = header.rest;
  if (rest.size() < kNackFixed) return {};
  Nack nack;
  nack.reason = static_cast<Reason>(rest[0]);
  nack.opcode = rest[1];
  nack.pc = load16(rest.data() + 2);
  std::copy_n(rest.begin() + 4, kSha1Octets, nack.message.begin());
  nack.details = rest.subspan(kNackFixed);
  return nack;
}

Octets write_nack(const Failure& failure, const Sha1Digest& message, std::span<std::uint8_t> room) noexcept {
  assert(room.size() >= kMostNack);
  auto at = room.begin();
  // No returned feedback, no state; code_len 0 and version 1.
  for (const std::uint8_t octet : {kPrefix, std::uint8_t{0}, std::uint8_t{1}}) *at++ = octet;
  *at++ = static_cast<std::uint8_t>(failure.reason);
  *at++ = mutant("sigcomp-nack-without-opcode") ? std::uint8_t{0} : failure.opcode;
  *at++ = static_cast<std::uint8_t>(failure.pc >> 8);
  *at++ = static_cast<std::uint8_t>(failure.pc);
  at = std::copy(message.begin(), message.end(), at);
  const Octets details = mutant("sigcomp-nack-without-details") ? Octets{} : failure.details();
  at = std::copy(details.begin(), details.end(), at);
  return room.first(static_cast<std::size_t>(at - room.begin()));
}

}  // namespace headroom::sigcomp
