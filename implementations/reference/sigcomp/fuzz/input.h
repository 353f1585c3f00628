// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets share.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace headroom::sigcomp::fuzz {

// An invariant is broken: ends the program, which is how a fuzzer finds out.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace headroom::sigcomp::fuzz
