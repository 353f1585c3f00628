// SPDX-License-Identifier: Apache-2.0
//
// SharedFilters keeps filters that many sessions share: a control plane gives thousands of users the same filters.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "gtpu/rules/sdf_filter.h"

namespace headroom::gtpu::n4 {

class SharedFilters {
 public:
  // Returns the filter that was kept for this description, the value of an SDF Filter element, or nullptr.
  [[nodiscard]] std::shared_ptr<const SdfFilter> find(std::string_view description) const {
    const auto found = filters_.find(description);
    return found == filters_.end() ? nullptr : found->second;
  }
  // Keeps a filter for later sessions and returns it. If too many kept filters are in use, or the description is too
  // long, the filter is returned without being kept.
  [[nodiscard]] std::shared_ptr<const SdfFilter> keep(std::string_view description, SdfFilter filter) {
    auto shared = std::make_shared<const SdfFilter>(std::move(filter));
    if (description.size() > kLongest) return shared;
    if (filters_.size() >= kMost && ++refused_ >= kMost) {
      std::erase_if(filters_, [](const auto& entry) { return entry.second.use_count() == 1; });
      refused_ = 0;
    }
    if (filters_.size() < kMost) filters_.emplace(description, shared);
    return shared;
  }

 private:
  static constexpr std::size_t kMost = 4096;
  // Octets of the longest shared description: longer ones take much memory, and two of them are hardly ever equal.
  static constexpr std::size_t kLongest = 512;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };

  std::unordered_map<std::string, std::shared_ptr<const SdfFilter>, Hash, std::equal_to<>> filters_{};
  std::size_t refused_ = 0;  // filters that were not kept since unused filters were last dropped
};

}  // namespace headroom::gtpu::n4
