// SPDX-License-Identifier: Apache-2.0
//
// The names of numbered things in sentences.
#ifndef HEADROOM_BASE_NTH_H
#define HEADROOM_BASE_NTH_H

#include <cstdint>
#include <string>

namespace headroom {

// Returns "packet 31" for the index 30: sentences count from 1, as tools that read captures do, while indices count
// from 0.
[[nodiscard]] inline std::string nth(const char* what, std::uint64_t index) {
  return std::string(what) + ' ' + std::to_string(index + 1);
}

}  // namespace headroom

#endif  // HEADROOM_BASE_NTH_H
