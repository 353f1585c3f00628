// SPDX-License-Identifier: Apache-2.0
//
// The requests and parameters that END-MESSAGE passes to the state handler: RFC 3320 9.4.9. All octets lie in the UDVM
// and are valid until it processes the next message.
#pragma once

#include <array>

#include "sigcomp/message/feedback.h"
#include "sigcomp/state/item.h"

namespace headroom::sigcomp::udvm {

inline constexpr std::size_t kMostCreations = 4;  // RFC 3320 9.4.6
inline constexpr std::size_t kMostFrees = 4;      // RFC 3320 9.4.7

// A request to create an item of state or to free one.
struct StateRequest {
  enum class Kind : std::uint8_t { kCreate, kFree };
  Kind kind = Kind::kCreate;
  StateHeader header;                    // fields of the item to be created
  std::uint16_t retention_priority = 0;  // retention priority of the item to be created
  Octets octets;                         // value of the item to create, or partial identifier of the item to free
};

class Completion {
 public:
  RequestedFeedback feedback;
  // The fields of figure 13 up to the last partial state identifier; empty if returned_parameters_location was 0.
  Octets returned_parameters;

  // Returns the requests in the order in which they were made.
  [[nodiscard]] std::span<const StateRequest> requests() const noexcept { return std::span(requests_).first(count_); }

  // Adds a request of this kind. Returns nullptr if there are four requests of the kind already.
  [[nodiscard]] StateRequest* add(StateRequest::Kind kind) noexcept {
    std::size_t& made = kind == StateRequest::Kind::kCreate ? creations_ : frees_;
    if (made == (kind == StateRequest::Kind::kCreate ? kMostCreations : kMostFrees)) return nullptr;
    ++made;
    StateRequest& request = requests_[count_++];
    request = {};
    request.kind = kind;
    return &request;
  }
  [[nodiscard]] std::span<StateRequest> requests() noexcept { return std::span(requests_).first(count_); }

 private:
  std::array<StateRequest, kMostCreations + kMostFrees> requests_{};
  std::size_t count_ = 0;
  std::size_t creations_ = 0;
  std::size_t frees_ = 0;
};

}  // namespace headroom::sigcomp::udvm
