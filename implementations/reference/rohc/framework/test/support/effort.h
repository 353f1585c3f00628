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

// The seeds of a long test, 1 and up; HEADROOM_TEST_SEED=80 is that one alone, to repeat what it found.
struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
};
[[nodiscard]] inline SeedRange seed_range(std::uint64_t usual) {
  const char* one = std::getenv("HEADROOM_TEST_SEED");
  if (one == nullptr) return {1, seeds(usual)};
  const std::uint64_t seed = std::strtoull(one, nullptr, 10);
  return {seed, seed};
}

}  // namespace headroom::rohc::test
