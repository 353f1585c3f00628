// SPDX-License-Identifier: Apache-2.0
//
// Feedback: items (RFC 3320 figure 4), requested feedback data (figure 12), returned SigComp parameters (figure 13).
#pragma once

#include <optional>

#include "sigcomp/message/parameters.h"
#include "sigcomp/octets.h"

namespace headroom::sigcomp {

inline constexpr std::size_t kMostFeedbackItem = 128;  // octets, with the one that tells the length

// Octets of the feedback item at the beginning of `octets`, 1 to 128; nothing when they end before it does.
[[nodiscard]] std::optional<std::size_t> length_of_feedback_item(Octets octets) noexcept;

// What the octets at requested_feedback_location say.
struct RequestedFeedback {
  bool present = false;  // the location was not 0
  bool s = false;        // the sender wants no state here
  bool i = false;        // the sender wants no locally available state
  Octets item;           // to be returned unmodified, with the octet that tells its length; empty when Q was 0
};

// Nothing when `octets` end too early.
[[nodiscard]] std::optional<RequestedFeedback> read_requested_feedback(Octets octets) noexcept;

// Octets of the returned SigComp parameters at the beginning of `octets`, without the octet that ends the list; nothing
// when there is no such octet.
[[nodiscard]] std::optional<std::size_t> length_of_returned_parameters(Octets octets) noexcept;

// The fields of returned SigComp parameters, one after another.
class ReturnedParameters {
 public:
  // REQUIRES: what length_of_returned_parameters() found, or nothing.
  explicit ReturnedParameters(Octets octets) noexcept : octets_(octets) {}

  // Nothing when they are not included or cannot be.
  [[nodiscard]] std::optional<Parameters> parameters() const noexcept {
    return octets_.empty() ? std::nullopt : decode_parameters(octets_[0]);
  }
  // Nothing when it is not included.
  [[nodiscard]] std::optional<std::uint8_t> version() const noexcept {
    return octets_.size() < 2 || octets_[1] == 0 ? std::nullopt : std::optional(octets_[1]);
  }
  // Calls act(partial identifier) for each item of locally available state that is announced.
  template <typename Act>
  void for_each_identifier(Act act) const {
    for (std::size_t at = 2; at < octets_.size(); at += 1U + octets_[at]) act(octets_.subspan(at + 1, octets_[at]));
  }

 private:
  Octets octets_;
};

}  // namespace headroom::sigcomp
