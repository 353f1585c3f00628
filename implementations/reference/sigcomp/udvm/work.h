// SPDX-License-Identifier: Apache-2.0
//
// Work is a measure of the real cost of a message. UDVM cycles bound the cost well for most instructions, but not for
// all: SHA-1 over an empty string is one cycle, as ADD is. The work of an instruction is its cycles plus the amounts
// below, chosen so that a unit of work takes at most 5 ns on processors of the 2020s: 1 to 4 ns for short instructions
// (2 ns for a loop of simple instructions, 3 ns for SHA-1 alone), less for long copies. bench/sigcomp_hostile_bench.cc
// measures this.
#pragma once

#include <cstdint>

namespace headroom::sigcomp::udvm {

inline constexpr std::uint32_t kWorkOfSha1 = 24;  // to begin and end a hash; its blocks cost less than their cycles
inline constexpr std::uint32_t kWorkOfStateAccess = 16;  // to find an item among a hundred thousand
inline constexpr std::uint32_t kWorkOfLookUp = 4;        // for an instruction that has to be compared or decoded
inline constexpr std::uint32_t kWorkOfWatching = 8;      // for each instruction that the verifier sees
// For every message: to clear the memory, read the header and load state.
inline constexpr std::uint32_t kWorkOfMessage = 500;

// The work after which a program is inspected again.
inline constexpr std::uint64_t kSlice = 1024;
// The verifier watches as many instructions as it has watched already, but at least kFirstWatch and at most kMostWatch,
inline constexpr std::uint32_t kFirstWatch = 64;
inline constexpr std::uint32_t kMostWatch = 1U << 20;
// and returns after kWorkForEachWatched units of the program's work for each watched instruction, so that it takes at
// most a quarter of the time.
inline constexpr std::uint64_t kWorkForEachWatched = 64;

}  // namespace headroom::sigcomp::udvm
