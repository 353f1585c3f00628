// SPDX-License-Identifier: Apache-2.0
//
// How long randomised tests go on. HEADROOM_TEST_EFFORT=20 in the environment makes them draw 20 times as many seeds as
// usual.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace headroom::rohc::test {

[[nodiscard]] inline std::uint64_t seeds(std::uint64_t usual) {
  const char* effort = std::getenv("HEADROOM_TEST_EFFORT");
  const unsigned long factor = effort == nullptr ? 1 : std::strtoul(effort, nullptr, 10);
  return usual * (factor == 0 ? 1 : factor);
}

}  // namespace headroom::rohc::test
