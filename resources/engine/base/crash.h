// SPDX-License-Identifier: Apache-2.0
//
// The last words of a process that dies from what its code does: in whose code it was.
#ifndef HEADROOM_BASE_CRASH_H
#define HEADROOM_BASE_CRASH_H

namespace headroom {

// The beginning of the line that is written to standard error before the process dies.
inline constexpr char kDiedIn[] = "headroom-engine: died in ";

// From now on SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT name the library in whose code the thread was, or that had
// called the C or C++ library, and then end the process as they would have. It is where it died: memory that one
// library damages another may die from. Sanitizers know more than that; with them nothing is done. Once in a process.
void tell_where_it_dies();

}  // namespace headroom

#endif  // HEADROOM_BASE_CRASH_H
