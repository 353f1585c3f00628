// SPDX-License-Identifier: Apache-2.0
//
// Requests to the state handler: STATE-CREATE (RFC 3320 9.4.6), STATE-FREE (9.4.7) and what END-MESSAGE makes of them
// and of feedback (9.4.9).
#include <new>

#include "mutants.h"
#include "sigcomp/udvm/udvm.h"

namespace headroom::sigcomp::udvm {
namespace {

constexpr std::uint16_t kLocalPriority = 65535;  // RFC 3320 6.2: "reserved for locally available states"

}  // namespace

// Operands: state_length, state_address, state_instruction, minimum_access_length, state_retention_priority.
Reason Udvm::request_creation(const std::array<std::uint16_t, 5>& operands) noexcept {
  const auto [length, address, instruction, minimum_access_length, priority] = operands;
  if (!is_identifier_length(minimum_access_length) && !mutant("sigcomp-minimum-5-taken"))
    return Reason::kInvalidStateIdLength;
  if (priority == kLocalPriority && !mutant("sigcomp-priority-65535-taken")) return Reason::kInvalidStatePriority;
  StateRequest* const request = completion_.add(StateRequest::Kind::kCreate);
  if (request == nullptr) return Reason::kTooManyStateRequests;
  request->header = {address, instruction, minimum_access_length};
  request->retention_priority = priority;
  places_[completion_.requests().size() - 1] = {address, length};
  return Reason::kNone;
}

Reason Udvm::request_free(std::uint16_t from, std::uint16_t length) noexcept {
  if (!is_identifier_length(length)) return Reason::kInvalidStateIdLength;
  if (completion_.add(StateRequest::Kind::kFree) == nullptr) return Reason::kTooManyStateRequests;
  places_[completion_.requests().size() - 1] = {from, length};
  return Reason::kNone;
}

// The octets as they are now, not as they were when the request was made (RFC 4896 4.1).
Reason Udvm::resolve_requests(CopyBounds bounds) noexcept {
  const auto requests = completion_.requests();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto [address, length] = places_[i];
    if (const auto piece = memory_.one_piece(address, length, bounds)) {
      requests[i].octets = *piece;
      continue;
    }
    try {
      gathered_[i].resize(length);
    } catch (const std::bad_alloc&) {
      return Reason::kInternalError;
    }
    if (!memory_.read(address, length, gathered_[i].data(), bounds)) return Reason::kSegfault;
    requests[i].octets = gathered_[i];
  }
  return Reason::kNone;
}

// RFC 4896 4.1: "Byte copying rules do not apply for reading feedback items."
Reason Udvm::take_feedback(std::uint16_t requested, std::uint16_t returned) noexcept {
  if (requested != 0) {
    if (requested >= memory_.size()) return Reason::kSegfault;
    const auto feedback = read_requested_feedback(memory_.octets().subspan(requested));
    if (!feedback) return Reason::kSegfault;
    completion_.feedback = *feedback;
  }
  if (returned != 0) {
    if (returned >= memory_.size()) return Reason::kSegfault;
    const auto length = length_of_returned_parameters(memory_.octets().subspan(returned));
    if (!length) return Reason::kSegfault;
    completion_.returned_parameters = memory_.octets().subspan(returned, *length);
  }
  return Reason::kNone;
}

// Operands: requested_feedback_location, returned_parameters_location, and those of STATE-CREATE.
Reason Udvm::end_message(const std::array<std::uint16_t, 7>& operands, CopyBounds bounds) noexcept {
  const auto [requested, returned, length, address, instruction, minimum_access_length, priority] = operands;
  // "the END-MESSAGE instruction fails to make a state creation request of its own (however decompression failure does
  // not occur …)"
  if (is_identifier_length(minimum_access_length) && priority != kLocalPriority) {
    const Reason reason = request_creation({length, address, instruction, minimum_access_length, priority});
    if (reason != Reason::kNone) return reason;
  }
  if (const Reason reason = resolve_requests(bounds); reason != Reason::kNone) return reason;
  return take_feedback(requested, returned);
}

}  // namespace headroom::sigcomp::udvm
