// SPDX-License-Identifier: Apache-2.0
//
// Mutation points: named defects (mutants.yaml of each scheme). The conformance suites must detect each of these
// defects.
//
// `if (mutant("crc7-polynomial")) …` is `if (false)` unless the build defines HEADROOM_MUTANTS. With HEADROOM_MUTANTS,
// the condition is true during each call into an instance created with {"options": {"mutant": "crc7-polynomial"}}. A
// name that is missing from mutants.yaml is a compile-time error.
#pragma once

#ifdef HEADROOM_MUTANTS

#include <cstddef>
#include <string_view>

#include "mutant_names.h"  // made of mutants.yaml by CMakeLists.txt: kMutantNames

namespace headroom {

inline constexpr std::size_t kNoMutant = static_cast<std::size_t>(-1);

// Returns the index of a mutant in kMutantNames, or kNoMutant.
constexpr std::size_t find_mutant(std::string_view name) noexcept {
  for (std::size_t i = 0; i < sizeof kMutantNames / sizeof *kMutantNames; ++i) {
    if (kMutantNames[i] == name) return i;
  }
  return kNoMutant;
}

class MutantName {
 public:
  consteval MutantName(const char* name) : index(find_mutant(name)) {
    if (index == kNoMutant) throw "mutants.yaml has no mutant of that name";
  }
  std::size_t index;
};

// The mutant of the instance that this thread is working for. The ABI gives an instance to one thread at a time.
inline thread_local std::size_t active_mutant = kNoMutant;

inline bool mutant(MutantName name) noexcept { return active_mutant == name.index; }

// Activates a mutant for this thread during one call into an instance.
class MutantScope {
 public:
  explicit MutantScope(std::size_t mutant) noexcept { active_mutant = mutant; }
  ~MutantScope() { active_mutant = kNoMutant; }
  MutantScope(const MutantScope&) = delete;
  MutantScope& operator=(const MutantScope&) = delete;
};

}  // namespace headroom

#else

namespace headroom {

constexpr bool mutant(const char*) noexcept { return false; }

}  // namespace headroom

#endif
