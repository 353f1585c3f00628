// SPDX-License-Identifier: Apache-2.0
//
// The interface between the framework and a family of profiles at the compressor, for the contexts that the family
// owns.
#pragma once

#include <cstdint>
#include <span>

#include "rohc/framework/wire/feedback_element.h"
#include "rohc/framework/wire/profile.h"

namespace headroom::rohc {

// The counters that all families share.
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
  // The value of keeping a flow: a level and, within it, the time of the flow's last packet. The flow with the lowest
  // value is replaced first.
  using Worth = std::uint64_t;
  [[nodiscard]] static constexpr Worth worth(unsigned level, std::uint32_t last_used_ms) noexcept {
    return std::uint64_t{level} << 32 | last_used_ms;
  }
  // Fills `worths` with the values of consecutive contexts of the family, beginning with the context at `first`. One
  // call for all contexts fetches their memory in parallel. `next`: the profile of the flow that needs a context.
  virtual void worths_of(std::uint32_t first, wire::Profile next, std::span<Worth> worths) const noexcept = 0;

  // Drops the context: the family removes the context from the flow table (ContextPool::table()), and all of the
  // family's paths must treat the context as unused.
  virtual void drop(std::uint32_t index) noexcept = 0;

  // Handles feedback for the context. Returns false if the feedback cannot be understood.
  [[nodiscard]] virtual bool take_feedback(std::uint32_t index, const wire::FeedbackData& data,
                                           std::uint32_t now_ms) noexcept = 0;

 protected:
  ~CompressorFamily() = default;
};

}  // namespace headroom::rohc
