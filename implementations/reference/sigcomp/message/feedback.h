// SPDX-License-Identifier: Apache-2.0
//
// Feedback: items (RFC 3320 figure 4), requested feedback data (figure 12), returned SigComp parameters (figure 13).
#pragma once

#include <optional>

#include "sigcomp/message/parameters.h"
#include "sigcomp/octets.h"

namespace headroom::sigcomp {

inline constexpr std::size_t kMostFeedbackItem = 128;  // octets, including the length octet

// Returns the length of the feedback item at the beginning of `octets`, 1 to 128 octets, or nothing if `octets` end
// within the item.
[[nodiscard]] std::optional<std::size_t> length_of_feedback_item(Octets octets) noexcept;

// The requested feedback data, which lie at requested_feedback_location.
struct RequestedFeedback {
  bool present = false;  // True if requested_feedback_location was not 0
  bool s = false;        // S-bit: the sender does not wish to save state at this endpoint
  bool i = false;        // I-bit: the sender does not wish to access locally available state of this endpoint
  Octets item;           // item to be returned unmodified, including its length octet; empty if Q was 0
};

// Reads requested feedback data; returns nothing if `octets` end too early.
[[nodiscard]] std::optional<RequestedFeedback> read_requested_feedback(Octets octets) noexcept;

// Returns the length in octets of the returned SigComp parameters at the beginning of `octets`, without the octet that
// ends the list, or nothing if there is no such octet.
[[nodiscard]] std::optional<std::size_t> length_of_returned_parameters(Octets octets) noexcept;

// ReturnedParameters reads the fields of the returned SigComp parameters.
class ReturnedParameters {
 public:
  // REQUIRES: `octets` are as many as length_of_returned_parameters() has found, or empty.
  explicit ReturnedParameters(Octets octets) noexcept : octets_(octets) {}

  // Returns the parameters, or nothing if they are not included or not valid.
  [[nodiscard]] std::optional<Parameters> parameters() const noexcept {
    return octets_.empty() ? std::nullopt : decode_parameters(octets_[0]);
  }
  // Returns the SigComp version, or nothing if it is not included.
  [[nodiscard]] std::optional<std::uint8_t> version() const noexcept {
    return octets_.size() < 2 || octets_[1] == 0 ? std::nullopt : std::optional(octets_[1]);
  }
  // Calls act(partial identifier) for each announced item of locally available state.
  template <typename Act>
  void for_each_identifier(Act act) const {
    for (std::size_t at = 2; at < octets_.size(); at += 1U + octets_[at]) act(octets_.subspan(at + 1, octets_[at]));
  }

 private:
  Octets octets_;
};

}  // namespace headroom::sigcomp
