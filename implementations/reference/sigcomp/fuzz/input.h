// SPDX-License-Identifier: Apache-2.0
//
// Functions that the fuzz targets share.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace headroom::sigcomp::fuzz {

// Aborts the program if the invariant does not hold, so that the fuzzer reports the input.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace headroom::sigcomp::fuzz
