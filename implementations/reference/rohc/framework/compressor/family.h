// SPDX-License-Identifier: Apache-2.0
//
// What a family of profiles promises the framework at the compressor's side, for the contexts that it has.
#pragma once

#include <cstdint>
#include <span>

#include "rohc/framework/wire/feedback_element.h"
#include "rohc/framework/wire/profile.h"

namespace headroom::rohc {

// What all families count.
struct FlowCounters {
  std::uint64_t new_flows = 0;
  std::uint64_t replaced_flows = 0;
  std::uint64_t acks = 0;
  std::uint64_t nacks = 0;
  std::uint64_t static_nacks = 0;
  std::uint64_t rejects = 0;
  std::uint64_t ignored_feedback = 0;
};

class CompressorFamily {
 public:
  // How much a flow would be missed, least first: a level, and the time of its last packet. Contexts of a higher level
  // are given up only where there is no other.
  using Worth = std::uint64_t;
  [[nodiscard]] static constexpr Worth worth(unsigned level, std::uint32_t last_used_ms) noexcept {
    return std::uint64_t{level} << 32 | last_used_ms;
  }
  // Of contexts in a row, which are the family's: that of the one at `first` and so on. All at once, so that their
  // memory is fetched at the same time. `next`: the profile of the flow that wants one.
  virtual void worths_of(std::uint32_t first, wire::Profile next, std::span<Worth> worths) const noexcept = 0;

  // The flow of the context loses it. The family takes it off the flow table (ContextPool::table()), and none of its
  // paths may take the context for one in use.
  virtual void drop(std::uint32_t index) noexcept = 0;

  // Feedback for the context. False: it could not be understood.
  [[nodiscard]] virtual bool take_feedback(std::uint32_t index, const wire::FeedbackData& data,
                                           std::uint32_t now_ms) noexcept = 0;

 protected:
  ~CompressorFamily() = default;
};

}  // namespace headroom::rohc
