// SPDX-License-Identifier: Apache-2.0
//
// Mutation points: named defects (mutants.yaml of each scheme) that prove the conformance suites, which must find each
// of them.
//
// `if (mutant("crc7-polynomial")) …` is `if (false)` in every build but that with HEADROOM_MUTANTS: there it is true
// while a call into an instance is under way that was created with {"options": {"mutant": "crc7-polynomial"}}. A name
// that mutants.yaml does not have is an error at compile time.
#pragma once

#ifdef HEADROOM_MUTANTS

#include <cstddef>
#include <string_view>

#include "mutant_names.h"  // made of mutants.yaml by CMakeLists.txt: kMutantNames

namespace headroom {

inline constexpr std::size_t kNoMutant = static_cast<std::size_t>(-1);

// The place of a mutant in kMutantNames, or kNoMutant.
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

// For as long as a call into an instance lasts.
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
