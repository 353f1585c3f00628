// SPDX-License-Identifier: Apache-2.0
//
// Work: what a message really costs. UDVM cycles bound it well for most instructions, not for all: SHA-1 over nothing
// is one cycle, as ADD is. An instruction's work is its cycles, and besides them what stands here, so that a unit of
// work is 5 ns at most on processors of the 2020s: 1 to 4 for whatever is short (2 for a loop of simple instructions, 3
// where there is nothing but SHA-1), less for long copies. bench/sigcomp_hostile_bench.cc measures it.
#pragma once

#include <cstdint>

namespace headroom::sigcomp::udvm {

inline constexpr std::uint32_t kWorkOfSha1 = 24;  // to begin and end a hash; its blocks cost less than their cycles
inline constexpr std::uint32_t kWorkOfStateAccess = 16;  // to find an item among a hundred thousand
inline constexpr std::uint32_t kWorkOfLookUp = 4;        // for an instruction that has to be compared or taken apart
inline constexpr std::uint32_t kWorkOfWatching = 8;      // for each instruction that the verifier sees
// To make the memory anew, read the header, load state; for each message, whatever it is.
inline constexpr std::uint32_t kWorkOfMessage = 500;

// A program is looked at each time that it has done so much.
inline constexpr std::uint64_t kSlice = 1024;
// The verifier watches as many instructions as it has watched already, at least so many,
inline constexpr std::uint32_t kFirstWatch = 64;
inline constexpr std::uint32_t kMostWatch = 1U << 20;
// and comes back when the program has done so many times the work of those: it takes a quarter of the time at most.
inline constexpr std::uint64_t kWorkForEachWatched = 64;

}  // namespace headroom::sigcomp::udvm
